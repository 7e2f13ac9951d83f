//! All names of one value as one class.

use rustc_hash::FxHashMap;

use crate::code::facts::Facts;
use crate::code::flow::graph::{Flow, Node, Origin, Part, Symbol};
use crate::code::ir::{ExprKind, Intrinsic};

/// Union of all names of one value.
pub(super) struct Classes {
    parent: Vec<u32>,
}

impl Classes {
    pub(super) fn of(facts: &Facts) -> Self {
        let graph = &facts.graph;
        let mut classes = Self {
            parent: (0..graph.len() as u32).collect(),
        };
        for node in 0..graph.len() as u32 {
            for edge in graph.outgoing(Node(node)) {
                let same = match edge.flow {
                    Flow::Same | Flow::Enter(_) | Flow::Leave(_) => true,
                    Flow::Part(Part::Map) => false,
                    Flow::Part(Part::Concat) => !is_text(facts, Node(node)) && !is_text(facts, edge.node),
                    Flow::Part(_) => true,
                    _ => false,
                };
                if same && !is_nothing(facts, Node(node)) {
                    classes.union(node, edge.node.0);
                }
            }
        }
        classes.join_slots(facts);
        classes
    }

    /// The same field of two names of one value is one value.
    pub(super) fn join_slots(&mut self, facts: &Facts) {
        let slots: Vec<(u32, Node, Symbol)> = (0..facts.graph.len() as u32)
            .filter_map(|node| match facts.graph.origin(Node(node)) {
                Origin::Slot(holder, symbol) => Some((node, *holder, *symbol)),
                _ => None,
            })
            .collect();
        // Slots of slots need one round a level; deeper ones are not told apart by any rule.
        for _ in 0..3 {
            let mut first: FxHashMap<(u32, Symbol), u32> = FxHashMap::default();
            for (slot, holder, symbol) in &slots {
                let holder = self.find(holder.0);
                match first.get(&(holder, *symbol)) {
                    Some(other) => self.union(*slot, *other),
                    None => {
                        first.insert((holder, *symbol), *slot);
                    }
                }
            }
        }
    }

    pub(super) fn find(&mut self, node: u32) -> u32 {
        let mut root = node;
        while self.parent[root as usize] != root {
            root = self.parent[root as usize];
        }
        let mut at = node;
        while self.parent[at as usize] != root {
            at = std::mem::replace(&mut self.parent[at as usize], root);
        }
        root
    }

    pub(super) fn union(&mut self, one: u32, other: u32) {
        let (one, other) = (self.find(one), self.find(other));
        let (low, high) = (one.min(other), one.max(other));
        self.parent[high as usize] = low;
    }
}

/// Text is joined like lists are; it must not tie lists together.
pub(super) fn is_text(facts: &Facts, node: Node) -> bool {
    let Some(expr) = facts.graph.as_expr(node) else {
        return false;
    };
    match facts.kind(expr) {
        ExprKind::Template(_) | ExprKind::Literal(_) => true,
        ExprKind::Binary { left, right, .. } => {
            is_text(facts, facts.node(facts.beside(expr, *left)))
                || is_text(facts, facts.node(facts.beside(expr, *right)))
        }
        ExprKind::Call { idiom: Some(idiom), .. } => matches!(
            idiom.op,
            Intrinsic::Join | Intrinsic::Format | Intrinsic::ToText | Intrinsic::TextOp | Intrinsic::ReplaceText
        ),
        _ => false,
    }
}

/// `None` stands for the lack of a value; it ties nothing together.
pub(super) fn is_nothing(facts: &Facts, node: Node) -> bool {
    facts
        .graph
        .as_expr(node)
        .is_some_and(|expr| matches!(facts.kind(expr), ExprKind::Literal(_)))
}

/// Pairs of a list's class and its elements' class.
pub(super) fn element_links(facts: &Facts, classes: &mut Classes) -> Vec<(u32, u32)> {
    let mut links = Vec::new();
    for node in 0..facts.graph.len() as u32 {
        for edge in facts.graph.outgoing(Node(node)) {
            match edge.flow {
                Flow::Element => links.push((classes.find(node), classes.find(edge.node.0))),
                Flow::Into => links.push((classes.find(edge.node.0), classes.find(node))),
                _ => {}
            }
        }
    }
    links.sort_unstable();
    links.dedup();
    links
}
