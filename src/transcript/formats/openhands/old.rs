//! Histories of V0: actions and observations, in a record each or in the output of the resolver.

use std::sync::Arc;

use rustc_hash::FxHashSet;

use crate::transcript::event::{Caching, Call, Fate, NO_MESSAGE, What};
use crate::transcript::formats::counts::Counts;
use crate::transcript::formats::{Adapter, Sink, encoding, mini_swe_agent, time};
use crate::transcript::json::{self, Object, Raw};
use crate::transcript::message::{Draft, Kind, Role, hash_of};
use crate::transcript::reader::Record;

/// What says nothing to the model.
const SILENT: [&str; 7] = [
    "change_agent_state",
    "agent_state_changed",
    "null",
    "pause",
    "resume",
    "start_kernel",
    "condensation_request",
];

/// The history in the output of the resolver or of an evaluation.
pub(super) fn history<'r>(object: &Object<'r>) -> Option<Vec<Raw<'r>>> {
    let list = object.list("history")?;
    let first = Object::of(*list.first()?)?;
    is_event(&first).then_some(list)
}

/// Whether a record is an action or an observation.
pub(super) fn is_event(object: &Object<'_>) -> bool {
    let named = |key| object.get(key).is_some_and(|raw| json::string(raw).is_some());
    (named("action") || named("observation")) && !object.has("role")
}

/// Whether it has what only records of `OpenHands` have.
pub(super) fn is_known(object: &Object<'_>) -> bool {
    is_event(object) && object.has("source") && (object.has("args") || object.has("extras"))
}

/// Reads histories.
#[derive(Default)]
pub(super) struct Old {
    sessions: usize,
    thread: Arc<str>,
    /// What is sent, with ids that order the events: a condensation says what goes.
    live: Vec<Draft>,
    events: u64,
    /// The call that was made last.
    called: Option<Box<str>>,
    /// Tokens that were counted so far: input, read, written, output.
    counted: [u64; 4],
}

impl Adapter for Old {
    fn read<'r>(&mut self, _record: Record<'r>, raw: Raw<'r>, sink: &mut Sink<'_, 'r>) -> Fate {
        let Some(object) = Object::of(raw) else {
            return Fate::Unknown("record that is no object".to_owned());
        };
        if !object.has("history") {
            return self.event(raw, sink);
        }
        let Some(list) = history(&object) else {
            let is_empty = object.list("history").is_some_and(|list| list.is_empty());
            return if is_empty {
                NO_MESSAGE
            } else {
                Fate::Malformed("a history without events".to_owned())
            };
        };
        self.sessions += 1;
        let name = object.some("instance_id").and_then(encoding::id);
        *self = Self {
            sessions: self.sessions,
            thread: name.unwrap_or_else(|| format!("history {}", self.sessions).into()),
            ..Self::default()
        };
        for raw in list {
            let fate = self.event(raw, sink);
            sink.part(raw, fate);
        }
        sink.event(self.thread.clone(), What::End);
        Fate::Parts
    }
}

