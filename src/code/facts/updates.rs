//! Updates that functions return to a reducer: `{"messages": …}`, `Command(update={"messages": …})`.

use super::Facts;
use crate::code::flow::graph::{Flow, Origin};
use crate::code::flow::reach::{Direction, reach};
use crate::code::ir::{ExprKind, Name};
use crate::code::project::{ClassRef, ExprRef, FuncRef, Target};
use crate::code::vocabulary::{Effect, Fold, HistoryType, Runs, Strength};
use crate::finding::Confidence;

/// How an update is applied to the history.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Applied {
    /// Folded by a reducer.
    Fold(Fold),
    /// It becomes the whole list.
    Replace,
    /// It reaches the next call only.
    CallOnly,
    /// Not known.
    Unknown,
}

/// One update.
#[derive(Clone, Debug)]
pub(crate) struct Update {
    /// The display of the dictionary, or the call that takes the messages.
    pub(crate) expr: ExprRef,
    /// The messages.
    pub(crate) messages: ExprRef,
    /// The key that they stand under.
    pub(crate) key: Name,
    /// How it is applied.
    pub(crate) applied: Applied,
    /// How often it is returned, where a framework says so.
    pub(crate) runs: Option<Runs>,
    /// How sure it is that it is applied so.
    pub(crate) confidence: Confidence,
}

/// All updates of a project, in the order of its expressions.
pub(super) fn find(facts: &Facts) -> Vec<Update> {
    facts.found_in_exprs(|expr| update(facts, expr))
}

fn update(facts: &Facts, expr: ExprRef) -> Option<Update> {
    let ExprKind::Dict(entries) = facts.kind(expr) else {
        return None;
    };
    let (key, messages) = entries.iter().find_map(|(key, value)| {
        let key = facts.text(facts.beside(expr, (*key)?))?;
        let value = facts.beside(expr, *value);
        let named = facts.vocabulary.history_name(key) == Some(Strength::Strong);
        (named || is_reducer_key(facts, expr, key)).then(|| (key.clone(), value))
    })?;
    let mut made = Update {
        expr,
        messages,
        key: key.clone(),
        applied: Applied::Unknown,
        runs: None,
        confidence: Confidence::Medium,
    };
    if facts.vocabulary.update_key(&key) == Some(Effect::CallOnly) {
        made.applied = Applied::CallOnly;
        return Some(made);
    }
    let destination = destination(facts, expr)?;
    made.runs = destination.runs;
    if destination.effect == Some(Effect::CallOnly) {
        made.applied = Applied::CallOnly;
        return Some(made);
    }
    let (applied, confidence) = applied(facts, &destination, &key);
    made.applied = applied;
    made.confidence = confidence;
    Some(made)
}

/// A key whose values some state of the project folds.
fn is_reducer_key(facts: &Facts, expr: ExprRef, key: &str) -> bool {
    let function = facts.owner(expr);
    state_class(facts, function)
        .is_some_and(|class| matches!(class, State::Ours(class) if field_fold(facts, class, key).is_some()))
}

/// Where an update goes.
struct Destination {
    function: FuncRef,
    effect: Option<Effect>,
    runs: Option<Runs>,
    hook: bool,
}

/// The hook that returns the update, or the wrapper or call that takes it; `None` when it is no
/// update at all.
fn destination(facts: &Facts, expr: ExprRef) -> Option<Destination> {
    let reached = reach(
        &facts.graph,
        facts.node(expr),
        Direction::Forward,
        |flow, _, held, _| {
            held.is_empty() && matches!(flow, Flow::Same | Flow::Leave(_))
                || matches!(flow, Flow::Into | Flow::Store(_))
        },
    );
    let function = facts.owner(expr);
    let mut returned = false;
    let mut best: Option<Destination> = None;
    for one in &reached {
        match facts.graph.origin(one.node) {
            Origin::Result(result) => {
                returned |= *result == function;
                if let Some(hook) = facts.hook(*result) {
                    let found = Destination {
                        function: *result,
                        effect: hook.effect,
                        runs: Some(hook.runs),
                        hook: true,
                    };
                    if best
                        .as_ref()
                        .is_none_or(|best| best.effect == Some(Effect::CallOnly) || !best.hook)
                    {
                        best = Some(found);
                    }
                }
            }
            Origin::Expr(at) => {
                if let Some(wrapped) = wrapped(facts, *at) {
                    best = best.or(Some(Destination {
                        function,
                        effect: Some(wrapped),
                        runs: None,
                        hook: true,
                    }));
                }
            }
            _ => {}
        }
    }
    if best.is_some() {
        return best;
    }
    // A function of a state that returns an update is a node, whoever registers it.
    let spoken = facts.vocabulary.speaks_to_models(facts.frameworks(expr.module));
    let of_state = state_class(facts, function).is_some() || has_state_parameter(facts, function);
    (returned && spoken && of_state).then_some(Destination {
        function,
        effect: None,
        runs: None,
        hook: false,
    })
}

