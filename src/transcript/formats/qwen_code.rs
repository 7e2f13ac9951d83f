//! Sessions of Qwen Code: records linked by `parentUuid`, whose messages are contents of the Gemini API.
//!
//! Source: `chatRecordingService.ts` and `session-api-history.ts` of QwenLM/qwen-code at 015346f1d and 03291a255.

mod records;

use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::form;
use super::{Adapter, Detected, Format, Sample, Sink, Way, time};
use crate::transcript::event::{About, Caching, Call, Chain, Compaction, CompactionClass, Dangling, Event, Fate, What};
use crate::transcript::json::{Object, Raw};
use crate::transcript::message::hash_of;
use crate::transcript::reader::{Record, Spot};

pub(super) static FORMAT: Format = Format {
    name: "qwen-code",
    detect,
    forced: || Detected::new(&form::QWEN_CODE, QwenCode::default()),
    tables: None,
};

fn detect(sample: &Sample<'_>) -> Option<Detected> {
    let is_record = |record: &Object<'_>| {
        let linked = record.has("uuid") && record.has("sessionId") && record.has("timestamp");
        let kind = record.string("type");
        linked
            && match kind.as_deref() {
                Some("user" | "assistant") => record.object("message").is_some_and(|message| message.has("parts")),
                Some("tool_result") => true,
                Some("system") => record.has("systemPayload"),
                _ => false,
            }
    };
    sample
        .any(is_record)
        .then(|| Detected::new(&form::QWEN_CODE, QwenCode::default()))
}

/// A record of the tree. Ids are hashes; 0 is none.
#[derive(Debug)]
struct Node {
    spot: Spot,
    id: u64,
    parent: u64,
    /// Which conversation it is of: 0 the main one, else an agent.
    agent: u64,
    /// The record before it that has the same id: both tell of one message.
    twin: Option<usize>,
    is_message: bool,
    /// Whether the conversation may go on from it.
    is_leaf: bool,
}

/// Reads the records of a session.
#[derive(Debug, Default)]
struct QwenCode {
    nodes: Vec<Node>,
    by_id: FxHashMap<u64, usize>,
    /// The last record of each conversation.
    last: FxHashMap<u64, u64>,
    session: Arc<str>,
    /// Whether a message named it.
    is_named: bool,
    project: Option<Arc<str>>,
    times: [Option<i64>; 2],
    agents: FxHashMap<u64, Arc<str>>,
    /// Records with a fault in their links, and of which conversation.
    faults: Vec<(u64, Spot, Chain)>,
    /// What the responses of records cost, and then of those that lie beside the way that is read.
    costs: Vec<(usize, Call)>,
    /// Which conversation is read.
    current: Option<u64>,
    at_work: bool,
}

impl Adapter for QwenCode {
    fn way(&self) -> Way {
        Way::Surveyed
    }

