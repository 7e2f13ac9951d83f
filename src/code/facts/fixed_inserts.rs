//! Messages that are put in one after the other at the same index: the last one ends up first.

mod replaced;

use super::edits::{Edit, EditKind};
use super::{Facts, Yield};
use crate::code::flow::graph::{Flow, Origin};
use crate::code::flow::iteration::iteration;
use crate::code::flow::paths::StmtId;
use crate::code::flow::predicate::{Asks, Subject, same_spelling};
use crate::code::flow::reach::{Direction, reach};
use crate::code::ir::{ExprId, ExprKind, FunctionId, Intrinsic, Literal, Name, StmtKind};
use crate::code::project::{CallSite, ExprRef, FuncRef};
use crate::code::vocabulary::Role;
use crate::finding::Confidence;

/// How the order is lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OrderLost {
    /// Each is put before the one that came before it.
    Index,
    /// Each is put in when its work is done.
    Completion,
    /// All are put in at the place of the first that they replace.
    Replaced,
}

/// One such place.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FixedInsert {
    /// The call that puts a message in.
    pub(crate) at: ExprRef,
    /// The loop, or the call that it runs for.
    pub(crate) repeated: ExprRef,
    /// How the order is lost.
    pub(crate) lost: OrderLost,
    /// How sure it is.
    pub(crate) confidence: Confidence,
}

