//! The links between the lines of a file, at a fixed cost a line.

use std::cmp::Reverse;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::transcript::reader::Spot;

/// No line.
pub(super) const NONE: u32 = u32::MAX;

/// Stands for a parent that is nowhere in the file.
const MISSING: u64 = u64::MAX;

/// What kind of line a node is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    User,
    Assistant,
    Other,
}

/// A line that takes part in a chain, in 48 bytes. Ids are hashes; 0 is none.
#[derive(Clone, Copy, Debug)]
pub(super) struct Node {
    pub(super) id: u64,
    /// Of the line before it; from [`Links::settle`] on one more than that line's place, or [`MISSING`].
    pub(super) parent: u64,
    pub(super) offset: u64,
    pub(super) len: u32,
    pub(super) line: u32,
    /// The provider's response that an assistant's line is a part of, or [`NONE`].
    pub(super) response: u32,
    /// Which thread of the file: a session, or one of its subagents.
    pub(super) thread: u32,
    /// Which part of the input. No store keeps as many files in one conversation.
    pub(super) file: u16,
    pub(super) kind: Kind,
    pub(super) is_meta: bool,
    pub(super) is_team: bool,
    /// Whether the model was at work behind it: it calls, or it is a result.
    pub(super) at_work: bool,
}

impl Node {
    pub(super) fn spot(&self) -> Spot {
        Spot {
            file: u32::from(self.file),
            line: self.line,
            column: 1,
            end_line: self.line,
            offset: self.offset,
            len: u64::from(self.len),
        }
    }

    pub(super) fn speaks(&self) -> bool {
        self.kind != Kind::Other
    }
}

/// The lines of all chains, in the order of the file.
#[derive(Debug, Default)]
pub(super) struct Links {
    pub(super) nodes: Vec<Node>,
    /// The lines in the order of their ids; made by [`Links::settle`], and of two with the same id the later.
    by_id: Vec<u32>,
    /// Lines whose parent is another than they say: from each compaction that kept them on, kept messages follow its
    /// summary. In the order of the compactions.
    relinked: FxHashMap<u32, Vec<(u32, u32)>>,
    /// The assistant's line that a result says it answers.
    pub(super) sources: FxHashMap<u32, u64>,
}

impl Links {
    /// Adds a line.
    pub(super) fn add(&mut self, node: Node) -> u32 {
        let at = self.nodes.len() as u32;
        grow(&mut self.nodes);
        self.nodes.push(node);
        at
    }

    /// Says that every line was added: from here on lines can be found by their ids.
    pub(super) fn settle(&mut self) {
        let mut by_id: Vec<(u64, Reverse<u32>)> = Vec::with_capacity(self.nodes.len());
        by_id.extend(self.nodes.iter().zip(0..).map(|(node, at)| (node.id, Reverse(at))));
        by_id.sort_unstable();
        by_id.dedup_by_key(|(id, _)| *id);
        self.by_id = by_id.iter().map(|(_, at)| at.0).collect();
        for at in 0..self.nodes.len() {
            let id = self.nodes[at].parent;
            let before = at.checked_sub(1).filter(|&before| self.nodes[before].id == id);
            let place = match before {
                // Most lines follow the one before them.
                Some(before) if self.has_all() => Some(before as u32),
                _ => by_id
                    .binary_search_by_key(&id, |(id, _)| *id)
                    .ok()
                    .map(|found| self.by_id[found]),
            };
            if id != 0 {
                self.nodes[at].parent = place.map_or(MISSING, |place| u64::from(place) + 1);
            }
        }
    }

    pub(super) fn node(&self, at: u32) -> &Node {
        &self.nodes[at as usize]
    }

    /// The line with this id.
    pub(super) fn place(&self, id: u64) -> Option<u32> {
        let found = self.by_id.binary_search_by_key(&id, |&at| self.node(at).id);
        found.ok().map(|found| self.by_id[found])
    }

    /// Whether no line has the id of another.
    fn has_all(&self) -> bool {
        self.by_id.len() == self.nodes.len()
    }

    /// Whether a line counts: no later one has its id.
    pub(super) fn counts(&self, at: u32) -> bool {
        self.has_all() || self.place(self.node(at).id) == Some(at)
    }

    /// Says that a line follows another one from a compaction on.
    pub(super) fn relink(&mut self, at: u32, compaction: u32, parent: u32) {
        self.relinked.entry(at).or_default().push((compaction, parent));
    }

    pub(super) fn parent(&self, at: u32) -> Option<u32> {
        self.parent_before(at, NONE)
    }

