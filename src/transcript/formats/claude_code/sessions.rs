//! Which lines make up which conversation, and in which order.

use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::faults::Way;
use super::lines::{self, is_set};
use super::links::{Kind, Links, NONE, Node, grow};
use super::pairs::Pairs;
use super::responses::{Responses, Words};
use crate::transcript::event::{About, Call, Chain, CompactionClass, Dangling, Fate, Note};
use crate::transcript::formats::time;
use crate::transcript::json::{self, Object, Raw};
use crate::transcript::message::{Place, hash_of};
use crate::transcript::reader::{Record, Spot};

/// What no line of a conversation tells.
#[derive(Debug)]
pub(super) struct Lost {
    pub(super) about: (Spot, About),
    /// Whether its lines say that they were taken from another session.
    pub(super) forked: bool,
    pub(super) faults: Vec<(Spot, Chain)>,
    pub(super) notes: Vec<(Spot, Note)>,
    pub(super) calls: Vec<(Spot, Call)>,
}

/// How far compactions are followed back for what they kept: so many times the lines of the file in all, and in short
/// files at least so many. A compaction keeps the end of what stood before it; a file in which each of many names the
/// same long stretch would take quadratic time.
const WAYS: usize = 16;
const LEAST_WAYS: usize = 1 << 16;

/// A compaction, as its line tells it.
#[derive(Debug)]
pub(super) struct Boundary {
    pub(super) at: u32,
    /// What it says stood before it.
    pub(super) logical: u64,
    /// The messages it kept.
    kept: Vec<u64>,
    /// How many of them are nowhere in the file.
    pub(super) missing: usize,
    /// Whether what it kept is not followed any more, since the compactions of the file keep so much in all.
    pub(super) is_too_much: bool,
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
    /// Names of subagents, from 1; 0 is the session itself.
    agents: Vec<Arc<str>>,
    agent_places: FxHashMap<u64, u32>,
    threads: Vec<Thread>,
    thread_places: FxHashMap<(u32, u32), u32>,
    /// Names of models and versions.
    words: Words,
    boundaries: Vec<Boundary>,
    /// Ids of lines that the person went back to.
    rewound: FxHashSet<u64>,
    /// The summary of each compaction: a hash of its content, and where it stands first.
    summaries: FxHashMap<u64, (u64, Place)>,
    /// Summaries of a compaction that was summed up before, in other words; and where.
    other_summaries: Vec<(u32, Place)>,
    /// The histories that are not read yet, the next one last, with their lines.
    left: Vec<Left>,
    /// The lines of the history under way, and what it is called.
    own: Vec<u32>,
    /// Those of them that speak, where there are compactions.
    spoken: Vec<u32>,
    name: Arc<str>,
    /// Whether so many of them miss their parents that others were left out on purpose.
    is_excerpt: bool,
    lost: Option<Lost>,
    untold: Vec<(Arc<str>, Lost)>,
}

/// Which history: the session that others belong to, and the subagent.
type Key = (u32, u32);

/// A history that is not read yet.
#[derive(Debug)]
struct Left {
    key: Key,
    lines: Vec<u32>,
    threads: Vec<usize>,
}

#[derive(Debug)]
struct Named {
    name: Arc<str>,
    start: Spot,
    about: About,
    forked: bool,
    /// The session that it is a part of: itself, or one whose lines its own go on from.
    top: u32,
}

