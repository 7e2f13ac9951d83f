//! What speaks for and against a value being a history, and what is seen around one value.

use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::VecDeque;

use crate::code::flow::graph::{Flow, Graph, Node, Part, Site};
use crate::code::vocabulary::Strength;
use crate::finding::Confidence;

/// How many places around a value are looked at.
const NEAR: usize = 400;
/// How many calls are entered on the way.
const NEAR_CALLS: usize = 3;

/// What speaks for (and against) a class of nodes.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Evidence {
    /// A type of the framework, a state of the framework, or a certain model call.
    pub(super) proven: bool,
    /// A type or call that other things have too.
    pub(super) likely: bool,
    /// It is made as, or tested to be, a message.
    pub(super) message: bool,
    /// It may be one, by words that content blocks share.
    pub(super) weak_message: bool,
    /// One of its elements is a message.
    pub(super) elements: bool,
    /// One of its elements may be one.
    pub(super) weak_elements: bool,
    /// It is sent to something under the name of a list of messages.
    pub(super) sent: bool,
    /// It has the name of a history.
    pub(super) name: Option<Strength>,
    /// It has the name of a list of ids of messages.
    pub(super) ids: bool,
    /// Its first element is kept in front of a part of the rest, as a system message is.
    pub(super) keeps_head: bool,
    /// It is a list inside one message.
    pub(super) inner: bool,
    /// It is declared as a list of lists.
    pub(super) lists: bool,
    /// It comes from something that has messages of another kind.
    pub(super) foreign: bool,
    /// A message with a tool call or a tool result is among its elements, or is looked for there.
    pub(super) paired: bool,
    /// A field that may hold a role is compared with a role's word.
    pub(super) tagged: bool,
    /// One of its elements is compared so and has a half of a tool pair.
    pub(super) tagged_pairs: bool,
    /// One of its elements is a half of a tool pair, or holds one.
    pub(super) pair_blocks: bool,
}

impl Evidence {
    pub(super) fn merge(&mut self, other: Self) {
        self.proven |= other.proven;
        self.likely |= other.likely;
        self.message |= other.message;
        self.weak_message |= other.weak_message;
        self.elements |= other.elements;
        self.weak_elements |= other.weak_elements;
        self.sent |= other.sent;
        self.name = self.name.max(other.name);
        self.ids |= other.ids;
        self.keeps_head |= other.keeps_head;
        self.inner |= other.inner;
        self.lists |= other.lists;
        self.foreign |= other.foreign;
        self.paired |= other.paired;
        self.tagged |= other.tagged;
        self.tagged_pairs |= other.tagged_pairs;
        self.pair_blocks |= other.pair_blocks;
    }

    pub(super) fn confidence(self) -> Option<Confidence> {
        let named = self.name == Some(Strength::Strong);
        if self.proven {
            return Some(Confidence::High);
        }
        if self.inner || self.foreign {
            return None;
        }
        if self.elements && (named || self.likely) {
            return Some(Confidence::High);
        }
        if self.elements
            || self.sent
            || self.tagged_pairs
            || self.ids && self.keeps_head
            || self.likely && named
            || self.weak_elements && (named || self.likely)
        {
            return Some(Confidence::Medium);
        }
        if self.message {
            return None;
        }
        if self.likely || self.weak_elements && self.name.is_some() {
            return Some(Confidence::Low);
        }
        named.then_some(Confidence::Low)
    }
}

/// What is seen at a value and at the places around it, calls matched with their returns.
pub(super) fn around(direct: &FxHashMap<u32, Evidence>, graph: &Graph, value: Node) -> Evidence {
    let mut found = Evidence::default();
    let mut seen = FxHashSet::default();
    let mut open = VecDeque::from([(value, Vec::<Site>::new(), false)]);
    while let Some(state) = open.pop_front() {
        if seen.len() == NEAR || !seen.insert(state.clone()) {
            continue;
        }
        let (node, calls, element) = state;
        let here = direct.get(&node.0).copied().unwrap_or_default();
        if element {
            found.elements |= here.message;
            found.weak_elements |= here.weak_message;
            found.paired |= here.paired;
            found.tagged_pairs |= here.tagged && here.paired;
            found.pair_blocks |= here.paired;
        } else {
            found.merge(Evidence {
                message: false,
                weak_message: false,
                tagged: false,
                ..here
            });
        }
        for (edges, forward) in [(graph.outgoing(node), true), (graph.incoming(node), false)] {
            for edge in edges {
                let mut calls = calls.clone();
                let element = match edge.flow {
                    Flow::Same => element,
                    Flow::Part(part) if !element && part != Part::Map => false,
                    Flow::Enter(site) if crosses(&mut calls, site, forward) => element,
                    Flow::Leave(site) if crosses(&mut calls, site, !forward) => element,
                    Flow::Element if forward && !element => true,
                    Flow::Into if !forward && !element => true,
                    _ => continue,
                };
                open.push_back((edge.node, calls, element));
            }
        }
    }
    found
}

/// Enters a call or leaves one; a call that was entered is left only where it was entered.
pub(super) fn crosses(calls: &mut Vec<Site>, site: Site, enters: bool) -> bool {
    if enters {
        calls.push(site);
        return calls.len() <= NEAR_CALLS;
    }
    calls.pop().is_none_or(|top| top == site)
}
