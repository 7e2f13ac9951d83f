//! How a message is spelled where a condition asks about it.

use super::denote::Denotes;
use crate::code::ir::{ExprId, ExprKind, Literal, Module, Name};

/// The spellings of one message: a variable, an element by its position.
#[derive(Clone, Debug, Default)]
pub(crate) struct Subject {
    names: Vec<Name>,
    spellings: Vec<ExprId>,
    /// A list and the variable with the position in it.
    positions: Vec<(ExprId, Name)>,
    /// What of the message it is.
    pub(super) part: Denotes,
}

impl Subject {
    /// A variable.
    pub(crate) fn named(name: Name) -> Self {
        Self {
            names: vec![name],
            ..Self::default()
        }
    }

    /// A variable that holds something of the message.
    pub(super) fn holding(name: Name, part: Denotes) -> Self {
        Self {
            part,
            ..Self::named(name)
        }
    }

    /// Whatever is spelled like this expression: `message`, `messages[-1]`.
    pub(crate) fn spelled(module: &Module, expr: ExprId) -> Self {
        match module.kind(expr) {
            ExprKind::Name(name) => Self::named(name.clone()),
            _ => Self {
                spellings: vec![expr],
                ..Self::default()
            },
        }
    }

    /// The element of `list` at the position in a variable.
    #[must_use]
    pub(crate) fn or_at(mut self, list: ExprId, position: Name) -> Self {
        self.positions.push((list, position));
        self
    }

    /// Whether an expression of the subject's module is the message.
    pub(super) fn is(&self, module: &Module, expr: ExprId) -> bool {
        match module.kind(expr) {
            ExprKind::Name(name) if self.names.contains(name) => return true,
            ExprKind::Index { base, index } => {
                let at_position = self.positions.iter().any(|(list, position)| {
                    matches!(module.kind(*index), ExprKind::Name(name) if name == position)
                        && same_spelling(module, *base, *list)
                });
                if at_position {
                    return true;
                }
            }
            _ => {}
        }
        self.spellings
            .iter()
            .any(|&spelling| same_spelling(module, spelling, expr))
    }

    /// Whether a variable holds the message's position.
    pub(super) fn is_position(&self, name: &Name) -> bool {
        self.positions.iter().any(|(_, position)| position == name)
    }
}

/// Whether two expressions are spelled alike, so that they mean the same unless something changed in
/// between: names, attributes, indices, literals and sums of them.
pub(crate) fn same_spelling(module: &Module, a: ExprId, b: ExprId) -> bool {
    if a == b {
        return true;
    }
    let same = |a: &ExprId, b: &ExprId| same_spelling(module, *a, *b);
    match (module.kind(a), module.kind(b)) {
        (ExprKind::Name(a), ExprKind::Name(b)) => a == b,
        (ExprKind::Attribute { base: a, name }, ExprKind::Attribute { base: b, name: other }) => {
            name == other && same(a, b)
        }
        (ExprKind::Index { base: a, index }, ExprKind::Index { base: b, index: other }) => {
            same(a, b) && same(index, other)
        }
        (ExprKind::Literal(Literal::Float), _) => false,
        (ExprKind::Literal(a), ExprKind::Literal(b)) => a == b,
        (
            ExprKind::Binary { op, left, right },
            ExprKind::Binary {
                op: other_op,
                left: other_left,
                right: other_right,
            },
        ) => op == other_op && same(left, other_left) && same(right, other_right),
        _ => false,
    }
}
