//! Events of V1: what was said, called and observed, and what a condensation forgot.

use std::sync::Arc;

use rustc_hash::FxHashSet;

use crate::transcript::event::{Caching, Call, Fate, NO_MESSAGE, Note, What};
use crate::transcript::formats::counts::Counts;
use crate::transcript::formats::{Adapter, Sink, encoding, time};
use crate::transcript::json::{self, Object, Raw};
use crate::transcript::message::{Draft, Kind, Role};
use crate::transcript::reader::Record;

/// Whether a record is an event of V1.
pub(super) fn is_event(object: &Object<'_>) -> bool {
    let kind = object.string("kind").unwrap_or_default();
    let is_known = kind.ends_with("Event") || kind.starts_with("Condensation") || kind == "UserRejectObservation";
    is_known && object.has("source") && object.has("timestamp")
}

/// Reads events.
#[derive(Default)]
pub(super) struct Events {
    thread: Arc<str>,
    /// What is sent, as far as it was told, with the ids of the events: a condensation says what goes.
    live: Vec<Draft>,
    /// Calls that were told. What answers none of them is not sent.
    calls: FxHashSet<Box<str>>,
    /// Tokens that were counted so far, of the agent and of what condenses: input, read, written, output.
    counted: [[u64; 4]; 2],
}

impl Events {
    pub(super) fn of(thread: Arc<str>) -> Self {
        Self {
            thread,
            ..Self::default()
        }
    }
}

impl Adapter for Events {
    fn read<'r>(&mut self, _record: Record<'r>, raw: Raw<'r>, sink: &mut Sink<'_, 'r>) -> Fate {
        let Some(event) = Object::of(raw) else {
            return Fate::Unknown("record that is no object".to_owned());
        };
        let kind = event.string("kind").unwrap_or_default();
        let tool = || event.some("tool_call_id").and_then(json::string).map(Box::from);
        let mut draft = match &*kind {
            "SystemPromptEvent" => text(Role::System, event.get("system_prompt")),
            "MessageEvent" => message(&event),
            "ActionEvent" => {
                let call = event
                    .object("tool_call")
                    .and_then(|call| call.string("id").map(Box::from));
                Draft {
                    calls: tool().or(call).into_iter().collect(),
                    told: Some(Kind::ToolCall),
                    ..text(Role::Assistant, event.get("thought"))
                }
            }
            "ObservationEvent" => {
                let observation = event.object("observation").unwrap_or_default();
                let said = ["content", "output", "result"]
                    .iter()
                    .find_map(|key| observation.some(key));
                Draft {
                    results: tool().into_iter().collect(),
                    ..text(Role::Tool, said.or(event.get("observation")))
                }
            }
            "AgentErrorEvent" | "UserRejectObservation" => {
                let said = event.get("error").or_else(|| event.get("rejection_reason"));
                Draft {
                    results: tool().into_iter().collect(),
                    ..text(Role::Tool, said)
                }
            }
            "Condensation" | "CondensationEvent" => return self.condensed(raw, &event, sink),
            "CondensationSummaryEvent"
            | "CondensationRequest"
            | "PauseEvent"
            | "InterruptEvent"
            | "TokenEvent"
            | "StreamingDeltaEvent"
            | "LLMCompletionLogEvent"
            | "HookExecutionEvent" => return NO_MESSAGE,
            "ConversationErrorEvent" | "ServerErrorEvent" => {
                sink.event(self.thread.clone(), What::Note(Note::ApiError));
                return Fate::Understood;
            }
            "ConversationStateUpdateEvent" => return self.state(&event, sink),
            "" => return Fate::Unknown("event without a kind".to_owned()),
            other => return Fate::Unknown(other.to_owned()),
        };
        self.calls.extend(draft.calls.iter().cloned());
        if draft.results.iter().any(|id| !self.calls.contains(id)) {
            return Fate::Ignored("not sent: its action is not in the record");
        }
        draft.id = event.some("id").and_then(encoding::id);
        draft.place = sink.locator.place(raw);
        self.live.push(draft.clone());
        sink.event(self.thread.clone(), What::Append(vec![draft]));
        Fate::Understood
    }
}

