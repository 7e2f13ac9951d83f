//! Messages that stand twice in what the model reads.

mod asked;
mod recalled;
mod resumed;
mod twice;
mod whole;

use super::Facts;
use crate::code::flow::graph::{Flow, Part};
use crate::code::flow::reach::{Direction, reach};
use crate::code::project::ExprRef;
use crate::finding::Confidence;

/// How a message comes to stand twice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DuplicateKind {
    /// The newest message is given to a model beside the whole list that ends with it.
    Beside,
    /// The list is given to a model as messages and as text.
    AsText,
    /// One message is put in one list at two places.
    Twice,
    /// A whole history is put in itself, or returned to a reducer that appends.
    Whole,
    /// What was stored is found by a look-up for itself.
    Recalled,
    /// The whole list is sent although the provider continues from what it keeps.
    Resumed,
}

/// One message, or one list, that stands twice.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Duplicate {
    /// How.
    pub(crate) kind: DuplicateKind,
    /// Where the second copy enters.
    pub(crate) at: ExprRef,
    /// Where the first one does.
    pub(crate) first: ExprRef,
    /// How sure it is.
    pub(crate) confidence: Confidence,
}

impl Facts<'_> {
    /// All messages and lists that stand twice.
    pub(crate) fn duplicates(&self) -> Vec<Duplicate> {
        let mut found = Vec::new();
        for expr in self.exprs().filter(|expr| !self.module(expr.module).is_test) {
            found.extend(self.asked_twice(expr));
        }
        for send in self.model_sends() {
            found.extend(self.resumed_with_all(send));
        }
        for update in self.updates() {
            found.extend(self.returned_whole(update));
        }
        for (function, _) in self.project.functions() {
            if self.project.is_test(function) {
                continue;
            }
            self.added_twice(function, &mut found);
            self.recalled_at_once(function, &mut found);
            self.extended_with_itself(function, &mut found);
        }
        found
    }

    /// Whether a list is, on some way, a part of another one.
    fn is_partial(&self, list: ExprRef) -> bool {
        let mut part = false;
        let _ = reach(&self.graph, self.node(list), Direction::Backward, |flow, _, held, _| {
            part |= held.is_empty() && matches!(flow, Flow::Part(Part::Slice | Part::Filter | Part::Map));
            held.is_empty()
                && matches!(
                    flow,
                    Flow::Same | Flow::Leave(_) | Flow::Enter(_) | Flow::Part(Part::Copy | Part::Concat)
                )
        });
        part
    }
}
