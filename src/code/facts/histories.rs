//! Which values are the message list of a conversation with a model, and how sure that is.
//!
//! Every name of one list is one class of nodes; evidence at any of them counts for all: types,
//! framework sources, roles that its elements are made with or tested for, the call it is sent by, and
//! its name. A name alone never makes a history.

mod classes;
mod declared;
mod evidence;
mod gather;
mod used;

use rustc_hash::FxHashMap;

use classes::{Classes, element_links};
use evidence::{Evidence, around};
use gather::signals;

use super::Facts;
use crate::code::flow::graph::{Flow, Graph, Node, Origin};
use crate::code::flow::reach::{Direction, reach};
use crate::code::vocabulary::Field;
use crate::finding::Confidence;

/// The histories of a project.
#[derive(Debug, Default)]
pub(crate) struct Histories {
    root: Vec<u32>,
    confidence: FxHashMap<u32, Confidence>,
    paired: FxHashMap<u32, bool>,
    messages: FxHashMap<u32, Confidence>,
    direct: FxHashMap<u32, Evidence>,
}

/// What the surroundings of one value say, calls matched with their returns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Near {
    /// How sure it is that the value is a history.
    pub(crate) confidence: Option<Confidence>,
    /// Whether it holds tool calls or their results.
    pub(crate) paired: bool,
}

impl Histories {
    /// What the surroundings of a value say: the names it has in the functions around, the types, the
    /// calls, and what is asked about its elements. A whole project's worth of shared helpers ties
    /// values together that have nothing to do with each other; this looks at one of them.
    pub(crate) fn near(&self, graph: &Graph, value: Node) -> Near {
        let found = around(&self.direct, graph, value);
        Near {
            confidence: found.confidence(),
            paired: found.paired,
        }
    }
}

impl Histories {
    pub(super) fn of(facts: &Facts) -> Self {
        let mut classes = Classes::of(facts);
        let mut evidence: FxHashMap<u32, Evidence> = FxHashMap::default();
        let mut direct: FxHashMap<u32, Evidence> = FxHashMap::default();
        signals(facts, &mut classes, &mut evidence, &mut direct);
        // What is known of messages counts for the lists that they stand in, and the other way round.
        let links = element_links(facts, &mut classes);
        lift(&links, &mut evidence);
        blocks(facts, &mut classes, &mut evidence, &mut direct);
        lift(&links, &mut evidence);
        let mut confidence = FxHashMap::default();
        for (root, one) in &evidence {
            if let Some(level) = one.confidence() {
                confidence.insert(*root, level);
            }
        }
        let mut messages = FxHashMap::default();
        for (list, element) in &links {
            if let Some(level) = confidence.get(list) {
                let entry = messages.entry(*element).or_insert(*level);
                *entry = (*entry).max(*level);
            }
        }
        let paired = evidence.iter().map(|(root, one)| (*root, one.paired)).collect();
        let root = (0..facts.graph.len() as u32).map(|node| classes.find(node)).collect();
        Self {
            root,
            confidence,
            paired,
            messages,
            direct,
        }
    }

    /// How sure it is that a value is a history; `None` when nothing says so.
    pub(crate) fn confidence(&self, node: Node) -> Option<Confidence> {
        self.confidence.get(&self.root[node.0 as usize]).copied()
    }

    /// How sure it is that a value is a message of a history.
    pub(crate) fn message(&self, node: Node) -> Option<Confidence> {
        self.messages.get(&self.root[node.0 as usize]).copied()
    }

    /// Whether something shows that the history holds tool calls or their results.
    pub(crate) fn has_tool_pairs(&self, node: Node) -> bool {
        self.paired.get(&self.root[node.0 as usize]).copied().unwrap_or(false)
    }

    /// Whether a value is declared as a list of lists, under one of its names in a function: stretches of a
    /// conversation, whose ends were chosen before.
    pub(crate) fn holds_lists(&self, graph: &Graph, value: Node) -> bool {
        let names = reach(graph, value, Direction::Backward, |flow, _, held, _| {
            held.is_empty() && flow == Flow::Same
        });
        let mut direct = names.iter().filter_map(|one| self.direct.get(&one.node.0));
        direct.any(|one| one.lists)
    }

    /// Whether two values are lists of the same conversation.
    pub(crate) fn same(&self, one: Node, other: Node) -> bool {
        self.root[one.0 as usize] == self.root[other.0 as usize]
    }
}

/// What is known of elements counts for their lists.
fn lift(links: &[(u32, u32)], evidence: &mut FxHashMap<u32, Evidence>) {
    for (list, element) in links {
        let of_element = evidence.get(element).copied().unwrap_or_default();
        let list = evidence.entry(*list).or_default();
        list.elements |= of_element.message;
        list.weak_elements |= of_element.weak_message;
        list.paired |= of_element.paired;
        list.tagged_pairs |= of_element.tagged && of_element.paired;
        list.pair_blocks |= of_element.paired;
    }
}

/// What holds blocks of tool pairs in its content is a message.
fn blocks(
    facts: &Facts,
    classes: &mut Classes,
    evidence: &mut FxHashMap<u32, Evidence>,
    direct: &mut FxHashMap<u32, Evidence>,
) {
    let mut holders = Vec::new();
    for node in 0..facts.graph.len() as u32 {
        let Origin::Slot(holder, symbol) = facts.graph.origin(Node(node)) else {
            continue;
        };
        if facts.vocabulary.field(facts.graph.symbol_name(*symbol)) != Some(Field::Content) {
            continue;
        }
        let content = classes.find(node);
        if evidence.get(&content).is_some_and(|one| one.pair_blocks) {
            let seen = Evidence {
                message: true,
                paired: true,
                ..Evidence::default()
            };
            evidence.entry(classes.find(holder.0)).or_default().merge(seen);
            // The class may be that of half the project: what is said of this one value needs its own.
            if around(direct, &facts.graph, Node(node)).pair_blocks {
                holders.push((*holder, seen));
            }
        }
    }
    for (holder, seen) in holders {
        direct.entry(holder.0).or_default().merge(seen);
    }
}
