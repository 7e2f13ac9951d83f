//! One message that is put in one list at two places, both of which run.

use super::{Duplicate, DuplicateKind};
use crate::code::facts::Facts;
use crate::code::facts::edits::{Edit, EditKind};
use crate::code::flow::paths::{Guard, When};
use crate::code::flow::predicate::same_spelling;
use crate::code::ir::{ExprId, ExprKind, Intrinsic, Item, Name, StmtKind};
use crate::code::project::{ExprRef, FuncRef};

/// One message that is put in a list.
#[derive(Clone, Copy)]
struct Added {
    site: ExprRef,
    list: ExprId,
    value: ExprRef,
    /// Whether the list itself grows; a display is another list.
    grows: bool,
}

impl Facts<'_> {
    pub(super) fn added_twice(&self, function: FuncRef, found: &mut Vec<Duplicate>) {
        let added = self.added_in(function);
        for (at, second) in added.iter().enumerate() {
            let first = added[..at]
                .iter()
                .find(|first| self.is_same_again(function, first, second));
            let Some(first) = first else { continue };
            let list = ExprRef {
                module: function.module,
                expr: first.list,
            };
            if let Some(confidence) = self.near_history(list) {
                found.push(Duplicate {
                    kind: DuplicateKind::Twice,
                    at: second.site,
                    first: first.site,
                    confidence,
                });
            }
        }
    }

    /// What a function puts in lists: by a call, or in a display that goes on where a list ends.
    fn added_in(&self, function: FuncRef) -> Vec<Added> {
        let paths = self.paths.function(function);
        let module = self.module(function.module);
        let at = |expr: ExprId| ExprRef {
            module: function.module,
            expr,
        };
        let mut added: Vec<Added> = self
            .edits_in(function)
            .into_iter()
            .filter(|edit| matches!(edit.kind, EditKind::Append))
            .filter_map(|edit| {
                Some(Added {
                    site: edit.site,
                    list: edit.list.expr,
                    value: edit.value?,
                    grows: true,
                })
            })
            .collect();
        for expr in paths.stmts().flat_map(|stmt| paths.own_exprs_in(stmt)) {
            if let ExprKind::List { items, .. } = module.kind(expr) {
                let spread = items.iter().find(|item| item.spread);
                let values = |item: &&Item| !item.spread;
                if let Some(spread) = spread {
                    added.extend(items.iter().filter(values).map(|item| Added {
                        site: at(expr),
                        list: spread.value,
                        value: at(item.value),
                        grows: false,
                    }));
                }
            }
        }
        added.sort_by_key(|one| self.span(one.site).start);
        added
    }

    /// Whether a message is put in a list again that holds it already.
    fn is_same_again(&self, function: FuncRef, first: &Added, second: &Added) -> bool {
        let module = self.module(function.module);
        if !first.grows || first.site == second.site || !self.is_same_list(function, first, second) {
            return false;
        }
        let Some(name) = self.same_message(first.value, second.value) else {
            return false;
        };
        self.is_before(first.site, second.site)
            && self.is_unchanged(function, &name, first.site, second.site)
            && !self.is_shortened_between(function, first, second)
            && !self.excludes(function, first.site, second.site)
            && !matches!(module.kind(first.list), ExprKind::List { .. })
    }

    /// Whether both lists are one, or the second is a copy that was made behind the first addition.
    fn is_same_list(&self, function: FuncRef, first: &Added, second: &Added) -> bool {
        let module = self.module(function.module);
        if same_spelling(module, first.list, second.list) {
            return !matches!(module.kind(first.list), ExprKind::Name(name)
                if !self.is_unchanged(function, name, first.site, second.site));
        }
        let ExprKind::Name(copy) = module.kind(second.list) else {
            return false;
        };
        let paths = self.paths.function(function);
        let [made] = self.definitions(function, copy)[..] else {
            return false;
        };
        let StmtKind::Assign { value, .. } = &paths.stmt(made).kind else {
            return false;
        };
        let of = match module.kind(*value) {
            ExprKind::Call { idiom: Some(idiom), .. } if matches!(idiom.op, Intrinsic::Copy | Intrinsic::Pass) => {
                idiom.operands.first().copied()
            }
            ExprKind::List { items, .. } => match &items[..] {
                [only] if only.spread => Some(only.value),
                _ => None,
            },
            _ => None,
        };
        let value = ExprRef {
            module: function.module,
            expr: *value,
        };
        of.is_some_and(|of| same_spelling(module, of, first.list)) && self.is_before(first.site, value)
    }

    /// The variable that makes two messages one: they are it, or are made with its text in the same role.
    fn same_message(&self, first: ExprRef, second: ExprRef) -> Option<Name> {
        let module = self.module(first.module);
        let name = |expr: ExprRef| match module.kind(expr.expr) {
            ExprKind::Name(name) => Some(name.clone()),
            _ => None,
        };
        if let (Some(one), Some(other)) = (name(first), name(second)) {
            return (one == other).then_some(one);
        }
        let made = self.construction(first).zip(self.construction(second));
        let Some((one, other)) = made else {
            return self.made_alike(first, second);
        };
        let content = name(one.content?)?;
        let same = one.role.is_some()
            && one.role == other.role
            && one.fields.len() == other.fields.len()
            && name(other.content?)? == content;
        same.then_some(content)
    }

    /// The variable that two calls of one function are given alike, with everything else.
    fn made_alike(&self, first: ExprRef, second: ExprRef) -> Option<Name> {
        let module = self.module(first.module);
        let same = |a: ExprId, b: ExprId| same_condition(module, self.uncopied(first, a), self.uncopied(second, b));
        let ((made, args), (other, others)) = (self.call(first)?, self.call(second)?);
        let makes = matches!(module.kind(made.expr), ExprKind::Name(_) | ExprKind::Attribute { .. });
        let alike = makes
            && same(made.expr, other.expr)
            && args.len() == others.len()
            && args
                .iter()
                .zip(others)
                .all(|(a, b)| a.name == b.name && same(a.value, b.value));
        let mut names = args
            .iter()
            .filter_map(|arg| match module.kind(self.uncopied(first, arg.value)) {
                ExprKind::Name(name) => Some(name.clone()),
                _ => None,
            });
        names.next().filter(|_| alike)
    }

    /// A value without the copying around it.
    fn uncopied(&self, beside: ExprRef, value: ExprId) -> ExprId {
        match self.kind(self.beside(beside, value)) {
            ExprKind::Call { idiom: Some(idiom), .. } if matches!(idiom.op, Intrinsic::Copy | Intrinsic::DeepCopy) => {
                idiom.operands.first().copied().unwrap_or(value)
            }
            _ => value,
        }
    }

    /// Whether the second place asks a flag that is set where the first one runs.
    fn is_noted(&self, function: FuncRef, first: ExprRef, other: &[Guard]) -> bool {
        let paths = self.paths.function(function);
        let module = self.module(function.module);
        let Some(stmt) = paths.stmt_of(first.expr) else {
            return false;
        };
        paths
            .siblings(stmt)
            .iter()
            .any(|beside| match &paths.stmt(*beside).kind {
                StmtKind::Assign { targets, .. } => targets
                    .iter()
                    .any(|flag| other.iter().any(|guard| same_spelling(module, *flag, guard.cond))),
                _ => false,
            })
    }

    /// Whether the tests on the way to one place rule out the other, or either is left at once.
    fn excludes(&self, function: FuncRef, first: ExprRef, second: ExprRef) -> bool {
        let paths = self.paths.function(function);
        let module = self.module(function.module);
        let (one, other) = (paths.guards(first.expr), paths.guards(second.expr));
        let denies = |a: &Guard, b: &Guard| a.holds != b.holds && same_condition(module, a.cond, b.cond);
        let exclusive = paths
            .order(first.expr, second.expr)
            .is_none_or(|order| order.when == When::Exclusive);
        let left = paths.stmt_of(first.expr).is_some_and(|stmt| {
            let inside = paths.parent(stmt).map(|(parent, _)| parent);
            let apart =
                inside.is_some_and(|parent| paths.stmt_of(second.expr).is_some_and(|at| !paths.contains(parent, at)));
            apart && !paths.completes(paths.siblings(stmt))
        });
        exclusive
            || left
            || self.is_noted(function, first, &other)
            || one.iter().any(|a| other.iter().any(|b| denies(a, b)))
    }

    fn is_shortened_between(&self, function: FuncRef, first: &Added, second: &Added) -> bool {
        let module = self.module(function.module);
        let touches = |edit: &Edit| edit.shortens() && same_spelling(module, edit.list.expr, first.list);
        self.edits_in(function).iter().any(|edit| {
            touches(edit) && self.is_before(first.site, edit.site) && self.is_before(edit.site, second.site)
        })
    }

    /// Whether one place runs before another of the same function.
    pub(in crate::code::facts) fn is_before(&self, first: ExprRef, second: ExprRef) -> bool {
        let paths = self.paths.function(self.owner(first));
        paths
            .order(first.expr, second.expr)
            .is_some_and(|order| order.when == When::Before)
    }

    /// Whether a variable keeps its value from one place to another.
    pub(super) fn is_unchanged(&self, function: FuncRef, name: &Name, first: ExprRef, second: ExprRef) -> bool {
        let paths = self.paths.function(function);
        let (Some(from), Some(to)) = (paths.stmt_of(first.expr), paths.stmt_of(second.expr)) else {
            return false;
        };
        !self.definitions(function, name).iter().any(|definition| {
            let behind = paths.stmt_order(from, *definition).when == When::Before;
            let before = paths.stmt_order(*definition, to).when == When::Before;
            let of_loop = paths.contains(*definition, from) != paths.contains(*definition, to);
            of_loop || behind && before
        })
    }
}

fn same_condition(module: &crate::code::ir::Module, a: ExprId, b: ExprId) -> bool {
    if same_spelling(module, a, b) {
        return true;
    }
    let (mut one, mut other) = (module.children(a), module.children(b));
    one.sort_unstable();
    other.sort_unstable();
    std::mem::discriminant(module.kind(a)) == std::mem::discriminant(module.kind(b))
        && !one.is_empty()
        && one.len() == other.len()
        && one.iter().zip(&other).all(|(a, b)| same_condition(module, *a, *b))
}
