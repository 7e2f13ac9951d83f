//! Trajectories in the Agent Trajectory Interchange Format (Harbor, Terminal-Bench), versions 1.0 to 1.7.

use std::sync::Arc;

use super::counts::{self, Counts};
use super::form;
use super::{Adapter, Detected, Format, Sample, Sink, encoding, parts, time};
use crate::transcript::event::{Caching, Call, Fate, What};
use crate::transcript::json::{self, Object, Raw};
use crate::transcript::message::{Draft, Kind, Role};
use crate::transcript::reader::Record;

pub(super) static FORMAT: Format = Format {
    name: "atif",
    detect,
    forced: || Detected::new(&form::ATIF, Atif),
    tables: None,
};

fn detect(sample: &Sample<'_>) -> Option<Detected> {
    let is_step = |raw: Raw<'_>| Object::of(raw).is_some_and(|step| step.has("step_id") && step.has("source"));
    let is_one = |record: &Object<'_>| {
        record.has("schema_version")
            && record.has("agent")
            && record.list("steps").is_some_and(|steps| steps.into_iter().all(is_step))
    };
    sample.any(is_one).then(|| Detected::new(&form::ATIF, Atif))
}

/// Reads a trajectory a record.
pub(super) struct Atif;

/// How deep trajectories of subagents are followed into one another.
const DEPTH: usize = 8;

impl Adapter for Atif {
    fn read<'r>(&mut self, _record: Record<'r>, raw: Raw<'r>, sink: &mut Sink<'_, 'r>) -> Fate {
        let mut left: Vec<(Object<'r>, Arc<str>, usize)> = Vec::new();
        match Object::of(raw) {
            Some(object) if object.has("steps") => {
                let thread = object.string("session_id").unwrap_or_default().as_ref().into();
                left.push((object, thread, 0));
            }
            _ => return Fate::Unknown("record without steps".to_owned()),
        }
        while let Some((trajectory, thread, depth)) = left.pop() {
            steps(&trajectory, &thread, sink);
            let inner = trajectory.list("subagent_trajectories").unwrap_or_default();
            for (at, inner) in inner
                .into_iter()
                .filter_map(Object::of)
                .enumerate()
                .filter(|_| depth < DEPTH)
            {
                let name = ["trajectory_id", "session_id"].iter().find_map(|key| inner.string(key));
                let name = name.map_or_else(|| format!("agent-{}", at + 1), std::borrow::Cow::into_owned);
                left.push((inner, format!("{thread}/{name}").into(), depth + 1));
            }
        }
        Fate::Parts
    }
}

fn steps<'r>(trajectory: &Object<'r>, thread: &Arc<str>, sink: &mut Sink<'_, 'r>) {
    let agent = trajectory.object("agent").unwrap_or_default();
    let model = agent.string("model_name").map(std::borrow::Cow::into_owned);
    for raw in trajectory.list("steps").unwrap_or_default() {
        let mut call = None;
        let messages = parts::several(vec![raw], sink, |step| {
            call = metrics(step, model.as_deref());
            self::step(step)
        });
        sink.event_at(raw, thread.clone(), What::Append(messages));
        if let Some(call) = call {
            sink.event_at(raw, thread.clone(), What::Call(call));
        }
    }
}

fn step(step: &Object<'_>) -> Result<Vec<Draft>, Fate> {
    let source = step.string("source");
    let role = match source.as_deref() {
        Some("user") => Role::User,
        Some("system") => Role::System,
        Some("agent") => Role::Assistant,
        Some(other) => return Err(Fate::Unknown(format!("source {other}"))),
        None => return Err(Fate::Malformed("a step without a source".to_owned())),
    };
    let mut messages = Vec::new();
    if let Some(thought) = step.string("reasoning_content").filter(|thought| !thought.is_empty()) {
        messages.push(Draft {
            told: Some(Kind::Reasoning),
            ..Draft::of_text(Role::Assistant, thought)
        });
    }
    let calls = step
        .list("tool_calls")
        .unwrap_or_default()
        .into_iter()
        .filter_map(Object::of);
    let calls: Vec<Box<str>> = calls
        .filter_map(|call| call.string("tool_call_id").map(Box::from))
        .collect();
    messages.push(encoding::draft(
        role,
        None,
        step.get("message"),
        calls.clone(),
        Vec::new(),
    ));
    let observation = step.object("observation").unwrap_or_default();
    let results: Vec<Object<'_>> = observation
        .list("results")
        .unwrap_or_default()
        .into_iter()
        .filter_map(Object::of)
        .collect();
    let all = results.len() == calls.len();
    for (at, result) in results.into_iter().enumerate() {
        let id = result.some("source_call_id").and_then(json::string).map(Box::from);
        // Results stand in the step of their calls: an id that names none of them means the one in its place.
        let id = id
            .filter(|id| calls.contains(id))
            .or_else(|| calls.get(at).filter(|_| all).cloned());
        messages.push(Draft {
            told: Some(Kind::ToolResult),
            ..encoding::draft(
                Role::Tool,
                None,
                result.get("content"),
                Vec::new(),
                id.into_iter().collect(),
            )
        });
    }
    Ok(messages)
}

fn metrics(step: &Object<'_>, model: Option<&str>) -> Option<Call> {
    // What was copied from another trajectory was paid there.
    let is_copied = step.get("is_copied_context").is_some_and(|raw| raw.get() == "true");
    let metrics = step.object("metrics").filter(|_| !is_copied)?;
    let extra = metrics.object("extra").unwrap_or_default();
    let counts = Counts {
        input: metrics.number("prompt_tokens").unwrap_or(0),
        read: counts::first(&metrics, &["cached_tokens"]).or_else(|| extra.number("cache_read_input_tokens")),
        written: extra.number("cache_creation_input_tokens"),
        output: metrics.number("completion_tokens").unwrap_or(0),
        thoughts: extra.number("reasoning_tokens").unwrap_or(0),
        ..Counts::default()
    };
    let own = step.string("model_name");
    Some(Call {
        time: step.string("timestamp").and_then(|text| time::parse(&text)),
        model: own.as_deref().or(model).map(Arc::from),
        ..counts.call(Caching::BestEffort)?
    })
}
