//! Several items that are taken out of a list, and what replaces them put in at the place of the first.

use super::{FixedInsert, OrderLost};
use crate::code::facts::Facts;
use crate::code::flow::iteration::iteration;
use crate::code::flow::predicate::same_spelling;
use crate::code::ir::{Clause, CompareOp, ExprId, ExprKind, Intrinsic, Module, Name, StmtKind};
use crate::code::project::{ExprRef, FuncRef};
use crate::finding::Confidence;

impl Facts<'_> {
    /// `kept = xs.filter((x) => !gone.has(x.id)); at = xs.findIndex((x) => gone.has(x.id));
    /// kept.splice(at, 0, ...added)`, in what works on a context: whatever stood between two of those that are
    /// gone comes behind all that replaces them.
    pub(super) fn replaced_at_first(&self, function: FuncRef) -> Vec<FixedInsert> {
        if !self.works_on_context(function) {
            return Vec::new();
        }
        let module = self.module(function.module);
        let paths = self.paths.function(function);
        let at = |expr: ExprId| ExprRef {
            module: function.module,
            expr,
        };
        let only = |expr: ExprId| match module.kind(expr) {
            ExprKind::Name(name) => self.project.only_value(function, name).map(|value| value.expr),
            _ => None,
        };
        let mut found = Vec::new();
        for stmt in paths.stmts() {
            let StmtKind::Assign { targets, value, .. } = &paths.stmt(stmt).kind else {
                continue;
            };
            let [target] = targets[..] else { continue };
            let ExprKind::Slice {
                base,
                start: Some(start),
                end: Some(end),
                ..
            } = module.kind(target)
            else {
                continue;
            };
            let one =
                matches!(module.kind(*value), ExprKind::List { items, .. } if items.len() == 1 && !items[0].spread);
            if one || !same_spelling(module, *start, *end) {
                continue;
            }
            let (Some(kept), Some(index)) = (only(*base), only(*start)) else {
                continue;
            };
            let rest =
                clause_of(module, kept).and_then(|clause| Some((list_of(module, clause)?, asked(module, clause)?)));
            let first = first_of(module, index).and_then(|search| {
                let clause = clause_of(module, search)?;
                Some((list_of(module, clause)?, asked(module, clause)?))
            });
            if let (Some((list, (gone, false))), Some((other, (also, true)))) = (rest, first)
                && gone == also
                && same_spelling(module, list, other)
            {
                found.push(FixedInsert {
                    at: at(target),
                    repeated: at(*value),
                    lost: OrderLost::Replaced,
                    confidence: Confidence::Medium,
                });
            }
        }
        found
    }

    /// Whether the names around a function say that it works on what a model reads.
    fn works_on_context(&self, function: FuncRef) -> bool {
        let module = self.module(function.module);
        let ir = self.project.function(function);
        let class = ir.class.map(|class| &module.class(class).name);
        let names = class.into_iter().chain([&ir.name]);
        names.into_iter().any(|name| self.vocabulary.is_about_context(name))
    }
}

fn clause_of(module: &Module, expr: ExprId) -> Option<&Clause> {
    match module.kind(expr) {
        ExprKind::Comprehension { clauses, .. } => match &clauses[..] {
            [clause] => Some(clause),
            _ => None,
        },
        _ => None,
    }
}

fn list_of(module: &Module, clause: &Clause) -> Option<ExprId> {
    iteration(module, clause.iter)
        .filter(|over| !over.backward)
        .map(|over| over.list)
}

/// The search whose first match a value is.
fn first_of(module: &Module, expr: ExprId) -> Option<ExprId> {
    match module.kind(expr) {
        ExprKind::Call { idiom: Some(idiom), .. } if idiom.op == Intrinsic::First => idiom.operands.first().copied(),
        _ => None,
    }
}

/// The set that the only condition of a clause looks an item up in, and whether the item must be there.
fn asked<'m>(module: &'m Module, clause: &Clause) -> Option<(&'m Name, bool)> {
    let [cond] = clause.conditions[..] else { return None };
    let (cond, holds) = match module.kind(cond) {
        ExprKind::Not(inner) => (*inner, false),
        _ => (cond, true),
    };
    let ExprKind::Compare { op, right, .. } = module.kind(cond) else {
        return None;
    };
    let ExprKind::Name(set) = module.kind(*right) else {
        return None;
    };
    match op {
        CompareOp::In => Some((set, holds)),
        CompareOp::NotIn => Some((set, !holds)),
        _ => None,
    }
}
