//! Rows of the tables of a checkpointer, dumped one a line: each checkpoint is put together with its channels
//! and its writes.
//!
//! Source: `langgraph/checkpoint/postgres/base.py` of langchain-ai/langgraph, langgraph-checkpoint-postgres 3,
//! which keeps the lists of a state in `checkpoint_blobs` under the channel's version.

use rustc_hash::FxHashMap;
use serde_json::{Map, Value, json};

use super::super::{Adapter, Detected, Sample, Sink, Way, form};
use super::{LangGraph, serde};
use crate::transcript::event::{Event, Fate, NO_MESSAGE};
use crate::transcript::json::{Object, Raw};
use crate::transcript::message::hash_of;
use crate::transcript::reader::{Record, Spot};

/// Which table a row is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Table {
    Checkpoint,
    /// A channel at a version.
    Blob,
    Write,
    /// Bookkeeping of the database.
    Other,
}

impl Table {
    fn of(row: &Object<'_>) -> Option<Self> {
        let named = row.string("table").map(std::borrow::Cow::into_owned);
        Some(match named.as_deref() {
            Some("checkpoint_migrations") => Self::Other,
            _ if !row.has("thread_id") => return None,
            _ if row.has("channel") && row.has("version") => Self::Blob,
            _ if row.has("channel") && row.has("checkpoint_id") && row.has("task_id") => Self::Write,
            _ if row.has("checkpoint") && row.has("checkpoint_id") && row.has("metadata") => Self::Checkpoint,
            _ => return None,
        })
    }
}

pub(super) fn detect(sample: &Sample<'_>) -> Option<Detected> {
    let known = |row: &Object<'_>| Table::of(row).is_some();
    let told = sample.first().is_some_and(known) && sample.all(|row| known(row) || row.has("table"));
    told.then(|| Detected::new(&form::ROWS, Rows::default()))
}

/// Puts rows together. Order: thread and namespace, checkpoint, blobs before the checkpoint before its writes.
#[derive(Default)]
struct Rows {
    reader: Option<LangGraph>,
    threads: FxHashMap<u64, u32>,
    places: Vec<Place>,
    /// Where the channels are, by thread, name and version.
    blobs: FxHashMap<u64, Spot>,
    /// The channels that single checkpoints need.
    needs: FxHashMap<Key, Vec<u64>>,
    /// Channels read so far, with what names them.
    channels: Vec<(u64, String, Value)>,
    held: Option<Held>,
}

/// Thread and namespace, in the order in which they came, and the checkpoint.
type Key = (u32, u128);

#[derive(Clone, Copy)]
struct Place {
    key: Key,
    rank: (u8, u64, i64),
    spot: Spot,
}

/// A checkpoint that waits for its writes.
struct Held {
    key: Key,
    spot: Spot,
    tuple: Map<String, Value>,
    writes: Vec<Value>,
}

fn text(row: &Object<'_>, key: &str) -> String {
    row.string(key).map(String::from).unwrap_or_default()
}

fn key(row: &Object<'_>) -> u64 {
    hash_of((text(row, "thread_id"), text(row, "checkpoint_ns")))
}

/// The ids sort by time, as numbers too.
fn id(row: &Object<'_>) -> u128 {
    let digits = text(row, "checkpoint_id");
    let digits = digits.chars().filter_map(|digit| digit.to_digit(16)).take(32);
    digits.fold(0, |id, digit| id << 4 | u128::from(digit))
}

fn channel(thread: u64, name: &str, version: &str) -> u64 {
    hash_of((thread, name, version))
}

/// A column that holds a packed value, or the value itself.
fn value(row: &Object<'_>, keys: &[&str]) -> Option<Value> {
    let raw = keys.iter().find_map(|key| row.get(key))?;
    match crate::transcript::json::string(raw) {
        Some(packed) => serde::decode(&text(row, "type"), &serde::bytes(&packed)?),
        None => serde_json::from_str(raw.get()).ok(),
    }
}

impl Rows {
    fn key(&mut self, row: &Object<'_>) -> Key {
        let next = self.threads.len() as u32;
        (*self.threads.entry(key(row)).or_insert(next), id(row))
    }

    fn flush(&mut self, events: &mut Vec<Event>) {
        let Some(mut held) = self.held.take() else { return };
        held.tuple.insert("pending_writes".to_owned(), Value::from(held.writes));
        let text = Value::Object(held.tuple).to_string();
        let reader = self.reader.get_or_insert_with(|| LangGraph::new(None, None));
        reader.read_made(&text, held.spot, events);
    }

