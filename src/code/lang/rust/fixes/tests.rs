use super::spell;
use crate::code::lang::spelling::testing::{made, span};
use crate::mend::Mend;

fn after(text: &str, mend: &Mend) -> Option<String> {
    let spelled = spell(text, &[mend]).expect("the text is parsed").remove(0);
    spelled.map(|spelled| made(text, spelled))
}

/// What a function of one expression becomes.
fn turned(expression: &str) -> Option<String> {
    let text = format!("fn f() {{ {expression} }}");
    let mend = Mend::SearchFromTail {
        search: span(&text, expression),
        list: span(&text, "xs"),
    };
    let made = after(&text, &mend)?;
    Some(made.trim_start_matches("fn f() { ").trim_end_matches(" }").to_owned())
}

#[test]
fn searches_by_methods() {
    assert_eq!(
        turned("xs.iter().find(|m| m.ok)").as_deref(),
        Some("xs.iter().rev().find(|m| m.ok)")
    );
    assert_eq!(
        turned("xs.iter().position(|m| m.ok)").as_deref(),
        Some("xs.iter().rposition(|m| m.ok)")
    );
    assert_eq!(
        turned("xs.iter().enumerate().find(|(_, m)| m.ok)").as_deref(),
        Some("xs.iter().enumerate().rev().find(|(_, m)| m.ok)")
    );
    assert_eq!(
        turned("xs.iter().filter(|m| m.ok).next()").as_deref(),
        Some("xs.iter().filter(|m| m.ok).next_back()")
    );
    assert_eq!(turned("xs.lines().find(|m| m.ok)"), None, "it may have one end only");
}

#[test]
fn loops_that_only_search() {
    let of = |items: &str| {
        let text = format!("fn f() {{ for m in {items} {{ if m.ok {{ return Some(m); }} }} }}");
        let mend = Mend::SearchFromTail {
            search: span(&text, "Some(m)"),
            list: span(&text, "xs"),
        };
        after(&text, &mend)
    };
    assert!(of("&xs").is_some_and(|text| text.contains("for m in xs.iter().rev() {")));
    assert!(of("xs.iter()").is_some_and(|text| text.contains("for m in xs.iter().rev() {")));
    assert_eq!(of("xs.rows()"), None);
}

#[test]
fn indices_that_move_on() {
    let advanced = |items: &str, block: &str| {
        let text = format!("fn f() {{ for x in {items} {{ {block} }} }}");
        let mend = Mend::AdvanceIndex {
            insert: span(&text, "out.insert(1, x)"),
            items: span(&text, items),
        };
        after(&text, &mend)
    };
    assert_eq!(
        advanced("&xs", "out.insert(1, x);").as_deref(),
        Some("fn f() { for (at, x) in xs.iter().enumerate() { out.insert(1 + at, x); } }")
    );
    assert_eq!(
        advanced("xs.drain(..)", "out.insert(1, x);").as_deref(),
        Some("fn f() { for (at, x) in xs.drain(..).enumerate() { out.insert(1 + at, x); } }")
    );
    assert_eq!(
        advanced("&xs", "if x.ok { out.insert(1, x); }"),
        None,
        "some rounds would leave gaps"
    );
}

#[test]
fn clocks_that_tell_the_day() {
    let coarse = |expression: &str| {
        let text = format!("fn f() {{ let t = {expression}; }}");
        let way = vec![span(&text, "Utc::now()")];
        let made = after(&text, &Mend::CoarsenClock { way, from: 0 })?;
        Some(
            made.trim_start_matches("fn f() { let t = ")
                .trim_end_matches("; }")
                .to_owned(),
        )
    };
    assert_eq!(
        coarse("Utc::now().to_rfc3339()").as_deref(),
        Some("Utc::now().date_naive().to_string()")
    );
    assert_eq!(
        coarse("format!(\"{}\", Utc::now().to_rfc3339())").as_deref(),
        Some("format!(\"{}\", Utc::now().date_naive())")
    );
    assert_eq!(
        coarse("format!(\"{}\", Utc::now())").as_deref(),
        Some("format!(\"{}\", Utc::now().date_naive())")
    );
    assert_eq!(
        coarse("Utc::now().format(\"%Y-%m-%d %H:%M\").to_string()").as_deref(),
        Some("Utc::now().format(\"%Y-%m-%d\").to_string()")
    );
    assert_eq!(
        coarse("json!({\"at\": Utc::now().to_rfc3339()})").as_deref(),
        Some("json!({\"at\": Utc::now().date_naive().to_string()})")
    );
    assert_eq!(coarse("Utc::now().timestamp()"), None, "a number has no day");
}
