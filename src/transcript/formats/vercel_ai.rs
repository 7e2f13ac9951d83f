//! Messages of the Vercel AI SDK: as its user interface stores them, and as they go to the model.

use std::sync::Arc;

use super::{Adapter, Detected, Format, Sample, Sink, encoding, form, ui_parts};
use crate::transcript::event::{Fate, What};
use crate::transcript::json::{self, Object, Raw};
use crate::transcript::message::Role;
use crate::transcript::reader::Record;

pub(super) static FORMAT: Format = Format {
    name: "vercel-ai",
    detect,
    forced: || Detected::new(&form::VERCEL_UI, VercelAi),
    tables: None,
};

fn detect(sample: &Sample<'_>) -> Option<Detected> {
    let inside = sample
        .first()
        .filter(|_| sample.is_single())
        .and_then(|first| first.list("messages"));
    let messages: Vec<Object<'_>> = match &inside {
        Some(list) => list.iter().filter_map(|raw| Object::of(*raw)).collect(),
        None => sample.objects().cloned().collect(),
    };
    let form = if !messages.is_empty() && messages.iter().all(is_ui) {
        &form::VERCEL_UI
    } else if messages.iter().any(is_model)
        && messages
            .iter()
            .all(|message| message.has("role") && message.has("content"))
    {
        &form::VERCEL_MODEL
    } else {
        return None;
    };
    Some(Detected::new(form, VercelAi))
}

/// Parts with types, and nothing of a store around them.
fn is_ui(message: &Object<'_>) -> bool {
    let typed = |raw: &Raw<'_>| Object::of(*raw).is_some_and(|part| part.has("type"));
    let parts = message.list("parts");
    message.string("role").is_some_and(|role| role_of(&role).is_some())
        && !message.has("threadId")
        && !message.has("thread_id")
        && message.has("id")
        && parts.is_some_and(|parts| parts.iter().all(typed))
}

fn is_model(message: &Object<'_>) -> bool {
    let pairs = |raw: Raw<'_>| {
        Object::of(raw).is_some_and(|part| {
            let kind = part.string("type");
            part.has("toolCallId") && kind.is_some_and(|kind| matches!(&*kind, "tool-call" | "tool-result"))
        })
    };
    !message.has("threadId")
        && !message.has("thread_id")
        && message.list("content").unwrap_or_default().into_iter().any(pairs)
}

fn role_of(word: &str) -> Option<Role> {
    match word {
        // Roles of the interface's own, such as `data`, are not sent.
        "user" | "assistant" | "system" | "tool" => encoding::role_word(word),
        _ => None,
    }
}

/// Reads messages, one a record or in a list.
struct VercelAi;

impl Adapter for VercelAi {
    fn read<'r>(&mut self, _record: Record<'r>, raw: Raw<'r>, sink: &mut Sink<'_, 'r>) -> Fate {
        let Some(object) = Object::of(raw) else {
            return Fate::Unknown("record that is no object".to_owned());
        };
        let Some(list) = object.list("messages") else {
            return message(raw, &object, &Arc::from(""), sink);
        };
        let id = ["id", "chatId"].into_iter().find_map(|key| object.string(key));
        let thread: Arc<str> = id.unwrap_or_default().into();
        for raw in list {
            let fate = match Object::of(raw) {
                Some(object) => message(raw, &object, &thread, sink),
                None => Fate::Unknown("message that is no object".to_owned()),
            };
            sink.part(raw, fate);
        }
        Fate::Parts
    }
}

fn message<'r>(raw: Raw<'r>, object: &Object<'r>, thread: &Arc<str>, sink: &mut Sink<'_, 'r>) -> Fate {
    let Some(word) = object.string("role") else {
        return Fate::Unknown(
            object
                .string("type")
                .map_or_else(|| "record without a role".to_owned(), std::borrow::Cow::into_owned),
        );
    };
    let Some(role) = role_of(&word) else {
        return Fate::Unknown(format!("role {word}"));
    };
    let place = sink.locator.place(raw);
    let id = object.some("id").and_then(json::string);
    let (drafts, fate) = match object.list("parts") {
        Some(parts) => ui_parts::drafts(role, id.as_deref(), &parts, place),
        None if object.has("content") => (
            vec![ui_parts::model_message(
                role,
                id.as_deref(),
                object.get("content"),
                place,
            )],
            Fate::Understood,
        ),
        None => return Fate::Malformed("a message without parts or content".to_owned()),
    };
    if !drafts.is_empty() {
        sink.event_at(raw, Arc::clone(thread), What::Append(drafts));
    }
    fate
}
