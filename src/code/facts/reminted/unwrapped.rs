//! Contents that were taken out of their messages and become messages of the same list again.

use super::{RemintKind, Reminted};
use crate::code::facts::Facts;
use crate::code::facts::constructions::made_with;
use crate::code::facts::fields::field_read;
use crate::code::flow::graph::{Flow, Node, Part};
use crate::code::flow::reach::{Direction, Reached, reach};
use crate::code::ir::ExprKind;
use crate::code::project::ExprRef;
use crate::code::vocabulary::Field;
use crate::finding::Confidence;

impl Facts<'_> {
    /// `{ id: uuid(), content: item }`, where the list of items was made of the contents of the messages
    /// of the list that this one is put into: each of them had an id until it was unwrapped.
    pub(super) fn unwrapped(&self, wrapped: ExprRef) -> Option<Reminted> {
        let fields = made_with(self, wrapped);
        if fields.len() != 2 {
            return None;
        }
        let (_, id) = self.field_of(&fields, Field::Id)?;
        let (name, content) = self.field_of(&fields, Field::Content)?;
        if !matches!(self.kind(*content), ExprKind::Name(_)) || !self.is_chance(*id) {
            return None;
        }
        let from = self.moved_to(self.node(*content));
        let mut taken = from.iter().filter(|one| one.held.is_empty()).filter_map(|one| {
            let at = self.graph.as_expr(one.node)?;
            let (base, read) = field_read(self, at)?;
            (read == *name).then_some((at, base))
        });
        let (at, _) = taken.find(|(_, base)| {
            let stored = self.moved_to(self.node(*base));
            stored.iter().any(|one| one.node == self.node(wrapped))
        })?;
        Some(Reminted {
            at: *id,
            of: Some(at),
            kind: RemintKind::Unwrapped,
            confidence: Confidence::High,
        })
    }

    /// Where a value comes from, with nothing done to it but being put into lists and fields and taken out.
    fn moved_to(&self, start: Node) -> Vec<Reached> {
        reach(&self.graph, start, Direction::Backward, |flow, _, held, _| match flow {
            Flow::Same | Flow::Element | Flow::Load(_) | Flow::Enter(_) | Flow::Leave(_) | Flow::Select => true,
            // A list is none of its elements, and an object is none of its fields.
            Flow::Into | Flow::Store(_) => !held.is_empty(),
            Flow::Part(part) => part != Part::Map,
            _ => false,
        })
    }
}
