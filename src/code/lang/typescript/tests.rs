//! Places, comments and refusals; what each construct is lowered to is pinned by snapshots.

use std::path::Path;

use super::{is_test, lower};
use crate::code::ir::{ExprKind, Module};
use crate::code::lang::{Language, Refusal};
use crate::finding::Position;

fn read(path: &str, text: &str) -> Result<Module, Refusal> {
    lower(Path::new(path), text, "typescript")
}

fn module(text: &str) -> Module {
    read("m.ts", text).expect("the test's source is TypeScript")
}

fn refusal(text: &str) -> Refusal {
    read("m.ts", text).expect_err("the test's source cannot be checked")
}

fn at(line: u32, column: u32) -> Position {
    Position { line, column }
}

#[test]
fn columns_count_characters_not_bytes() {
    let module = module("const x = ['日本語', after];\n");
    let is_it = |kind: &ExprKind| matches!(kind, ExprKind::Name(found) if &**found == "after");
    let expr = module.exprs.iter().find(|expr| is_it(&expr.kind));
    let place = expr.expect("the test's source has the name").place;
    assert_eq!((place.start, place.end), (at(1, 19), at(1, 24)));
}

#[test]
fn comments_of_both_forms_are_kept() {
    let module = module("// first\nconst x = '// none'; /* beside */\n");
    let comments: Vec<_> = module
        .comments
        .iter()
        .map(|one| (one.at, &*one.text, one.own_line))
        .collect();
    assert_eq!(
        comments,
        [(at(1, 1), "// first", true), (at(2, 22), "/* beside */", false)]
    );
}

#[test]
fn code_nested_too_deep_is_refused_where_it_gets_too_deep() {
    let shapes = [
        (100_000, "[", "]"),
        (2_000, "f(", ")"),
        (2_000, "!", ""),
        (2_000, "a ? b : ", ""),
        (2_000, "() => ", ""),
        (2_000, "xs.splice(xs.splice(", "))"),
        (2_000, "{ a: ", "}"),
    ];
    for (depth, open, close) in shapes {
        let text = format!("a = 1;\nb = {}z{};\n", open.repeat(depth), close.repeat(depth));
        let refusal = refusal(&text);
        assert_eq!(refusal.line, 2, "{open}");
        assert_eq!(
            refusal.message, "the code is nested more than 500 levels deep here",
            "{open}"
        );
    }
}

#[test]
fn nested_calls_are_lowered_once() {
    let size = |depth: usize| {
        let shapes = [
            ("f({ a: ", " })"),
            ("xs.splice(", ", 1)"),
            ("xs.find((x) => ", ")"),
            ("[x] = [", "]"),
        ];
        let texts = shapes.map(|(open, close)| format!("{}z{};\n", open.repeat(depth), close.repeat(depth)));
        texts.map(|text| module(&text).exprs.len())
    };
    for (short, long) in size(20).into_iter().zip(size(40)) {
        assert!(long < 3 * short, "{short} expressions became {long}");
    }
}

#[test]
fn what_is_mostly_another_language_is_refused() {
    let refusal = refusal("def f(a):\n    return a if b else c\n\nclass X(Y):\n    z: int = 1\n");
    assert_eq!(
        refusal.message,
        "most of the file cannot be parsed as TypeScript or JavaScript"
    );
}

#[test]
fn a_cast_is_read_by_the_grammar_that_has_it() {
    let casts = |path| {
        read(path, "const x = <Message[]>y;\n").is_ok_and(|module| {
            module
                .exprs
                .iter()
                .any(|expr| matches!(&expr.kind, ExprKind::Name(name) if &**name == "y"))
        })
    };
    assert!(casts("m.ts") && casts("m.mts") && casts("m.cts"));
}

#[test]
fn languages_go_by_extension() {
    let language = |name| Language::of(Path::new(name)).map(Language::name);
    for name in ["a.ts", "a.tsx", "a.mts", "a.cts"] {
        assert_eq!(language(name), Some("typescript"), "{name}");
    }
    for name in ["a.js", "a.jsx", "a.mjs", "a.cjs"] {
        assert_eq!(language(name), Some("javascript"), "{name}");
    }
    assert_eq!(language("a.json"), None);
}

#[test]
fn test_files_are_known_by_name_or_folder() {
    for path in ["agent.test.ts", "agent.spec.tsx", "src/__tests__/agent.ts", "test/x.js"] {
        assert!(is_test(Path::new(path)), "{path}");
    }
    for path in ["agent.ts", "contest.ts", "latest/agent.ts", "test.ts"] {
        assert!(!is_test(Path::new(path)), "{path}");
    }
}
