use super::build;
use crate::code::flow::graph::Node;
use crate::code::flow::reach::{Direction, reach};
use crate::code::flow::testing::{call_in, project};
use crate::code::ir::{ExprKind, Literal};
use crate::code::project::Project;

/// The text literals that may reach the first argument of `take`, as they are.
fn taken(source: &str) -> Vec<String> {
    let project: Project = project(&[("snippet.py", source)]);
    let graph = build(&project);
    let call = call_in(&project, "take");
    let module = project.module(call.module);
    let ExprKind::Call { args, .. } = module.kind(call.expr) else {
        unreachable!("`call_in` finds calls")
    };
    let argument = (0..graph.len() as u32).map(Node).find(|node| {
        graph
            .as_expr(*node)
            .is_some_and(|expr| expr.module == call.module && expr.expr == args[0].value)
    });
    let behind = reach(
        &graph,
        argument.expect("every expression has a node"),
        Direction::Backward,
        |_, _, _, _| true,
    );
    let mut texts: Vec<String> = behind
        .iter()
        .filter(|one| one.held.is_empty() && !one.via.element && one.via.load.is_none())
        .filter_map(|one| match module.kind(graph.as_expr(one.node)?.expr) {
            ExprKind::Literal(Literal::Str(text)) => Some(text.to_string()),
            _ => None,
        })
        .collect();
    texts.sort();
    texts.dedup();
    texts
}

#[test]
fn a_pair_that_a_loop_takes_apart_is_an_element_of_the_list() {
    let pairs = "pairs = [('first', 'second')]\n";
    // A pattern takes lists apart as well as pairs, so that both elements may be meant.
    assert_eq!(
        taken(&format!("{pairs}for a, b in pairs:\n    take(b)\n")),
        ["first", "second"]
    );
    assert_eq!(
        taken(&format!("{pairs}take([b for a, b in pairs][0])\n")),
        ["first", "second"]
    );
    assert_eq!(taken(&format!("{pairs}for a in pairs:\n    take(a)\n")), [""; 0]);
}

#[test]
fn a_pair_that_is_assigned_is_taken_apart_at_once() {
    assert_eq!(taken("a, b = 'first', 'second'\ntake(a)\n"), ["first"]);
}
