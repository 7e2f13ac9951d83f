//! Conditions that hold again after a while: what they let through comes again and again.

use super::Facts;
use crate::code::flow::graph::{Flow, Node, Origin};
use crate::code::flow::iteration::integer;
use crate::code::flow::reach::{Direction, Held, Reached, reach};
use crate::code::ir::{BinaryOp, CompareOp, ExprKind, Special};
use crate::code::project::{ClassRef, ExprRef};

use super::volatile::Cause;

impl Facts<'_> {
    /// Whether what is behind a condition asks how much time, or how many rounds, went by since it last
    /// held: `now - self.last > 60`, `self.round % 5 == 0`. A flag that must allow it as well keeps it shut.
    pub(super) fn opens_again(&self, behind: &[Reached]) -> bool {
        let asked = behind.iter().filter_map(|one| self.graph.as_expr(one.node));
        asked
            .filter(|expr| self.is_each_nth(*expr) || self.is_interval(*expr))
            .any(|expr| !self.is_latched(expr))
    }

    /// Whether an attribute says how an object was set up: it gets its value where objects are made.
    pub(super) fn is_setting(&self, class: ClassRef, field: Node) -> bool {
        let written = self.graph.incoming(field);
        let at_start = |value: ExprRef, flow: Flow| {
            let made = |outer: ExprRef| matches!(self.kind(outer), ExprKind::Call { .. });
            flow == Flow::Same && self.graph.around(value).is_some_and(made)
                || self.project.special(class, Special::Constructor) == Some(self.owner(value))
        };
        // Of one that nothing here writes, nobody knows who does.
        !written.is_empty()
            && written.iter().all(|edge| {
                let value = self.graph.as_expr(edge.node);
                value.is_none_or(|value| self.is_test(value) || at_start(value, edge.flow))
            })
    }

    /// What is behind a condition, without what the settings among that were once made of.
    pub(super) fn up_to_settings<'r>(&self, behind: &'r [Reached]) -> impl Iterator<Item = &'r Reached> {
        let mut beyond: Vec<bool> = Vec::with_capacity(behind.len());
        for one in behind {
            let before = one.previous.map(|previous| previous as usize);
            let is_beyond = before.is_some_and(|before| {
                beyond[before]
                    || matches!(self.graph.origin(behind[before].node),
                        Origin::Field(class, _) if self.is_setting(*class, behind[before].node))
            });
            beyond.push(is_beyond);
        }
        behind
            .iter()
            .zip(beyond)
            .filter(|(_, beyond)| !beyond)
            .map(|(one, _)| one)
    }

    /// Whether an attribute is looked at only for a field of the object in it, which is looked at as well.
    pub(super) fn only_holds(&self, one: &Reached, behind: &[Reached]) -> bool {
        let Some(Held::Field(wanted)) = one.held.last() else {
            return false;
        };
        let mut fields = behind.iter().map(|other| self.graph.origin(other.node));
        fields.any(|origin| matches!(origin, Origin::Field(_, symbol) if symbol == wanted))
    }

    /// `round % 5 == 0`.
    fn is_each_nth(&self, expr: ExprRef) -> bool {
        let is_rest = |side: ExprRef| matches!(self.kind(side), ExprKind::Binary { op: BinaryOp::Rem, .. });
        match self.kind(expr) {
            ExprKind::Compare {
                op: CompareOp::Eq,
                left,
                right,
            } => integer(self.module(expr.module), *right).is_some() && is_rest(self.beside(expr, *left)),
            ExprKind::Not(value) => is_rest(self.beside(expr, *value)),
            _ => false,
        }
    }

    /// Whether a comparison looks at an attribute that is set to the value of the moment it is compared
    /// with, or that is a time: each time it lets something through, it starts anew.
    fn is_interval(&self, expr: ExprRef) -> bool {
        let ExprKind::Compare {
            op: CompareOp::Less | CompareOp::LessEq | CompareOp::Greater | CompareOp::GreaterEq,
            ..
        } = self.kind(expr)
        else {
            return false;
        };
        let compared = self.behind(expr);
        compared.iter().any(|one| match self.graph.origin(one.node) {
            Origin::Field(class, _) => !self.is_setting(*class, one.node) && self.is_renewed(one.node, &compared),
            _ => false,
        })
    }

    /// Whether an attribute is set to a time, or to a value that is among those it is taken from.
    fn is_renewed(&self, field: Node, compared: &[Reached]) -> bool {
        let taken = |value: Node| {
            compared.iter().any(|one| match self.graph.as_expr(one.node) {
                Some(difference) => match self.kind(difference) {
                    ExprKind::Binary {
                        op: BinaryOp::Sub,
                        left,
                        right,
                    } => {
                        let left = self.same_as(self.node(self.beside(difference, *left)));
                        let right = self.same_as(self.node(self.beside(difference, *right)));
                        left.iter().any(|one| one.node == value) && right.iter().any(|one| one.node == field)
                    }
                    _ => false,
                },
                None => false,
            })
        };
        self.graph.incoming(field).iter().any(|edge| {
            let is_time = || {
                let sources = self.volatile_sources(edge.node);
                sources.iter().any(|source| source.cause == Cause::Clock)
            };
            edge.flow == Flow::Same
                && (is_time()
                    || self
                        .same_as(edge.node)
                        .iter()
                        .any(|one| one.node != field && taken(one.node)))
        })
    }

    /// Whether an attribute that is no part of a comparison must allow it as well.
    fn is_latched(&self, expr: ExprRef) -> bool {
        let own = self.behind(expr);
        let mut inner = expr;
        while let Some(outer) = self.graph.around(inner) {
            if let ExprKind::Logic { all: true, operands } = self.kind(outer) {
                let mut others = operands
                    .iter()
                    .map(|operand| self.beside(outer, *operand))
                    .filter(|operand| *operand != inner);
                let shuts = |one: &Reached| match self.graph.origin(one.node) {
                    Origin::Field(class, _) => {
                        !self.is_setting(*class, one.node) && own.iter().all(|known| known.node != one.node)
                    }
                    _ => false,
                };
                if others.any(|other| self.behind(other).iter().any(shuts)) {
                    return true;
                }
            }
            inner = outer;
        }
        false
    }

    /// All that a value depends on.
    fn behind(&self, expr: ExprRef) -> Vec<Reached> {
        reach(&self.graph, self.node(expr), Direction::Backward, |flow, _, _, _| {
            flow != Flow::Select
        })
    }

    /// The places that hold the very value of a node.
    fn same_as(&self, node: Node) -> Vec<Reached> {
        reach(&self.graph, node, Direction::Backward, |flow, _, held, _| {
            held.is_empty() && matches!(flow, Flow::Same | Flow::Enter(_) | Flow::Leave(_))
        })
    }
}
