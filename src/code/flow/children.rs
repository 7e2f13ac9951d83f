//! The expressions inside an expression.

use crate::code::ir::{ExprId, ExprKind, Module, TemplatePart, written};

impl Module {
    /// The expressions directly inside an expression, in the order of the source. A lambda's body is
    /// a function of its own.
    pub(crate) fn children(&self, expr: ExprId) -> Vec<ExprId> {
        match self.kind(expr) {
            ExprKind::Name(_) | ExprKind::Literal(_) | ExprKind::Lambda(_) => Vec::new(),
            ExprKind::Attribute { base, .. } => vec![*base],
            ExprKind::Index { base, index } => vec![*base, *index],
            ExprKind::Slice { base, start, end, step } => std::iter::once(*base)
                .chain([start, end, step].into_iter().flatten().copied())
                .collect(),
            ExprKind::Call { callee, args, .. } => std::iter::once(*callee)
                .chain(written(args).map(|arg| arg.value))
                .collect(),
            ExprKind::List { items, .. } => items.iter().map(|item| item.value).collect(),
            ExprKind::Dict(entries) => entries
                .iter()
                .flat_map(|(key, value)| key.iter().copied().chain([*value]))
                .collect(),
            ExprKind::Comprehension {
                element,
                value,
                clauses,
                ..
            } => {
                let inner = clauses.iter().flat_map(|clause| {
                    [clause.target, clause.iter]
                        .into_iter()
                        .chain(clause.conditions.iter().copied())
                });
                std::iter::once(*element).chain(*value).chain(inner).collect()
            }
            ExprKind::Binary { left, right, .. } | ExprKind::Compare { left, right, .. } => vec![*left, *right],
            ExprKind::Logic { operands, .. } => operands.clone(),
            ExprKind::Not(value) | ExprKind::Await(value) => vec![*value],
            ExprKind::TypeTest { value, types } => std::iter::once(*value).chain(types.iter().copied()).collect(),
            ExprKind::Conditional { cond, then, otherwise } => vec![*cond, *then, *otherwise],
            ExprKind::Template(parts) => parts
                .iter()
                .filter_map(|part| match part {
                    TemplatePart::Value { value, .. } => Some(*value),
                    TemplatePart::Text(_) => None,
                })
                .collect(),
            ExprKind::Yield(value) => value.iter().copied().collect(),
            ExprKind::Bind { target, value } => vec![*target, *value],
            ExprKind::Other(children) => children.clone(),
        }
    }

    /// An expression and all that is inside it, in no order that means anything.
    pub(crate) fn inside(&self, expr: ExprId) -> impl Iterator<Item = ExprId> + '_ {
        let mut open = vec![expr];
        std::iter::from_fn(move || {
            let expr = open.pop()?;
            open.extend(self.children(expr));
            Some(expr)
        })
    }
}
