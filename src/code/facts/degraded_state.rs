//! Reads of the current state whose failure is told to the model as if it were the state.

use super::{Construction, Facts};
use crate::code::flow::graph::{Flow, Node, Origin};
use crate::code::flow::paths::{Slot, StmtId};
use crate::code::flow::reach::{Direction, reach};
use crate::code::ir::{ExprKind, Literal, Name, StmtKind, TemplatePart};
use crate::code::project::{ExprRef, FuncRef};
use crate::code::vocabulary::Role;

/// One such read.
#[derive(Clone, Copy, Debug)]
pub(crate) struct DegradedState {
    /// What takes the place of the state.
    pub(crate) at: ExprRef,
    /// The message that tells it.
    pub(crate) told: ExprRef,
}

impl Facts<'_> {
    /// All of a project.
    pub(crate) fn degraded_states(&self) -> Vec<DegradedState> {
        let mut found = Vec::new();
        for (function, _) in self.project.functions() {
            if self.project.is_test(function) {
                continue;
            }
            let paths = self.paths.function(function);
            for stmt in paths.stmts() {
                let Some((name, value)) = self.replaced_by_default(function, stmt) else {
                    continue;
                };
                let told = self
                    .constructions()
                    .iter()
                    .find(|made| self.tells_unasked(made, value, &name));
                found.extend(told.map(|made| DegradedState {
                    at: value,
                    told: made.expr,
                }));
            }
        }
        found
    }

    /// The variable that a handler of errors gives an empty value, where what is tried reads the state
    /// into it.
    fn replaced_by_default(&self, function: FuncRef, stmt: StmtId) -> Option<(Name, ExprRef)> {
        let paths = self.paths.function(function);
        let at = |expr| ExprRef {
            module: function.module,
            expr,
        };
        let StmtKind::Try { handlers, .. } = &paths.stmt(stmt).kind else {
            return None;
        };
        let assigned = |inner: StmtId| match &paths.stmt(inner).kind {
            StmtKind::Assign { targets, value, .. } => match self.kind(at(*targets.first()?)) {
                ExprKind::Name(name) => Some((name.clone(), at(*value))),
                _ => None,
            },
            _ => None,
        };
        (0..handlers.len()).find_map(|number| {
            let block = paths.block(stmt, Slot::Handler(number));
            let empty = |value: &ExprRef| match self.kind(*value) {
                ExprKind::List { items, .. } => items.is_empty(),
                ExprKind::Dict(entries) => entries.is_empty(),
                ExprKind::Literal(Literal::Str(text)) => text.trim().is_empty(),
                _ => false,
            };
            let mut given = block.iter().filter_map(|inner| assigned(*inner));
            let (name, value) = given.find(|(_, value)| empty(value))?;
            let mut tried = paths.block(stmt, Slot::Try).iter();
            let reads = tried.any(|inner| {
                assigned(*inner).is_some_and(|(other, read)| {
                    let read_name = self.read_name(read);
                    let state = self.vocabulary.names_state(&name)
                        || read_name.is_some_and(|read| self.vocabulary.names_state(&read));
                    other == name && state
                })
            });
            (reads && paths.completes(block)).then_some((name, value))
        })
    }

    /// The name of what is called to read a value.
    fn read_name(&self, value: ExprRef) -> Option<Name> {
        match self.kind(value) {
            ExprKind::Await(inner) => self.read_name(self.beside(value, *inner)),
            ExprKind::Call { callee, .. } => self.last_name(self.beside(value, *callee)),
            _ => None,
        }
    }

    /// Whether a message tells a value beside words of its own, and nothing asks whether there is one.
    fn tells_unasked(&self, made: &Construction, value: ExprRef, name: &Name) -> bool {
        let injected =
            matches!(made.role, Some(Role::System | Role::User)) && self.owner(made.expr) == self.owner(value);
        let Some(content) = made.content.filter(|_| injected && !self.is_test(made.expr)) else {
            return false;
        };
        let behind = reach(&self.graph, self.node(content), Direction::Backward, |flow, _, _, _| {
            matches!(flow, Flow::Same | Flow::Text | Flow::Into | Flow::Part(_))
        });
        let told = behind.iter().any(|one| one.node == self.node(value));
        let worded = behind.iter().any(|one| self.has_words_beside(one.node));
        let module = self.module(made.expr.module);
        let asked = |expr| {
            let mut open = vec![expr];
            let mut found = false;
            while let Some(at) = open.pop() {
                found |= matches!(module.kind(at), ExprKind::Name(other) if other == name);
                open.extend(module.children(at));
            }
            found
        };
        let guards = self.paths.function(self.owner(made.expr)).guards(made.expr.expr);
        // `files or "not known"` says so where it is told.
        let chosen = behind
            .iter()
            .filter_map(|one| self.graph.as_expr(one.node))
            .any(|at| match self.kind(at) {
                ExprKind::Logic { operands, .. } => operands.iter().any(|one| asked(*one)),
                ExprKind::Conditional { cond, .. } => asked(*cond),
                _ => false,
            });
        told && worded && !chosen && !guards.iter().any(|guard| asked(guard.cond))
    }

    fn has_words_beside(&self, node: Node) -> bool {
        let Origin::Expr(at) = self.graph.origin(node) else {
            return false;
        };
        match self.kind(*at) {
            ExprKind::Template(parts) => parts
                .iter()
                .any(|part| matches!(part, TemplatePart::Text(text) if text.contains(char::is_alphabetic))),
            ExprKind::Binary { .. } => true,
            _ => false,
        }
    }
}
