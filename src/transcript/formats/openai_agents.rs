//! Sessions of the OpenAI Agents SDK: the items of the Responses API, a row each, or as a list.
//!
//! Source: `memory/sqlite_session.py` of `openai/openai-agents-python`.

use std::sync::Arc;

use super::form;
use super::{Adapter, Detected, Format, Sample, Sink, encoding};
use crate::transcript::event::{Fate, NO_MESSAGE, What};
use crate::transcript::json::{self, Object, Raw};
use crate::transcript::message::{Draft, Kind, Role, hash_of};
use crate::transcript::reader::Record;
use crate::transcript::sqlite::{Query, Schema};

pub(super) static FORMAT: Format = Format {
    name: "openai-agents",
    detect,
    forced: || Detected::new(&form::OPENAI_AGENTS_ITEMS, Items::default()),
    tables: Some(tables),
};

fn tables(schema: &Schema) -> Option<Vec<Query>> {
    let is_store = schema.has("agent_sessions", &["session_id"])
        && schema.has("agent_messages", &["id", "session_id", "message_data"]);
    is_store.then(|| {
        vec![Query {
            table: "agent_messages",
            sql: "SELECT id, session_id, message_data FROM agent_messages ORDER BY session_id, id".to_owned(),
            json: &["message_data"],
            decode: None,
        }]
    })
}

fn detect(sample: &Sample<'_>) -> Option<Detected> {
    let first = sample.first()?;
    let is_row = first.has("session_id") && first.has("message_data");
    let is_dump = first.list("rows").is_some()
        && first.list("schema").is_some_and(|schema| {
            let mut texts = schema.into_iter().filter_map(json::string);
            texts.any(|text| text.contains("agent_messages"))
        });
    if is_row || is_dump {
        return Some(Detected::new(&form::OPENAI_AGENTS_STORE, Items::default()));
    }
    let is_call = |object: &Object<'_>| {
        let kind = object.string("type");
        kind.is_some_and(|kind| matches!(&*kind, "function_call" | "function_call_output")) && object.has("call_id")
    };
    // What the model said is an item too, with an id and a status.
    let is_said = |object: &Object<'_>| {
        let is_text =
            |raw| Object::of(raw).is_some_and(|part| part.string("type").is_some_and(|kind| kind == "output_text"));
        object.string("type").is_some_and(|kind| kind == "message")
            && object.has("status")
            && object.list("content").unwrap_or_default().into_iter().any(is_text)
    };
    let is_item = |object: &Object<'_>| {
        let kind = object.string("type").unwrap_or_default();
        let is_other = kind.ends_with("_call") || kind.ends_with("_call_output") || kind == "reasoning";
        (is_other || encoding::is_chat_object(object)) && !object.has("timestamp") && !object.has("payload")
    };
    (sample.any(|object| is_call(object) || is_said(object)) && sample.all(is_item))
        .then(|| Detected::new(&form::OPENAI_AGENTS_ITEMS, Items::default()))
}

/// Reads items.
#[derive(Default)]
struct Items {
    /// The session whose rows are read.
    thread: Arc<str>,
}

impl Adapter for Items {
    fn read<'r>(&mut self, _record: Record<'r>, raw: Raw<'r>, sink: &mut Sink<'_, 'r>) -> Fate {
        let Some(object) = Object::of(raw) else {
            return Fate::Unknown("record that is no object".to_owned());
        };
        if let Some(rows) = object.list("rows") {
            return self.dump(rows, sink);
        }
        let Some(data) = object.get("message_data") else {
            return self.take(raw, raw, sink);
        };
        self.switch(object.some("session_id"), sink);
        match json::string(data) {
            Some(text) => self.text(raw, &text, sink),
            None => self.take(raw, data, sink),
        }
    }
}

impl Items {
    fn switch(&mut self, session: Option<Raw<'_>>, sink: &mut Sink<'_, '_>) {
        let session = session.and_then(encoding::id).unwrap_or_default();
        if session != self.thread {
            let ended = std::mem::replace(&mut self.thread, session);
            sink.event(ended, What::End);
        }
    }

