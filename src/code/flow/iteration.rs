//! What a loop runs over: the list behind `reversed(list(enumerate(xs)))` and its kin, and in which
//! direction.

use crate::code::ir::{BinaryOp, ExprId, ExprKind, Intrinsic, Literal, Module};

/// A way through a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Iteration {
    /// The list.
    pub(crate) list: ExprId,
    /// Whether the newest element comes first.
    pub(crate) backward: bool,
    /// Whether the order is another than the list's (sorted, a set).
    pub(crate) reordered: bool,
    /// Whether each item is a pair of position and element.
    pub(crate) pairs: bool,
    /// Whether each item is a position.
    pub(crate) positions: bool,
    /// Where a range of positions starts (with `backward`, at the newest end), if not at the list's end.
    pub(crate) from: Option<ExprId>,
    /// The lists of a `zip`, in order.
    pub(crate) zipped: Vec<ExprId>,
}

impl Iteration {
    fn over(list: ExprId) -> Self {
        Self {
            list,
            backward: false,
            reordered: false,
            pairs: false,
            positions: false,
            from: None,
            zipped: Vec::new(),
        }
    }
}

/// The way that a loop over `iter` takes; `None` when it runs over no list (a range of plain numbers).
pub(crate) fn iteration(module: &Module, iter: ExprId) -> Option<Iteration> {
    match module.kind(iter) {
        ExprKind::Call { idiom: Some(idiom), .. } => {
            let first = *idiom.operands.first()?;
            match idiom.op {
                Intrinsic::Reversed => {
                    let mut inner = iteration(module, first)?;
                    inner.backward = !inner.backward;
                    Some(inner)
                }
                Intrinsic::Copy | Intrinsic::Pass => iteration(module, first),
                Intrinsic::Sorted | Intrinsic::ToSet => {
                    let mut inner = iteration(module, first)?;
                    inner.reordered = true;
                    Some(inner)
                }
                Intrinsic::Enumerate => {
                    let mut inner = iteration(module, first)?;
                    inner.pairs = true;
                    Some(inner)
                }
                Intrinsic::Range => range(module, &idiom.operands),
                Intrinsic::Zip => {
                    let mut inner = iteration(module, first)?;
                    inner.zipped.clone_from(&idiom.operands);
                    Some(inner)
                }
                _ => Some(Iteration::over(iter)),
            }
        }
        ExprKind::Slice {
            base,
            start: None,
            end: None,
            step: Some(step),
        } if is_minus_one(module, *step) => {
            let mut inner = iteration(module, *base)?;
            inner.backward = !inner.backward;
            Some(inner)
        }
        // A part of the pairs still has the positions of the whole list: `xs.iter().enumerate().skip(1)`.
        ExprKind::Slice {
            base,
            start: Some(start),
            end: None,
            step: None,
        } if iteration(module, *base).is_some_and(|inner| inner.pairs) => {
            let mut inner = iteration(module, *base)?;
            inner.from = inner.from.or(Some(*start));
            Some(inner)
        }
        _ => Some(Iteration::over(iter)),
    }
}

/// `range(len(xs))`, `range(len(xs) - 1, -1, -1)`, `range(a, len(xs))`, `range(a, -1, -1)`.
fn range(module: &Module, operands: &[ExprId]) -> Option<Iteration> {
    let (from, to, step) = match operands {
        [to] => (None, *to, None),
        [from, to] => (Some(*from), *to, None),
        [from, to, step] => (Some(*from), *to, Some(*step)),
        _ => return None,
    };
    let backward = step.is_some_and(|step| is_negative(module, step));
    let length = [Some(to), from]
        .into_iter()
        .flatten()
        .find_map(|bound| length_of(module, bound))?;
    let mut iteration = Iteration::over(length);
    iteration.positions = true;
    iteration.backward = backward;
    iteration.from = from.filter(|from| {
        if backward {
            !is_last(module, *from)
        } else {
            !is_zero(module, *from)
        }
    });
    Some(iteration)
}

/// The list whose length an expression is, or is computed from: `len(xs)`, `len(xs) - 1`.
fn length_of(module: &Module, expr: ExprId) -> Option<ExprId> {
    match module.kind(expr) {
        ExprKind::Call { idiom: Some(idiom), .. } if idiom.op == Intrinsic::Len => idiom.operands.first().copied(),
        ExprKind::Call { idiom: Some(idiom), .. } if matches!(idiom.op, Intrinsic::Min | Intrinsic::Max) => {
            idiom.operands.iter().find_map(|operand| length_of(module, *operand))
        }
        ExprKind::Binary { left, right, .. } => length_of(module, *left).or_else(|| length_of(module, *right)),
        _ => None,
    }
}

/// `len(xs) - 1`.
fn is_last(module: &Module, expr: ExprId) -> bool {
    matches!(module.kind(expr), ExprKind::Binary { op: BinaryOp::Sub, left, right }
        if matches!(module.kind(*left), ExprKind::Call { idiom: Some(idiom), .. } if idiom.op == Intrinsic::Len)
            && matches!(module.kind(*right), ExprKind::Literal(Literal::Int(1))))
}

fn is_zero(module: &Module, expr: ExprId) -> bool {
    matches!(module.kind(expr), ExprKind::Literal(Literal::Int(0)))
}

fn is_minus_one(module: &Module, expr: ExprId) -> bool {
    integer(module, expr) == Some(-1)
}

fn is_negative(module: &Module, expr: ExprId) -> bool {
    integer(module, expr).is_some_and(|value| value < 0)
}

/// The value of an integer literal, with its sign.
pub(crate) fn integer(module: &Module, expr: ExprId) -> Option<i64> {
    match module.kind(expr) {
        ExprKind::Literal(Literal::Int(value)) => Some(*value),
        ExprKind::Binary {
            op: BinaryOp::Sub,
            left,
            right,
        } => Some(integer(module, *left)?.checked_sub(integer(module, *right)?)?),
        _ => None,
    }
}
