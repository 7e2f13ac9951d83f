//! Single messages of a list: new ones, edited ones, markers that remove.

use super::{Composer, Segment};
use crate::code::facts::fields::{assigned, field_read};
use crate::code::flow::graph::{Flow, Origin};
use crate::code::flow::reach::{Direction, reach};
use crate::code::ir::ExprKind;
use crate::code::project::ExprRef;
use crate::code::vocabulary::Field;

impl Composer<'_, '_> {
    pub(super) fn element(&mut self, expr: ExprRef) -> Segment {
        let facts = self.facts;
        let behind = reach(
            &facts.graph,
            facts.node(expr),
            Direction::Backward,
            |flow, _, held, _| held.is_empty() && matches!(flow, Flow::Same | Flow::Leave(_) | Flow::Enter(_)),
        );
        let mut made = None;
        for one in &behind {
            let Some(at) = facts.graph.as_expr(one.node) else {
                continue;
            };
            if let Some(construction) = facts.construction(at) {
                if construction.removal {
                    return if self.removes_all(construction.id) {
                        Segment::Clear
                    } else {
                        Segment::Removal
                    };
                }
                if construction.base.is_some() || construction.id.is_some_and(|id| self.is_id_of_other(id)) {
                    return Segment::Kept(expr);
                }
                made = made.or(Some(Segment::New(expr)));
                continue;
            }
            let elements = facts
                .graph
                .incoming(one.node)
                .iter()
                .any(|edge| edge.flow == Flow::Element && facts.histories().confidence(edge.node).is_some());
            if elements {
                return Segment::Kept(expr);
            }
            if let ExprKind::Call { idiom: None, .. } = facts.kind(at)
                && facts.project.callees_of(at).is_empty()
            {
                made = made.or(Some(Segment::New(expr)));
            }
        }
        made.unwrap_or(Segment::Unknown)
    }

    pub(super) fn removes_all(&self, id: Option<ExprRef>) -> bool {
        let Some(id) = id else { return false };
        let named = self
            .facts
            .path(id)
            .is_some_and(|path| self.facts.vocabulary.is_remove_all_name(&path));
        let text = self.facts.project.constant(id);
        named || text.is_some_and(|text| self.facts.vocabulary.is_remove_all_literal(&text))
    }

    /// Whether an id is read from another message.
    pub(super) fn is_id_of_other(&self, id: ExprRef) -> bool {
        let mut open = vec![id];
        while let Some(expr) = open.pop() {
            match self.facts.kind(expr) {
                ExprKind::Attribute { name, .. } if self.facts.vocabulary.field(name) == Some(Field::Id) => {
                    return true;
                }
                ExprKind::Name(_) => {
                    for edge in self.facts.graph.incoming(self.facts.node(expr)) {
                        if edge.flow == Flow::Same
                            && let Some(target) = self.facts.graph.as_expr(edge.node)
                            && let Some(value) = assigned(self.facts, target)
                            && !matches!(self.facts.kind(value), ExprKind::Name(_))
                        {
                            open.push(value);
                        }
                    }
                }
                ExprKind::Logic { operands, .. } => {
                    open.extend(operands.iter().map(|operand| self.facts.beside(expr, *operand)));
                }
                ExprKind::Index { index, .. } => {
                    let key = self.facts.text(self.facts.beside(expr, *index));
                    if key.is_some_and(|key| self.facts.vocabulary.field(key) == Some(Field::Id)) {
                        return true;
                    }
                }
                _ => {}
            }
        }
        false
    }

    /// `state["messages"]`, `state.messages`, `state.get("messages", [])` of a state that is a parameter.
    pub(super) fn is_state_read(&self, expr: ExprRef) -> bool {
        let Some((base, key)) = field_read(self.facts, expr) else {
            return false;
        };
        if key != *self.key {
            return false;
        }
        let mut root = base;
        while let ExprKind::Attribute { base, .. } = self.facts.kind(root) {
            root = self.facts.beside(root, *base);
        }
        matches!(self.facts.kind(root), ExprKind::Name(_))
            && self
                .facts
                .graph
                .incoming(self.facts.node(root))
                .iter()
                .any(|edge| edge.flow == Flow::Same && matches!(self.facts.graph.origin(edge.node), Origin::Param(..)))
    }
}
