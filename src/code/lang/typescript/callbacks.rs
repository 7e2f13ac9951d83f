//! Methods that take a function of each element: searches, filters, maps. What the function says is
//! written out in a comprehension where it is one expression, as other languages have it.

use tree_sitter::Node;

use super::{Lowering, assign, bare, has_token, parts, stmt};
use crate::code::ir::{Clause, ExprId, ExprKind, Intrinsic, Item, ListKind, Literal, Name, Place, Stmt, StmtKind};

/// A name that stands for a part of what a callback is given: `role` in `({ role }) => …`.
pub(super) struct Alias {
    name: Name,
    root: Name,
    field: Option<Name>,
}

/// What a callback makes of an element.
struct Taken {
    /// The variable that holds the element.
    element: Name,
    /// The variable that holds its position, where the callback asks for it.
    position: Option<Name>,
    /// What the callback gives.
    body: ExprId,
}

impl Lowering<'_> {
    /// What the name stands for, where a callback takes it from its parameter.
    pub(super) fn aliased(&mut self, node: Node<'_>) -> Option<ExprId> {
        let text = self.text_of(node);
        let alias = self.aliases.iter().rev().find(|alias| *alias.name == *text)?;
        let (root, field) = (alias.root.clone(), alias.field.clone());
        let place = self.place(node);
        let base = self.push_name(&root, place);
        Some(match field {
            Some(name) => self.push(ExprKind::Attribute { base, name }, place),
            None => base,
        })
    }

    /// A function's own parameters are no aliases of the callbacks around it.
    pub(super) fn shadow(&mut self, names: &[Name]) -> usize {
        let before = self.aliases.len();
        if before > 0 {
            self.aliases.extend(names.iter().map(|name| Alias {
                name: name.clone(),
                root: name.clone(),
                field: None,
            }));
        }
        before
    }

    /// A method that looks at each element of a list.
    pub(super) fn over_elements(
        &mut self,
        method: &str,
        receiver: Node<'_>,
        callback: Node<'_>,
        place: Place,
    ) -> Option<ExprId> {
        let kind = bare(callback).kind();
        let is_written_out = super::functions::is_function(kind);
        if !is_written_out && !matches!(kind, "identifier" | "member_expression" | "call_expression") {
            return None;
        }
        match method {
            "map" => return Some(self.mapped(receiver, callback, place)),
            // `find` by a value is a look-up in a store.
            "find" if kind == "call_expression" => return None,
            "filter" | "find" | "findLast" | "findIndex" | "findLastIndex" | "some" | "every" | "flatMap" => {}
            _ => return None,
        }
        let list = self.expr(receiver);
        let taken = self.taken(callback);
        let wants_position = matches!(method, "findIndex" | "findLastIndex");
        let position = taken
            .position
            .clone()
            .or_else(|| wants_position.then(|| self.new_name()));
        let mut iter = match &position {
            Some(_) => self.apply(Intrinsic::Enumerate, vec![list], place),
            None => list,
        };
        if matches!(method, "findLast" | "findLastIndex") {
            iter = self.apply(Intrinsic::Reversed, vec![iter], place);
        }
        let target = self.loop_target(&taken.element, position.as_ref(), place);
        let mut clause = Clause {
            target,
            iter,
            conditions: Vec::new(),
        };
        let given = match (&position, wants_position) {
            (Some(position), true) => position.clone(),
            _ => taken.element.clone(),
        };
        Some(match method {
            "some" | "every" => {
                let holds = self.comprehension(ListKind::Generator, taken.body, vec![clause], place);
                let op = if method == "some" {
                    Intrinsic::Any
                } else {
                    Intrinsic::All
                };
                self.apply(op, vec![holds], place)
            }
            "flatMap" => {
                let inner = self.new_name();
                let inner_target = self.push_name(&inner, place);
                let inner_clause = Clause {
                    target: inner_target,
                    iter: taken.body,
                    conditions: Vec::new(),
                };
                let element = self.push_name(&inner, place);
                self.comprehension(ListKind::List, element, vec![clause, inner_clause], place)
            }
            "filter" => {
                clause.conditions.push(taken.body);
                let element = self.push_name(&given, place);
                self.comprehension(ListKind::List, element, vec![clause], place)
            }
            _ => {
                clause.conditions.push(taken.body);
                let element = self.push_name(&given, place);
                let matches = self.comprehension(ListKind::Generator, element, vec![clause], place);
                let mut operands = vec![matches];
                if wants_position {
                    operands.push(self.push_int(-1, place));
                }
                self.apply(Intrinsic::First, operands, place)
            }
        })
    }

    /// `xs.map(f)`.
    pub(super) fn mapped(&mut self, list: Node<'_>, callback: Node<'_>, place: Place) -> ExprId {
        let list = self.expr(list);
        if inline_body(bare(callback)).is_none() {
            let function = self.expr(callback);
            return self.apply(Intrinsic::Map, vec![function, list], place);
        }
        let taken = self.taken(callback);
        let iter = match &taken.position {
            Some(_) => self.apply(Intrinsic::Enumerate, vec![list], place),
            None => list,
        };
        let target = self.loop_target(&taken.element, taken.position.as_ref(), place);
        let clause = Clause {
            target,
            iter,
            conditions: Vec::new(),
        };
        self.comprehension(ListKind::List, taken.body, vec![clause], place)
    }

    /// `xs.forEach(f)` as the loop that it is.
    pub(super) fn for_each(&mut self, receiver: Node<'_>, callback: Node<'_>, place: Place) -> Stmt {
        let list = self.expr(receiver);
        let callback = bare(callback);
        let params = parameters(callback);
        let block = callback.child_by_field_name("body");
        let is_written_out = super::functions::is_function(callback.kind());
        let (target, iter, body) = match block {
            Some(block) if is_written_out && params.len() <= 2 => {
                let mut body = Vec::new();
                let element = match params.first() {
                    Some(&pattern) => self.bound_element(pattern, &mut body),
                    None => self.new_name(),
                };
                let position = params.get(1).map(|pattern| self.bound_element(*pattern, &mut body));
                let iter = match position {
                    Some(_) => self.apply(Intrinsic::Enumerate, vec![list], place),
                    None => list,
                };
                self.callbacks += 1;
                if block.kind() == "statement_block" {
                    body.append(&mut self.block(block));
                } else {
                    self.expression_statement(block, &mut body);
                }
                self.callbacks -= 1;
                (self.loop_target(&element, position.as_ref(), place), iter, body)
            }
            _ => {
                let element = self.new_name();
                let called = self.called_with(callback, &element);
                let body = vec![stmt(StmtKind::Expr(called), place)];
                (self.loop_target(&element, None, place), list, body)
            }
        };
        let kind = StmtKind::For {
            target,
            iter,
            body,
            otherwise: Vec::new(),
            is_async: false,
        };
        stmt(kind, place)
    }

    /// The variable of a parameter; what a pattern takes from it is bound at the start of the body.
    fn bound_element(&mut self, pattern: Node<'_>, body: &mut Vec<Stmt>) -> Name {
        self.declare_all(pattern);
        if pattern.kind() == "identifier" {
            return self.name(pattern);
        }
        let element = self.new_name();
        self.destructure_name(pattern, &element, None, body);
        element
    }

    pub(super) fn loop_target(&mut self, element: &Name, position: Option<&Name>, place: Place) -> ExprId {
        let element = self.push_name(element, place);
        let Some(position) = position else { return element };
        let position = self.push_name(position, place);
        let items = [position, element]
            .into_iter()
            .map(|value| Item { value, spread: false })
            .collect();
        let kind = ListKind::Tuple;
        self.push(ExprKind::List { kind, items }, place)
    }

    fn comprehension(&mut self, kind: ListKind, element: ExprId, clauses: Vec<Clause>, place: Place) -> ExprId {
        let value = None;
        self.push(
            ExprKind::Comprehension {
                kind,
                element,
                value,
                clauses,
            },
            place,
        )
    }

    /// What the callback gives for an element.
    fn taken(&mut self, callback: Node<'_>) -> Taken {
        let callback = bare(callback);
        let Some(body) = inline_body(callback) else {
            let element = self.new_name();
            let body = self.called_with(callback, &element);
            return Taken {
                element,
                position: None,
                body,
            };
        };
        let before = self.aliases.len();
        let params = parameters(callback);
        let mut names: Vec<Name> = Vec::new();
        for pattern in &params {
            names.push(self.taken_by(*pattern));
        }
        let body = self.expr(body);
        self.aliases.truncate(before);
        let mut names = names.into_iter();
        Taken {
            element: names.next().unwrap_or_else(|| self.new_name()),
            position: names.next(),
            body,
        }
    }

    /// The variable of a parameter; the names in a pattern stand for its parts.
    fn taken_by(&mut self, pattern: Node<'_>) -> Name {
        if pattern.kind() == "identifier" {
            let name = self.name(pattern);
            self.shadow(std::slice::from_ref(&name));
            return name;
        }
        let root = self.new_name();
        for part in parts(pattern) {
            let (field, name) = match (part.child_by_field_name("key"), part.child_by_field_name("value")) {
                (Some(key), Some(value)) => (self.name(key), self.name(value)),
                _ => (self.name(part), self.name(part)),
            };
            self.aliases.push(Alias {
                name,
                root: root.clone(),
                field: Some(field),
            });
        }
        root
    }

    /// `callback(element)`; `Boolean` is the element's own truth.
    fn called_with(&mut self, callback: Node<'_>, element: &Name) -> ExprId {
        let place = self.place(callback);
        let element = self.push_name(element, place);
        if self.text_of(callback) == "Boolean" {
            return element;
        }
        let callee = self.expr(callback);
        let args = vec![super::calls::argument(element)];
        let idiom = None;
        self.push(ExprKind::Call { callee, args, idiom }, place)
    }

    /// Binds what a pattern takes from a variable.
    pub(super) fn destructure_name(
        &mut self,
        pattern: Node<'_>,
        root: &Name,
        annotation: Option<Node<'_>>,
        out: &mut Vec<Stmt>,
    ) {
        let place = self.place(pattern);
        if pattern.kind() == "identifier" {
            let target = self.expr(pattern);
            let value = self.push_name(root, place);
            out.push(assign(target, value, place));
            return;
        }
        self.pattern(pattern, root, &mut Vec::new(), annotation, out);
    }
}

