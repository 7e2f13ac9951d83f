//! Tools that a model is offered and that somebody else answers.

use super::Search;
use crate::code::facts::fields::field_read;
use crate::code::flow::graph::{Flow, Origin};
use crate::code::flow::reach::{Direction, reach};
use crate::code::ir::{CompareOp, ExprId, ExprKind};

impl Search<'_, '_> {
    /// Whether the model is offered tools beside the program's own that came with the request: whoever sent
    /// them answers their calls before the next run.
    pub(super) fn offers_tools_of_others(&self) -> bool {
        let mut exprs = self.paths.stmts().flat_map(|stmt| self.paths.own_exprs_in(stmt));
        exprs.any(|expr| match self.kind(expr) {
            ExprKind::Call { args, .. } => args.iter().any(|arg| {
                let of_tools = arg
                    .name
                    .as_ref()
                    .is_some_and(|name| self.facts.vocabulary.is_tools_argument(name));
                of_tools && self.is_filled_from_request(arg.value)
            }),
            _ => false,
        })
    }

    /// `[*request.actions, OWN_TOOL]`
    fn is_filled_from_request(&self, tools: ExprId) -> bool {
        let facts = self.facts;
        let behind = reach(
            &facts.graph,
            facts.node(self.at(tools)),
            Direction::Backward,
            |flow, _, held, _| held.is_empty() && flow == Flow::Same,
        );
        let mut displays = behind.iter().filter_map(|one| facts.graph.as_expr(one.node));
        displays.any(|display| match facts.kind(display) {
            ExprKind::List { items, .. } => items.iter().filter(|item| item.spread).any(|item| {
                let value = facts.beside(display, item.value);
                let given = || {
                    let mut edges = facts.graph.incoming(facts.node(value)).iter();
                    edges.any(|edge| matches!(facts.graph.origin(edge.node), Origin::Param(..)))
                };
                matches!(facts.kind(value), ExprKind::Attribute { .. } | ExprKind::Index { .. }) || given()
            }),
            _ => false,
        })
    }

    /// Whether a condition asks which tool was called.
    pub(super) fn asks_tool_name(&self, cond: ExprId) -> bool {
        let ExprKind::Compare {
            op: CompareOp::Eq | CompareOp::In,
            left,
            right,
        } = self.kind(cond)
        else {
            return false;
        };
        let is_name = |expr: ExprId| {
            field_read(self.facts, self.at(expr)).is_some_and(|(_, name)| &*name == "name")
                || matches!(self.kind(expr), ExprKind::Name(name) if name.ends_with("name"))
        };
        [*left, *right].into_iter().any(|side| self.inside(side).any(is_name))
    }
}