/// What is gathered of the lines of one session, or of one of its subagents.
#[derive(Debug, Default)]
pub(super) struct Thread {
    session: u32,
    agent: u32,
    /// The id of the line that was added last.
    last: u64,
    pub(super) responses: Responses,
    /// Which lines make and answer which calls, by hashes of the ids, in the order of the file.
    pub(super) calls: Vec<(u32, u32)>,
    pub(super) results: Vec<(u32, u32)>,
    pub(super) notes: Vec<(u32, Note)>,
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
        let hash = |key| object.some(key).and_then(json::string).map_or(0, |id| hash_of(&*id));
        if kind == "rewind-pointer" {
            self.rewound.insert(hash("rewindToUuid"));
        }
        if !takes_part || matches!(fate, Fate::Malformed(_)) {
            return fate;
        }
        let id = match hash("uuid") {
            0 => hash_of((record.spot.file, record.spot.offset)),
            id => id,
        };
        let session = self.session(record.spot, &object);
        let agent = self.agent(&object);
        let thread = self.thread_of(session, agent);
        let message = object.object("message").unwrap_or_default();
        let before = std::mem::replace(&mut self.threads[thread as usize].last, id);
        let mut node = Node {
            id,
            parent: if object.has("parentUuid") {
                hash("parentUuid")
            } else {
                // A line that says nothing of a parent follows the one before it.
                before
            },
            response: NONE,
            offset: record.spot.offset,
            len: record.spot.len as u32,
            line: record.spot.line,
            file: record.spot.file as u16,
            thread,
            kind: match &*kind {
                "user" => Kind::User,
                "assistant" => Kind::Assistant,
                _ => Kind::Other,
            },
            is_meta: is_set(&object, "isMeta"),
            is_team: object.some("teamName").is_some(),
            at_work: false,
        };
        let at = self.links.nodes.len() as u32;
        let own = &mut self.threads[thread as usize];
        node.at_work = own.pairs(&message, at);
        if node.kind == Kind::Assistant {
            node.response = own.responses.take(at, &object, &message, &mut self.words);
        }
        if is_set(&object, "isCompactSummary") && node.parent != 0 {
            let content = hash_of(message.get("content").map_or("", |content| content.get()));
            let here = (content, record.spot.start());
            let (before, first) = *self.summaries.entry(node.parent).or_insert(here);
            if before != content {
                self.other_summaries.push((at, first));
            }
        }
        let source = hash("sourceToolAssistantUUID");
        if source != 0 {
            self.links.sources.insert(at, source);
        }
        self.links.add(node);
        if &*kind == "system" {
            self.system(at, thread, &object);
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
                forked: false,
                top: at,
            });
        }
        self.names[at as usize].forked |= object.has("forkedFrom");
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

    fn thread_of(&mut self, session: u32, agent: u32) -> u32 {
        let next = self.threads.len() as u32;
        let at = *self.thread_places.entry((session, agent)).or_insert(next);
        if at == next {
            self.threads.push(Thread {
                session,
                agent,
                ..Thread::default()
            });
        }
        at
    }

    fn system(&mut self, at: u32, thread: u32, object: &Object<'_>) {
        match object.string("subtype").as_deref() {
            Some("api_error") => self.threads[thread as usize].notes.push((at, Note::ApiError)),
            Some("compact_boundary") => {
                self.threads[thread as usize].notes.push((at, Note::Compacted));
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
                    missing: 0,
                    is_too_much: false,
                    anchor: hash(&kept, "anchorUuid"),
                });
            }
            _ => {}
        }
    }

    /// Says that every line was seen: session by session, its subagents behind it, is how they are read.
    pub(super) fn plan(&mut self) {
        self.links.settle();
        self.join_sessions();
        self.keep_messages();
        let mut members: FxHashMap<Key, Vec<u32>> = FxHashMap::default();
        let mut order: Vec<Key> = Vec::new();
        for at in (0..self.links.nodes.len() as u32).filter(|&at| self.links.counts(at)) {
            let key = self.key(self.links.node(at).thread);
            let own = members.entry(key).or_insert_with(|| {
                order.push(key);
                Vec::new()
            });
            own.push(at);
        }
        // Subagents behind their session, both in the order in which they began.
        let mut rank: FxHashMap<u32, usize> = FxHashMap::default();
        for (at, (top, _)) in order.iter().enumerate() {
            rank.entry(*top).or_insert(at);
        }
        order.sort_by_key(|(top, agent)| (rank[top], *agent));
        let mut threads: FxHashMap<Key, Vec<usize>> = FxHashMap::default();
        for at in 0..self.threads.len() {
            threads.entry(self.key(at as u32)).or_default().push(at);
        }
        let left = order.into_iter().rev().map(|key| Left {
            key,
            lines: members.remove(&key).unwrap_or_default(),
            threads: threads.remove(&key).unwrap_or_default(),
        });
        self.left = left.collect();
    }

    /// The lines of the next history in order.
    pub(super) fn next_thread(&mut self) -> Option<Vec<Spot>> {
        self.pass_over();
        let left = self.left.pop()?;
        self.name = self.name_of(left.key);
        let lines = self.thread(left);
        Some(lines.into_iter().map(|at| self.links.node(at).spot()).collect())
    }

    /// Keeps what a history without a line has to tell.
    fn pass_over(&mut self) {
        let name = self.name.clone();
        self.untold.extend(self.lost.take().map(|lost| (name, lost)));
    }

    fn key(&self, thread: u32) -> Key {
        let thread = &self.threads[thread as usize];
        (self.names[thread.session as usize].top, thread.agent)
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
            let session = |at| self.threads[self.links.node(at).thread as usize].session;
            let (own, other) = (session(at), session(parent));
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
        let mut steps = WAYS * self.links.nodes.len() + LEAST_WAYS;
        for boundary in &mut self.boundaries {
            if let Some([head, anchor, tail]) = boundary.segment {
                boundary.anchor = anchor;
                let kept = self.links.between(boundary.at, head, tail, &mut steps);
                boundary.is_too_much = kept.is_none();
                boundary.kept = kept.unwrap_or_default();
                let lacks = |id: u64| usize::from(id != 0 && self.links.place(id).is_none());
                boundary.missing = lacks(head) + lacks(tail);
            }
            let places: Vec<u32> = boundary.kept.iter().filter_map(|&id| self.links.place(id)).collect();
            boundary.missing += boundary.kept.len() - places.len();
            let anchor = self
                .links
                .place(boundary.anchor)
                .filter(|_| places.len() == boundary.kept.len());
            let Some(mut before) = anchor else {
                boundary.kept.clear();
                continue;
            };
            for at in places {
                self.links.relink(at, boundary.at, before);
                before = at;
            }
        }
    }

    /// The lines of one history in order, earlier windows before later ones; notes what they do not tell.
    fn thread(&mut self, left: Left) -> Vec<u32> {
        let Left {
            key,
            lines,
            threads: mine,
        } = left;
        let parts: Vec<Thread> = mine.iter().map(|&at| std::mem::take(&mut self.threads[at])).collect();
        for (&at, part) in mine.iter().zip(&parts) {
            (self.threads[at].session, self.threads[at].agent) = (part.session, part.agent);
        }
        self.own = lines;
        let speaks = |at: &u32| !self.boundaries.is_empty() && self.links.node(*at).speaks();
        self.spoken = self.own.iter().copied().filter(speaks).collect();
        let own = &self.own;
        let links = &self.links;
        let pairs = Pairs::of(&mine, parts);
        let is_team = own.iter().all(|&at| !links.node(at).speaks() || links.node(at).is_team);
        // What a subagent was begun with is told by the session.
        let belongs = |at: u32| key.1 == 0 || self.key(links.node(at).thread) == key;
        let leaf = links.leaf(own, belongs, |node| !node.is_meta && (is_team || !node.is_team));
        let chain = leaf.map(|leaf| links.chain(leaf, belongs)).unwrap_or_default();
        let mut lines = self.earlier(chain.clone(), belongs);
        pairs.recover(links, &mut lines, own);
        let reached: FxHashSet<u32> = lines.iter().copied().collect();
        let boundaries = self.boundaries.iter();
        let boundaries: Vec<&Boundary> = boundaries
            .filter(|boundary| own.binary_search(&boundary.at).is_ok())
            .collect();
        let way = Way {
            links,
            own,
            chain: &chain,
            reached: &reached,
            boundaries: &boundaries,
            rewound: &self.rewound,
            is_team,
        };
        let mut faults = way.faults(&pairs);
        let others = self.other_summaries.iter();
        let others = others.filter(|(at, _)| own.binary_search(at).is_ok());
        faults.extend(others.map(|&(at, first)| (links.node(at).spot(), Chain::OtherSummary { first })));
        let about = &self.names[key.0 as usize];
        let lost = Lost {
            about: (about.start, about.about.clone()),
            forked: about.forked,
            faults,
            notes: pairs.notes(links),
            calls: pairs.calls(links, &self.words),
        };
        let dangling = own.iter().filter(|&&at| links.dangles(at)).count();
        self.is_excerpt = Dangling::is_excerpt(dangling, own.len());
        self.lost = Some(lost);
        lines
    }

    /// Puts before a chain that begins with a compaction what stood before it, and so on.
    fn earlier(&self, chain: Vec<u32>, belongs: impl Fn(u32) -> bool) -> Vec<u32> {
        let own = &self.own;
        let mut windows = vec![chain];
        let mut seen: FxHashSet<u32> = FxHashSet::default();
        while let Some(&first) = windows.last().and_then(|window| window.first()) {
            let boundary = self.boundary(first);
            let Some(boundary) = boundary.filter(|boundary| seen.insert(boundary.at)) else {
                break;
            };
            let before = self
                .links
                .place(boundary.logical)
                .filter(|at| own.binary_search(at).is_ok());
            let Some(end) = before.or_else(|| self.said_before(first)) else {
                break;
            };
            // Before the compaction its kept messages stood where they were said, or where an earlier one put them.
            windows.push(self.links.chain_before(boundary.at, end, &belongs));
        }
        windows.into_iter().rev().flatten().collect()
    }

    /// The compaction at a line. They stand in the order of the file.
    fn boundary(&self, at: u32) -> Option<&Boundary> {
        let found = self.boundaries.binary_search_by_key(&at, |boundary| boundary.at);
        found.ok().map(|found| &self.boundaries[found])
    }

    fn name_of(&self, (top, agent): Key) -> Arc<str> {
        let session = self.names[top as usize].name.clone();
        match agent.checked_sub(1) {
            None => session,
            Some(agent) => format!("{session}/{}", self.agents[agent as usize]).into(),
        }
    }

    /// The last line of the history under way that speaks and stands before a line.
    fn said_before(&self, at: u32) -> Option<u32> {
        let behind = self.spoken.partition_point(|&said| said < at);
        behind.checked_sub(1).map(|last| self.spoken[last])
    }

    fn find(&self, spot: Spot) -> Option<u32> {
        let key = (spot.file, spot.offset);
        let found = self
            .links
            .nodes
            .binary_search_by_key(&key, |node| (u32::from(node.file), node.offset));
        found.ok().map(|at| at as u32)
    }

    /// What the history under way is called.
    pub(super) fn name(&self) -> Arc<str> {
        self.name.clone()
    }

    /// How many messages the compaction at a line kept.
    pub(super) fn kept_by(&self, spot: Spot) -> usize {
        let at = self.find(spot).unwrap_or(NONE);
        self.boundary(at).map_or(0, |boundary| boundary.kept.len())
    }

    /// Whether the compaction at a line names something before it that is nowhere in the file, although other
    /// messages of the history stand before it.
    pub(super) fn lacks_tail(&self, spot: Spot) -> bool {
        let boundary = self.find(spot).and_then(|at| self.boundary(at));
        boundary.is_some_and(|boundary| {
            boundary.logical != 0
                && !self.is_excerpt
                && self.links.place(boundary.logical).is_none()
                && self.spoken.first().is_some_and(|&said| said < boundary.at)
        })
    }

    /// Whether a line belongs to the list that the compaction at a spot left: it was kept, or is the summary.
    pub(super) fn is_left_by(&self, compaction: Spot, line: Spot) -> bool {
        let (Some(at), Some(line)) = (self.find(compaction), self.find(line)) else {
            return false;
        };
        let id = self.links.node(line).id;
        self.boundary(at).is_some_and(|boundary| boundary.kept.contains(&id))
    }

    /// What kind of compaction stands at a line that does not say so: in the middle of a turn if the model was
    /// at work before it.
    pub(super) fn class_at(&self, spot: Spot) -> CompactionClass {
        let Some(at) = self.find(spot) else {
            return CompactionClass::Unknown;
        };
        let logical = self
            .boundary(at)
            .and_then(|boundary| self.links.place(boundary.logical));
        let before = logical
            .map(|at| self.links.node(at))
            .filter(|node| node.speaks())
            .or_else(|| self.said_before(at).map(|at| self.links.node(at)));
        match before {
            Some(before) if before.at_work => CompactionClass::MidTurn,
            Some(_) => CompactionClass::PreTurn,
            None => CompactionClass::Unknown,
        }
    }

    /// What the history under way has to tell beside its lines, once.
    pub(super) fn begin(&mut self) -> Option<Lost> {
        self.lost.take()
    }

    /// What histories without a line have to tell.
    pub(super) fn untold(&mut self) -> Vec<(Arc<str>, Lost)> {
        self.pass_over();
        std::mem::take(&mut self.untold)
    }
}

impl Thread {
    /// Notes the calls and results of a line; whether it has any.
    fn pairs(&mut self, message: &Object<'_>, at: u32) -> bool {
        let mut any = false;
        for block in message.list("content").unwrap_or_default() {
            let Some(block) = Object::of(block) else { continue };
            let (key, list) = match block.string("type").as_deref() {
                Some("tool_use") => ("id", &mut self.calls),
                Some("tool_result") => ("tool_use_id", &mut self.results),
                _ => continue,
            };
            any = true;
            if let Some(id) = block.string(key) {
                grow(list);
                list.push((hash_of(&*id) as u32, at));
            }
        }
        any
    }
}
