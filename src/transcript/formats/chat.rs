//! Messages and requests of the OpenAI and Anthropic chat APIs.

use std::sync::Arc;

use super::form::{self, Form};
use super::{Adapter, Detected, Format, Sample, Sink, encoding};
use crate::transcript::event::{Fate, What};
use crate::transcript::json::{self, Object, Raw};
use crate::transcript::message::Draft;
use crate::transcript::reader::Record;

/// What a record of a chat API is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Shape {
    what: Part,
    /// Whether something in it is only Anthropic's.
    anthropic: bool,
    has_ids: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    Message,
    Request,
    Response,
}

impl Shape {
    pub(crate) fn of(raw: Raw<'_>) -> Option<Self> {
        let object = Object::of(raw)?;
        if encoding::is_chat_object(&object) && !object.has("messages") {
            let anthropic = has_anthropic_blocks(&object);
            return Some(Self {
                what: Part::Message,
                anthropic,
                has_ids: object.some("id").is_some(),
            });
        }
        if let Some(body) = request(&object) {
            let messages = body.list("messages")?;
            let known = !messages.is_empty() && messages.iter().all(|raw| encoding::is_chat(raw));
            let anthropic = body.has("system")
                || messages
                    .iter()
                    .filter_map(|raw| Object::of(raw))
                    .any(|message| has_anthropic_blocks(&message));
            return known.then_some(Self {
                what: Part::Request,
                anthropic,
                has_ids: false,
            });
        }
        response(&object).map(|_| Self {
            what: Part::Response,
            anthropic: false,
            has_ids: false,
        })
    }
}

pub(super) static OPENAI: Format = Format {
    name: "openai-chat",
    detect: |sample| detect(sample, "openai-chat"),
    forced: || Detected::new(&form::CHAT_LIST, Chat::default()),
    tables: None,
};

pub(super) static ANTHROPIC: Format = Format {
    name: "anthropic-batch",
    detect: |sample| detect(sample, "anthropic-batch"),
    forced: || Detected::new(&form::ANTHROPIC_LIST, Chat::default()),
    tables: None,
};

fn detect(sample: &Sample<'_>, format: &str) -> Option<Detected> {
    let shapes: Vec<Shape> = sample.raws().filter_map(Shape::of).collect();
    let form = recognise(&shapes).filter(|form| form.format == format)?;
    Some(Detected::new(form, Chat::default()))
}

/// Judges a file by the shapes of its first records.
fn recognise(shapes: &[Shape]) -> Option<&'static Form> {
    let anthropic = shapes.iter().any(|shape| shape.anthropic);
    let first = shapes.first()?;
    Some(match (first.what, anthropic) {
        (Part::Request, false) => &form::CHAT_REQUESTS,
        (Part::Request, true) => &form::ANTHROPIC_REQUESTS,
        (Part::Message, true) => &form::ANTHROPIC_LIST,
        (Part::Message | Part::Response, false) if first.has_ids => &form::CHAT_LIST_WITH_IDS,
        (Part::Message | Part::Response, _) => &form::CHAT_LIST,
    })
}

/// The object with the messages of a request: the record itself, or the body in a batch.
fn request<'r>(object: &Object<'r>) -> Option<Object<'r>> {
    let body = ["body", "params", "request"]
        .into_iter()
        .find_map(|key| object.object(key));
    match body {
        Some(body) if body.has("messages") => Some(body),
        _ if object.has("messages") => Some(object.clone()),
        _ => None,
    }
}

/// The message of an answer: `choices` of OpenAI, or a message of Anthropic.
fn response<'r>(object: &Object<'r>) -> Option<Raw<'r>> {
    let choice = object.list("choices")?.into_iter().next()?;
    Object::of(choice)?.get("message")
}

fn has_anthropic_blocks(message: &Object<'_>) -> bool {
    let blocks = message.list("content").unwrap_or_default();
    let types = blocks
        .into_iter()
        .filter_map(|block| Object::of(block)?.string("type").map(String::from));
    types
        .into_iter()
        .any(|name| matches!(name.as_str(), "tool_use" | "tool_result" | "thinking"))
}

/// Reads chat messages and requests.
#[derive(Debug, Default)]
pub(crate) struct Chat {
    /// Contents of the conversation of the request before, without system messages.
    conversation: Vec<u64>,
    sessions: usize,
}

impl Chat {
    /// Whether a request goes on with the conversation of the one before it: it begins with the same
    /// message, or keeps at least half of what was said.
    fn continues(&self, messages: &[u64]) -> bool {
        let kept = self
            .conversation
            .iter()
            .filter(|content| messages.contains(content))
            .count();
        let begins_alike = messages.len() > 1 && self.conversation.first() == messages.first();
        kept > 0 && (begins_alike || 2 * kept >= self.conversation.len())
    }

    /// Takes a request; tells the conversation that it ends, if it begins another.
    pub(super) fn request(&mut self, messages: &[Draft]) -> Option<Arc<str>> {
        let system = crate::transcript::message::Role::System;
        let said = messages
            .iter()
            .filter(|draft| draft.role != system)
            .map(|draft| draft.content)
            .collect::<Vec<u64>>();
        let ended = (self.sessions > 0 && !self.continues(&said)).then(|| self.thread());
        if ended.is_some() || self.sessions == 0 {
            self.sessions += 1;
        }
        self.conversation = said;
        ended
    }

    pub(super) fn thread(&self) -> Arc<str> {
        match self.sessions {
            0 | 1 => "".into(),
            number => format!("conversation {number}").into(),
        }
    }
}

impl Adapter for Chat {
    fn read<'r>(&mut self, _record: Record<'r>, raw: Raw<'r>, sink: &mut Sink<'_, 'r>) -> Fate {
        let object = Object::of(raw).unwrap_or_default();
        let what = if let Some(body) = request(&object) {
            let messages = body
                .get("messages")
                .map(|raw| encoding::messages(raw, &mut sink.locator));
            let messages = messages.unwrap_or_default();
            if let Some(thread) = self.request(&messages) {
                sink.event(thread, What::End);
            }
            What::Snapshot {
                messages,
                branches: false,
            }
        } else {
            let message = response(&object).unwrap_or(raw);
            let Some(draft) = encoding::message(message, &mut sink.locator) else {
                let name = json::string(object.get("type").or(object.get("role")).unwrap_or(raw)).map(String::from);
                return Fate::Unknown(name.unwrap_or_else(|| "record without a role".to_owned()));
            };
            What::Append(vec![draft])
        };
        sink.event(self.thread(), what);
        Fate::Understood
    }
}
