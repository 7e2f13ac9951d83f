//! Reads of fields, the words that they are compared with, and what a variable is given.

use crate::code::facts::Facts;
use crate::code::ir::{ExprKind, Intrinsic, Name, StmtKind};
use crate::code::project::ExprRef;

/// The subject and the name of a read of a field: `m.role`, `m["role"]`, `m.get("role")`,
/// `getattr(m, "role", None)`.
pub(crate) fn field_read(facts: &Facts, expr: ExprRef) -> Option<(ExprRef, Name)> {
    match facts.kind(expr) {
        ExprKind::Attribute { base, name } if &**name == "value" => field_read(facts, facts.beside(expr, *base)),
        ExprKind::Attribute { base, name } => Some((facts.beside(expr, *base), name.clone())),
        ExprKind::Index { base, index } => {
            let key = facts.text(facts.beside(expr, *index))?;
            Some((facts.beside(expr, *base), key.clone()))
        }
        ExprKind::Call { idiom: Some(idiom), .. } => match (idiom.op, &idiom.operands[..]) {
            (Intrinsic::Get | Intrinsic::GetAttribute, [base, key, ..]) => {
                let key = facts.text(facts.beside(expr, *key))?;
                Some((facts.beside(expr, *base), key.clone()))
            }
            (Intrinsic::TextOp | Intrinsic::ToText, [text, ..]) => field_read(facts, facts.beside(expr, *text)),
            _ => None,
        },
        _ => None,
    }
}

/// The words that an expression stands for: a literal, a member of an enumeration, or a display of
/// them.
pub(crate) fn words_of(facts: &Facts, expr: ExprRef) -> Vec<Name> {
    match facts.kind(expr) {
        ExprKind::List { items, .. } => items
            .iter()
            .flat_map(|item| words_of(facts, facts.beside(expr, item.value)))
            .collect(),
        ExprKind::Attribute { base, name } if &**name == "value" => words_of(facts, facts.beside(expr, *base)),
        ExprKind::Attribute { name, .. } => vec![name.clone()],
        ExprKind::Name(_) => facts.project.constant(expr).into_iter().collect(),
        _ => facts.text(expr).cloned().into_iter().collect(),
    }
}

/// The value that an assignment gives to a target.
pub(crate) fn assigned(facts: &Facts, target: ExprRef) -> Option<ExprRef> {
    let paths = facts.paths.function(facts.owner(target));
    match &paths.stmt(paths.stmt_of(target.expr)?).kind {
        StmtKind::Assign { targets, value, .. } if targets.contains(&target.expr) => Some(facts.beside(target, *value)),
        _ => None,
    }
}
