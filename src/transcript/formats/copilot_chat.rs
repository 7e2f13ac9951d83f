//! Conversations of GitHub Copilot Chat: the agent's transcript (JSONL), what "Export Chat" writes (one document),
//! and the scripted conversations of its test suite.

use std::sync::Arc;

use super::counts::{self, Counts};
use super::form;
use super::{Adapter, Detected, Format, Sample, Sink, encoding, parts, time};
use crate::transcript::event::{About, Caching, Call, Fate, NO_MESSAGE, What};
use crate::transcript::json::{self, Object, Raw};
use crate::transcript::message::{Draft, Role};
use crate::transcript::reader::Record;

pub(super) static FORMAT: Format = Format {
    name: "copilot-chat",
    detect,
    forced: || Detected::new(&form::COPILOT_TRANSCRIPT, Transcript::default()),
    tables: None,
};

/// Types of the records of a transcript.
const TYPES: [&str; 8] = [
    "session.start",
    "session.resume",
    "user.message",
    "assistant.turn_start",
    "assistant.turn_end",
    "assistant.message",
    "tool.execution_start",
    "tool.execution_complete",
];

fn detect(sample: &Sample<'_>) -> Option<Detected> {
    let is_line = |record: &Object<'_>| {
        record.object("data").is_some()
            && record.has("parentId")
            && record.string("type").is_some_and(|kind| TYPES.contains(&&*kind))
    };
    if sample.any(is_line) {
        return Some(Detected::new(&form::COPILOT_TRANSCRIPT, Transcript::default()));
    }
    let is_export = |record: &Object<'_>| {
        record.has("responderUsername") && record.list("requests").is_some() && record.has("requesterUsername")
    };
    if sample.first().is_some_and(is_export) {
        return Some(Detected::new(&form::COPILOT_EXPORT, Export));
    }
    let is_script = |record: &Object<'_>| {
        record.has("question") && (record.has("expectedToolCalls") || record.has("stateFile") || record.has("tools"))
    };
    sample
        .all(is_script)
        .then(|| Detected::new(&form::COPILOT_SCRIPT, Script))
}

/// Reads a transcript.
#[derive(Default)]
pub(super) struct Transcript {
    thread: Arc<str>,
}

impl Adapter for Transcript {
    fn read<'r>(&mut self, _record: Record<'r>, raw: Raw<'r>, sink: &mut Sink<'_, 'r>) -> Fate {
        let record = Object::of(raw).unwrap_or_default();
        let Some(kind) = record.string("type") else {
            return Fate::Unknown("record without a type".to_owned());
        };
        let data = record.object("data").unwrap_or_default();
        let ids = |list: Option<Vec<Raw<'r>>>, key: &str| -> Vec<Box<str>> {
            let parts = list.unwrap_or_default().into_iter().filter_map(Object::of);
            parts.filter_map(|part| part.string(key).map(Box::from)).collect()
        };
        let mut draft = match &*kind {
            "session.start" | "session.resume" => {
                self.thread = data.string("sessionId").unwrap_or_default().as_ref().into();
                let context = data.object("context").unwrap_or_default();
                let about = About {
                    project: context.string("cwd").map(|folder| folder.as_ref().into()),
                    time: record.string("timestamp").and_then(|text| time::parse(&text)),
                };
                sink.event(self.thread.clone(), What::About(about));
                return NO_MESSAGE;
            }
            "user.message" => encoding::draft(Role::User, None, data.get("content"), Vec::new(), Vec::new()),
            "assistant.message" => {
                let calls = ids(data.list("toolRequests"), "toolCallId");
                encoding::draft(Role::Assistant, None, data.get("content"), calls, Vec::new())
            }
            "tool.execution_complete" => {
                let id = data.some("toolCallId").and_then(json::string).map(Box::from);
                let result = data.object("result").unwrap_or_default();
                let content = result.some("content").or_else(|| data.some("error"));
                encoding::draft(Role::Tool, None, content, Vec::new(), id.into_iter().collect())
            }
            "assistant.turn_start" | "assistant.turn_end" | "tool.execution_start" => return NO_MESSAGE,
            other => return Fate::Unknown(other.to_owned()),
        };
        draft.id = record.some("id").and_then(encoding::id);
        draft.place = sink.locator.place(raw);
        sink.event(self.thread.clone(), What::Append(vec![draft]));
        Fate::Understood
    }
}

/// Reads an exported chat.
struct Export;

