//! Collects what speaks for and against.

use rustc_hash::FxHashMap;

use super::classes::Classes;
use super::declared::message_classes;
use super::evidence::Evidence;
use crate::code::facts::Facts;
use crate::code::flow::graph::Node;
use crate::code::ir::Name;

/// Where evidence is gathered.
pub(super) struct Gather<'a, 'p> {
    pub(super) facts: &'a Facts<'p>,
    pub(super) classes: &'a mut Classes,
    pub(super) evidence: &'a mut FxHashMap<u32, Evidence>,
    /// The same by the node where it was seen.
    pub(super) direct: &'a mut FxHashMap<u32, Evidence>,
    pub(super) message_classes: Vec<(Name, bool)>,
    /// Files that handle messages of another kind and speak to no model.
    pub(super) foreign: Vec<bool>,
}

pub(super) fn signals(
    facts: &Facts,
    classes: &mut Classes,
    evidence: &mut FxHashMap<u32, Evidence>,
    direct: &mut FxHashMap<u32, Evidence>,
) {
    let message_classes = message_classes(facts);
    let foreign = facts
        .project
        .modules()
        .map(|(module, ir)| {
            facts.vocabulary.foreign_import(ir).is_some()
                && !facts.vocabulary.speaks_to_models(facts.frameworks(module))
        })
        .collect();
    let mut gather = Gather {
        facts,
        classes,
        evidence,
        direct,
        message_classes,
        foreign,
    };
    gather.declarations();
    for expr in facts.exprs() {
        gather.expression(expr);
    }
    gather.constructions();
    gather.slots();
    gather.mapped();
}

impl Gather<'_, '_> {
    pub(super) fn add(&mut self, node: Node, fill: impl FnOnce(&mut Evidence)) {
        let mut one = Evidence::default();
        fill(&mut one);
        let root = self.classes.find(node.0);
        self.evidence.entry(root).or_default().merge(one);
        self.direct.entry(node.0).or_default().merge(one);
    }
}
