//! Tasks of Cline: the classic list of messages with the range that was cut out of it, and the sessions of its SDK
//! with their compactions.
//!
//! Source: `src/core/context/context-management/ContextManager.ts` of cline/cline at 3.x, and sessions of its SDK of
//! 2026-07.

use std::sync::Arc;

use super::counts::{Counted, Counts};
use super::{Adapter, Companion, Detected, Format, Sample, Sink, Way, blocks, encoding, form, time};
use crate::transcript::event::{About, Caching, Call, Fate, NO_MESSAGE, REPEATS, What};
use crate::transcript::json::{self, Object, Raw};
use crate::transcript::message::{Draft, Role};
use crate::transcript::reader::Record;

pub(super) static FORMAT: Format = Format {
    name: "cline",
    detect,
    forced: || Detected::new(&form::CLINE, Cline::default()),
    tables: None,
};

fn detect(sample: &Sample<'_>) -> Option<Detected> {
    let first = sample.first()?;
    if first.list("messages").is_some() && first.has("version") && first.has("updated_at") {
        let knows_itself = first.has("agent") || first.has("sessionId") || first.has("conversation_id");
        return knows_itself.then(|| {
            let form = if first.has("source_message_count") {
                &form::CLINE_COMPACTION
            } else {
                &form::CLINE_SDK
            };
            Detected::new(form, Cline::default())
        });
    }
    if first.has("session_id") && first.has("messages_path") {
        return Some(Detected::new(
            &form::CLINE_HEADER,
            Companion("tells of a session, not its messages"),
        ));
    }
    if first.has("files_in_context") && first.has("model_usage") {
        return Some(Detected::new(
            &form::CLINE_HEADER,
            Companion("tells of a task, not its messages"),
        ));
    }
    let is_item = |record: &Object<'_>| record.has("task") && record.has("tokensIn") && record.has("ts");
    if sample.all(is_item) {
        return Some(Detected::new(&form::CLINE_HEADER, Companion("a list of tasks")));
    }
    if is_ui(sample) {
        return Some(Detected::new(&form::CLINE_UI, Cline::default()));
    }
    let is_task = surrounds(sample) && sample.all(is_message_or_ui);
    is_task.then(|| Detected::new(&form::CLINE, Cline::default()))
}

/// Whether it is what the person saw of a task.
pub(super) fn is_ui(sample: &Sample<'_>) -> bool {
    sample.all(is_ui_message)
}

fn is_ui_message(record: &Object<'_>) -> bool {
    let kind = record.string("type");
    record.has("ts") && kind.is_some_and(|kind| matches!(&*kind, "say" | "ask")) && !record.has("role")
}

pub(super) fn is_message_or_ui(record: &Object<'_>) -> bool {
    encoding::is_chat_object(record) || is_ui_message(record)
}

/// Whether the tool puts its details around what the person writes.
pub(super) fn surrounds(sample: &Sample<'_>) -> bool {
    let opens = |text: &str| text.trim_start().starts_with("<environment_details>");
    sample.any(|record| {
        let blocks = record.list("content").unwrap_or_default();
        blocks.into_iter().any(|block| {
            let text = Object::of(block).and_then(|block| Some(opens(&block.string("text")?)));
            text.unwrap_or(false)
        })
    })
}

/// Reads a task or a session.
#[derive(Default)]
struct Cline {
    /// The first and the last message that were cut out, counted from 0.
    cut: Option<(u64, u64)>,
    /// Whether what the person saw tells what calls cost: then the messages repeat it.
    is_billed: bool,
    /// How many messages were read.
    read: u64,
}

impl Adapter for Cline {
    fn way(&self) -> Way {
        Way::Surveyed
    }

    fn survey<'r>(&mut self, _record: Record<'r>, raw: Raw<'r>) -> Fate {
        let range = Object::of(raw).and_then(|object| object.list("conversationHistoryDeletedRange"));
        if let Some([first, last]) = range.as_deref()
            && let (Ok(first), Ok(last)) = (first.get().parse(), last.get().parse())
        {
            // It only grows.
            self.cut = Some((first, last));
        }
        self.is_billed |= Object::of(raw).is_some_and(|object| is_ui_message(&object) && billed(&object).is_some());
        Fate::Understood
    }

    fn read<'r>(&mut self, _record: Record<'r>, raw: Raw<'r>, sink: &mut Sink<'_, 'r>) -> Fate {
        let Some(object) = Object::of(raw) else {
            return Fate::Unknown("record that is no object".to_owned());
        };
        if object.list("messages").is_some() {
            return session(&object, sink);
        }
        if is_ui_message(&object) {
            return ui(&object, false, sink);
        }
        let at = self.read;
        self.read += 1;
        if self.cut.is_some_and(|(first, last)| (first..=last).contains(&at)) {
            return Fate::Ignored("cut out by the tool");
        }
        let flags = metadata(&object);
        let place = sink.locator.place(raw);
        let Some(mut drafts) = blocks::drafts(&object, place, &flags) else {
            return unreadable(&object);
        };
        if self.cut.is_some_and(|(_, last)| at == last + 1) {
            // Results whose calls were cut are taken out of the first message behind the cut.
            drafts.retain(|draft| draft.results.is_empty());
        }
        sink.event(Arc::from(""), What::Append(drafts));
        if let Some(call) = call(&object).filter(|_| !self.is_billed) {
            sink.event(Arc::from(""), What::Call(call));
        }
        Fate::Understood
    }
}

