//! Patterns: what they ask, and what they bind.

use tree_sitter::Node;

use super::{Lowering, assign, parts};
use crate::code::ir::{CompareOp, ExprId, ExprKind, ListKind, Literal, Name, Place, Stmt};

/// What a pattern asks, and what it binds.
#[derive(Default)]
pub(super) struct Pattern {
    /// All must hold; empty for a pattern that always matches.
    pub(super) tests: Vec<ExprId>,
    /// Name, where it stands, and value.
    pub(super) bindings: Vec<(Name, Place, ExprId)>,
}

/// A pattern without what says how it is borrowed.
pub(super) fn bare(pattern: Node<'_>) -> Node<'_> {
    let mut pattern = pattern;
    while matches!(
        pattern.kind(),
        "ref_pattern" | "reference_pattern" | "mut_pattern" | "match_pattern" | "parenthesized_expression"
    ) {
        match parts(pattern).first() {
            Some(&inner) => pattern = inner,
            None => break,
        }
    }
    pattern
}

/// The patterns inside a pattern; `_` is a token.
pub(super) fn pattern_parts(node: Node<'_>) -> Vec<Node<'_>> {
    let mut cursor = node.walk();
    node.children(&mut cursor)
        .filter(|child| {
            child.kind() == "_"
                || child.is_named()
                    && !matches!(
                        child.kind(),
                        "line_comment" | "block_comment" | "attribute_item" | "mutable_specifier"
                    )
        })
        .collect()
}

impl Lowering<'_> {
    /// Binds the names of a pattern that always matches.
    pub(super) fn bind_pattern(&mut self, node: Node<'_>, value: ExprId, out: &mut Vec<Stmt>) {
        let mut pattern = Pattern::default();
        self.pattern(node, value, &mut pattern);
        self.bind(pattern.bindings, out);
    }

    pub(super) fn bind(&mut self, bindings: Vec<(Name, Place, ExprId)>, out: &mut Vec<Stmt>) {
        for (name, place, value) in bindings {
            self.unhide(&name);
            // `if let Some(x) = x` gives the name to what has it.
            if matches!(self.kind_of(value), ExprKind::Name(found) if *found == name) {
                continue;
            }
            let target = self.named(&name, place);
            out.push(assign(target, value, place));
        }
    }

    /// Lets the names of a pattern stand for their values while something is lowered.
    pub(super) fn standing_for<T>(
        &mut self,
        bindings: &[(Name, Place, ExprId)],
        lower: impl FnOnce(&mut Self) -> T,
    ) -> T {
        let outer = self.stands_for.len();
        let values = bindings.iter().map(|(name, _, value)| (name.clone(), Some(*value)));
        self.stands_for.extend(values);
        let lowered = lower(self);
        self.stands_for.truncate(outer);
        lowered
    }

    pub(super) fn pattern(&mut self, node: Node<'_>, subject: ExprId, into: &mut Pattern) {
        let node = bare(node);
        let place = self.place(node);
        match node.kind() {
            "_" | "match_pattern" | "remaining_field_pattern" => {}
            "identifier" | "shorthand_field_identifier" => {
                let name = self.name(node);
                match &*name {
                    "_" => {}
                    "None" => {
                        let none = self.none(place);
                        self.compare(CompareOp::Is, subject, none, place, into);
                    }
                    // Constants and variants are written so; variables are not.
                    text if text.starts_with(char::is_uppercase) => {
                        let value = self.named(&name, place);
                        self.compare(CompareOp::Eq, subject, value, place, into);
                    }
                    _ => into.bindings.push((name, place, subject)),
                }
            }
            "scoped_identifier" => {
                let value = self.path(node);
                self.compare(CompareOp::Eq, subject, value, place, into);
            }
            "tuple_struct_pattern" => self.tuple_struct(node, subject, into),
            "struct_pattern" => self.struct_pattern(node, subject, into),
            "tuple_pattern" | "slice_pattern" => {
                let several = pattern_parts(node);
                if node.kind() == "slice_pattern" {
                    let shape = self.unknown(vec![subject], place);
                    into.tests.push(shape);
                }
                self.sequence(&several, subject, into);
            }
            "or_pattern" => self.alternatives(node, subject, into),
            "captured_pattern" => {
                if let [name, inner] = pattern_parts(node)[..] {
                    let text = self.name(name);
                    into.bindings.push((text, place, subject));
                    self.pattern(inner, subject, into);
                }
            }
            "string_literal" | "raw_string_literal" | "integer_literal" | "float_literal" | "boolean_literal"
            | "char_literal" | "negative_literal" => {
                let value = self.expr(node);
                let op = match self.kind_of(value) {
                    ExprKind::Literal(Literal::Bool(_)) => CompareOp::Is,
                    _ => CompareOp::Eq,
                };
                self.compare(op, subject, value, place, into);
            }
            _ => {
                let unknown = self.unknown(vec![subject], place);
                into.tests.push(unknown);
            }
        }
    }

    fn compare(&mut self, op: CompareOp, left: ExprId, right: ExprId, place: Place, into: &mut Pattern) {
        let test = self.push(ExprKind::Compare { op, left, right }, place);
        into.tests.push(test);
    }

    fn type_test(&mut self, value: ExprId, kind: Node<'_>, place: Place, into: &mut Pattern) {
        let types = vec![self.path(kind)];
        let test = self.push(ExprKind::TypeTest { value, types }, place);
        into.tests.push(test);
    }

    /// `Some(p)`, `Variant(p)`, `Variant(p, q)`. A variant around one value is that value.
    fn tuple_struct(&mut self, node: Node<'_>, subject: ExprId, into: &mut Pattern) {
        let place = self.place(node);
        let Some(kind) = node.child_by_field_name("type") else {
            return;
        };
        match self.words(kind).last().map(String::as_str) {
            Some("Some") => {
                let none = self.none(place);
                self.compare(CompareOp::IsNot, subject, none, place, into);
            }
            _ => self.type_test(subject, kind, place, into),
        }
        let inner: Vec<Node<'_>> = pattern_parts(node).into_iter().filter(|part| *part != kind).collect();
        match inner[..] {
            [only] => self.pattern(only, subject, into),
            _ => {
                for (index, one) in inner.into_iter().enumerate() {
                    let name = self.intern(&index.to_string());
                    let field = self.push(ExprKind::Attribute { base: subject, name }, place);
                    self.pattern(one, field, into);
                }
            }
        }
    }

    fn struct_pattern(&mut self, node: Node<'_>, subject: ExprId, into: &mut Pattern) {
        let place = self.place(node);
        let kind = node.child_by_field_name("type");
        if let Some(kind) = kind {
            self.type_test(subject, kind, place, into);
        }
        for part in parts(node).into_iter().filter(|part| Some(*part) != kind) {
            let Some(name_node) = part.child_by_field_name("name") else {
                continue;
            };
            let place = self.place(name_node);
            let name = self.name(name_node);
            let field = ExprKind::Attribute {
                base: subject,
                name: name.clone(),
            };
            let field = self.push(field, place);
            match part.child_by_field_name("pattern") {
                Some(inner) => self.pattern(inner, field, into),
                None => into.bindings.push((name, place, field)),
            }
        }
    }

    fn alternatives(&mut self, node: Node<'_>, subject: ExprId, into: &mut Pattern) {
        let place = self.place(node);
        let mut operands = Vec::new();
        let mut bound = false;
        for part in pattern_parts(node) {
            let mut one = Pattern::default();
            self.pattern(part, subject, &mut one);
            // Every alternative binds the same names.
            if !std::mem::replace(&mut bound, true) {
                into.bindings.append(&mut one.bindings);
            }
            match self.all(one.tests, place) {
                Some(test) => operands.push(test),
                None => return,
            }
        }
        let test = self.push(ExprKind::Logic { all: false, operands }, place);
        into.tests.push(test);
    }

    fn sequence(&mut self, patterns: &[Node<'_>], subject: ExprId, into: &mut Pattern) {
        let items = match self.kind_of(subject) {
            ExprKind::List {
                kind: ListKind::Tuple,
                items,
            } if items.len() == patterns.len() => Some(items.clone()),
            _ => None,
        };
        let count = i64::try_from(patterns.len()).unwrap_or(i64::MAX);
        let mut after_rest = false;
        for (at, &pattern) in patterns.iter().enumerate() {
            let index = i64::try_from(at).unwrap_or(i64::MAX);
            let from_end = index - count;
            let place = self.place(pattern);
            let captured = (pattern.kind() == "captured_pattern").then(|| parts(pattern));
            let rest = match captured.as_deref() {
                Some([name, rest]) if rest.kind() == "remaining_field_pattern" => Some(Some(*name)),
                _ if pattern.kind() == "remaining_field_pattern" => Some(None),
                _ => None,
            };
            if let Some(name) = rest {
                after_rest = true;
                if let Some(name) = name {
                    let start = Some(self.int(index, place));
                    let end = (from_end != -1).then(|| self.int(from_end + 1, place));
                    let kind = ExprKind::Slice {
                        base: subject,
                        start,
                        end,
                        step: None,
                    };
                    let value = self.push(kind, place);
                    let name = self.name(name);
                    into.bindings.push((name, place, value));
                }
                continue;
            }
            if bare(pattern).kind() == "_" {
                continue;
            }
            let direct = items.as_ref().and_then(|items| items.get(at)).map(|item| item.value);
            let item = direct.unwrap_or_else(|| {
                let index = self.int(if after_rest { from_end } else { index }, place);
                self.push(ExprKind::Index { base: subject, index }, place)
            });
            self.pattern(pattern, item, into);
        }
    }

    /// The conjunction of the tests; none when there is nothing to test.
    pub(super) fn all(&mut self, tests: Vec<ExprId>, place: Place) -> Option<ExprId> {
        match *tests {
            [] => None,
            [test] => Some(test),
            _ => Some(self.push(
                ExprKind::Logic {
                    all: true,
                    operands: tests,
                },
                place,
            )),
        }
    }
}
