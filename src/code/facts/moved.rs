//! The newest question, where it is taken out of its list by what it says and not by where it stands.

use super::edits::EditKind;
use super::{Facts, Pick};
use crate::code::flow::graph::Flow;
use crate::code::flow::predicate::same_spelling;
use crate::code::flow::reach::{Direction, reach};
use crate::code::project::{ExprRef, FuncRef};
use crate::finding::Confidence;

/// A question that is moved to the end of its list.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Moved {
    /// The removal of whatever equals it.
    pub(crate) removed: ExprRef,
    /// Where it is put back.
    pub(crate) again: ExprRef,
    /// Where it was found.
    pub(crate) found: ExprRef,
    /// How sure it is.
    pub(crate) confidence: Confidence,
}

impl Facts<'_> {
    /// All questions that are moved to the end by what they say.
    pub(crate) fn moved_by_value(&self) -> Vec<Moved> {
        let functions = self.project.functions();
        functions.flat_map(|(function, _)| self.moved_in(function)).collect()
    }

    /// `xs.remove(newest)`, `xs.append(newest)`: an older message that says the same goes, and the newest
    /// stays where it was.
    fn moved_in(&self, function: FuncRef) -> Vec<Moved> {
        let edits = self.edits_in(function);
        let module = self.module(function.module);
        let removals = edits.iter().filter(|edit| edit.kind == EditKind::RemoveValue);
        let moved = removals.filter_map(|removal| {
            let value = removal.value?;
            let again = edits.iter().find(|edit| {
                edit.kind == EditKind::Append
                    && same_spelling(module, edit.list.expr, removal.list.expr)
                    && edit
                        .value
                        .is_some_and(|again| same_spelling(module, again.expr, value.expr))
                    && self.is_before(removal.site, edit.site)
            })?;
            Some(Moved {
                removed: removal.site,
                again: again.site,
                found: self.newest_found(value)?,
                confidence: self.near_history(removal.list)?,
            })
        });
        moved.collect()
    }

    /// Where a message was found from the newest end, if it was.
    fn newest_found(&self, value: ExprRef) -> Option<ExprRef> {
        let behind = reach(
            &self.graph,
            self.node(value),
            Direction::Backward,
            |flow, _, held, _| held.is_empty() && matches!(flow, Flow::Same | Flow::Leave(_)),
        );
        let mut scans = self.scans().iter().filter(|scan| {
            let end = if self.is_turned(scan.list) {
                Pick::Oldest
            } else {
                Pick::Newest
            };
            scan.pick == end
                && scan
                    .results
                    .iter()
                    .any(|result| behind.iter().any(|one| one.node == *result))
        });
        scans.next().map(|scan| scan.site)
    }
}
