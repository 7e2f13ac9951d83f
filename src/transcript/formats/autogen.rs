//! States that `AutoGen` saves: of one agent, or of a team with its agents.
//!
//! Source: `autogen_agentchat/state/_states.py` and `autogen_core/models/_types.py` of `microsoft/autogen`.

use std::sync::Arc;

use super::form;
use super::{Adapter, Detected, Format, Sample, Sink, encoding, parts};
use crate::transcript::event::{Fate, NO_MESSAGE, REPEATS, What};
use crate::transcript::json::{self, Locator, Object, Raw};
use crate::transcript::message::{Draft, Role};
use crate::transcript::reader::Record;

pub(super) static FORMAT: Format = Format {
    name: "autogen",
    detect,
    forced: || Detected::new(&form::AUTOGEN, Autogen),
    tables: None,
};

/// Where the state of another agent or team stands in one.
const INNER: [&str; 3] = ["agent_state", "inner_team_state", "team_state"];

fn detect(sample: &Sample<'_>) -> Option<Detected> {
    let is_state = |object: &Object<'_>| {
        let kind = object.string("type").unwrap_or_default();
        object.object("agent_states").is_some() || (kind.ends_with("State") && histories(object))
    };
    sample.any(is_state).then(|| Detected::new(&form::AUTOGEN, Autogen))
}

fn histories(object: &Object<'_>) -> bool {
    object.has("llm_context") || INNER.iter().any(|key| object.object(key).is_some())
}

/// Reads saved states.
struct Autogen;

impl Adapter for Autogen {
    fn read<'r>(&mut self, _record: Record<'r>, raw: Raw<'r>, sink: &mut Sink<'_, 'r>) -> Fate {
        let Some(object) = Object::of(raw) else {
            return Fate::Unknown("record that is no object".to_owned());
        };
        // Teams hold teams: what is still to be looked at, the next one last.
        let mut open = vec![(String::new(), object)];
        let mut any = false;
        while let Some((name, state)) = open.pop() {
            if let Some(list) = state.object("llm_context").and_then(|context| context.list("messages")) {
                any |= !list.is_empty();
                let thread: Arc<str> = name.as_str().into();
                let drafts = parts::each(list, sink, message);
                sink.event(thread, What::Append(drafts));
            }
            for key in ["message_thread", "message_buffer"] {
                for raw in state.list(key).unwrap_or_default() {
                    any = true;
                    sink.part(raw, REPEATS);
                }
            }
            for key in INNER {
                open.extend(state.object(key).map(|inner| (name.clone(), inner)));
            }
            let agents = state.object("agent_states").unwrap_or_default();
            let mut agents: Vec<_> = agents
                .iter()
                .filter_map(|(key, raw)| Some((key.to_owned(), Object::of(raw)?)))
                .collect();
            agents.reverse();
            for (key, agent) in agents {
                let path = if name.is_empty() { key } else { format!("{name}/{key}") };
                open.push((path, agent));
            }
        }
        if any { Fate::Parts } else { NO_MESSAGE }
    }
}

fn message<'r>(raw: Raw<'r>, locator: &mut Locator<'r>) -> Result<Draft, Fate> {
    let place = locator.place(raw);
    let Some(message) = Object::of(raw) else {
        return Err(Fate::Unknown("message that is no object".to_owned()));
    };
    let kind = message.string("type").unwrap_or_default();
    let ids = |key: &str| -> Vec<Box<str>> {
        let list = message.list("content").unwrap_or_default();
        let id = |raw| Object::of(raw)?.string(key).map(Box::from);
        list.into_iter().filter_map(id).collect()
    };
    let of = |role, calls, results| encoding::draft(role, None, message.get("content"), calls, results);
    let mut draft = match &*kind {
        "SystemMessage" => of(Role::System, Vec::new(), Vec::new()),
        "UserMessage" => of(Role::User, Vec::new(), Vec::new()),
        "AssistantMessage" => of(Role::Assistant, ids("id"), Vec::new()),
        "FunctionExecutionResultMessage" => of(Role::Tool, Vec::new(), ids("call_id")),
        "" => return Err(Fate::Malformed("a message without a type".to_owned())),
        other => return Err(Fate::Unknown(format!("message {other}"))),
    };
    if draft.text.is_empty() {
        draft.text = message
            .some("thought")
            .and_then(json::string)
            .unwrap_or_default()
            .into_owned();
    }
    if draft.role == Role::Tool {
        let list = message.list("content").unwrap_or_default();
        let said = |raw| Some(Object::of(raw)?.string("content")?.into_owned());
        draft.text = list.into_iter().filter_map(said).collect::<Vec<_>>().join("\n");
    }
    // Other agents of a team speak in the role of a user too.
    let source = message.string("source").filter(|_| draft.role == Role::User);
    if source.is_some_and(|source| !source.to_lowercase().contains("user")) {
        draft.flags.push("of-agent".to_owned());
    }
    draft.place = place;
    Ok(draft)
}
