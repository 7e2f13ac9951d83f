//! Loops that call one hook after the other, and what an error of one of them ends.

use super::Facts;
use crate::code::flow::graph::{Flow, Origin};
use crate::code::flow::paths::{Paths, Slot, StmtId, catches_all};
use crate::code::flow::reach::{Direction, reach};
use crate::code::ir::{ExprId, ExprKind, Intrinsic, Module, Name, StmtKind};
use crate::code::project::{ClassRef, ExprRef, FuncRef, ModuleIx, Target};
use crate::code::vocabulary::{Runs, Strength, Vocabulary};
use crate::finding::Confidence;

/// How many callers up an error is followed.
const CALLERS: usize = 3;

/// A loop that lets the error of one hook out.
#[derive(Clone, Debug)]
pub(crate) struct OpenDispatch {
    /// The list of hooks.
    pub(crate) hooks: ExprRef,
    /// The call of one hook.
    pub(crate) call: ExprRef,
    /// The call of the dispatcher that shares a handler of errors with the work itself.
    pub(crate) shares: Option<ExprRef>,
    /// Whether the list is called one of hooks, and not only of something that may be.
    pub(crate) named: bool,
}

impl Facts<'_> {
    /// All of a project; one for each list of hooks.
    pub(crate) fn open_dispatches(&self) -> Vec<OpenDispatch> {
        let mut found: Vec<OpenDispatch> = Vec::new();
        for (function, _) in self.project.functions() {
            if self.module(function.module).is_test {
                continue;
            }
            for (hooks, target) in self.runs_over_hooks(function) {
                let Some(open) = self.open_dispatch(function, hooks, target) else {
                    continue;
                };
                if !found.iter().any(|known| self.same_hooks(known.hooks, hooks)) {
                    found.push(open);
                }
            }
        }
        found
    }

    /// Loops over something that is called a list of hooks: the list and the name of one of them.
    fn runs_over_hooks(&self, function: FuncRef) -> Vec<(ExprRef, ExprRef)> {
        let at = |expr| ExprRef {
            module: function.module,
            expr,
        };
        let paths = self.paths.function(function);
        let mut found = Vec::new();
        for stmt in paths.stmts() {
            if let StmtKind::For { target, iter, .. } = &paths.stmt(stmt).kind {
                found.push((at(*iter), at(*target)));
            }
            for expr in paths.own_exprs_in(stmt) {
                if let ExprKind::Comprehension { clauses, .. } = self.kind(at(expr))
                    && let [clause] = &clauses[..]
                {
                    found.push((at(clause.iter), at(clause.target)));
                }
            }
        }
        let named = |(list, _): &(ExprRef, ExprRef)| self.hook_list(*list).is_some();
        found.retain(named);
        found
    }

    /// How surely a list is one of hooks, by its name.
    fn hook_list(&self, list: ExprRef) -> Option<Strength> {
        let name = self.list_name(list)?;
        self.vocabulary.hook_list(&name)
    }

    /// The last name of a list, copies and look-ups of it left out.
    fn list_name(&self, list: ExprRef) -> Option<Name> {
        match self.kind(list) {
            ExprKind::Name(name) | ExprKind::Attribute { name, .. } => Some(name.clone()),
            ExprKind::Call { idiom: Some(idiom), .. } => self.list_name(self.beside(list, *idiom.operands.first()?)),
            ExprKind::Index { base, .. } | ExprKind::Slice { base, .. } => self.list_name(self.beside(list, *base)),
            _ => None,
        }
    }

    fn same_hooks(&self, one: ExprRef, other: ExprRef) -> bool {
        one.module == other.module && self.list_name(one) == self.list_name(other)
    }

    fn open_dispatch(&self, function: FuncRef, hooks: ExprRef, target: ExprRef) -> Option<OpenDispatch> {
        let ExprKind::Name(item) = self.kind(target) else {
            return None;
        };
        let strength = self.hook_list(hooks)?;
        let call = self.call_of_item(function, hooks, item)?;
        let (callee, args) = self.call(call)?;
        let given_history = args
            .iter()
            .any(|arg| self.is_given_history(self.beside(call, arg.value)));
        let of_agent = given_history || strength == Strength::Strong && self.belongs_to_agent(function);
        let named = |expr: ExprRef| {
            self.path(expr)
                .is_some_and(|path| self.vocabulary.is_deliberate_hook(&path))
        };
        let decides = named(callee)
            || named(hooks)
            || self
                .vocabulary
                .is_deliberate_hook(&self.project.function(function).name);
        if !of_agent
            || decides
            || self.is_gathered_safely(call)
            || self.never_raises(call)
            || self.keeps_error(call)
            || self.gives_verdict(function, hooks, call)
            || self.is_written_out(hooks)
        {
            return None;
        }
        let paths = self.paths.function(function);
        if self.is_caught(paths, function.module, paths.stmt_of(call.expr)?, Some(call)) == Caught::Contained {
            return None;
        }
        let shares = match self.caught_by_callers(function, CALLERS) {
            Outcome::Contained => return None,
            Outcome::Shared(call) => Some(call),
            Outcome::Open => None,
        };
        let named = strength == Strength::Strong;
        Some(OpenDispatch {
            hooks,
            call,
            shares,
            named,
        })
    }

    /// The first call of an item for its effect or for what it gives: `hook(…)`, `hook.before(…)`.
    fn call_of_item(&self, function: FuncRef, hooks: ExprRef, item: &Name) -> Option<ExprRef> {
        let paths = self.paths.function(function);
        let around = paths.stmt_of(hooks.expr)?;
        let mut calls: Vec<ExprId> = paths
            .exprs_in(around)
            .filter(|expr| self.calls(hooks.module, *expr, item))
            .collect();
        calls.sort_by_key(|call| self.span(self.beside(hooks, *call)).start);
        calls.into_iter().map(|call| self.beside(hooks, call)).next()
    }

    fn calls(&self, module: ModuleIx, expr: ExprId, item: &Name) -> bool {
        let at = |expr| ExprRef { module, expr };
        let ExprKind::Call {
            callee,
            idiom: None,
            args,
        } = self.kind(at(expr))
        else {
            return false;
        };
        match self.kind(at(*callee)) {
            ExprKind::Name(name) => name == item,
            ExprKind::Attribute { base, name } => {
                // `get_notes(history)` works; `add_skills_to(context)` puts the agent together.
                let works =
                    || Vocabulary::is_getter(name) && args.iter().any(|arg| self.is_given_history(at(arg.value)));
                matches!(self.kind(at(*base)), ExprKind::Name(base) if base == item)
                    && (!self.vocabulary.is_upkeep(name) || works())
            }
            _ => false,
        }
    }

    /// Whether an argument is a history, or is called one in a file that has some.
    fn is_given_history(&self, arg: ExprRef) -> bool {
        let called_one = || match self.kind(arg) {
            ExprKind::Attribute { name, .. } => self.vocabulary.history_name(name).is_some(),
            _ => false,
        };
        // Helpers that a whole project shares make histories of many things; what stands around decides.
        let near = || self.histories().near(&self.graph, self.node(arg)).confidence;
        self.is_some_history(arg) && near() >= Some(Confidence::Medium)
            || called_one() && self.has_sure_history(arg.module)
    }

    fn is_some_history(&self, expr: ExprRef) -> bool {
        self.histories()
            .confidence(self.node(expr))
            .is_some_and(|sure| sure >= Confidence::Medium)
    }

    /// Whether a function is part of a conversation with a model: its object holds a history, it is
    /// given one, or it is known to run in every turn.
    fn belongs_to_agent(&self, function: FuncRef) -> bool {
        let ir = self.project.function(function);
        let often = self
            .frequencies
            .function(function)
            .is_some_and(|found| found.runs >= Runs::Turn && found.strength == Strength::Strong);
        let given = (0..ir.params.len() as u32).any(|index| {
            let param = self.graph.find(&Origin::Param(function, index));
            param.is_some_and(|param| {
                self.histories()
                    .confidence(param)
                    .is_some_and(|sure| sure >= Confidence::Medium)
            })
        });
        often
            || given
            || ir.class.is_some_and(|class| {
                self.holds_history(ClassRef {
                    module: function.module,
                    class,
                })
            })
    }

    fn holds_history(&self, class: ClassRef) -> bool {
        self.exprs().filter(|expr| expr.module == class.module).any(|expr| {
            let ExprKind::Attribute { base, .. } = self.kind(expr) else {
                return false;
            };
            let own = matches!(self.kind(self.beside(expr, *base)), ExprKind::Name(name)
                if self.project.is_receiver(self.owner(expr), name));
            own && self.project.function(self.owner(expr)).class == Some(class.class) && self.is_some_history(expr)
        })
    }

    /// Whether an error of a call is a value that nobody hands on: no `?` stands behind it.
    fn keeps_error(&self, call: ExprRef) -> bool {
        let module = self.module(call.module);
        let place = |expr: ExprRef| module.expr(expr.expr).place;
        let waited = self
            .graph
            .around(call)
            .filter(|outer| matches!(self.kind(*outer), ExprKind::Await(_)));
        module.handed_on.as_ref().is_some_and(|handed_on| {
            let here = place(call);
            !handed_on
                .iter()
                .any(|at| *at == here || waited.is_some_and(|waited| *at == place(waited)))
        })
    }

    /// Whether the kind of answer that a hook gives decides whether the run goes on: no error of it says
    /// that it may.
    fn gives_verdict(&self, function: FuncRef, hooks: ExprRef, call: ExprRef) -> bool {
        let paths = self.paths.function(function);
        let answered = paths.stmt_of(call.expr).map(|stmt| &paths.stmt(stmt).kind);
        let Some(StmtKind::Assign { targets, .. }) = answered else {
            return false;
        };
        let [target] = targets[..] else { return false };
        let ExprKind::Name(answer) = self.kind(self.beside(call, target)) else {
            return false;
        };
        let module = self.module(function.module);
        let is_answer = |expr: ExprId| matches!(module.kind(expr), ExprKind::Name(name) if name == answer);
        let asks_kind = |cond: ExprId| match module.kind(cond) {
            // A helper that asks nothing else.
            ExprKind::Call { args, .. } => {
                let answer = self.answer_of_helper(self.beside(call, cond));
                args.iter().any(|arg| is_answer(arg.value))
                    && answer.is_some_and(|answer| compares_kind(self.module(answer.module), answer.expr).is_some())
            }
            _ => compares_kind(module, cond).is_some_and(is_answer),
        };
        let Some(around) = paths.stmt_of(hooks.expr) else {
            return false;
        };
        paths.stmts().any(|stmt| {
            let StmtKind::Return(Some(value)) = paths.stmt(stmt).kind else {
                return false;
            };
            paths.enclosing_loops(stmt).any(|outer| outer == around)
                && paths
                    .guards(value)
                    .into_iter()
                    .any(|guard| guard.holds && asks_kind(guard.cond))
        })
    }

    /// `gather(…, return_exceptions=True)` around the calls.
    fn is_gathered_safely(&self, call: ExprRef) -> bool {
        let mut around = self.graph.around(call);
        while let Some(outer) = around {
            if let ExprKind::Call { callee, args, .. } = self.kind(outer) {
                let keeps = args.iter().any(|arg| arg.name.as_deref() == Some("return_exceptions"));
                let settles = matches!(self.kind(self.beside(outer, *callee)), ExprKind::Attribute { name, .. } if &**name == "allSettled");
                if keeps || settles {
                    return true;
                }
            }
            around = self.graph.around(outer);
        }
        false
    }

    /// Whether all functions that a call may enter catch what goes wrong in them.
    fn never_raises(&self, call: ExprRef) -> bool {
        let callees = self.project.callees_of(call);
        !callees.is_empty()
            && callees.iter().all(|callee| {
                let paths = self.paths.function(*callee);
                let mut stmts = paths.stmts().filter(|stmt| paths.may_raise(*stmt)).peekable();
                stmts.peek().is_some()
                    && stmts.all(|stmt| self.is_caught(paths, callee.module, stmt, None) != Caught::No)
            })
    }

    /// What becomes of an error of a statement in its own function.
    fn is_caught(&self, paths: &Paths<'_>, module: ModuleIx, stmt: StmtId, hook: Option<ExprRef>) -> Caught {
        for (parent, slot) in paths.parents(stmt) {
            let StmtKind::Try { handlers, .. } = &paths.stmt(parent).kind else {
                continue;
            };
            if slot != Slot::Try {
                continue;
            }
            let all = handlers.iter().position(catches_all);
            let Some(number) = all else { continue };
            // Whoever raises again inside the loop means it.
            let inside_loop = hook.is_some() && paths.enclosing_loops(parent).next().is_some();
            if inside_loop
                || paths.completes(paths.block(parent, Slot::Handler(number)))
                    && !self.holds_work(paths, module, parent)
            {
                return Caught::Contained;
            }
            return Caught::Shared;
        }
        Caught::No
    }

    /// Whether what is tried is more than the hooks: a model is called or a history is written there.
    fn holds_work(&self, paths: &Paths<'_>, module: ModuleIx, tried: StmtId) -> bool {
        paths.block(tried, Slot::Try).iter().any(|inner| {
            paths.exprs_in(*inner).any(|expr| {
                let at = ExprRef { module, expr };
                match self.kind(at) {
                    ExprKind::Call { idiom: Some(idiom), .. } => {
                        matches!(idiom.op, Intrinsic::Append | Intrinsic::Extend | Intrinsic::Insert)
                            && idiom
                                .operands
                                .first()
                                .is_some_and(|list| self.is_some_history(self.beside(at, *list)))
                    }
                    ExprKind::Call { .. } => self.runs_model(at),
                    _ => false,
                }
            })
        })
    }

    fn caught_by_callers(&self, function: FuncRef, depth: usize) -> Outcome {
        let sites: Vec<_> = self
            .project
            .callers_of(function)
            .iter()
            .filter(|site| !self.module(site.caller.module).is_test)
            .collect();
        let mut shared = None;
        let mut contained = !sites.is_empty();
        for site in sites {
            let paths = self.paths.function(site.caller);
            let call = ExprRef {
                module: site.caller.module,
                expr: site.call,
            };
            let Some(stmt) = paths.stmt_of(site.call) else {
                return Outcome::Open;
            };
            let caught = self.is_caught(paths, site.caller.module, stmt, None);
            let further = match caught {
                Caught::Contained => Outcome::Contained,
                Caught::Shared => Outcome::Shared(call),
                Caught::No if depth > 0 && site.caller != function => self.caught_by_callers(site.caller, depth - 1),
                Caught::No => Outcome::Open,
            };
            contained &= further == Outcome::Contained;
            if caught == Caught::Shared {
                shared = shared.or(Some(call));
            }
        }
        match shared {
            _ if contained => Outcome::Contained,
            Some(call) => Outcome::Shared(call),
            None => Outcome::Open,
        }
    }

    /// Whether a list is written in the program, with functions or classes that it holds itself: no stranger's
    /// code.
    fn is_written_out(&self, hooks: ExprRef) -> bool {
        let behind = reach(
            &self.graph,
            self.node(hooks),
            Direction::Backward,
            |flow, _, held, _| held.is_empty() && matches!(flow, Flow::Same | Flow::Part(_)),
        );
        let exprs = behind.iter().filter_map(|one| self.graph.as_expr(one.node));
        let display = exprs
            .chain(self.written_in_class(hooks))
            .find_map(|expr| match self.kind(expr) {
                ExprKind::List { items, .. } if !items.is_empty() => Some((expr, items)),
                _ => None,
            });
        let own = display.is_some_and(|(list, items)| {
            let own = |value: ExprId| {
                !self.project.functions_named_by(self.beside(list, value)).is_empty()
                    || matches!(self.project.resolve(self.owner(list), value), Target::Class(_))
            };
            items.iter().all(|item| !item.spread && own(item.value))
        });
        own && !self.is_filled_from_outside(hooks)
    }

    /// The list that the body of a class gives to an attribute.
    fn written_in_class(&self, attribute: ExprRef) -> Option<ExprRef> {
        let ExprKind::Attribute { base, name } = self.kind(attribute) else {
            return None;
        };
        let owner = self.owner(attribute);
        let own = || match self.kind(self.beside(attribute, *base)) {
            ExprKind::Name(base) if self.project.is_receiver(owner, base) => {
                self.project.function(owner).class.map(|class| ClassRef {
                    module: owner.module,
                    class,
                })
            }
            _ => None,
        };
        let class = self.project.class_of(self.beside(attribute, *base)).or_else(own)?;
        let fields = &self.project.class(class).fields;
        let value = fields.iter().find(|field| field.name == *name)?.value?;
        Some(ExprRef {
            module: class.module,
            expr: value,
        })
    }

    /// Whether the hooks of a list come from outside: they are registered, or handed in.
    pub(crate) fn is_filled_from_outside(&self, hooks: ExprRef) -> bool {
        let behind = reach(
            &self.graph,
            self.node(hooks),
            Direction::Backward,
            |flow, _, held, _| {
                held.len() <= 1 && matches!(flow, Flow::Same | Flow::Into | Flow::Part(_) | Flow::Enter(_))
            },
        );
        behind
            .iter()
            .any(|one| matches!(self.graph.origin(one.node), Origin::Param(..)))
    }
}

/// What becomes of an error in one function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Caught {
    /// It goes on.
    No,
    /// It is caught, and the work goes on.
    Contained,
    /// It is caught together with the work, which is given up.
    Shared,
}

/// What becomes of an error in the callers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Outcome {
    Open,
    Contained,
    Shared(ExprRef),
}

/// What a condition compares with a member of an enumeration, or with a type.
fn compares_kind(module: &Module, cond: ExprId) -> Option<ExprId> {
    match module.kind(cond) {
        ExprKind::Compare { left, right, .. } => {
            matches!(module.kind(*right), ExprKind::Attribute { .. }).then_some(*left)
        }
        ExprKind::TypeTest { value, .. } => Some(*value),
        _ => None,
    }
}