    /// The channels that a checkpoint holds, of those that were read.
    fn begin(&mut self, row: &Object<'_>, key: Key, spot: Spot) {
        let config = |id: &str| {
            let id = text(row, id);
            json!({"configurable": {
                "thread_id": text(row, "thread_id"), "checkpoint_ns": text(row, "checkpoint_ns"), "checkpoint_id": id,
            }})
        };
        let mut tuple = Map::new();
        tuple.insert("config".to_owned(), config("checkpoint_id"));
        if row.some("parent_checkpoint_id").is_some() {
            tuple.insert("parent_config".to_owned(), config("parent_checkpoint_id"));
        }
        tuple.insert(
            "metadata".to_owned(),
            value(row, &["metadata"]).unwrap_or_else(|| json!({})),
        );
        let mut checkpoint = value(row, &["checkpoint"]).unwrap_or_default();
        if !checkpoint.is_object() {
            checkpoint = json!({});
        }
        if let Some(needs) = self.needs.get(&key) {
            self.channels.retain(|(hash, ..)| needs.contains(hash));
            let values = checkpoint["channel_values"].take();
            let mut values = match values {
                Value::Object(values) => values,
                _ => Map::new(),
            };
            for (_, name, value) in &self.channels {
                values.entry(name.clone()).or_insert_with(|| value.clone());
            }
            checkpoint["channel_values"] = Value::Object(values);
        }
        tuple.insert("checkpoint".to_owned(), checkpoint);
        self.held = Some(Held {
            key,
            spot,
            tuple,
            writes: Vec::new(),
        });
    }
}

impl Adapter for Rows {
    fn way(&self) -> Way {
        Way::Surveyed
    }

    fn survey<'r>(&mut self, record: Record<'r>, raw: Raw<'r>) -> Fate {
        let row = Object::of(raw).unwrap_or_default();
        let unpacked = |keys| match value(&row, keys) {
            Some(_) => Fate::Understood,
            None => Fate::Malformed("its value cannot be unpacked".to_owned()),
        };
        let (rank, fate) = match Table::of(&row) {
            Some(Table::Checkpoint) => {
                let key = self.key(&row);
                let (thread, told) = (self::key(&row), value(&row, &["checkpoint"]).unwrap_or_default());
                if let Some(versions) = told["channel_versions"].as_object() {
                    let plain = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
                    let needs = versions
                        .iter()
                        .map(|(name, version)| channel(thread, name, &plain(version)));
                    self.needs.insert(key, needs.collect());
                }
                ((1, 0, 0), unpacked(&["checkpoint"]))
            }
            Some(Table::Blob) => {
                let hash = channel(self::key(&row), &text(&row, "channel"), &text(&row, "version"));
                self.blobs.insert(hash, record.spot);
                return unpacked(&["blob", "value"]);
            }
            Some(Table::Write) => {
                let idx = row
                    .get("idx")
                    .and_then(|raw| raw.get().parse().ok())
                    .unwrap_or_default();
                let task = hash_of(text(&row, "task_id"));
                ((2, task, idx), unpacked(&["value", "blob"]))
            }
            Some(Table::Other) => return NO_MESSAGE,
            None => return Fate::Unknown(text(&row, "table")),
        };
        if fate == Fate::Understood {
            let key = self.key(&row);
            let spot = record.spot;
            self.places.push(Place { key, rank, spot });
        }
        fate
    }

    fn plan(&mut self) -> Option<Vec<Spot>> {
        self.places.sort_by_key(|place| (place.key, place.rank));
        let mut plan = Vec::new();
        let mut before: &[u64] = &[];
        for place in &self.places {
            if place.rank.0 == 1 {
                let needs = self.needs.get(&place.key).map(Vec::as_slice).unwrap_or_default();
                let new = needs.iter().filter(|hash| !before.contains(hash));
                plan.extend(new.filter_map(|hash| self.blobs.get(hash)));
                before = needs;
            }
            plan.push(place.spot);
        }
        Some(plan)
    }

    fn read<'r>(&mut self, record: Record<'r>, raw: Raw<'r>, sink: &mut Sink<'_, 'r>) -> Fate {
        let row = Object::of(raw).unwrap_or_default();
        match Table::of(&row) {
            Some(Table::Checkpoint) => {
                self.flush(sink.events);
                let key = self.key(&row);
                self.begin(&row, key, record.spot);
            }
            Some(Table::Blob) => {
                let name = text(&row, "channel");
                let hash = channel(key(&row), &name, &text(&row, "version"));
                self.channels
                    .push((hash, name, value(&row, &["blob", "value"]).unwrap_or_default()));
            }
            Some(Table::Write) => {
                let key = self.key(&row);
                if self.held.as_ref().is_none_or(|held| held.key != key) {
                    self.flush(sink.events);
                    let config = json!({"thread_id": text(&row, "thread_id"), "checkpoint_ns": text(&row, "checkpoint_ns"),
                        "checkpoint_id": text(&row, "checkpoint_id")});
                    let tuple = json!({"config": {"configurable": config}, "metadata": {}, "checkpoint": {}});
                    self.held = Some(Held {
                        key,
                        spot: record.spot,
                        tuple: tuple.as_object().cloned().unwrap_or_default(),
                        writes: Vec::new(),
                    });
                }
                let write = json!([
                    text(&row, "task_id"),
                    text(&row, "channel"),
                    value(&row, &["value", "blob"]),
                    text(&row, "task_path")
                ]);
                if let Some(held) = &mut self.held {
                    held.writes.push(write);
                }
            }
            Some(Table::Other) | None => return NO_MESSAGE,
        }
        Fate::Understood
    }

    fn finish(&mut self, events: &mut Vec<Event>) {
        self.flush(events);
    }
}
