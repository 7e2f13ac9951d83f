//! What is wrong with the links of one history.

use rustc_hash::FxHashSet;

use super::links::{Kind, Links, NONE};
use super::pairs::Pairs;
use super::sessions::Boundary;
use crate::transcript::event::{Chain, Dangling};
use crate::transcript::reader::Spot;

/// A history as its links tell it.
pub(super) struct Way<'a> {
    pub(super) links: &'a Links,
    /// All its lines, in the order of the file.
    pub(super) own: &'a [u32],
    /// From the root to the end.
    pub(super) chain: &'a [u32],
    /// Every line that is read: the chain, what stood before its compaction, what is put back beside it.
    pub(super) reached: &'a FxHashSet<u32>,
    /// The compactions of the history.
    pub(super) boundaries: &'a [&'a Boundary],
    /// Ids of lines that the person went back to.
    pub(super) rewound: &'a FxHashSet<u64>,
    pub(super) is_team: bool,
}

impl Way<'_> {
    /// All faults, each where it stands.
    pub(super) fn faults(&self, pairs: &Pairs) -> Vec<(Spot, Chain)> {
        let mut faults: Vec<(u32, Chain)> = self.dangling();
        let from = self.boundaries.last().map_or(0, |boundary| boundary.at);
        faults.extend(self.lost(from).map(|at| (at, Chain::Unreachable)));
        faults.extend(self.around());
        faults.extend(self.not_kept());
        faults.extend(self.too_much());
        faults.extend(self.again(pairs));
        faults.extend(self.inverted(pairs));
        let spot = |(at, fault)| (self.links.node(at).spot(), fault);
        faults.into_iter().map(spot).collect()
    }

    /// The messages from a line on that nothing leads to.
    fn lost(&self, from: u32) -> impl Iterator<Item = u32> {
        let behind = self.own.partition_point(|&at| at < from);
        self.own[behind..]
            .iter()
            .copied()
            .filter(|at| self.says(*at) && !self.reached.contains(at))
    }

    /// Whether a line is a message of the conversation.
    fn says(&self, at: u32) -> bool {
        let node = self.links.node(at);
        node.speaks() && (self.is_team || !node.is_team)
    }

    /// The first message of the history.
    fn said_first(&self) -> Option<u32> {
        self.own.iter().copied().find(|&at| self.says(at))
    }

    /// Whether a message stands in this stretch of the lines.
    fn any_said(&self, lines: std::ops::Range<u32>) -> bool {
        let from = self.own.partition_point(|&at| at < lines.start);
        let rest = self.own[from..].iter().copied();
        rest.take_while(|at| lines.contains(at)).any(|at| self.says(at))
    }

    fn dangling(&self) -> Vec<(u32, Chain)> {
        let dangling: Vec<u32> = self.own.iter().copied().filter(|&at| self.links.dangles(at)).collect();
        if dangling.is_empty() {
            return Vec::new();
        }
        let is_excerpt = Dangling::is_excerpt(dangling.len(), self.own.len());
        let carries = self.tops();
        let said_first = self.said_first();
        let window = |at: u32| {
            self.boundaries
                .iter()
                .rev()
                .map(|boundary| boundary.at)
                .find(|&other| other < at)
        };
        let fault = |at: u32| {
            let hidden = || self.lost(window(at).unwrap_or(0)).take_while(|&lost| lost < at).count();
            // A copy whose beginning is missing hides nothing that it has.
            let what = if is_excerpt || said_first.is_none_or(|said| said >= at) || !carries.contains(&at) {
                Dangling::Nothing
            } else if self.chain.first() == Some(&at) {
                Dangling::of(hidden())
            } else {
                Dangling::Aside
            };
            (at, Chain::Dangling(what))
        };
        dangling.into_iter().map(fault).collect()
    }

    /// The lines at which the ways back from messages end.
    fn tops(&self) -> FxHashSet<u32> {
        let mut tops = FxHashSet::default();
        let mut walked: FxHashSet<u32> = FxHashSet::default();
        for &said in self.own.iter().filter(|&&at| self.says(at)) {
            let mut at = said;
            while walked.insert(at) {
                match self.links.parent(at) {
                    Some(parent) => at = parent,
                    None => {
                        tops.insert(at);
                    }
                }
            }
        }
        tops
    }

    /// A way back that goes by the last compaction. Somebody who goes back to an earlier question does that on
    /// purpose; nobody goes on from the very message that was compacted last.
    fn around(&self) -> Option<(u32, Chain)> {
        let boundary = self.boundaries.last()?;
        if self.reached.contains(&boundary.at) {
            return None;
        }
        let crosses = |pair: &&[u32]| pair[0] < boundary.at && boundary.at < pair[1];
        let pair = self.chain.windows(2).find(crosses)?;
        let (before, behind) = (pair[0], pair[1]);
        let [node, next] = [before, behind].map(|at| self.links.node(at));
        let in_file = node.file == next.file && self.links.node(boundary.at).file == node.file;
        let is_tip = self.links.place(boundary.logical) == Some(before) || !self.any_said(before + 1..boundary.at);
        let goes_back = next.kind == Kind::User && !next.at_work && !next.is_meta;
        if !in_file || self.rewound.contains(&node.id) || goes_back && !is_tip {
            return None;
        }
        let back = self
            .chain
            .iter()
            .filter(|&&at| at < boundary.at && self.says(at))
            .count();
        let hides = self.lost(boundary.at).count();
        Some((behind, Chain::Around { back, hides }))
    }

    fn not_kept(&self) -> impl Iterator<Item = (u32, Chain)> {
        let said_first = self.said_first();
        let lacks =
            move |boundary: &&&Boundary| boundary.missing > 0 && said_first.is_some_and(|said| said < boundary.at);
        let lacking = self.boundaries.iter().filter(lacks);
        lacking.map(|boundary| (boundary.at, Chain::NotKept(boundary.missing)))
    }

    /// The first of the compactions of which it is not followed what they kept.
    fn too_much(&self) -> Option<(u32, Chain)> {
        let first = self.boundaries.iter().find(|boundary| boundary.is_too_much)?;
        Some((first.at, Chain::KeepsTooMuch))
    }

    /// An answer that has no parent, although an earlier line tells the same response and has one.
    fn again(&self, pairs: &Pairs) -> Option<(u32, Chain)> {
        let &first = self.chain.first()?;
        let node = self.links.node(first);
        if node.kind != Kind::Assistant || node.parent != 0 {
            return None;
        }
        let response = pairs.response(self.links, first)?;
        let before = &self.own[..self.own.partition_point(|&at| at < first)];
        let is_twin =
            |at: &&u32| pairs.response(self.links, **at) == Some(response) && self.links.node(**at).parent != 0;
        let twin = before.iter().rev().find(is_twin)?;
        let hides = self.lost(0).take_while(|&lost| lost < first).count();
        let place = self.links.node(*twin).spot().start();
        (hides > 0).then_some((first, Chain::Again { first: place, hides }))
    }

    /// Messages whose parent was written later. Lines of one response may be, and results of calls that ran at the
    /// same time.
    fn inverted(&self, pairs: &Pairs) -> Option<(u32, Chain)> {
        let said: Vec<u32> = self.chain.iter().copied().filter(|&at| self.says(at)).collect();
        let is_inverted = |pair: &&[u32]| {
            let (parent, child) = (pair[0], pair[1]);
            let [above, node] = [parent, child].map(|at| self.links.node(at));
            let of = |at| pairs.response(self.links, at);
            let one_response = above.response != NONE && node.response != NONE && of(parent) == of(child);
            let is_result = node.kind == Kind::User && node.at_work;
            child < parent && above.file == node.file && !one_response && !is_result && !self.links.is_relinked(child)
        };
        let mut inverted = said.windows(2).filter(is_inverted);
        let first = inverted.next()?;
        let parent = self.links.node(first[0]).spot().start();
        let times = 1 + inverted.count();
        Some((first[1], Chain::Inverted { parent, times }))
    }
}
