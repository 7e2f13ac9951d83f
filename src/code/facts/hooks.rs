//! Functions that a framework calls, and what becomes of what they return.

use rustc_hash::FxHashMap;

use super::Facts;
use crate::code::flow::graph::Flow;
use crate::code::flow::reach::{Direction, reach};
use crate::code::ir::{Arg, ExprKind, Special};
use crate::code::project::{ExprRef, FuncRef, Target};
use crate::code::vocabulary::{Effect, Runs, Strength};

/// What is known of a function that a framework calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct HookFacts {
    /// What becomes of what it returns; `None` where nobody knows.
    pub(crate) effect: Option<Effect>,
    /// How often it runs.
    pub(crate) runs: Runs,
    /// How much its name proves.
    pub(crate) strength: Strength,
}

/// All hooks of a project.
pub(super) fn find(facts: &Facts) -> FxHashMap<FuncRef, HookFacts> {
    let mut hooks = FxHashMap::default();
    for (function, ir) in facts.project.functions() {
        if let Some(hook) = declared(facts, function, ir) {
            hooks.insert(function, hook);
        }
    }
    for expr in facts.exprs() {
        if let ExprKind::Call { callee, args, .. } = facts.kind(expr) {
            registered(facts, expr, facts.beside(expr, *callee), args, &mut hooks);
        }
    }
    hooks
}

/// By its name in a class of the framework, or by its decorator.
fn declared(facts: &Facts, function: FuncRef, ir: &crate::code::ir::Function) -> Option<HookFacts> {
    let here = facts.frameworks(function.module);
    let scope = ir.parent.map_or(function, |parent| FuncRef {
        module: function.module,
        function: parent,
    });
    for decorator in &ir.decorators {
        let decorator = ExprRef {
            module: function.module,
            expr: *decorator,
        };
        let named = match facts.kind(decorator) {
            ExprKind::Call { callee, .. } => facts.beside(decorator, *callee),
            _ => decorator,
        };
        let path = match facts.project.resolve(scope, named.expr) {
            Target::External(path) => Some(path),
            _ => facts.path(named),
        };
        if let Some(hook) = path.and_then(|path| facts.vocabulary.hook_decorator(&path, here)) {
            return Some(HookFacts {
                effect: hook.effect,
                runs: hook.runs,
                strength: hook.strength,
            });
        }
    }
    // The name alone says it all where it is a framework's own word for one of its events.
    let Some(class) = ir.class else {
        let hook = facts.vocabulary.hook(&ir.name, &[])?;
        return (ir.name.contains('.') && hook.strength == Strength::Strong).then_some(HookFacts {
            effect: hook.effect,
            runs: hook.runs,
            strength: hook.strength,
        });
    };
    let bases = facts.project.bases(crate::code::project::ClassRef {
        module: function.module,
        class,
    });
    let bases: Vec<&str> = bases.iter().map(|base| &**base).collect();
    let hook = facts.vocabulary.hook(&ir.name, &bases)?;
    Some(HookFacts {
        effect: hook.effect,
        runs: hook.runs,
        strength: hook.strength,
    })
}

/// By a call that is given the function.
fn registered(facts: &Facts, call: ExprRef, callee: ExprRef, args: &[Arg], hooks: &mut FxHashMap<FuncRef, HookFacts>) {
    let Some(path) = facts.path(callee) else { return };
    for registration in facts.vocabulary.registrations(&path, facts.frameworks(call.module)) {
        let given = registration.function.find(args).or(match args {
            [only] if registration.only_argument && !only.spread => Some(only.value),
            _ => None,
        });
        let Some(given) = given else { continue };
        for function in each(facts, facts.beside(call, given)) {
            hooks.entry(function).or_insert(HookFacts {
                effect: registration.effect,
                runs: registration.runs,
                strength: Strength::Strong,
            });
        }
    }
}

/// The functions that a value may be, or that stand in it where it is a list.
fn each(facts: &Facts, value: ExprRef) -> Vec<FuncRef> {
    match facts.kind(value) {
        ExprKind::List { items, .. } => items
            .iter()
            .filter(|item| !item.spread)
            .flat_map(|item| functions_behind(facts, facts.beside(value, item.value)))
            .collect(),
        _ => functions_behind(facts, value),
    }
}

/// The functions that a value may be: named directly, made by a factory, or an object that can be
/// called.
pub(crate) fn functions_behind(facts: &Facts, value: ExprRef) -> Vec<FuncRef> {
    let mut found = Vec::new();
    let behind = reach(
        &facts.graph,
        facts.node(value),
        Direction::Backward,
        |flow, _, held, _| held.is_empty() && matches!(flow, Flow::Same | Flow::Enter(_) | Flow::Leave(_)),
    );
    for reached in behind {
        let Some(expr) = facts.graph.as_expr(reached.node) else {
            continue;
        };
        match facts.kind(expr) {
            ExprKind::Lambda(function) => found.push(FuncRef {
                module: expr.module,
                function: *function,
            }),
            ExprKind::Name(_) | ExprKind::Attribute { .. } => found.extend(facts.project.functions_named_by(expr)),
            ExprKind::Call { .. } => {
                if let Some(class) = facts.project.class_of(expr) {
                    found.extend(facts.project.special(class, Special::Call));
                }
            }
            _ => {}
        }
    }
    found.sort_unstable();
    found.dedup();
    found
}
