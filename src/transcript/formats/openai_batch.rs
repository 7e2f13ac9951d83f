//! Batches of the `OpenAI` API: lines of the input and of the output, each a conversation of its own.

use std::sync::Arc;

use super::form;
use super::{Adapter, Detected, Format, Sample, Sink, encoding, requests};
use crate::transcript::event::{Fate, NO_MESSAGE, Note, What};
use crate::transcript::json::{Object, Raw};
use crate::transcript::reader::Record;

pub(super) static FORMAT: Format = Format {
    name: "openai-batch",
    detect,
    forced: || Detected::new(&form::OPENAI_BATCH, Batch),
    tables: None,
};

fn detect(sample: &Sample<'_>) -> Option<Detected> {
    let is_line = |line: &Object<'_>| line.has("custom_id") && (is_input(line) || is_output(line));
    sample.all(is_line).then(|| Detected::new(&form::OPENAI_BATCH, Batch))
}

fn is_input(line: &Object<'_>) -> bool {
    line.has("url") && line.object("body").is_some()
}

fn is_output(line: &Object<'_>) -> bool {
    let answered = |answer: Object<'_>| answer.has("body") || answer.has("status_code");
    line.has("error") && line.has("response") || line.object("response").is_some_and(answered)
}

struct Batch;

impl Adapter for Batch {
    fn read<'r>(&mut self, _record: Record<'r>, raw: Raw<'r>, sink: &mut Sink<'_, 'r>) -> Fate {
        let line = Object::of(raw).unwrap_or_default();
        let Some(id) = line.string("custom_id") else {
            return Fate::Unknown("line without a custom_id".to_owned());
        };
        let thread: Arc<str> = id.as_ref().into();
        let fate = if let Some(body) = line.object("body") {
            let url = line.string("url").unwrap_or_default();
            if ["embeddings", "moderations", "images"]
                .iter()
                .any(|name| url.contains(name))
            {
                sink.event(thread, What::End);
                return NO_MESSAGE;
            }
            request(&body, &thread, sink)
        } else if let Some(body) = line.object("response").and_then(|answer| answer.object("body")) {
            answer(&body, &thread, sink)
        } else if line.some("error").is_some() || line.has("response") {
            sink.event(thread.clone(), What::Note(Note::ApiError));
            Fate::Understood
        } else {
            return Fate::Malformed("it has neither a body nor a response".to_owned());
        };
        // Lines come in any order, and no line goes on with another.
        sink.event(thread, What::End);
        fate
    }
}

fn request<'r>(body: &Object<'r>, thread: &Arc<str>, sink: &mut Sink<'_, 'r>) -> Fate {
    let (messages, unknown, system) = if let Some(raw) = body.some("messages") {
        (encoding::messages(raw, &mut sink.locator), Vec::new(), "system")
    } else if let Some(raw) = body
        .some("input")
        .filter(|_| body.has("instructions") || body.has("model"))
    {
        let (messages, unknown) = requests::items(raw, &mut sink.locator);
        (messages, unknown, "instructions")
    } else {
        // Such as one for embeddings or moderation.
        return NO_MESSAGE;
    };
    let messages = requests::with_system(body, system, messages, sink);
    let what = What::Snapshot {
        messages,
        branches: false,
    };
    sink.event(thread.clone(), what);
    unknown.into_iter().next().map_or(Fate::Understood, Fate::Unknown)
}

fn answer<'r>(body: &Object<'r>, thread: &Arc<str>, sink: &mut Sink<'_, 'r>) -> Fate {
    let mut fate = NO_MESSAGE;
    let mut said = Vec::new();
    if let Some(message) = requests::choice(body) {
        said = encoding::messages(message, &mut sink.locator);
    } else if let Some(output) = body.some("output") {
        let (items, unknown) = requests::items(output, &mut sink.locator);
        said = items;
        if let Some(name) = unknown.into_iter().next() {
            fate = Fate::Unknown(name);
        }
    } else if body.some("error").is_some() {
        sink.event(thread.clone(), What::Note(Note::ApiError));
        return Fate::Understood;
    }
    if !said.is_empty() {
        sink.event(thread.clone(), What::Append(said));
        if fate == NO_MESSAGE {
            fate = Fate::Understood;
        }
    }
    if let Some(call) = body.object("usage").and_then(|usage| requests::call(body, &usage)) {
        sink.event(thread.clone(), What::Call(call));
    }
    fate
}
