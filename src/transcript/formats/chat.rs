//! Messages, requests and answers of the chat API of `OpenAI`; those of Anthropic are told apart here too.

use std::sync::Arc;

use super::form::{self, Form};
use super::requests::{self, Conversations, Request};
use super::{Adapter, Detected, Format, Sample, Sink, encoding, sent};
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
            let known = !messages.is_empty() && messages.iter().all(|raw| encoding::is_chat(*raw));
            let anthropic = body.has("system")
                || messages
                    .iter()
                    .filter_map(|raw| Object::of(*raw))
                    .any(|message| has_anthropic_blocks(&message));
            return known.then_some(Self {
                what: Part::Request,
                anthropic,
                has_ids: false,
            });
        }
        let answers = |object: &Object<'_>| requests::choice(object).is_some();
        let page = object.list("data").filter(|_| object.has("object")).unwrap_or_default();
        let known = |raw: &Raw<'_>| Object::of(*raw).is_some_and(|it| answers(&it) || encoding::is_chat_object(&it));
        (answers(&object) || !page.is_empty() && page.iter().all(known)).then_some(Self {
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

pub(super) fn detect(sample: &Sample<'_>, format: &str) -> Option<Detected> {
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
pub(super) struct Chat(Conversations);

impl Adapter for Chat {
    fn read<'r>(&mut self, _record: Record<'r>, raw: Raw<'r>, sink: &mut Sink<'_, 'r>) -> Fate {
        let object = Object::of(raw).unwrap_or_default();
        if let Some(body) = request(&object) {
            let messages = body
                .get("messages")
                .map(|raw| encoding::messages(raw, &mut sink.locator));
            let tools = sent::tools_of(&body);
            let messages = requests::with_system(&body, "system", messages.unwrap_or_default(), sink);
            // Requests of a batch do not go on with one another.
            let group = object.string("custom_id").unwrap_or_default();
            let request = Request {
                group: &group,
                messages,
                tools: Some(tools),
                model: requests::model(&body),
                ..Request::default()
            };
            let thread = self.0.request(request, sink);
            if let Some(answer) = object.some("response") {
                let said = said(answer, sink).into_iter().collect();
                self.0.said(said, sink);
                cost(answer, thread, sink);
            }
            return Fate::Understood;
        }
        let page = object.list("data").filter(|_| object.has("object"));
        let said: Vec<Draft> = match &page {
            Some(page) => page.iter().filter_map(|raw| said(*raw, sink)).collect(),
            None => said(raw, sink).into_iter().collect(),
        };
        if said.is_empty() && page.is_none() {
            let name = json::string(object.get("type").or(object.get("role")).unwrap_or(raw)).map(String::from);
            return Fate::Unknown(name.unwrap_or_else(|| "record without a role".to_owned()));
        }
        let thread = self.0.current(sink);
        sink.event(thread.clone(), What::Append(said));
        cost(raw, thread, sink);
        Fate::Understood
    }
}

/// Tells what an answer cost, where it says so.
fn cost<'r>(answer: Raw<'r>, thread: Arc<str>, sink: &mut Sink<'_, 'r>) {
    let answer = Object::of(answer).unwrap_or_default();
    if let Some(call) = answer.object("usage").and_then(|usage| requests::call(&answer, &usage)) {
        sink.event(thread, What::Call(call));
    }
}

/// The message that a record is, or answers with.
fn said<'r>(raw: Raw<'r>, sink: &mut Sink<'_, 'r>) -> Option<Draft> {
    let object = Object::of(raw);
    let message = object.and_then(|object| requests::choice(&object)).unwrap_or(raw);
    encoding::message(message, &mut sink.locator)
}
