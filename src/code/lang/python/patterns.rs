//! `match` and its patterns.

use tree_sitter::Node;

use super::{Lowering, field_parts, parts, stmt};
use crate::code::ir::{CompareOp, ExprId, ExprKind, ListKind, Literal, Name, Place, Stmt, StmtKind};

/// What a pattern asks, and what it binds.
#[derive(Default)]
struct Pattern {
    /// All must hold; empty for a pattern that always matches.
    tests: Vec<ExprId>,
    /// Name and value.
    bindings: Vec<(ExprId, ExprId)>,
}

impl Lowering<'_> {
    pub(super) fn kind_of(&self, expr: ExprId) -> &ExprKind {
        &self.exprs[expr.0 as usize].kind
    }

    /// Lowers a `match` to branches inside each other.
    pub(super) fn match_statement(&mut self, node: Node<'_>, out: &mut Vec<Stmt>) {
        let subjects = field_parts(node, "subject");
        let (Some(first), Some(last)) = (subjects.first(), subjects.last()) else {
            return;
        };
        let place = self.across(*first, *last);
        let mut subject = self.one_or_tuple(&subjects, place);
        if !matches!(
            self.kind_of(subject),
            ExprKind::Name(_) | ExprKind::Attribute { .. } | ExprKind::List { .. }
        ) {
            // What has effects is evaluated once, however many arms look at it.
            let once = self.push(ExprKind::Name(Name::from("<subject>")), place);
            let kind = StmtKind::Assign {
                targets: vec![once],
                value: subject,
                annotation: None,
            };
            out.push(stmt(kind, place));
            subject = once;
        }
        let arms: Vec<Vec<Stmt>> = node
            .child_by_field_name("body")
            .map(|body| field_parts(body, "alternative"))
            .unwrap_or_default()
            .into_iter()
            .map(|arm| self.arm(arm, subject))
            .collect();
        // The last arm is the innermost: each goes into the `otherwise` of the one before it.
        let mut rest = Vec::new();
        for mut arm in arms.into_iter().rev() {
            if let Some(Stmt {
                kind: StmtKind::If { otherwise, .. },
                ..
            }) = arm.last_mut()
            {
                *otherwise = rest;
            }
            rest = arm;
        }
        out.append(&mut rest);
    }

    /// One `case`: an `If` as the last statement, or just its body where it always matches. What a guard
    /// reads is bound before the `If`, since the guard is part of the condition.
    fn arm(&mut self, node: Node<'_>, subject: ExprId) -> Vec<Stmt> {
        let patterns: Vec<Node<'_>> = parts(node)
            .into_iter()
            .filter(|part| part.kind() == "case_pattern")
            .collect();
        let place = match (patterns.first(), patterns.last()) {
            (Some(&first), Some(&last)) => self.across(first, last),
            _ => self.place(node),
        };
        let mut pattern = Pattern::default();
        if let [only] = *patterns {
            self.pattern(only, subject, &mut pattern);
        } else {
            self.sequence(&patterns, subject, place, &mut pattern);
        }
        let guard = node.child_by_field_name("guard").map(parts);
        let guard = guard.and_then(|parts| parts.first().map(|&guard| self.expr(guard)));
        let mut bindings: Vec<Stmt> = pattern
            .bindings
            .into_iter()
            .map(|(target, value)| {
                let kind = StmtKind::Assign {
                    targets: vec![target],
                    value,
                    annotation: None,
                };
                stmt(kind, self.exprs[target.0 as usize].place)
            })
            .collect();
        let mut body = node
            .child_by_field_name("consequence")
            .map(|body| self.block(body))
            .unwrap_or_default();
        let mut before = Vec::new();
        let mut tests = pattern.tests;
        if let Some(guard) = guard {
            before = bindings;
            tests.push(guard);
        } else {
            bindings.append(&mut body);
            body = bindings;
        }
        let Some(cond) = self.all(tests, place) else {
            before.append(&mut body);
            return before;
        };
        let kind = StmtKind::If {
            cond,
            then: body,
            otherwise: Vec::new(),
        };
        before.push(stmt(kind, place));
        before
    }

    fn pattern(&mut self, node: Node<'_>, subject: ExprId, into: &mut Pattern) {
        let place = self.place(node);
        match node.kind() {
            // Empty for `_`.
            "case_pattern" => {
                if let [part] = *parts(node) {
                    self.pattern(part, subject, into);
                }
            }
            "dotted_name" => {
                if parts(node).len() > 1 {
                    let value = self.dotted_expr(node);
                    self.equals(subject, value, place, into);
                } else if self.text_of(node) != "_" {
                    let target = self.dotted_expr(node);
                    into.bindings.push((target, subject));
                }
            }
            "string" | "concatenated_string" | "integer" | "float" | "true" | "false" | "none" => {
                let value = self.expr(node);
                // The sign of a number is a token before it.
                if let ExprKind::Literal(Literal::Int(number)) = &mut self.exprs[value.0 as usize].kind
                    && self.text[..node.start_byte()].trim_end().ends_with('-')
                {
                    *number = -*number;
                }
                self.equals(subject, value, place, into);
            }
            "as_pattern" => {
                for part in parts(node) {
                    if part.kind() == "identifier" {
                        let target = self.expr(part);
                        into.bindings.push((target, subject));
                    } else {
                        self.pattern(part, subject, into);
                    }
                }
            }
            "union_pattern" => self.union(node, subject, into),
            "class_pattern" => self.class_pattern(node, subject, into),
            "dict_pattern" => self.dict_pattern(node, subject, into),
            "list_pattern" | "tuple_pattern" => match *parts(node) {
                // `(p)` is `p`.
                [only] if node.kind() == "tuple_pattern" && !self.text_of(node).contains(',') => {
                    self.pattern(only, subject, into);
                }
                ref several => self.sequence(several, subject, place, into),
            },
            _ => {
                let unknown = self.push(ExprKind::Other(vec![subject]), place);
                into.tests.push(unknown);
            }
        }
    }

    fn union(&mut self, node: Node<'_>, subject: ExprId, into: &mut Pattern) {
        let place = self.place(node);
        let mut operands = Vec::new();
        for part in parts(node) {
            let mut one = Pattern::default();
            self.pattern(part, subject, &mut one);
            into.bindings.append(&mut one.bindings);
            match self.all(one.tests, place) {
                Some(test) => operands.push(test),
                None => return,
            }
        }
        let test = self.push(ExprKind::Logic { all: false, operands }, place);
        into.tests.push(test);
    }

    fn class_pattern(&mut self, node: Node<'_>, subject: ExprId, into: &mut Pattern) {
        let place = self.place(node);
        for part in parts(node) {
            if part.kind() == "dotted_name" {
                let class = self.dotted_expr(part);
                let kind = ExprKind::TypeTest {
                    value: subject,
                    types: vec![class],
                };
                let test = self.push(kind, place);
                into.tests.push(test);
                continue;
            }
            match *parts(part) {
                [keyword] if keyword.kind() == "keyword_pattern" => {
                    let [name, ref inner @ ..] = *parts(keyword) else {
                        continue;
                    };
                    let name_text = self.name(name);
                    let kind = ExprKind::Attribute {
                        base: subject,
                        name: name_text,
                    };
                    let attribute = self.push(kind, self.positions.place(name));
                    for &inner in inner {
                        self.pattern(inner, attribute, into);
                    }
                }
                // Which attribute a positional pattern reads is the class's affair.
                _ => {
                    let unknown = self.push(ExprKind::Other(vec![subject]), place);
                    self.pattern(part, unknown, into);
                }
            }
        }
    }

    fn dict_pattern(&mut self, node: Node<'_>, subject: ExprId, into: &mut Pattern) {
        let keys = field_parts(node, "key");
        let values = field_parts(node, "value");
        for (key, value) in keys.into_iter().zip(values) {
            let place = self.across(key, value);
            let index = self.expr(key);
            let item = self.push(ExprKind::Index { base: subject, index }, place);
            self.pattern(value, item, into);
        }
        if into.tests.is_empty() {
            let unknown = self.push(ExprKind::Other(vec![subject]), self.positions.place(node));
            into.tests.push(unknown);
        }
    }

    fn sequence(&mut self, patterns: &[Node<'_>], subject: ExprId, place: Place, into: &mut Pattern) {
        let shape = self.push(ExprKind::Other(vec![subject]), place);
        into.tests.push(shape);
        let mut tuple = match self.kind_of(subject) {
            ExprKind::List {
                kind: ListKind::Tuple,
                items,
            } if items.len() == patterns.len() => Some(items.clone().into_iter()),
            _ => None,
        };
        let count = i64::try_from(patterns.len()).unwrap_or(i64::MAX);
        let mut after_splat = false;
        for (index, &pattern) in (0..count).zip(patterns) {
            let from_end = index - count;
            let direct = tuple.as_mut().and_then(Iterator::next);
            let place = self.place(pattern);
            if let [splat] = *parts(pattern)
                && splat.kind() == "splat_pattern"
            {
                after_splat = true;
                if let [name] = *parts(splat) {
                    let target = self.expr(name);
                    let start = Some(self.push(ExprKind::Literal(Literal::Int(index)), place));
                    let end = match from_end {
                        -1 => None,
                        _ => Some(self.push(ExprKind::Literal(Literal::Int(from_end + 1)), place)),
                    };
                    let kind = ExprKind::Slice {
                        base: subject,
                        start,
                        end,
                        step: None,
                    };
                    let value = self.push(kind, place);
                    into.bindings.push((target, value));
                }
                continue;
            }
            let item = if let Some(item) = direct {
                item.value
            } else {
                let index = if after_splat { from_end } else { index };
                let index = self.push(ExprKind::Literal(Literal::Int(index)), place);
                self.push(ExprKind::Index { base: subject, index }, place)
            };
            self.pattern(pattern, item, into);
        }
    }

    fn equals(&mut self, left: ExprId, right: ExprId, place: Place, into: &mut Pattern) {
        let op = match self.kind_of(right) {
            ExprKind::Literal(Literal::None | Literal::Bool(_)) => CompareOp::Is,
            _ => CompareOp::Eq,
        };
        let test = self.push(ExprKind::Compare { op, left, right }, place);
        into.tests.push(test);
    }

    /// `a.b.c` in a pattern, as the attribute access that it is.
    fn dotted_expr(&mut self, node: Node<'_>) -> ExprId {
        let mut names = parts(node).into_iter();
        let Some(first) = names.next() else {
            return self.push(ExprKind::Other(Vec::new()), self.positions.place(node));
        };
        let mut expr = self.expr(first);
        for part in names {
            let name = self.name(part);
            let place = self.across(node, part);
            expr = self.push(ExprKind::Attribute { base: expr, name }, place);
        }
        expr
    }

    /// The conjunction of the tests; `None` when there is nothing to test.
    fn all(&mut self, tests: Vec<ExprId>, place: Place) -> Option<ExprId> {
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
