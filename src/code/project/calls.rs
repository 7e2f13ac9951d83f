//! Who calls whom, and with what.

use rayon::prelude::*;
use rustc_hash::FxHashMap;

use super::{ExprRef, FuncRef, ModuleIx, Project, Target};
use crate::code::ir::{ExprId, ExprKind, Module, ParamKind, Special, written};

/// A call that reaches a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct CallSite {
    /// Where the call stands.
    pub(crate) caller: FuncRef,
    /// The call.
    pub(crate) call: ExprId,
}

/// The call graph.
#[derive(Debug, Default)]
pub(super) struct Calls {
    callees: FxHashMap<ExprRef, Vec<FuncRef>>,
    callers: FxHashMap<FuncRef, Vec<CallSite>>,
}

impl Calls {
    pub(super) fn of(project: &Project) -> Self {
        let modules: Vec<(ModuleIx, &Module)> = project.modules().collect();
        let resolved: Vec<Vec<(CallSite, Vec<FuncRef>)>> = modules
            .par_iter()
            .map(|&(module, ir)| calls_in(project, module, ir))
            .collect();
        let mut calls = Self::default();
        for (site, callees) in resolved.into_iter().flatten() {
            for &callee in &callees {
                calls.callers.entry(callee).or_default().push(site);
            }
            let call = ExprRef {
                module: site.caller.module,
                expr: site.call,
            };
            calls.callees.insert(call, callees);
        }
        calls
    }

    pub(super) fn callers_of(&self, function: FuncRef) -> &[CallSite] {
        self.callers.get(&function).map(Vec::as_slice).unwrap_or_default()
    }

    pub(super) fn callees_of(&self, call: ExprRef) -> &[FuncRef] {
        self.callees.get(&call).map(Vec::as_slice).unwrap_or_default()
    }
}

/// The calls of a module that enter functions of the run.
fn calls_in(project: &Project, module: ModuleIx, ir: &Module) -> Vec<(CallSite, Vec<FuncRef>)> {
    let mut calls = Vec::new();
    for (index, expr) in ir.exprs.iter().enumerate() {
        let ExprKind::Call { callee, .. } = &expr.kind else {
            continue;
        };
        let call = ExprId(index as u32);
        let caller = project.owner(ExprRef { module, expr: call });
        let mut callees = Vec::new();
        for target in project.resolve_all(caller, *callee) {
            let function = match target {
                Target::Function(function) => Some(function),
                Target::Class(class) => project.special(class, Special::Constructor),
                _ => None,
            };
            if let Some(function) = function
                && !callees.contains(&function)
            {
                callees.push(function);
            }
        }
        if !callees.is_empty() {
            calls.push((CallSite { caller, call }, callees));
        }
    }
    calls
}

/// See [`Project::bind`].
pub(super) fn bind(project: &Project, call: ExprRef, target: FuncRef) -> Vec<(usize, ExprId)> {
    let module = project.module(call.module);
    let ExprKind::Call { callee, args, .. } = module.kind(call.expr) else {
        return Vec::new();
    };
    let function = project.function(target);
    let mut bound = Vec::new();
    let mut next = 0;
    if function.has_receiver {
        match receiver(project, call, *callee, target) {
            Receiver::Bound(value) => {
                bound.extend(value.map(|value| (0, value)));
                next = 1;
            }
            Receiver::Argument => {}
        }
    }
    let find = |kinds: &[ParamKind]| function.params.iter().position(|param| kinds.contains(&param.kind));
    let rest = find(&[ParamKind::RestPositional]);
    let mut known = true;
    for arg in written(args) {
        match &arg.name {
            None if arg.spread => known = false,
            None if known => {
                let plain = function
                    .params
                    .get(next)
                    .is_some_and(|param| param.kind == ParamKind::Plain);
                if plain {
                    bound.push((next, arg.value));
                    next += 1;
                } else if let Some(rest) = rest {
                    bound.push((rest, arg.value));
                }
            }
            Some(name) if !arg.spread => {
                let named = function.params.iter().position(|param| {
                    param.name == *name && matches!(param.kind, ParamKind::Plain | ParamKind::Keyword)
                });
                if let Some(index) = named.or_else(|| find(&[ParamKind::RestKeyword])) {
                    bound.push((index, arg.value));
                }
            }
            _ => {}
        }
    }
    bound
}

/// Where a method's first parameter comes from.
enum Receiver {
    /// From what stands before the dot, if that is an expression of the call.
    Bound(Option<ExprId>),
    /// From the first argument: `Class.method(instance)`.
    Argument,
}

fn receiver(project: &Project, call: ExprRef, callee: ExprId, target: FuncRef) -> Receiver {
    let module = project.module(call.module);
    let ExprKind::Attribute { base, .. } = module.kind(callee) else {
        // A constructor, or a method that was taken from its object before.
        return Receiver::Bound(None);
    };
    let at = project.owner(call);
    let through_class = project
        .resolve_all(at, *base)
        .iter()
        .any(|target| matches!(target, Target::Class(_)));
    let enters_constructor = project
        .resolve_all(at, callee)
        .iter()
        .any(|target| matches!(target, Target::Class(_)));
    if enters_constructor {
        return Receiver::Bound(None);
    }
    if through_class && !is_class_method(project, target) {
        return Receiver::Argument;
    }
    Receiver::Bound(Some(*base))
}

fn is_class_method(project: &Project, target: FuncRef) -> bool {
    let module = project.module(target.module);
    project
        .function(target)
        .decorators
        .iter()
        .any(|&decorator| matches!(module.kind(decorator), ExprKind::Name(name) if &**name == "classmethod"))
}
