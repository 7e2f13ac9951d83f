//! Sessions of opencode and of Kilo, which keeps them in the same way: a folder of messages and parts, an export, or
//! the database.
//!
//! The history is what the next call would send. Source: `packages/opencode/src/session/message-v2.ts`
//! (`toModelMessages`, `filterCompacted`) of anomalyco/opencode at 1.x.

mod message;

use std::sync::Arc;

use self::message::Message;
use super::{Adapter, Detected, Format, Sample, Sink, form, time};
use crate::transcript::event::{About, Compaction, CompactionClass, Event, Fate, NO_MESSAGE, Note, What};
use crate::transcript::json::{Object, Raw};
use crate::transcript::message::Draft;
use crate::transcript::reader::{Record, Spot};
use crate::transcript::sqlite::{Query, Schema};

pub(super) static FORMAT: Format = Format {
    name: "opencode",
    detect,
    forced: || Detected::new(&form::OPENCODE, Opencode::default()),
    tables: Some(tables),
};

fn detect(sample: &Sample<'_>) -> Option<Detected> {
    let first = sample.first()?;
    if first.object("info").is_some_and(|info| is_session(&info)) && first.list("messages").is_some() {
        return Some(Detected::new(&form::OPENCODE_EXPORT, Opencode::default()));
    }
    if first.has("table") && sample.all(|row| row.has("table") && (row.has("session_id") || row.has("project_id"))) {
        return Some(Detected::new(&form::OPENCODE_DATABASE, Opencode::default()));
    }
    let is_store = is_session(first) || is_message(first) || is_part(first);
    is_store.then(|| {
        let is_alone = sample.is_single();
        Detected::new(
            &form::OPENCODE,
            Opencode {
                is_alone,
                ..Opencode::default()
            },
        )
    })
}

fn is_session(object: &Object<'_>) -> bool {
    object.string("id").is_some_and(|id| id.starts_with("ses_"))
        && object.object("time").is_some()
        && (object.has("title") || object.has("projectID") || object.has("directory"))
}

fn is_message(object: &Object<'_>) -> bool {
    object.has("sessionID") && object.has("role") && object.string("id").is_some_and(|id| id.starts_with("msg_"))
}

fn is_part(object: &Object<'_>) -> bool {
    object.has("messageID") && object.has("type") && object.string("id").is_some_and(|id| id.starts_with("prt_"))
}

/// Rows of the database: sessions, then messages with their parts in them.
fn tables(schema: &Schema) -> Option<Vec<Query>> {
    let known = schema.has("session", &["id", "project_id"])
        && schema.has("message", &["id", "session_id", "data"])
        && schema.has("part", &["id", "message_id", "data"]);
    if !known {
        return None;
    }
    let optional = |column: &'static str| {
        if schema.has("session", &[column]) {
            column
        } else {
            "NULL"
        }
    };
    let sessions = format!(
        "SELECT id, project_id, {} AS parent_id, {} AS directory, {} AS time_updated FROM session ORDER BY id",
        optional("parent_id"),
        optional("directory"),
        optional("time_updated"),
    );
    let messages = "SELECT id, session_id, data, (SELECT json_group_array(json(CASE WHEN json_valid(part.data) \
                    THEN json_set(part.data, '$.id', part.id) ELSE json_object('id', part.id) END)) \
                    FROM (SELECT id, data FROM part WHERE part.message_id = message.id ORDER BY part.id) AS part) \
                    AS parts FROM message ORDER BY session_id, id";
    let query = |table, sql: String, json| Query {
        table,
        sql,
        json,
        decode: None,
    };
    Some(vec![
        query("session", sessions, &[]),
        query("message", messages.to_owned(), &["data", "parts"]),
    ])
}

/// One session under way.
#[derive(Default)]
struct Opencode {
    /// Whether the input is one record of a store of many.
    is_alone: bool,
    thread: Arc<str>,
    /// Sessions that were begun by others, with those: in a database they stand before all messages.
    parents: rustc_hash::FxHashMap<String, Arc<str>>,
    /// The message whose parts are read.
    open: Option<(Message, Spot)>,
    /// What the next call would send, message by message.
    history: Vec<(Arc<str>, Vec<Draft>)>,
    /// Requests to compact that no summary answers yet.
    asked: Option<Asked>,
    session: String,
}

