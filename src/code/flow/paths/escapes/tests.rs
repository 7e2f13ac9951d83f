//! Ways from a question past its answer.

use super::{Detour, ExitKind};
use crate::code::flow::paths::Paths;
use crate::code::flow::testing::{call, function, module, text};
use crate::code::ir::ExprKind;

/// The ways from `ask()` past `answer()` in the function `f`, with the line that leaves. Loops over
/// `calls` answer everything, and where `calls` is empty there is nothing to answer.
fn escapes(source: &str) -> Vec<(ExitKind, u32)> {
    let module = module(source);
    let paths = Paths::of(&module, function(&module, "f"));
    let from = paths.stmt_of(call(&module, "ask")).expect("it is in the function");
    let through = [paths.stmt_of(call(&module, "answer")).expect("it is in the function")];
    let detour = Detour {
        through: &through,
        complete: &|stmt| match paths.stmt(stmt).kind {
            crate::code::ir::StmtKind::For { iter, .. } => text(source, &module, iter) == "calls",
            _ => false,
        },
        harmless: &|cond, holds| !holds && matches!(module.kind(cond), ExprKind::Name(name) if &**name == "calls"),
    };
    paths
        .escapes(from, &detour)
        .into_iter()
        .filter(|exit| !exit.implicit)
        .map(|exit| (exit.kind, exit.at.map_or(0, |at| paths.stmt(at).place.start.line)))
        .collect()
}

#[test]
fn straight_on() {
    assert!(escapes("def f(calls):\n    ask()\n    answer()\n").is_empty());
    assert_eq!(
        escapes("def f(calls):\n    ask()\n    if x:\n        return\n    answer()\n"),
        [(ExitKind::Return, 4)]
    );
    assert_eq!(
        escapes("def f(calls):\n    ask()\n    if x:\n        answer()\n"),
        [(ExitKind::End, 0)]
    );
}

#[test]
fn ways_on_which_nothing_is_owed() {
    assert!(escapes("def f(calls):\n    ask()\n    if not calls:\n        return\n    answer()\n").is_empty());
    assert!(escapes("def f(calls):\n    ask()\n    if calls and x:\n        answer()\n").len() == 1);
    assert!(escapes("def f(calls):\n    ask()\n    if calls:\n        answer()\n").is_empty());
}

#[test]
fn a_loop_over_everything() {
    let source = "
def f(calls):
    ask()
    for call in calls:
        if call.bad:
            continue
        answer(call)
";
    assert_eq!(escapes(source), [(ExitKind::Continue, 6)]);
    assert!(escapes(&source.replace("continue", "pass")).is_empty());
    assert_eq!(escapes(&source.replace("continue", "break")), [(ExitKind::Break, 6)]);
    assert_eq!(escapes(&source.replace("continue", "raise E")), [(ExitKind::Raise, 6)]);
    let nested = source.replace(
        "        answer(call)",
        "        if call.good:\n            answer(call)",
    );
    assert_eq!(
        escapes(&nested),
        [(ExitKind::Continue, 6), (ExitKind::NextIteration, 4)]
    );
}

#[test]
fn a_loop_over_something_else_may_run_for_nothing() {
    let source = "def f(calls):\n    ask()\n    for r in results:\n        answer(r)\n";
    assert_eq!(escapes(source), [(ExitKind::End, 0)]);
}

#[test]
fn the_next_round() {
    let source = "
def f(calls):
    while True:
        ask()
        if x:
            continue
        answer()
";
    assert_eq!(escapes(source), [(ExitKind::Continue, 6)]);
    assert_eq!(escapes(&source.replace("continue", "break")), [(ExitKind::Break, 6)]);
    let first_thing = "
def f(calls):
    while True:
        if calls:
            answer()
        ask()
";
    assert!(escapes(first_thing).is_empty());
    let never = "
def f(calls):
    for _ in range(9):
        ask()
        if x:
            answer()
            return
";
    assert_eq!(escapes(never), [(ExitKind::End, 0), (ExitKind::NextIteration, 3)]);
}

#[test]
fn errors_that_are_caught() {
    let source = "
def f(calls):
    ask()
    try:
        out = run()
    except Exception:
        return None
    answer(out)
";
    assert_eq!(escapes(source), [(ExitKind::Return, 7)]);
    assert!(escapes(&source.replace("return None", "out = ''")).is_empty());
    assert!(escapes(&source.replace("run()", "1")).is_empty());
}

#[test]
fn an_answer_that_fails_is_none() {
    let source = "
def f(calls):
    try:
        ask()
        answer(run())
    except Exception:
        return None
";
    assert_eq!(escapes(source), [(ExitKind::Return, 7)]);
}

#[test]
fn what_always_runs() {
    let source = "
def f(calls):
    try:
        ask()
        if x:
            return None
    finally:
        answer()
";
    assert!(escapes(source).is_empty());
}

#[test]
fn errors_that_nothing_catches() {
    let source = "def f(calls):\n    ask()\n    out = run()\n    answer(out)\n";
    let module = module(source);
    let paths = Paths::of(&module, function(&module, "f"));
    let of = |name| paths.stmt_of(call(&module, name)).expect("it is in the function");
    let detour = Detour {
        through: &[of("answer")],
        complete: &|_| false,
        harmless: &|_, _| false,
    };
    let exits = paths.escapes(of("ask"), &detour);
    let found: Vec<_> = exits.iter().map(|exit| (exit.kind, exit.at, exit.implicit)).collect();
    assert_eq!(
        found,
        [
            (ExitKind::Raise, Some(of("run")), true),
            (ExitKind::Raise, Some(of("answer")), true)
        ]
    );
}

#[test]
fn statements_that_leave_a_loop() {
    let source = "
def f(calls):
    for call in calls:
        ask(call)
        for x in call:
            break
        if bad:
            break
        if worse:
            return
";
    let module = module(source);
    let paths = Paths::of(&module, function(&module, "f"));
    let inside = paths.stmt_of(call(&module, "ask")).expect("it is in the function");
    let outer = paths.enclosing_loops(inside).next().expect("a loop is around it");
    let lines: Vec<_> = paths
        .early_exits(outer)
        .into_iter()
        .filter_map(|exit| exit.at)
        .map(|at| paths.stmt(at).place.start.line)
        .collect();
    assert_eq!(lines, [8, 10]);
}
