//! Classes, and what else has named members: interfaces, object types, enumerations, namespaces.

use tree_sitter::Node;

use super::functions::{Method, is_function};
use super::{Lowering, bare, field_parts, has_token, parts, stmt};
use crate::code::ir::{
    Class, ClassId, ExprId, ExprKind, Field, FunctionId, Literal, Name, Place, Special, Stmt, StmtKind,
};

/// The name of every constructor.
pub(super) const CONSTRUCTOR: &str = "constructor";

impl Lowering<'_> {
    /// A class under this name.
    pub(super) fn class(&mut self, node: Node<'_>, name: Name) -> ClassId {
        let decorators = self.decorators(node);
        let bases = self.bases(node);
        let last = parts(node)
            .into_iter()
            .rfind(|part| matches!(part.kind(), "class_heritage" | "type_identifier"))
            .unwrap_or(node);
        let place = if last == node {
            Place {
                end: self.place(node).start,
                ..self.place(node)
            }
        } else {
            self.across(node.child_by_field_name("name").unwrap_or(node), last)
        };
        let id = self.open_class(name, bases, decorators, place);
        if let Some(body) = node.child_by_field_name("body") {
            self.members(id, body);
        }
        id
    }

    fn open_class(&mut self, name: Name, bases: Vec<ExprId>, decorators: Vec<ExprId>, place: Place) -> ClassId {
        let id = ClassId(self.classes.len() as u32);
        self.classes.push(Class {
            name,
            bases,
            methods: Vec::new(),
            fields: Vec::new(),
            decorators,
            scope: self.here,
            outer: None,
            extends: None,
            is_record: false,
            place,
        });
        id
    }

    /// A class that is a value; it is bound under its name like any other.
    pub(super) fn class_expression(&mut self, node: Node<'_>) -> ExprId {
        let place = self.place(node);
        let name = match node.child_by_field_name("name") {
            Some(name) => self.name(name),
            None => self.new_name(),
        };
        let class = self.class(node, name.clone());
        self.effects
            .push(stmt(StmtKind::Class(class), self.classes[class.0 as usize].place));
        self.push_name(&name, place)
    }

    /// What stands behind `extends` and `implements`.
    fn bases(&mut self, node: Node<'_>) -> Vec<ExprId> {
        let heritage = parts(node).into_iter().find(|part| part.kind() == "class_heritage");
        let mut bases = Vec::new();
        for clause in heritage.map(parts).unwrap_or_default() {
            match clause.kind() {
                "extends_clause" => {
                    for value in field_parts(clause, "value") {
                        bases.push(self.expr(value));
                    }
                }
                "implements_clause" => {
                    for of in parts(clause) {
                        bases.extend(self.type_as_value(of));
                    }
                }
                // Plain JavaScript: `extends value` without a clause.
                _ => bases.push(self.expr(clause)),
            }
        }
        bases
    }

    /// The name of a type as an expression, without its arguments.
    fn type_as_value(&mut self, node: Node<'_>) -> Option<ExprId> {
        let named = match node.kind() {
            "generic_type" => node.child_by_field_name("name")?,
            _ => node,
        };
        let place = self.place(named);
        match named.kind() {
            "type_identifier" | "identifier" => {
                let name = self.name(named);
                Some(self.push(ExprKind::Name(name), place))
            }
            "nested_type_identifier" => {
                let base = named.child_by_field_name("module")?;
                let base = self.expr(base);
                let name = self.name(named.child_by_field_name("name")?);
                Some(self.push(ExprKind::Attribute { base, name }, place))
            }
            _ => None,
        }
    }

    fn members(&mut self, class: ClassId, body: Node<'_>) {
        let mut decorators = Vec::new();
        for part in parts(body) {
            match part.kind() {
                // Decorators stand beside the member that they belong to.
                "decorator" => {
                    if let Some(&value) = parts(part).first() {
                        let value = self.expr(value);
                        decorators.push(value);
                    }
                    continue;
                }
                "method_definition" | "abstract_method_signature" => {
                    self.method_of(class, part, std::mem::take(&mut decorators));
                }
                "public_field_definition" => self.field(class, part, std::mem::take(&mut decorators)),
                _ => {}
            }
            decorators.clear();
        }
    }

    fn method_of(&mut self, class: ClassId, node: Node<'_>, mut decorators: Vec<ExprId>) {
        let Some(name) = node
            .child_by_field_name("name")
            .and_then(|name| self.property_name(name))
        else {
            return;
        };
        let place = self.place(node);
        let special = if has_token(node, "set") {
            Some(Special::Setter)
        } else {
            (&*name == CONSTRUCTOR).then_some(Special::Constructor)
        };
        if has_token(node, "get") {
            // Reading the attribute calls it.
            decorators.push(self.push(ExprKind::Name(Name::from("property")), place));
        }
        let method = Method {
            class,
            is_static: has_token(node, "static"),
            special,
            decorators,
        };
        let id = self.function(node, name.clone(), Some(method));
        self.class_mut(class).methods.push((name, id));
    }

    fn field(&mut self, class: ClassId, node: Node<'_>, decorators: Vec<ExprId>) {
        let Some(name) = node
            .child_by_field_name("name")
            .and_then(|name| self.property_name(name))
        else {
            return;
        };
        let annotation = self.annotation(node, "type");
        let value = node.child_by_field_name("value");
        // `handle = async () => …` is a method that keeps its receiver.
        if let Some(value) = value.map(bare).filter(|value| is_function(value.kind())) {
            let method = Method {
                class,
                is_static: has_token(node, "static"),
                special: None,
                decorators,
            };
            let id = self.function(value, name.clone(), Some(method));
            self.class_mut(class).methods.push((name, id));
            return;
        }
        let value = value.map(|value| self.expr(value));
        self.class_mut(class).fields.push(Field {
            name,
            annotation,
            value,
        });
    }

    /// An interface, or the alias of an object type: fields with their types. Any other alias names no
    /// members.
    pub(super) fn object_type(&mut self, node: Node<'_>, out: &mut Vec<Stmt>) {
        let Some(name_node) = node.child_by_field_name("name") else {
            return;
        };
        let name = self.name(name_node);
        let place = self.place(name_node);
        let mut bases = Vec::new();
        let mut bodies = Vec::new();
        if let Some(body) = node.child_by_field_name("body") {
            bodies.push(body);
            for clause in parts(node) {
                if clause.kind() == "extends_type_clause" {
                    for of in field_parts(clause, "type") {
                        bases.extend(self.type_as_value(of));
                    }
                }
            }
        }
        let mut open: Vec<Node<'_>> = node.child_by_field_name("value").into_iter().collect();
        while let Some(value) = open.pop() {
            match value.kind() {
                "object_type" => bodies.push(value),
                "intersection_type" | "parenthesized_type" => open.extend(parts(value).into_iter().rev()),
                "generic_type" | "type_identifier" | "nested_type_identifier" => {
                    bases.extend(self.type_as_value(value))
                }
                _ => {}
            }
        }
        if bodies.is_empty() {
            return;
        }
        let id = self.open_class(name, bases, Vec::new(), place);
        for part in bodies.into_iter().flat_map(parts) {
            if part.kind() != "property_signature" {
                continue;
            }
            if let Some(name) = part
                .child_by_field_name("name")
                .and_then(|name| self.property_name(name))
            {
                let annotation = self.annotation(part, "type");
                let value = None;
                self.class_mut(id).fields.push(Field {
                    name,
                    annotation,
                    value,
                });
            }
        }
        out.push(stmt(StmtKind::Class(id), place));
    }

    /// An enumeration: a class whose fields have the values of its members.
    pub(super) fn enumeration(&mut self, node: Node<'_>, out: &mut Vec<Stmt>) {
        let Some(name_node) = node.child_by_field_name("name") else {
            return;
        };
        let name = self.name(name_node);
        let place = self.place(name_node);
        let id = self.open_class(name, Vec::new(), Vec::new(), place);
        for part in node.child_by_field_name("body").map(parts).unwrap_or_default() {
            let (name_node, value) = match part.kind() {
                "enum_assignment" => (part.child_by_field_name("name"), part.child_by_field_name("value")),
                _ => (Some(part), None),
            };
            let Some(name) = name_node.and_then(|name| self.property_name(name)) else {
                continue;
            };
            let place = self.place(part);
            let value = match value {
                Some(value) => self.expr(value),
                None => self.push(ExprKind::Literal(Literal::Float), place),
            };
            self.class_mut(id).fields.push(Field {
                name,
                annotation: None,
                value: Some(value),
            });
        }
        out.push(stmt(StmtKind::Class(id), place));
    }

    /// A namespace: its statements stand where it stands, and a class of its name has its members.
    pub(super) fn namespace(&mut self, node: Node<'_>, out: &mut Vec<Stmt>) {
        let (Some(name_node), Some(body)) = (node.child_by_field_name("name"), node.child_by_field_name("body")) else {
            return;
        };
        let inner = self.block(body);
        if name_node.kind() == "identifier" {
            let name = self.name(name_node);
            let place = self.place(name_node);
            let id = self.open_class(name, Vec::new(), Vec::new(), place);
            for stmt in &inner {
                self.member_of_namespace(id, stmt);
            }
            out.push(stmt(StmtKind::Class(id), place));
        }
        out.extend(inner);
    }

    fn member_of_namespace(&mut self, class: ClassId, stmt: &Stmt) {
        match &stmt.kind {
            StmtKind::Function(function) => {
                let FunctionId(index) = *function;
                let name = self.functions[index as usize].name.clone();
                self.class_mut(class).methods.push((name, *function));
            }
            StmtKind::Class(inner) if self.classes[inner.0 as usize].outer.is_none() => {
                self.class_mut(*inner).outer = Some(class);
            }
            StmtKind::Assign {
                targets,
                value,
                annotation,
            } => {
                for target in targets {
                    if let ExprKind::Name(name) = self.kind_of(*target) {
                        let field = Field {
                            name: name.clone(),
                            annotation: annotation.clone(),
                            value: Some(*value),
                        };
                        self.class_mut(class).fields.push(field);
                    }
                }
            }
            _ => {}
        }
    }
}
