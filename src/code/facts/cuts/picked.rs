//! Lists that were picked from a history by a test.

use super::Finder;
use crate::code::flow::graph::{Flow, Origin};
use crate::code::flow::predicate::{Kinds, Subject};
use crate::code::flow::reach::{Direction, reach};
use crate::code::ir::ExprKind;
use crate::code::project::ExprRef;

impl Finder<'_, '_> {
    /// Whether everything that becomes a list was picked from others by a test that neither calls nor
    /// results pass.
    pub(super) fn is_sorted_out(&self, list: ExprRef) -> bool {
        let facts = self.facts;
        let mut picked = false;
        let behind = reach(
            &facts.graph,
            facts.node(list),
            Direction::Backward,
            |flow, _, held, next| {
                let expr = facts.graph.as_expr(next);
                if expr.is_some_and(|expr| self.picks_words(expr)) {
                    picked = true;
                    return false;
                }
                let of_test = expr.is_some_and(|expr| facts.is_test(expr));
                !of_test && held.is_empty() && matches!(flow, Flow::Same | Flow::Enter(_) | Flow::Part(_))
            },
        );
        let from_elsewhere = |node| match facts.graph.origin(node) {
            Origin::Param(function, _) => facts.project.callers_of(*function).is_empty(),
            Origin::Field(..) | Origin::Slot(..) => true,
            Origin::Expr(expr) => matches!(
                facts.kind(*expr),
                ExprKind::Call { idiom: None, .. } | ExprKind::Await(_)
            ),
            Origin::Variable(..) | Origin::Result(_) => false,
        };
        picked && !behind.iter().any(|one| from_elsewhere(one.node))
    }

    /// Whether an expression keeps the messages of a list that pass a test which lets only words through.
    fn picks_words(&self, expr: ExprRef) -> bool {
        let facts = self.facts;
        let ExprKind::Comprehension { clauses, .. } = facts.kind(expr) else {
            return false;
        };
        let [clause] = &clauses[..] else { return false };
        let ExprKind::Name(name) = facts.kind(facts.beside(expr, clause.target)) else {
            return false;
        };
        let subject = Subject::named(name.clone());
        clause.conditions.iter().any(|cond| {
            let predicate = facts.predicates.of(facts.beside(expr, *cond), &subject);
            !predicate.accepts.meets(Kinds::CALLS | Kinds::RESULTS) && !facts.has_user_results(expr.module)
        })
    }
}
