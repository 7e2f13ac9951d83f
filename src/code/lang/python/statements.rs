//! Statements.

use tree_sitter::Node;

use super::functions::{Decorated, header};
use super::operators::binary_op;
use super::{Lowering, field_parts, has_token, is_statement, parts, stmt};
use crate::code::ir::{ExprId, ExprKind, Handler, Name, Place, Stmt, StmtKind};

impl Lowering<'_> {
    pub(super) fn block(&mut self, node: Node<'_>) -> Vec<Stmt> {
        let mut out = Vec::new();
        for part in parts(node) {
            self.statement(part, &mut out);
        }
        out
    }

    /// A block that may start with its documentation.
    pub(super) fn documented_block(&mut self, node: Node<'_>) -> (Option<Name>, Vec<Stmt>) {
        let mut statements = parts(node).into_iter().peekable();
        let doc = statements
            .peek()
            .filter(|first| first.kind() == "expression_statement")
            .and_then(|&first| parts(first).first().copied())
            .and_then(|first| self.doc(first));
        if doc.is_some() {
            statements.next();
        }
        let mut out = Vec::new();
        for part in statements {
            self.statement(part, &mut out);
        }
        (doc, out)
    }

    fn statement(&mut self, node: Node<'_>, out: &mut Vec<Stmt>) {
        let mut place = self.place(node);
        let kind = match node.kind() {
            "expression_statement" => return self.expression_statement(node, out),
            "if_statement" => return out.extend(self.if_statement(node)),
            "match_statement" => return self.match_statement(node, out),
            "for_statement" => {
                let right = field_parts(node, "right");
                let (Some(target), Some(last)) = (node.child_by_field_name("left"), right.last()) else {
                    return;
                };
                place = self.across(node, *last);
                let iter = self.one_or_tuple(&right, place);
                StmtKind::For {
                    target: self.expr(target),
                    iter,
                    body: self.body_of(node),
                    otherwise: self.else_of(node),
                    is_async: has_token(node, "async"),
                }
            }
            "while_statement" => {
                let Some(cond) = node.child_by_field_name("condition") else {
                    return;
                };
                place = self.across(node, cond);
                StmtKind::While {
                    cond: self.expr(cond),
                    body: self.body_of(node),
                    otherwise: self.else_of(node),
                }
            }
            "try_statement" => {
                place.end = place.start;
                self.try_statement(node)
            }
            "with_statement" => self.with_statement(node, &mut place),
            "return_statement" => StmtKind::Return(self.values(node)),
            "raise_statement" => {
                let cause = node.child_by_field_name("cause");
                let raised = parts(node).into_iter().find(|&part| Some(part) != cause);
                StmtKind::Raise(raised.map(|raised| self.expr(raised)))
            }
            "break_statement" => StmtKind::Break,
            "continue_statement" => StmtKind::Continue,
            "delete_statement" => {
                let targets = parts(node).into_iter().flat_map(|part| match part.kind() {
                    "expression_list" | "tuple" => parts(part),
                    _ => vec![part],
                });
                StmtKind::Delete(targets.map(|target| self.expr(target)).collect())
            }
            "assert_statement" => match parts(node).first() {
                Some(&cond) => StmtKind::Assert { cond: self.expr(cond) },
                None => StmtKind::Nothing,
            },
            // Whole statements inside an unparsable stretch are still statements.
            "ERROR" => {
                for part in parts(node) {
                    if is_statement(part.kind()) {
                        self.statement(part, out);
                    }
                }
                return;
            }
            "function_definition" => {
                let id = self.function(node, None, Vec::new());
                return out.push(Decorated::Function(id).into_stmt(self.header_place(node)));
            }
            "class_definition" => {
                let id = self.class(node, None, Vec::new());
                return out.push(Decorated::Class(id).into_stmt(self.header_place(node)));
            }
            "decorated_definition" => {
                let definition = self.decorated(node, None);
                return out.push(definition.into_stmt(self.header_place(node)));
            }
            "import_statement" => {
                self.import(node);
                StmtKind::Nothing
            }
            "import_from_statement" => {
                self.import_from(node);
                StmtKind::Nothing
            }
            "global_statement" | "nonlocal_statement" => {
                self.outer_names(node);
                StmtKind::Nothing
            }
            _ => StmtKind::Nothing,
        };
        out.push(stmt(kind, place));
    }

    fn header_place(&self, node: Node<'_>) -> Place {
        let (first, last) = header(node);
        self.across(first, last)
    }

    fn body_of(&mut self, node: Node<'_>) -> Vec<Stmt> {
        node.child_by_field_name("body")
            .map(|body| self.block(body))
            .unwrap_or_default()
    }

    fn else_of(&mut self, node: Node<'_>) -> Vec<Stmt> {
        node.child_by_field_name("alternative")
            .map(|alternative| self.body_of(alternative))
            .unwrap_or_default()
    }

    /// What a `return` gives; `a, b` is a tuple.
    fn values(&mut self, node: Node<'_>) -> Option<ExprId> {
        let values = parts(node);
        (!values.is_empty()).then(|| self.one_or_tuple(&values, self.positions.place(node)))
    }

    fn expression_statement(&mut self, node: Node<'_>, out: &mut Vec<Stmt>) {
        let place = self.place(node);
        let kind = match *parts(node) {
            [part] if part.kind() == "assignment" => self.assignment(part),
            [part] if part.kind() == "augmented_assignment" => {
                let (Some(target), Some(operator), Some(value)) = (
                    part.child_by_field_name("left"),
                    part.child_by_field_name("operator"),
                    part.child_by_field_name("right"),
                ) else {
                    return;
                };
                StmtKind::Update {
                    target: self.expr(target),
                    op: binary_op(operator.kind()),
                    value: self.expr(value),
                }
            }
            [] => return,
            ref several => StmtKind::Expr(self.one_or_tuple(several, place)),
        };
        out.push(stmt(kind, place));
    }

    fn assignment(&mut self, node: Node<'_>) -> StmtKind {
        let mut targets = Vec::new();
        let mut annotation = None;
        let mut rest = node;
        loop {
            if let Some(target) = rest.child_by_field_name("left") {
                targets.push(self.expr(target));
            }
            if let Some(text) = rest.child_by_field_name("type") {
                annotation = Some(self.annotation(text));
            }
            match rest.child_by_field_name("right") {
                Some(right) if right.kind() == "assignment" => rest = right,
                Some(right) => {
                    let value = self.expr(right);
                    return StmtKind::Assign {
                        targets,
                        value,
                        annotation,
                    };
                }
                None => {
                    let value = self.push(ExprKind::Other(Vec::new()), self.positions.place(rest));
                    return StmtKind::Assign {
                        targets,
                        value,
                        annotation,
                    };
                }
            }
        }
    }

    /// `elif` arms are lowered in order and put into each other from the last one back.
    fn if_statement(&mut self, node: Node<'_>) -> Option<Stmt> {
        let mut arms = Vec::new();
        let mut rest = Vec::new();
        arms.extend(self.arm_of_if(node));
        for part in field_parts(node, "alternative") {
            match part.kind() {
                "elif_clause" => arms.extend(self.arm_of_if(part)),
                _ => rest = self.body_of(part),
            }
        }
        while let Some((cond, then, place)) = arms.pop() {
            let kind = StmtKind::If {
                cond,
                then,
                otherwise: rest,
            };
            rest = vec![stmt(kind, place)];
        }
        rest.pop()
    }

    fn arm_of_if(&mut self, node: Node<'_>) -> Option<(ExprId, Vec<Stmt>, Place)> {
        let condition = node.child_by_field_name("condition")?;
        let place = self.across(node, condition);
        let cond = self.expr(condition);
        let then = node
            .child_by_field_name("consequence")
            .map(|body| self.block(body))
            .unwrap_or_default();
        Some((cond, then, place))
    }

    fn try_statement(&mut self, node: Node<'_>) -> StmtKind {
        let body = self.body_of(node);
        let mut handlers = Vec::new();
        let mut otherwise = Vec::new();
        let mut finally = Vec::new();
        for part in parts(node) {
            match part.kind() {
                "except_clause" | "except_group_clause" => handlers.push(self.handler(part)),
                "else_clause" => otherwise = self.body_of(part),
                "finally_clause" => {
                    for block in parts(part) {
                        finally.extend(self.block(block));
                    }
                }
                _ => {}
            }
        }
        StmtKind::Try {
            body,
            handlers,
            otherwise,
            finally,
        }
    }

    fn handler(&mut self, node: Node<'_>) -> Handler {
        let mut catches = Vec::new();
        let mut name = node.child_by_field_name("alias");
        let mut body = Vec::new();
        for part in parts(node) {
            match part.kind() {
                "block" => body = self.block(part),
                "as_pattern" => {
                    if let [caught, ..] = *parts(part) {
                        self.caught(caught, &mut catches);
                    }
                    name = part.child_by_field_name("alias");
                }
                _ if Some(part) == name => {}
                _ => self.caught(part, &mut catches),
            }
        }
        Handler {
            catches,
            name: name.map(|name| self.name(name)),
            body,
        }
    }

    fn caught(&mut self, node: Node<'_>, catches: &mut Vec<Name>) {
        if matches!(node.kind(), "tuple" | "parenthesized_expression") {
            for part in parts(node) {
                catches.push(self.name(part));
            }
        } else {
            catches.push(self.name(node));
        }
    }

    fn with_statement(&mut self, node: Node<'_>, place: &mut Place) -> StmtKind {
        let mut items = Vec::new();
        for clause in parts(node) {
            if clause.kind() != "with_clause" {
                continue;
            }
            place.end = self.positions.end(clause);
            for item in parts(clause) {
                let Some(value) = item.child_by_field_name("value") else {
                    continue;
                };
                let alias = value
                    .child_by_field_name("alias")
                    .and_then(|alias| parts(alias).first().copied());
                let value = match *parts(value) {
                    [context, ..] if value.kind() == "as_pattern" => self.expr(context),
                    _ => self.expr(value),
                };
                items.push((value, alias.map(|alias| self.expr(alias))));
            }
        }
        StmtKind::With {
            items,
            body: self.body_of(node),
        }
    }
}
