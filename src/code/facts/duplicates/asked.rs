//! Calls of a model that get the same words twice: as messages, and beside them.

use super::{Duplicate, DuplicateKind};
use crate::code::facts::{Facts, Pick};
use crate::code::flow::graph::{Flow, Node, Origin, Part};
use crate::code::flow::iteration::integer;
use crate::code::flow::predicate::same_spelling;
use crate::code::flow::reach::{Direction, path, reach};
use crate::code::ir::{Arg, ExprKind};
use crate::code::project::ExprRef;

impl Facts<'_> {
    /// A call of a model whose text holds what its list of messages holds as well.
    pub(super) fn asked_twice(&self, call: ExprRef) -> Option<Duplicate> {
        let (callee, args) = self.call(call)?;
        if args.len() < 2 || !self.project.callees_of(call).is_empty() || self.construction(call).is_some() {
            return None;
        }
        let path = self.path(callee)?;
        let asks = self
            .vocabulary
            .model_call(&path, self.frameworks(call.module))
            .is_some()
            || self.vocabulary.names_model_call(&path);
        if !asks {
            return None;
        }
        let history = args.iter().find(|arg| self.is_history_argument(call, arg))?;
        let list = self.beside(call, history.value);
        let confidence = self.near_history(list)?;
        if self.is_partial(list) {
            return None;
        }
        let others = args.iter().filter(|arg| arg.value != history.value && !arg.spread);
        let found = others.map(|arg| self.beside(call, arg.value)).find_map(|text| {
            let newest = self.newest_of(text, list).map(|first| (DuplicateKind::Beside, first));
            let added = || self.just_added(text, list).map(|first| (DuplicateKind::Beside, first));
            let held = || {
                self.held_already(text, list)
                    .map(|first| (DuplicateKind::Beside, first))
            };
            let rendered = || self.rendered(text, list).map(|first| (DuplicateKind::AsText, first));
            newest.or_else(added).or_else(held).or_else(rendered)
        });
        let (kind, first) = found?;
        Some(Duplicate {
            kind,
            at: list,
            first,
            confidence,
        })
    }

    fn is_history_argument(&self, call: ExprRef, arg: &Arg) -> bool {
        let named = arg
            .name
            .as_ref()
            .is_none_or(|name| self.vocabulary.history_name(name).is_some());
        !arg.spread && named && self.near_history(self.beside(call, arg.value)).is_some()
    }

    /// Where the newest message of the list was taken, if that is what is asked.
    fn newest_of(&self, text: ExprRef, list: ExprRef) -> Option<ExprRef> {
        let reached = reach(&self.graph, self.node(text), Direction::Backward, |flow, _, held, _| {
            held.len() < 2
                && matches!(
                    flow,
                    Flow::Same | Flow::Leave(_) | Flow::Load(_) | Flow::Text | Flow::Store(_)
                )
        });
        let scans = self.scans().iter().filter(|scan| {
            scan.pick == Pick::Newest
                && self.owner(scan.site) == self.owner(list)
                && same_spelling(self.module(list.module), scan.list.expr, list.expr)
        });
        let mut found = scans.filter(|scan| {
            let is_result = |node: &Node| reached.iter().any(|one| one.node == *node);
            let last = scan.constant == Some(-1) || self.sought(scan).is_user();
            last && scan.results.iter().any(is_result)
        });
        found.next().map(|scan| scan.site)
    }

    /// The call that put the question into the list before, if it did.
    fn just_added(&self, text: ExprRef, list: ExprRef) -> Option<ExprRef> {
        let ExprKind::Name(question) = self.kind(text) else {
            return None;
        };
        let module = self.module(list.module);
        let function = self.owner(list);
        let added = self.edits_in(function).into_iter().find(|edit| {
            let Some(value) = edit.value.filter(|_| !edit.shortens()) else {
                return false;
            };
            let made = self.made_behind(value);
            let content = made.and_then(|made| made.content);
            let holds = content.is_some_and(|content| same_spelling(module, content.expr, text.expr));
            holds
                && same_spelling(module, edit.list.expr, list.expr)
                && self.is_before(edit.site, list)
                && self.is_unchanged(function, question, edit.site, list)
        });
        added.map(|edit| edit.site)
    }

    /// Where the very message that is asked was put in the list, or in one that became a part of it.
    fn held_already(&self, text: ExprRef, list: ExprRef) -> Option<ExprRef> {
        let same = |flow: Flow| matches!(flow, Flow::Same | Flow::Part(Part::Copy | Part::DeepCopy));
        let asked = reach(&self.graph, self.node(text), Direction::Backward, |flow, _, held, _| {
            held.is_empty() && same(flow)
        });
        let is_asked = |node: Node| asked.iter().any(|one| one.node == node);
        let inside = reach(
            &self.graph,
            self.node(list),
            Direction::Backward,
            |flow, via, held, _| {
                let grows = !via.element && matches!(flow, Flow::Into | Flow::Part(Part::Concat));
                held.is_empty() && (same(flow) || grows)
            },
        );
        let hit = inside.iter().position(|one| {
            one.via.element && !one.via.part && is_asked(one.node) && self.is_variable_of(one.node, list)
        })?;
        let put = self
            .exprs_on(&inside, hit)
            .into_iter()
            .find(|expr| expr.module == list.module)?;
        (self.owner(put) == self.owner(list) && self.is_before(put, list)).then_some(put)
    }

    /// Whether a node is a parameter or a definition of the function that sends the list.
    fn is_variable_of(&self, node: Node, list: ExprRef) -> bool {
        match self.graph.origin(node) {
            Origin::Param(function, _) => *function == self.owner(list),
            Origin::Expr(expr) => self.graph.is_target(*expr) && self.owner(*expr) == self.owner(list),
            _ => false,
        }
    }

    /// Where the messages of the list become part of the text, one after the other.
    fn rendered(&self, text: ExprRef, list: ExprRef) -> Option<ExprRef> {
        let reached = reach(
            &self.graph,
            self.node(text),
            Direction::Backward,
            |flow, via, _, _| match flow {
                Flow::Same | Flow::Leave(_) | Flow::Enter(_) | Flow::Text | Flow::Into => true,
                Flow::Load(_) | Flow::Element | Flow::Part(_) => via.text,
                _ => false,
            },
        );
        let module = self.module(list.module);
        let hit = reached.iter().position(|one| {
            one.via.text
                && self.graph.as_expr(one.node).is_some_and(|expr| {
                    expr != list
                        && expr.module == list.module
                        && self.owner(expr) == self.owner(list)
                        && same_spelling(module, expr.expr, list.expr)
                })
        })?;
        let way = path(&reached, hit);
        let exprs = || way.iter().filter_map(|node| self.graph.as_expr(*node));
        // One message by its place is no rendering of the list.
        let single = exprs().any(|expr| match self.kind(expr) {
            ExprKind::Index { index, .. } => integer(self.module(expr.module), *index).is_some(),
            _ => false,
        });
        let one_by_one =
            exprs().any(|expr| matches!(self.kind(expr), ExprKind::Comprehension { .. }) || self.graph.is_target(expr));
        (!single && one_by_one)
            .then(|| self.graph.as_expr(reached[hit].node))
            .flatten()
    }
}
