//! Loops that make a history shorter until it fits: it becomes a part of itself.

use super::{Finder, Keeps, Means, Seen, boundary, bounds};
use crate::code::flow::iteration::integer;
use crate::code::flow::paths::StmtId;
use crate::code::ir::{ExprId, ExprKind, Name, StmtKind};
use crate::code::project::{ExprRef, FuncRef};

/// How many variables stand between the history and what is left of it.
const STEPS: usize = 4;

impl Finder<'_, '_> {
    /// `while size(xs) > budget: xs = xs[1:]`, `[_, ...rest] = parts(xs); xs = rest.flat()`.
    pub(super) fn shrunk(&mut self, function: FuncRef, stmt: StmtId, around: StmtId) {
        let facts = self.facts;
        let paths = facts.paths.function(function);
        let StmtKind::Assign { targets, value, .. } = &paths.stmt(stmt).kind else {
            return;
        };
        let [target] = targets[..] else { return };
        let target = ExprRef {
            module: function.module,
            expr: target,
        };
        let ExprKind::Name(name) = facts.kind(target) else {
            return;
        };
        if self.confidence(target).is_none() {
            return;
        }
        let guards = paths.guards_at(stmt);
        let measures = guards.iter().any(|guard| {
            let cond = facts.beside(target, guard.cond);
            bounds::has_order(facts, cond) && self.names(cond.expr, name, function)
        });
        let subjects = boundary::loop_subjects(facts, function, stmt);
        let tested = guards.iter().any(|guard| {
            let cond = facts.beside(target, guard.cond);
            !boundary::tests(facts, cond, guard.holds, &subjects).is_empty()
        });
        if !measures || tested {
            return;
        }
        let Some(site) = self.dropped(function, around, *value, name, STEPS) else {
            return;
        };
        let bound = bounds::Bound {
            measured: true,
            ..bounds::Bound::default()
        };
        self.add(&Seen {
            site: facts.beside(target, site),
            list: target,
            means: Means::Pop,
            keeps: Keeps::Newest,
            bound,
            kept: vec![facts.node(target)],
        });
    }

    /// Where the head of a list is left out on the way from `list` to `value`, all of it inside a loop.
    fn dropped(&self, function: FuncRef, around: StmtId, value: ExprId, list: &Name, steps: usize) -> Option<ExprId> {
        let module = self.facts.module(function.module);
        let mut open = vec![value];
        while let Some(expr) = open.pop() {
            match module.kind(expr) {
                ExprKind::Slice {
                    base,
                    start: Some(start),
                    end: None,
                    ..
                } if integer(module, *start).is_some_and(|from| from > 0) && self.names(*base, list, function) => {
                    return Some(expr);
                }
                ExprKind::Name(name) if name != list && steps > 0 => {
                    let found = self
                        .behind(function, around, name)
                        .into_iter()
                        .find_map(|(value, is_rest)| {
                            if is_rest && self.leads_to(function, around, value, list, steps - 1) {
                                return Some(value);
                            }
                            self.dropped(function, around, value, list, steps - 1)
                        });
                    if found.is_some() {
                        return found;
                    }
                }
                _ => open.extend(module.children(expr)),
            }
        }
        None
    }

    /// Whether a value is made of a list, inside a loop.
    fn leads_to(&self, function: FuncRef, around: StmtId, value: ExprId, list: &Name, steps: usize) -> bool {
        let module = self.facts.module(function.module);
        let mut open = vec![value];
        while let Some(expr) = open.pop() {
            match module.kind(expr) {
                ExprKind::Name(name) if name == list => return true,
                ExprKind::Name(name) if steps > 0 => {
                    let behind = self.behind(function, around, name);
                    if behind
                        .iter()
                        .any(|(value, _)| self.leads_to(function, around, *value, list, steps - 1))
                    {
                        return true;
                    }
                }
                _ => open.extend(module.children(expr)),
            }
        }
        false
    }

    /// What a variable is given inside a loop, each with whether it is the rest behind a first item.
    fn behind(&self, function: FuncRef, around: StmtId, name: &Name) -> Vec<(ExprId, bool)> {
        let module = self.facts.module(function.module);
        let paths = self.facts.paths.function(function);
        let is_name = |expr: ExprId| matches!(module.kind(expr), ExprKind::Name(other) if other == name);
        let mut found = Vec::new();
        for stmt in paths.stmts().filter(|stmt| paths.contains(around, *stmt)) {
            let StmtKind::Assign { targets, value, .. } = &paths.stmt(stmt).kind else {
                continue;
            };
            for target in targets {
                match module.kind(*target) {
                    ExprKind::List { items, .. } => {
                        let rest = items.iter().skip(1).any(|item| item.spread && is_name(item.value));
                        if rest {
                            found.push((*value, true));
                        }
                    }
                    _ if is_name(*target) => found.push((*value, false)),
                    _ => {}
                }
            }
        }
        found
    }

    /// Whether a variable is part of an expression.
    fn names(&self, expr: ExprId, name: &Name, function: FuncRef) -> bool {
        let module = self.facts.module(function.module);
        let mut open = vec![expr];
        while let Some(inner) = open.pop() {
            if matches!(module.kind(inner), ExprKind::Name(other) if other == name) {
                return true;
            }
            open.extend(module.children(inner));
        }
        false
    }
}
