//! Which lines make up which conversation, and in which order.

use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::lines::{self, is_set};
use super::links::{Kind, Links, NONE, Node};
use crate::transcript::event::{About, Call, CompactionClass, Fate, Note};
use crate::transcript::formats::time;
use crate::transcript::json::{self, Object, Raw};
use crate::transcript::message::hash_of;
use crate::transcript::reader::{Record, Spot};

/// What no line of a conversation tells.
#[derive(Debug)]
pub(super) struct Lost {
    pub(super) about: (Spot, About),
    pub(super) dangling: Vec<Spot>,
    pub(super) unreachable: Vec<Spot>,
    pub(super) notes: Vec<(Spot, Note)>,
    pub(super) calls: Vec<(Spot, Call)>,
}

/// Where a line belongs.
pub(super) struct Place {
    pub(super) thread: Arc<str>,
}

/// A compaction, as its line tells it.
#[derive(Debug)]
struct Boundary {
    at: u32,
    /// What it says stood before it.
    logical: u64,
    /// The messages it kept.
    kept: Vec<u64>,
    anchor: u64,
    /// Instead of all kept messages, the first, the one they follow, and the last.
    segment: Option<[u64; 3]>,
}

/// What is gathered of the sessions of a file.
#[derive(Debug, Default)]
pub(super) struct Sessions {
    links: Links,
    names: Vec<Named>,
    session_places: FxHashMap<u64, u32>,
    /// Names of subagents, from 1.
    agents: Vec<Arc<str>>,
    agent_places: FxHashMap<u64, u32>,
    boundaries: Vec<Boundary>,
    calls: Vec<Seen>,
    call_places: FxHashMap<u64, usize>,
    notes: Vec<(u32, Note)>,
    /// The threads that were planned, and what they have to tell.
    threads: FxHashMap<(u32, u32), Arc<str>>,
    lost: Vec<(Arc<str>, Lost)>,
}

#[derive(Debug)]
struct Named {
    name: Arc<str>,
    start: Spot,
    about: About,
    /// The session that it is a part of: itself, or one whose lines its own go on from.
    top: u32,
}

/// A response, with its first and last line.
#[derive(Debug)]
struct Seen {
    first: u32,
    last: Spot,
    call: Call,
    began: Option<i64>,
}

