//! Macros: those that were rewritten to calls (see `tokens`), and `matches!`.

use std::rc::Rc;

use tree_sitter::Node;

use super::blocks::Dest;
use super::patterns::Pattern;
use super::{Lowering, parts, stmt};
use crate::code::ir::{BinaryOp, CompareOp, ExprId, ExprKind, Item, ListKind, Literal, Place, Stmt, StmtKind};

/// How many fragments may be inside each other.
const MAX_FRAGMENTS: u32 = 3;

impl Lowering<'_> {
    /// The name of the macro that a call was rewritten from.
    pub(super) fn macro_name(&self, call: Node<'_>) -> Option<String> {
        let function = call.child_by_field_name("function")?;
        let name = match function.kind() {
            "scoped_identifier" => function.child_by_field_name("name")?,
            "identifier" => function,
            _ => return None,
        };
        let text = self.text_of(name).strip_suffix('_')?;
        // In a fragment everything was rewritten before.
        let is_macro = self.at.is_some() || self.original.as_bytes().get(name.end_byte() - 1) == Some(&b'!');
        is_macro.then(|| text.to_owned())
    }

    /// Lowers a macro that stands as a statement; whether the node is one.
    pub(super) fn macro_statement(&mut self, node: Node<'_>, dest: &Dest, out: &mut Vec<Stmt>) -> bool {
        let place = self.place(node);
        if node.kind() != "call_expression" {
            return false;
        }
        let Some(name) = self.macro_name(node) else {
            return false;
        };
        let args = super::arguments(node);
        match &*name {
            "panic" | "unreachable" | "todo" | "unimplemented" | "bail" => {
                let text = self.hoisting(out, |lowering| lowering.template(&args, place));
                out.push(stmt(StmtKind::Raise(Some(text)), place));
            }
            "ensure" => {
                let Some((&cond, message)) = args.split_first() else {
                    return true;
                };
                let (cond, text) = self.hoisting(out, |lowering| {
                    let cond = lowering.expr(cond);
                    (cond, lowering.template(message, place))
                });
                let cond = self.push(ExprKind::Not(cond), place);
                out.push(stmt(
                    StmtKind::If {
                        cond,
                        then: vec![stmt(StmtKind::Raise(Some(text)), place)],
                        otherwise: Vec::new(),
                    },
                    place,
                ));
            }
            "assert" | "debug_assert" => {
                let Some(&cond) = args.first() else { return true };
                let cond = self.hoisting(out, |lowering| lowering.expr(cond));
                out.push(stmt(StmtKind::Assert { cond }, place));
            }
            "assert_eq" | "debug_assert_eq" | "assert_ne" | "debug_assert_ne" => {
                let [left, right, ..] = args[..] else { return true };
                let op = if name.ends_with("_ne") {
                    CompareOp::NotEq
                } else {
                    CompareOp::Eq
                };
                let (left, right) = self.hoisting(out, |lowering| (lowering.expr(left), lowering.expr(right)));
                let cond = self.push(ExprKind::Compare { op, left, right }, place);
                out.push(stmt(StmtKind::Assert { cond }, place));
            }
            // Writing to a text is adding to it.
            "write" | "writeln" => {
                let Some((&target, message)) = args.split_first() else {
                    return true;
                };
                let (target, value) = self.hoisting(out, |lowering| {
                    let target = lowering.expr(target);
                    (target, lowering.template(message, place))
                });
                self.write_to(target, value, dest, place, out);
            }
            _ => return false,
        }
        true
    }

    /// Adds to a text; writing as the last thing ends the function, whose value is the text where that is
    /// what it is for.
    pub(super) fn write_to(&mut self, target: ExprId, value: ExprId, dest: &Dest, place: Place, out: &mut Vec<Stmt>) {
        let op = BinaryOp::Add;
        out.push(stmt(StmtKind::Update { target, op, value }, place));
        if matches!(dest, Dest::Return) {
            let done = self.none(place);
            self.deliver(done, dest, place, out);
        }
    }

    /// What a rewritten macro gives.
    pub(super) fn macro_call(&mut self, name: &str, node: Node<'_>) -> ExprId {
        let place = self.place(node);
        let args = super::arguments(node);
        match name {
            "vec" | "smallvec" => self.list_macro(&args, place),
            "json" => match args.first() {
                Some(&value) => self.json(value),
                None => self.unknown(Vec::new(), place),
            },
            "format" | "format_args" | "anyhow" | "eyre" => self.template(&args, place),
            "print" | "println" | "eprint" | "eprintln" => {
                let print = self.intern("print");
                let callee = self.named(&print, place);
                let text = self.template(&args, place);
                self.push(
                    ExprKind::Call {
                        callee,
                        args: vec![super::expressions::plain(text)],
                        idiom: None,
                    },
                    place,
                )
            }
            "dbg" => match args.first() {
                Some(&value) => self.expr(value),
                None => self.none(place),
            },
            "join" | "try_join" => {
                let values: Vec<ExprId> = args.iter().map(|&arg| self.expr(arg)).collect();
                let items = values.into_iter().map(|value| Item { value, spread: false }).collect();
                let kind = ListKind::Tuple;
                self.push(ExprKind::List { kind, items }, place)
            }
            _ => {
                let values = args.iter().map(|&arg| self.expr(arg)).collect();
                self.unknown(values, place)
            }
        }
    }

    /// `vec![a, b]`; of `vec![x; n]`, the values in it.
    fn list_macro(&mut self, args: &[Node<'_>], place: Place) -> ExprId {
        if let [value, count] = *args {
            let between = value.end_byte()..count.start_byte();
            let repeats = self.at.is_none() && self.original.get(between).is_some_and(|text| text.contains(';'));
            if repeats {
                let values = vec![self.expr(value), self.expr(count)];
                return self.unknown(values, place);
            }
        }
        let items = args.iter().map(|&arg| Item {
            value: self.expr(arg),
            spread: false,
        });
        let items = items.collect();
        let kind = ListKind::List;
        self.push(ExprKind::List { kind, items }, place)
    }

    /// A value in `json!`: objects were rewritten to tuples of keys and values.
    fn json(&mut self, node: Node<'_>) -> ExprId {
        let place = self.place(node);
        let was_object = self.at.is_none() && self.original.as_bytes().get(node.start_byte()) == Some(&b'{');
        match node.kind() {
            "tuple_expression" | "unit_expression" | "parenthesized_expression" if was_object => {
                let values = parts(node);
                let mut entries = Vec::new();
                for pair in values.chunks(2) {
                    if let [key, value] = *pair {
                        let key = self.expr(key);
                        entries.push((Some(key), self.json(value)));
                    }
                }
                self.push(ExprKind::Dict(entries), place)
            }
            "array_expression" => {
                let items = parts(node).into_iter().map(|part| Item {
                    value: self.json(part),
                    spread: false,
                });
                let items = items.collect();
                let kind = ListKind::List;
                self.push(ExprKind::List { kind, items }, place)
            }
            "identifier" if self.text_of(node) == "null" => self.none(place),
            _ => self.expr(node),
        }
    }

    /// A macro whose arguments the grammar leaves alone.
    pub(super) fn macro_value(&mut self, node: Node<'_>) -> ExprId {
        let place = self.place(node);
        match self.fragment_of(node, "matches") {
            Some((value, pattern)) => self.matches(&value, &pattern, place),
            None => self.unknown(Vec::new(), place),
        }
    }

    /// The value and the pattern of `matches!(value, pattern)`.
    fn fragment_of(&self, node: Node<'_>, wanted: &str) -> Option<(String, String)> {
        let name = node.child_by_field_name("macro")?;
        if self.words(name).last().map(String::as_str) != Some(wanted) || self.fragments >= MAX_FRAGMENTS {
            return None;
        }
        let tokens = parts(node).into_iter().find(|part| part.kind() == "token_tree")?;
        let inside = self.text_of(tokens);
        let inside = inside.get(1..inside.len().checked_sub(1)?)?;
        let comma = top_level_comma(inside)?;
        let pattern = inside[comma + 1..].trim().trim_end_matches(',');
        Some((inside[..comma].to_owned(), pattern.to_owned()))
    }

    fn matches(&mut self, value: &str, pattern: &str, place: Place) -> ExprId {
        let source = format!("fn f() {{ match {value} {{ {pattern} => {{}} }} }}");
        let mut test = None;
        self.fragment(&source, place, |lowering, found| {
            test = lowering.matches_arm(found);
        });
        test.unwrap_or_else(|| self.unknown(Vec::new(), place))
    }

    fn matches_arm(&mut self, found: Node<'_>) -> Option<ExprId> {
        let place = self.place(found);
        let value = self.expr(found.child_by_field_name("value")?);
        let value = if self.is_still(value) { value } else { self.kept(value) };
        let arm = parts(found.child_by_field_name("body")?).first().copied()?;
        let match_pattern = arm.child_by_field_name("pattern")?;
        let mut pattern = Pattern::default();
        self.pattern(match_pattern, value, &mut pattern);
        if let Some(guard) = match_pattern.child_by_field_name("condition") {
            let bindings = std::mem::take(&mut pattern.bindings);
            let test = self.standing_for(&bindings, |lowering| lowering.expr(guard));
            pattern.tests.push(test);
        }
        let always = ExprKind::Literal(Literal::Bool(true));
        let test = self.all(pattern.tests, place);
        Some(test.unwrap_or_else(|| self.push(always, place)))
    }

    /// Parses a text that is not in the file as it stands, and lowers the `match` in it.
    fn fragment(&mut self, source: &str, place: Place, lower: impl FnOnce(&mut Self, Node<'_>)) {
        let Ok(prepared) = super::tokens::prepare(source, crate::code::lang::survey::MAX_DEPTH) else {
            return;
        };
        let Some(tree) = super::parse(&prepared) else { return };
        if tree.root_node().has_error() {
            return;
        }
        let Some(found) = find_match(tree.root_node()) else {
            return;
        };
        let text = std::mem::replace(&mut self.text, Rc::from(prepared));
        let at = self.at.replace(place);
        self.fragments += 1;
        lower(self, found);
        self.fragments -= 1;
        self.at = at;
        self.text = text;
    }
}

fn find_match(root: Node<'_>) -> Option<Node<'_>> {
    let mut node = root;
    for _ in 0..6 {
        let next = parts(node).into_iter().find(|part| {
            matches!(
                part.kind(),
                "function_item" | "block" | "expression_statement" | "match_expression"
            )
        })?;
        if next.kind() == "match_expression" {
            return Some(next);
        }
        node = next;
    }
    None
}

/// Where the first comma outside brackets and texts is.
fn top_level_comma(text: &str) -> Option<usize> {
    let mut depth = 0_i32;
    let mut quoted = false;
    let mut escaped = false;
    for (at, character) in text.char_indices() {
        match character {
            _ if escaped => escaped = false,
            '\\' if quoted => escaped = true,
            '"' => quoted = !quoted,
            _ if quoted => {}
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth -= 1,
            ',' if depth == 0 => return Some(at),
            _ => {}
        }
    }
    None
}