impl Events {
    /// What a condensation left: what it did not forget, and its summary where it says.
    fn condensed<'r>(&mut self, raw: Raw<'r>, event: &Object<'r>, sink: &mut Sink<'_, 'r>) -> Fate {
        let forgotten = event.list("forgotten_event_ids").unwrap_or_default();
        let forgotten: FxHashSet<Arc<str>> = forgotten.into_iter().filter_map(encoding::id).collect();
        self.live
            .retain(|draft| draft.id.as_ref().is_none_or(|id| !forgotten.contains(id)));
        let place = sink.locator.place(raw);
        let compaction = super::condensed(&mut self.live, event, place);
        sink.event(self.thread.clone(), What::Compact(compaction));
        Fate::Understood
    }

    /// Tokens are told as sums; what was added since is the call between.
    fn state(&mut self, event: &Object<'_>, sink: &mut Sink<'_, '_>) -> Fate {
        let Some(metrics) = event.object("value").and_then(|value| value.object("usage_to_metrics")) else {
            return NO_MESSAGE;
        };
        let time = event.string("timestamp").and_then(|text| time::parse(&text));
        let mut sums = [[0_u64; 4]; 2];
        let mut models = [None, None];
        for (usage, raw) in metrics.iter() {
            let of = usize::from(usage == "condenser");
            let usage = Object::of(raw).and_then(|metrics| metrics.object("accumulated_token_usage"));
            let usage = usage.unwrap_or_default();
            let keys = [
                "prompt_tokens",
                "cache_read_tokens",
                "cache_write_tokens",
                "completion_tokens",
            ];
            for (sum, key) in sums[of].iter_mut().zip(keys) {
                *sum = sum.saturating_add(usage.number(key).unwrap_or(0));
            }
            models[of] = models[of]
                .take()
                .or_else(|| usage.string("model").map(|model| model.as_ref().into()));
        }
        let before = std::mem::replace(&mut self.counted, sums);
        // What condenses sends another prompt than the agent, so the two are not compared.
        let cachings = [Caching::BestEffort, Caching::Unknown];
        let mut fate = NO_MESSAGE;
        for (of, (model, caching)) in models.into_iter().zip(cachings).enumerate() {
            let [input, read, written, output] = std::array::from_fn(|at| sums[of][at].saturating_sub(before[of][at]));
            let counts = Counts {
                input,
                read: Some(read),
                written: Some(written),
                output,
                ..Counts::default()
            };
            if let Some(counted) = counts.call(caching) {
                sink.event(self.thread.clone(), What::Call(Call { time, model, ..counted }));
                fate = Fate::Understood;
            }
        }
        fate
    }
}

fn message(event: &Object<'_>) -> Draft {
    let said = event.object("llm_message").unwrap_or_default();
    let role = said.string("role").and_then(|role| encoding::role_word(&role));
    let is_agent = event.string("source").is_some_and(|source| source == "agent");
    let role = role.unwrap_or(if is_agent { Role::Assistant } else { Role::User });
    let mut draft = text(role, said.get("content"));
    // What skills add to a message of the person is sent behind it.
    let more = text(role, event.get("extended_content"));
    if !more.text.is_empty() {
        draft.text = format!("{}\n{}", draft.text, more.text);
        draft.content = crate::transcript::message::hash_of((draft.content, more.content));
    }
    draft
}

/// A message with this content: blocks, one block, or a text.
fn text(role: Role, content: Option<Raw<'_>>) -> Draft {
    if let Some(block) = content.and_then(Object::of) {
        let text = block.get("text").filter(|raw| json::string(*raw).is_some());
        return encoding::draft(role, None, text.or(content), Vec::new(), Vec::new());
    }
    encoding::draft(role, None, content, Vec::new(), Vec::new())
}
