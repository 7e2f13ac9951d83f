//! Under which conditions a message is written into a history.

use rustc_hash::FxHashSet;

use super::{Facts, Kept, Snapshot, SnapshotOf};
use crate::code::flow::graph::{Flow, Node, Origin};
use crate::code::flow::paths::Guard;
use crate::code::flow::reach::{Direction, path, reach};
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

    /// Whether a message comes to the place that keeps it only where the history tells something else than
    /// what holds now: each one tells of a change, and takes the place of the one before.
    pub(crate) fn tells_difference(&self, made: ExprRef, kept: &Kept, snapshot: &Snapshot) -> bool {
        let way = reach(
            &self.graph,
            self.node(kept.enters),
            Direction::Backward,
            |flow, _, _, _| matches!(flow, Flow::Same | Flow::Into | Flow::Leave(_) | Flow::Store(_)),
        );
        let target = self.node(made);
        let Some(found) = way.iter().position(|one| one.node == target) else {
            return false;
        };
        let told = self.places_behind(snapshot.at);
        let places = path(&way, found)
            .into_iter()
            .filter_map(|node| self.graph.as_expr(node));
        places.into_iter().any(|at| self.is_under_difference(at, &told))
    }

    /// `if last_told(history) == digest(state): return` before an expression.
    fn is_under_difference(&self, at: ExprRef, told: &FxHashSet<Node>) -> bool {
        let module = self.module(at.module);
        let guards = self.paths.function(self.owner(at)).guards(at.expr);
        let mut compared = guards.iter().flat_map(|guard| module.inside(guard.cond));
        compared.any(|inner| match module.kind(inner) {
            ExprKind::Compare {
                op: CompareOp::Eq | CompareOp::NotEq,
                left,
                right,
            } => {
                let (left, right) = (self.beside(at, *left), self.beside(at, *right));
                [(left, right), (right, left)]
                    .into_iter()
                    .any(|(before, now)| self.comes_from_history(before) && !self.places_behind(now).is_disjoint(told))
            }
            _ => false,
        })
    }

    /// The places outside a function's own names that a value is made of.
    fn places_behind(&self, value: ExprRef) -> FxHashSet<Node> {
        let behind = reach(&self.graph, self.node(value), Direction::Backward, |flow, _, _, _| {
            !matches!(flow, Flow::Select | Flow::Test)
        });
        let places = behind.iter().filter(|one| {
            matches!(
                self.graph.origin(one.node),
                Origin::Param(..) | Origin::Field(..) | Origin::Slot(..)
            )
        });
        places.map(|one| one.node).collect()
    }

    fn comes_from_history(&self, value: ExprRef) -> bool {
        let behind = reach(&self.graph, self.node(value), Direction::Backward, |flow, _, _, _| {
            !matches!(flow, Flow::Select | Flow::Test | Flow::Length)
        });
        let mut exprs = behind.iter().filter_map(|one| self.graph.as_expr(one.node));
        exprs.any(|expr| self.is_history(expr) || self.asks_about_history(expr))
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
