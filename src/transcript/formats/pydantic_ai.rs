//! Message histories of Pydantic AI: requests and responses with their parts.
//!
//! Source: `messages.py` of `pydantic/pydantic-ai`.

use std::sync::Arc;

use super::counts::{self, Counts};
use super::form;
use super::{Adapter, Detected, Format, Sample, Sink, encoding, time};
use crate::transcript::event::{Caching, Call, Fate, What};
use crate::transcript::json::{self, Object, Raw};
use crate::transcript::message::{Draft, Kind, Role, hash_of};
use crate::transcript::reader::Record;

pub(super) static FORMAT: Format = Format {
    name: "pydantic-ai",
    detect,
    forced: || Detected::new(&form::PYDANTIC_AI, PydanticAi::default()),
    tables: None,
};

fn detect(sample: &Sample<'_>) -> Option<Detected> {
    let is_message = |object: &Object<'_>| {
        let kind = object.string("kind");
        let parts = || object.list("parts").unwrap_or_default();
        kind.is_some_and(|kind| matches!(&*kind, "request" | "response"))
            && parts()
                .into_iter()
                .any(|part| Object::of(part).is_some_and(|part| part.has("part_kind")))
    };
    sample
        .any(is_message)
        .then(|| Detected::new(&form::PYDANTIC_AI, PydanticAi::default()))
}

/// Reads requests and responses.
#[derive(Default)]
struct PydanticAi {
    thread: Arc<str>,
}

impl Adapter for PydanticAi {
    fn read<'r>(&mut self, _record: Record<'r>, raw: Raw<'r>, sink: &mut Sink<'_, 'r>) -> Fate {
        let Some(object) = Object::of(raw) else {
            return Fate::Unknown("record that is no object".to_owned());
        };
        let Some(list) = object.list("parts") else {
            return Fate::Malformed("a message without parts".to_owned());
        };
        if let Some(id) = object.some("conversation_id").and_then(encoding::id) {
            self.thread = id;
        }
        let mut reading = Reading::default();
        match object.string("kind").as_deref() {
            Some("request") => {
                for part in list {
                    reading.request(part, sink);
                }
            }
            Some("response") => {
                for part in list {
                    reading.response(part, sink);
                }
                reading.close(raw, sink);
                if let Some(call) = call(&object) {
                    sink.event(self.thread.clone(), What::Call(call));
                }
            }
            Some(other) => return Fate::Unknown(format!("message {other}")),
            None => return Fate::Malformed("a message without a kind".to_owned()),
        }
        if !reading.drafts.is_empty() {
            sink.event(self.thread.clone(), What::Append(reading.drafts));
        }
        reading.unknown.map_or(Fate::Understood, Fate::Unknown)
    }
}

/// The messages that one record holds.
#[derive(Default)]
struct Reading {
    drafts: Vec<Draft>,
    unknown: Option<String>,
    /// Texts and calls of a response.
    texts: Vec<String>,
    calls: Vec<Box<str>>,
    others: Vec<String>,
}

impl Reading {
    fn request<'r>(&mut self, raw: Raw<'r>, sink: &mut Sink<'_, 'r>) {
        let part = Object::of(raw).unwrap_or_default();
        let kind = part.string("part_kind").unwrap_or_default();
        let plain = |role| encoding::draft(role, None, part.get("content"), Vec::new(), Vec::new());
        let answered = || part.some("tool_call_id").and_then(json::string).map(Box::from);
        let mut draft = match &*kind {
            "system-prompt" => plain(Role::System),
            "user-prompt" => plain(Role::User),
            "tool-return" => Draft {
                results: answered().into_iter().collect(),
                ..plain(Role::Tool)
            },
            // A tool that is to be called anew, or an answer that was not valid.
            "retry-prompt" if part.some("tool_name").is_some() => Draft {
                results: answered().into_iter().collect(),
                ..plain(Role::Tool)
            },
            "retry-prompt" => Draft {
                flags: vec!["retry-prompt".to_owned()],
                ..plain(Role::User)
            },
            other => {
                self.unknown.get_or_insert_with(|| format!("part {other}"));
                return;
            }
        };
        draft.place = sink.locator.place(raw);
        self.drafts.push(draft);
    }

    fn response<'r>(&mut self, raw: Raw<'r>, sink: &mut Sink<'_, 'r>) {
        let part = Object::of(raw).unwrap_or_default();
        let kind = part.string("part_kind").unwrap_or_default();
        match &*kind {
            "text" => self.texts.extend(part.string("content").map(String::from)),
            "thinking" => {
                let place = sink.locator.place(raw);
                let text = part.string("content").unwrap_or_default();
                self.drafts.push(Draft {
                    told: Some(Kind::Reasoning),
                    place,
                    ..Draft::of_text(Role::Assistant, text)
                });
            }
            "tool-call" => {
                self.calls.extend(part.string("tool_call_id").map(Box::from));
                self.others.push(encoding::canonical(raw));
            }
            // What the provider runs itself is answered in the same response.
            "builtin-tool-call" | "builtin-tool-return" | "file" | "compaction" => {
                self.others.push(encoding::canonical(raw));
            }
            other => drop(self.unknown.get_or_insert_with(|| format!("part {other}"))),
        }
    }

    /// A response is one message, whatever its parts.
    fn close<'r>(&mut self, raw: Raw<'r>, sink: &mut Sink<'_, 'r>) {
        let text = self.texts.join("\n");
        if text.is_empty() && self.others.is_empty() {
            return;
        }
        let place = sink.locator.place(raw);
        self.drafts.push(Draft {
            content: hash_of((&text, &self.others)),
            calls: std::mem::take(&mut self.calls),
            place,
            text,
            ..Draft::new(Role::Assistant)
        });
    }
}

/// What a response cost. Its input counts what was read from the cache and written to it.
fn call(response: &Object<'_>) -> Option<Call> {
    let usage = response.object("usage")?;
    let details = usage.object("details").unwrap_or_default();
    let detail = |keys: &[&str]| counts::first(&usage, keys).or_else(|| counts::first(&details, keys));
    let older = |keys: &[&str]| counts::first(&usage, keys).unwrap_or(0);
    let counts = Counts {
        input: older(&["input_tokens", "request_tokens"]),
        read: detail(&["cache_read_tokens", "cache_read_input_tokens", "cached_tokens"]),
        written: detail(&["cache_write_tokens", "cache_creation_input_tokens"]),
        hour: older(&["cache_write_1h_tokens"]),
        output: older(&["output_tokens", "response_tokens"]),
        total: usage.number("total_tokens"),
        ..Counts::default()
    };
    let model = response.string("model_name");
    let provider = response.string("provider_name").unwrap_or_default();
    let promises = provider.contains("anthropic") || model.as_deref().is_some_and(|name| name.contains("claude"));
    Some(Call {
        response: response.some("provider_response_id").and_then(encoding::id),
        time: response.string("timestamp").and_then(|text| time::parse(&text)),
        model: model.map(|model| model.as_ref().into()),
        ..counts.call(Caching::promised(promises))?
    })
}
