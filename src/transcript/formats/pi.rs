//! Sessions of pi and of what is built on it (openclaw, letta-code): entries that name their parent.
//!
//! Source: `packages/coding-agent/docs/session.md` and `session-manager.ts` of badlogic/pi-mono, versions 1 to 3.

mod entries;

use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::form::{self, Form};
use super::{Adapter, Companion, Detected, Format, Sample, Sink, Way, time};
use crate::transcript::event::{
    About, Caching, Call, Chain, Compaction, CompactionClass, Dangling, Event, Fate, NO_MESSAGE, Note, What,
};
use crate::transcript::json::{Object, Raw};
use crate::transcript::message::{Draft, hash_of};
use crate::transcript::reader::{Record, Spot};

pub(super) static FORMAT: Format = Format {
    name: "pi",
    detect,
    forced: || Detected::new(&form::PI, Pi::default()),
    tables: None,
};

fn detect(sample: &Sample<'_>) -> Option<Detected> {
    if sample.is_single() && sample.first().is_some_and(is_index) {
        let adapter = Companion("an index of sessions");
        return Some(Detected::new(&form::PI_BESIDE, adapter));
    }
    let headed = sample.first().is_some_and(is_header);
    let form: &'static Form = &form::PI;
    (headed || sample.any(is_entry)).then(|| Detected::new(form, Pi::default()))
}

fn is_header(object: &Object<'_>) -> bool {
    let is_session = object.string("type").as_deref() == Some("session");
    is_session && object.has("id") && object.has("cwd") && object.has("timestamp")
}

fn is_entry(object: &Object<'_>) -> bool {
    let is_message = object.string("type").as_deref() == Some("message");
    let says = || object.object("message").is_some_and(|message| message.has("role"));
    is_message && object.has("id") && object.has("parentId") && says()
}

/// The list of sessions that openclaw keeps beside them.
fn is_index(object: &Object<'_>) -> bool {
    let is_session = |raw: Raw<'_>| {
        Object::of(raw)
            .is_some_and(|entry| entry.has("sessionId") && (entry.has("updatedAt") || entry.has("sessionFile")))
    };
    object.iter().any(|(key, raw)| key.contains(':') && is_session(raw))
}

/// An entry of the tree. Ids are hashes; 0 is none.
#[derive(Debug)]
struct Node {
    spot: Spot,
    id: u64,
    parent: u64,
    is_message: bool,
}

/// Reads the entries of a session.
#[derive(Debug, Default)]
struct Pi {
    nodes: Vec<Node>,
    by_id: FxHashMap<u64, usize>,
    /// Which entry each record of the file is, for a compaction that counts records.
    records: Vec<u64>,
    thread: Arc<str>,
    project: Option<Arc<str>>,
    /// Whether the header names the session that this one was taken from.
    forked: bool,
    times: [Option<i64>; 2],
    /// Entries with a fault in their links.
    faults: Vec<(Spot, Chain)>,
    /// What the responses of entries cost, and then of those that lie beside the way that is read.
    costs: Vec<(usize, Call)>,
    /// The messages of the history, each with its entry.
    live: Vec<(u64, Draft)>,
    /// How many messages compactions have kept, in all.
    kept: usize,
    at_work: bool,
    last: Option<Spot>,
}

impl Adapter for Pi {
    fn way(&self) -> Way {
        Way::Surveyed
    }

