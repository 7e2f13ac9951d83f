//! Statements.

use tree_sitter::Node;

use super::callbacks::is_nothing;
use super::operators::binary_op;
use super::{Lowering, assign, bare, has_token, parts, stmt};
use crate::code::ir::{BinaryOp, ExprId, ExprKind, Handler, Intrinsic, Name, Stmt, StmtKind};

impl Lowering<'_> {
    pub(super) fn block(&mut self, node: Node<'_>) -> Vec<Stmt> {
        let mut out = Vec::new();
        for part in parts(node) {
            self.statement(part, &mut out);
        }
        out
    }

    /// The body of a compound statement, which may be a single statement.
    pub(super) fn body(&mut self, node: Option<Node<'_>>) -> Vec<Stmt> {
        let mut out = Vec::new();
        if let Some(node) = node {
            self.statement(node, &mut out);
        }
        out
    }

    pub(super) fn statement(&mut self, node: Node<'_>, out: &mut Vec<Stmt>) {
        let outer = std::mem::take(&mut self.effects);
        self.bare_statement(node, out);
        out.append(&mut self.effects);
        self.effects = outer;
    }

    fn bare_statement(&mut self, node: Node<'_>, out: &mut Vec<Stmt>) {
        let mut place = self.place(node);
        let kind = match node.kind() {
            "expression_statement" => {
                if let Some(&inner) = parts(node).first() {
                    self.expression_statement(inner, out);
                }
                return;
            }
            "lexical_declaration" | "variable_declaration" => {
                for part in parts(node) {
                    if part.kind() == "variable_declarator" {
                        self.declaration(part, out);
                        out.append(&mut self.effects);
                    }
                }
                return;
            }
            "statement_block" => return out.append(&mut self.block(node)),
            "if_statement" => {
                let Some(condition) = node.child_by_field_name("condition") else {
                    return;
                };
                place = self.across(node, condition);
                let cond = self.condition(condition, out);
                let then = self.body(node.child_by_field_name("consequence"));
                let otherwise = node.child_by_field_name("alternative").map(parts).unwrap_or_default();
                let otherwise = self.body(otherwise.first().copied());
                StmtKind::If { cond, then, otherwise }
            }
            "switch_statement" => return self.switch_statement(node, out),
            "for_statement" => return self.for_statement(node, out),
            "for_in_statement" => return self.for_of_statement(node, out),
            "while_statement" => return self.while_statement(node, out),
            "do_statement" => return self.do_statement(node, out),
            "try_statement" => {
                place.end = place.start;
                self.try_statement(node)
            }
            "labeled_statement" => return out.append(&mut self.body(node.child_by_field_name("body"))),
            "return_statement" => {
                let value = parts(node).first().map(|&value| self.expr(value));
                out.append(&mut self.effects);
                if self.callbacks == 0 {
                    StmtKind::Return(value)
                } else {
                    out.extend(value.map(|value| stmt(StmtKind::Expr(value), place)));
                    StmtKind::Continue
                }
            }
            "throw_statement" => {
                let value = parts(node).first().map(|&value| self.expr(value));
                out.append(&mut self.effects);
                StmtKind::Raise(value)
            }
            // A labelled one leaves at least the loop that it stands in.
            "break_statement" if self.in_switch && node.child_by_field_name("label").is_none() => return,
            "break_statement" => StmtKind::Break,
            "continue_statement" if node.child_by_field_name("label").is_some() => StmtKind::Break,
            "continue_statement" => StmtKind::Continue,
            "function_declaration" | "generator_function_declaration" => {
                let name = node.child_by_field_name("name");
                let name = name.map_or_else(|| Name::from(""), |name| self.name(name));
                return self.named_function(node, name, out);
            }
            "class_declaration" | "abstract_class_declaration" => {
                let name = node.child_by_field_name("name");
                let name = name.map_or_else(|| Name::from(""), |name| self.name(name));
                self.declare(name.clone());
                let class = self.class(node, name);
                place = self.classes[class.0 as usize].place;
                StmtKind::Class(class)
            }
            "interface_declaration" | "type_alias_declaration" => return self.object_type(node, out),
            "enum_declaration" => return self.enumeration(node, out),
            "internal_module" | "module" => return self.namespace(node, out),
            "ambient_declaration" => {
                for part in parts(node) {
                    if matches!(
                        part.kind(),
                        "internal_module" | "module" | "interface_declaration" | "type_alias_declaration"
                    ) {
                        self.statement(part, out);
                    }
                }
                return;
            }
            "import_statement" => {
                self.import(node);
                StmtKind::Nothing
            }
            "export_statement" => return self.export(node, out),
            "with_statement" => return out.append(&mut self.body(node.child_by_field_name("body"))),
            // Whole statements inside an unparsable stretch are still statements.
            "ERROR" => {
                for part in parts(node) {
                    if super::is_statement(part.kind()) {
                        self.statement(part, out);
                    }
                }
                return;
            }
            _ => return,
        };
        out.push(stmt(kind, place));
    }

    /// A condition; what it does besides comes before the statement.
    pub(super) fn condition(&mut self, node: Node<'_>, out: &mut Vec<Stmt>) -> ExprId {
        let cond = self.expr(node);
        out.append(&mut self.effects);
        cond
    }

    /// An expression for its effect.
    pub(super) fn expression_statement(&mut self, node: Node<'_>, out: &mut Vec<Stmt>) {
        let node = if node.kind() == "parenthesized_expression" {
            bare(node)
        } else {
            node
        };
        let place = self.place(node);
        match node.kind() {
            // `"use strict"`
            "string" => return,
            "internal_module" => return self.namespace(node, out),
            "assignment_expression" => return self.assignment(node, out),
            "augmented_assignment_expression" => {
                let (Some(target), Some(value)) = (node.child_by_field_name("left"), node.child_by_field_name("right"))
                else {
                    return;
                };
                self.assign_all(bare(target));
                let operator = self.operator(node).trim_end_matches('=').to_owned();
                if matches!(operator.as_str(), "&&" | "||" | "??") {
                    let value = self.updated(node, target, value);
                    let target = self.expr(bare(target));
                    out.push(assign(target, value, place));
                } else {
                    let value = self.expr(value);
                    let target = self.expr(bare(target));
                    let op = binary_op(&operator);
                    out.push(stmt(StmtKind::Update { target, op, value }, place));
                }
                return;
            }
            "update_expression" => {
                if let Some(&target) = parts(node).first() {
                    let op = super::expressions::step_op(self.operator(node));
                    self.assign_all(bare(target));
                    let target = self.expr(bare(target));
                    let value = self.push_int(1, place);
                    out.push(stmt(StmtKind::Update { target, op, value }, place));
                }
                return;
            }
            "call_expression" => {
                if self.test_block(node, out) || self.assertion(node, out) {
                    return;
                }
                if let Some((list, callback)) = self.each(node) {
                    let each = self.for_each(list, callback, place);
                    out.append(&mut self.effects);
                    out.push(each);
                    return;
                }
                if self.mutates(node, place) {
                    return;
                }
            }
            // `ready && start()` and `ready ? start() : wait()` are branches.
            "binary_expression" if matches!(self.operator(node), "&&" | "||" | "??") => {
                let (Some(left), Some(right)) = (node.child_by_field_name("left"), node.child_by_field_name("right"))
                else {
                    return;
                };
                let all = self.operator(node) == "&&";
                let mut cond = self.condition(left, out);
                if !all {
                    cond = self.push(ExprKind::Not(cond), place);
                }
                let mut then = Vec::new();
                self.whole(right, &mut then);
                let otherwise = Vec::new();
                out.push(stmt(StmtKind::If { cond, then, otherwise }, place));
                return;
            }
            "ternary_expression" => {
                if let [cond, yes, no] = *parts(node) {
                    let cond = self.condition(cond, out);
                    let (mut then, mut otherwise) = (Vec::new(), Vec::new());
                    self.whole(yes, &mut then);
                    self.whole(no, &mut otherwise);
                    out.push(stmt(StmtKind::If { cond, then, otherwise }, place));
                    return;
                }
            }
            _ => {}
        }
        let value = self.expr(node);
        if self.effects.is_empty() || !is_nothing(self.kind_of(value)) {
            out.push(stmt(StmtKind::Expr(value), place));
        }
    }

    /// An expression that stands where a statement could.
    fn whole(&mut self, node: Node<'_>, out: &mut Vec<Stmt>) {
        let outer = std::mem::take(&mut self.effects);
        self.expression_statement(node, out);
        out.append(&mut self.effects);
        self.effects = outer;
    }

    /// The list and the function of `xs.forEach(f)`.
    fn each<'t>(&self, call: Node<'t>) -> Option<(Node<'t>, Node<'t>)> {
        let called = bare(call.child_by_field_name("function")?);
        let method = called.child_by_field_name("property")?;
        let given = parts(call.child_by_field_name("arguments")?);
        match *given {
            [callback] if self.text_of(method) == "forEach" => Some((called.child_by_field_name("object")?, callback)),
            _ => None,
        }
    }

    /// `target = value`, `a = b = value`.
    fn assignment(&mut self, node: Node<'_>, out: &mut Vec<Stmt>) {
        let place = self.place(node);
        let mut lefts = Vec::new();
        let mut rest = node;
        let value = loop {
            let (Some(left), Some(right)) = (rest.child_by_field_name("left"), rest.child_by_field_name("right"))
            else {
                return;
            };
            lefts.push(bare(left));
            if right.kind() != "assignment_expression" {
                break right;
            }
            rest = right;
        };
        for left in &lefts {
            self.assign_all(*left);
        }
        if let [only] = *lefts {
            match only.kind() {
                "object_pattern" | "array_pattern" => return self.destructure(only, value, None, place, out),
                "member_expression" if self.sets_length(only, value, out) => return,
                _ => {}
            }
        }
        let name = lefts.last().and_then(|left| {
            let property = left.child_by_field_name("property")?;
            Some(self.name(property))
        });
        let exported: Vec<Name> = lefts.iter().filter_map(|left| self.exported(*left)).collect();
        let value = self.named_value(value, name);
        let mut targets: Vec<ExprId> = lefts.into_iter().map(|left| self.expr(left)).collect();
        for name in exported {
            if !matches!(self.kind_of(value), ExprKind::Name(same) if *same == name) {
                targets.push(self.push_name(&name, place));
            }
        }
        let annotation = None;
        out.push(stmt(
            StmtKind::Assign {
                targets,
                value,
                annotation,
            },
            place,
        ));
    }

    /// `xs.length = n` keeps the first `n`.
    fn sets_length(&mut self, target: Node<'_>, value: Node<'_>, out: &mut Vec<Stmt>) -> bool {
        let (Some(list), Some(property)) = (
            target.child_by_field_name("object"),
            target.child_by_field_name("property"),
        ) else {
            return false;
        };
        if self.text_of(property) != "length" {
            return false;
        }
        let place = self.place(target);
        if self.text_of(value) == "0" {
            let list = self.expr(list);
            let clear = self.apply(Intrinsic::Clear, vec![list], place);
            out.push(stmt(StmtKind::Expr(clear), place));
        } else {
            let start = Some(self.expr(value));
            let dropped = self.stretch(list, start, None, place);
            out.push(stmt(StmtKind::Delete(vec![dropped]), place));
        }
        true
    }

    fn try_statement(&mut self, node: Node<'_>) -> StmtKind {
        let body = self.body(node.child_by_field_name("body"));
        let mut handlers = Vec::new();
        if let Some(handler) = node.child_by_field_name("handler") {
            let parameter = handler.child_by_field_name("parameter");
            if let Some(parameter) = parameter {
                self.declare_all(parameter);
            }
            let name = parameter.filter(|parameter| parameter.kind() == "identifier");
            handlers.push(Handler {
                catches: Vec::new(),
                name: name.map(|name| self.name(name)),
                body: self.body(handler.child_by_field_name("body")),
            });
        }
        let finally = node
            .child_by_field_name("finalizer")
            .and_then(|clause| clause.child_by_field_name("body"));
        StmtKind::Try {
            body,
            handlers,
            otherwise: Vec::new(),
            finally: self.body(finally),
        }
    }

    /// Whether an `x++` or the like steps a variable, and in which direction.
    pub(super) fn steps(&self, node: Node<'_>, variable: &str) -> Option<BinaryOp> {
        match node.kind() {
            "update_expression" if self.text_of(*parts(node).first()?) == variable => {
                Some(super::expressions::step_op(self.operator(node)))
            }
            "augmented_assignment_expression" if self.text_of(node.child_by_field_name("left")?) == variable => {
                let step = self.text_of(node.child_by_field_name("right")?);
                match self.operator(node) {
                    "+=" if step == "1" => Some(BinaryOp::Add),
                    "-=" if step == "1" => Some(BinaryOp::Sub),
                    _ => None,
                }
            }
            _ => None,
        }
    }

    /// Whether a loop awaits its elements.
    pub(super) fn awaits(node: Node<'_>) -> bool {
        has_token(node, "await")
    }
}
