//! Expressions.

use tree_sitter::Node;

use super::{Lowering, bare, parts};
use crate::code::ir::{BinaryOp, ExprId, ExprKind, Intrinsic, Item, ListKind, Literal, Name};

impl Lowering<'_> {
    pub(super) fn expr(&mut self, node: Node<'_>) -> ExprId {
        let place = self.place(node);
        let kind = match node.kind() {
            // What the parser had to make up stands nowhere.
            _ if node.is_missing() => ExprKind::Other(Vec::new()),
            "parenthesized_expression"
            | "as_expression"
            | "satisfies_expression"
            | "non_null_expression"
            | "instantiation_expression" => match parts(node).first() {
                Some(&inner) => return self.expr(inner),
                None => self.other(node),
            },
            "type_assertion" => match parts(node).last() {
                Some(&inner) => return self.expr(inner),
                None => self.other(node),
            },
            "identifier" | "shorthand_property_identifier" | "shorthand_property_identifier_pattern" => {
                return self.identifier(node);
            }
            "this" => ExprKind::Name(Name::from("this")),
            "super" => ExprKind::Call {
                callee: self.push(ExprKind::Name(Name::from("super")), place),
                args: Vec::new(),
                idiom: None,
            },
            "true" => ExprKind::Literal(Literal::Bool(true)),
            "false" => ExprKind::Literal(Literal::Bool(false)),
            "null" | "undefined" => ExprKind::Literal(Literal::None),
            "number" => number(self.text_of(node)),
            "string" => ExprKind::Literal(Literal::Str(self.string(node))),
            "template_string" => self.template(node),
            "member_expression" => return self.member(node),
            "subscript_expression" => return self.subscript(node),
            "call_expression" => return self.call(node),
            "new_expression" => return self.construction(node),
            "array" => self.array(node),
            "object" => self.object(node),
            "binary_expression" => return self.binary(node),
            "unary_expression" => self.unary(node),
            "update_expression" => match parts(node).first() {
                Some(&target) => {
                    let op = step_op(self.operator(node));
                    let left = self.expr(target);
                    let right = self.push_int(1, place);
                    let value = self.push(ExprKind::Binary { op, left, right }, place);
                    self.bind(target, value)
                }
                None => self.other(node),
            },
            "assignment_expression" => match (node.child_by_field_name("left"), node.child_by_field_name("right")) {
                (Some(target), Some(value)) => {
                    let value = self.expr(value);
                    self.bind(target, value)
                }
                _ => self.other(node),
            },
            "augmented_assignment_expression" => {
                match (node.child_by_field_name("left"), node.child_by_field_name("right")) {
                    (Some(target), Some(value)) => {
                        let value = self.updated(node, target, value);
                        self.bind(target, value)
                    }
                    _ => self.other(node),
                }
            }
            "ternary_expression" => match *parts(node) {
                [cond, then, otherwise] => ExprKind::Conditional {
                    cond: self.expr(cond),
                    then: self.expr(then),
                    otherwise: self.expr(otherwise),
                },
                _ => self.other(node),
            },
            "arrow_function" | "function_expression" | "generator_function" => {
                let id = self.function(node, Name::from("<lambda>"), None);
                ExprKind::Lambda(id)
            }
            "class" => return self.class_expression(node),
            "await_expression" => match parts(node).first() {
                Some(&value) => ExprKind::Await(self.expr(value)),
                None => self.other(node),
            },
            "yield_expression" => {
                let here = self.here;
                self.function_mut(here).is_generator = true;
                let value = parts(node).first().map(|&value| self.expr(value));
                ExprKind::Yield(value)
            }
            "spread_element" => match parts(node).first() {
                Some(&inner) => return self.expr(inner),
                None => self.other(node),
            },
            // The value of a sequence is its last part; the others are there for what they do.
            "sequence_expression" => {
                let mut values: Vec<ExprId> = parts(node).into_iter().map(|part| self.expr(part)).collect();
                let Some(last) = values.pop() else {
                    return self.push(ExprKind::Other(values), place);
                };
                self.effects.extend(values.into_iter().map(|value| {
                    super::stmt(
                        crate::code::ir::StmtKind::Expr(value),
                        self.exprs[value.0 as usize].place,
                    )
                }));
                return last;
            }
            _ => self.other(node),
        };
        self.push(kind, place)
    }

    /// What has no form of its own; the values inside it are still evaluated.
    pub(super) fn other(&mut self, node: Node<'_>) -> ExprKind {
        if node.is_error() || is_silent(node.kind()) {
            return ExprKind::Other(Vec::new());
        }
        let inside = parts(node).into_iter().filter(|part| !is_silent(part.kind()));
        let inside: Vec<ExprId> = inside.map(|part| self.expr(part)).collect();
        if node.kind() == "jsx_attribute" && self.is_event_attribute(node) {
            let values = inside.iter().map(|value| match self.kind_of(*value) {
                // The braces around it.
                ExprKind::Other(wrapped) => wrapped.first().copied().unwrap_or(*value),
                _ => *value,
            });
            let values: Vec<ExprId> = values.collect();
            self.gestures.extend(values);
        }
        ExprKind::Other(inside)
    }

    /// `onClick`, `onSubmit`.
    fn is_event_attribute(&self, attribute: Node<'_>) -> bool {
        let name = attribute
            .named_child(0)
            .map(|name| self.text_of(name))
            .unwrap_or_default();
        name.strip_prefix("on")
            .is_some_and(|rest| rest.starts_with(char::is_uppercase))
    }

    fn identifier(&mut self, node: Node<'_>) -> ExprId {
        let place = self.place(node);
        if let Some(aliased) = self.aliased(node) {
            return aliased;
        }
        let name = self.name(node);
        self.push(ExprKind::Name(name), place)
    }

    /// `target = value` for its value.
    fn bind(&mut self, target: Node<'_>, value: ExprId) -> ExprKind {
        self.assign_all(bare(target));
        let target = self.expr(bare(target));
        ExprKind::Bind { target, value }
    }

    /// `base.name`; `xs.length` is the length of a list or a text.
    fn member(&mut self, node: Node<'_>) -> ExprId {
        let place = self.place(node);
        let (Some(object), Some(property)) = (node.child_by_field_name("object"), node.child_by_field_name("property"))
        else {
            let kind = self.other(node);
            return self.push(kind, place);
        };
        let base = self.expr(object);
        if self.text_of(property) == "length" {
            return self.apply(Intrinsic::Len, vec![base], place);
        }
        let name = self.name(property);
        self.push(ExprKind::Attribute { base, name }, place)
    }

    fn subscript(&mut self, node: Node<'_>) -> ExprId {
        let place = self.place(node);
        let (Some(object), Some(index)) = (node.child_by_field_name("object"), node.child_by_field_name("index"))
        else {
            let kind = self.other(node);
            return self.push(kind, place);
        };
        if let Some(date) = self.date_of(object, index) {
            let base = self.expr(date);
            let end = Some(self.push_int(DATE_LENGTH, place));
            let (start, step) = (None, None);
            return self.push(ExprKind::Slice { base, start, end, step }, place);
        }
        let base = self.expr(object);
        if self.text_of(index) == "0"
            && let Some(only) = self.only_item(base)
        {
            return only;
        }
        let index = self.index_of(object, index);
        self.push(ExprKind::Index { base, index }, place)
    }

    /// The item of a list that is written out with one: `xs.splice(i, 1)` is such a list.
    pub(super) fn only_item(&self, list: ExprId) -> Option<ExprId> {
        match self.kind_of(list) {
            ExprKind::List {
                kind: ListKind::List,
                items,
            } => match &items[..] {
                [only] if !only.spread => Some(only.value),
                _ => None,
            },
            _ => None,
        }
    }

    /// The `text` of `text.split("T")[0]`: the date of a time.
    fn date_of<'t>(&self, object: Node<'t>, index: Node<'_>) -> Option<Node<'t>> {
        let call = bare(object);
        let called = call.child_by_field_name("function")?;
        let method = called.child_by_field_name("property")?;
        let arguments = call.child_by_field_name("arguments")?;
        let is_split = self.text_of(method) == "split" && matches!(self.text_of(arguments), "(\"T\")" | "('T')");
        (is_split && self.text_of(index) == "0").then(|| called.child_by_field_name("object"))?
    }

    /// A position in a list; `xs.length - 1` in `xs` counts from the end.
    pub(super) fn index_of(&mut self, list: Node<'_>, index: Node<'_>) -> ExprId {
        match self.back_from_end(list, index) {
            Some(back) => {
                let place = self.place(index);
                self.push_int(-back, place)
            }
            None => self.expr(index),
        }
    }

    /// The `n` of `xs.length - n`, where `xs` is spelled like `list`.
    pub(super) fn back_from_end(&self, list: Node<'_>, index: Node<'_>) -> Option<i64> {
        let index = bare(index);
        if index.kind() != "binary_expression" || self.operator(index) != "-" {
            return None;
        }
        let length = bare(index.child_by_field_name("left")?);
        let back: i64 = self.text_of(index.child_by_field_name("right")?).parse().ok()?;
        (back > 0 && self.is_length_of(length, list)).then_some(back)
    }

    /// Whether a node is `xs.length`, where `xs` is spelled like `list`.
    pub(super) fn is_length_of(&self, node: Node<'_>, list: Node<'_>) -> bool {
        node.kind() == "member_expression"
            && node
                .child_by_field_name("property")
                .is_some_and(|property| self.text_of(property) == "length")
            && node
                .child_by_field_name("object")
                .is_some_and(|object| self.text_of(bare(object)) == self.text_of(bare(list)))
    }

    fn array(&mut self, node: Node<'_>) -> ExprKind {
        let items = parts(node)
            .into_iter()
            .map(|part| Item {
                value: self.expr(part),
                spread: part.kind() == "spread_element",
            })
            .collect();
        ExprKind::List {
            kind: ListKind::List,
            items,
        }
    }

    pub(super) fn object(&mut self, node: Node<'_>) -> ExprKind {
        let mut entries = Vec::new();
        for part in parts(node) {
            match part.kind() {
                "pair" => {
                    if let (Some(key), Some(value)) =
                        (part.child_by_field_name("key"), part.child_by_field_name("value"))
                    {
                        let name = self.property_name(key);
                        let key = self.key(key);
                        entries.push((Some(key), self.named_value(value, name)));
                    }
                }
                "shorthand_property_identifier" => {
                    let name = self.name(part);
                    let place = self.place(part);
                    let key = self.push(ExprKind::Literal(Literal::Str(name)), place);
                    entries.push((Some(key), self.expr(part)));
                }
                "spread_element" => entries.push((None, self.expr(part))),
                "method_definition" => {
                    if let Some(key) = part.child_by_field_name("name") {
                        let name = self.property_name(key).unwrap_or_else(|| Name::from("<lambda>"));
                        let key = self.key(key);
                        let place = self.place(part);
                        let id = self.function(part, name, None);
                        let value = self.push(ExprKind::Lambda(id), place);
                        entries.push((Some(key), value));
                    }
                }
                _ => {}
            }
        }
        ExprKind::Dict(entries)
    }

    /// A value that is known under a name: a function takes it as its own.
    pub(super) fn named_value(&mut self, value: Node<'_>, name: Option<Name>) -> ExprId {
        match (name, super::functions::is_function(bare(value).kind())) {
            (Some(name), true) => {
                let place = self.place(value);
                let id = self.function(bare(value), name, None);
                self.push(ExprKind::Lambda(id), place)
            }
            _ => self.expr(value),
        }
    }

    /// A key of an object, as the text that it is; `[computed]` is any expression.
    pub(super) fn key(&mut self, node: Node<'_>) -> ExprId {
        let place = self.place(node);
        match (node.kind(), self.property_name(node)) {
            (_, Some(name)) => self.push(ExprKind::Literal(Literal::Str(name)), place),
            ("computed_property_name", None) => match parts(node).first() {
                Some(&inner) => self.expr(inner),
                None => self.push(ExprKind::Other(Vec::new()), place),
            },
            _ => self.expr(node),
        }
    }

    /// The name of a property, where it is written out.
    pub(super) fn property_name(&mut self, node: Node<'_>) -> Option<Name> {
        match node.kind() {
            "property_identifier" | "private_property_identifier" | "identifier" | "type_identifier" => {
                Some(self.name(node))
            }
            "string" => Some(self.string(node)),
            _ => None,
        }
    }

    /// The operation without a callee of its own.
    pub(super) fn apply(&mut self, op: Intrinsic, operands: Vec<ExprId>, place: crate::code::ir::Place) -> ExprId {
        let callee = self.push(ExprKind::Other(Vec::new()), place);
        let args = operands.iter().map(|&value| super::calls::argument(value)).collect();
        let idiom = Some(crate::code::ir::Idiom { op, operands });
        self.push(ExprKind::Call { callee, args, idiom }, place)
    }
}