impl Old {
    fn event<'r>(&mut self, raw: Raw<'r>, sink: &mut Sink<'_, 'r>) -> Fate {
        let event = Object::of(raw).unwrap_or_default();
        let (action, observation) = (event.string("action"), event.string("observation"));
        let number = event.number("id").unwrap_or(self.events);
        self.events = number + 1;
        let fields = event.object("args").unwrap_or_else(|| event.clone());
        let draft = match (action.as_deref(), observation.as_deref()) {
            (Some(silent), _) | (None, Some(silent)) if SILENT.contains(&silent) => return NO_MESSAGE,
            (Some("condensation"), _) => return self.condensed(raw, &fields, sink),
            (Some("recall"), _) => return NO_MESSAGE,
            (Some(action), _) => self.action(raw, action, &event, &fields, number),
            (None, Some("recall")) => Draft {
                told: Some(Kind::Injected),
                ..said(Role::User, raw, &event)
            },
            (None, Some(_)) => self.observation(raw, &event),
            (None, None) => return Fate::Unknown("neither an action nor an observation".to_owned()),
        };
        let draft = Draft {
            id: Some(number.to_string().into()),
            place: sink.locator.place(raw),
            ..draft
        };
        self.live.push(draft.clone());
        sink.event_at(raw, self.thread.clone(), What::Append(vec![draft]));
        if let Some(call) = self.spent(&event) {
            sink.event_at(raw, self.thread.clone(), What::Call(call));
        }
        Fate::Understood
    }

    /// What the call cost that an event came of: as the difference of sums, or in the response that it keeps.
    fn spent(&mut self, event: &Object<'_>) -> Option<Call> {
        let metrics = event.object("llm_metrics");
        let Some(sums) = metrics.and_then(|metrics| metrics.object("accumulated_token_usage")) else {
            let response = event.object("tool_call_metadata")?.object("model_response")?;
            return mini_swe_agent::call(&response);
        };
        let keys = [
            "prompt_tokens",
            "cache_read_tokens",
            "cache_write_tokens",
            "completion_tokens",
        ];
        let sums = keys.map(|key| sums.number(key).unwrap_or(0));
        let before = std::mem::replace(&mut self.counted, sums);
        let [input, read, written, output] = std::array::from_fn(|at| sums[at].saturating_sub(before[at]));
        let counts = Counts {
            input,
            read: Some(read),
            written: Some(written),
            output,
            ..Counts::default()
        };
        let time = event.string("timestamp").and_then(|text| time::parse(&text));
        let counted = counts.call(Caching::BestEffort)?;
        Some(Call { time, ..counted })
    }

    fn action(&mut self, raw: Raw<'_>, action: &str, event: &Object<'_>, fields: &Object<'_>, number: u64) -> Draft {
        let source = event.string("source").unwrap_or_default();
        match action {
            "system" => return said(Role::System, raw, fields),
            "finish" => return said(Role::Assistant, raw, fields),
            _ => {}
        }
        // Whatever runs something has more than a content.
        let is_message = fields.has("content") && !["command", "code", "path", "url"].iter().any(|key| fields.has(key));
        if action == "message" || is_message {
            let waits = fields.get("wait_for_response").is_some_and(|raw| raw.get() == "true");
            let is_agent = source == "agent" || (source.is_empty() && waits);
            return said(if is_agent { Role::Assistant } else { Role::User }, raw, fields);
        }
        if event.some("tool_call_metadata").is_none() && fields.has("outputs") {
            // The end of a run, in the time before it was a tool.
            return said(Role::Assistant, raw, fields);
        }
        let call: Box<str> = tool(event).unwrap_or_else(|| number.to_string().into());
        self.called = Some(call.clone());
        let told = if source == "user" {
            Kind::Injected
        } else {
            Kind::ToolCall
        };
        Draft {
            calls: vec![call],
            told: Some(told),
            ..said(Role::Assistant, raw, fields)
        }
    }

    fn observation(&mut self, raw: Raw<'_>, event: &Object<'_>) -> Draft {
        let cause = event.some("cause").and_then(encoding::id).map(|id| Box::from(&*id));
        let called = self.called.take();
        let answers = tool(event).or(cause).or(called);
        Draft {
            results: answers.into_iter().collect(),
            ..said(Role::Tool, raw, event)
        }
    }

    fn condensed<'r>(&mut self, raw: Raw<'r>, args: &Object<'r>, sink: &mut Sink<'_, 'r>) -> Fate {
        let ids = args.list("forgotten_event_ids").unwrap_or_default();
        let ids: FxHashSet<Arc<str>> = ids.into_iter().filter_map(encoding::id).collect();
        let range = args
            .number("forgotten_events_start_id")
            .zip(args.number("forgotten_events_end_id"));
        let goes = |id: &Arc<str>| {
            let number: Option<u64> = id.parse().ok();
            let in_range = range
                .zip(number)
                .is_some_and(|((start, end), id)| (start..=end).contains(&id));
            in_range || ids.contains(id)
        };
        self.live.retain(|draft| !draft.id.as_ref().is_some_and(goes));
        let place = sink.locator.place(raw);
        let compaction = super::condensed(&mut self.live, args, place);
        sink.event_at(raw, self.thread.clone(), What::Compact(compaction));
        Fate::Understood
    }
}

/// The id that the provider's call has, where one was kept.
fn tool(event: &Object<'_>) -> Option<Box<str>> {
    Some(event.object("tool_call_metadata")?.string("tool_call_id")?.into())
}

/// A message with the text of an event, or with the whole event where it has none.
fn said(role: Role, raw: Raw<'_>, fields: &Object<'_>) -> Draft {
    let texts = ["content", "thought", "final_thought", "message"];
    let text = texts
        .iter()
        .find_map(|key| fields.string(key).filter(|text| !text.is_empty()));
    let text = text.unwrap_or_default().into_owned();
    let is_plain = matches!(role, Role::User | Role::System);
    Draft {
        content: if is_plain {
            hash_of(&text)
        } else {
            hash_of(encoding::canonical(raw))
        },
        text,
        ..Draft::new(role)
    }
}
