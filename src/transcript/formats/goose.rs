//! Sessions of goose: the JSONL of earlier versions, the rows of its database, and recordings of its provider.
//!
//! Source: `crates/goose/src/conversation/message.rs`, `session/session_manager.rs` and `providers/testprovider.rs`
//! of block/goose at 1.x.

use std::sync::Arc;

use super::body::Body;
use super::counts::{self, Counts};
use super::{Adapter, Detected, Format, Sample, Sink, form, requests, sent, time};
use crate::transcript::event::{About, Caching, Call, Fate, NO_MESSAGE, What};
use crate::transcript::json::{self, Object, Raw};
use crate::transcript::message::{Draft, Kind, Place, Role};
use crate::transcript::reader::Record;
use crate::transcript::sqlite::{Query, Schema};

pub(super) static FORMAT: Format = Format {
    name: "goose",
    detect,
    forced: || Detected::new(&form::GOOSE, Goose::default()),
    tables: Some(tables),
};

fn detect(sample: &Sample<'_>) -> Option<Detected> {
    let first = sample.first()?;
    let form = if sample.all(|row| row.has("table") && (row.has("content_json") || row.has("working_dir"))) {
        &form::GOOSE_DATABASE
    } else if sample.is_single() && recorded(first).is_some() {
        &form::GOOSE_RECORDING
    } else if is_header(first) || sample.any(is_own) {
        &form::GOOSE
    } else {
        return None;
    };
    Some(Detected::new(form, Goose::default()))
}

fn is_header(object: &Object<'_>) -> bool {
    object.has("working_dir") && object.has("message_count") && !object.has("role")
}

/// Whether only goose writes such a message.
fn is_own(object: &Object<'_>) -> bool {
    let visible = |metadata: Object<'_>| metadata.has("agentVisible") || metadata.has("userVisible");
    let blocks = object.list("content").unwrap_or_default();
    object.has("role")
        && object.has("created")
        && (object.object("metadata").is_some_and(visible)
            || blocks.into_iter().any(|block| {
                let kind = Object::of(block).and_then(|block| block.string("type").map(String::from));
                kind.is_some_and(|kind| matches!(&*kind, "toolRequest" | "toolResponse"))
            }))
}

/// The calls of a recording: what was sent and what came back, by the hash of what was sent.
fn recorded<'r>(object: &Object<'r>) -> Option<Vec<(Raw<'r>, Object<'r>, Object<'r>)>> {
    let calls = object.iter().map(|(_, raw)| {
        let call = Object::of(raw)?;
        let input = call
            .object("input")
            .filter(|input| input.has("system") && input.has("messages"))?;
        Some((raw, input, call.object("output")?))
    });
    // What a later version writes beside the calls is left alone.
    let calls: Vec<_> = calls.flatten().collect();
    (!calls.is_empty()).then_some(calls)
}

fn tables(schema: &Schema) -> Option<Vec<Query>> {
    let known = schema.has("sessions", &["id", "working_dir"])
        && schema.has("messages", &["id", "session_id", "role", "content_json"]);
    if !known {
        return None;
    }
    let optional = |table: &str, column: &'static str| if schema.has(table, &[column]) { column } else { "NULL" };
    let sessions = format!(
        "SELECT id, working_dir, {} AS updated_at, {} AS accumulated_input_tokens, {} AS accumulated_output_tokens \
         FROM sessions ORDER BY id",
        optional("sessions", "updated_at"),
        optional("sessions", "accumulated_input_tokens"),
        optional("sessions", "accumulated_output_tokens")
    );
    let messages = format!(
        "SELECT {} AS message_id, session_id, role, content_json, {} AS created_timestamp, {} AS metadata_json \
         FROM messages ORDER BY session_id, id",
        optional("messages", "message_id"),
        optional("messages", "created_timestamp"),
        optional("messages", "metadata_json"),
    );
    let query = |table, sql, json| Query {
        table,
        sql,
        json,
        decode: None,
    };
    Some(vec![
        query("sessions", sessions, &[]),
        query("messages", messages, &["content_json", "metadata_json"]),
    ])
}

/// Reads sessions.
#[derive(Default)]
struct Goose {
    thread: Arc<str>,
}

impl Adapter for Goose {
    fn read<'r>(&mut self, _record: Record<'r>, raw: Raw<'r>, sink: &mut Sink<'_, 'r>) -> Fate {
        let Some(object) = Object::of(raw) else {
            return Fate::Unknown("record that is no object".to_owned());
        };
        if is_header(&object) || object.string("table").is_some_and(|table| table == "sessions") {
            let thread: Arc<str> = object.string("id").unwrap_or_default().into();
            let about = About {
                project: object.string("working_dir").map(|folder| folder.as_ref().into()),
                time: time::of(&object, "updated_at"),
            };
            sink.event(thread.clone(), What::About(about));
            if let Some(call) = spent(&object) {
                sink.event(thread, What::Call(call));
            }
            return NO_MESSAGE;
        }
        if let Some(calls) = recorded(&object) {
            recording(calls, sink);
            return Fate::Parts;
        }
        if let Some(session) = object.string("session_id")
            && *self.thread != *session
        {
            if !self.thread.is_empty() {
                sink.event(self.thread.clone(), What::End);
            }
            self.thread = session.as_ref().into();
        }
        match message(raw, &object, sink.locator.place(raw)) {
            Ok(drafts) => {
                sink.event(self.thread.clone(), What::Append(drafts));
                Fate::Understood
            }
            Err(fate) => fate,
        }
    }
}

