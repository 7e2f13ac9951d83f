//! Blocks and statements; where the value of a block goes.

use tree_sitter::Node;

use super::{Lowering, assign, parts, stmt};
use crate::code::ir::{BinaryOp, CompareOp, ExprId, ExprKind, Name, Place, Stmt, StmtKind};

/// Where the value of an expression goes.
#[derive(Clone, Debug)]
pub(super) enum Dest {
    /// Nowhere.
    Discard,
    /// It is what the function returns.
    Return,
    /// To a variable.
    Into(Name),
    /// To a variable unless it is none, which ends the loop around: what `find_map` looks for.
    Found(Name),
    /// To the end of a list unless it is none: what `filter_map` collects.
    Kept(Name),
}

impl Lowering<'_> {
    /// Lowers a block whose value goes somewhere.
    pub(super) fn block(&mut self, node: Node<'_>, dest: &Dest, out: &mut Vec<Stmt>) {
        let types = self.types.clone();
        let hidden = self.stands_for.len();
        self.declare(node);
        let parts = parts(node);
        let last = parts.len().saturating_sub(1);
        for (index, part) in parts.into_iter().enumerate() {
            // Only what ends without a semicolon is the block's value.
            let is_value = index == last && !part.kind().ends_with("_declaration") && !ends_with_semicolon(part);
            if is_value && !Self::is_item(part) {
                let inner = unwrapped(part);
                self.value(inner, dest, out);
            } else {
                self.statement(part, out);
            }
        }
        self.stands_for.truncate(hidden);
        self.types = types;
    }

    fn is_item(node: Node<'_>) -> bool {
        node.kind().ends_with("_item")
            || matches!(node.kind(), "use_declaration" | "macro_definition" | "empty_statement")
    }

    pub(super) fn statement(&mut self, node: Node<'_>, out: &mut Vec<Stmt>) {
        match node.kind() {
            "let_declaration" => self.let_declaration(node, out),
            "expression_statement" => {
                if let Some(&inner) = parts(node).first() {
                    self.value(inner, &Dest::Discard, out);
                }
            }
            "empty_statement" => {}
            // Whole statements inside an unparsable stretch are still statements.
            "ERROR" => {
                for part in parts(node) {
                    if super::is_statement(part.kind()) {
                        self.statement(part, out);
                    }
                }
            }
            _ => {
                if !self.item(node, out) {
                    self.value(node, &Dest::Discard, out);
                }
            }
        }
    }

    /// Lowers an expression whose value goes somewhere. What has blocks inside becomes statements.
    pub(super) fn value(&mut self, node: Node<'_>, dest: &Dest, out: &mut Vec<Stmt>) {
        let place = self.place(node);
        match node.kind() {
            "block" | "unsafe_block" | "try_block" | "const_block" => match node.kind() {
                "block" => self.block(node, dest, out),
                _ => {
                    if let Some(inner) = parts(node).into_iter().find(|part| part.kind() == "block") {
                        self.block(inner, dest, out);
                    }
                }
            },
            "parenthesized_expression" | "try_expression" => {
                if let Some(&inner) = parts(node).first() {
                    self.hands_on(node, inner);
                    self.value(inner, dest, out);
                }
            }
            "if_expression" => self.if_expression(node, dest, out),
            "match_expression" => self.match_expression(node, dest, out),
            "loop_expression" | "while_expression" | "for_expression" => self.loop_statement(node, dest, out),
            "return_expression" => {
                let dest = self.result.clone();
                match parts(node).first() {
                    Some(&inner) => {
                        self.value(inner, &dest, out);
                        if !ends(out) {
                            Self::leave_with_nothing(&dest, place, out);
                        }
                    }
                    None => Self::leave_with_nothing(&dest, place, out),
                }
            }
            "break_expression" => {
                if let (Some(&inner), Some(dest)) = (parts(node).first(), self.loops.last().cloned()) {
                    self.value(inner, &dest, out);
                }
                if !ends(out) {
                    out.push(stmt(StmtKind::Break, place));
                }
            }
            "continue_expression" => out.push(stmt(StmtKind::Continue, place)),
            "assignment_expression" => self.assignment(node, out),
            "compound_assignment_expr" => {
                let (Some(target), Some(value)) = (node.child_by_field_name("left"), node.child_by_field_name("right"))
                else {
                    return;
                };
                let op = node
                    .child_by_field_name("operator")
                    .map_or(BinaryOp::Other, |op| super::expressions::binary_op(op.kind()));
                let (target, value) = self.hoisting(out, |lowering| (lowering.expr(target), lowering.expr(value)));
                out.push(stmt(StmtKind::Update { target, op, value }, place));
            }
            _ if self.macro_statement(self.written(node).unwrap_or(node), dest, out)
                || self.mutation(node, dest, out) => {}
            _ => {
                // An error that stands at the end of a function is what it fails with.
                if let (Dest::Return, Some(error)) = (dest, self.wrapped(node, "Err")) {
                    let raised = self.hoisting(out, |lowering| lowering.expr(error));
                    return out.push(stmt(StmtKind::Raise(Some(raised)), place));
                }
                if let Some(inner) = self.wrapped(node, "Some")
                    && matches!(dest, Dest::Found(_) | Dest::Kept(_))
                {
                    let value = self.hoisting(out, |lowering| lowering.expr(inner));
                    return self.deliver_some(value, dest, place, out);
                }
                let value = self.hoisting(out, |lowering| lowering.expr(node));
                self.deliver(value, dest, place, out);
            }
        }
    }

    /// A `return` inside a closure whose value goes to a variable ends that closure.
    fn leave_with_nothing(dest: &Dest, place: Place, out: &mut Vec<Stmt>) {
        let leave = match dest {
            Dest::Found(_) | Dest::Kept(_) => StmtKind::Continue,
            _ => StmtKind::Return(None),
        };
        out.push(stmt(leave, place));
    }

    /// The `write!(…)` of `write!(…).unwrap()`.
    fn written<'t>(&self, node: Node<'t>) -> Option<Node<'t>> {
        match self.method_parts(node)? {
            (receiver, "unwrap" | "expect" | "ok") if self.macro_name(receiver).is_some() => Some(receiver),
            _ => None,
        }
    }

    /// The `e` of `Err(e)`, the `x` of `Some(x)`.
    fn wrapped<'t>(&self, node: Node<'t>, wrapper: &str) -> Option<Node<'t>> {
        let callee = node.child_by_field_name("function")?;
        if node.kind() != "call_expression" || self.text_of(callee) != wrapper {
            return None;
        }
        parts(node.child_by_field_name("arguments")?).first().copied()
    }

    /// Puts a value where it goes.
    pub(super) fn deliver(&mut self, value: ExprId, dest: &Dest, place: Place, out: &mut Vec<Stmt>) {
        let is_none = matches!(self.kind_of(value), ExprKind::Literal(crate::code::ir::Literal::None));
        match dest {
            Dest::Discard => {
                let is_worth = !matches!(self.kind_of(value), ExprKind::Name(_) | ExprKind::Literal(_));
                if is_worth {
                    out.push(stmt(StmtKind::Expr(value), place));
                }
            }
            Dest::Return => {
                // What shows an object gives the text that it wrote.
                let value = match self.formatter.clone() {
                    Some(formatter) if is_none => self.named(&formatter, place),
                    _ => value,
                };
                out.push(stmt(StmtKind::Return(Some(value)), place));
            }
            Dest::Into(name) => {
                let target = self.named(name, place);
                out.push(assign(target, value, place));
            }
            Dest::Found(_) | Dest::Kept(_) if is_none => {}
            Dest::Found(_) | Dest::Kept(_) => {
                let mut then = Vec::new();
                self.deliver_some(value, dest, place, &mut then);
                let none = self.none(place);
                let cond = self.push(
                    ExprKind::Compare {
                        op: CompareOp::IsNot,
                        left: value,
                        right: none,
                    },
                    place,
                );
                out.push(stmt(
                    StmtKind::If {
                        cond,
                        then,
                        otherwise: Vec::new(),
                    },
                    place,
                ));
            }
        }
    }

    /// Puts a value where it goes that is not none.
    fn deliver_some(&mut self, value: ExprId, dest: &Dest, place: Place, out: &mut Vec<Stmt>) {
        match dest {
            Dest::Found(name) => {
                let target = self.named(name, place);
                out.push(assign(target, value, place));
                out.push(stmt(StmtKind::Break, place));
            }
            Dest::Kept(name) => {
                let append = self.append(name, value, place);
                out.push(stmt(StmtKind::Expr(append), place));
            }
            _ => self.deliver(value, dest, place, out),
        }
    }

    fn let_declaration(&mut self, node: Node<'_>, out: &mut Vec<Stmt>) {
        let Some(pattern) = node.child_by_field_name("pattern") else {
            return;
        };
        let annotation = node.child_by_field_name("type").map(|kind| self.annotation(kind));
        let place = self.place(node);
        let pattern = super::patterns::bare(pattern);
        let Some(value) = node.child_by_field_name("value") else {
            if let (Some(_), "identifier") = (&annotation, pattern.kind()) {
                let target = self.expr(pattern);
                let value = self.unknown(Vec::new(), place);
                out.push(stmt(
                    StmtKind::Assign {
                        targets: vec![target],
                        value,
                        annotation,
                    },
                    place,
                ));
            }
            return;
        };
        if let Some(alternative) = node.child_by_field_name("alternative") {
            return self.let_else(pattern, value, alternative, out);
        }
        if pattern.kind() == "identifier" {
            let name = self.name(pattern);
            if has_blocks(value) {
                let before = out.len();
                self.value(value, &Dest::Into(name.clone()), out);
                if let Some(text) = annotation {
                    self.annotate(&name, &text, &mut out[before..]);
                }
                return;
            }
            let value = self.hoisting(out, |lowering| lowering.expr(value));
            let target = self.target(&name, pattern);
            self.unhide(&name);
            out.push(stmt(
                StmtKind::Assign {
                    targets: vec![target],
                    value,
                    annotation,
                },
                place,
            ));
            return;
        }
        // `let _ = f();`
        if pattern.kind() == "_" || self.text_of(pattern) == "_" {
            return self.value(value, &Dest::Discard, out);
        }
        let value = self.hoisting(out, |lowering| lowering.expr(value));
        let value = self.once(value, out);
        self.bind_pattern(pattern, value, out);
    }

    fn target(&mut self, name: &Name, node: Node<'_>) -> ExprId {
        let place = self.place(node);
        self.named(name, place)
    }

    /// A name that is bound anew stands for itself again.
    pub(super) fn unhide(&mut self, name: &Name) {
        if self.stands_for.iter().any(|(known, _)| known == name) {
            self.stands_for.push((name.clone(), None));
        }
    }

    /// Writes the type beside the first assignment of a variable.
    fn annotate(&self, name: &Name, text: &Name, stmts: &mut [Stmt]) {
        for one in stmts {
            if let StmtKind::Assign {
                targets, annotation, ..
            } = &mut one.kind
                && let [target] = targets[..]
                && matches!(self.kind_of(target), ExprKind::Name(found) if found == name)
            {
                *annotation = Some(text.clone());
                return;
            }
        }
    }

    /// The expression itself where it has no effects, and else a variable that holds its value.
    pub(super) fn once(&mut self, value: ExprId, out: &mut Vec<Stmt>) -> ExprId {
        if self.is_still(value) {
            return value;
        }
        let place = self.place_of(value);
        let name = self.made_up();
        let target = self.named(&name, place);
        out.push(assign(target, value, place));
        self.named(&name, place)
    }

    /// Whether an expression may be read twice.
    pub(super) fn is_still(&self, value: ExprId) -> bool {
        match self.kind_of(value) {
            ExprKind::Name(_) | ExprKind::Literal(_) => true,
            ExprKind::Attribute { base, .. } => self.is_still(*base),
            ExprKind::Index { base, index } => self.is_still(*base) && self.is_still(*index),
            ExprKind::List { items, .. } => items.iter().all(|item| self.is_still(item.value)),
            _ => false,
        }
    }

    fn assignment(&mut self, node: Node<'_>, out: &mut Vec<Stmt>) {
        let (Some(left), Some(right)) = (node.child_by_field_name("left"), node.child_by_field_name("right")) else {
            return;
        };
        let place = self.place(node);
        if left.kind() == "identifier" && has_blocks(right) {
            let name = self.name(left);
            return self.value(right, &Dest::Into(name), out);
        }
        let (value, target) = self.hoisting(out, |lowering| {
            let value = lowering.expr(right);
            (value, lowering.expr(left))
        });
        if matches!(self.kind_of(target), ExprKind::Other(_)) || self.text_of(left) == "_" {
            return out.push(stmt(StmtKind::Expr(value), place));
        }
        out.push(assign(target, value, place));
    }
}

