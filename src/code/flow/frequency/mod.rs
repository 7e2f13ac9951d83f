//! How often a function's body, or an expression in it, is evaluated.
//!
//! What frameworks say of their hooks spreads along calls: a function runs as often as the most
//! frequent place that calls it.

mod kept;
mod sites;

#[cfg(test)]
mod tests;

use rustc_hash::{FxHashMap, FxHashSet};

use kept::is_kept;
use sites::{Site, call_sites, model_loops};

use super::paths::{AllPaths, StmtId};
use crate::code::ir::{FunctionId, Special};
use crate::code::project::{ExprRef, FuncRef, Project};
use crate::code::vocabulary::{Runs, Strength};

/// How often something is evaluated, and why that is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Frequency {
    /// How often.
    pub(crate) runs: Runs,
    /// How sure: weak where a name is all there is.
    pub(crate) strength: Strength,
    /// The reason.
    pub(crate) why: Why,
}

/// Where a frequency comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Why {
    /// It stands in the body of a module.
    ModuleBody,
    /// It stands in a constructor.
    Constructor(FuncRef),
    /// A framework calls this function.
    Hook(FuncRef),
    /// This function calls a model.
    CallsModel(FuncRef),
    /// It stands in a loop that calls a model; the loop's function is named.
    InLoop(FuncRef),
    /// The value is kept where the next evaluation finds it.
    Kept(FuncRef),
}

/// What is known of a function before calls are followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Declared {
    /// How often a framework calls it.
    pub(crate) runs: Runs,
    /// How much its name proves.
    pub(crate) strength: Strength,
}

/// The frequencies of a project's functions.
#[derive(Debug, Default)]
pub(crate) struct Frequencies {
    functions: FxHashMap<FuncRef, Frequency>,
    /// Loops in which a model is called, sooner or later.
    model_loops: FxHashSet<(FuncRef, StmtId)>,
}

impl Frequencies {
    /// Follows what is declared, and the calls of models, along the calls of a project.
    pub(crate) fn of(
        project: &Project,
        paths: &AllPaths<'_>,
        declared: &FxHashMap<FuncRef, Declared>,
        model_calls: &FxHashSet<ExprRef>,
    ) -> Self {
        let sites = call_sites(project);
        let mut found = Self {
            functions: FxHashMap::default(),
            model_loops: model_loops(project, paths, model_calls, &sites),
        };
        found.declare(project, declared, Strength::Strong);
        found.declare_callers(project, paths, model_calls);
        found.spread(project, paths, declared, &sites);
        // Names alone count only where nothing better is known.
        found.declare(project, declared, Strength::Weak);
        found.spread(project, paths, declared, &sites);
        found
    }

    /// How often a function runs.
    pub(crate) fn function(&self, function: FuncRef) -> Option<Frequency> {
        self.functions.get(&function).copied()
    }

    /// Whether a loop of a function calls a model, sooner or later.
    pub(crate) fn calls_model(&self, function: FuncRef, of: StmtId) -> bool {
        self.model_loops.contains(&(function, of))
    }

    /// How often an expression is evaluated.
    pub(crate) fn at(&self, project: &Project, paths: &AllPaths<'_>, expr: ExprRef) -> Option<Frequency> {
        let owner = project.owner(expr);
        let around = self.function(owner);
        let here = paths.function(owner);
        let module = project.module(expr.module);
        if is_kept(module, here, owner.function, expr.expr) {
            let strength = Strength::Strong;
            let why = Why::Kept(owner);
            let kept = Frequency {
                runs: Runs::Session,
                strength,
                why,
            };
            return Some(around.filter(|around| around.runs < Runs::Session).unwrap_or(kept));
        }
        let in_model_loop = here.stmt_of(expr.expr).is_some_and(|stmt| {
            let mut loops = here.enclosing_loops(stmt);
            loops.any(|found| self.model_loops.contains(&(owner, found)))
        });
        let looped = in_model_loop.then_some(Frequency {
            runs: Runs::Call,
            strength: Strength::Strong,
            why: Why::InLoop(owner),
        });
        more_often(around, looped)
    }

    /// Gives the functions of which something is known by themselves their frequency.
    fn declare(&mut self, project: &Project, declared: &FxHashMap<FuncRef, Declared>, strength: Strength) {
        for (function, ir) in project.functions() {
            let by_hook = declared
                .get(&function)
                .filter(|hook| hook.strength == strength)
                .map(|hook| Frequency {
                    runs: hook.runs,
                    strength,
                    why: Why::Hook(function),
                });
            if strength == Strength::Weak {
                if let Some(weak) = by_hook {
                    self.functions.entry(function).or_insert(weak);
                }
                continue;
            }
            let strong = |runs, why| Some(Frequency { runs, strength, why });
            let own = if function.function == FunctionId(0) {
                strong(Runs::Import, Why::ModuleBody)
            } else if matches!(ir.special, Some(Special::Constructor | Special::Preparation)) {
                strong(Runs::Construction, Why::Constructor(function))
            } else {
                None
            };
            if let Some(known) = more_often(by_hook, own) {
                self.functions.insert(function, known);
            }
        }
    }

    /// A function that calls a model runs once a call, or once a turn where a loop of it does.
    fn declare_callers(&mut self, project: &Project, paths: &AllPaths<'_>, model_calls: &FxHashSet<ExprRef>) {
        let mut calls: Vec<ExprRef> = model_calls.iter().copied().collect();
        calls.sort_unstable();
        for call in calls {
            let function = project.owner(call);
            let here = paths.function(function);
            let looped = here
                .stmt_of(call.expr)
                .is_some_and(|stmt| here.enclosing_loops(stmt).next().is_some());
            let by_call = Frequency {
                runs: if looped { Runs::Turn } else { Runs::Call },
                strength: Strength::Strong,
                why: Why::CallsModel(function),
            };
            if function.function != FunctionId(0)
                && let Some(known) = more_often(self.function(function), Some(by_call))
            {
                self.functions.insert(function, known);
            }
        }
    }

    /// Raises each function to the most frequent place that calls it, until nothing changes.
    fn spread(
        &mut self,
        project: &Project,
        paths: &AllPaths<'_>,
        declared: &FxHashMap<FuncRef, Declared>,
        sites: &[Site],
    ) {
        let mut by_caller: FxHashMap<FuncRef, Vec<&Site>> = FxHashMap::default();
        for site in sites {
            by_caller.entry(project.owner(site.at)).or_default().push(site);
        }
        let mut open: Vec<FuncRef> = project.functions().map(|(function, _)| function).collect();
        while let Some(caller) = open.pop() {
            for site in by_caller.get(&caller).into_iter().flatten() {
                // What keeps its value runs once however often it is asked.
                let keeps = declared
                    .get(&site.callee)
                    .is_some_and(|hook| hook.runs == Runs::Construction);
                // A test says nothing about how often the program runs something.
                let from_test = project.is_test(caller) && !project.is_test(site.callee);
                if keeps || from_test {
                    continue;
                }
                let known = self.function(site.callee);
                let raised = more_often(known, self.at(project, paths, site.at));
                if let Some(raised) = raised.filter(|raised| known.is_none_or(|known| known.runs < raised.runs)) {
                    self.functions.insert(site.callee, raised);
                    open.push(site.callee);
                }
            }
        }
    }
}

/// The more frequent of two; of equals the surer, then the first.
fn more_often(a: Option<Frequency>, b: Option<Frequency>) -> Option<Frequency> {
    match (a, b) {
        (Some(a), Some(b)) if (b.runs, b.strength) > (a.runs, a.strength) => Some(b),
        (a, b) => a.or(b),
    }
}
