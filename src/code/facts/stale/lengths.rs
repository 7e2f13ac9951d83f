//! Lengths from before something ran that may shorten the list, used as an offset after it.

use super::{Stale, StaleKind};
use crate::code::facts::Facts;
use crate::code::flow::graph::Flow;
use crate::code::flow::iteration::integer;
use crate::code::flow::paths::{StmtId, When};
use crate::code::flow::predicate::same_spelling;
use crate::code::flow::reach::{Direction, reach};
use crate::code::ir::{ExprId, ExprKind, Intrinsic, Name, StmtKind};
use crate::code::project::{ExprRef, FuncRef, ModuleIx};
use crate::finding::Confidence;

impl Facts<'_> {
    pub(super) fn lengths_from_before(&self, function: FuncRef, found: &mut Vec<Stale>) {
        let paths = self.paths.function(function);
        let module = self.module(function.module);
        let at = |expr: ExprId| ExprRef {
            module: function.module,
            expr,
        };
        for stmt in paths.stmts() {
            for expr in paths.own_exprs_in(stmt) {
                let ExprKind::Slice {
                    base,
                    start: Some(start),
                    end: None,
                    ..
                } = module.kind(expr)
                else {
                    continue;
                };
                let (ExprKind::Attribute { base: holder, .. }, ExprKind::Name(offset)) =
                    (module.kind(*base), module.kind(*start))
                else {
                    continue;
                };
                let Some((taken, counted)) = self.length_taken(function, offset) else {
                    continue;
                };
                if self.is_own(at(*holder)) || self.compares(at(expr), offset) {
                    continue;
                }
                let list = self
                    .list_of_agent(at(*base))
                    .or_else(|| self.list_of_agent(at(counted)))
                    .or_else(|| self.is_seen_empty(function, at(*base)));
                let Some(confidence) = list else { continue };
                let other_list = !same_spelling(module, counted, *base);
                let ran = paths.stmts().find_map(|between| {
                    let order = |a, b| paths.stmt_order(a, b).when == When::Before;
                    (order(taken, between) && (order(between, stmt)))
                        .then(|| self.runs_holder(function, between, *holder, *base, other_list))
                        .flatten()
                });
                if let Some(ran) = ran {
                    found.push(Stale {
                        kind: StaleKind::Length,
                        at: at(expr),
                        from: at(counted),
                        changed: Some(ran),
                        confidence: confidence.min(Confidence::Medium),
                    });
                }
            }
        }
    }

    /// How sure it is that a list is a history: by its name, where its file has other histories.
    fn list_of_agent(&self, list: ExprRef) -> Option<Confidence> {
        let by_name = self.histories().confidence(self.node(list))?;
        (by_name >= Confidence::Medium || self.has_sure_history(list.module)).then_some(by_name.max(Confidence::Medium))
    }

    /// A list that is called a history, and that the function itself knows may be emptied: `len(xs) == 0`.
    fn is_seen_empty(&self, function: FuncRef, list: ExprRef) -> Option<Confidence> {
        self.histories().confidence(self.node(list))?;
        let module = self.module(list.module);
        let paths = self.paths.function(function);
        let asks = paths.stmts().flat_map(|stmt| paths.own_exprs_in(stmt)).any(|expr| {
            let ExprKind::Compare { left, right, .. } = module.kind(expr) else {
                return false;
            };
            let of_list = match module.kind(*left) {
                ExprKind::Call { idiom: Some(idiom), .. } if idiom.op == Intrinsic::Len => idiom
                    .operands
                    .first()
                    .is_some_and(|of| same_spelling(module, *of, list.expr)),
                _ => false,
            };
            of_list && integer(module, *right) == Some(0)
        });
        asks.then_some(Confidence::Medium)
    }

    /// Whether something in a file is a history by more than its name.
    pub(in crate::code::facts) fn has_sure_history(&self, module: ModuleIx) -> bool {
        let count = self.module(module).exprs.len() as u32;
        (0..count).any(|expr| {
            let node = self.node(ExprRef {
                module,
                expr: ExprId(expr),
            });
            self.histories().confidence(node) >= Some(Confidence::Medium)
        })
    }

    /// The one statement that takes the length of a list under this name, and the list.
    fn length_taken(&self, function: FuncRef, name: &Name) -> Option<(StmtId, ExprId)> {
        let paths = self.paths.function(function);
        let module = self.module(function.module);
        let [only] = self.definitions(function, name)[..] else {
            return None;
        };
        let StmtKind::Assign { value, .. } = &paths.stmt(only).kind else {
            return None;
        };
        match module.kind(*value) {
            ExprKind::Call { idiom: Some(idiom), .. } if idiom.op == Intrinsic::Len => {
                Some((only, *idiom.operands.first()?))
            }
            _ => None,
        }
    }

    /// Whether something is the method's own object, whose methods are read like any other.
    fn is_own(&self, holder: ExprRef) -> bool {
        let mut root = holder;
        while let ExprKind::Attribute { base, .. } = self.kind(root) {
            root = self.beside(root, *base);
        }
        match self.kind(root) {
            ExprKind::Name(name) => root == holder && self.project.is_receiver(self.owner(holder), name),
            _ => true,
        }
    }

    /// Whether a test on the way compares with the offset.
    fn compares(&self, at: ExprRef, offset: &Name) -> bool {
        let guards = self.paths.function(self.owner(at)).guards(at.expr);
        guards.iter().any(|guard| {
            let asks =
                |cond: ExprRef| matches!(self.kind(cond), ExprKind::Compare { .. }) && self.mentions(cond, offset);
            let cond = self.beside(at, guard.cond);
            // `trimmed = len(xs) < before`, `if not trimmed: …`
            let named = reach(&self.graph, self.node(cond), Direction::Backward, |flow, _, held, _| {
                held.is_empty() && flow == Flow::Same
            });
            named.iter().any(|one| self.graph.as_expr(one.node).is_some_and(asks))
        })
    }

    /// The call by which a statement lets code that is not known work on the object that holds a list.
    /// Where the length was taken of the same list, its holder must be handed over; of another one, what
    /// runs on the holder is enough.
    fn runs_holder(
        &self,
        function: FuncRef,
        stmt: StmtId,
        holder: ExprId,
        list: ExprId,
        other_list: bool,
    ) -> Option<ExprRef> {
        let paths = self.paths.function(function);
        let module = self.module(function.module);
        paths.own_exprs_in(stmt).find_map(|expr| {
            let call = ExprRef {
                module: function.module,
                expr,
            };
            let ExprKind::Call {
                callee,
                args,
                idiom: None,
            } = module.kind(expr)
            else {
                return None;
            };
            let known = !self.project.callees_of(call).is_empty() || self.construction(call).is_some();
            let by_method = match module.kind(*callee) {
                ExprKind::Attribute { base, .. } => {
                    same_spelling(module, *base, holder) && !same_spelling(module, *base, list)
                }
                _ => false,
            };
            let given = args.iter().any(|arg| same_spelling(module, arg.value, holder));
            (!known && (by_method && (other_list || self.drives(call)) || given && self.drives(call))).then_some(call)
        })
    }

    /// Whether a call lets an agent work, and does not only note or look at something.
    fn drives(&self, call: ExprRef) -> bool {
        let Some((callee, _)) = self.call(call) else {
            return false;
        };
        self.path(callee).is_some_and(|path| {
            self.vocabulary
                .model_call(&path, self.frameworks(call.module))
                .is_some()
        })
    }
}
