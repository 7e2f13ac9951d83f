//! Arithmetic, logic, comparisons and type tests.

use tree_sitter::Node;

use super::{Lowering, parts};
use crate::code::ir::{BinaryOp, CompareOp, ExprId, ExprKind, Literal};

impl Lowering<'_> {
    pub(super) fn binary(&mut self, node: Node<'_>) -> ExprKind {
        let (Some(left), Some(operator), Some(right)) = (
            node.child_by_field_name("left"),
            node.child_by_field_name("operator"),
            node.child_by_field_name("right"),
        ) else {
            return self.other(node);
        };
        let op = binary_op(operator.kind());
        if op == BinaryOp::Rem
            && matches!(left.kind(), "string" | "concatenated_string")
            && let ExprKind::Literal(Literal::Str(format)) = self.text(left)
        {
            return self.percent(&format, right);
        }
        let left = self.expr(left);
        let right = self.expr(right);
        ExprKind::Binary { op, left, right }
    }

    pub(super) fn unary(&mut self, node: Node<'_>) -> ExprKind {
        let Some(argument) = node.child_by_field_name("argument") else {
            return self.other(node);
        };
        let operator = node.child_by_field_name("operator").map(|operator| operator.kind());
        let place = self.place(node);
        let value = self.expr(argument);
        match (operator, &self.exprs[value.0 as usize].kind) {
            (Some("-"), ExprKind::Literal(Literal::Int(number))) => ExprKind::Literal(Literal::Int(-number)),
            (_, ExprKind::Literal(Literal::Float)) => ExprKind::Literal(Literal::Float),
            (Some("-"), _) => ExprKind::Binary {
                op: BinaryOp::Sub,
                left: self.push(ExprKind::Literal(Literal::Int(0)), place),
                right: value,
            },
            _ => ExprKind::Other(vec![value]),
        }
    }

    /// `a and b and c` is one conjunction of three.
    pub(super) fn logic(&mut self, node: Node<'_>) -> ExprKind {
        let operator = |node: Node<'_>| node.child_by_field_name("operator").map(|operator| operator.kind());
        let all = operator(node) == Some("and");
        let mut operands = Vec::new();
        let mut rest = node;
        loop {
            let (Some(left), Some(right)) = (rest.child_by_field_name("left"), rest.child_by_field_name("right"))
            else {
                return self.other(node);
            };
            operands.push(right);
            if left.kind() != "boolean_operator" || operator(left) != operator(node) {
                operands.push(left);
                break;
            }
            rest = left;
        }
        let operands = operands.into_iter().rev().map(|operand| self.expr(operand)).collect();
        ExprKind::Logic { all, operands }
    }

    /// A chain `a < b < c` is the conjunction of its links.
    pub(super) fn comparison(&mut self, node: Node<'_>) -> ExprId {
        let place = self.place(node);
        let mut cursor = node.walk();
        let operators: Vec<CompareOp> = node
            .children_by_field_name("operators", &mut cursor)
            .filter_map(|operator| compare_op(operator.kind()))
            .collect();
        let values: Vec<ExprId> = parts(node).into_iter().map(|part| self.expr(part)).collect();
        if operators.is_empty() || operators.len() + 1 != values.len() {
            return self.push(ExprKind::Other(values), place);
        }
        let links: Vec<ExprId> = operators
            .iter()
            .zip(values.windows(2))
            .map(|(&op, pair)| {
                let kind = self.type_test(op, pair[0], pair[1]).unwrap_or(ExprKind::Compare {
                    op,
                    left: pair[0],
                    right: pair[1],
                });
                self.push(kind, place)
            })
            .collect();
        match *links {
            [link] => link,
            _ => self.push(
                ExprKind::Logic {
                    all: true,
                    operands: links,
                },
                place,
            ),
        }
    }

    /// `isinstance(value, types)`.
    pub(super) fn isinstance(&self, callee: ExprId, args: &[ExprId]) -> Option<ExprKind> {
        match (self.kind_of(callee), args) {
            (ExprKind::Name(name), &[value, types]) if &**name == "isinstance" => Some(ExprKind::TypeTest {
                value,
                types: self.types_in(types),
            }),
            _ => None,
        }
    }

    /// A comparison of `type(x)`, `x.__class__` or the name of one of them.
    pub(super) fn type_test(&mut self, op: CompareOp, left: ExprId, right: ExprId) -> Option<ExprKind> {
        let value = self.typed_value(left)?;
        let types = match op {
            CompareOp::In | CompareOp::NotIn => match self.kind_of(right) {
                ExprKind::List { .. } => self.types_in(right),
                _ => return None,
            },
            CompareOp::Is | CompareOp::IsNot | CompareOp::Eq | CompareOp::NotEq => vec![right],
            _ => return None,
        };
        let test = ExprKind::TypeTest { value, types };
        Some(match op {
            CompareOp::NotIn | CompareOp::IsNot | CompareOp::NotEq => {
                let place = self.exprs[left.0 as usize].place;
                ExprKind::Not(self.push(test, place))
            }
            _ => test,
        })
    }

    /// The `x` of `type(x)`, `x.__class__`, `type(x).__name__`.
    fn typed_value(&self, expr: ExprId) -> Option<ExprId> {
        match self.kind_of(expr) {
            ExprKind::Attribute { base, name } if &**name == "__name__" => self.typed_value(*base),
            ExprKind::Attribute { base, name } if &**name == "__class__" => Some(*base),
            ExprKind::Call { callee, args, .. } if args.len() == 1 => match self.kind_of(*callee) {
                ExprKind::Name(name) if &**name == "type" => Some(args[0].value),
                _ => None,
            },
            _ => None,
        }
    }

    /// `(A, B)`, `A | B`, `A`.
    fn types_in(&self, expr: ExprId) -> Vec<ExprId> {
        match self.kind_of(expr) {
            ExprKind::List { items, .. } => items.iter().flat_map(|item| self.types_in(item.value)).collect(),
            ExprKind::Binary {
                op: BinaryOp::Or,
                left,
                right,
            } => [self.types_in(*left), self.types_in(*right)].concat(),
            _ => vec![expr],
        }
    }
}

pub(super) fn binary_op(operator: &str) -> BinaryOp {
    match operator.trim_end_matches('=') {
        "+" => BinaryOp::Add,
        "-" => BinaryOp::Sub,
        "*" => BinaryOp::Mul,
        "/" | "//" => BinaryOp::Div,
        "%" => BinaryOp::Rem,
        "|" => BinaryOp::Or,
        _ => BinaryOp::Other,
    }
}

fn compare_op(operator: &str) -> Option<CompareOp> {
    Some(match operator {
        "==" => CompareOp::Eq,
        "!=" | "<>" => CompareOp::NotEq,
        "<" => CompareOp::Less,
        "<=" => CompareOp::LessEq,
        ">" => CompareOp::Greater,
        ">=" => CompareOp::GreaterEq,
        "is" => CompareOp::Is,
        "is not" => CompareOp::IsNot,
        "in" => CompareOp::In,
        "not in" => CompareOp::NotIn,
        _ => return None,
    })
}
