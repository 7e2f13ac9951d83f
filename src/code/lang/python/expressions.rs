//! Expressions.

use tree_sitter::Node;

use super::{Lowering, field_parts, parts};
use crate::code::ir::{Arg, Clause, ExprId, ExprKind, Item, ListKind, Literal, Name, Place};

impl Lowering<'_> {
    pub(super) fn expr(&mut self, node: Node<'_>) -> ExprId {
        let place = self.place(node);
        let kind = match node.kind() {
            // What the parser had to make up stands nowhere.
            _ if node.is_missing() => ExprKind::Other(Vec::new()),
            "parenthesized_expression" => match *parts(node) {
                [inner] if inner.kind() != "list_splat" => return self.expr(inner),
                _ => self.other(node),
            },
            "identifier" => ExprKind::Name(self.name(node)),
            "true" => ExprKind::Literal(Literal::Bool(true)),
            "false" => ExprKind::Literal(Literal::Bool(false)),
            "none" => ExprKind::Literal(Literal::None),
            "integer" => integer(self.text_of(node)),
            "float" => ExprKind::Literal(Literal::Float),
            "string" | "concatenated_string" => self.text(node),
            "attribute" => self.attribute(node),
            "subscript" => self.subscript(node),
            "call" => self.call(node),
            "list" | "list_pattern" => self.display(ListKind::List, node),
            "tuple" | "expression_list" | "pattern_list" | "tuple_pattern" => self.display(ListKind::Tuple, node),
            "set" => self.display(ListKind::Set, node),
            "dictionary" => self.dictionary(node),
            "list_comprehension" => self.comprehension(ListKind::List, node),
            "set_comprehension" => self.comprehension(ListKind::Set, node),
            "dictionary_comprehension" => self.comprehension(ListKind::Dict, node),
            "generator_expression" => self.comprehension(ListKind::Generator, node),
            "binary_operator" => self.binary(node),
            "unary_operator" => self.unary(node),
            "boolean_operator" => self.logic(node),
            "not_operator" => match node.child_by_field_name("argument") {
                Some(argument) => ExprKind::Not(self.expr(argument)),
                None => self.other(node),
            },
            "comparison_operator" => return self.comparison(node),
            "conditional_expression" => match *parts(node) {
                [then, cond, otherwise] => {
                    let cond = self.expr(cond);
                    ExprKind::Conditional {
                        cond,
                        then: self.expr(then),
                        otherwise: self.expr(otherwise),
                    }
                }
                _ => self.other(node),
            },
            "lambda" => self.lambda(node),
            "await" => match *parts(node) {
                [value] => ExprKind::Await(self.expr(value)),
                _ => self.other(node),
            },
            "yield" => {
                let here = self.here;
                self.function_mut(here).is_generator = true;
                let value = parts(node).first().map(|&value| self.expr(value));
                ExprKind::Yield(value)
            }
            "named_expression" => self.bind(node),
            _ => self.other(node),
        };
        self.push(kind, place)
    }

    /// What has no form of its own; the values inside it are still evaluated.
    pub(super) fn other(&mut self, node: Node<'_>) -> ExprKind {
        if node.is_error() {
            return ExprKind::Other(Vec::new());
        }
        ExprKind::Other(parts(node).into_iter().map(|part| self.expr(part)).collect())
    }

    fn attribute(&mut self, node: Node<'_>) -> ExprKind {
        let (Some(base), Some(name)) = (
            node.child_by_field_name("object"),
            node.child_by_field_name("attribute"),
        ) else {
            return self.other(node);
        };
        let base = self.expr(base);
        let name = self.name(name);
        ExprKind::Attribute { base, name }
    }

    fn subscript(&mut self, node: Node<'_>) -> ExprKind {
        let Some(base) = node.child_by_field_name("value") else {
            return self.other(node);
        };
        let base = self.expr(base);
        match *field_parts(node, "subscript") {
            [slice] if slice.kind() == "slice" => {
                let [start, end, step] = self.bounds(slice);
                ExprKind::Slice { base, start, end, step }
            }
            [index] => ExprKind::Index {
                base,
                index: self.expr(index),
            },
            ref several => {
                let items = several.iter().map(|&part| self.item(part)).collect();
                let kind = ListKind::Tuple;
                let index = self.push(ExprKind::List { kind, items }, self.positions.place(node));
                ExprKind::Index { base, index }
            }
        }
    }

    /// The three bounds of a slice; which one an expression is depends on the colons before it.
    fn bounds(&mut self, slice: Node<'_>) -> [Option<ExprId>; 3] {
        let mut bounds = [None; 3];
        let mut colons = 0;
        let mut cursor = slice.walk();
        for child in slice.children(&mut cursor) {
            if child.kind() == ":" {
                colons += 1;
            } else if child.is_named() && child.kind() != "comment" && colons < 3 {
                bounds[colons] = Some(self.expr(child));
            }
        }
        bounds
    }

    fn call(&mut self, node: Node<'_>) -> ExprKind {
        let (Some(callee), Some(arguments)) = (
            node.child_by_field_name("function"),
            node.child_by_field_name("arguments"),
        ) else {
            return self.other(node);
        };
        let callee = self.expr(callee);
        let args = if arguments.kind() == "generator_expression" {
            vec![Arg {
                value: self.expr(arguments),
                name: None,
                spread: false,
                gathers: false,
            }]
        } else {
            parts(arguments).into_iter().filter_map(|part| self.arg(part)).collect()
        };
        let values: Vec<ExprId> = args.iter().map(|arg| arg.value).collect();
        self.isinstance(callee, &values).unwrap_or(ExprKind::Call {
            callee,
            args,
            idiom: None,
        })
    }

    fn arg(&mut self, node: Node<'_>) -> Option<Arg> {
        match node.kind() {
            "keyword_argument" => {
                let name = node.child_by_field_name("name")?;
                let value = node.child_by_field_name("value")?;
                Some(Arg {
                    name: Some(self.name(name)),
                    value: self.expr(value),
                    spread: false,
                    gathers: false,
                })
            }
            "list_splat" | "dictionary_splat" => Some(Arg {
                value: self.expr(*parts(node).first()?),
                // A named spread can only bind by name, which the empty name says.
                name: (node.kind() == "dictionary_splat").then(|| Name::from("")),
                spread: true,
                gathers: false,
            }),
            _ => Some(Arg {
                value: self.expr(node),
                name: None,
                spread: false,
                gathers: false,
            }),
        }
    }

    fn display(&mut self, kind: ListKind, node: Node<'_>) -> ExprKind {
        let items = parts(node).into_iter().map(|part| self.item(part)).collect();
        ExprKind::List { kind, items }
    }

    fn item(&mut self, node: Node<'_>) -> Item {
        let inner = match node.kind() {
            "list_splat" | "list_splat_pattern" => parts(node).first().copied(),
            "parenthesized_list_splat" => match *parts(node) {
                [inner] => return self.item(inner),
                _ => None,
            },
            _ => None,
        };
        Item {
            value: self.expr(inner.unwrap_or(node)),
            spread: inner.is_some(),
        }
    }

    fn dictionary(&mut self, node: Node<'_>) -> ExprKind {
        let mut entries = Vec::new();
        for part in parts(node) {
            let (key, value) = (part.child_by_field_name("key"), part.child_by_field_name("value"));
            match (part.kind(), key, value) {
                ("pair", Some(key), Some(value)) => {
                    let key = self.expr(key);
                    entries.push((Some(key), self.expr(value)));
                }
                ("dictionary_splat", ..) => {
                    if let Some(&inner) = parts(part).first() {
                        entries.push((None, self.expr(inner)));
                    }
                }
                _ => {}
            }
        }
        ExprKind::Dict(entries)
    }

    fn comprehension(&mut self, kind: ListKind, node: Node<'_>) -> ExprKind {
        let mut clauses: Vec<Clause> = Vec::new();
        for part in parts(node) {
            match part.kind() {
                "for_in_clause" => {
                    let (Some(target), right) = (part.child_by_field_name("left"), field_parts(part, "right")) else {
                        continue;
                    };
                    let iter = self.one_or_tuple(&right, self.positions.place(part));
                    clauses.push(Clause {
                        target: self.expr(target),
                        iter,
                        conditions: Vec::new(),
                    });
                }
                "if_clause" => {
                    if let (Some(clause), [condition]) = (clauses.len().checked_sub(1), &*parts(part)) {
                        let condition = self.expr(*condition);
                        clauses[clause].conditions.push(condition);
                    }
                }
                _ => {}
            }
        }
        let Some(body) = node.child_by_field_name("body") else {
            return self.other(node);
        };
        let (element, value) = match (body.child_by_field_name("key"), body.child_by_field_name("value")) {
            (Some(key), Some(value)) if body.kind() == "pair" => (self.expr(key), Some(self.expr(value))),
            _ => (self.expr(body), None),
        };
        ExprKind::Comprehension {
            kind,
            element,
            value,
            clauses,
        }
    }

    /// `a, b` without brackets.
    pub(super) fn one_or_tuple(&mut self, nodes: &[Node<'_>], place: Place) -> ExprId {
        if let [node] = *nodes {
            return self.expr(node);
        }
        let items = nodes.iter().map(|&node| self.item(node)).collect();
        let kind = ListKind::Tuple;
        self.push(ExprKind::List { kind, items }, place)
    }

    fn bind(&mut self, node: Node<'_>) -> ExprKind {
        let (Some(target), Some(value)) = (node.child_by_field_name("name"), node.child_by_field_name("value")) else {
            return self.other(node);
        };
        let target = self.expr(target);
        ExprKind::Bind {
            target,
            value: self.expr(value),
        }
    }
}

fn integer(text: &str) -> ExprKind {
    let digits = text.replace('_', "");
    let lower = digits.to_ascii_lowercase();
    if lower.ends_with('j') {
        return ExprKind::Literal(Literal::Float);
    }
    let (radix, digits) = match lower.get(..2) {
        Some("0x") => (16, &lower[2..]),
        Some("0o") => (8, &lower[2..]),
        Some("0b") => (2, &lower[2..]),
        _ => (10, &*lower),
    };
    ExprKind::Literal(Literal::Int(i64::from_str_radix(digits, radix).unwrap_or(i64::MAX)))
}
