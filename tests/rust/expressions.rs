fn values(a: u32, b: &Option<Item>) -> bool {
    let numbers = (1_000u64, 0xff, -3, 2.5, 'x', b"raw", r#"a "b""#, true, ());
    let text = "tab\t\u{e9} \
        on one line";
    let borrowed = &mut *a as usize;
    let logic = a > 1 && b.is_some() || !done(a)? && a != 2;
    let none = *b == None;
    let slices = (&xs[1..n], &xs[..=2], &xs[n..], xs[0], xs.first(), xs.last().unwrap());
    let made = Point { x: 1, y, ..Point::default() };
    let call = Kind::Pair(name.clone(), 3).label::<u8>(1);
    let array = [1, 2, 3];
    let later = async move { send(a).await };
    let sent = async { send(a).await }.await;
    let watched = async { send(b).await }.instrument(span!("send")).await?;
    let closure = |x: u32, (y, _): (u32, u32)| x + y;
    let block = move || {
        let z = a;
        z
    };
    matches!(b.kind, Kind::Flower { petals, .. } if petals > a)
}

fn options(x: Option<Item>) -> Option<u32> {
    let named = x.map(|item| item.name.as_str()).unwrap_or("none");
    let other = x.as_ref().and_then(|item| item.next()).unwrap_or_else(|| fallback());
    let size = x.map_or(0, |item| item.size);
    let kept = x.filter(|item| item.size > 1).is_some_and(|item| item.good());
    let lazy = (size > 3).then(|| size * 2);
    map.entry(key).or_default().push(1);
    let got = (map.get(&key), xs.get(0), xs.get(n - 1), xs.get(1..3));
    let locked = self.state.lock().await.items.len();
    Some(x?.size.saturating_sub(1).min(9))
}

fn chains(xs: &[Item]) {
    let newest = xs.iter().rev().find(|x| x.kind == Kind::Tree);
    let at = xs.iter().position(|x| x.size > 3).map(|i| i + 1);
    let last_at = xs.iter().rposition(Item::good);
    let pair = xs.iter().enumerate().rev().find(|(_, x)| x.good()).map(|(i, _)| i).unwrap_or(xs.len());
    let inside = (from..xs.len()).find(|&i| xs[i].good());
    let names: Vec<String> = xs.iter().filter(|x| x.good()).map(|x| x.name.to_string()).collect();
    let joined = names.iter().map(|n| format!("- {n}")).collect::<Vec<_>>().join("\n");
    let any = xs.iter().any(|x| x.kind == Kind::Tree) && xs.iter().all(Item::good);
    let recent = xs.iter().rev().take(5).rev().skip(1).cloned().collect::<Vec<_>>();
    let rest: Vec<_> = xs.iter().skip_while(|x| x.size < 3).chain(ys.iter()).collect();
    let found = xs.iter().find_map(|x| match x {
        Item::Pair(name, _) => Some(name),
        _ => None,
    });
    let kept: Vec<u32> = xs.iter().filter_map(|x| x.size()).collect();
    let more: Vec<u32> = xs
        .iter()
        .filter_map(|x| {
            if x.good() {
                return None;
            }
            x.size()
        })
        .collect();
    let inner: Vec<_> = xs.iter().flat_map(|x| x.parts.iter()).collect();
    let total = xs.iter().map(|x| x.size).sum::<u32>();
    let folded = xs.iter().fold(String::new(), |text, x| format!("{text}{x}"));
    xs.iter().for_each(|x| note(x));
    let (good, bad): (Vec<_>, Vec<_>) = xs.iter().partition(|x| x.good());
    let first = (xs.iter().next(), xs.iter().last(), xs.iter().nth(2), xs.iter().filter(|x| x.good()).count());
}

fn macros(name: &str, n: u32) -> String {
    assert!(n > 1, "too small");
    assert_eq!(n, 3);
    ensure!(n < 9, "too large: {n}");
    println!("{} {name:>5} {0:?} {{}} {extra}", n, extra = n + 1);
    let body = serde_json::json!({ "role": "user", "parts": [{ "text": name }, null], "n": n });
    let zeros = vec![0; 8];
    let list = vec![name, "x"];
    tracing::info!(?n, "noted");
    format!("fixed")
}