    fn survey<'r>(&mut self, record: Record<'r>, raw: Raw<'r>) -> Fate {
        let Some(object) = Object::of(raw) else {
            return Fate::Unknown("record that is no object".to_owned());
        };
        let fate = records::fate(&object);
        let id = hash_at(&object, "uuid");
        if id == 0 {
            return fate;
        }
        let time = object.string("timestamp").and_then(|text| time::parse(&text));
        self.times = [self.times[0].or(time), time.max(self.times[1])];
        let side = object.get("isSidechain").is_some_and(|raw| raw.get() == "true");
        let agent = if side {
            let name = object.string("agentId").unwrap_or_default();
            let agent = hash_of(&*name).max(1);
            self.agents.entry(agent).or_insert_with(|| name.as_ref().into());
            agent
        } else {
            0
        };
        // Where records are not linked, each follows the one before it.
        let parent = if object.has("parentUuid") {
            hash_at(&object, "parentUuid")
        } else {
            self.last.get(&agent).copied().unwrap_or(0)
        };
        let is_message = object.has("message");
        let subtype = object.string("subtype");
        let goes_on = matches!(
            subtype.as_deref(),
            Some("chat_compression" | "rewind" | "agent_bootstrap")
        );
        if is_message || goes_on {
            self.last.insert(agent, id);
        }
        if self.session.is_empty() || is_message && !self.is_named {
            self.session = object
                .string("sessionId")
                .map_or_else(Arc::default, |id| id.as_ref().into());
            self.project = object.string("cwd").map(|cwd| cwd.as_ref().into());
            self.is_named = is_message;
        }
        let twin = self.by_id.insert(id, self.nodes.len());
        let cost = records::call(&object);
        self.costs
            .extend(cost.map(|call| (self.nodes.len(), Call { time, ..call })));
        self.nodes.push(Node {
            spot: record.spot,
            id,
            parent,
            agent,
            twin,
            is_message,
            is_leaf: is_message || goes_on,
        });
        fate
    }

    fn plan(&mut self) -> Option<Vec<Spot>> {
        let mut agents = vec![0];
        let mut known = FxHashSet::default();
        agents.extend(
            self.nodes
                .iter()
                .map(|node| node.agent)
                .filter(|agent| *agent != 0 && known.insert(*agent)),
        );
        let mut leaves: FxHashMap<u64, usize> = FxHashMap::default();
        for (at, node) in self.nodes.iter().enumerate().filter(|(_, node)| node.is_leaf) {
            leaves.insert(node.agent, at);
        }
        let mut plan = Vec::new();
        let mut seen = FxHashSet::default();
        let mut roots = FxHashSet::default();
        for agent in agents {
            let mut way = Vec::new();
            let mut at = leaves.get(&agent).copied();
            while let Some(here) = at.filter(|here| self.nodes[*here].agent == agent && seen.insert(*here)) {
                let mut twin = self.nodes[here].twin;
                way.push(here);
                while let Some(older) = twin.filter(|older| seen.insert(*older)) {
                    way.push(older);
                    twin = self.nodes[older].twin;
                }
                let parent = self.nodes[here].parent;
                at = self
                    .by_id
                    .get(&parent)
                    .copied()
                    .filter(|_| parent != self.nodes[here].id);
            }
            roots.extend(way.last().copied());
            plan.extend(way.into_iter().rev().map(|at| self.nodes[at].spot));
        }
        let dangles = |node: &&Node| node.parent != 0 && !self.by_id.contains_key(&node.parent);
        let is_excerpt = Dangling::is_excerpt(self.nodes.iter().filter(dangles).count(), self.nodes.len());
        let mut missing = FxHashSet::default();
        // How many messages of each conversation stand before a record, and how many of them are not reached.
        let mut before: FxHashMap<u64, [usize; 2]> = FxHashMap::default();
        for (at, node) in self.nodes.iter().enumerate() {
            let [said, hidden] = before.entry(node.agent).or_default();
            if dangles(&node) && missing.insert(node.parent) {
                let what = match *said {
                    _ if is_excerpt => Dangling::Nothing,
                    0 => Dangling::Nothing,
                    _ if roots.contains(&at) => Dangling::of(*hidden),
                    _ => Dangling::Aside,
                };
                self.faults.push((node.agent, node.spot, Chain::Dangling(what)));
            }
            *said += usize::from(node.is_message);
            *hidden += usize::from(node.is_message && !seen.contains(&at));
        }
        self.costs.retain(|(at, _)| !seen.contains(at));
        let lost = self.nodes.iter().enumerate();
        let lost = lost.filter(|(at, node)| node.is_message && !seen.contains(at));
        self.faults
            .extend(lost.map(|(_, node)| (node.agent, node.spot, Chain::Unreachable)));
        Some(plan)
    }

    fn read<'r>(&mut self, record: Record<'r>, raw: Raw<'r>, sink: &mut Sink<'_, 'r>) -> Fate {
        let Some(object) = Object::of(raw) else {
            return Fate::Understood;
        };
        let key = |spot: Spot| (spot.file, spot.offset);
        let found = self
            .nodes
            .binary_search_by_key(&key(record.spot), |node| key(node.spot));
        let agent = found.map_or(0, |at| self.nodes[at].agent);
        if self.current != Some(agent) {
            if let Some(before) = self.current.replace(agent)
                && before != 0
            {
                sink.event(self.thread(before), What::End);
            }
            self.at_work = false;
            self.tell(agent, record.spot, sink.events);
        }
        let thread = self.thread(agent);
        match object.string("subtype").as_deref() {
            Some("chat_compression") => self.compact(thread, &object, sink),
            Some("agent_bootstrap") => {
                let history = object
                    .object("systemPayload")
                    .and_then(|payload| payload.list("history"));
                let drafts = records::contents(history.unwrap_or_default(), sink);
                if !drafts.is_empty() {
                    sink.event(thread, What::Append(drafts));
                }
            }
            _ => {
                if let Some(draft) = records::message(&object, sink) {
                    self.at_work = !draft.calls.is_empty() || !draft.results.is_empty();
                    sink.event(Arc::clone(&thread), What::Append(vec![draft]));
                }
                if let Some(call) = records::call(&object) {
                    let time = object.string("timestamp").and_then(|text| time::parse(&text));
                    sink.event(thread, What::Call(Call { time, ..call }));
                }
            }
        }
        Fate::Understood
    }
}

impl QwenCode {
    fn thread(&self, agent: u64) -> Arc<str> {
        match self.agents.get(&agent) {
            Some(name) => format!("{}/agent-{name}", self.session).into(),
            None => Arc::clone(&self.session),
        }
    }

    /// Tells what no record of a conversation tells by itself.
    fn tell(&self, agent: u64, spot: Spot, events: &mut Vec<Event>) {
        let thread = self.thread(agent);
        let mut tell = |spot, what| {
            let thread = Arc::clone(&thread);
            events.push(Event { thread, spot, what });
        };
        for time in self.times {
            let project = self.project.clone();
            tell(spot, What::About(About { project, time }));
        }
        for (_, spot, fault) in self.faults.iter().filter(|(of, ..)| *of == agent) {
            tell(*spot, What::Chain(*fault));
        }
        for (at, call) in self.costs.iter().filter(|(at, _)| self.nodes[*at].agent == agent) {
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
    }

    fn compact<'r>(&mut self, thread: Arc<str>, object: &Object<'r>, sink: &mut Sink<'_, 'r>) {
        let payload = object.object("systemPayload").unwrap_or_default();
        let Some(history) = payload.list("compressedHistory") else {
            return;
        };
        let info = payload.object("info").unwrap_or_default();
        let class = if self.at_work {
            CompactionClass::MidTurn
        } else {
            CompactionClass::PreTurn
        };
        let compaction = Compaction {
            class,
            messages: Some(records::contents(history, sink)),
            kept: None,
            tokens: [info.number("originalTokenCount"), info.number("newTokenCount")],
        };
        sink.event(thread, What::Compact(compaction));
    }
}

fn hash_at(object: &Object<'_>, key: &str) -> u64 {
    object.string(key).map_or(0, |id| hash_of(&*id).max(1))
}
