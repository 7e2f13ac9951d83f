//! Messages made of objects that say themselves what is in them: an interface asks every kind of note
//! for its role and its content, and one method of the interface makes the message.

use super::Facts;
use super::constructions::{Construction, role_of};
use crate::code::ir::{Arg, ExprId, ExprKind, Literal, Module, Name, Stmt, StmtKind};
use crate::code::project::{ClassRef, ExprRef};
use crate::code::vocabulary::last_segment;

/// How many methods may hand a text on to each other.
const HOPS: u32 = 4;

/// The message that a call makes of the object it is given, where the class of the object is known.
pub(super) fn rendered(facts: &Facts, expr: ExprRef, path: &str, args: &[Arg]) -> Option<Construction> {
    let rendering = facts.vocabulary.rendering(path, facts.frameworks(expr.module))?;
    let object = facts.beside(expr, args.first()?.value);
    let class = facts.project.class_of(object)?;
    let bases = facts.project.bases(class);
    let is_kind = |base: &Name| {
        let interface = last_segment(base);
        rendering.interfaces.iter().any(|name| name == interface)
    };
    if !bases.iter().any(is_kind) {
        return None;
    }
    let mut made = Construction::of(expr);
    made.typed = true;
    made.content = Some(said_by(facts, class, &rendering.content)?);
    if let Some(role) = said_by(facts, class, &rendering.role) {
        made.role = role_of(facts, role);
        made.fields.push((Name::from(rendering.role.as_str()), role));
    }
    if let Some(marks) = said_by(facts, class, &rendering.marks) {
        made.lacks_marks = is_empty(facts, marks, HOPS);
        if !made.lacks_marks {
            made.fields.push((Name::from(rendering.marks.as_str()), marks));
        }
    }
    Some(made)
}

/// What a method of a class gives, where that is one expression.
fn said_by(facts: &Facts, class: ClassRef, method: &str) -> Option<ExprRef> {
    let function = facts.project.method(class, method)?;
    let module = facts.module(function.module);
    let value = returned(&module.function(function.function).body)?;
    Some(ExprRef {
        module: function.module,
        expr: value,
    })
}

/// The one value that a body returns.
fn returned(body: &[Stmt]) -> Option<ExprId> {
    match body.last()?.kind {
        StmtKind::Return(value) => value,
        _ => None,
    }
}

/// Whether a value is no text at all, however many times.
fn is_empty(facts: &Facts, value: ExprRef, hops: u32) -> bool {
    match facts.kind(value) {
        ExprKind::Literal(Literal::Str(text)) => text.is_empty(),
        ExprKind::List { items, .. } => items
            .iter()
            .all(|item| is_empty(facts, facts.beside(value, item.value), hops)),
        ExprKind::Call { .. } if hops > 0 => match facts.project.callees_of(value) {
            [function] => {
                let module: &Module = facts.module(function.module);
                returned(&module.function(function.function).body).is_some_and(|expr| {
                    let inside = ExprRef {
                        module: function.module,
                        expr,
                    };
                    is_empty(facts, inside, hops - 1)
                })
            }
            _ => false,
        },
        _ => facts.project.constant(value).is_some_and(|text| text.is_empty()),
    }
}