/// Where a record ends that is no message.
pub(super) fn unreadable(object: &Object<'_>) -> Fate {
    match (object.string("role"), object.string("type")) {
        (None, None) => Fate::Malformed("a message without a role".to_owned()),
        (Some(role), _) => Fate::Unknown(format!("role {role}")),
        (None, Some(kind)) => Fate::Unknown(kind.into_owned()),
    }
}

/// What calls cost, as the person saw it: of one, of those that were deleted, or of those that a subagent made.
fn billed(object: &Object<'_>) -> Option<String> {
    let says = object.string("say")?;
    let tells = matches!(&*says, "api_req_started" | "deleted_api_reqs" | "subagent_usage");
    let text = object.string("text").filter(|_| tells)?;
    text.contains("tokensIn").then(|| text.into_owned())
}

/// What the person saw: only what calls cost is not in the messages. `whole` says that what was read from the cache
/// and written to it is counted among the input where it fits in.
pub(super) fn ui<'r>(object: &Object<'r>, whole: bool, sink: &mut Sink<'_, 'r>) -> Fate {
    let Some(text) = billed(object) else {
        let is_request = object.string("say").is_some_and(|say| say == "api_req_started");
        return if is_request { NO_MESSAGE } else { REPEATS };
    };
    let Ok(told) = serde_json::from_str::<Object<'_>>(&text) else {
        return NO_MESSAGE;
    };
    let counts = Counts {
        input: told.number("tokensIn").unwrap_or(0),
        // What is 0 is left out.
        read: Some(told.number("cacheReads").unwrap_or(0)),
        written: Some(told.number("cacheWrites").unwrap_or(0)),
        output: told.number("tokensOut").unwrap_or(0),
        cached: Counted::beside(!whole),
        ..Counts::default()
    };
    let of_one = object.string("say").is_some_and(|say| say == "api_req_started");
    let caching = if of_one { Caching::Explicit } else { Caching::Unknown };
    if let Some(counted) = counts.call(caching) {
        let time = time::of(object, "ts");
        sink.event(
            Arc::from(""),
            What::Call(Call {
                time,
                caching,
                ..counted
            }),
        );
    }
    REPEATS
}

/// A session of the SDK, or what a compaction left of one.
fn session<'r>(object: &Object<'r>, sink: &mut Sink<'_, 'r>) -> Fate {
    let id = object.string("sessionId").or_else(|| object.string("conversation_id"));
    let thread: Arc<str> = id.unwrap_or_default().into();
    let about = About {
        project: None,
        time: time::of(object, "updated_at"),
    };
    sink.event(Arc::clone(&thread), What::About(about));
    if let Some(prompt) = object.some("system_prompt")
        && let Some(text) = json::string(prompt).filter(|text| !text.is_empty())
    {
        let draft = Draft {
            place: sink.locator.place(prompt),
            ..Draft::of_text(Role::System, text)
        };
        sink.event_at(prompt, Arc::clone(&thread), What::Append(vec![draft]));
    }
    for raw in object.list("messages").unwrap_or_default() {
        let place = sink.locator.place(raw);
        let Some(message) = Object::of(raw) else {
            sink.part(raw, Fate::Unknown("message that is no object".to_owned()));
            continue;
        };
        let Some(drafts) = blocks::drafts(&message, place, &metadata(&message)) else {
            sink.part(raw, unreadable(&message));
            continue;
        };
        sink.event_at(raw, Arc::clone(&thread), What::Append(drafts));
        if let Some(call) = call(&message) {
            sink.event_at(raw, Arc::clone(&thread), What::Call(call));
        }
        sink.part(raw, Fate::Understood);
    }
    Fate::Parts
}

/// What the record says of the message beside its content.
fn metadata(message: &Object<'_>) -> Vec<String> {
    let metadata = message.object("metadata");
    let kind = metadata.and_then(|metadata| metadata.string("kind").map(|kind| format!("kind={kind}")));
    kind.into_iter().collect()
}

/// What a call cost. The SDK counts what was read from the cache and written to it among the input; before it, both
/// were told as one beside it.
fn call(message: &Object<'_>) -> Option<Call> {
    let metrics = message.object("metrics")?;
    let info = message.object("modelInfo");
    let tokens = metrics.object("tokens");
    let counts = match &tokens {
        Some(tokens) => Counts {
            input: tokens.number("prompt").unwrap_or(0),
            read: tokens.number("cached"),
            output: tokens.number("completion").unwrap_or(0),
            cached: Counted::Beside,
            ..Counts::default()
        },
        None => Counts {
            input: metrics.number("inputTokens").unwrap_or(0),
            read: metrics.number("cacheReadTokens"),
            written: metrics.number("cacheWriteTokens"),
            output: metrics.number("outputTokens").unwrap_or(0),
            ..Counts::default()
        },
    };
    let caching = if tokens.is_some() {
        Caching::Unknown
    } else {
        Caching::Explicit
    };
    let model = info.and_then(|info| info.string("id").or_else(|| info.string("modelId")).map(String::from));
    Some(Call {
        response: message.string("id").map(|id| id.as_ref().into()),
        time: time::of(message, "ts"),
        model: model.map(Arc::from),
        ..counts.call(caching)?
    })
}
