//! Degraded ways: around a repair, or over calls that an interrupted turn left open.

use super::{Addition, HELPERS, Search, Split, SplitAt, SplitKind};
use crate::code::facts::cuts::Repairs;
use crate::code::flow::paths::{Slot, StmtId};
use crate::code::ir::{ExprId, ExprKind, Name, StmtKind};
use crate::code::project::ExprRef;
use crate::finding::Confidence;

impl Search<'_, '_> {
    /// `try: sent = repair(xs); sent = shrink(sent) except: sent = xs`.
    pub(super) fn unrepaired(&self, repairs: &Repairs) -> Vec<Split> {
        let mut found = Vec::new();
        for stmt in self.paths.stmts() {
            if !matches!(self.paths.stmt(stmt).kind, StmtKind::Try { .. }) {
                continue;
            }
            let mut repaired: Option<(Name, ExprRef)> = None;
            let mut others = false;
            for inner in self.paths.block(stmt, Slot::Try).iter().copied() {
                for expr in self.paths.own_exprs_in(inner) {
                    if !matches!(self.kind(expr), ExprKind::Call { idiom: None, .. }) {
                        continue;
                    }
                    if repairs.is_call(self.at(expr)) {
                        if let StmtKind::Assign { targets, .. } = &self.paths.stmt(inner).kind
                            && let ExprKind::Name(name) = self.kind(targets[0])
                        {
                            repaired = Some((name.clone(), self.at(expr)));
                        }
                    } else {
                        others = true;
                    }
                }
            }
            let Some((name, repair)) = repaired.filter(|_| others) else {
                continue;
            };
            let StmtKind::Try { handlers, .. } = &self.paths.stmt(stmt).kind else {
                continue;
            };
            for number in 0..handlers.len() {
                for inner in self.paths.block(stmt, Slot::Handler(number)).iter().copied() {
                    let StmtKind::Assign { targets, value, .. } = &self.paths.stmt(inner).kind else {
                        continue;
                    };
                    let same = matches!(self.kind(targets[0]), ExprKind::Name(other) if *other == name);
                    let raw = matches!(self.kind(*value), ExprKind::Name(_) | ExprKind::Attribute { .. });
                    let confidence = self.sure(*value);
                    if let Some(confidence) = confidence
                        && same
                        && raw
                    {
                        let at = SplitAt::Expr(self.at(*value));
                        found.push(Split {
                            kind: SplitKind::Unrepaired,
                            at,
                            because: repair,
                            confidence,
                        });
                    }
                }
            }
        }
        found
    }

    /// A history that is handed in from outside gets a new prompt, and nobody looks whether its last
    /// message still waits for results.
    pub(super) fn open_at_prompt(&self, repairs: &Repairs) -> Vec<Split> {
        let additions = self.additions();
        let mut found = Vec::new();
        for asked in self.asked(&additions) {
            let names = self.call_names(&asked.root);
            let results = self.results(&asked, &names, &additions);
            let waits = results.iter().any(|stmt| {
                self.paths
                    .own_exprs_in(*stmt)
                    .any(|expr| matches!(self.kind(expr), ExprKind::Await(_)))
            });
            if !waits || !self.is_handed_in(asked.list) || !repairs.of_function(self.function).is_empty() {
                continue;
            }
            let prompt = additions.iter().find(|Addition { stmt, list, value, .. }| {
                self.same_list(asked.list, *list)
                    && self.order_after(*stmt, asked.stmt)
                    && self.paths.same_loop(*stmt, asked.stmt).is_none()
                    && self.looks_at_nothing(*stmt, asked.list)
                    && self.comes_from_outside(*value)
            });
            if let Some(Addition { by, list, .. }) = prompt
                && let Some(confidence) = self.sure(*list)
            {
                let at = SplitAt::Expr(self.at(*by));
                let confidence = confidence.min(Confidence::Medium);
                found.push(Split {
                    kind: SplitKind::OpenAtPrompt,
                    at,
                    because: asked.at,
                    confidence,
                });
            }
        }
        found
    }

    /// Whether a list is an attribute that a constructor is given.
    pub(super) fn is_handed_in(&self, list: ExprRef) -> bool {
        let ExprKind::Attribute { base, name } = self.facts.kind(list) else {
            return false;
        };
        let Some(class) = self.facts.project.class_of(self.facts.beside(list, *base)) else {
            return false;
        };
        self.facts
            .project
            .attribute_values(class, name)
            .iter()
            .any(|(method, value)| {
                let at = ExprRef {
                    module: method.module,
                    expr: *value,
                };
                let mut open = vec![at.expr];
                let module = self.facts.module(at.module);
                while let Some(expr) = open.pop() {
                    if let ExprKind::Name(name) = module.kind(expr)
                        && self
                            .facts
                            .project
                            .function(*method)
                            .params
                            .iter()
                            .any(|param| param.name == *name)
                    {
                        return true;
                    }
                    open.extend(module.children(expr));
                }
                false
            })
    }

    /// Whether nothing before the statement reads the list.
    pub(super) fn looks_at_nothing(&self, stmt: StmtId, list: ExprRef) -> bool {
        !self
            .paths
            .stmts()
            .filter(|&other| other != stmt && self.order_after(other, stmt))
            .any(|other| {
                self.paths
                    .own_exprs_in(other)
                    .any(|expr| self.same_list(list, expr) || self.helper_looks(self.at(expr), list, 0))
            })
    }

    /// Whether a call enters a method that reads the same attribute, itself or through a helper.
    pub(super) fn helper_looks(&self, call: ExprRef, list: ExprRef, depth: usize) -> bool {
        let ExprKind::Attribute { name, .. } = self.facts.kind(list) else {
            return false;
        };
        depth < HELPERS
            && self.facts.project.callees_of(call).iter().any(|callee| {
                let paths = self.facts.paths.function(*callee);
                let mut inside = paths.stmts().flat_map(|stmt| paths.own_exprs_in(stmt));
                inside.any(|expr| {
                    let at = ExprRef {
                        module: callee.module,
                        expr,
                    };
                    matches!(self.facts.kind(at), ExprKind::Attribute { name: other, .. } if other == name)
                        || self.helper_looks(at, list, depth + 1)
                })
            })
    }

    /// Whether a message is made of what the function is given.
    pub(super) fn comes_from_outside(&self, value: ExprId) -> bool {
        let function = self.facts.project.function(self.function);
        let given = &function.params[usize::from(function.has_receiver)..];
        let mut open = vec![value];
        let mut hops = 8;
        while let Some(expr) = open.pop() {
            if let ExprKind::Name(name) = self.kind(expr) {
                if given.iter().any(|param| param.name == *name) {
                    return true;
                }
                for stmt in self.paths.stmts() {
                    if hops > 0
                        && let StmtKind::For { target, iter, .. } = self.paths.stmt(stmt).kind
                        && matches!(self.kind(target), ExprKind::Name(other) if other == name)
                    {
                        hops -= 1;
                        open.push(iter);
                    }
                }
            }
            open.extend(self.facts.module(self.function.module).children(expr));
        }
        false
    }
}
