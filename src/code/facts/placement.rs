//! Where an element stands in the list that it is put into.

use super::Facts;
use crate::code::flow::graph::{Flow, Part};
use crate::code::flow::reach::{Direction, reach};
use crate::code::ir::{BinaryOp, ExprKind, Intrinsic};
use crate::code::project::ExprRef;

/// A place in a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    /// Nothing stands behind it there.
    pub(crate) last: bool,
    /// It stands beside a part of a history that was cut.
    pub(crate) beside_part: bool,
}

impl Facts<'_> {
    /// The place of an element in the display or by the call that puts it there.
    pub(crate) fn place(&self, at: ExprRef, by: ExprRef) -> Place {
        match self.kind(by) {
            ExprKind::Call { idiom: Some(idiom), .. } => {
                let last = idiom.op == Intrinsic::Append;
                Place {
                    last,
                    beside_part: self.is_cut(self.beside(by, idiom.operands[0])),
                }
            }
            ExprKind::List { items, .. } => {
                let index = items
                    .iter()
                    .position(|item| item.value == at.expr)
                    .unwrap_or(items.len());
                let others = items.iter().filter(|item| item.spread && item.value != at.expr);
                let beside_part = others.clone().any(|item| self.is_cut(self.beside(by, item.value)));
                let (left, right) = self.joined(by);
                let operands = left.iter().chain(&right);
                Place {
                    last: index + 1 >= items.len() && right.is_empty(),
                    beside_part: beside_part || operands.clone().any(|operand| self.is_cut(*operand)),
                }
            }
            _ => Place {
                last: false,
                beside_part: false,
            },
        }
    }

    /// Whether a display holds nothing but one message and is not joined with another list.
    pub(crate) fn is_alone(&self, by: ExprRef) -> bool {
        let (left, right) = self.joined(by);
        matches!(self.kind(by), ExprKind::List { items, .. } if items.len() == 1) && left.is_empty() && right.is_empty()
    }

    /// What a display is joined with by `+`: left and right of it.
    fn joined(&self, display: ExprRef) -> (Vec<ExprRef>, Vec<ExprRef>) {
        let (mut left, mut right) = (Vec::new(), Vec::new());
        let mut inner = display;
        while let Some(outer) = self.graph.around(inner) {
            let ExprKind::Binary {
                op: BinaryOp::Add,
                left: one,
                right: other,
            } = self.kind(outer)
            else {
                break;
            };
            if *one == inner.expr {
                right.push(self.beside(outer, *other));
            } else {
                left.push(self.beside(outer, *one));
            }
            inner = outer;
        }
        (left, right)
    }

    /// Whether a list is a stretch of a longer one.
    fn is_cut(&self, list: ExprRef) -> bool {
        let mut cut = false;
        let _ = reach(&self.graph, self.node(list), Direction::Backward, |flow, _, held, _| {
            cut |= held.is_empty() && flow == Flow::Part(Part::Slice);
            held.is_empty() && matches!(flow, Flow::Same | Flow::Leave(_) | Flow::Part(Part::Copy))
        });
        cut
    }

    /// Whether two slices of one list meet at a position, so that what stands between them is put there.
    pub(crate) fn is_split_around(&self, slice: ExprRef, other: ExprRef) -> bool {
        let outer = |expr: ExprRef| {
            let mut outer = expr;
            while let Some(next) = self.graph.around(outer)
                && matches!(
                    self.kind(next),
                    ExprKind::Binary { op: BinaryOp::Add, .. } | ExprKind::List { .. }
                )
            {
                outer = next;
            }
            outer
        };
        slice != other && slice.module == other.module && outer(slice) == outer(other) && outer(slice) != slice
    }
}
