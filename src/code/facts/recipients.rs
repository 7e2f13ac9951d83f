//! Hooks that stand in a row with others, and alone do not ask which agent they run for.

use super::Facts;
use super::fields::field_read;
use crate::code::ir::{ExprKind, Literal, Name, StmtKind};
use crate::code::project::{ExprRef, FuncRef};

/// How many hooks of a row must ask.
const SIBLINGS: usize = 2;

/// One such hook.
#[derive(Clone, Debug)]
pub(crate) struct OpenHook {
    /// The hook.
    pub(crate) function: FuncRef,
    /// What it injects.
    pub(crate) injected: ExprRef,
    /// What a hook beside it asks.
    pub(crate) asked: ExprRef,
    /// What that asks for.
    pub(crate) field: Name,
}

impl Facts<'_> {
    /// All of a project.
    pub(crate) fn open_hooks(&self) -> Vec<OpenHook> {
        let mut found: Vec<OpenHook> = Vec::new();
        for row in self.rows_of_hooks() {
            let asked: Vec<Option<(ExprRef, Name)>> = row.iter().map(|hook| self.asks_for_agent(*hook)).collect();
            let Some((guard, field)) = asked.iter().flatten().next().cloned() else {
                continue;
            };
            let same = |one: &&(ExprRef, Name)| one.1 == field;
            let open: Vec<FuncRef> = row
                .iter()
                .zip(&asked)
                .filter(|(hook, asked)| asked.is_none() && !self.reads_anywhere(**hook, &field))
                .map(|(hook, _)| *hook)
                .collect();
            let [function] = open[..] else { continue };
            if asked.iter().flatten().filter(same).count() < SIBLINGS
                || asked.iter().flatten().any(|one| one.1 != field)
            {
                continue;
            }
            let Some(injected) = self.injects(function) else {
                continue;
            };
            if found.iter().all(|known| known.function != function) {
                found.push(OpenHook {
                    function,
                    injected,
                    asked: guard,
                    field,
                });
            }
        }
        found
    }

    /// Functions that are run one after the other: the items of one display, or what is registered by the
    /// same call for the same event.
    fn rows_of_hooks(&self) -> Vec<Vec<FuncRef>> {
        let mut rows = Vec::new();
        let mut registered: Vec<((u32, Name, Name), Vec<FuncRef>)> = Vec::new();
        for at in self.exprs().filter(|at| !self.is_test(*at)) {
            match self.kind(at) {
                ExprKind::List { items, .. } if items.len() > SIBLINGS => {
                    let hooks: Option<Vec<FuncRef>> = items
                        .iter()
                        .map(|item| {
                            let named = self.project.functions_named_by(self.beside(at, item.value));
                            let called = matches!(
                                self.kind(self.beside(at, item.value)),
                                ExprKind::Name(_) | ExprKind::Attribute { .. }
                            );
                            named.first().copied().filter(|_| called)
                        })
                        .collect();
                    rows.extend(hooks);
                }
                ExprKind::Call { callee, args, .. } => {
                    let [event, given] = &args[..] else { continue };
                    let event = self.text(self.beside(at, event.value));
                    let path = self.path(self.beside(at, *callee));
                    let hook = match self.kind(self.beside(at, given.value)) {
                        ExprKind::Lambda(function) => Some(FuncRef {
                            module: at.module,
                            function: *function,
                        }),
                        _ => self
                            .project
                            .functions_named_by(self.beside(at, given.value))
                            .first()
                            .copied(),
                    };
                    let (Some(event), Some(path), Some(hook)) = (event, path, hook) else {
                        continue;
                    };
                    let key = (at.module.0, path, event.clone());
                    match registered.iter_mut().find(|(known, _)| *known == key) {
                        Some((_, hooks)) => hooks.push(hook),
                        None => registered.push((key, vec![hook])),
                    }
                }
                _ => {}
            }
        }
        rows.extend(registered.into_iter().map(|(_, hooks)| hooks));
        rows.retain(|row| row.len() > SIBLINGS);
        rows
    }

    /// The test by which a hook leaves with nothing for some agents, and the field that it looks at.
    fn asks_for_agent(&self, hook: FuncRef) -> Option<(ExprRef, Name)> {
        let paths = self.paths.function(hook);
        let module = self.module(hook.module);
        paths.stmts().find_map(|stmt| {
            let StmtKind::If { cond, then, .. } = &paths.stmt(stmt).kind else {
                return None;
            };
            let leaves = then.iter().any(|inner| match &inner.kind {
                StmtKind::Return(None) => true,
                StmtKind::Return(Some(value)) => match module.kind(*value) {
                    ExprKind::Literal(literal) => *literal == Literal::None,
                    ExprKind::List { items, .. } => items.is_empty(),
                    ExprKind::Dict(entries) => entries.is_empty(),
                    _ => false,
                },
                _ => false,
            });
            let mut open = vec![*cond];
            while let Some(expr) = open.pop() {
                let at = ExprRef {
                    module: hook.module,
                    expr,
                };
                let read = match self.kind(at) {
                    ExprKind::Name(name) => Some(name.clone()),
                    _ => field_read(self, at).map(|(_, name)| name),
                };
                if let Some(name) = read.filter(|name| leaves && self.vocabulary.names_agent(name)) {
                    return Some((at, name));
                }
                open.extend(module.children(expr));
            }
            None
        })
    }

    /// Whether a function mentions a field at all.
    fn reads_anywhere(&self, function: FuncRef, field: &Name) -> bool {
        let paths = self.paths.function(function);
        let mut exprs = paths.stmts().flat_map(|stmt| paths.own_exprs_in(stmt));
        exprs.any(|expr| {
            let at = ExprRef {
                module: function.module,
                expr,
            };
            match self.kind(at) {
                ExprKind::Name(name) => name == field,
                _ => field_read(self, at).is_some_and(|(_, name)| name == *field),
            }
        })
    }

    /// The message that a function makes, itself or by a helper.
    fn injects(&self, function: FuncRef) -> Option<ExprRef> {
        let own = self
            .constructions()
            .iter()
            .find(|made| self.owner(made.expr) == function);
        own.map(|made| made.expr).or_else(|| {
            let paths = self.paths.function(function);
            let mut calls = paths.stmts().flat_map(|stmt| paths.own_exprs_in(stmt));
            calls.find_map(|expr| {
                let at = ExprRef {
                    module: function.module,
                    expr,
                };
                let [helper] = self.project.callees_of(at) else {
                    return None;
                };
                let made = self.constructions_in(*helper).next().is_some();
                made.then_some(at)
            })
        })
    }
}
