fn fine() {
    let x = 1;
}

fn broken( {
    let y = ;
    z(
}

fn also_fine(items: Vec<u32>) -> u32 {
    items[0] // here
}
