//! Values that are made once and kept.

use crate::code::flow::paths::{Guard, Paths, StmtId};
use crate::code::flow::predicate::same_spelling;
use crate::code::ir::{CompareOp, ExprId, ExprKind, FunctionId, Literal, Module, StmtKind};

/// Whether an expression is evaluated only while something is empty, which it then fills:
/// `if self._text is None: self._text = build()`.
pub(super) fn is_kept(module: &Module, paths: &Paths<'_>, function: FunctionId, expr: ExprId) -> bool {
    let Some(stmt) = paths.stmt_of(expr) else {
        return false;
    };
    let empty: Vec<ExprId> = paths
        .guards(expr)
        .into_iter()
        .filter_map(|guard| found_empty(module, guard))
        .filter(|&place| outlives(module, function, place))
        .collect();
    if empty.is_empty() {
        return false;
    }
    let filled = |stmt: &StmtId| {
        match &paths.stmt(*stmt).kind {
        StmtKind::Assign { targets, .. } => targets.iter().any(|&target| {
            empty.iter().any(|&place| {
                same_spelling(module, place, target)
                    || matches!(module.kind(target), ExprKind::Index { base, .. } if same_spelling(module, place, *base))
            })
        }),
        _ => false,
    }
    };
    filled(&stmt) || paths.following(stmt).iter().any(filled)
}

/// The place that a test found empty: `x is None`, `not x`, `key not in x`.
fn found_empty(module: &Module, guard: Guard) -> Option<ExprId> {
    match module.kind(guard.cond) {
        ExprKind::Compare { op, left, right } => {
            let is_none = matches!(module.kind(*right), ExprKind::Literal(Literal::None));
            match (op, guard.holds) {
                (CompareOp::Is | CompareOp::Eq, true) | (CompareOp::IsNot | CompareOp::NotEq, false) if is_none => {
                    Some(*left)
                }
                (CompareOp::NotIn, true) | (CompareOp::In, false) => Some(*right),
                _ => None,
            }
        }
        ExprKind::Name(_) | ExprKind::Attribute { .. } if !guard.holds => Some(guard.cond),
        _ => None,
    }
}

/// Whether a place is still there at the next run of the function.
fn outlives(module: &Module, function: FunctionId, place: ExprId) -> bool {
    match module.kind(place) {
        ExprKind::Attribute { .. } => true,
        ExprKind::Name(name) => module.function(function).outer_names.contains(name),
        _ => false,
    }
}