    /// Rows as they come out of the database: `[id, session, item as a text, time]`.
    fn dump<'r>(&mut self, rows: Vec<Raw<'r>>, sink: &mut Sink<'_, 'r>) -> Fate {
        if rows.is_empty() {
            return NO_MESSAGE;
        }
        for raw in rows {
            let row = json::list(raw).unwrap_or_default();
            let fate = match row.get(2).copied().and_then(json::string) {
                Some(text) => {
                    self.switch(row.get(1).copied(), sink);
                    self.text(raw, &text, sink)
                }
                None => Fate::Malformed("a row without an item".to_owned()),
            };
            sink.part(raw, fate);
        }
        Fate::Parts
    }

    fn text<'r>(&self, whole: Raw<'r>, text: &str, sink: &mut Sink<'_, 'r>) -> Fate {
        match serde_json::from_str::<Raw<'_>>(text) {
            Ok(item) => self.take(whole, item, sink),
            Err(_) => Fate::Malformed("an item that is no JSON".to_owned()),
        }
    }

    fn take<'r>(&self, whole: Raw<'r>, item: Raw<'_>, sink: &mut Sink<'_, 'r>) -> Fate {
        match read(item) {
            Ok(mut draft) => {
                draft.place = sink.locator.place(whole);
                sink.event_at(whole, self.thread.clone(), What::Append(vec![draft]));
                Fate::Understood
            }
            Err(fate) => fate,
        }
    }
}

/// Reads an item, or says where a record ends that is none.
fn read(raw: Raw<'_>) -> Result<Draft, Fate> {
    let Some(item) = Object::of(raw) else {
        return Err(Fate::Unknown("item that is no object".to_owned()));
    };
    let kind = item.string("type").unwrap_or_default();
    let call_id = || item.some("call_id").and_then(json::string).map(Box::from);
    let mut draft = match &*kind {
        "" | "message" => {
            let Some(role) = item.string("role") else {
                return Err(Fate::Malformed("a message without a role".to_owned()));
            };
            let Some(role) = encoding::role_word(&role) else {
                return Err(Fate::Unknown(format!("role {role}")));
            };
            encoding::draft(role, None, item.get("content"), Vec::new(), Vec::new())
        }
        "reasoning" => Draft {
            told: Some(Kind::Reasoning),
            ..encoding::draft(Role::Assistant, None, item.get("summary"), Vec::new(), Vec::new())
        },
        "compaction" => Draft {
            told: Some(Kind::Summary),
            ..encoding::opaque(Role::Assistant, raw)
        },
        "item_reference" => return Err(Fate::Ignored("names an item that the provider holds")),
        "mcp_list_tools" | "mcp_approval_request" | "mcp_approval_response" => return Err(NO_MESSAGE),
        output if output.ends_with("_call_output") => Draft {
            results: call_id().into_iter().collect(),
            ..encoding::draft(Role::Tool, None, item.get("output"), Vec::new(), Vec::new())
        },
        // The item's own id does not belong to what it says.
        "function_call" | "custom_tool_call" => {
            let asked = item.get("arguments").or(item.get("input"));
            Draft {
                calls: call_id().into_iter().collect(),
                content: hash_of((
                    item.string("name"),
                    asked.map(|raw| json::string(raw).unwrap_or_else(|| encoding::canonical(raw).into())),
                )),
                beside: asked.map_or(0, |raw| raw.get().len()),
                told: Some(Kind::ToolCall),
                ..Draft::new(Role::Assistant)
            }
        }
        // What the provider runs itself has no output item and no `call_id`.
        call if call.ends_with("_call") => Draft {
            calls: call_id().into_iter().collect(),
            told: Some(Kind::ToolCall),
            ..encoding::opaque(Role::Assistant, raw)
        },
        other => return Err(Fate::Unknown(format!("item {other}"))),
    };
    draft.id = item.some("id").and_then(encoding::id);
    Ok(draft)
}
