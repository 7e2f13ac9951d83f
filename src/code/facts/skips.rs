//! Degraded ways on which an injection is left out, where what is missing afterwards is taken for a
//! conversation that has just begun.

use rustc_hash::FxHashMap;

use super::{Facts, Occasion, Pick, UseKind};
use crate::code::flow::paths::{Paths, Slot, StmtId};
use crate::code::ir::{ExprId, ExprKind, Literal, Name, StmtKind};
use crate::code::project::{ExprRef, FuncRef};
use crate::code::vocabulary::{Purpose, Role, last_segment};
use crate::finding::Span;

/// One such way.
#[derive(Clone, Debug)]
pub(crate) struct Skip {
    /// Where the function leaves without the injection.
    pub(crate) at: Span,
    /// What would be injected.
    pub(crate) injected: ExprRef,
    /// What takes its absence for the first turn.
    pub(crate) taken: ExprRef,
}

impl Facts<'_> {
    /// All of a project.
    pub(crate) fn skips(&self) -> Vec<Skip> {
        let mut found = Vec::new();
        for (function, _) in self.project.functions() {
            if self.project.is_test(function) {
                continue;
            }
            let paths = self.paths.function(function);
            for stmt in paths.stmts() {
                let Some(leaves) = self.leaves_empty(function, paths, stmt) else {
                    continue;
                };
                let skipped = self
                    .injected_behind(function, paths, stmt)
                    .or_else(|| self.injected_by_tried(function, paths, stmt));
                found.extend(skipped.map(|(injected, taken)| Skip {
                    at: self.stmt_span(function, leaves),
                    injected,
                    taken,
                }));
            }
        }
        found
    }

    /// The statement of a handler of errors that leaves the function with nothing.
    fn leaves_empty(&self, function: FuncRef, paths: &Paths, stmt: StmtId) -> Option<StmtId> {
        let StmtKind::Try { handlers, .. } = &paths.stmt(stmt).kind else {
            return None;
        };
        let module = self.module(function.module);
        (0..handlers.len()).find_map(|number| {
            let last = *paths.block(stmt, Slot::Handler(number)).last()?;
            let empty = match &paths.stmt(last).kind {
                StmtKind::Return(None) => true,
                StmtKind::Return(Some(value)) => match module.kind(*value) {
                    ExprKind::Literal(literal) => matches!(literal, Literal::None),
                    ExprKind::List { items, .. } => items.is_empty(),
                    ExprKind::Dict(entries) => entries.is_empty(),
                    _ => false,
                },
                _ => false,
            };
            empty.then_some(last)
        })
    }

    /// What a function injects behind a statement unless it is there already, and the other place that
    /// asks the same helper whether it is there.
    fn injected_behind(&self, function: FuncRef, paths: &Paths, stmt: StmtId) -> Option<(ExprRef, ExprRef)> {
        let injected = self.constructions_in(function).find(|made| {
            let here = matches!(made.role, Some(Role::System | Role::User));
            let behind = paths
                .stmt_of(made.expr.expr)
                .is_some_and(|at| paths.following(stmt).iter().any(|next| paths.contains(*next, at)));
            here && behind
        })?;
        let guards = paths.guards(injected.expr.expr);
        let taken = guards.iter().find_map(|guard| {
            let cond = ExprRef {
                module: function.module,
                expr: guard.cond,
            };
            let [presence] = self.project.callees_of(cond) else {
                return None;
            };
            let asks = !guard.holds && self.occasion(cond, *guard) == Occasion::Presence;
            asks.then(|| self.asked_elsewhere(*presence, function))?
        })?;
        Some((injected.expr, taken))
    }

    /// A condition of another function that is a call of a helper.
    fn asked_elsewhere(&self, presence: FuncRef, but: FuncRef) -> Option<ExprRef> {
        self.project.callers_of(presence).iter().find_map(|site| {
            let call = ExprRef {
                module: site.caller.module,
                expr: site.call,
            };
            let paths = self.paths.function(self.owner(call));
            let stmt = paths.stmt_of(call.expr)?;
            let decides = match &paths.stmt(stmt).kind {
                StmtKind::If { .. } => true,
                _ => self
                    .graph
                    .around(call)
                    .is_some_and(|outer| matches!(self.kind(outer), ExprKind::Conditional { .. })),
            };
            (self.owner(call) != but && decides && !self.is_test(call)).then_some(call)
        })
    }

    /// What a tried function injects unless it is there already, beside the first message that it finds:
    /// right in the first turn only.
    fn injected_by_tried(&self, function: FuncRef, paths: &Paths, stmt: StmtId) -> Option<(ExprRef, ExprRef)> {
        let tried = paths.block(stmt, Slot::Try);
        let exprs = tried.iter().flat_map(|inner| paths.own_exprs_in(*inner));
        let named: Vec<FuncRef> = exprs
            .flat_map(|expr| {
                let at = ExprRef {
                    module: function.module,
                    expr,
                };
                let called = self.project.callees_of(at).to_vec();
                let handed = match self.kind(at) {
                    ExprKind::Attribute { .. } | ExprKind::Name(_) => self.project.functions_named_by(at),
                    _ => Vec::new(),
                };
                called.into_iter().chain(handed)
            })
            .collect();
        self.scans().iter().find_map(|scan| {
            let there = self.owner(scan.site);
            if scan.pick != Pick::Oldest || !named.contains(&there) {
                return None;
            }
            let looks = self.has_occasion(scan.site, |found| found == Occasion::Presence);
            let mut uses = self.uses_of_found(scan).into_iter();
            let id = uses.find_map(|one| match one.kind {
                UseKind::Id(made) => Some(made),
                _ => None,
            })?;
            looks.then_some((id, scan.site))
        })
    }

    /// Compactions that do not say that what was injected once has to be injected again, although the
    /// injection waits for that: the flag is tested and never set.
    pub(crate) fn unarmed(&self) -> Vec<Skip> {
        let mut found = Vec::new();
        for (function, _) in self.project.functions() {
            if self.project.is_test(function) {
                continue;
            }
            let paths = self.paths.function(function);
            for stmt in paths.stmts() {
                let Some((latch, again)) = self.two_flags(function, paths, stmt) else {
                    continue;
                };
                let written = self.flag_values(&again);
                let never = !written.is_empty() && written.iter().all(|value| *value == Some(false));
                let once = self.flag_values(&latch).contains(&Some(true));
                if !never || !once {
                    continue;
                }
                let Some(compaction) = self.called_compaction(function) else {
                    continue;
                };
                let cond = match &paths.stmt(stmt).kind {
                    StmtKind::If { cond, .. } => ExprRef {
                        module: function.module,
                        expr: *cond,
                    },
                    _ => continue,
                };
                found.push(Skip {
                    at: self.span(compaction),
                    injected: cond,
                    taken: cond,
                });
            }
        }
        found
    }

    /// `if state.sent and not state.pending: return []`: the names of the two flags.
    fn two_flags(&self, function: FuncRef, paths: &Paths, stmt: StmtId) -> Option<(Name, Name)> {
        let StmtKind::If { cond, .. } = &paths.stmt(stmt).kind else {
            return None;
        };
        let module = self.module(function.module);
        let ExprKind::Logic { all: true, operands } = module.kind(*cond) else {
            return None;
        };
        let [latch, again] = &operands[..] else { return None };
        let flag = |expr: ExprId| match module.kind(expr) {
            ExprKind::Attribute { name, .. } => Some(name.clone()),
            _ => None,
        };
        let ExprKind::Not(again) = module.kind(*again) else {
            return None;
        };
        let leaves = !paths.completes(paths.block(stmt, Slot::Then));
        Some((flag(*latch)?, flag(*again)?)).filter(|_| leaves)
    }

    /// What is assigned to the attributes of this name in the project: `None` for anything but `true` and
    /// `false`.
    fn flag_values(&self, name: &Name) -> &[Option<bool>] {
        let values = self.flag_values.get_or_init(|| self.all_flag_values());
        values.get(name).map_or(&[], Vec::as_slice)
    }

    fn all_flag_values(&self) -> FxHashMap<Name, Vec<Option<bool>>> {
        let truth = |at: ExprRef| match self.kind(at) {
            ExprKind::Literal(Literal::Bool(value)) => Some(*value),
            _ => None,
        };
        let mut found: FxHashMap<Name, Vec<Option<bool>>> = FxHashMap::default();
        let mut add = |name: &Name, value| found.entry(name.clone()).or_default().push(value);
        for (function, _) in self.project.functions() {
            let paths = self.paths.function(function);
            let at = |expr| ExprRef {
                module: function.module,
                expr,
            };
            for stmt in paths.stmts() {
                if let StmtKind::Assign { targets, value, .. } = &paths.stmt(stmt).kind {
                    for target in targets {
                        if let ExprKind::Attribute { name, .. } = self.kind(at(*target)) {
                            add(name, truth(at(*value)));
                        }
                    }
                }
                for expr in paths.own_exprs_in(stmt) {
                    match self.kind(at(expr)) {
                        ExprKind::Dict(entries) => {
                            for (key, value) in entries {
                                if let Some(name) = key.and_then(|key| self.text(at(key))) {
                                    add(name, truth(at(*value)));
                                }
                            }
                        }
                        ExprKind::Call { args, .. } => {
                            for arg in args {
                                if let Some(name) = &arg.name {
                                    add(name, truth(at(arg.value)));
                                }
                            }
                        }
                        _ => {}
                    }
                }
            }
        }
        found
    }

    /// A call outside the project that has the history made shorter, in another function of the file.
    fn called_compaction(&self, but: FuncRef) -> Option<ExprRef> {
        self.exprs().find(|at| {
            let ExprKind::Call {
                callee, idiom: None, ..
            } = self.kind(*at)
            else {
                return false;
            };
            let name = self.last_name(self.beside(*at, *callee));
            let compacts = name.is_some_and(|name| self.vocabulary.purposes(&name).contains(&Purpose::Summary));
            compacts
                && at.module == but.module
                && self.owner(*at) != but
                && self.project.callees_of(*at).is_empty()
                && self.construction(*at).is_none()
        })
    }

    /// The last name of a path.
    pub(super) fn last_name(&self, callee: ExprRef) -> Option<Name> {
        self.path(callee).map(|path| Name::from(last_segment(&path)))
    }
}
