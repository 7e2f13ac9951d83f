//! Places, comments and refusals; what each construct is lowered to is pinned by snapshots.

use std::path::Path;

use super::{is_test, lower};
use crate::code::ir::{Comment, ExprKind, Module};
use crate::code::lang::Refusal;
use crate::finding::Position;

fn module(text: &str) -> Module {
    lower(Path::new("m.py"), text).expect("the test's source is Python")
}

fn refusal(text: &str) -> Refusal {
    lower(Path::new("m.py"), text).expect_err("the test's source cannot be checked")
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

#[test]
fn columns_count_characters_not_bytes() {
    let module = module("x = '日本語', after\nplain\n");
    assert_eq!(place_of(&module, "after"), (at(1, 12), at(1, 17)));
    assert_eq!(place_of(&module, "plain"), (at(2, 1), at(2, 6)));
}

#[test]
fn columns_are_right_at_every_distance_from_the_start_of_a_long_line() {
    for length in [0, 1, 41, 42, 43, 127, 128, 129, 4_000] {
        let module = module(&format!("ä = 1\nx = '{}', after\n", "語".repeat(length)));
        let column = 9 + length as u32;
        assert_eq!(place_of(&module, "after").0, at(2, column), "after {length} characters");
    }
}

#[test]
fn comments_are_told_from_text_that_looks_like_them() {
    let module = module("# first\nx = '# no comment'  # beside\ndef f():\n    # inside  \n    return x\n");
    let comment = |at, text: &str, own_line| Comment {
        at,
        text: text.to_owned(),
        own_line,
    };
    assert_eq!(
        module.comments,
        [
            comment(at(1, 1), "# first", true),
            comment(at(2, 21), "# beside", false),
            comment(at(4, 5), "# inside", true),
        ]
    );
}

#[test]
fn comments_survive_broken_code() {
    let module = module("def f(:\n    pass  # here\n\nx = 1\ny = 2\nz = x + y\n");
    let texts: Vec<&str> = module.comments.iter().map(|comment| &*comment.text).collect();
    assert_eq!(texts, ["# here"]);
}

#[test]
fn code_nested_too_deep_is_refused_where_it_gets_too_deep() {
    let shapes = [
        (100_000, "[", "]"),
        (2_000, "f(", ")"),
        (2_000, "not ", ""),
        (2_000, "x if y else ", ""),
        (2_000, "lambda: ", ""),
    ];
    for (depth, open, close) in shapes {
        let text = format!("a = 1\nb = {}z{}\n", open.repeat(depth), close.repeat(depth));
        let refusal = refusal(&text);
        assert_eq!(refusal.line, 2, "{open}");
        assert_eq!(
            refusal.message, "the code is nested more than 500 levels deep here",
            "{open}"
        );
    }
}

#[test]
fn a_long_chain_of_elif_counts_as_deep() {
    let chain = |arms: usize| format!("if a:\n    b\n{}", "elif a:\n    b\n".repeat(arms));
    assert_eq!(
        refusal(&chain(600)).message,
        "the code is nested more than 500 levels deep here"
    );
    assert_eq!(module(&chain(400)).functions[0].body.len(), 1);
    // Chains that follow each other are not inside each other.
    assert_eq!(module(&chain(300).repeat(3)).functions[0].body.len(), 3);
}

#[test]
fn what_is_mostly_not_python_is_refused() {
    let refusal = refusal("<?php\nfunction x($a) { return $a->b; }\n?>\n<div class=\"a\">&nbsp;</div>\n");
    assert_eq!(refusal.message, "most of the file cannot be parsed as Python");
}

#[test]
fn test_files_are_known_by_name_or_folder() {
    for path in [
        "test_agent.py",
        "agent_test.py",
        "conftest.py",
        "pkg/tests/helpers.py",
        "test/x.py",
    ] {
        assert!(is_test(Path::new(path)), "{path}");
    }
    for path in ["agent.py", "contest.py", "latest/agent.py", "testing.py"] {
        assert!(!is_test(Path::new(path)), "{path}");
    }
}
