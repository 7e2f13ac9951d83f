//! Elements that are taken out of the list that a loop runs over.

use super::{Stale, StaleKind};
use crate::code::facts::Facts;
use crate::code::facts::edits::{Edit, EditKind};
use crate::code::flow::iteration::{Iteration, iteration};
use crate::code::flow::paths::StmtId;
use crate::code::flow::predicate::same_spelling;
use crate::code::ir::{BinaryOp, ExprId, ExprKind, Intrinsic, Name, StmtKind};
use crate::code::project::{ExprRef, FuncRef};

impl Facts<'_> {
    pub(super) fn removed_while_iterated(&self, function: FuncRef, found: &mut Vec<Stale>) {
        let paths = self.paths.function(function);
        let module = self.module(function.module);
        let edits: Vec<_> = self
            .edits_in(function)
            .into_iter()
            .filter(|edit| matches!(edit.kind, EditKind::Pop | EditKind::RemoveValue | EditKind::Delete))
            .collect();
        if edits.is_empty() {
            return;
        }
        for stmt in paths.stmts() {
            let StmtKind::For { target, iter, .. } = &paths.stmt(stmt).kind else {
                continue;
            };
            let Some(over) = iteration(module, *iter).filter(|over| !over.backward && !over.reordered) else {
                continue;
            };
            let list = ExprRef {
                module: function.module,
                expr: over.list,
            };
            if is_copied(self, list, *iter) || self.steps_back(function, stmt, *target) {
                continue;
            }
            let Some(confidence) = self.near_history(list) else {
                continue;
            };
            let removal = edits.iter().find(|edit| {
                let inside = paths
                    .stmt_of(edit.site.expr)
                    .is_some_and(|at| at != stmt && paths.contains(stmt, at) && !self.leaves_loop(function, at, stmt));
                inside
                    && !self.is_put_back(function, edit)
                    && same_spelling(module, edit.list.expr, over.list)
                    && self.removes_current(edit.kind, edit.index.or(edit.value), *target, &over)
            });
            if let Some(removal) = removal {
                found.push(Stale {
                    kind: StaleKind::Iterated,
                    at: list,
                    from: removal.site,
                    changed: None,
                    confidence,
                });
            }
        }
    }

    /// Whether what is taken out is put in again in the same block: it is moved, and the list is as long
    /// as before.
    fn is_put_back(&self, function: FuncRef, removal: &Edit) -> bool {
        let paths = self.paths.function(function);
        let module = self.module(function.module);
        let Some(stmt) = paths.stmt_of(removal.site.expr) else {
            return false;
        };
        self.edits_in(function).iter().any(|edit| {
            edit.kind == EditKind::Insert
                && same_spelling(module, edit.list.expr, removal.list.expr)
                && paths
                    .stmt_of(edit.site.expr)
                    .is_some_and(|at| paths.following(stmt).contains(&at))
        })
    }

    /// Whether a loop takes its own position back somewhere: `xs.splice(i, 1); i--`.
    fn steps_back(&self, function: FuncRef, around: StmtId, target: ExprId) -> bool {
        let paths = self.paths.function(function);
        let module = self.module(function.module);
        let at = ExprRef {
            module: function.module,
            expr: target,
        };
        let names = self.names_of(at, target);
        paths.stmts().any(|stmt| {
            stmt != around
                && paths.contains(around, stmt)
                && matches!(&paths.stmt(stmt).kind, StmtKind::Update { target, op: BinaryOp::Sub, .. }
                    if matches!(module.kind(*target), ExprKind::Name(name) if names.contains(name)))
        })
    }

    /// Whether a removal moves elements under a loop: by value or index at the loop's own element, and
    /// any other where the loop walks the list itself.
    fn removes_current(&self, kind: EditKind, which: Option<ExprRef>, target: ExprId, over: &Iteration) -> bool {
        let Some(which) = which else {
            // The last element is taken, or a whole stretch.
            return false;
        };
        let names = self.names_of(which, target);
        let current = names.iter().any(|name| self.mentions(which, name));
        current || !over.positions && kind != EditKind::RemoveValue
    }

    fn names_of(&self, beside: ExprRef, target: ExprId) -> Vec<Name> {
        let module = self.module(beside.module);
        match module.kind(target) {
            ExprKind::Name(name) => vec![name.clone()],
            ExprKind::List { items, .. } => items
                .iter()
                .filter_map(|item| match module.kind(item.value) {
                    ExprKind::Name(name) => Some(name.clone()),
                    _ => None,
                })
                .collect(),
            _ => Vec::new(),
        }
    }

    /// Whether the loop is left right behind a statement in it.
    fn leaves_loop(&self, function: FuncRef, stmt: StmtId, around: StmtId) -> bool {
        let paths = self.paths.function(function);
        let ends = |at: &StmtId| {
            matches!(
                paths.stmt(*at).kind,
                StmtKind::Break | StmtKind::Return(_) | StmtKind::Raise(_)
            )
        };
        let mut here = stmt;
        // `return xs.pop(i)` leaves by itself.
        while here != around {
            if ends(&here) || paths.following(here).iter().any(ends) {
                return true;
            }
            match paths.parent(here) {
                Some((parent, _)) => here = parent,
                None => return false,
            }
        }
        false
    }
}

/// Whether a loop runs over a copy: something between the list and the loop makes a new one.
fn is_copied(facts: &Facts, list: ExprRef, iter: ExprId) -> bool {
    let module = facts.module(list.module);
    let mut open = vec![iter];
    while let Some(expr) = open.pop() {
        match module.kind(expr) {
            ExprKind::Call { idiom: Some(idiom), .. } => {
                let keeps = matches!(
                    idiom.op,
                    Intrinsic::Enumerate | Intrinsic::Range | Intrinsic::Len | Intrinsic::Pass
                );
                if !keeps {
                    return true;
                }
                open.extend(idiom.operands.iter().copied());
            }
            ExprKind::Slice { .. } | ExprKind::Comprehension { .. } => return true,
            ExprKind::Call { .. } if expr == list.expr => return true,
            _ => {}
        }
    }
    false
}
