//! System messages that are put before what is stored, and stored with it: the next run finds them there
//! and puts one more in front.

use super::edits::{Edit, EditKind};
use super::{Facts, Occasion, Reminder, Repeats};
use crate::code::flow::paths::{StmtId, When};
use crate::code::flow::predicate::same_spelling;
use crate::code::ir::{ExprId, ExprKind, StmtKind};
use crate::code::project::{ExprRef, FuncRef};
use crate::code::vocabulary::Role;

impl Facts<'_> {
    /// All of a project.
    pub(crate) fn stored_with_system(&self) -> Vec<Reminder> {
        let functions = self.project.functions();
        let ours = functions.filter(|(function, _)| !self.project.is_test(*function));
        ours.flat_map(|(function, _)| self.stored_in(function)).collect()
    }

    /// `messages.append(system)`, `messages.extend(store.get())`, `store.set(messages)`.
    fn stored_in(&self, function: FuncRef) -> Vec<Reminder> {
        let edits = self.edits_in(function);
        let extends = edits.iter().filter(|edit| edit.kind == EditKind::Extend);
        let stored = extends.filter_map(|extend| {
            let value = extend.value?;
            self.is_stored_back(function, extend, value).then_some(())?;
            edits.iter().find_map(|edit| self.system_before(function, edit, extend))
        });
        stored.collect()
    }

    /// A system message that is appended to the list before what is stored, whatever that holds.
    fn system_before(&self, function: FuncRef, edit: &Edit, extend: &Edit) -> Option<Reminder> {
        let module = self.module(function.module);
        let paths = self.paths.function(function);
        let same = edit.kind == EditKind::Append && same_spelling(module, edit.list.expr, extend.list.expr);
        let (first, second) = (paths.stmt_of(edit.site.expr)?, paths.stmt_of(extend.site.expr)?);
        if !same || paths.stmt_order(first, second).when != When::Before {
            return None;
        }
        let made = self.made_behind(edit.value?)?;
        let again =
            made.role == Some(Role::System) && !self.has_occasion(edit.site, |found| found == Occasion::Presence);
        again.then_some(Reminder {
            made: made.expr,
            at: edit.site,
            repeats: Repeats::Returns,
        })
    }

    /// Whether the list goes back, as a whole, to where a part of it came from.
    fn is_stored_back(&self, function: FuncRef, extend: &Edit, value: ExprRef) -> bool {
        let module = self.module(function.module);
        let paths = self.paths.function(function);
        let ExprKind::Name(list) = module.kind(extend.list.expr) else {
            return false;
        };
        let is_list = |expr: ExprId| matches!(module.kind(expr), ExprKind::Name(name) if name == list);
        let holder = match module.kind(value.expr) {
            ExprKind::Call { callee, .. } => match module.kind(*callee) {
                ExprKind::Attribute { base, .. } => Some(*base),
                _ => None,
            },
            _ => None,
        };
        let behind = |stmt: &StmtId| {
            paths
                .stmt_of(extend.site.expr)
                .is_some_and(|at| paths.stmt_order(at, *stmt).when == When::Before)
        };
        paths.stmts().filter(behind).any(|stmt| {
            let assigned = match &paths.stmt(stmt).kind {
                StmtKind::Assign {
                    targets, value: given, ..
                } => is_list(*given) && targets.iter().any(|target| same_spelling(module, *target, value.expr)),
                _ => false,
            };
            let handed = || {
                paths.own_exprs_in(stmt).any(|expr| match module.kind(expr) {
                    ExprKind::Call { callee, args, .. } => {
                        let [only] = &args[..] else { return false };
                        let on_holder = match module.kind(*callee) {
                            ExprKind::Attribute { base, .. } => {
                                holder.is_some_and(|holder| same_spelling(module, *base, holder))
                            }
                            _ => false,
                        };
                        on_holder && is_list(only.value) && !only.spread
                    }
                    _ => false,
                })
            };
            assigned || handed()
        })
    }
}