/// Whether an expression is the update of a wrapper such as `Command`, or what a store is given.
fn wrapped(facts: &Facts, at: ExprRef) -> Option<Effect> {
    let call = facts.graph.around(at)?;
    let (callee, args) = facts.call(call)?;
    let path = facts.path(callee)?;
    let here = facts.frameworks(call.module);
    if let Some(wrapper) = facts.vocabulary.update_wrapper(&path, here) {
        return (!wrapper.sub_agent && wrapper.argument.find(args) == Some(at.expr)).then_some(Effect::Persists);
    }
    let store = facts.vocabulary.store(&path, here)?;
    (store.strength == Strength::Strong && store.messages.find(args) == Some(at.expr)).then_some(Effect::Persists)
}

fn has_state_parameter(facts: &Facts, function: FuncRef) -> bool {
    facts
        .project
        .function(function)
        .params
        .iter()
        .any(|param| &*param.name == "state" || param.name.ends_with("_state"))
}

/// A state with a history in it.
enum State {
    Ours(ClassRef),
    Framework(Name),
}

/// The type of the state that a function is given.
fn state_class(facts: &Facts, function: FuncRef) -> Option<State> {
    let here = facts.frameworks(function.module);
    facts.project.function(function).params.iter().find_map(|param| {
        let annotation = param.annotation.as_ref()?;
        for target in facts.project.annotated(function, annotation) {
            match target {
                Target::Class(class) if is_state(facts, class) => return Some(State::Ours(class)),
                Target::External(path) if facts.vocabulary.history_type(&path, here) == Some(HistoryType::State) => {
                    return Some(State::Framework(path));
                }
                _ => {}
            }
        }
        None
    })
}

/// Whether a class of the project holds a history: a field with a reducer or with the name of one.
pub(super) fn is_state(facts: &Facts, class: ClassRef) -> bool {
    facts.states.of(&class, || class, || holds_history(facts, class))
}

fn holds_history(facts: &Facts, class: ClassRef) -> bool {
    let named = |name: &str| facts.vocabulary.history_name(name) == Some(Strength::Strong);
    let fields = |class: ClassRef| {
        facts
            .project
            .class(class)
            .fields
            .iter()
            .any(|field| named(&field.name) || field_fold(facts, class, &field.name).is_some())
    };
    fields(class)
        || facts.project.class_facts(class).lineage.iter().any(|base| match base {
            Target::Class(base) => fields(*base),
            Target::External(path) => facts.vocabulary.reducer_of_base(path, "messages").is_some(),
            _ => false,
        })
}

/// The reducer of a field of a state class, its own or inherited.
fn field_fold(facts: &Facts, class: ClassRef, key: &str) -> Option<Fold> {
    facts
        .project
        .class_facts(class)
        .lineage
        .iter()
        .find_map(|base| match base {
            Target::Class(base) => {
                let here = facts.frameworks(base.module);
                let fields = &facts.project.class(*base).fields;
                let annotation = fields.iter().find(|field| &*field.name == key)?.annotation.as_ref()?;
                facts.vocabulary.reducer_of_annotation(annotation, here)
            }
            Target::External(path) => facts.vocabulary.reducer_of_base(path, key),
            _ => None,
        })
}

/// Whether a class of the project declares a field itself.
fn declares(facts: &Facts, class: ClassRef, key: &str) -> bool {
    facts.project.class_facts(class).lineage.iter().any(|base| match base {
        Target::Class(base) => facts
            .project
            .class(*base)
            .fields
            .iter()
            .any(|field| &*field.name == key),
        _ => false,
    })
}

fn applied(facts: &Facts, destination: &Destination, key: &str) -> (Applied, Confidence) {
    match state_class(facts, destination.function) {
        Some(State::Ours(class)) => match field_fold(facts, class, key) {
            Some(fold) => return (Applied::Fold(fold), Confidence::High),
            None if declares(facts, class, key) => return (Applied::Replace, Confidence::High),
            None => {}
        },
        Some(State::Framework(path)) => {
            if let Some(fold) = facts.vocabulary.reducer_of_base(&path, key) {
                return (Applied::Fold(fold), Confidence::High);
            }
        }
        None => {}
    }
    if destination.hook && key == "messages" {
        return (Applied::Fold(Fold::MergeById), Confidence::High);
    }
    // An untyped state: the file tells by the reducer that it imports.
    let module = facts.module(destination.function.module);
    let here = facts.frameworks(destination.function.module);
    let fold = module.imports.iter().find_map(|import| {
        facts
            .vocabulary
            .reducer(&format!("{}.{}", import.module, import.symbol.as_ref()?), here)
    });
    match fold {
        Some(fold) => (Applied::Fold(fold), Confidence::Medium),
        None if key == "messages" => (Applied::Fold(Fold::MergeById), Confidence::Medium),
        None => (Applied::Unknown, Confidence::Low),
    }
}
