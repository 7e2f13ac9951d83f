//! Messages as the API lists them: a stored message becomes several, which share its id.

use std::sync::Arc;

use super::super::counts::Counts;
use super::super::{Adapter, Sample, Sink, Way, encoding};
use super::unpack;
use crate::transcript::event::{Caching, Call, Fate, NO_MESSAGE, What};
use crate::transcript::json::{self, Object, Raw};
use crate::transcript::message::{Draft, Kind, Role};
use crate::transcript::reader::Record;

/// Types of messages that only Letta has.
const KNOWN: [&str; 13] = [
    "system_message",
    "user_message",
    "reasoning_message",
    "hidden_reasoning_message",
    "tool_call_message",
    "tool_return_message",
    "approval_request_message",
    "approval_response_message",
    "assistant_message",
    "summary_message",
    "event_message",
    "usage_statistics",
    "stop_reason",
];

/// Reads a list of messages.
pub(super) struct Api {
    /// Whether the newest comes first, as it does unless the caller asks otherwise.
    newest_first: bool,
}

impl Api {
    pub(super) fn detect(sample: &Sample<'_>) -> Option<Self> {
        let known = |object: &Object<'_>| {
            object
                .string("message_type")
                .is_some_and(|kind| KNOWN.contains(&&*kind))
        };
        if !sample.any(known) {
            return None;
        }
        let dates: Vec<_> = sample.objects().filter_map(|object| object.string("date")).collect();
        let newest_first = matches!((dates.first(), dates.last()), (Some(first), Some(last)) if first > last);
        Some(Self { newest_first })
    }
}

impl Adapter for Api {
    fn way(&self) -> Way {
        if self.newest_first { Way::Backward } else { Way::Forward }
    }

    fn read<'r>(&mut self, _record: Record<'r>, raw: Raw<'r>, sink: &mut Sink<'_, 'r>) -> Fate {
        let Some(object) = Object::of(raw) else {
            return Fate::Unknown("record that is no object".to_owned());
        };
        let kind = object.string("message_type").unwrap_or_default();
        let content = |role, key| encoding::draft(role, None, object.get(key), Vec::new(), Vec::new());
        let mut draft = match &*kind {
            "system_message" => content(Role::System, "content"),
            "user_message" => {
                let mut draft = content(Role::User, "content");
                unpack(&mut draft);
                draft
            }
            "assistant_message" => content(Role::Assistant, "content"),
            "reasoning_message" | "hidden_reasoning_message" => Draft {
                told: Some(Kind::Reasoning),
                ..content(Role::Assistant, "reasoning")
            },
            "tool_call_message" | "approval_request_message" => Draft {
                calls: ids(&object, "tool_call", "tool_calls"),
                ..encoding::opaque(Role::Assistant, raw)
            },
            "tool_return_message" => Draft {
                results: ids(&object, "", "tool_returns"),
                ..content(Role::Tool, "tool_return")
            },
            "summary_message" => Draft {
                told: Some(Kind::Summary),
                ..content(Role::User, "summary")
            },
            "usage_statistics" => {
                let Some(call) = spent(&object) else { return NO_MESSAGE };
                sink.event(Arc::default(), What::Call(call));
                return Fate::Understood;
            }
            "event_message" | "approval_response_message" | "stop_reason" => return NO_MESSAGE,
            "" => return Fate::Unknown("record without a message_type".to_owned()),
            other => return Fate::Unknown(other.to_owned()),
        };
        // Several messages of one stored one share its id, which is why it is not taken for theirs.
        draft.place = sink.locator.place(raw);
        sink.event(Arc::default(), What::Append(vec![draft]));
        Fate::Understood
    }
}

/// What the steps before cost: only their sum is recorded.
fn spent(usage: &Object<'_>) -> Option<Call> {
    let number = |key| usage.number(key);
    let counts = Counts {
        input: number("prompt_tokens").unwrap_or(0),
        read: number("cached_input_tokens"),
        written: number("cache_write_tokens"),
        output: number("completion_tokens").unwrap_or(0),
        thoughts: number("reasoning_tokens").unwrap_or(0),
        total: number("total_tokens"),
        ..Counts::default()
    };
    let counted = counts.call(Caching::Unknown)?;
    Some(Call {
        responses: number("step_count"),
        ..counted
    })
}

/// Ids of calls: of the message itself, of one call in it, and of several.
fn ids(message: &Object<'_>, one: &str, several: &str) -> Vec<Box<str>> {
    let id = |object: &Object<'_>| object.some("tool_call_id").and_then(json::string).map(Box::from);
    let mut ids: Vec<Box<str>> = id(message).into_iter().collect();
    ids.extend(message.object(one).and_then(|call| id(&call)));
    let list = message.list(several).unwrap_or_default();
    ids.extend(list.into_iter().filter_map(|raw| id(&Object::of(raw)?)));
    ids.sort_unstable();
    ids.dedup();
    ids
}
