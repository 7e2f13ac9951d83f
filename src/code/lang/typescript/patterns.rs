//! Declarations and what they take apart.

use tree_sitter::Node;

use super::{Lowering, assign, bare, parts, stmt};
use crate::code::ir::{ExprId, ExprKind, Item, ListKind, Literal, Name, Place, Stmt, StmtKind};

/// One step from a value to a part of it.
#[derive(Clone)]
pub(super) enum Step {
    /// A property.
    Field(Name),
    /// An element.
    Item(i64),
    /// The elements from here on.
    Rest(i64),
}

impl Lowering<'_> {
    /// `const pattern: annotation = value`.
    pub(super) fn declaration(&mut self, declarator: Node<'_>, out: &mut Vec<Stmt>) {
        let (Some(pattern), value) = (
            declarator.child_by_field_name("name"),
            declarator.child_by_field_name("value"),
        ) else {
            return;
        };
        self.declare_all(pattern);
        let place = self.place(declarator);
        let type_node = declarator.child_by_field_name("type");
        if let Some(value) = value
            && self.require(pattern, value)
        {
            return;
        }
        if pattern.kind() != "identifier" {
            if let Some(value) = value {
                self.destructure(pattern, value, type_node, place, out);
            }
            return;
        }
        let mut annotation = type_node.and_then(|node| self.annotation_text(node));
        let Some(value) = value else {
            if annotation.is_some() {
                let target = self.expr(pattern);
                let value = self.push(ExprKind::Other(Vec::new()), place);
                out.push(typed(target, value, annotation, place));
            }
            return;
        };
        let name = self.name(pattern);
        if super::functions::is_function(bare(value).kind()) {
            return self.named_function(bare(value), name, out);
        }
        if bare(value).kind() == "class" {
            let class = self.class(bare(value), name);
            let place = self.classes[class.0 as usize].place;
            return out.push(stmt(StmtKind::Class(class), place));
        }
        // `[] as Message[]` says as much as an annotation.
        if annotation.is_none() && matches!(value.kind(), "as_expression" | "satisfies_expression") {
            annotation = parts(value).get(1).and_then(|node| self.annotation_text(*node));
        }
        let value = self.expr(value);
        let target = self.expr(pattern);
        out.push(typed(target, value, annotation, place));
    }

    /// `pattern = value`, where the pattern takes the value apart.
    pub(super) fn destructure(
        &mut self,
        pattern: Node<'_>,
        value: Node<'_>,
        annotation: Option<Node<'_>>,
        place: Place,
        out: &mut Vec<Stmt>,
    ) {
        if let Some(target) = self.list_target(pattern, bare(value)) {
            let value = self.expr(value);
            out.push(assign(target, value, place));
            return;
        }
        let source = self.expr(value);
        if let ("array_pattern", &[target]) = (pattern.kind(), &*parts(pattern))
            && target.kind() == "identifier"
            && !self.text_of(pattern).contains(',')
            && let Some(only) = self.only_item(source)
        {
            let target = self.expr(target);
            out.push(assign(target, only, place));
            return;
        }
        let root = if let ExprKind::Name(name) = self.kind_of(source) {
            name.clone()
        } else {
            let root = self.new_name();
            let target = self.push_name(&root, place);
            let annotation = annotation.and_then(|node| self.annotation_text(node));
            out.push(typed(target, source, annotation, place));
            root
        };
        self.pattern(pattern, &root, &mut Vec::new(), annotation, out);
    }

    /// `[first, ...rest]`, or a list of targets for a list that is written out.
    fn list_target(&mut self, pattern: Node<'_>, value: Node<'_>) -> Option<ExprId> {
        if pattern.kind() != "array_pattern" {
            return None;
        }
        let elements = parts(pattern);
        let commas = self.text_of(pattern).matches(',').count();
        let is_leaf = |node: &Node<'_>| {
            matches!(
                node.kind(),
                "identifier" | "member_expression" | "subscript_expression" | "rest_pattern"
            )
        };
        let has_rest = elements.iter().any(|element| element.kind() == "rest_pattern");
        let is_written_out = value.kind() == "array" && parts(value).len() == elements.len();
        let is_whole = elements.iter().all(is_leaf) && (commas < elements.len() || elements.is_empty());
        if !is_whole || !(has_rest || is_written_out) {
            return None;
        }
        let items = elements
            .into_iter()
            .map(|element| match parts(element).first() {
                Some(&inner) if element.kind() == "rest_pattern" => Item {
                    value: self.expr(inner),
                    spread: true,
                },
                _ => Item {
                    value: self.expr(element),
                    spread: false,
                },
            })
            .collect();
        let place = self.place(pattern);
        let kind = ListKind::Tuple;
        Some(self.push(ExprKind::List { kind, items }, place))
    }

    /// Binds the names of a pattern to parts of a variable.
    pub(super) fn pattern(
        &mut self,
        pattern: Node<'_>,
        root: &Name,
        path: &mut Vec<Step>,
        annotation: Option<Node<'_>>,
        out: &mut Vec<Stmt>,
    ) {
        match pattern.kind() {
            "object_pattern" => {
                for part in parts(pattern) {
                    self.property_pattern(part, root, path, annotation, out);
                }
            }
            "array_pattern" => {
                let mut index = 0;
                let mut cursor = pattern.walk();
                for child in pattern.children(&mut cursor) {
                    match child.kind() {
                        "," => index += 1,
                        "rest_pattern" => {
                            if let Some(&inner) = parts(child).first() {
                                path.push(Step::Rest(index));
                                self.pattern(inner, root, path, None, out);
                                path.pop();
                            }
                        }
                        _ if child.is_named() && child.kind() != "comment" => {
                            path.push(Step::Item(index));
                            self.pattern(child, root, path, None, out);
                            path.pop();
                        }
                        _ => {}
                    }
                }
            }
            "assignment_pattern" | "object_assignment_pattern" => {
                let (Some(left), default) = (
                    pattern.child_by_field_name("left"),
                    pattern.child_by_field_name("right"),
                ) else {
                    return;
                };
                if matches!(left.kind(), "object_pattern" | "array_pattern") {
                    return self.pattern(left, root, path, annotation, out);
                }
                self.leaf(left, default, root, path, annotation, out);
            }
            "required_parameter" | "optional_parameter" => {
                if let Some(inner) = pattern.child_by_field_name("pattern") {
                    self.pattern(inner, root, path, annotation, out);
                }
            }
            _ => self.leaf(pattern, None, root, path, annotation, out),
        }
    }

    fn property_pattern(
        &mut self,
        part: Node<'_>,
        root: &Name,
        path: &mut Vec<Step>,
        annotation: Option<Node<'_>>,
        out: &mut Vec<Stmt>,
    ) {
        let (key, target) = match part.kind() {
            "pair_pattern" => (part.child_by_field_name("key"), part.child_by_field_name("value")),
            "object_assignment_pattern" => (part.child_by_field_name("left"), Some(part)),
            "rest_pattern" => {
                if let Some(&inner) = parts(part).first() {
                    self.pattern(inner, root, path, None, out);
                }
                return;
            }
            _ => (Some(part), Some(part)),
        };
        let (Some(key), Some(target)) = (key, target) else {
            return;
        };
        let name = match key.kind() {
            "string" => self.string(key),
            _ => self.name(key),
        };
        path.push(Step::Field(name));
        self.pattern(target, root, path, annotation, out);
        path.pop();
    }

    fn leaf(
        &mut self,
        target: Node<'_>,
        default: Option<Node<'_>>,
        root: &Name,
        path: &[Step],
        annotation: Option<Node<'_>>,
        out: &mut Vec<Stmt>,
    ) {
        let place = self.place(target);
        let mut value = self.read(root, path, place);
        if let Some(default) = default {
            let operands = vec![value, self.expr(default)];
            value = self.push(ExprKind::Logic { all: false, operands }, place);
        }
        let annotation = match path {
            [Step::Field(name)] => self.property_annotation(annotation, &name.clone()),
            _ => None,
        };
        let target = self.expr(target);
        out.push(typed(target, value, annotation, place));
    }

    /// The part of a variable that lies at the end of a path.
    fn read(&mut self, root: &Name, path: &[Step], place: Place) -> ExprId {
        let mut value = self.push_name(root, place);
        for step in path {
            let base = value;
            let kind = match step {
                Step::Field(name) => ExprKind::Attribute {
                    base,
                    name: name.clone(),
                },
                Step::Item(index) => ExprKind::Index {
                    base,
                    index: self.push(ExprKind::Literal(Literal::Int(*index)), place),
                },
                Step::Rest(index) => ExprKind::Slice {
                    base,
                    start: Some(self.push(ExprKind::Literal(Literal::Int(*index)), place)),
                    end: None,
                    step: None,
                },
            };
            value = self.push(kind, place);
        }
        value
    }
}

fn typed(target: ExprId, value: ExprId, annotation: Option<Name>, place: Place) -> Stmt {
    let targets = vec![target];
    stmt(
        StmtKind::Assign {
            targets,
            value,
            annotation,
        },
        place,
    )
}
