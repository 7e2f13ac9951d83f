//! Messages that Mastra stores: rows of `mastra_messages`, in the order of time.
//!
//! Source: `packages/core/src/agent/message-list` and the stores of mastra-ai/mastra at 0.2x.

use std::sync::Arc;

use super::ties::Ties;
use super::{Adapter, Detected, Format, Sample, Sink, Way, encoding, form, time, ui_parts};
use crate::transcript::event::{About, Fate, What};
use crate::transcript::json::{self, Object, Raw};
use crate::transcript::message::{Draft, Place, Role, hash_of};
use crate::transcript::reader::{Record, Spot};
use crate::transcript::sqlite::{Query, Schema};

pub(super) static FORMAT: Format = Format {
    name: "mastra",
    detect,
    forced: || Detected::new(&form::MASTRA, Mastra::default()),
    tables: Some(tables),
};

fn detect(sample: &Sample<'_>) -> Option<Detected> {
    let is_row = |row: &Object<'_>| {
        thread_of(row).is_some()
            && row.has("role")
            && row.has("content")
            && (row.has("createdAt") || row.has("resourceId"))
    };
    let is_list = |first: &Object<'_>| {
        let list = first.list("messages").unwrap_or_default();
        !list.is_empty()
            && list
                .into_iter()
                .all(|raw| Object::of(raw).is_some_and(|row| is_row(&row)))
    };
    let known = sample.all(is_row) || sample.is_single() && sample.first().is_some_and(is_list);
    known.then(|| Detected::new(&form::MASTRA, Mastra::default()))
}

fn tables(schema: &Schema) -> Option<Vec<Query>> {
    let known = schema.has("mastra_messages", &["id", "thread_id", "content", "role", "createdat"]);
    let query = || Query {
        table: "mastra_messages",
        sql: "SELECT id, thread_id, content, role, createdAt AS createdAt FROM mastra_messages \
              ORDER BY thread_id, createdAt"
            .to_owned(),
        json: &["content"],
        decode: None,
    };
    known.then(|| vec![query()])
}

fn thread_of<'r>(row: &Object<'r>) -> Option<std::borrow::Cow<'r, str>> {
    row.string("threadId").or_else(|| row.string("thread_id"))
}

/// Reads messages in the order of time.
#[derive(Default)]
struct Mastra {
    /// Of each message its thread, its time and where it stands.
    seen: Vec<(u64, i64, Spot)>,
    /// Whether something is no row, so that all is read in the order of the file.
    is_list: bool,
    ties: Ties,
}

impl Adapter for Mastra {
    fn way(&self) -> Way {
        Way::Surveyed
    }

    fn survey<'r>(&mut self, record: Record<'r>, raw: Raw<'r>) -> Fate {
        let Some(row) = Object::of(raw) else {
            return Fate::Unknown("record that is no object".to_owned());
        };
        if row.has("messages") {
            self.is_list = true;
            return Fate::Parts;
        }
        let place = Place::default();
        match read(&row, place) {
            Ok((_, fate)) => {
                let thread = hash_of(&*thread_of(&row).unwrap_or_default());
                let time = time::of(&row, "createdAt").unwrap_or(i64::MAX);
                self.seen.push((thread, time, record.spot));
                fate
            }
            Err(fate) => fate,
        }
    }

    fn plan(&mut self) -> Option<Vec<Spot>> {
        if self.is_list {
            return None;
        }
        let mut seen = std::mem::take(&mut self.seen);
        let mut order = Vec::new();
        let mut first_of: rustc_hash::FxHashMap<u64, usize> = rustc_hash::FxHashMap::default();
        for (thread, _, _) in &seen {
            let next = first_of.len();
            first_of.entry(*thread).or_insert(next);
        }
        // Stable: messages of the same moment stay as they were stored.
        seen.sort_by_key(|(thread, time, _)| (first_of[thread], *time));
        order.extend(seen.into_iter().map(|(_, _, spot)| spot));
        Some(order)
    }

    fn read<'r>(&mut self, _record: Record<'r>, raw: Raw<'r>, sink: &mut Sink<'_, 'r>) -> Fate {
        let Some(row) = Object::of(raw) else {
            return Fate::Unknown("record that is no object".to_owned());
        };
        let Some(list) = row.list("messages") else {
            return self.tell(raw, &row, sink);
        };
        let rows = list.into_iter().filter_map(|raw| Some((raw, Object::of(raw)?)));
        let mut rows: Vec<(Raw<'r>, Object<'r>)> = rows.collect();
        rows.sort_by_key(|(_, row)| time::of(row, "createdAt").unwrap_or(i64::MAX));
        for (raw, row) in rows {
            let fate = self.tell(raw, &row, sink);
            sink.part(raw, fate);
        }
        Fate::Parts
    }
}

impl Mastra {
    fn tell<'r>(&mut self, raw: Raw<'r>, row: &Object<'r>, sink: &mut Sink<'_, 'r>) -> Fate {
        let place = sink.locator.place(raw);
        let (drafts, fate) = match read(row, place) {
            Ok(read) => read,
            Err(fate) => return fate,
        };
        let thread: Arc<str> = thread_of(row).unwrap_or_default().into();
        let about = About {
            project: None,
            time: time::of(row, "createdAt"),
        };
        sink.event_at(raw, Arc::clone(&thread), What::About(about));
        if !drafts.is_empty() {
            sink.event_at(raw, Arc::clone(&thread), What::Append(drafts));
            self.ties.row(raw, row, [&thread, "createdAt"], sink);
        }
        fate
    }
}

/// The messages that the model reads for a row, and where it ends.
fn read(row: &Object<'_>, place: Place) -> Result<(Vec<Draft>, Fate), Fate> {
    let Some(word) = row.string("role") else {
        return Err(Fate::Unknown(row.string("type").map_or_else(
            || "record without a role".to_owned(),
            std::borrow::Cow::into_owned,
        )));
    };
    let role: Role = encoding::role_word(&word).ok_or_else(|| Fate::Unknown(format!("role {word}")))?;
    let id = row.string("id");
    let id = id.as_deref();
    let Some(content) = row.some("content") else {
        return Err(Fate::Malformed("a message without content".to_owned()));
    };
    // Stores of text keep the content as a text with JSON in it.
    let text = json::string(content);
    let inner: Option<Object<'_>> = text.as_deref().and_then(|text| serde_json::from_str(text).ok());
    let whole = Object::of(content).or(inner.clone());
    if let Some(parts) = whole.as_ref().and_then(|content| content.list("parts")) {
        return Ok(ui_parts::drafts(role, id, &parts, place));
    }
    let list: Option<Raw<'_>> = text.as_deref().and_then(|text| serde_json::from_str(text).ok());
    let content = list.filter(|list| list.get().starts_with('[')).unwrap_or(content);
    Ok((
        vec![ui_parts::model_message(role, id, Some(content), place)],
        Fate::Understood,
    ))
}