impl Facts<'_> {
    /// All of a project.
    pub(crate) fn fixed_inserts(&self) -> Vec<FixedInsert> {
        let mut found = Vec::new();
        for (function, _) in self.project.functions() {
            if self.project.is_test(function) {
                continue;
            }
            found.extend(self.replaced_at_first(function));
            for edit in self.edits_in(function) {
                if !matches!(edit.kind, EditKind::Insert | EditKind::Append) {
                    continue;
                }
                let Some(confidence) = self.confidence_of(&edit) else {
                    continue;
                };
                let lost = if edit.kind == EditKind::Insert {
                    self.inserted_in_loop(&edit)
                        .or_else(|| self.inserted_by_calls(function, &edit))
                        .map(|repeated| (repeated, OrderLost::Index))
                } else {
                    None
                };
                let lost = lost.or_else(|| {
                    self.put_in_when_done(function, &edit)
                        .map(|repeated| (repeated, OrderLost::Completion))
                });
                found.extend(lost.map(|(repeated, lost)| FixedInsert {
                    at: edit.site,
                    repeated,
                    lost,
                    confidence,
                }));
            }
        }
        found
    }

    /// How sure it is that a message is put in a history.
    fn confidence_of(&self, edit: &Edit) -> Option<Confidence> {
        let list = self.near_history(edit.list)?;
        (list >= Confidence::Medium).then_some(list)
    }

    /// The list of a loop around an insertion at an index that the loop does not change.
    fn inserted_in_loop(&self, edit: &Edit) -> Option<ExprRef> {
        let index = edit.index?;
        let paths = self.paths.function(self.owner(edit.site));
        let stmt = paths.stmt_of(edit.site.expr)?;
        let around = paths.enclosing_loops(stmt).next()?;
        let StmtKind::For { target, iter, .. } = &paths.stmt(around).kind else {
            return None;
        };
        let module = self.module(edit.site.module);
        let over = iteration(module, *iter)?;
        let fixed = self.is_fixed_in(around, edit.site, index)
            && !self.names_in(index).any(|name| {
                let bound = self.names_in(self.beside(edit.site, *target));
                bound.into_iter().any(|other| other == name)
            });
        let value = edit.value?;
        // There is one system message, whoever wrote a loop around it.
        if self
            .made_behind(value)
            .is_some_and(|made| made.role == Some(Role::System))
        {
            return None;
        }
        let of_loop = self.depends_on(value, self.beside(edit.site, *target));
        // A loop that is left behind the insertion puts in one message.
        let once = paths
            .following(stmt)
            .iter()
            .any(|next| !paths.completes(std::slice::from_ref(next)));
        (fixed && of_loop && !once && !over.backward && !over.reordered).then(|| self.beside(edit.site, *iter))
    }

    /// The names that an expression mentions.
    fn names_in(&self, expr: ExprRef) -> impl Iterator<Item = Name> {
        let mut names = Vec::new();
        let mut open = vec![expr.expr];
        let module = self.module(expr.module);
        while let Some(at) = open.pop() {
            if let ExprKind::Name(name) = module.kind(at) {
                names.push(name.clone());
            }
            open.extend(module.children(at));
        }
        names.into_iter()
    }

    /// Whether an index is a number or a variable that a loop leaves as it is.
    fn is_fixed_in(&self, around: StmtId, site: ExprRef, index: ExprRef) -> bool {
        let module = self.module(index.module);
        let simple = match module.kind(index.expr) {
            ExprKind::Literal(Literal::Int(_)) | ExprKind::Name(_) => true,
            ExprKind::Binary { left, right, .. } => [left, right]
                .iter()
                .all(|side| matches!(module.kind(**side), ExprKind::Literal(_) | ExprKind::Name(_))),
            _ => false,
        };
        let paths = self.paths.function(self.owner(site));
        let names: Vec<Name> = self.names_in(index).collect();
        let changed = paths.stmts().filter(|stmt| paths.contains(around, *stmt)).any(|stmt| {
            let targets: &[ExprId] = match &paths.stmt(stmt).kind {
                StmtKind::Assign { targets, .. } => targets,
                StmtKind::Update { target, .. } | StmtKind::For { target, .. } => std::slice::from_ref(target),
                _ => &[],
            };
            targets.iter().any(|target| {
                self.names_in(self.beside(site, *target))
                    .any(|name| names.contains(&name))
            })
        });
        let negative = crate::code::flow::iteration::integer(module, index.expr).is_some_and(|at| at < 0);
        simple && !changed && !negative
    }

    /// Whether a value is made with a loop's variable.
    fn depends_on(&self, value: ExprRef, target: ExprRef) -> bool {
        let bound: Vec<Name> = self.names_in(target).collect();
        let reached = reach(&self.graph, self.node(value), Direction::Backward, |flow, _, _, _| {
            !matches!(flow, Flow::Enter(_) | Flow::Leave(_))
        });
        reached.iter().any(|one| {
            let at = self.graph.as_expr(one.node);
            at.is_some_and(|at| matches!(self.kind(at), ExprKind::Name(name) if bound.contains(name)))
        })
    }

    /// The loop of a caller that has one result after the other put in right behind the same message:
    /// the function looks the message up by an id that the loop does not change.
    fn inserted_by_calls(&self, function: FuncRef, edit: &Edit) -> Option<ExprRef> {
        let index = edit.index?;
        let value = edit.value?;
        let made = self.made_at(value)?;
        let is_result = self.construction(made)?.is_tool_result(self);
        let anchor = self.anchor_param(function, index)?;
        if !is_result {
            return None;
        }
        self.project
            .callers_of(function)
            .iter()
            .find_map(|site| self.loop_with_fixed(site, function, anchor))
    }

    /// The message that is made where a value comes from.
    fn made_at(&self, value: ExprRef) -> Option<ExprRef> {
        let reached = reach(
            &self.graph,
            self.node(value),
            Direction::Backward,
            |flow, _, held, _| held.is_empty() && flow == Flow::Same,
        );
        reached
            .iter()
            .filter_map(|one| self.graph.as_expr(one.node))
            .find(|at| self.construction(*at).is_some())
    }

    /// The parameter by whose id an index was looked up.
    fn anchor_param(&self, function: FuncRef, index: ExprRef) -> Option<u32> {
        let reached = reach(
            &self.graph,
            self.node(index),
            Direction::Backward,
            |flow, _, held, _| held.is_empty() && matches!(flow, Flow::Same | Flow::Text),
        );
        let advanced = reached.iter().any(|one| {
            let at = self.graph.as_expr(one.node);
            at.is_some_and(|at| self.is_grown_in_loop(at))
        });
        let scan = self.scans().iter().find(|scan| {
            scan.yields == Yield::Position
                && scan
                    .results
                    .iter()
                    .any(|result| reached.iter().any(|one| one.node == *result))
        })?;
        if advanced {
            return None;
        }
        let subject = scan.subject.as_ref().map(|name| Subject::named(name.clone()));
        let by_id = match (&scan.accepts, subject) {
            (Some(accepts), _) => self.predicates.of_callable(*accepts).asks.meets(Asks::ID),
            (None, Some(subject)) => scan
                .conditions
                .iter()
                .any(|(cond, _)| self.predicates.of(*cond, &subject).asks.meets(Asks::ID)),
            _ => false,
        };
        if !by_id {
            return None;
        }
        let params = &self.project.function(function).params;
        let asked = scan
            .accepts
            .into_iter()
            .chain(scan.conditions.iter().map(|(cond, _)| *cond))
            .flat_map(|cond| self.names_asked(cond));
        let asked: Vec<Name> = asked.collect();
        let anchor = params.iter().position(|param| asked.contains(&param.name))?;
        u32::try_from(anchor).ok()
    }

    /// The names in a condition, those of a lambda's body included.
    fn names_asked(&self, cond: ExprRef) -> Vec<Name> {
        match self.kind(cond) {
            ExprKind::Lambda(lambda) => self.names_of_function(cond.module, *lambda),
            _ => self.names_in(cond).collect(),
        }
    }

    fn names_of_function(&self, module: crate::code::project::ModuleIx, function: FunctionId) -> Vec<Name> {
        let paths = self.paths.function(FuncRef { module, function });
        let exprs = paths.stmts().flat_map(|stmt| paths.own_exprs_in(stmt));
        exprs
            .filter_map(|expr| match self.module(module).kind(expr) {
                ExprKind::Name(name) => Some(name.clone()),
                _ => None,
            })
            .collect()
    }

    /// Whether a variable is moved on in a loop.
    fn is_grown_in_loop(&self, at: ExprRef) -> bool {
        let paths = self.paths.function(self.owner(at));
        paths.stmt_of(at.expr).is_some_and(|stmt| {
            matches!(paths.stmt(stmt).kind, StmtKind::Update { .. })
                || self.graph.is_target(at) && paths.enclosing_loops(stmt).next().is_some()
        })
    }

    /// The list of the loop around a call, if the argument for a parameter is the same each time.
    fn loop_with_fixed(&self, site: &CallSite, function: FuncRef, param: u32) -> Option<ExprRef> {
        let call = ExprRef {
            module: site.caller.module,
            expr: site.call,
        };
        let bound = self.project.bind(call, function);
        let (_, given) = bound.iter().find(|(index, _)| *index == param as usize)?;
        let paths = self.paths.function(self.owner(call));
        let stmt = paths.stmt_of(call.expr)?;
        let around = paths.enclosing_loops(stmt).next()?;
        let StmtKind::For { target, iter, .. } = &paths.stmt(around).kind else {
            return None;
        };
        let moving = self.names_in(self.beside(call, *target)).collect::<Vec<_>>();
        let fixed = !self
            .names_in(self.beside(call, *given))
            .any(|name| moving.contains(&name));
        let over = iteration(self.module(call.module), *iter)?;
        (fixed && !over.backward).then(|| self.beside(call, *iter))
    }

    /// The call that runs a function for each of several calls at once, where the function waits before
    /// it puts its result in.
    fn put_in_when_done(&self, function: FuncRef, edit: &Edit) -> Option<ExprRef> {
        let ir = self.project.function(function);
        let made = self.made_at(edit.value?)?;
        if !ir.is_async || !self.construction(made)?.is_tool_result(self) {
            return None;
        }
        let waits = self.awaits_before(edit);
        let shared = !self.is_own_list(function, edit.list);
        if !waits || !shared {
            return None;
        }
        self.run_together(function)
    }

    fn awaits_before(&self, edit: &Edit) -> bool {
        let paths = self.paths.function(self.owner(edit.site));
        let module = self.module(edit.site.module);
        let exprs = paths.stmts().flat_map(|stmt| paths.own_exprs_in(stmt));
        let mut waits = exprs.filter(|expr| matches!(module.kind(*expr), ExprKind::Await(_)));
        waits.any(|wait| {
            paths
                .order(wait, edit.site.expr)
                .is_some_and(|order| order.when == crate::code::flow::paths::When::Before)
        })
    }

    /// Whether a function makes the list itself.
    fn is_own_list(&self, function: FuncRef, list: ExprRef) -> bool {
        let module = self.module(list.module);
        let paths = self.paths.function(function);
        paths.stmts().any(|stmt| match &paths.stmt(stmt).kind {
            StmtKind::Assign { targets, .. } => targets.iter().any(|target| same_spelling(module, *target, list.expr)),
            _ => false,
        })
    }

    /// Where several runs of a function are waited for at once: it is mapped over a list whose results
    /// are gathered.
    fn run_together(&self, function: FuncRef) -> Option<ExprRef> {
        self.exprs().find(|at| {
            let ExprKind::Call { callee, args, .. } = self.kind(*at) else {
                return false;
            };
            let gathers = self.path(self.beside(*at, *callee)).is_some_and(|path| {
                self.vocabulary
                    .runs_together(crate::code::vocabulary::last_segment(&path))
            });
            gathers
                && at.module == function.module
                && args
                    .iter()
                    .any(|arg| self.runs_for_each(self.beside(*at, arg.value), function))
        })
    }

    /// `[one(c) for c in calls]`, `calls.map(one)`, or a list that was filled with such.
    fn runs_for_each(&self, given: ExprRef, function: FuncRef) -> bool {
        let reached = reach(
            &self.graph,
            self.node(given),
            Direction::Backward,
            |flow, _, held, _| held.is_empty() && matches!(flow, Flow::Same | Flow::Part(_)),
        );
        reached.iter().any(|one| {
            let Origin::Expr(at) = self.graph.origin(one.node) else {
                return false;
            };
            match self.kind(*at) {
                ExprKind::Comprehension { element, .. } => {
                    self.project.callees_of(self.beside(*at, *element)).contains(&function)
                }
                ExprKind::Call { idiom: Some(idiom), .. } if idiom.op == Intrinsic::Map => idiom
                    .operands
                    .first()
                    .is_some_and(|callable| match self.kind(self.beside(*at, *callable)) {
                        ExprKind::Lambda(lambda) => {
                            function.function == *lambda
                                || self.lambda_calls(
                                    FuncRef {
                                        module: at.module,
                                        function: *lambda,
                                    },
                                    function,
                                )
                        }
                        _ => self
                            .project
                            .functions_named_by(self.beside(*at, *callable))
                            .contains(&function),
                    }),
                _ => false,
            }
        })
    }

    fn lambda_calls(&self, lambda: FuncRef, function: FuncRef) -> bool {
        self.project
            .callers_of(function)
            .iter()
            .any(|site| site.caller == lambda)
    }
}