    fn survey<'r>(&mut self, record: Record<'r>, raw: Raw<'r>) -> Fate {
        let Some(entry) = Object::of(raw) else {
            self.records.push(0);
            return Fate::Unknown("entry that is no object".to_owned());
        };
        let kind = entry.string("type").unwrap_or_default();
        if kind == "session" {
            self.records.push(0);
            return self.header(&entry);
        }
        let fate = entries::fate(&kind, &entry);
        self.last = Some(record.spot);
        let time = entry.string("timestamp").and_then(|text| time::parse(&text));
        self.times = [self.times[0].or(time), time.max(self.times[1])];
        // Before version 2, an entry follows the one before it and has no id.
        let id = hash_at(&entry, "id").unwrap_or_else(|| hash_of(("record", self.records.len())).max(1));
        let parent = match (entry.has("id"), entry.has("parentId")) {
            (false, _) => self.nodes.last().map_or(0, |node| node.id),
            (true, _) => hash_at(&entry, "parentId").unwrap_or(0),
        };
        self.records.push(id);
        self.by_id.insert(id, self.nodes.len());
        let cost = entries::call(&entry);
        self.costs
            .extend(cost.map(|call| (self.nodes.len(), Call { time, ..call })));
        self.nodes.push(Node {
            spot: record.spot,
            id,
            parent,
            is_message: kind == "message",
        });
        fate
    }

    fn plan(&mut self) -> Option<Vec<Spot>> {
        let mut way = Vec::new();
        let mut seen = FxHashSet::default();
        // The last entry is where the session goes on.
        let mut at = self.nodes.len().checked_sub(1);
        let mut root = at;
        while let Some(here) = at.filter(|here| seen.insert(*here)) {
            way.push(self.nodes[here].spot);
            root = Some(here);
            at = self.by_id.get(&self.nodes[here].parent).copied();
        }
        let dangles = |node: &&Node| node.parent != 0 && !self.by_id.contains_key(&node.parent);
        let is_excerpt = Dangling::is_excerpt(self.nodes.iter().filter(dangles).count(), self.nodes.len());
        let mut missing = FxHashSet::default();
        let (mut said, mut hidden) = (0, 0);
        for (at, node) in self.nodes.iter().enumerate() {
            if dangles(&node) && missing.insert(node.parent) {
                let what = match said {
                    _ if is_excerpt => Dangling::Nothing,
                    0 => Dangling::Nothing,
                    _ if root == Some(at) => Dangling::of(hidden),
                    _ => Dangling::Aside,
                };
                self.faults.push((node.spot, Chain::Dangling(what)));
            }
            said += usize::from(node.is_message);
            hidden += usize::from(node.is_message && !seen.contains(&at));
        }
        let lost = self.nodes.iter().enumerate();
        let lost = lost.filter(|(at, node)| node.is_message && !seen.contains(at));
        self.faults
            .extend(lost.map(|(_, node)| (node.spot, Chain::Unreachable)));
        self.costs.retain(|(at, _)| !seen.contains(at));
        way.reverse();
        Some(way)
    }

    fn read<'r>(&mut self, record: Record<'r>, raw: Raw<'r>, sink: &mut Sink<'_, 'r>) -> Fate {
        let Some(entry) = Object::of(raw) else {
            return Fate::Understood;
        };
        let thread = Arc::clone(&self.thread);
        match entry.string("type").as_deref() {
            Some("compaction") => self.compact(record.spot, &entry, sink),
            Some("thinking_level_change") => sink.event(thread, What::Note(Note::TurnContext)),
            _ => {
                if let Some(call) = entries::call(&entry) {
                    let call = Call {
                        time: entry.string("timestamp").and_then(|text| time::parse(&text)),
                        ..call
                    };
                    sink.event(Arc::clone(&thread), What::Call(call));
                }
                if let Some(mut draft) = entries::message(&entry) {
                    draft.place = sink.locator.place(raw);
                    self.at_work = !draft.calls.is_empty() || !draft.results.is_empty();
                    self.live.push((self.id_at(record.spot), head_of(&draft)));
                    sink.event(thread, What::Append(vec![draft]));
                }
            }
        }
        Fate::Understood
    }

    fn finish(&mut self, events: &mut Vec<Event>) {
        let mut tell = |spot, what| {
            let thread = Arc::clone(&self.thread);
            events.push(Event { thread, spot, what });
        };
        for (spot, fault) in &self.faults {
            tell(*spot, What::Chain(*fault));
        }
        for (at, call) in &self.costs {
            // It is none of the calls before and behind it, so it is not compared with them.
            let caching = Caching::Unknown;
            tell(
                self.nodes[*at].spot,
                What::Call(Call {
                    caching,
                    ..call.clone()
                }),
            );
        }
        if let Some(spot) = self.last {
            for time in self.times {
                let project = self.project.clone();
                tell(spot, What::About(About { project, time }));
            }
            if self.forked {
                tell(spot, What::Forked);
            }
        }
    }
}

impl Pi {
    fn header(&mut self, entry: &Object<'_>) -> Fate {
        let Some(id) = entry.string("id") else {
            return Fate::Malformed("session header without an id".to_owned());
        };
        if self.thread.is_empty() {
            self.thread = id.as_ref().into();
            self.project = entry.string("cwd").map(|cwd| cwd.as_ref().into());
            self.forked = entry.some("parentSession").is_some();
        }
        NO_MESSAGE
    }

    /// The id of the entry at a spot, also where it has none of its own.
    fn id_at(&self, spot: Spot) -> u64 {
        let key = |spot: Spot| (spot.file, spot.offset);
        let found = self.nodes.binary_search_by_key(&key(spot), |node| key(node.spot));
        found.map_or(0, |at| self.nodes[at].id)
    }

    /// How many messages compactions may keep in all: a file in which each of many keeps everything would take
    /// quadratic time.
    fn most_kept(&self) -> usize {
        16 * self.nodes.len() + (1 << 16)
    }

    /// The summary, then what was kept from the entry that the compaction names.
    fn compact<'r>(&mut self, spot: Spot, entry: &Object<'r>, sink: &mut Sink<'_, 'r>) {
        let from = hash_at(entry, "firstKeptEntryId").or_else(|| {
            let record = usize::try_from(entry.number("firstKeptEntryIndex")?).ok()?;
            self.records.get(record).copied()
        });
        let first = from.and_then(|from| self.live.iter().position(|(id, _)| *id == from));
        if from.is_some_and(|from| from != 0 && first.is_none() && !self.by_id.contains_key(&from))
            && self.live.len() > 1
        {
            sink.event(Arc::clone(&self.thread), What::Chain(Chain::NotKept(1)));
        }
        let mut kept = self.live.split_off(first.unwrap_or(self.live.len()));
        let had_room = self.kept <= self.most_kept();
        self.kept += kept.len();
        if self.kept > self.most_kept() {
            kept.clear();
            if had_room {
                sink.event(Arc::clone(&self.thread), What::Chain(Chain::KeepsTooMuch));
            }
        }
        self.live = vec![(hash_at(entry, "id").unwrap_or(0), entries::summary(entry, spot.start()))];
        self.live.extend(kept);
        let class = if self.at_work {
            CompactionClass::MidTurn
        } else {
            CompactionClass::PreTurn
        };
        let compaction = Compaction {
            class,
            messages: Some(self.live.iter().map(|(_, draft)| draft.clone()).collect()),
            kept: Some(self.live.len() - 1),
            tokens: [entry.number("tokensBefore"), None],
        };
        sink.event(Arc::clone(&self.thread), What::Compact(compaction));
    }
}

/// A message with no more of its text than is kept.
fn head_of(draft: &Draft) -> Draft {
    Draft {
        text: draft.text.chars().take(1024).collect(),
        ..draft.clone()
    }
}

fn hash_at(object: &Object<'_>, key: &str) -> Option<u64> {
    object.string(key).map(|id| hash_of(&*id).max(1))
}
