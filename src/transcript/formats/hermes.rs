//! Hermes Agent: its database, exported sessions, session logs, and trajectories.
//!
//! What is replayed is `active = 1`, in the order of the row ids: rows that a compaction archived stay in the
//! table and stand in it a second time as what was kept.
//! Source: `hermes_state.py` of `NousResearch/hermes-agent` at 0.19.0.

mod trajectory;

use std::sync::Arc;

use super::counts::{Counted, Counts};
use super::form::{self, Form};
use super::{Adapter, Detected, Format, Sample, Sink, encoding, parts};
use crate::transcript::event::{About, Caching, Call, Fate, NO_MESSAGE, What};
use crate::transcript::json::{Object, Raw};
use crate::transcript::message::{Draft, Role};
use crate::transcript::reader::Record;
use crate::transcript::sqlite::{Query, Schema};

pub(super) static FORMAT: Format = Format {
    name: "hermes",
    detect,
    forced: || Detected::new(&form::HERMES_EXPORT, Hermes::default()),
    tables: Some(tables),
};

/// What the calls of a session cost together, by class.
const SPENT: [&str; 4] = [
    "input_tokens",
    "cache_read_tokens",
    "cache_write_tokens",
    "output_tokens",
];

fn tables(schema: &Schema) -> Option<Vec<Query>> {
    let is_hermes = schema.has("sessions", &["id", "source", "system_prompt", "started_at"])
        && schema.has(
            "messages",
            &["id", "session_id", "role", "content", "tool_call_id", "tool_calls"],
        );
    let query = |table, sql: &str, json| Query {
        table,
        sql: sql.to_owned(),
        json,
        decode: None,
    };
    // Older databases do not say where the person worked.
    let mut sessions = "SELECT id, system_prompt, started_at".to_owned();
    for column in ["cwd", "model", "api_call_count"].iter().chain(&SPENT) {
        if schema.has("sessions", &[column]) {
            sessions.push_str(", ");
            sessions.push_str(column);
        }
    }
    sessions.push_str(" FROM sessions ORDER BY id");
    let messages = "SELECT * FROM messages ORDER BY session_id, id";
    is_hermes.then(|| {
        vec![
            query("sessions", &sessions, &[]),
            query("messages", messages, &["tool_calls"]),
        ]
    })
}

fn detect(sample: &Sample<'_>) -> Option<Detected> {
    let first = sample.first()?;
    let is_row = first.has("table") && first.has("started_at");
    let is_export = first.has("messages") && first.has("source") && first.has("started_at");
    let is_log = first.has("messages") && first.has("session_id") && first.has("session_start");
    let is_gateway = first.string("role").is_some_and(|role| role == "session_meta");
    let form: &'static Form = if is_row {
        &form::HERMES_STORE
    } else if is_export || is_log || is_gateway {
        &form::HERMES_EXPORT
    } else if sample.all(trajectory::is_one) {
        &form::HERMES_TRAJECTORY
    } else {
        return None;
    };
    Some(Detected::new(form, Hermes::default()))
}

/// Reads rows, sessions and trajectories.
#[derive(Default)]
struct Hermes {
    /// The session whose rows are read.
    thread: Arc<str>,
    trajectories: usize,
}

impl Adapter for Hermes {
    fn read<'r>(&mut self, _record: Record<'r>, raw: Raw<'r>, sink: &mut Sink<'_, 'r>) -> Fate {
        let Some(object) = Object::of(raw) else {
            return Fate::Unknown("record that is no object".to_owned());
        };
        if object.has("conversations") {
            self.trajectories += 1;
            return trajectory::read(&object, self.trajectories, sink);
        }
        match object.string("table").as_deref() {
            Some("sessions") => session(&object, "id", sink),
            Some("messages") => self.row(raw, &object, sink),
            Some(other) => Fate::Unknown(format!("table {other}")),
            None if object.has("messages") => exported(&object, sink),
            None if object.string("role").is_some_and(|role| role == "session_meta") => NO_MESSAGE,
            None => match message(raw, &mut sink.locator) {
                Ok(draft) => {
                    sink.event(self.thread.clone(), What::Append(vec![draft]));
                    Fate::Understood
                }
                Err(fate) => fate,
            },
        }
    }
}

