//! What was injected is remembered, but not as long as the history keeps it.

use super::{Facts, Reminder, Repeats};
use crate::code::flow::graph::Flow;
use crate::code::flow::paths::Guard;
use crate::code::flow::reach::{Direction, reach};
use crate::code::ir::{CompareOp, ExprKind, StmtKind};
use crate::code::project::ExprRef;
use crate::code::vocabulary::Role;
use crate::finding::Confidence;

impl Facts<'_> {
    /// Messages of the program that are left out only where a set says so which a request takes with it.
    pub(crate) fn short_latches(&self) -> Vec<Reminder> {
        let ours = self.constructions().iter().filter(|made| {
            let injected = matches!(made.role, Some(Role::System | Role::User)) && made.content.is_some();
            injected && !made.removal && !self.is_test(made.expr)
        });
        let found = ours.filter_map(|made| {
            let guards = self.paths.function(self.owner(made.expr)).guards(made.expr.expr);
            let forgets = guards.iter().any(|guard| self.is_of_request(made.expr, *guard));
            forgets.then_some(Reminder {
                made: made.expr,
                at: made.expr,
                repeats: Repeats::Forgotten,
            })
        });
        found.collect()
    }

    /// `if source in shown: continue`, where `shown` lives as long as the request and is not filled from
    /// the history.
    fn is_of_request(&self, at: ExprRef, guard: Guard) -> bool {
        let cond = self.beside(at, guard.cond);
        let ExprKind::Compare { op, right, .. } = self.kind(cond) else {
            return false;
        };
        let absent = matches!((op, guard.holds), (CompareOp::In, false) | (CompareOp::NotIn, true));
        if !absent {
            return false;
        }
        let set = self.node(self.beside(cond, *right));
        let behind = reach(&self.graph, set, Direction::Backward, |flow, _, _, _| {
            flow != Flow::Select
        });
        let scoped = behind.iter().any(|one| {
            let expr = self.graph.as_expr(one.node);
            let made = expr
                .and_then(|expr| self.call(expr))
                .and_then(|(callee, _)| self.path(callee));
            made.is_some_and(|path| self.vocabulary.is_request_scope(&path))
        });
        let known = || {
            let mut nodes = behind.iter();
            nodes.any(|one| {
                self.histories().confidence(one.node).is_some()
                    || self
                        .graph
                        .as_expr(one.node)
                        .is_some_and(|expr| self.is_read_from_history(expr))
            })
        };
        scoped && !known()
    }

    /// Whether an expression calls a function that goes through a history: what it gives says what stands there.
    fn is_read_from_history(&self, call: ExprRef) -> bool {
        self.project.callees_of(call).iter().any(|callee| {
            let paths = self.paths.function(*callee);
            paths.stmts().any(|stmt| match paths.stmt(stmt).kind {
                StmtKind::For { iter, .. } => {
                    let list = ExprRef {
                        module: callee.module,
                        expr: iter,
                    };
                    let near = self.histories().near(&self.graph, self.node(list));
                    near.confidence.is_some_and(|sure| sure >= Confidence::Medium)
                }
                _ => false,
            })
        })
    }
}
