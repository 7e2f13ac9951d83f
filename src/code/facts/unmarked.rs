//! Texts of the program's own that are stored as words of the person.

use super::{Construction, Durability, Facts, Keeper};
use crate::code::ir::ExprKind;
use crate::code::project::ExprRef;
use crate::code::vocabulary::{Field, Role};

impl Facts<'_> {
    /// Stored messages in the person's role whose text the program wrote, with nothing that tells them
    /// from the person's: the place that stores each, and the message.
    pub(crate) fn unmarked_injections(&self) -> Vec<(ExprRef, ExprRef)> {
        let mut found = Vec::new();
        for made in self.constructions() {
            let skip = self.module(made.expr.module).is_test || made.removal || made.base.is_some();
            if skip || made.role != Some(Role::User) || made.is_tool_result(self) || !self.is_bare(made) {
                continue;
            }
            let Some(content) = made.content.filter(|content| self.is_fixed_text(*content, Role::User)) else {
                continue;
            };
            if self.is_tagged(content) || self.stands_beside_rules(made.expr) {
                continue;
            }
            let Durability::Durable(kept) = self.durability(made.expr) else {
                continue;
            };
            let stays = kept
                .iter()
                .find(|kept| kept.keeper != Keeper::Caller && !self.opens_list(kept) && !self.is_taken_out(kept));
            found.extend(stays.map(|kept| (kept.enters, made.expr)));
        }
        found
    }

    /// Whether a message has nothing but a role, a content and what every message has.
    fn is_bare(&self, made: &Construction) -> bool {
        made.fields
            .iter()
            .all(|(name, value)| match self.vocabulary.field(name) {
                Some(Field::Role(_) | Field::Content) => true,
                // An id that says what the message is marks it.
                Some(Field::Id) => self.project.constant(*value).is_none(),
                _ => false,
            })
    }

    /// Whether a message stands in a display with the one that sets the rules: a conversation is opened.
    fn stands_beside_rules(&self, made: ExprRef) -> bool {
        let Some(list) = self.graph.around(made) else {
            return false;
        };
        match self.kind(list) {
            ExprKind::List { items, .. } => items.iter().any(|item| {
                let beside = self.construction(self.beside(list, item.value));
                beside.is_some_and(|beside| beside.role == Some(Role::System))
            }),
            _ => false,
        }
    }

    /// Whether a text begins or ends as text that a program marks: `<reminder>…`, `[system] …`.
    fn is_tagged(&self, content: ExprRef) -> bool {
        let reached = self.made_of(self.node(content));
        let mut texts = reached
            .iter()
            .filter_map(|one| self.text(self.graph.as_expr(one.node)?));
        texts.any(|text| {
            let text = text.trim();
            text.starts_with(['<', '[', '#', '(', '*']) || text.ends_with(['>', ']'])
        })
    }
}