/// The expression that a callback gives, where it is nothing else and takes its parameters as they are.
fn inline_body(callback: Node<'_>) -> Option<Node<'_>> {
    if !matches!(callback.kind(), "arrow_function" | "function_expression") || has_token(callback, "async") {
        return None;
    }
    let params = parameters(callback);
    if params.len() > 2 || !params.iter().all(|param| is_plain(*param)) {
        return None;
    }
    let body = callback.child_by_field_name("body")?;
    if body.kind() != "statement_block" {
        return Some(body);
    }
    match *parts(body) {
        [only] if only.kind() == "return_statement" => parts(only).first().copied(),
        _ => None,
    }
}

/// A name, or a pattern of names without defaults.
fn is_plain(pattern: Node<'_>) -> bool {
    match pattern.kind() {
        "identifier" => true,
        "object_pattern" => parts(pattern).into_iter().all(|part| match part.kind() {
            "shorthand_property_identifier_pattern" => true,
            "pair_pattern" => {
                let kind = |field| part.child_by_field_name(field).map(|node| node.kind());
                kind("key") == Some("property_identifier") && kind("value") == Some("identifier")
            }
            _ => false,
        }),
        _ => false,
    }
}

/// The patterns of a function's parameters; none at all for one with a rest or a default.
fn parameters(function: Node<'_>) -> Vec<Node<'_>> {
    if let Some(only) = function.child_by_field_name("parameter") {
        return vec![only];
    }
    let Some(params) = function.child_by_field_name("parameters") else {
        return Vec::new();
    };
    parts(params)
        .into_iter()
        .filter_map(|param| match param.child_by_field_name("value") {
            Some(_) => Some(param),
            None => param.child_by_field_name("pattern"),
        })
        .collect()
}

/// Whether nothing but `null` or the like is there.
pub(super) fn is_nothing(kind: &ExprKind) -> bool {
    matches!(kind, ExprKind::Other(inner) if inner.is_empty()) || matches!(kind, ExprKind::Literal(Literal::None))
}