impl Sessions {
    /// Takes a line in; says where it ends.
    pub(super) fn see<'r>(&mut self, record: Record<'r>, raw: Raw<'r>) -> Fate {
        let Some(object) = Object::of(raw) else {
            return Fate::Unknown("line that is no object".to_owned());
        };
        let fate = lines::fate(&object);
        let kind = object.string("type").unwrap_or_default();
        let takes_part = matches!(&*kind, "user" | "assistant" | "system" | "attachment" | "progress");
        let id = object.some("uuid").and_then(json::string).map_or(0, |id| hash_of(&*id));
        if !takes_part || id == 0 || matches!(fate, Fate::Malformed(_)) {
            return fate;
        }
        let hash = |key| object.some(key).and_then(json::string).map_or(0, |id| hash_of(&*id));
        let session = self.session(record.spot, &object);
        let message = object.object("message").unwrap_or_default();
        let mut node = Node {
            id,
            parent: hash("parentUuid"),
            response: 0,
            offset: record.spot.offset,
            len: record.spot.len as u32,
            line: record.spot.line,
            file: record.spot.file,
            session,
            agent: self.agent(&object),
            kind: match &*kind {
                "user" => Kind::User,
                "assistant" => Kind::Assistant,
                _ => Kind::Other,
            },
            is_meta: is_set(&object, "isMeta"),
            is_team: object.some("teamName").is_some(),
            at_work: false,
        };
        if node.kind == Kind::Assistant {
            node.response = message.some("id").and_then(json::string).map_or(0, |id| hash_of(&*id));
        }
        let at = self.links.nodes.len() as u32;
        node.at_work = self.pairs(&message, at);
        let source = hash("sourceToolAssistantUUID");
        if source != 0 {
            self.links.sources.insert(at, source);
        }
        let at = self.links.add(node);
        match &*kind {
            "assistant" => self.call(at, record.spot, &object, &message),
            "system" => self.system(at, &object),
            _ => {}
        }
        fate
    }

    fn session(&mut self, spot: Spot, object: &Object<'_>) -> u32 {
        let name = object.string("sessionId").unwrap_or_default();
        let next = self.names.len() as u32;
        let at = *self.session_places.entry(hash_of(&*name)).or_insert(next);
        if at == next {
            self.names.push(Named {
                name: name.as_ref().into(),
                start: spot,
                about: About::default(),
                top: at,
            });
        }
        let about = &mut self.names[at as usize].about;
        if about.project.is_none() {
            about.project = object.string("cwd").map(|folder| folder.as_ref().into());
        }
        about.time = about
            .time
            .max(object.string("timestamp").and_then(|text| time::parse(&text)));
        at
    }

    fn agent(&mut self, object: &Object<'_>) -> u32 {
        if !is_set(object, "isSidechain") {
            return 0;
        }
        let name = object.string("agentId").unwrap_or_default();
        let next = self.agents.len() as u32 + 1;
        let at = *self.agent_places.entry(hash_of(&*name)).or_insert(next);
        if at == next {
            let name = if name.is_empty() {
                "sidechain".to_owned()
            } else {
                format!("agent-{name}")
            };
            self.agents.push(name.into());
        }
        at
    }

    /// Notes the calls and results of a line; whether it has any.
    fn pairs(&mut self, message: &Object<'_>, at: u32) -> bool {
        let mut any = false;
        for block in message.list("content").unwrap_or_default() {
            let Some(block) = Object::of(block) else { continue };
            let (key, list) = match block.string("type").as_deref() {
                Some("tool_use") => ("id", &mut self.links.calls),
                Some("tool_result") => ("tool_use_id", &mut self.links.results),
                _ => continue,
            };
            any = true;
            list.extend(block.string(key).map(|id| (hash_of(&*id), at)));
        }
        any
    }

    /// A line of a response. Lines of one response repeat its numbers, and those of the last one are right.
    fn call(&mut self, at: u32, spot: Spot, object: &Object<'_>, message: &Object<'_>) {
        let model = message.string("model");
        let Some(usage) = message
            .object("usage")
            .filter(|_| model.as_deref() != Some("<synthetic>"))
        else {
            return;
        };
        let number = |key| usage.number(key).unwrap_or(0);
        let nested = usage.object("cache_creation").unwrap_or_default();
        let tiers =
            ["ephemeral_5m_input_tokens", "ephemeral_1h_input_tokens"].map(|key| nested.number(key).unwrap_or(0));
        let response = message.some("id").and_then(json::string);
        let shared = |text: std::borrow::Cow<'_, str>| Arc::<str>::from(text.as_ref());
        let call = Call {
            response: response.map(shared),
            time: object.string("timestamp").and_then(|text| time::parse(&text)),
            model: model.map(shared),
            version: object.string("version").map(shared),
            input: number("input_tokens"),
            read: number("cache_read_input_tokens"),
            // Some versions wrote the flat number as 0.
            written: number("cache_creation_input_tokens").max(tiers[0] + tiers[1]),
            output: number("output_tokens"),
            best_effort: false,
        };
        let response = self.links.node(at).response;
        let known = self.call_places.get(&response).copied().filter(|_| response != 0);
        if let Some(known) = known {
            let seen = &mut self.calls[known];
            seen.last = spot;
            seen.call = call;
            return;
        }
        self.call_places.insert(response, self.calls.len());
        self.calls.push(Seen {
            first: at,
            last: spot,
            began: call.time,
            call,
        });
    }

    fn system(&mut self, at: u32, object: &Object<'_>) {
        match object.string("subtype").as_deref() {
            Some("api_error") => self.notes.push((at, Note::ApiError)),
            Some("compact_boundary") => {
                let metadata = object.object("compactMetadata").unwrap_or_default();
                let kept = metadata.object("preservedMessages").unwrap_or_default();
                let ids = kept
                    .list("uuids")
                    .unwrap_or_default()
                    .into_iter()
                    .filter_map(json::string);
                let hash = |object: &Object<'_>, key| object.string(key).map_or(0, |id| hash_of(&*id));
                let segment = metadata.object("preservedSegment").filter(|_| kept.is_empty());
                let segment =
                    segment.map(|segment| ["headUuid", "anchorUuid", "tailUuid"].map(|key| hash(&segment, key)));
                self.boundaries.push(Boundary {
                    at,
                    segment,
                    logical: hash(object, "logicalParentUuid"),
                    kept: ids.map(|id| hash_of(&*id)).collect(),
                    anchor: hash(&kept, "anchorUuid"),
                });
            }
            _ => {}
        }
    }

    /// The order in which the lines are read: session by session, its subagents behind it.
    pub(super) fn plan(&mut self) -> Vec<Spot> {
        self.join_sessions();
        self.keep_messages();
        let mut members: FxHashMap<(u32, u32), Vec<u32>> = FxHashMap::default();
        let mut order: Vec<(u32, u32)> = Vec::new();
        for at in (0..self.links.nodes.len() as u32).filter(|&at| self.links.counts(at)) {
            let node = self.links.node(at);
            let key = (self.names[node.session as usize].top, node.agent);
            members
                .entry(key)
                .or_insert_with(|| {
                    order.push(key);
                    Vec::new()
                })
                .push(at);
        }
        // Subagents behind their session, both in the order in which they began.
        let rank: FxHashMap<u32, usize> = order
            .iter()
            .rev()
            .enumerate()
            .map(|(at, (top, _))| (*top, at))
            .collect();
        order.sort_by_key(|(top, agent)| (std::cmp::Reverse(rank[top]), *agent));
        let mut plan = Vec::new();
        for key in order {
            let own = members.remove(&key).unwrap_or_default();
            plan.extend(self.thread(key, &own).into_iter().map(|at| self.links.node(at).spot()));
        }
        self.links.calls = Vec::new();
        self.links.results = Vec::new();
        plan
    }

    /// Sessions whose lines go on from those of another are one conversation with it.
    fn join_sessions(&mut self) {
        fn top(sessions: &mut [Named], mut at: u32) -> u32 {
            while sessions[at as usize].top != at {
                let above = sessions[at as usize].top;
                sessions[at as usize].top = sessions[above as usize].top;
                at = above;
            }
            at
        }
        for at in 0..self.links.nodes.len() as u32 {
            let Some(parent) = self.links.parent(at) else { continue };
            let (own, other) = (self.links.node(at).session, self.links.node(parent).session);
            if own != other {
                let (a, b) = (top(&mut self.names, own), top(&mut self.names, other));
                self.names[a.max(b) as usize].top = a.min(b);
            }
        }
        for at in 0..self.names.len() as u32 {
            let above = top(&mut self.names, at);
            self.names[at as usize].top = above;
        }
    }

    /// Messages that a compaction kept follow its anchor, whatever they followed before.
    fn keep_messages(&mut self) {
        for boundary in &mut self.boundaries {
            if let Some([head, anchor, tail]) = boundary.segment {
                boundary.anchor = anchor;
                boundary.kept = self.links.between(head, tail);
            }
            let places: Vec<u32> = boundary.kept.iter().filter_map(|&id| self.links.place(id)).collect();
            let anchor = self
                .links
                .place(boundary.anchor)
                .filter(|_| places.len() == boundary.kept.len());
            let Some(mut before) = anchor else {
                boundary.kept.clear();
                continue;
            };
            for at in places {
                self.links.relink(at, before);
                before = at;
            }
        }
    }

    /// The lines of one thread in order, earlier windows before later ones; notes what they do not tell.
    fn thread(&mut self, key: (u32, u32), own: &[u32]) -> Vec<u32> {
        let (top, agent) = key;
        let links = &self.links;
        let is_team = own.iter().all(|&at| !links.node(at).speaks() || links.node(at).is_team);
        let leaf = links.leaf(own, |node| !node.is_meta && (is_team || !node.is_team));
        let mut chain = leaf.map(|leaf| links.chain(leaf)).unwrap_or_default();
        self.recover(&mut chain, own);
        let links = &self.links;
        let last_boundary = self
            .boundaries
            .iter()
            .rfind(|boundary| own.binary_search(&boundary.at).is_ok());
        let from = last_boundary.map_or(0, |boundary| boundary.at);
        let reached: FxHashSet<u32> = chain.iter().copied().collect();
        let lost_lines = |at: &&u32| {
            let node = links.node(**at);
            **at >= from && node.speaks() && !reached.contains(*at) && (is_team || !node.is_team)
        };
        let spots = |list: Vec<u32>| list.into_iter().map(|at| links.node(at).spot()).collect::<Vec<_>>();
        let unreachable = spots(own.iter().filter(lost_lines).copied().collect());
        let dangling = spots(own.iter().copied().filter(|&at| links.dangles(at)).collect());
        let name = self.name(top, agent);
        let about = &self.names[top as usize];
        let mut lost = Lost {
            about: (about.start, about.about.clone()),
            dangling,
            unreachable,
            notes: Vec::new(),
            calls: Vec::new(),
        };
        let mine = |at: u32| {
            let node = links.node(at);
            (self.names[node.session as usize].top, node.agent) == key
        };
        for (at, note) in self.notes.iter().filter(|(at, _)| mine(*at)) {
            lost.notes.push((links.node(*at).spot(), *note));
        }
        for seen in self.calls.iter().filter(|seen| mine(seen.first)) {
            let first = Call {
                time: seen.began,
                ..seen.call.clone()
            };
            lost.calls.push((links.node(seen.first).spot(), first));
            lost.calls.push((seen.last, seen.call.clone()));
        }
        self.lost.push((name.clone(), lost));
        self.threads.insert(key, name);
        self.earlier(chain, own)
    }

    /// Puts before a chain that begins with a compaction what stood before it, and so on.
    fn earlier(&self, chain: Vec<u32>, own: &[u32]) -> Vec<u32> {
        let mut windows = vec![chain];
        let mut seen: FxHashSet<u32> = FxHashSet::default();
        while let Some(&first) = windows.last().and_then(|window| window.first()) {
            let boundary = self.boundaries.iter().find(|boundary| boundary.at == first);
            let Some(boundary) = boundary.filter(|boundary| seen.insert(boundary.at)) else {
                break;
            };
            let said = |at: &&u32| **at < first && self.links.node(**at).speaks();
            let before = self
                .links
                .place(boundary.logical)
                .filter(|at| own.binary_search(at).is_ok());
            let Some(end) = before.or_else(|| own.iter().rfind(said).copied()) else {
                break;
            };
            // Before the compaction its kept messages stood where they were said.
            let mut window = self.links.recorded_chain(end);
            self.recover(&mut window, own);
            windows.push(window);
        }
        windows.into_iter().rev().flatten().collect()
    }

    /// Puts back what parallel calls left beside the chain: other lines of a response, and results of its calls.
    fn recover(&self, chain: &mut Vec<u32>, own: &[u32]) {
        let links = &self.links;
        let on_chain: FxHashSet<u32> = chain.iter().copied().collect();
        let mut last_of: FxHashMap<u64, u32> = FxHashMap::default();
        for &at in chain.iter().filter(|&&at| links.node(at).response != 0) {
            last_of.insert(links.node(at).response, at);
        }
        // Which response owns a call; one that two make belongs to neither.
        let mut owners: FxHashMap<u64, u64> = FxHashMap::default();
        for &(call, at) in &links.calls {
            let response = links.node(at).response;
            let owner = owners.entry(call).or_insert(response);
            if *owner != response {
                *owner = 0;
            }
        }
        let mut answered: FxHashSet<u64> = FxHashSet::default();
        answered.extend(
            links
                .results
                .iter()
                .filter(|(_, at)| on_chain.contains(at))
                .map(|(call, _)| *call),
        );
        let mut results_of: FxHashMap<u32, Vec<u64>> = FxHashMap::default();
        for &(call, at) in links.results.iter().filter(|(_, at)| !on_chain.contains(at)) {
            results_of.entry(at).or_default().push(call);
        }
        let mut siblings: FxHashMap<u32, Vec<u32>> = FxHashMap::default();
        let mut results: FxHashMap<u32, Vec<u32>> = FxHashMap::default();
        for &at in own.iter().filter(|at| !on_chain.contains(at)) {
            let node = links.node(at);
            if let Some(&last) = last_of.get(&node.response).filter(|_| node.response != 0) {
                siblings.entry(last).or_default().push(at);
                continue;
            }
            let Some(calls) = results_of.get(&at) else { continue };
            let of_line = |line: Option<u32>| {
                line.map(|line| links.node(line).response)
                    .filter(|response| *response != 0)
            };
            let parent = of_line(links.parent(at));
            let source = || of_line(links.sources.get(&at).and_then(|id| links.place(*id)));
            let owner = || {
                calls
                    .iter()
                    .find_map(|call| owners.get(call).copied().filter(|owner| *owner != 0))
            };
            let response = parent
                .filter(|response| last_of.contains_key(response))
                .or_else(source)
                .or_else(owner);
            let Some(&last) = response.and_then(|response| last_of.get(&response)) else {
                continue;
            };
            if calls.iter().any(|call| answered.insert(*call)) {
                results.entry(last).or_default().push(at);
            }
        }
        if siblings.is_empty() && results.is_empty() {
            return;
        }
        let mut whole = Vec::with_capacity(chain.len());
        for at in chain.drain(..) {
            whole.push(at);
            whole.extend(siblings.remove(&at).into_iter().flatten());
            whole.extend(results.remove(&at).into_iter().flatten());
        }
        *chain = whole;
    }

    fn name(&self, top: u32, agent: u32) -> Arc<str> {
        let session = self.names[top as usize].name.clone();
        match agent.checked_sub(1) {
            None => session,
            Some(agent) => format!("{session}/{}", self.agents[agent as usize]).into(),
        }
    }

    fn find(&self, spot: Spot) -> Option<u32> {
        let key = (spot.file, spot.offset);
        let found = self
            .links
            .nodes
            .binary_search_by_key(&key, |node| (node.file, node.offset));
        found.ok().map(|at| at as u32)
    }

    /// Where a line belongs.
    pub(super) fn place(&self, spot: Spot) -> Option<Place> {
        let node = self.links.node(self.find(spot)?);
        let key = (self.names[node.session as usize].top, node.agent);
        let thread = self.threads.get(&key)?.clone();
        Some(Place { thread })
    }

    /// How many messages the compaction at a line kept.
    pub(super) fn kept_by(&self, spot: Spot) -> usize {
        let at = self.find(spot).unwrap_or(NONE);
        self.boundaries
            .iter()
            .find(|boundary| boundary.at == at)
            .map_or(0, |boundary| boundary.kept.len())
    }

    /// Whether a line belongs to the list that the compaction at a spot left: it was kept, or is the summary.
    pub(super) fn is_left_by(&self, compaction: Spot, line: Spot) -> bool {
        let (Some(at), Some(line)) = (self.find(compaction), self.find(line)) else {
            return false;
        };
        let id = self.links.node(line).id;
        let boundary = self.boundaries.iter().find(|boundary| boundary.at == at);
        boundary.is_some_and(|boundary| boundary.kept.contains(&id))
    }

    /// What kind of compaction stands at a line that does not say so: in the middle of a turn if the model was
    /// at work before it.
    pub(super) fn class_at(&self, spot: Spot) -> CompactionClass {
        let Some(at) = self.find(spot) else {
            return CompactionClass::Unknown;
        };
        let node = self.links.node(at);
        let boundary = self.boundaries.iter().find(|boundary| boundary.at == at);
        let logical = boundary.and_then(|boundary| self.links.place(boundary.logical));
        let said = |other: &&Node| other.speaks() && other.agent == node.agent && other.session == node.session;
        let before = logical
            .map(|at| self.links.node(at))
            .filter(|node| node.speaks())
            .or_else(|| self.links.nodes[..at as usize].iter().rev().find(said));
        match before {
            Some(before) if before.at_work => CompactionClass::MidTurn,
            Some(_) => CompactionClass::PreTurn,
            None => CompactionClass::Unknown,
        }
    }

    /// What a thread has to tell beside its lines, once.
    pub(super) fn begin(&mut self, thread: &Arc<str>) -> Option<Lost> {
        let at = self.lost.iter().position(|(name, _)| name == thread)?;
        Some(self.lost.remove(at).1)
    }

    /// What threads without a line have to tell.
    pub(super) fn untold(&mut self) -> Vec<(Arc<str>, Lost)> {
        std::mem::take(&mut self.lost)
    }
}