/// How long `2024-05-06` is.
const DATE_LENGTH: i64 = 10;

/// Parts of the syntax that hold no values.
fn is_silent(kind: &str) -> bool {
    kind.starts_with("type_")
        || matches!(
            kind,
            "jsx_text"
                | "jsx_identifier"
                | "jsx_namespace_name"
                | "property_identifier"
                | "regex_pattern"
                | "regex_flags"
                | "html_character_reference"
                | "statement_block"
                | "statement_identifier"
                | "meta_property"
                | "import"
        )
}

pub(super) fn step_op(operator: &str) -> BinaryOp {
    match operator {
        "++" => BinaryOp::Add,
        _ => BinaryOp::Sub,
    }
}

fn number(text: &str) -> ExprKind {
    let digits = text.replace('_', "").to_ascii_lowercase();
    let digits = digits.strip_suffix('n').unwrap_or(&digits);
    let (radix, digits) = match digits.get(..2) {
        Some("0x") => (16, &digits[2..]),
        Some("0o") => (8, &digits[2..]),
        Some("0b") => (2, &digits[2..]),
        _ => (10, digits),
    };
    if radix == 10 && digits.contains(['.', 'e']) {
        return ExprKind::Literal(Literal::Float);
    }
    ExprKind::Literal(Literal::Int(i64::from_str_radix(digits, radix).unwrap_or(i64::MAX)))
}
