//! Expressions.

use tree_sitter::Node;

use super::blocks::{Dest, has_blocks};
use super::{Lowering, parts};
use crate::code::ir::{
    Arg, BinaryOp, CompareOp, ExprId, ExprKind, Idiom, Intrinsic, Item, ListKind, Literal, Name, Place,
};

impl Lowering<'_> {
    /// Notes what `?` stands behind.
    pub(super) fn hands_on(&mut self, node: Node<'_>, inner: Node<'_>) {
        if node.kind() == "try_expression" {
            let place = self.place(inner);
            self.handed_on.push(place);
        }
    }

    pub(super) fn expr(&mut self, node: Node<'_>) -> ExprId {
        let place = self.place(node);
        let kind = match node.kind() {
            // What the parser had to make up stands nowhere.
            _ if node.is_missing() => ExprKind::Other(Vec::new()),
            // Borrowing, copying a reference and widening a number change nothing that matters; the
            // error that `?` hands on is an exception like any other.
            "parenthesized_expression"
            | "reference_expression"
            | "type_cast_expression"
            | "try_expression"
            | "expression_statement" => match parts(node).first() {
                Some(&inner) => {
                    self.hands_on(node, inner);
                    return self.expr(inner);
                }
                None => ExprKind::Other(Vec::new()),
            },
            "identifier" | "self" | "metavariable" => return self.variable(node),
            "scoped_identifier" => return self.path(node),
            "generic_function" => match node.child_by_field_name("function") {
                Some(function) => return self.expr(function),
                None => self.other(node),
            },
            "boolean_literal" => ExprKind::Literal(Literal::Bool(self.text_of(node) == "true")),
            "integer_literal" => integer(self.text_of(node)),
            "float_literal" => ExprKind::Literal(Literal::Float),
            "string_literal" | "raw_string_literal" | "char_literal" => {
                let text = self.string(node);
                ExprKind::Literal(Literal::Str(Name::from(text)))
            }
            "unit_expression" => ExprKind::Literal(Literal::None),
            "negative_literal" | "unary_expression" => return self.unary(node),
            "binary_expression" => self.binary(node),
            "await_expression" => match parts(node).first() {
                Some(&inner) => {
                    if let Some(block) = self.awaited_block(inner) {
                        let block = self.expr(block);
                        let value = self.intrinsic(Intrinsic::Run, vec![block], place);
                        return self.push(ExprKind::Await(value), place);
                    }
                    let value = self.expr(inner);
                    // The guard of a lock is the value behind it.
                    if !matches!(self.kind_of(value), ExprKind::Call { .. } | ExprKind::Other(_)) {
                        return value;
                    }
                    ExprKind::Await(value)
                }
                None => self.other(node),
            },
            "field_expression" => self.field(node),
            "index_expression" => self.index(node),
            "range_expression" => return self.range(node),
            "call_expression" => return self.call(node),
            "struct_expression" => self.construction(node),
            "tuple_expression" => self.display(ListKind::Tuple, node),
            "array_expression" if node.child_by_field_name("length").is_none() => self.display(ListKind::List, node),
            "closure_expression" => self.closure(node),
            "async_block" | "gen_block" => match parts(node).into_iter().find(|part| part.kind() == "block") {
                Some(block) => self.deferred(block),
                None => ExprKind::Other(Vec::new()),
            },
            "if_expression" if Self::is_plain_choice(node) => self.choice(node),
            "macro_invocation" => return self.macro_value(node),
            "assignment_expression" | "compound_assignment_expr" => {
                let mut before = Vec::new();
                self.value(node, &Dest::Discard, &mut before);
                self.before.append(&mut before);
                ExprKind::Literal(Literal::None)
            }
            _ if has_blocks(node) => return self.value_before(node),
            _ => self.other(node),
        };
        self.push(kind, place)
    }

    /// What has no form of its own; the values inside it are still evaluated.
    pub(super) fn other(&mut self, node: Node<'_>) -> ExprKind {
        if node.is_error()
            || matches!(
                node.kind(),
                "return_expression" | "break_expression" | "continue_expression"
            )
        {
            return ExprKind::Other(Vec::new());
        }
        let values = parts(node).into_iter().filter(|part| !part.kind().ends_with("_type"));
        ExprKind::Other(values.map(|part| self.expr(part)).collect())
    }

    /// The value of a block, computed before the statement at hand.
    fn value_before(&mut self, node: Node<'_>) -> ExprId {
        let place = self.place(node);
        let name = self.made_up();
        let mut before = Vec::new();
        self.value(node, &Dest::Into(name.clone()), &mut before);
        self.before.append(&mut before);
        self.named(&name, place)
    }

    fn variable(&mut self, node: Node<'_>) -> ExprId {
        let place = self.place(node);
        let name = self.name(node);
        let mut known = self.stands_for.iter().rev();
        if let Some((_, Some(value))) = known.find(|(known, _)| *known == name) {
            return *value;
        }
        match &*name {
            "None" => self.none(place),
            "Self" => match self.own_type.clone() {
                Some(own) => self.named(&own, place),
                None => self.named(&name, place),
            },
            _ => self.named(&name, place),
        }
    }

    fn unary(&mut self, node: Node<'_>) -> ExprId {
        let place = self.place(node);
        let operator = node.child(0).map(|operator| operator.kind());
        let Some(&inner) = parts(node).first() else {
            return self.unknown(Vec::new(), place);
        };
        let value = self.expr(inner);
        let kind = match (operator, self.kind_of(value)) {
            (Some("!"), _) => ExprKind::Not(value),
            (Some("-"), ExprKind::Literal(Literal::Int(number))) => ExprKind::Literal(Literal::Int(-number)),
            (Some("-"), ExprKind::Literal(Literal::Float)) => ExprKind::Literal(Literal::Float),
            (Some("-"), _) => ExprKind::Binary {
                op: BinaryOp::Sub,
                left: self.int(0, place),
                right: value,
            },
            _ => return value,
        };
        self.push(kind, place)
    }

    fn binary(&mut self, node: Node<'_>) -> ExprKind {
        let (Some(left), Some(operator), Some(right)) = (
            node.child_by_field_name("left"),
            node.child_by_field_name("operator"),
            node.child_by_field_name("right"),
        ) else {
            return self.other(node);
        };
        let operator = operator.kind();
        if matches!(operator, "&&" | "||") {
            return self.logic(node, operator);
        }
        let left = self.expr(left);
        let right = self.expr(right);
        let is_none = matches!(self.kind_of(right), ExprKind::Literal(Literal::None));
        let op = match operator {
            "==" if is_none => CompareOp::Is,
            "!=" if is_none => CompareOp::IsNot,
            "==" => CompareOp::Eq,
            "!=" => CompareOp::NotEq,
            "<" => CompareOp::Less,
            "<=" => CompareOp::LessEq,
            ">" => CompareOp::Greater,
            ">=" => CompareOp::GreaterEq,
            _ => {
                let op = binary_op(operator);
                return ExprKind::Binary { op, left, right };
            }
        };
        ExprKind::Compare { op, left, right }
    }

    /// `a && b && c` is one conjunction of three.
    fn logic(&mut self, node: Node<'_>, operator: &str) -> ExprKind {
        let mut operands = Vec::new();
        let mut rest = node;
        loop {
            let is_same = rest.kind() == "binary_expression"
                && rest
                    .child_by_field_name("operator")
                    .is_some_and(|found| found.kind() == operator);
            match (rest.child_by_field_name("left"), rest.child_by_field_name("right")) {
                (Some(left), Some(right)) if is_same => {
                    operands.push(right);
                    rest = left;
                }
                _ => {
                    operands.push(rest);
                    break;
                }
            }
        }
        let operands = operands.into_iter().rev().map(|operand| self.expr(operand)).collect();
        ExprKind::Logic {
            all: operator == "&&",
            operands,
        }
    }

    fn field(&mut self, node: Node<'_>) -> ExprKind {
        let (Some(base), Some(field)) = (node.child_by_field_name("value"), node.child_by_field_name("field")) else {
            return self.other(node);
        };
        let base = self.expr(base);
        let name = self.name(field);
        // A field of a tuple that is at hand.
        if let ExprKind::List { items, .. } = self.kind_of(base)
            && let Some(item) = name.parse::<usize>().ok().and_then(|index| items.get(index))
        {
            return self.kind_of(item.value).clone();
        }
        ExprKind::Attribute { base, name }
    }

    /// The block of `async { … }`, also where it is only watched or put in a box before it is awaited.
    fn awaited_block<'t>(&self, future: Node<'t>) -> Option<Node<'t>> {
        const WRAPPERS: &[&str] = &["instrument", "in_current_span", "boxed", "boxed_local", "fuse"];
        let mut block = future;
        while block.kind() == "call_expression" {
            let method = block.child_by_field_name("function")?;
            let name = method.child_by_field_name("field")?;
            block = method.child_by_field_name("value")?;
            if !WRAPPERS.contains(&self.text_of(name)) {
                return None;
            }
        }
        (block.kind() == "async_block").then_some(block)
    }

    fn index(&mut self, node: Node<'_>) -> ExprKind {
        let [base, index] = parts(node)[..] else {
            return self.other(node);
        };
        let base = self.expr(base);
        self.indexed(base, index)
    }

    /// `base[index]`, where the index may be a range.
    pub(super) fn indexed(&mut self, base: ExprId, index: Node<'_>) -> ExprKind {
        if let Some(bounds) = self.bounds(index) {
            let [start, end] = [bounds.0, bounds.1].map(|bound| bound.map(|bound| self.counted_from_end(base, bound)));
            return ExprKind::Slice {
                base,
                start,
                end,
                step: None,
            };
        }
        let index = self.expr(index);
        let index = self.counted_from_end(base, index);
        ExprKind::Index { base, index }
    }

    /// A position that is counted from the end of its list: `xs.len() - 1` is `-1`.
    fn counted_from_end(&mut self, base: ExprId, position: ExprId) -> ExprId {
        let ExprKind::Binary {
            op: BinaryOp::Sub,
            left,
            right,
        } = *self.kind_of(position)
        else {
            return position;
        };
        let of_list = match self.kind_of(left) {
            ExprKind::Call { idiom: Some(idiom), .. } if idiom.op == Intrinsic::Len => idiom
                .operands
                .first()
                .is_some_and(|list| self.is_same_place(*list, base)),
            _ => false,
        };
        match *self.kind_of(right) {
            ExprKind::Literal(Literal::Int(count)) if of_list && count > 0 => {
                let place = self.place_of(position);
                self.int(-count, place)
            }
            _ => position,
        }
    }

    /// Whether two expressions are one variable, or one field of it.
    fn is_same_place(&self, one: ExprId, other: ExprId) -> bool {
        match (self.kind_of(one), self.kind_of(other)) {
            (ExprKind::Name(one), ExprKind::Name(other)) => one == other,
            (ExprKind::Attribute { base: a, name: one }, ExprKind::Attribute { base: b, name: other }) => {
                one == other && self.is_same_place(*a, *b)
            }
            _ => false,
        }
    }

    /// The bounds of a range, its end left out of it.
    pub(super) fn bounds(&mut self, node: Node<'_>) -> Option<(Option<ExprId>, Option<ExprId>)> {
        if node.kind() == "parenthesized_expression" || node.kind() == "reference_expression" {
            return self.bounds(*parts(node).first()?);
        }
        // The grammar takes `..=end` for an assignment to `..`.
        if node.kind() == "assignment_expression" && node.child_by_field_name("left")?.kind() == "range_expression" {
            let end = self.expr(node.child_by_field_name("right")?);
            return Some((None, Some(self.after(end))));
        }
        if node.kind() != "range_expression" {
            return None;
        }
        let mut bounds = [None; 2];
        let mut after = 0;
        let mut inclusive = false;
        let mut cursor = node.walk();
        for child in node.children(&mut cursor) {
            match child.kind() {
                ".." => after = 1,
                "..=" | "..." => {
                    after = 1;
                    inclusive = true;
                }
                _ if child.is_named() && !child.kind().ends_with("_comment") => bounds[after] = Some(child),
                _ => {}
            }
        }
        let start = bounds[0].map(|bound| self.expr(bound));
        let end = bounds[1].map(|bound| {
            let end = self.expr(bound);
            if inclusive { self.after(end) } else { end }
        });
        Some((start, end))
    }

    /// The number after another.
    fn after(&mut self, number: ExprId) -> ExprId {
        let place = self.place_of(number);
        let kind = match self.kind_of(number) {
            ExprKind::Literal(Literal::Int(number)) => ExprKind::Literal(Literal::Int(number.saturating_add(1))),
            _ => ExprKind::Binary {
                op: BinaryOp::Add,
                left: number,
                right: self.int(1, place),
            },
        };
        self.push(kind, place)
    }

    fn range(&mut self, node: Node<'_>) -> ExprId {
        let place = self.place(node);
        let (start, end) = self.bounds(node).unwrap_or_default();
        match (start, end) {
            (None, Some(end)) => self.intrinsic(Intrinsic::Range, vec![end], place),
            (Some(start), Some(end)) => {
                let is_zero = matches!(self.kind_of(start), ExprKind::Literal(Literal::Int(0)));
                let operands = if is_zero { vec![end] } else { vec![start, end] };
                self.intrinsic(Intrinsic::Range, operands, place)
            }
            (start, _) => self.unknown(start.into_iter().collect(), place),
        }
    }

    /// A call of the language's own library that is no method of its first operand.
    pub(super) fn intrinsic(&mut self, op: Intrinsic, operands: Vec<ExprId>, place: Place) -> ExprId {
        let callee = self.unknown(Vec::new(), place);
        let args = operands.iter().map(|&value| plain(value)).collect();
        let idiom = Some(Idiom { op, operands });
        self.push(ExprKind::Call { callee, args, idiom }, place)
    }

    /// `Name { field: value, ..rest }`: a call with named arguments.
    fn construction(&mut self, node: Node<'_>) -> ExprKind {
        let (Some(name), Some(body)) = (node.child_by_field_name("name"), node.child_by_field_name("body")) else {
            return self.other(node);
        };
        let callee = self.path(name);
        let mut args = Vec::new();
        for part in parts(body) {
            let (name, value, spread) = match part.kind() {
                "field_initializer" => {
                    let (Some(field), Some(value)) =
                        (part.child_by_field_name("field"), part.child_by_field_name("value"))
                    else {
                        continue;
                    };
                    (self.name(field), self.expr(value), false)
                }
                "shorthand_field_initializer" => {
                    let Some(&field) = parts(part).first() else { continue };
                    (self.name(field), self.expr(field), false)
                }
                "base_field_initializer" => {
                    let Some(&value) = parts(part).first() else { continue };
                    (Name::from(""), self.expr(value), true)
                }
                _ => continue,
            };
            args.push(Arg {
                value,
                name: Some(name),
                spread,
                gathers: false,
            });
        }
        let operands = args.iter().map(|arg| arg.value).collect();
        let op = Intrinsic::Record;
        let idiom = Some(Idiom { op, operands });
        ExprKind::Call { callee, args, idiom }
    }

    fn display(&mut self, kind: ListKind, node: Node<'_>) -> ExprKind {
        let items = parts(node).into_iter().map(|part| Item {
            value: self.expr(part),
            spread: false,
        });
        ExprKind::List {
            kind,
            items: items.collect(),
        }
    }

    /// Whether both branches of an `if` are one expression, and its condition binds nothing.
    fn is_plain_choice(node: Node<'_>) -> bool {
        let condition = node.child_by_field_name("condition");
        let plain = |block: Option<Node<'_>>| block.is_some_and(|block| only_value(block).is_some());
        condition.is_some_and(|condition| !condition.kind().starts_with("let_"))
            && plain(node.child_by_field_name("consequence"))
            && plain(alternative(node))
    }

    fn choice(&mut self, node: Node<'_>) -> ExprKind {
        let then = node.child_by_field_name("consequence").and_then(only_value);
        let otherwise = alternative(node).and_then(only_value);
        match (node.child_by_field_name("condition"), then, otherwise) {
            (Some(cond), Some(then), Some(otherwise)) => ExprKind::Conditional {
                cond: self.expr(cond),
                then: self.expr(then),
                otherwise: self.expr(otherwise),
            },
            _ => self.other(node),
        }
    }
}