    /// The parent that a line had before a compaction.
    fn parent_before(&self, at: u32, compaction: u32) -> Option<u32> {
        let said = || match self.node(at).parent {
            0 | MISSING => None,
            place => Some((place - 1) as u32),
        };
        if self.relinked.is_empty() {
            return said();
        }
        let relinked = self.relinked.get(&at).map_or(&[][..], Vec::as_slice);
        let known = relinked.partition_point(|(since, _)| *since < compaction);
        match known.checked_sub(1) {
            Some(last) => Some(relinked[last].1),
            None => said(),
        }
    }

    /// Whether a line follows another than it says.
    pub(super) fn is_relinked(&self, at: u32) -> bool {
        self.relinked.contains_key(&at)
    }

    /// Whether a line names a parent that is nowhere in the file.
    pub(super) fn dangles(&self, at: u32) -> bool {
        self.node(at).parent == MISSING && !self.is_relinked(at)
    }

    /// From a line to the root of its tree, the root first, as long as the lines `belong`. A cycle ends where it
    /// closes.
    pub(super) fn chain(&self, leaf: u32, belongs: impl Fn(u32) -> bool) -> Vec<u32> {
        Self::walk(leaf, |at| self.parent(at).filter(|parent| belongs(*parent)))
    }

    /// The same as it was before a compaction.
    pub(super) fn chain_before(&self, compaction: u32, leaf: u32, belongs: impl Fn(u32) -> bool) -> Vec<u32> {
        Self::walk(leaf, |at| {
            self.parent_before(at, compaction).filter(|parent| belongs(*parent))
        })
    }

    /// Ids of what stands from one message to another, as it was before a compaction; nothing where no way leads back
    /// from the last to the first. None where `steps` do not suffice; those that were taken are taken from it.
    pub(super) fn between(&self, compaction: u32, head: u64, tail: u64, steps: &mut usize) -> Option<Vec<u64>> {
        let mut kept = Vec::new();
        let mut seen: FxHashSet<u32> = FxHashSet::default();
        let mut at = self.place(tail);
        while let Some(line) = at.filter(|line| seen.insert(*line)) {
            *steps = steps.checked_sub(1)?;
            let node = self.node(line);
            if node.speaks() {
                kept.push(node.id);
            }
            if node.id == head {
                kept.reverse();
                return Some(kept);
            }
            at = self.parent_before(line, compaction);
        }
        Some(Vec::new())
    }

    fn walk(leaf: u32, parent: impl Fn(u32) -> Option<u32>) -> Vec<u32> {
        let mut chain = vec![leaf];
        let mut seen: FxHashSet<u32> = FxHashSet::default();
        seen.insert(leaf);
        let mut at = leaf;
        while let Some(above) = parent(at).filter(|above| seen.insert(*above)) {
            chain.push(above);
            at = above;
        }
        chain.reverse();
        chain
    }

    /// The line at which the conversation among `members` ends: from the lines that nobody names as parent up
    /// to the nearest that speaks, the one that stands last, of those that `wanted` likes if there are any.
    pub(super) fn leaf(
        &self,
        members: &[u32],
        belongs: impl Fn(u32) -> bool,
        wanted: impl Fn(&Node) -> bool,
    ) -> Option<u32> {
        let mut named: FxHashSet<u32> = FxHashSet::default();
        for &at in members {
            named.extend(self.parent(at).filter(|parent| *parent != at));
        }
        // Where a walk went by before, the next one would find what was found.
        let mut walked: FxHashSet<u32> = FxHashSet::default();
        let mut leaves = Vec::new();
        for &end in members.iter().filter(|at| !named.contains(at)) {
            let mut at = Some(end);
            while let Some(node) = at.filter(|at| walked.insert(*at)) {
                if self.node(node).speaks() {
                    leaves.push(node);
                    break;
                }
                at = self.parent(node).filter(|parent| belongs(*parent));
            }
        }
        let liked = leaves.iter().copied().filter(|&leaf| wanted(self.node(leaf))).max();
        liked
            .or_else(|| leaves.iter().copied().max())
            .or_else(|| members.iter().copied().filter(|&at| self.node(at).speaks()).max())
    }
}

/// Makes room for one more, by a sixteenth: doubling would hold up to twice what is needed of a large file.
pub(super) fn grow<T>(list: &mut Vec<T>) {
    if list.len() == list.capacity() {
        list.reserve_exact(list.len() / 16 + 256);
    }
}