/// Whether the last statement leads away.
pub(super) fn ends(stmts: &[Stmt]) -> bool {
    match stmts.last().map(|last| &last.kind) {
        Some(StmtKind::Return(_) | StmtKind::Raise(_) | StmtKind::Break | StmtKind::Continue) => true,
        Some(StmtKind::If { then, otherwise, .. }) => ends(then) && ends(otherwise),
        _ => false,
    }
}

/// Whether an expression is a block, a branch or a loop.
pub(super) fn has_blocks(node: Node<'_>) -> bool {
    match node.kind() {
        "parenthesized_expression" => parts(node).first().is_some_and(|inner| has_blocks(*inner)),
        kind => matches!(
            kind,
            "block"
                | "unsafe_block"
                | "if_expression"
                | "match_expression"
                | "loop_expression"
                | "while_expression"
                | "for_expression"
        ),
    }
}

fn ends_with_semicolon(node: Node<'_>) -> bool {
    let last = node.child(node.child_count().saturating_sub(1) as u32);
    node.kind() == "expression_statement" && last.is_some_and(|last| last.kind() == ";")
}

/// The expression of a statement without a semicolon, such as a trailing `if`.
fn unwrapped(node: Node<'_>) -> Node<'_> {
    match node.kind() {
        "expression_statement" => parts(node).first().copied().unwrap_or(node),
        _ => node,
    }
}
