//! A whole history where only what is new belongs.

use super::{Duplicate, DuplicateKind};
use crate::code::facts::composition::Segment;
use crate::code::facts::edits::EditKind;
use crate::code::facts::{Applied, Facts, Update};
use crate::code::flow::graph::{Flow, Node, Origin, Part};
use crate::code::flow::paths::When;
use crate::code::flow::reach::{Direction, Reached, path, reach};
use crate::code::ir::ExprKind;
use crate::code::project::{ExprRef, FuncRef};
use crate::code::vocabulary::{Fold, Strength};

impl Facts<'_> {
    /// An update that holds the whole history, for a reducer that appends what it gets.
    pub(super) fn returned_whole(&self, update: &Update) -> Option<Duplicate> {
        let is_history = self.vocabulary.history_name(&update.key) == Some(Strength::Strong)
            || self.near_history(update.messages).is_some();
        if update.applied != Applied::Fold(Fold::Append) || !is_history {
            return None;
        }
        let ways = self.composition(update.messages, &update.key);
        let whole = ways
            .iter()
            .any(|way| !way.removes() && way.segments.contains(&Segment::Whole));
        whole.then_some(Duplicate {
            kind: DuplicateKind::Whole,
            at: update.messages,
            first: update.expr,
            confidence: update.confidence,
        })
    }

    /// `xs.extend(ys)`, where both hold all of the same messages.
    pub(super) fn extended_with_itself(&self, function: FuncRef, found: &mut Vec<Duplicate>) {
        for edit in self.edits_in(function) {
            let (EditKind::Extend, Some(added)) = (edit.kind, edit.value) else {
                continue;
            };
            let Some(confidence) = self.near_history(edit.list) else {
                continue;
            };
            let parts = self.held_whole(function, added, None);
            if parts.is_empty() {
                continue;
            }
            let own = self.held_whole(function, edit.list, Some(self.node(added)));
            let paths = self.paths.function(function);
            // What another branch puts there is not there.
            let apart = |way: &[ExprRef]| {
                let here = way.iter().filter(|expr| self.owner(**expr) == function);
                here.filter_map(|expr| paths.order(expr.expr, edit.site.expr))
                    .any(|order| order.when == When::Exclusive)
            };
            let shared = parts
                .iter()
                .find(|(node, _)| own.iter().any(|(other, way)| other == node && !apart(way)));
            if let Some((_, way)) = shared {
                found.push(Duplicate {
                    kind: DuplicateKind::Whole,
                    at: edit.site,
                    first: way.iter().copied().next_back().unwrap_or(edit.list),
                    confidence,
                });
            }
        }
    }

    /// The lists that the caller of a function gave and that another list holds all of; what a store gives
    /// back is what it was given. What a helper was given is another list at each of its calls, and what one
    /// argument of the function itself holds of another is for its callers to know.
    fn held_whole(&self, function: FuncRef, list: ExprRef, without: Option<Node>) -> Vec<(Node, Vec<ExprRef>)> {
        let reached = reach(
            &self.graph,
            self.node(list),
            Direction::Backward,
            |flow, via, held, next| {
                held.is_empty()
                    && Some(next) != without
                    && match flow {
                        Flow::Same | Flow::Leave(_) | Flow::Enter(_) | Flow::Part(Part::Copy | Part::Concat) => true,
                        Flow::Opaque => !via.opaque,
                        _ => false,
                    }
            },
        );
        let is_own = |node: Node| matches!(self.graph.origin(node), Origin::Param(of, _) if *of == function);
        let given = reached
            .iter()
            .enumerate()
            .filter(|(_, one)| is_own(one.node) && self.histories().confidence(one.node).is_some());
        given
            .filter_map(|(at, one)| {
                let nodes = path(&reached, at);
                if nodes.iter().any(|node| *node != one.node && is_own(*node)) {
                    return None;
                }
                let way: Vec<ExprRef> = nodes.iter().filter_map(|node| self.graph.as_expr(*node)).collect();
                self.is_stored_way(&way, one).then_some((one.node, way))
            })
            .collect()
    }

    /// Whether every call on a way that the project does not know is one of a store.
    fn is_stored_way(&self, way: &[ExprRef], one: &Reached) -> bool {
        let unknown = |expr: &&ExprRef| {
            matches!(self.kind(**expr), ExprKind::Call { idiom: None, .. })
                && self.project.callees_of(**expr).is_empty()
        };
        let mut calls = way.iter().filter(unknown);
        !one.via.opaque
            || calls.all(|call| {
                self.call(*call)
                    .and_then(|(callee, _)| self.path(callee))
                    .is_some_and(|path| self.vocabulary.store(&path, self.frameworks(call.module)).is_some())
            })
    }
}
