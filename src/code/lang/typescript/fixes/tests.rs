use std::path::Path;

use super::spell;
use crate::code::lang::spelling::testing::{made, span};
use crate::mend::Mend;

fn after(text: &str, mend: &Mend) -> Option<String> {
    let spelled = spell(Path::new("a.ts"), text, &[mend])
        .expect("the text is parsed")
        .remove(0);
    spelled.map(|spelled| made(text, spelled))
}

fn turned(text: &str, search: &str) -> Option<String> {
    let mend = Mend::SearchFromTail {
        search: span(text, search),
        list: span(text, "xs"),
    };
    after(text, &mend)
}

#[test]
fn searches_by_methods() {
    let one = |text: &str| turned(text, text.trim_end_matches(";\n"));
    assert_eq!(
        one("xs.find((m) => m.ok);\n").as_deref(),
        Some("xs.findLast((m) => m.ok);\n")
    );
    assert_eq!(
        one("xs?.findIndex(isUser);\n").as_deref(),
        Some("xs?.findLastIndex(isUser);\n")
    );
    assert_eq!(
        one("xs.filter(isUser)[0];\n").as_deref(),
        Some("xs.filter(isUser).at(-1);\n")
    );
    assert_eq!(one("xs.some(isUser);\n"), None);
}

#[test]
fn loops_that_only_search() {
    let of = "for (const m of xs) {\n  const role = m.role;\n  if (role === 'user') return (m);\n}\n";
    assert!(turned(of, "(m)").is_some_and(|text| text.starts_with("for (const m of [...xs].reverse()) {\n")));
    let counted =
        "for (let i = 0; i < xs.length; i++) {\n  if (xs[i].ok) {\n    found = (xs[i]);\n    break;\n  }\n}\n";
    assert!(
        turned(counted, "(xs[i])").is_some_and(|text| text.starts_with("for (let i = xs.length - 1; i >= 0; i--) {\n"))
    );
    let adding = of.replace("  const role", "  seen.push(m.id);\n  const role");
    assert_eq!(turned(&adding, "(m)"), None, "what is collected depends on the order");
}

#[test]
fn items_in_an_order() {
    let sorted = |text: &str, items: &str| {
        let mend = Mend::Sort {
            items: span(text, items),
            names: true,
        };
        after(text, &mend)
    };
    assert_eq!(
        sorted("for (const f of readdirSync(d)) g(f);\n", "readdirSync(d)").as_deref(),
        Some("for (const f of readdirSync(d).sort()) g(f);\n")
    );
    assert_eq!(
        sorted("for (const f of files) g(f);\n", "files").as_deref(),
        Some("for (const f of [...files].sort()) g(f);\n")
    );
    let typed = "for (const f of readdirSync(d, { withFileTypes: true })) g(f);\n";
    assert_eq!(sorted(typed, "readdirSync(d, { withFileTypes: true })"), None);
}

#[test]
fn entries_of_options_and_lists_that_replace_all() {
    let text = "trimMessages(xs, { maxTokens: 9 });\n";
    let start = Mend::NameArgument {
        call: span(text, "trimMessages(xs, { maxTokens: 9 })"),
        name: "start_on".to_owned(),
        value: "human".to_owned(),
    };
    assert_eq!(
        after(text, &start).as_deref(),
        Some("trimMessages(xs, { maxTokens: 9, startOn: \"human\" });\n")
    );
    let text = "import { REMOVE_ALL_MESSAGES } from '@langchain/langgraph';\nf({ messages: xs });\n";
    let all = Mend::ReplaceAll { list: span(text, "xs") };
    assert_eq!(
        after(text, &all).as_deref(),
        Some(
            "import { REMOVE_ALL_MESSAGES } from '@langchain/langgraph';\n\
             import { RemoveMessage } from \"@langchain/core/messages\";\n\
             f({ messages: [new RemoveMessage({ id: REMOVE_ALL_MESSAGES }), ...xs] });\n"
        )
    );
}

#[test]
fn indices_that_move_on() {
    let advanced = |text: &str| {
        let mend = Mend::AdvanceIndex {
            insert: span(text, "out.splice(1, 0, x)"),
            items: span(text, "xs"),
        };
        after(text, &mend)
    };
    assert_eq!(
        advanced("for (const x of xs) {\n  out.splice(1, 0, x);\n}\n").as_deref(),
        Some("for (const [at, x] of [...xs].entries()) {\n  out.splice(1 + at, 0, x);\n}\n")
    );
    assert_eq!(
        advanced("for (const x of xs) {\n  if (x) out.splice(1, 0, x);\n}\n"),
        None
    );
}

#[test]
fn clocks_that_tell_the_day() {
    let coarse = |text: &str| {
        let way = vec![span(text, "new Date()")];
        after(text, &Mend::CoarsenClock { way, from: 0 })
    };
    assert_eq!(
        coarse("t = new Date().toISOString();\n").as_deref(),
        Some("t = new Date().toISOString().slice(0, 10);\n")
    );
    assert_eq!(
        coarse("t = new Date().toLocaleString();\n").as_deref(),
        Some("t = new Date().toLocaleDateString();\n")
    );
    assert_eq!(
        coarse("t = `${new Date()}`;\n").as_deref(),
        Some("t = `${new Date().toDateString()}`;\n")
    );
    assert_eq!(
        coarse("t = new Date().toISOString().replace('T', ' ');\n"),
        None,
        "a form of its own"
    );
    assert_eq!(
        coarse("t = `${new Date().toLocaleTimeString('en', { hour: 'numeric' })}`;\n"),
        None
    );
}
