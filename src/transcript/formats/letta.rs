//! Agents that Letta exports (`.af`), of both versions, and messages as its API lists them.
//!
//! What is in the context is a list of its own; the messages of an export are all there ever were. Ids are given
//! anew when an agent is imported.
//! Source: `letta/serialize_schemas` and `letta/schemas` of `letta-ai/letta` at 56ba9c255.

mod api;

use std::sync::Arc;

use rustc_hash::FxHashMap;

use self::api::Api;
use super::form;
use super::{Adapter, Detected, Format, Sample, Sink, encoding, parts};
use crate::transcript::event::{Fate, NO_MESSAGE, What};
use crate::transcript::json::{self, Locator, Object, Raw};
use crate::transcript::message::{Draft, Kind, Role, hash_of};
use crate::transcript::reader::Record;

pub(super) static FORMAT: Format = Format {
    name: "letta",
    detect,
    forced: || Detected::new(&form::LETTA, Letta),
    tables: None,
};

fn detect(sample: &Sample<'_>) -> Option<Detected> {
    let is_agent = |object: &Object<'_>| {
        object.has("messages") && (object.has("in_context_message_indices") || object.has("in_context_message_ids"))
    };
    let holds_agents = |object: &Object<'_>| {
        let agents = object.list("agents").unwrap_or_default();
        agents.into_iter().filter_map(Object::of).any(|agent| is_agent(&agent))
    };
    if sample.any(|object| is_agent(object) || holds_agents(object)) {
        return Some(Detected::new(&form::LETTA, Letta));
    }
    let api = Api::detect(sample)?;
    Some(Detected::new(&form::LETTA_API, api))
}

/// Reads exported agents.
struct Letta;

impl Adapter for Letta {
    fn read<'r>(&mut self, _record: Record<'r>, raw: Raw<'r>, sink: &mut Sink<'_, 'r>) -> Fate {
        let Some(object) = Object::of(raw) else {
            return Fate::Unknown("record that is no object".to_owned());
        };
        let mut any = false;
        match object.list("agents") {
            Some(agents) => {
                for (at, raw) in agents.into_iter().enumerate() {
                    let agent = Object::of(raw).unwrap_or_default();
                    let id = agent.some("id").and_then(encoding::id);
                    let thread = id.unwrap_or_else(|| format!("agent {}", at + 1).into());
                    any |= self::agent(&agent, thread, sink);
                }
            }
            None if object.has("messages") => any = agent(&object, Arc::default(), sink),
            None => return Fate::Malformed("neither agents nor messages".to_owned()),
        }
        if any { Fate::Parts } else { NO_MESSAGE }
    }
}

/// Reads an agent; whether it has messages.
fn agent<'r>(agent: &Object<'r>, thread: Arc<str>, sink: &mut Sink<'_, 'r>) -> bool {
    let list = agent.list("messages").unwrap_or_default();
    let order = order(agent, &list);
    let mut is_held = vec![false; list.len()];
    for at in &order {
        is_held[*at] = true;
    }
    let mut held: Vec<Option<Draft>> = Vec::with_capacity(list.len());
    for (at, raw) in list.iter().enumerate() {
        let fate = if is_held[at] {
            match message(*raw, &mut sink.locator) {
                Ok(draft) => {
                    held.push(Some(draft));
                    Fate::Understood
                }
                Err(fate) => {
                    held.push(None);
                    fate
                }
            }
        } else {
            held.push(None);
            Fate::Ignored("no longer in the context")
        };
        sink.part(*raw, fate);
    }
    let drafts = order.iter().filter_map(|at| held.get_mut(*at)?.take()).collect();
    sink.event(thread.clone(), What::Append(drafts));
    sink.event(thread, What::End);
    !list.is_empty()
}

/// Which messages are in the context, in its order. An export whose list names none of them is taken whole.
fn order(agent: &Object<'_>, list: &[Raw<'_>]) -> Vec<usize> {
    let indices = agent.list("in_context_message_indices").unwrap_or_default();
    let mut order: Vec<usize> = indices
        .into_iter()
        .filter_map(|raw| encoding::id(raw)?.parse().ok())
        .filter(|at| *at < list.len())
        .collect();
    if let Some(ids) = agent.list("in_context_message_ids") {
        let id = |raw: Raw<'_>| Object::of(raw)?.some("id").and_then(encoding::id);
        let places: FxHashMap<Arc<str>, usize> = list
            .iter()
            .enumerate()
            .filter_map(|(at, raw)| Some((id(*raw)?, at)))
            .collect();
        let named = ids.into_iter().filter_map(encoding::id);
        order = named.filter_map(|id| places.get(&id).copied()).collect();
    }
    if order.is_empty() {
        order = (0..list.len()).collect();
    }
    order
}

fn message<'r>(raw: Raw<'r>, locator: &mut Locator<'r>) -> Result<Draft, Fate> {
    let Some(object) = Object::of(raw) else {
        return Err(Fate::Unknown("message that is no object".to_owned()));
    };
    let role = object.string("role").unwrap_or_default();
    let mut draft = match &*role {
        "approval" | "summary" => {
            let calls = object.list("tool_calls").unwrap_or_default();
            if role == "approval" && calls.is_empty() {
                return Err(Fate::Ignored("an answer to a request for approval"));
            }
            let id = |raw| Object::of(raw)?.string("id").map(Box::from);
            let calls = calls.into_iter().filter_map(id).collect();
            let role = if role == "summary" { Role::User } else { Role::Assistant };
            Draft {
                told: (role == Role::User).then_some(Kind::Summary),
                place: locator.place(raw),
                ..encoding::draft(role, None, object.get("content"), calls, Vec::new())
            }
        }
        _ => parts::chat(raw, locator)?,
    };
    draft.id = object.some("id").and_then(encoding::id);
    match draft.role {
        Role::Tool => {
            let returns = object.list("tool_returns").unwrap_or_default();
            let id = |raw| Object::of(raw)?.string("tool_call_id").map(Box::from);
            draft.results.extend(returns.into_iter().filter_map(id));
            draft.results.sort_unstable();
            draft.results.dedup();
        }
        // A message that calls names its call a second time as if it answered it.
        _ => draft.results.clear(),
    }
    if draft.role == Role::User {
        unpack(&mut draft);
    }
    Ok(draft)
}

/// The message in what is packed as JSON with the time it came at.
fn unpack(draft: &mut Draft) {
    let text = draft.text.trim();
    let packed: Option<Object<'_>> = text.starts_with('{').then(|| serde_json::from_str(text).ok()).flatten();
    let Some(packed) = packed.filter(|packed| packed.has("time") || packed.has("message")) else {
        return;
    };
    let Some(kind) = packed.string("type").map(String::from) else {
        return;
    };
    let flag = format!("packed={kind}");
    let inner = packed
        .get("message")
        .or_else(|| packed.get("reason"))
        .and_then(json::string);
    if let Some(inner) = inner.map(String::from) {
        draft.content = hash_of(&inner);
        draft.text = inner;
    }
    // What Letta packs tells of a moment and bears its time: it does not become untrue.
    if kind != "user_message" {
        draft.name = Some(format!("{kind}_event"));
    }
    draft.flags.push(flag);
}