impl Adapter for Export {
    fn read<'r>(&mut self, _record: Record<'r>, raw: Raw<'r>, sink: &mut Sink<'_, 'r>) -> Fate {
        let Some(requests) = Object::of(raw).and_then(|chat| chat.list("requests")) else {
            return Fate::Unknown("record without requests".to_owned());
        };
        for raw in requests {
            let mut summary = None;
            let messages = parts::several(vec![raw], sink, |request| {
                let metadata = request.object("result").and_then(|result| result.object("metadata"));
                let metadata = metadata.unwrap_or_default();
                summary = summary_of(&metadata);
                self::request(request, &metadata)
            });
            // A summary stands for everything before the request in which it was made.
            if let Some(summary) = summary {
                let place = sink.locator.place(raw);
                let compaction = parts::summarised(summary, place);
                sink.event_at(raw, "".into(), What::Compact(compaction));
            }
            sink.event_at(raw, "".into(), What::Append(messages));
            if let Some(call) = Object::of(raw).and_then(|request| spent(&request)) {
                sink.event_at(raw, "".into(), What::Call(call));
            }
        }
        Fate::Parts
    }
}

/// What the last call of a request cost; nothing is recorded of the others, nor of the cache.
fn spent(request: &Object<'_>) -> Option<Call> {
    let result = request.object("result").unwrap_or_default();
    let usage = request.object("usage").or_else(|| result.object("usage"));
    let told = usage.or_else(|| result.object("metadata"))?;
    let counts = Counts {
        input: told.number("promptTokens").unwrap_or(0),
        output: counts::first(&told, &["completionTokens", "outputTokens"]).unwrap_or(0),
        ..Counts::default()
    };
    let counted = counts.call(Caching::Unknown)?;
    Some(Call {
        time: time::of(request, "timestamp"),
        model: request.string("modelId").map(|model| model.as_ref().into()),
        ..counted
    })
}

fn summary_of(metadata: &Object<'_>) -> Option<String> {
    let last = metadata
        .list("summaries")
        .unwrap_or_default()
        .into_iter()
        .filter_map(Object::of)
        .next_back();
    let summary = last.or_else(|| metadata.object("summary"))?;
    Some(summary.string("text")?.into_owned())
}

fn request(request: &Object<'_>, metadata: &Object<'_>) -> Result<Vec<Draft>, Fate> {
    let message = request.object("message").unwrap_or_default();
    let Some(text) = message.string("text") else {
        return Err(Fate::Malformed("a request without a message".to_owned()));
    };
    let mut messages = vec![Draft {
        id: request.some("requestId").and_then(encoding::id),
        ..Draft::of_text(Role::User, text)
    }];
    let results = metadata.object("toolCallResults").unwrap_or_default();
    let mut answered = false;
    for round in metadata
        .list("toolCallRounds")
        .unwrap_or_default()
        .into_iter()
        .filter_map(Object::of)
    {
        let calls = round
            .list("toolCalls")
            .unwrap_or_default()
            .into_iter()
            .filter_map(Object::of);
        let calls: Vec<Box<str>> = calls.filter_map(|call| call.string("id").map(Box::from)).collect();
        answered = calls.is_empty();
        messages.push(encoding::draft(
            Role::Assistant,
            None,
            round.get("response"),
            calls.clone(),
            Vec::new(),
        ));
        for id in calls {
            if let Some(result) = results.some(&id) {
                messages.push(Draft {
                    results: vec![id],
                    ..encoding::opaque(Role::Tool, result)
                });
            }
        }
    }
    let parts = request
        .list("response")
        .unwrap_or_default()
        .into_iter()
        .filter_map(Object::of);
    let texts: Vec<String> = parts
        .filter_map(|part| part.string("value").map(String::from))
        .collect();
    if !answered && !texts.is_empty() {
        messages.push(Draft::of_text(Role::Assistant, texts.concat()));
    }
    Ok(messages)
}

/// Reads the questions of a scripted conversation.
struct Script;

impl Adapter for Script {
    fn read<'r>(&mut self, _record: Record<'r>, raw: Raw<'r>, sink: &mut Sink<'_, 'r>) -> Fate {
        let Some(question) = Object::of(raw).and_then(|turn| Some(turn.string("question")?.into_owned())) else {
            return Fate::Unknown("turn without a question".to_owned());
        };
        let place = sink.locator.place(raw);
        let draft = Draft {
            place,
            ..Draft::of_text(Role::User, question)
        };
        sink.event("".into(), What::Append(vec![draft]));
        Fate::Understood
    }
}
