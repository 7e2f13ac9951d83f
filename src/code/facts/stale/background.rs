//! Histories that are replaced by what a worker in the background made of an earlier state of them.

use super::{Stale, StaleKind};
use crate::code::facts::Facts;
use crate::code::flow::predicate::same_spelling;
use crate::code::ir::{ClassId, ExprId, ExprKind, Name, StmtKind};
use crate::code::project::{ExprRef, FuncRef};
use crate::finding::Confidence;

impl Facts<'_> {
    /// `self.made = condense(self.history)` in a worker, `self.history = self.made` when it is done: what
    /// was added while it ran is gone.
    pub(super) fn replaced_by_worker(&self, found: &mut Vec<Stale>) {
        for (worker, ir) in self.project.functions() {
            let Some(class) = ir.class.filter(|_| !self.project.is_test(worker)) else {
                continue;
            };
            for (list, product, made) in self.products_of(worker) {
                let Some(started) = self.started_in_background(worker, class) else {
                    continue;
                };
                let siblings = self.project.functions().filter(|(function, other)| {
                    function.module == worker.module && other.class == Some(class) && *function != worker
                });
                let replaced = siblings
                    .into_iter()
                    .find_map(|(function, _)| self.put_in_place(function, &list, &product));
                let grows = || {
                    let mut all = self.project.functions();
                    all.any(|(function, other)| {
                        function.module == worker.module && other.class == Some(class) && self.adds_to(function, &list)
                    })
                };
                if let Some((at, confidence)) = replaced
                    && grows()
                {
                    found.push(Stale {
                        kind: StaleKind::Replaced,
                        at,
                        from: made,
                        changed: Some(started),
                        confidence,
                    });
                }
            }
        }
    }

    /// The attribute `name` of the method's own object, if an expression reads or writes one.
    fn own_attribute(&self, function: FuncRef, expr: ExprId) -> Option<Name> {
        let module = self.module(function.module);
        match module.kind(expr) {
            ExprKind::Attribute { base, name } => {
                let own =
                    matches!(module.kind(*base), ExprKind::Name(base) if self.project.is_receiver(function, base));
                own.then(|| name.clone())
            }
            _ => None,
        }
    }

    /// The attributes that a worker makes of another one: the one read, the one written, and where.
    fn products_of(&self, worker: FuncRef) -> Vec<(Name, Name, ExprRef)> {
        let paths = self.paths.function(worker);
        let module = self.module(worker.module);
        let mut found = Vec::new();
        for stmt in paths.stmts() {
            let StmtKind::Assign { targets, value, .. } = &paths.stmt(stmt).kind else {
                continue;
            };
            let [target] = targets[..] else { continue };
            let call = match module.kind(*value) {
                ExprKind::Await(inner) => *inner,
                _ => *value,
            };
            let (Some(product), ExprKind::Call { args, idiom: None, .. }) =
                (self.own_attribute(worker, target), module.kind(call))
            else {
                continue;
            };
            for arg in args {
                if let Some(list) = self.own_attribute(worker, arg.value).filter(|list| *list != product) {
                    let made = ExprRef {
                        module: worker.module,
                        expr: call,
                    };
                    found.push((list, product.clone(), made));
                }
            }
        }
        found
    }

    /// Where a method is handed to a thread or a task, in its own class.
    fn started_in_background(&self, worker: FuncRef, class: ClassId) -> Option<ExprRef> {
        let name = &self.project.function(worker).name;
        let mut functions = self.project.functions();
        functions.find_map(|(function, ir)| {
            if function.module != worker.module || ir.class != Some(class) {
                return None;
            }
            let paths = self.paths.function(function);
            let mut calls = paths.stmts().flat_map(|stmt| paths.own_exprs_in(stmt));
            calls.find_map(|expr| {
                let call = ExprRef {
                    module: function.module,
                    expr,
                };
                let (callee, args) = self.call(call)?;
                let starts = self
                    .path(callee)
                    .is_some_and(|path| self.vocabulary.starts_worker(&path));
                let given = args.iter().any(|arg| {
                    // `Thread(target=self.work)`, `create_task(self.work())`
                    let method = match self.kind(self.beside(call, arg.value)) {
                        ExprKind::Call { callee, .. } => *callee,
                        _ => arg.value,
                    };
                    self.own_attribute(function, method).as_ref() == Some(name)
                });
                (starts && given).then_some(call)
            })
        })
    }

    /// Where a method puts the product in the place of the list, whatever that holds by then.
    fn put_in_place(&self, function: FuncRef, list: &Name, product: &Name) -> Option<(ExprRef, Confidence)> {
        let paths = self.paths.function(function);
        let module = self.module(function.module);
        paths.stmts().find_map(|stmt| {
            let StmtKind::Assign { targets, value, .. } = &paths.stmt(stmt).kind else {
                return None;
            };
            let [target] = targets[..] else { return None };
            if self.own_attribute(function, target).as_ref() != Some(list)
                || self.own_attribute(function, *value).as_ref() != Some(product)
            {
                return None;
            }
            let asked = paths.guards_at(stmt).iter().any(|guard| {
                let mut open = vec![guard.cond];
                let mut compared = false;
                while let Some(expr) = open.pop() {
                    compared |= same_spelling(module, expr, target);
                    open.extend(module.children(expr));
                }
                compared
            });
            let at = ExprRef {
                module: function.module,
                expr: target,
            };
            let sure = self.histories().confidence(self.node(at))?;
            (!asked).then_some((at, sure.max(Confidence::Medium)))
        })
    }

    /// Whether a method adds to the list: `self.history += …`, `self.history.append(…)`.
    fn adds_to(&self, function: FuncRef, list: &Name) -> bool {
        let paths = self.paths.function(function);
        let by_edit = self
            .edits_in(function)
            .iter()
            .any(|edit| !edit.shortens() && self.own_attribute(function, edit.list.expr).as_ref() == Some(list));
        by_edit
            || paths.stmts().any(|stmt| match paths.stmt(stmt).kind {
                StmtKind::Update { target, .. } => self.own_attribute(function, target).as_ref() == Some(list),
                _ => false,
            })
    }
}
