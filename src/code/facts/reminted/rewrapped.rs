//! Contents that are kept by a compaction and become messages again, each under a new id.

use super::{RemintKind, Reminted};
use crate::code::facts::Facts;
use crate::code::facts::constructions::made_with;
use crate::code::flow::graph::Flow;
use crate::code::flow::reach::{Direction, reach};
use crate::code::ir::ExprKind;
use crate::code::project::ExprRef;
use crate::code::vocabulary::Field;
use crate::finding::Confidence;

impl Facts<'_> {
    /// `chat.setHistory(kept.map((content) => ({ id: uuid(), content })))` where a history was made shorter:
    /// every message that stays is another one from here on.
    pub(super) fn rewrapped(&self, list: ExprRef) -> Option<Reminted> {
        let ExprKind::Comprehension { element, clauses, .. } = self.kind(list) else {
            return None;
        };
        let made = self.beside(list, *element);
        if !matches!(self.kind(made), ExprKind::Dict(_)) {
            return None;
        }
        let [clause] = &clauses[..] else { return None };
        let fields = made_with(self, made);
        let ((_, id), (_, content)) = (
            self.field_of(&fields, Field::Id)?,
            self.field_of(&fields, Field::Content)?,
        );
        let (id, content) = (*id, *content);
        let whole = match (self.kind(content), self.kind(self.beside(list, clause.target))) {
            (ExprKind::Name(content), ExprKind::Name(item)) => content == item,
            _ => false,
        };
        let kept = self.beside(list, clause.iter);
        let ExprKind::Name(name) = self.kind(kept) else {
            return None;
        };
        let named = self.vocabulary.history_name(name).is_some();
        let owner = &self.project.function(self.owner(list)).name;
        let shorter = whole && clause.conditions.is_empty() && named && self.vocabulary.shortens(owner);
        (shorter && self.is_chance(id) && self.replaces_history(list)).then_some(Reminted {
            at: id,
            of: Some(kept),
            kind: RemintKind::Rewrapped,
            confidence: Confidence::Medium,
        })
    }

    /// Whether a list is handed to a method that puts it in the place of a history.
    fn replaces_history(&self, list: ExprRef) -> bool {
        let ways = reach(&self.graph, self.node(list), Direction::Forward, |flow, _, held, _| {
            held.is_empty() && flow == Flow::Same
        });
        let mut given = ways.iter().filter_map(|one| self.graph.as_expr(one.node));
        given.any(|at| {
            let Some((callee, _)) = self.graph.around(at).and_then(|call| self.call(call)) else {
                return false;
            };
            callee != at
                && matches!(self.kind(callee), ExprKind::Attribute { name, .. } if self.vocabulary.sets_history(name))
        })
    }
}