fn alternative(node: Node<'_>) -> Option<Node<'_>> {
    parts(node.child_by_field_name("alternative")?).first().copied()
}

/// The one expression that a block is.
pub(super) fn only_value(block: Node<'_>) -> Option<Node<'_>> {
    if block.kind() != "block" {
        return None;
    }
    match parts(block)[..] {
        [only]
            if !matches!(
                only.kind(),
                "let_declaration" | "expression_statement" | "empty_statement"
            ) && !only.kind().ends_with("_item")
                && !has_blocks(only)
                && !matches!(
                    only.kind(),
                    "return_expression" | "break_expression" | "continue_expression" | "assignment_expression"
                ) =>
        {
            Some(only)
        }
        _ => None,
    }
}

/// An argument by position.
pub(super) fn plain(value: ExprId) -> Arg {
    Arg {
        value,
        name: None,
        spread: false,
        gathers: false,
    }
}

pub(super) fn binary_op(operator: &str) -> BinaryOp {
    match operator.trim_end_matches('=') {
        "+" => BinaryOp::Add,
        "-" => BinaryOp::Sub,
        "*" => BinaryOp::Mul,
        "/" => BinaryOp::Div,
        "%" => BinaryOp::Rem,
        "|" => BinaryOp::Or,
        _ => BinaryOp::Other,
    }
}

fn integer(text: &str) -> ExprKind {
    let digits = text.replace('_', "");
    let digits = [
        "u8", "u16", "u32", "u64", "u128", "usize", "i8", "i16", "i32", "i64", "i128", "isize",
    ]
    .iter()
    .find_map(|suffix| digits.strip_suffix(suffix))
    .unwrap_or(&digits);
    let (radix, digits) = match digits.get(..2) {
        Some("0x") => (16, &digits[2..]),
        Some("0o") => (8, &digits[2..]),
        Some("0b") => (2, &digits[2..]),
        _ => (10, digits),
    };
    ExprKind::Literal(Literal::Int(i64::from_str_radix(digits, radix).unwrap_or(i64::MAX)))
}
