//! Searches for what the person said that look at the role alone, where the program puts messages of its
//! own in the same role and marks them.

use super::{Durability, Facts, Keeper, Pick, UseKind};
use crate::code::flow::predicate::Asks;
use crate::code::project::ExprRef;
use crate::code::vocabulary::{Field, Role};
use crate::finding::Confidence;

/// One such search.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RoleOnly {
    /// The search.
    pub(crate) at: ExprRef,
    /// The message that it may find instead.
    pub(crate) injected: ExprRef,
    /// How sure it is that they are in one history.
    pub(crate) confidence: Confidence,
}

impl Facts<'_> {
    /// All of a project.
    pub(crate) fn role_only_searches(&self) -> Vec<RoleOnly> {
        let injected = self.marked_messages();
        let mut found = Vec::new();
        for scan in self.scans() {
            let newest = scan.pick == Pick::Newest && scan.constant.is_none() && !self.is_test(scan.site);
            if !newest || scan.confidence < Confidence::Medium {
                continue;
            }
            let sought = self.sought(scan);
            if !sought.is_user() || !Asks::ROLE.has(sought.asks) {
                continue;
            }
            let mixed = injected
                .iter()
                .find(|(enters, _)| self.histories().same(self.node(*enters), self.node(scan.list)));
            let Some((_, message)) = mixed else { continue };
            let asks = self
                .uses_of_found(scan)
                .into_iter()
                .any(|one| matches!(one.kind, UseKind::Query { .. } | UseKind::ModelText { .. }));
            if asks {
                found.push(RoleOnly {
                    at: scan.site,
                    injected: *message,
                    confidence: Confidence::Medium,
                });
            }
        }
        found
    }

    /// Messages of the program's own in the person's role that it marks, each with the list that keeps it.
    fn marked_messages(&self) -> Vec<(ExprRef, ExprRef)> {
        let mut found = Vec::new();
        for made in self.constructions() {
            let plain = made.role == Some(Role::User) && made.base.is_none() && !made.is_tool_result(self);
            let marked = made.field(self, |field| field == Field::Marker).is_some();
            if !plain || !marked || self.is_test(made.expr) {
                continue;
            }
            let fixed = made
                .content
                .is_some_and(|content| self.is_fixed_text(content, Role::User));
            if !fixed {
                continue;
            }
            if let Durability::Durable(kept) = self.durability(made.expr) {
                let lists = kept.iter().filter(|kept| kept.keeper != Keeper::Caller);
                found.extend(lists.filter_map(|kept| Some((self.list_of(kept.enters)?, made.expr))));
            }
        }
        found
    }
}
