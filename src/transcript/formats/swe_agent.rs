//! Trajectories of SWE-agent: the history, with demonstrations before the task.
//!
//! Source: `sweagent/agent/agents.py` and `history_processors.py` of `SWE-agent/SWE-agent`.

use std::sync::Arc;

use super::counts::Counts;
use super::form;
use super::{Adapter, Detected, Format, Sample, Sink, parts};
use crate::transcript::event::{Caching, Call, Fate, NO_MESSAGE, REPEATS, What};
use crate::transcript::json::{self, Locator, Object, Raw};
use crate::transcript::message::{Draft, Kind, Role};
use crate::transcript::reader::Record;

pub(super) static FORMAT: Format = Format {
    name: "swe-agent",
    detect,
    forced: || Detected::new(&form::SWE_AGENT, SweAgent),
    tables: None,
};

fn detect(sample: &Sample<'_>) -> Option<Detected> {
    let is_trajectory = |object: &Object<'_>| {
        let Some(history) = object.list("history") else {
            return false;
        };
        let is_message = |raw| {
            Object::of(raw).is_some_and(|message| {
                message.has("role") && ["message_type", "agent", "is_demo"].iter().any(|key| message.has(key))
            })
        };
        object.list("trajectory").is_some() && object.has("info") || history.into_iter().take(4).any(is_message)
    };
    sample
        .any(is_trajectory)
        .then(|| Detected::new(&form::SWE_AGENT, SweAgent))
}

/// Reads trajectories.
struct SweAgent;

impl Adapter for SweAgent {
    fn read<'r>(&mut self, _record: Record<'r>, raw: Raw<'r>, sink: &mut Sink<'_, 'r>) -> Fate {
        let Some(object) = Object::of(raw) else {
            return Fate::Unknown("record that is no object".to_owned());
        };
        let Some(history) = object.list("history") else {
            return Fate::Malformed("a trajectory without a history".to_owned());
        };
        let steps = object.list("trajectory").unwrap_or_default();
        if history.is_empty() && steps.is_empty() {
            return NO_MESSAGE;
        }
        let mut asked = false;
        let mut open: Vec<Box<str>> = Vec::new();
        let drafts = parts::each(history, sink, |raw, locator| {
            let mut draft = message(raw, locator, &mut asked)?;
            // An observation follows its action at once. Where the ids are not the ones that the action has, as in
            // files whose texts were made unreadable, the order tells what it answers.
            let strange = draft.results.iter().all(|id| !open.contains(id));
            if strange && draft.results.len() == open.len() {
                draft.results.clone_from(&open);
            }
            open.clone_from(&draft.calls);
            Ok(draft)
        });
        sink.event(Arc::default(), What::Append(drafts));
        let stats = object.object("info").and_then(|info| info.object("model_stats"));
        if let Some(call) = stats.and_then(|stats| spent(&stats)) {
            sink.event(Arc::default(), What::Call(call));
        }
        for step in steps {
            sink.part(step, REPEATS);
        }
        Fate::Parts
    }
}

/// What all calls of the run cost: only their sum is recorded.
fn spent(stats: &Object<'_>) -> Option<Call> {
    let number = |key| stats.number(key);
    let counts = Counts {
        input: number("tokens_sent").unwrap_or(0),
        output: number("tokens_received").unwrap_or(0),
        ..Counts::default()
    };
    let counted = counts.call(Caching::Unknown)?;
    Some(Call {
        responses: number("api_calls"),
        ..counted
    })
}

fn message<'r>(raw: Raw<'r>, locator: &mut Locator<'r>, asked: &mut bool) -> Result<Draft, Fate> {
    let mut draft = parts::chat(raw, locator)?;
    let object = Object::of(raw).unwrap_or_default();
    let ids = object.list("tool_call_ids").unwrap_or_default().into_iter();
    draft.results.extend(ids.filter_map(json::string).map(Box::from));
    draft.results.dedup();
    let is_demo = object.get("is_demo").is_some_and(|raw| raw.get() == "true");
    if is_demo {
        draft.flags.push("is_demo".to_owned());
        return Ok(draft);
    }
    let kind = object.string("message_type").unwrap_or_default();
    if draft.role == Role::User && draft.results.is_empty() {
        // The task is written as an observation too; what comes behind it is output of commands.
        let is_output = std::mem::replace(asked, true) && kind == "observation";
        draft.told = is_output.then_some(Kind::ToolResult);
    }
    if draft.role == Role::Assistant && kind == "action" {
        draft.told = Some(Kind::ToolCall);
    }
    Ok(draft)
}
