//! System messages that end up behind what was said.

use super::composition::Segment;
use super::counted::Counted;
use super::edits::EditKind;
use super::{Applied, Construction, Facts, Update};
use crate::code::flow::graph::Flow;
use crate::code::flow::iteration::iteration;
use crate::code::flow::predicate::{Kinds, Subject};
use crate::code::flow::reach::{Direction, reach};
use crate::code::ir::{ExprKind, Literal};
use crate::code::project::{ExprRef, FuncRef};
use crate::code::vocabulary::{Fold, Role, Runs};
use crate::finding::Confidence;

/// A system message behind messages of the conversation.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LateSystem {
    /// The call that inserts it, or the message that an update appends.
    pub(crate) at: ExprRef,
    /// The count that is taken for an index.
    pub(crate) counted: Option<Counted>,
    /// How sure it is.
    pub(crate) confidence: Confidence,
}

impl Facts<'_> {
    /// All system messages that are put behind messages of the conversation.
    pub(crate) fn late_systems(&self) -> Vec<LateSystem> {
        let mut found = Vec::new();
        for (function, _) in self.project.functions() {
            found.extend(self.inserted_by_count(function));
        }
        let prompted = self.model_sends().iter().any(|send| send.system.is_some());
        if prompted && !self.hoists_system() {
            let updates = self.updates().iter();
            found.extend(updates.filter_map(|update| self.appended_system(update)));
        }
        found
    }

    /// `xs.insert(count, x)`, where system messages are counted wherever they stand in the list.
    fn inserted_by_count(&self, function: FuncRef) -> Vec<LateSystem> {
        let inserts = self
            .edits_in(function)
            .into_iter()
            .filter(|edit| edit.kind == EditKind::Insert);
        let late = inserts.filter_map(|edit| {
            let confidence = self.histories().confidence(self.node(edit.list))?;
            let counted = self.counted(edit.index?).filter(Counted::is_of_system)?;
            let same = self.histories().same(self.node(counted.list), self.node(edit.list));
            same.then_some(LateSystem {
                at: edit.site,
                counted: Some(counted),
                confidence,
            })
        });
        late.collect()
    }

    /// A system message that an update appends to a history that goes on.
    fn appended_system(&self, update: &Update) -> Option<LateSystem> {
        let often = update.runs.is_some_and(|runs| runs >= Runs::Turn);
        if !matches!(update.applied, Applied::Fold(Fold::MergeById | Fold::Append)) || !often {
            return None;
        }
        let module = self.module(update.expr.module);
        if module.is_test || self.vocabulary.accepts_system_anywhere(module) {
            return None;
        }
        let ways = self.composition(update.messages, &update.key);
        for way in ways.iter().filter(|way| !way.removes()) {
            let appended = way.segments.iter().filter_map(|segment| match segment {
                Segment::New(at) | Segment::Kept(at) => Some(*at),
                _ => None,
            });
            let appended: Vec<_> = appended.filter_map(|at| self.made_behind(at)).collect();
            // A system message before a question of its own opens a conversation.
            let opens = appended.first().is_some_and(|made| made.id.is_none())
                && appended.iter().skip(1).any(|made| made.role == Some(Role::User));
            let late = appended.iter().find(|made| made.role == Some(Role::System));
            if let Some(made) = late
                && !opens
                && !self.is_for_empty(made.expr)
                && !self.is_swapped_in(made.expr)
            {
                return Some(LateSystem {
                    at: made.expr,
                    counted: None,
                    confidence: update.confidence.min(Confidence::Medium),
                });
            }
        }
        None
    }

    /// The message that is made where a value comes from.
    pub(super) fn made_behind(&self, value: ExprRef) -> Option<&Construction> {
        let behind = reach(
            &self.graph,
            self.node(value),
            Direction::Backward,
            |flow, _, held, _| held.is_empty() && matches!(flow, Flow::Same | Flow::Leave(_)),
        );
        let mut made = behind
            .iter()
            .filter_map(|one| self.construction(self.graph.as_expr(one.node)?));
        made.next()
    }

    /// Whether a message takes the place of a question that may stand anywhere: that is the finding then.
    fn is_swapped_in(&self, made: ExprRef) -> bool {
        let mut swaps = self.swaps().iter();
        swaps.any(|swap| swap.taker == made && !self.is_swap_at_tail(swap))
    }

    /// Whether a place is reached only where a history is still empty.
    fn is_for_empty(&self, at: ExprRef) -> bool {
        let guards = self.paths.function(self.owner(at)).guards(at.expr);
        guards.iter().any(|guard| {
            let cond = self.beside(at, guard.cond);
            let is_history = |expr| self.histories().confidence(self.node(self.beside(at, expr))).is_some();
            match self.kind(cond) {
                ExprKind::Name(_) | ExprKind::Index { .. } | ExprKind::Attribute { .. } | ExprKind::Call { .. } => {
                    !guard.holds && is_history(guard.cond)
                }
                ExprKind::Compare { right, .. } => matches!(
                    self.kind(self.beside(at, *right)),
                    ExprKind::Literal(Literal::Int(0 | 1))
                ),
                _ => false,
            }
        })
    }

    /// Whether the project takes the system messages out of a list, to put them elsewhere: what is left
    /// is filtered beside them.
    fn hoists_system(&self) -> bool {
        let parts: Vec<(FuncRef, bool)> = self.exprs().filter_map(|expr| self.system_part(expr)).collect();
        parts
            .iter()
            .any(|(function, systems)| *systems && parts.iter().any(|(other, rest)| other == function && !rest))
    }

    /// A comprehension that keeps system messages alone (`true`), or all others.
    fn system_part(&self, expr: ExprRef) -> Option<(FuncRef, bool)> {
        let ExprKind::Comprehension { clauses, .. } = self.kind(expr) else {
            return None;
        };
        let [clause] = &clauses[..] else { return None };
        let [cond] = clause.conditions[..] else { return None };
        let module = self.module(expr.module);
        let over = iteration(module, clause.iter)?;
        self.histories().confidence(self.node(self.beside(expr, over.list)))?;
        let ExprKind::Name(subject) = module.kind(clause.target) else {
            return None;
        };
        let predicate = self
            .predicates
            .of(self.beside(expr, cond), &Subject::named(subject.clone()));
        let others = Kinds::USER | Kinds::ASSISTANT | Kinds::RESULTS;
        let systems = predicate.accepts.meets(Kinds::SYSTEM);
        let rest = predicate.accepts.meets(others);
        (systems != rest).then_some((self.owner(expr), systems))
    }
}