/// A request of the tool's to compact.
struct Asked {
    id: Arc<str>,
    class: CompactionClass,
    /// The first message that is kept behind the summary.
    tail: Option<Arc<str>>,
}

impl Adapter for Opencode {
    fn read<'r>(&mut self, _record: Record<'r>, raw: Raw<'r>, sink: &mut Sink<'_, 'r>) -> Fate {
        let Some(object) = Object::of(raw) else {
            return Fate::Unknown("record that is no object".to_owned());
        };
        if let Some(table) = object.string("table") {
            return self.row(&table, raw, &object, sink);
        }
        if let (Some(info), Some(messages)) = (object.object("info"), object.list("messages")) {
            self.about(&info, sink);
            for raw in messages {
                let fate = match Object::of(raw) {
                    Some(message) => self.whole(raw, message.object("info"), message.list("parts"), sink),
                    None => Fate::Unknown("message that is no object".to_owned()),
                };
                sink.part(raw, fate);
            }
            return Fate::Parts;
        }
        if is_session(&object) {
            self.about(&object, sink);
            return if self.is_alone {
                Fate::Malformed(
                    "its messages are not here; name the folder that holds `session`, `message` and `part`".to_owned(),
                )
            } else {
                NO_MESSAGE
            };
        }
        if is_part(&object) {
            let id = object.string("messageID").unwrap_or_default();
            return match &mut self.open {
                Some((message, _)) if *message.id == *id => message.part(&object, sink.locator.place(raw)),
                _ => Fate::Malformed(format!("part of message {id}, which is not here")),
            };
        }
        if is_message(&object) {
            self.close(sink.events);
            if self.thread.is_empty() {
                self.thread = object.string("sessionID").unwrap_or_default().into();
            }
            return match Message::of(&object, sink.locator.place(raw)) {
                Ok(message) => {
                    self.open = Some((message, sink.spot));
                    Fate::Understood
                }
                Err(fate) => fate,
            };
        }
        Fate::Unknown(
            object
                .string("type")
                .map_or("record without a type".to_owned(), std::borrow::Cow::into_owned),
        )
    }

    fn finish(&mut self, events: &mut Vec<Event>) {
        self.close(events);
    }
}

impl Opencode {
    fn about(&mut self, session: &Object<'_>, sink: &mut Sink<'_, '_>) {
        let id = session.string("id").unwrap_or_default();
        self.thread = match session.some("parentID").and_then(crate::transcript::json::string) {
            Some(parent) => format!("{parent}/{id}").into(),
            None => id.as_ref().into(),
        };
        let time = session.object("time");
        let about = About {
            project: session.string("directory").map(|folder| folder.as_ref().into()),
            time: time.and_then(|time| time::of(&time, "updated").or_else(|| time::of(&time, "created"))),
        };
        sink.event(self.thread.clone(), What::About(about));
    }

