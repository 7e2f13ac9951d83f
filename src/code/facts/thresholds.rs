//! Warnings that are stored whenever a count is over a limit.

use super::{Applied, Durability, Facts, Keeper, Occasion};
use crate::code::flow::paths::Guard;
use crate::code::ir::{CompareOp, ExprKind};
use crate::code::project::ExprRef;
use crate::code::vocabulary::{Role, Runs};

impl Facts<'_> {
    /// Messages that are stored at every call past a limit: the place that stores each, and the test.
    pub(crate) fn unlatched_warnings(&self) -> Vec<(ExprRef, ExprRef)> {
        let mut found = Vec::new();
        for made in self.constructions() {
            if self.module(made.expr.module).is_test || made.removal || made.base.is_some() {
                continue;
            }
            let fixed = made
                .role
                .filter(|role| matches!(role, Role::System | Role::User))
                .zip(made.content);
            if !fixed.is_some_and(|(role, content)| self.is_fixed_text(content, role)) {
                continue;
            }
            let Durability::Durable(kept) = self.durability(made.expr) else {
                continue;
            };
            for kept in kept {
                let passing = kept.keeper == Keeper::Caller || kept.applied == Some(Applied::Replace);
                let often = self.runs(kept.enters).is_some_and(|runs| runs >= Runs::Call);
                if passing
                    || !often
                    || self.opens_list(&kept)
                    || self.is_taken_out(&kept)
                    || self.ends_its_loop(kept.enters)
                {
                    continue;
                }
                if let Some(test) = self.only_thresholds(kept.enters) {
                    found.push((kept.enters, test));
                    break;
                }
            }
        }
        found
    }

    /// The test of a limit on the way to an expression, where everything else that is tested there is
    /// settled.
    fn only_thresholds(&self, at: ExprRef) -> Option<ExprRef> {
        let mut test = None;
        for (place, guard) in self.guards_around(at, 2) {
            if self.is_threshold(place, guard) {
                test = test.or(Some(self.beside(place, guard.cond)));
            } else if self.occasion(place, guard) != Occasion::Settled {
                return None;
            }
        }
        test
    }

    /// A count or a share that is over a limit, and stays so.
    fn is_threshold(&self, at: ExprRef, guard: Guard) -> bool {
        let cond = self.beside(at, guard.cond);
        let ordered = matches!(
            self.kind(cond),
            ExprKind::Compare {
                op: CompareOp::Less | CompareOp::LessEq | CompareOp::Greater | CompareOp::GreaterEq,
                ..
            }
        );
        ordered && self.occasion(at, guard) == Occasion::Remembered
    }

    /// Whether the loop around an expression is left behind it.
    fn ends_its_loop(&self, at: ExprRef) -> bool {
        let paths = self.paths.function(self.owner(at));
        let Some(stmt) = paths.stmt_of(at.expr) else {
            return false;
        };
        paths.enclosing_loops(stmt).next().is_some() && !paths.completes(paths.following(stmt))
    }
}
