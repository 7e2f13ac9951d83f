//! Bounds that note how far something has come: what was seen, sent or written before. They choose no
//! part of a history by its size.

use crate::code::facts::Facts;
use crate::code::flow::graph::Node;
use crate::code::flow::graph::{Flow, Origin};
use crate::code::flow::iteration::iteration;
use crate::code::flow::reach::{Direction, reach};
use crate::code::ir::{BinaryOp, ExprKind, Literal, StmtKind};
use crate::code::project::ExprRef;

/// Whether an attribute holds the length that a list had at some moment: `self.seen = len(xs)`.
pub(super) fn is_length(facts: &Facts, attribute: ExprRef) -> bool {
    let is_other = |node: Node| match facts.graph.origin(node) {
        Origin::Expr(expr) => match facts.kind(*expr) {
            ExprKind::Literal(literal) => *literal != Literal::Int(0),
            ExprKind::Binary { .. } => true,
            _ => false,
        },
        _ => false,
    };
    let (mut lengths, mut others) = (false, false);
    // One other value decides it: many attributes hold what half the project hands on.
    reach(
        &facts.graph,
        facts.node(attribute),
        Direction::Backward,
        |flow, _, held, next| {
            lengths |= held.is_empty() && flow == Flow::Length;
            let follows = !others && held.is_empty() && matches!(flow, Flow::Same | Flow::Enter(_) | Flow::Leave(_));
            others |= follows && is_other(next);
            follows
        },
    );
    lengths && !others
}

/// Whether a number is the step of a count of messages that a loop over them has done with:
/// `for m in xs: write(m); n += 1`.
pub(super) fn is_step(facts: &Facts, number: ExprRef) -> bool {
    let paths = facts.paths.function(facts.owner(number));
    let Some(stmt) = paths.stmt_of(number.expr) else {
        return false;
    };
    let counts = matches!(paths.stmt(stmt).kind,
        StmtKind::Update { op: BinaryOp::Add, value, .. } if value == number.expr);
    let mut loops = paths.enclosing_loops(stmt).filter(|_| counts);
    loops.next().is_some_and(|around| match paths.stmt(around).kind {
        StmtKind::For { iter, .. } => iteration(facts.module(number.module), iter).is_some_and(|over| {
            let list = facts.node(facts.beside(number, over.list));
            facts.histories().confidence(list).is_some()
        }),
        _ => false,
    })
}