    /// A row of the database.
    fn row<'r>(&mut self, table: &str, raw: Raw<'r>, row: &Object<'r>, sink: &mut Sink<'_, 'r>) -> Fate {
        match table {
            "session" => {
                let id = row.string("id").unwrap_or_default().into_owned();
                let thread: Arc<str> = match row.string("parent_id") {
                    Some(parent) => format!("{parent}/{id}").into(),
                    None => id.as_str().into(),
                };
                let about = About {
                    project: row.string("directory").map(|folder| folder.as_ref().into()),
                    time: time::of(row, "time_updated"),
                };
                sink.event(thread.clone(), What::About(about));
                self.parents.insert(id, thread);
                NO_MESSAGE
            }
            "message" => {
                let session = row.string("session_id").unwrap_or_default();
                if *self.session != *session {
                    if !self.session.is_empty() {
                        sink.event(self.thread.clone(), What::End);
                    }
                    self.history.clear();
                    self.asked = None;
                    self.thread = match self.parents.get(&*session) {
                        Some(thread) => thread.clone(),
                        None => session.as_ref().into(),
                    };
                    self.session = session.into_owned();
                }
                let id = row.string("id").map(|id| id.as_ref().into());
                match row.object("data") {
                    Some(data) => self.whole_as(raw, &data, id, row.list("parts"), sink),
                    None => Fate::Malformed("a message whose data is no object".to_owned()),
                }
            }
            other => Fate::Unknown(format!("table {other}")),
        }
    }

    fn whole<'r>(
        &mut self,
        raw: Raw<'r>,
        info: Option<Object<'r>>,
        parts: Option<Vec<Raw<'r>>>,
        sink: &mut Sink<'_, 'r>,
    ) -> Fate {
        match info {
            Some(info) => self.whole_as(raw, &info, None, parts, sink),
            None => Fate::Malformed("a message without `info`".to_owned()),
        }
    }

    /// A message whose parts stand in the same record. What is not known of a part is told of the message.
    fn whole_as<'r>(
        &mut self,
        raw: Raw<'r>,
        info: &Object<'r>,
        id: Option<Arc<str>>,
        parts: Option<Vec<Raw<'r>>>,
        sink: &mut Sink<'_, 'r>,
    ) -> Fate {
        let place = sink.locator.place(raw);
        let mut message = match Message::of(info, place) {
            Ok(message) => message,
            Err(fate) => return fate,
        };
        if let Some(id) = id {
            message.id = id;
        }
        let mut fate = Fate::Understood;
        for raw in parts.unwrap_or_default() {
            let told = match Object::of(raw) {
                Some(part) => message.part(&part, place),
                None => Fate::Unknown("part that is no object".to_owned()),
            };
            if matches!(told, Fate::Unknown(_) | Fate::Malformed(_)) {
                fate = told;
            }
        }
        let spot = Spot {
            line: place.line,
            column: place.column,
            end_line: place.end_line,
            ..sink.spot
        };
        self.open = Some((message, spot));
        self.close(sink.events);
        fate
    }

    /// All parts of the open message were read.
    fn close(&mut self, events: &mut Vec<Event>) {
        let Some((message, spot)) = self.open.take() else {
            return;
        };
        let mut tell = |what| {
            events.push(Event {
                thread: self.thread.clone(),
                spot,
                what,
            });
        };
        if message.failed {
            tell(What::Note(Note::ApiError));
        }
        for call in message.calls.iter().cloned() {
            tell(What::Call(call));
        }
        if let Some(request) = &message.compaction {
            let is_at_work = self
                .history
                .last()
                .is_some_and(|(_, drafts)| drafts.last().is_some_and(|draft| !draft.results.is_empty()));
            let class = match (request.is_automatic, is_at_work) {
                (false, _) => CompactionClass::Manual,
                (true, true) => CompactionClass::MidTurn,
                (true, false) => CompactionClass::PreTurn,
            };
            self.asked = Some(Asked {
                id: message.id.clone(),
                class,
                tail: request.tail.clone(),
            });
        }
        let answers = message
            .answers
            .clone()
            .filter(|_| message.is_summary && message.is_finished);
        let (id, drafts) = message.drafts();
        let asked = self
            .asked
            .take_if(|asked| answers.is_some_and(|answers| answers == asked.id));
        let Some(asked) = asked else {
            self.history.push((id, drafts.clone()));
            if !drafts.is_empty() {
                tell(What::Append(drafts));
            }
            return;
        };
        // The request and its summary, then what is kept.
        let at = self
            .history
            .iter()
            .rposition(|(id, _)| *id == asked.id)
            .unwrap_or(self.history.len());
        let mut kept = self.history.split_off(at.min(self.history.len()));
        kept.push((id, drafts));
        if let Some(tail) = asked.tail {
            let from = self
                .history
                .iter()
                .position(|(id, _)| *id == tail)
                .unwrap_or(self.history.len());
            kept.extend(self.history.split_off(from));
        }
        self.history = kept;
        let messages: Vec<Draft> = self.history.iter().flat_map(|(_, drafts)| drafts).cloned().collect();
        tell(What::Compact(Compaction {
            class: asked.class,
            kept: None,
            messages: Some(messages),
            tokens: [None, None],
        }));
    }
}
