//! Arithmetic, logic, comparisons and type tests.

use tree_sitter::Node;

use super::{Lowering, bare};
use crate::code::ir::{BinaryOp, CompareOp, ExprId, ExprKind, Literal, Place};

impl Lowering<'_> {
    /// The operator of an expression, as written.
    pub(super) fn operator(&self, node: Node<'_>) -> &str {
        node.child_by_field_name("operator")
            .map_or("", |operator| self.text_of(operator))
    }

    pub(super) fn binary(&mut self, node: Node<'_>) -> ExprId {
        let place = self.place(node);
        let (Some(left), Some(right)) = (node.child_by_field_name("left"), node.child_by_field_name("right")) else {
            let kind = self.other(node);
            return self.push(kind, place);
        };
        let operator = self.operator(node).to_owned();
        let kind = match operator.as_str() {
            "&&" | "||" | "??" => self.logic(node),
            "instanceof" => {
                let value = self.expr(left);
                let types = vec![self.expr(right)];
                ExprKind::TypeTest { value, types }
            }
            "in" => ExprKind::Compare {
                op: CompareOp::In,
                left: self.expr(left),
                right: self.expr(right),
            },
            _ => match compare_op(&operator) {
                Some(op) => return self.comparison(op, left, right, place),
                None => ExprKind::Binary {
                    op: binary_op(&operator),
                    left: self.expr(left),
                    right: self.expr(right),
                },
            },
        };
        self.push(kind, place)
    }

    pub(super) fn comparison(&mut self, op: CompareOp, left: Node<'_>, right: Node<'_>, place: Place) -> ExprId {
        if let Some(test) = self.typeof_test(op, left, right, place) {
            return test;
        }
        let left = self.expr(left);
        let right = self.expr(right);
        self.compared(op, left, right, place)
    }

    /// A comparison; one with nothing asks for identity.
    pub(super) fn compared(&mut self, op: CompareOp, left: ExprId, right: ExprId, place: Place) -> ExprId {
        let with_nothing = [left, right]
            .iter()
            .any(|&side| matches!(self.kind_of(side), ExprKind::Literal(Literal::None)));
        let op = match op {
            CompareOp::Eq if with_nothing => CompareOp::Is,
            CompareOp::NotEq if with_nothing => CompareOp::IsNot,
            op => op,
        };
        self.push(ExprKind::Compare { op, left, right }, place)
    }

    /// `typeof value === "string"`.
    fn typeof_test(&mut self, op: CompareOp, left: Node<'_>, right: Node<'_>, place: Place) -> Option<ExprId> {
        let left = bare(left);
        if left.kind() != "unary_expression" || self.operator(left) != "typeof" || right.kind() != "string" {
            return None;
        }
        let value = left.child_by_field_name("argument")?;
        let value = self.expr(value);
        let name = self.string(right);
        // A value without a type is the lack of a value.
        if &*name == "undefined" {
            let nothing = self.push(ExprKind::Literal(Literal::None), place);
            return Some(self.compared(op, value, nothing, place));
        }
        let name = self.push(ExprKind::Name(name), place);
        let test = ExprKind::TypeTest {
            value,
            types: vec![name],
        };
        Some(match op {
            CompareOp::NotEq => {
                let test = self.push(test, place);
                self.push(ExprKind::Not(test), place)
            }
            _ => self.push(test, place),
        })
    }

    pub(super) fn unary(&mut self, node: Node<'_>) -> ExprKind {
        let Some(argument) = node.child_by_field_name("argument") else {
            return self.other(node);
        };
        let operator = self.operator(node).to_owned();
        let place = self.place(node);
        if operator == "delete" {
            let target = self.expr(argument);
            self.effects
                .push(super::stmt(crate::code::ir::StmtKind::Delete(vec![target]), place));
            return ExprKind::Other(Vec::new());
        }
        let value = self.expr(argument);
        match (operator.as_str(), self.kind_of(value)) {
            ("!", _) => ExprKind::Not(value),
            ("-", ExprKind::Literal(Literal::Int(number))) => ExprKind::Literal(Literal::Int(-number)),
            ("-", ExprKind::Literal(Literal::Float)) => ExprKind::Literal(Literal::Float),
            ("-", _) => ExprKind::Binary {
                op: BinaryOp::Sub,
                left: self.push_int(0, place),
                right: value,
            },
            _ => ExprKind::Other(vec![value]),
        }
    }

    /// `a && b && c` is one conjunction of three. `??` takes the first value that is there.
    fn logic(&mut self, node: Node<'_>) -> ExprKind {
        let all = self.operator(node) == "&&";
        let mut operands = Vec::new();
        let mut rest = node;
        loop {
            let (Some(left), Some(right)) = (rest.child_by_field_name("left"), rest.child_by_field_name("right"))
            else {
                return self.other(node);
            };
            operands.push(right);
            let inner = bare(left);
            let goes_on = inner.kind() == "binary_expression"
                && match self.operator(inner) {
                    "&&" => all,
                    "||" | "??" => !all,
                    _ => false,
                };
            if !goes_on {
                operands.push(left);
                break;
            }
            rest = inner;
        }
        let operands = operands.into_iter().rev().map(|operand| self.expr(operand)).collect();
        ExprKind::Logic { all, operands }
    }

    /// The new value of `target op= value`.
    pub(super) fn updated(&mut self, node: Node<'_>, target: Node<'_>, value: Node<'_>) -> ExprId {
        let place = self.place(node);
        let operator = self.operator(node).trim_end_matches('=').to_owned();
        let left = self.expr(target);
        let right = self.expr(value);
        let kind = match operator.as_str() {
            "&&" | "||" | "??" => ExprKind::Logic {
                all: operator == "&&",
                operands: vec![left, right],
            },
            operator => ExprKind::Binary {
                op: binary_op(operator),
                left,
                right,
            },
        };
        self.push(kind, place)
    }
}

pub(super) fn binary_op(operator: &str) -> BinaryOp {
    match operator {
        "+" => BinaryOp::Add,
        "-" => BinaryOp::Sub,
        "*" => BinaryOp::Mul,
        "/" => BinaryOp::Div,
        "%" => BinaryOp::Rem,
        _ => BinaryOp::Other,
    }
}

pub(super) fn compare_op(operator: &str) -> Option<CompareOp> {
    Some(match operator {
        "==" | "===" => CompareOp::Eq,
        "!=" | "!==" => CompareOp::NotEq,
        "<" => CompareOp::Less,
        "<=" => CompareOp::LessEq,
        ">" => CompareOp::Greater,
        ">=" => CompareOp::GreaterEq,
        _ => return None,
    })
}
