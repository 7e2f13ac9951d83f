//! Under which conditions a message is written into a history.

use super::{Facts, Kept, Snapshot, SnapshotOf};
use crate::code::flow::graph::{Flow, Origin};
use crate::code::flow::paths::Guard;
use crate::code::flow::reach::{Direction, reach};
use crate::code::ir::{CompareOp, ExprKind};
use crate::code::project::ExprRef;
use crate::finding::Confidence;

/// How many callers up a condition is looked for.
pub(super) const CALLERS: usize = 3;

impl Facts<'_> {
    /// Whether a message is written only if something about the history, or something that is
    /// remembered, allows it: a presence check, a latch, a threshold.
    pub(crate) fn is_conditional(&self, kept: &Kept) -> bool {
        if self.loop_run_out(kept.at).is_some() {
            return true;
        }
        self.guards_around(kept.at, CALLERS).into_iter().any(|(at, guard)| {
            let cond = self.beside(at, guard.cond);
            let behind = reach(&self.graph, self.node(cond), Direction::Backward, |flow, _, _, _| {
                !matches!(flow, Flow::Select)
            });
            let asks = self
                .up_to_settings(&behind)
                .any(|one| match self.graph.origin(one.node) {
                    Origin::Field(class, _) => !self.only_holds(one, &behind) && !self.is_setting(*class, one.node),
                    Origin::Expr(expr) => self.is_history(*expr) || self.asks_about_history(*expr),
                    _ => self
                        .histories()
                        .confidence(one.node)
                        .is_some_and(|sure| sure >= Confidence::Medium),
                });
            asks && !self.opens_again(&behind)
        })
    }

    fn is_history(&self, expr: ExprRef) -> bool {
        self.histories()
            .confidence(self.node(expr))
            .is_some_and(|sure| sure >= Confidence::Medium)
    }

    /// Whether an expression is a call that is given a history.
    fn asks_about_history(&self, expr: ExprRef) -> bool {
        let Some((_, args)) = self.call(expr) else { return false };
        args.iter().any(|arg| self.is_history(self.beside(expr, arg.value)))
    }

    /// Whether a message is written only when what it tells is another than what was told before: it
    /// tells of a change, then.
    pub(crate) fn tells_change(&self, kept: &Kept, snapshot: &Snapshot) -> bool {
        let of_snapshot = |expr: ExprRef| {
            self.made_of(self.node(expr))
                .iter()
                .any(|one| self.graph.as_expr(one.node) == Some(snapshot.at))
        };
        self.guards_around(kept.at, CALLERS).into_iter().any(|(at, guard)| {
            let cond = self.beside(at, guard.cond);
            let ExprKind::Compare {
                op: CompareOp::Eq | CompareOp::NotEq,
                left,
                right,
            } = self.kind(cond)
            else {
                return false;
            };
            let (left, right) = (self.beside(cond, *left), self.beside(cond, *right));
            [(left, right), (right, left)]
                .into_iter()
                .any(|(now, before)| self.is_remembered(before) && of_snapshot(now) && of_snapshot(before))
        })
    }

    /// Whether a message is written once, when what it tells has passed a limit: that is an event.
    pub(crate) fn tells_passing(&self, kept: &Kept, snapshot: &Snapshot) -> bool {
        // A time that has come is not a limit, nor are the rounds of a loop.
        if matches!(snapshot.of, SnapshotOf::Volatile(..)) {
            return false;
        }
        let compares = |cond: ExprRef| {
            let ExprKind::Compare { op, left, right } = self.kind(cond) else {
                return false;
            };
            let ordered = matches!(
                op,
                CompareOp::Less | CompareOp::LessEq | CompareOp::Greater | CompareOp::GreaterEq
            );
            let mut sides = [*left, *right].into_iter().map(|side| self.beside(cond, side));
            ordered
                && sides.any(|side| {
                    let made_of = self.made_of(self.node(side));
                    made_of
                        .iter()
                        .any(|one| self.graph.as_expr(one.node) == Some(snapshot.at))
                })
        };
        let guards = self.guards_around(kept.at, CALLERS);
        let mut conditions = guards
            .iter()
            .map(|(at, guard)| self.beside(*at, guard.cond))
            .flat_map(|cond| match self.kind(cond) {
                ExprKind::Logic { all: true, operands } => {
                    operands.iter().map(|operand| self.beside(cond, *operand)).collect()
                }
                _ => vec![cond],
            });
        conditions.any(compares) && self.is_conditional(kept)
    }

    /// Whether an expression reads what an object keeps.
    fn is_remembered(&self, expr: ExprRef) -> bool {
        let behind = reach(&self.graph, self.node(expr), Direction::Backward, |flow, _, held, _| {
            held.is_empty() && matches!(flow, Flow::Same)
        });
        behind
            .iter()
            .any(|one| matches!(self.graph.origin(one.node), Origin::Field(..)))
    }

    /// What holds where an expression is evaluated, in its function and in those that call it.
    pub(super) fn guards_around(&self, expr: ExprRef, callers: usize) -> Vec<(ExprRef, Guard)> {
        let owner = self.owner(expr);
        let own = self.paths.function(owner).guards(expr.expr);
        let mut found: Vec<(ExprRef, Guard)> = own.into_iter().map(|guard| (expr, guard)).collect();
        if callers > 0
            && let [only] = self.project.callers_of(owner)
        {
            let call = ExprRef {
                module: only.caller.module,
                expr: only.call,
            };
            found.extend(self.guards_around(call, callers - 1));
        }
        found
    }
}
