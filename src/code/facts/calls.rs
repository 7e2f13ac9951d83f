//! Calls of a model, with what they send.

use rustc_hash::FxHashSet;

use super::Facts;
use crate::code::ir::{Arg, ExprId, ExprKind};
use crate::code::project::ExprRef;
use crate::code::vocabulary::{ArgumentSpec, Strength, last_segment, same_name};
use crate::finding::Confidence;

/// One call of a model, or of what makes the object that will call it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ModelSend {
    /// The call.
    pub(crate) call: ExprRef,
    /// The list of messages.
    pub(crate) messages: Option<ExprRef>,
    /// The system prompt.
    pub(crate) system: Option<ExprRef>,
    /// The tools.
    pub(crate) tools: Option<ExprRef>,
    /// Whether it only makes the object.
    pub(crate) builds: bool,
}

/// All calls of models, in the order of the project's expressions.
pub(super) fn find(facts: &Facts) -> Vec<ModelSend> {
    facts.found_in_exprs(|expr| send(facts, expr))
}

/// The calls that run a model.
pub(super) fn running(sends: &[ModelSend]) -> FxHashSet<ExprRef> {
    sends.iter().filter(|send| !send.builds).map(|send| send.call).collect()
}

fn send(facts: &Facts, call: ExprRef) -> Option<ModelSend> {
    let ExprKind::Call { callee, args, .. } = facts.kind(call) else {
        return None;
    };
    if facts.construction(call).is_some() {
        return None;
    }
    let own = !facts.project.callees_of(call).is_empty();
    let path = facts.path(facts.beside(call, *callee))?;
    let here = facts.frameworks(call.module);
    let at = |expr: ExprId| facts.beside(call, expr);
    let is_history = |expr: ExprId| {
        facts
            .histories()
            .confidence(facts.node(at(expr)))
            .is_some_and(|sure| sure >= Confidence::Medium)
    };
    let receiver = |name: &str| facts.vocabulary.model_receiver(name);
    let known = facts.vocabulary.model_call(&path, here);
    if own && !known.is_some_and(|known| known.own) {
        return None;
    }
    if let Some(known) = known {
        let messages = known.messages.find(args);
        let named = |spec: &ArgumentSpec| args.iter().any(|arg| is_named(arg, spec));
        let by_receiver = path
            .rsplit_once('.')
            .and_then(|(before, _)| receiver(last_segment(before)));
        let sure = known.strength == Strength::Strong
            || by_receiver == Some(Strength::Strong)
            || messages.is_some_and(is_history) && (by_receiver.is_some() || named(&known.messages))
            || by_receiver.is_some() && args.iter().any(|arg| arg.name.as_deref() == Some("messages"))
            || named(&known.system);
        return sure.then(|| ModelSend {
            call,
            messages: messages.map(at),
            system: known.system.find(args).map(at),
            tools: known.tools.find(args).map(at),
            builds: known.builds,
        });
    }
    // `self.llm(messages)`
    let first = args.iter().find(|arg| !arg.spread && is_history(arg.value))?;
    (receiver(last_segment(&path)) == Some(Strength::Strong)).then(|| ModelSend {
        call,
        messages: Some(at(first.value)),
        system: None,
        tools: None,
        builds: false,
    })
}

fn is_named(arg: &Arg, spec: &ArgumentSpec) -> bool {
    arg.name
        .as_ref()
        .is_some_and(|name| spec.keywords.iter().any(|word| same_name(word, name)))
}