impl Hermes {
    fn row<'r>(&mut self, raw: Raw<'r>, row: &Object<'r>, sink: &mut Sink<'_, 'r>) -> Fate {
        let Some(session) = row.some("session_id").and_then(encoding::id) else {
            return Fate::Malformed("a message without a session".to_owned());
        };
        if session != self.thread {
            let ended = std::mem::replace(&mut self.thread, session);
            sink.event(ended, What::End);
        }
        match message(raw, &mut sink.locator) {
            Ok(draft) => {
                sink.event(self.thread.clone(), What::Append(vec![draft]));
                Fate::Understood
            }
            Err(fate) => fate,
        }
    }
}

/// The system prompt of a session, which is no row of its messages.
fn session(object: &Object<'_>, key: &str, sink: &mut Sink<'_, '_>) -> Fate {
    let Some(thread) = object.some(key).and_then(encoding::id) else {
        return Fate::Malformed("a session without an id".to_owned());
    };
    if let Some(project) = object.string("cwd").filter(|cwd| !cwd.is_empty()) {
        let project = Some(project.as_ref().into());
        sink.event(thread.clone(), What::About(About { project, time: None }));
    }
    if let Some(call) = spent(object) {
        sink.event(thread.clone(), What::Call(call));
    }
    let Some(prompt) = object.string("system_prompt").filter(|prompt| !prompt.is_empty()) else {
        return NO_MESSAGE;
    };
    let draft = Draft {
        place: sink.spot.start(),
        ..Draft::of_text(Role::System, prompt.into_owned())
    };
    sink.event(thread, What::Append(vec![draft]));
    Fate::Understood
}

/// What all calls of a session cost: only their sum is recorded. Thoughts are counted among the output.
fn spent(object: &Object<'_>) -> Option<Call> {
    let [input, read, written, output] = SPENT.map(|key| object.number(key));
    let counts = Counts {
        input: input.unwrap_or(0),
        read,
        written,
        output: output.unwrap_or(0),
        cached: Counted::Beside,
        ..Counts::default()
    };
    let counted = counts.call(Caching::Unknown)?;
    Some(Call {
        responses: object.number("api_call_count").filter(|calls| *calls > 0),
        model: object.string("model").map(|model| model.as_ref().into()),
        // Sums of several calls are not compared.
        caching: Caching::Unknown,
        ..counted
    })
}

/// A session with its messages.
fn exported<'r>(object: &Object<'r>, sink: &mut Sink<'_, 'r>) -> Fate {
    let key = if object.some("session_id").is_some() {
        "session_id"
    } else {
        "id"
    };
    let Some(list) = object.list("messages") else {
        return Fate::Malformed("messages that are no list".to_owned());
    };
    let fate = session(object, key, sink);
    if list.is_empty() || matches!(fate, Fate::Malformed(_)) {
        return fate;
    }
    let thread = object.some(key).and_then(encoding::id).unwrap_or_default();
    let drafts = parts::each(list, sink, message);
    sink.event(thread.clone(), What::Append(drafts));
    sink.event(thread, What::End);
    Fate::Parts
}

/// A message, if it is sent.
fn message<'r>(raw: Raw<'r>, locator: &mut crate::transcript::json::Locator<'r>) -> Result<Draft, Fate> {
    let object = Object::of(raw).unwrap_or_default();
    if object.number("active") == Some(0) {
        let archived = object.number("compacted") == Some(1);
        return Err(Fate::Ignored(if archived {
            "archived by a compaction"
        } else {
            "no longer active"
        }));
    }
    let mut draft = parts::chat(raw, locator)?;
    // What was sent for a turn of the person may hold more than what was typed.
    if let Some(sent) = object.some("api_content") {
        let content = encoding::draft(draft.role, None, Some(sent), Vec::new(), Vec::new());
        draft.text = content.text;
        draft.content = content.content;
    }
    Ok(draft)
}
