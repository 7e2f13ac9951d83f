//! Places, comments, tests and refusals; what each construct is lowered to is pinned by snapshots.

use std::path::Path;

use super::{is_test, lower};
use crate::code::ir::{ExprKind, Module};
use crate::code::lang::Refusal;
use crate::finding::Position;

fn module(text: &str) -> Module {
    lower(Path::new("src/m.rs"), text).expect("the test's source is Rust")
}

fn refusal(text: &str) -> Refusal {
    lower(Path::new("src/m.rs"), text).expect_err("the test's source cannot be checked")
}

fn at(line: u32, column: u32) -> Position {
    Position { line, column }
}

/// Where a name is first read or written.
fn place_of(module: &Module, name: &str) -> (Position, Position) {
    let is_it = |kind: &ExprKind| matches!(kind, ExprKind::Name(found) if &**found == name);
    let expr = module.exprs.iter().find(|expr| is_it(&expr.kind));
    let place = expr.expect("the test's source has the name").place;
    (place.start, place.end)
}

/// The imports of a file: module, symbol, local name.
fn imports(path: &str, text: &str) -> Vec<(String, String, String)> {
    let module = lower(Path::new(path), text).expect("the test's source is Rust");
    let imports = module.imports.iter();
    let shown = imports.map(|import| {
        (
            import.module.to_string(),
            import.symbol.as_deref().unwrap_or("-").to_owned(),
            import.local.to_string(),
        )
    });
    shown.collect()
}

fn one(module: &str, symbol: &str, local: &str) -> (String, String, String) {
    (module.to_owned(), symbol.to_owned(), local.to_owned())
}

#[test]
fn columns_count_characters_and_macros_keep_their_places() {
    let module = module("fn f() {\n    g(\"日本語\", after, vec![inside]);\n}\n");
    assert_eq!(place_of(&module, "after"), (at(2, 14), at(2, 19)));
    assert_eq!(place_of(&module, "inside"), (at(2, 26), at(2, 32)));
}

#[test]
fn comments_are_told_from_text_that_looks_like_them() {
    let module = module("// first\nfn f() {\n    g(\"// no comment\"); // beside\n    /* inside */\n}\n");
    let shown: Vec<(Position, &str, bool)> = module
        .comments
        .iter()
        .map(|comment| (comment.at, &*comment.text, comment.own_line))
        .collect();
    assert_eq!(
        shown,
        [
            (at(1, 1), "// first", true),
            (at(3, 25), "// beside", false),
            (at(4, 5), "/* inside */", true),
        ]
    );
}

#[test]
fn code_nested_too_deep_is_refused_where_it_gets_too_deep() {
    let shapes = [
        (100_000, "[", "]"),
        (2_000, "f(", ")"),
        (2_000, "!", ""),
        (2_000, "&", ""),
        (2_000, "|x| ", ""),
        (2_000, "vec![", "]"),
        (2_000, "if a { b } else ", "{}"),
    ];
    for (depth, open, close) in shapes {
        let text = format!("fn f() {{\n    {}z{}\n}}\n", open.repeat(depth), close.repeat(depth));
        let refusal = refusal(&text);
        assert_eq!(refusal.line, 2, "{open}");
        assert_eq!(
            refusal.message, "the code is nested more than 500 levels deep here",
            "{open}"
        );
    }
}

#[test]
fn a_match_with_very_many_arms_counts_as_deep() {
    let arms = |count: usize| format!("fn f() {{ match a {{ {} _ => c }} }}\n", "1 => b,".repeat(count));
    assert_eq!(
        refusal(&arms(600)).message,
        "the code is nested more than 500 levels deep here"
    );
    assert_eq!(module(&arms(400)).functions.len(), 2);
}

#[test]
fn what_is_mostly_not_rust_is_refused() {
    let refusal = refusal("<?php\nfunction x($a) { return $a->b; }\n?>\n<div class=\"a\">&nbsp;</div>\n");
    assert_eq!(refusal.message, "most of the file cannot be parsed as Rust");
}

#[test]
fn a_text_that_is_cut_off_anywhere_is_no_trouble() {
    let text = "use a::{b, c as d};\nfn f<'a>(x: &'a [M]) -> R {\n    let v = json!({\"k\": vec![x; 2]});\n    if let Some(y) = x.iter().rev().find(|m| matches!(m, M::U { .. } if a)) { return Err(e); }\n    'l: loop { break 'l; }\n}\n";
    for end in (0..text.len()).filter(|end| text.is_char_boundary(*end)) {
        let _ = lower(Path::new("src/m.rs"), &text[..end]);
    }
}

#[test]
fn tests_are_known_by_attribute() {
    let module = module(
        "fn f() {}\n#[cfg(test)]\nmod tests {\n    use super::*;\n    fn helper() {}\n}\n#[tokio::test]\nasync fn g() {}\n#[cfg(not(test))]\nfn h() {}\n",
    );
    let tested: Vec<&str> = module
        .functions
        .iter()
        .filter(|function| module.is_test_at(function.place.start))
        .map(|function| &*function.name)
        .collect();
    assert_eq!(tested, ["tests", "helper", "g"]);
}

#[test]
fn test_files_are_known_by_name_or_folder() {
    for path in [
        "tests/agent.rs",
        "a/tests/suite/mod.rs",
        "src/agent_tests.rs",
        "src/agent/tests.rs",
    ] {
        assert!(is_test(Path::new(path)), "{path}");
    }
    for path in ["src/agent.rs", "src/contest.rs", "src/testing.rs"] {
        assert!(!is_test(Path::new(path)), "{path}");
    }
}

#[test]
fn paths_of_imports_are_relative_to_the_file() {
    assert_eq!(
        imports(
            "src/a/b.rs",
            "use crate::x::Y;\nuse super::{z, w::*};\nuse self::v as u;\nuse rig::message as m;\n"
        ),
        [
            one("..x", "Y", "Y"),
            one(".", "z", "z"),
            one(".w", "*", "*"),
            one(".b", "v", "u"),
            one("rig", "message", "m"),
        ]
    );
    assert_eq!(
        imports("src/a/mod.rs", "mod c;\nuse crate::x::Y;\nuse super::z;\nuse c::D;\n"),
        [one("..x", "Y", "Y"), one("..", "z", "z"), one(".c", "D", "D")]
    );
    assert_eq!(
        imports(
            "lib.rs",
            "use crate::x;\nmod tests { use super::*; use super::super::q; }\n"
        ),
        [one(".", "x", "x"), one("..", "q", "q")]
    );
}

#[test]
fn a_path_from_the_root_of_the_crate_is_imported_once() {
    assert_eq!(
        imports("src/a.rs", "fn f() { crate::b::g(); crate::b::h(); super::k(); }\n"),
        [one(".", "b", "crate::b"), one(".", "k", "super::k")]
    );
}
