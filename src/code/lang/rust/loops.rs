//! Loops.

use tree_sitter::Node;

use super::blocks::Dest;
use super::branches::Attempt;
use super::patterns::{bare, pattern_parts};
use super::{Lowering, stmt};
use crate::code::ir::{ExprId, ExprKind, Item, ListKind, Literal, Place, Stmt, StmtKind};

impl Lowering<'_> {
    pub(super) fn loop_statement(&mut self, node: Node<'_>, dest: &Dest, out: &mut Vec<Stmt>) {
        let Some(body_node) = node.child_by_field_name("body") else {
            return;
        };
        let mut place = self.place(node);
        place.end = self.place(body_node).start;
        self.loops.push(dest.clone());
        let hidden = self.stands_for.len();
        let mut body = Vec::new();
        let kind = match node.kind() {
            "for_expression" => self.for_loop(node, body_node, out),
            "while_expression" => self.while_loop(node, body_node),
            _ => {
                let cond = self.push(ExprKind::Literal(Literal::Bool(true)), place);
                self.block(body_node, &Dest::Discard, &mut body);
                Some(StmtKind::While {
                    cond,
                    body,
                    otherwise: Vec::new(),
                })
            }
        };
        self.stands_for.truncate(hidden);
        self.loops.pop();
        out.extend(kind.map(|kind| stmt(kind, place)));
    }

    fn for_loop(&mut self, node: Node<'_>, body_node: Node<'_>, out: &mut Vec<Stmt>) -> Option<StmtKind> {
        let pattern = bare(node.child_by_field_name("pattern")?);
        let value = node.child_by_field_name("value")?;
        let iter = self.hoisting(out, |lowering| lowering.iterated(value));
        let mut body = Vec::new();
        let target = self.loop_target(pattern, &mut body);
        self.block(body_node, &Dest::Discard, &mut body);
        Some(StmtKind::For {
            target,
            iter,
            body,
            otherwise: Vec::new(),
            is_async: false,
        })
    }

    /// What a loop binds: a name, a tuple of names, or a made-up name that the body takes apart.
    pub(super) fn loop_target(&mut self, pattern: Node<'_>, body: &mut Vec<Stmt>) -> ExprId {
        let pattern = bare(pattern);
        let place = self.place(pattern);
        match pattern.kind() {
            "identifier" => {
                let name = self.name(pattern);
                self.unhide(&name);
                self.named(&name, place)
            }
            "tuple_pattern" => {
                let items = pattern_parts(pattern);
                let items = items.into_iter().map(|item| Item {
                    value: self.loop_target(item, body),
                    spread: false,
                });
                let items = items.collect();
                let kind = ListKind::Tuple;
                self.push(ExprKind::List { kind, items }, place)
            }
            _ => {
                let name = self.made_up();
                let value = self.named(&name, place);
                self.bind_pattern(pattern, value, body);
                self.named(&name, place)
            }
        }
    }

    /// A condition that needs statements before it is asked inside the loop.
    fn while_loop(&mut self, node: Node<'_>, body_node: Node<'_>) -> Option<StmtKind> {
        let condition = node.child_by_field_name("condition")?;
        let place = self.place(condition);
        let mut body = Vec::new();
        if let Some((pattern, value, "Ok")) = self.asks_outcome(condition) {
            // `while let Ok(x) = f()` runs until the call fails.
            let mut attempt = Attempt::default();
            let result = self.attempted(value, &mut attempt.body, &mut body);
            attempt.failed.push(stmt(StmtKind::Break, place));
            body.push(attempt.into_stmt(place));
            self.bind_pattern(pattern, result, &mut body);
            self.block(body_node, &Dest::Discard, &mut body);
            return Some(self.endless(body, place));
        }
        let mut before = Vec::new();
        let condition = self.hoisting(&mut before, |lowering| lowering.condition(condition));
        if before.is_empty() {
            self.bind(condition.bindings, &mut body);
            self.block(body_node, &Dest::Discard, &mut body);
            return Some(StmtKind::While {
                cond: condition.test,
                body,
                otherwise: Vec::new(),
            });
        }
        body.append(&mut before);
        let cond = self.negated(condition.test, place);
        let leave = StmtKind::If {
            cond,
            then: vec![stmt(StmtKind::Break, place)],
            otherwise: Vec::new(),
        };
        body.push(stmt(leave, place));
        self.bind(condition.bindings, &mut body);
        self.block(body_node, &Dest::Discard, &mut body);
        Some(self.endless(body, place))
    }

    fn endless(&mut self, body: Vec<Stmt>, place: Place) -> StmtKind {
        StmtKind::While {
            cond: self.push(ExprKind::Literal(Literal::Bool(true)), place),
            body,
            otherwise: Vec::new(),
        }
    }
}
