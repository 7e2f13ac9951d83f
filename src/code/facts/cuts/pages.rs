//! Cuts that hand out one page of a history to somebody who looks at it.

use super::{Finder, Reach, Seen};
use crate::code::facts::Facts;
use crate::code::flow::graph::{Flow, Node};
use crate::code::flow::reach::{Direction, reach as walk};
use crate::code::ir::{ExprId, ExprKind};
use crate::code::project::ExprRef;
use crate::code::vocabulary::Vocabulary;

impl Finder<'_, '_> {
    /// Whether a function hands out one page of many: it is told where the page begins, or what it gives
    /// tells beside the page how many messages there are.
    pub(super) fn is_page(&self, seen: &Seen, reach: Reach) -> bool {
        let function = self.facts.project.function(self.facts.owner(seen.site));
        let told = |what: fn(&Vocabulary, &str) -> bool| {
            let mut params = function.params.iter();
            params.any(|param| what(self.facts.vocabulary, &param.name))
        };
        // Where it is told how long a page is too, nobody takes it for the history.
        let page = told(Vocabulary::is_page_name) && (reach <= Reach::Returned || told(Vocabulary::is_count_name));
        page || reach <= Reach::Durable && self.is_asked_page(seen.site)
            || reach <= Reach::Returned && self.is_told_with_total(seen)
    }

    /// `xs[query.offset:…]`, `xs[:query.page_size]`: where the page begins, or how long one is, is read from
    /// what was asked.
    fn is_asked_page(&self, site: ExprRef) -> bool {
        let facts = self.facts;
        let ExprKind::Slice { start, end, .. } = facts.kind(site) else {
            return false;
        };
        let reads = |bound: ExprId, says: &dyn Fn(&str) -> bool| {
            let behind = walk(
                &facts.graph,
                facts.node(facts.beside(site, bound)),
                Direction::Backward,
                |flow, _, held, _| held.is_empty() && matches!(flow, Flow::Same | Flow::Opaque | Flow::Text),
            );
            let mut read = behind.iter().filter_map(|one| facts.graph.as_expr(one.node));
            read.any(|expr| match facts.kind(expr) {
                ExprKind::Attribute { name, .. } => says(name),
                _ => false,
            })
        };
        let begins = |name: &str| facts.vocabulary.is_page_name(name);
        let is_long = |name: &str| facts.vocabulary.is_page_size(name);
        let told_both = end.is_some() && start.is_some_and(|start| reads(start, &begins));
        told_both || [start, end].into_iter().flatten().any(|bound| reads(*bound, &is_long))
    }

    /// Whether what is left is put into an object that also says how long the whole list is.
    fn is_told_with_total(&self, seen: &Seen) -> bool {
        let facts = self.facts;
        let mut totals: Vec<ExprRef> = Vec::new();
        for name in self.names_of(facts.node(seen.list)) {
            let counted = walk(&facts.graph, name, Direction::Forward, |flow, _, held, _| {
                held.is_empty() && matches!(flow, Flow::Same | Flow::Length)
            });
            totals.extend(counted.iter().filter_map(|one| {
                let is_count = one
                    .previous
                    .is_some_and(|at| self.is_length_step(counted[at as usize].node, one.node))
                    || !facts.histories().same(one.node, name);
                is_count.then(|| record_around(facts, one.node)).flatten()
            }));
        }
        let kept = seen.kept.iter().flat_map(|kept| {
            walk(&facts.graph, *kept, Direction::Forward, |flow, _, _, _| {
                matches!(flow, Flow::Same | Flow::Part(_) | Flow::Opaque)
            })
        });
        let mut records = kept.filter_map(|one| record_around(facts, one.node));
        records.any(|record| totals.contains(&record))
    }

    /// The definitions of a list in its function.
    fn names_of(&self, list: Node) -> Vec<Node> {
        let behind = walk(&self.facts.graph, list, Direction::Backward, |flow, _, held, _| {
            held.is_empty() && flow == Flow::Same
        });
        behind.into_iter().map(|one| one.node).collect()
    }

    fn is_length_step(&self, from: Node, to: Node) -> bool {
        let mut edges = self.facts.graph.outgoing(from).iter();
        edges.any(|edge| edge.node == to && edge.flow == Flow::Length)
    }
}

/// The dictionary or the object that a value is written into.
fn record_around(facts: &Facts, value: Node) -> Option<ExprRef> {
    let outer = facts.graph.around(facts.graph.as_expr(value)?)?;
    match facts.kind(outer) {
        ExprKind::Dict(_) => Some(outer),
        ExprKind::Call { args, .. } => args.iter().any(|arg| arg.name.is_some()).then_some(outer),
        _ => None,
    }
}