/// Requests, the shorter first; those that begin with the same message belong together.
fn recording<'r>(mut calls: Vec<(Raw<'r>, Object<'r>, Object<'r>)>, sink: &mut Sink<'_, 'r>) {
    calls.sort_by_key(|(_, input, _)| input.list("messages").map_or(0, |messages| messages.len()));
    for (raw, input, output) in calls {
        let mut messages = Vec::new();
        if let Some(system) = input.some("system")
            && let Some(text) = json::string(system).filter(|text| !text.is_empty())
        {
            messages.push(Draft {
                place: sink.locator.place(system),
                ..Draft::of_text(Role::System, text)
            });
        }
        let mut fate = Fate::Understood;
        let mut thread: Option<Arc<str>> = None;
        for raw in input.list("messages").unwrap_or_default() {
            let place = sink.locator.place(raw);
            let read = Object::of(raw).map(|object| message(raw, &object, place));
            match read.unwrap_or_else(|| Err(Fate::Unknown("message that is no object".to_owned()))) {
                Ok(drafts) => {
                    thread = thread.or_else(|| drafts.first()?.id.clone());
                    messages.extend(drafts);
                }
                Err(Fate::Ignored(_)) => {}
                Err(other) => fate = other,
            }
        }
        let thread = thread.unwrap_or_default();
        let snapshot = What::Snapshot {
            messages,
            branches: false,
        };
        sink.event_at(raw, thread.clone(), snapshot);
        let tools = Some(sent::tools_of(&input));
        sink.event_at(raw, thread.clone(), requests::sent_whole(tools, None));
        if let Some(call) = call(&output) {
            sink.event_at(raw, thread, What::Call(call));
        }
        sink.part(raw, fate);
    }
}

/// What all calls of a session cost: only their sum is recorded. What is not called accumulated is of the last one.
fn spent(session: &Object<'_>) -> Option<Call> {
    let number = |key| session.number(key).unwrap_or(0);
    let counts = Counts {
        input: number("accumulated_input_tokens"),
        output: number("accumulated_output_tokens"),
        ..Counts::default()
    };
    counts.call(Caching::Unknown)
}

fn call(output: &Object<'_>) -> Option<Call> {
    let told = output.object("usage")?;
    let usage = told.object("usage")?;
    let counts = Counts {
        input: usage.number("input_tokens").unwrap_or(0),
        read: usage.number("cache_read_input_tokens"),
        written: counts::first(&usage, &["cache_write_input_tokens", "cache_creation_input_tokens"]),
        output: usage.number("output_tokens").unwrap_or(0),
        total: usage.number("total_tokens"),
        ..Counts::default()
    };
    Some(Call {
        model: told.string("model").map(|model| model.as_ref().into()),
        ..counts.call(Caching::promised(counts.written.is_some()))?
    })
}

/// The messages that the model reads for one of goose.
fn message<'r>(raw: Raw<'r>, object: &Object<'r>, place: Place) -> Result<Vec<Draft>, Fate> {
    let role = match object.string("role").as_deref() {
        Some("user") => Role::User,
        Some("assistant") => Role::Assistant,
        Some(other) => return Err(Fate::Unknown(format!("role {other}"))),
        None => {
            return Err(Fate::Unknown(object.string("type").map_or_else(
                || "record without a role".to_owned(),
                std::borrow::Cow::into_owned,
            )));
        }
    };
    let metadata = object.object("metadata").or_else(|| object.object("metadata_json"));
    let told = |key: &str, word: &str| {
        metadata
            .as_ref()
            .is_some_and(|metadata| metadata.get(key).is_some_and(|value| value.get() == word))
    };
    if told("agentVisible", "false") {
        return Err(Fate::Ignored("hidden from the model"));
    }
    let Some(blocks) = object.list("content").or_else(|| object.list("content_json")) else {
        return Err(Fate::Malformed("a message whose content is no list".to_owned()));
    };
    let id = object.string("message_id").or_else(|| object.string("id"));
    let mut body = Body::default();
    for raw in blocks {
        let Some(block) = Object::of(raw) else {
            return Err(Fate::Unknown("part that is no object".to_owned()));
        };
        let id = block.string("id").unwrap_or_default();
        match block.string("type").as_deref() {
            Some("text") => body.line(&block.string("text").unwrap_or_default()),
            Some("toolRequest" | "frontendToolRequest") => body.call(&id, block.get("toolCall")),
            Some("toolResponse") => body.result(&id, block.get("toolResult")),
            // Thoughts are sent back to the model; the rest only the person sees.
            Some("thinking" | "redactedThinking" | "reasoning" | "image") => body.rest(raw),
            Some("toolConfirmationRequest" | "actionRequired" | "systemNotification") => {}
            Some("contextLengthExceeded" | "summarizationRequested") => {}
            Some(other) => return Err(Fate::Unknown(format!("part {other}"))),
            None => return Err(Fate::Malformed("a part without a type".to_owned())),
        }
    }
    if body.is_empty() && !raw.get().contains("\"text\"") {
        return Err(NO_MESSAGE);
    }
    let is_program = told("userVisible", "false") && role == Role::User;
    let mut draft = body.draft(role, id.map(|id| id.as_ref().into()), place);
    if is_program {
        // What only the model sees is the summary of a compaction, or a note of the tool's.
        draft.flags.push("agent_only".to_owned());
    }
    if role == Role::User && !draft.results.is_empty() && draft.text.is_empty() {
        draft.told = Some(Kind::ToolResult);
    }
    Ok(vec![draft])
}
