fn lets(pair: (u32, u32)) -> u32 {
    let (a, mut b) = pair;
    let Point { x, y: (_, up), .. } = origin();
    let later: Vec<u32>;
    let [first, .., last] = list();
    let _ = send(a);
    b += x;
    self::count(first, last, up);
    let c = if a > b { a } else { b };
    let d = {
        let e = a;
        e * 2
    };
    let Some(found) = find(d) else {
        return 0;
    };
    let Ok(sent) = send(found) else { panic!("no {found}") };
    let Kind::Pair(left, right) = &sent.kind else { return left_over };
    c + left
}

fn choices(item: Option<Item>, queue: &mut Queue) -> Result<String, Error> {
    if let Some(item) = item {
        use_it(item);
    } else if let Some(next) = queue.pop_front() {
        use_it(next);
    }
    if let Some(name) = &queue.name
        && name.len() > 3
        && let Kind::Flower { petals: 3, .. } = queue.kind
    {
        print!("{name}");
    }
    if let Err(error) = send(1) {
        return Err(error.into());
    }
    if let Ok(text) = read() {
        return Ok(text);
    } else {
        give_up()?;
    }
    let text = match read() {
        Ok(text) if text.is_empty() => return Ok(String::new()),
        Ok(text) => text,
        Err(error) => {
            note(&error);
            bail!("cannot read: {error}");
        }
    };
    match queue.kind {
        Kind::Tree | Kind::Bush => {}
        Kind::Flower { petals } if petals > 2 => water(petals),
        Kind::Pair(ref name, 3..=5) => label(name),
        other @ Kind::Bare => drop_it(other),
        _ => unreachable!(),
    }
    Ok(text)
}

fn loops(rows: &[Row]) -> Option<usize> {
    'outer: for (at, row) in rows.iter().enumerate().rev() {
        for cell in &row.cells {
            if cell.hit {
                break 'outer;
            }
            continue;
        }
    }
    for _ in 0..3 {}
    for Row { name, .. } in rows {
        note(name);
    }
    while rows.len() > 3 {
        step();
    }
    while let Some(next) = queue.pop() {
        step_to(next);
    }
    while let Ok(line) = read() {
        note(line);
    }
    let found = loop {
        if done() {
            break 5;
        }
    };
    Some(found)
}

fn changes(xs: &mut Vec<u32>, text: &mut String, n: usize) {
    xs.truncate(n);
    xs.drain(..n);
    let head: Vec<u32> = xs.drain(0..2).collect();
    let tail = xs.split_off(n);
    xs.retain(|x| *x > 3);
    xs.retain(|x| {
        let y = x + 1;
        y > 3
    });
    xs.splice(n..n, tail);
    let all = std::mem::take(xs);
    let old = std::mem::replace(text, String::new());
    text.push_str("more");
    text.push('!');
    writeln!(text, "{old} {}", all.len()).unwrap();
    let taken = self.slot.take();
    self.truncate(taken);
}
