//! Classes.

use tree_sitter::Node;

use super::functions::header;
use super::{Lowering, parts};
use crate::code::ir::{Class, ClassId, ExprId, Field, Name};

impl Lowering<'_> {
    /// Lowers a class; its decorators are already lowered, since they belong to the scope around it.
    pub(super) fn class(&mut self, node: Node<'_>, outer: Option<ClassId>, decorators: Vec<ExprId>) -> ClassId {
        let bases = node.child_by_field_name("superclasses").map(parts).unwrap_or_default();
        let bases = bases
            .into_iter()
            .filter(|base| base.kind() != "keyword_argument")
            .map(|base| self.expr(base))
            .collect();
        let (first, last) = header(node);
        let id = ClassId(self.classes.len() as u32);
        let class = Class {
            name: node
                .child_by_field_name("name")
                .map_or_else(|| Name::from(""), |name| self.name(name)),
            bases,
            methods: Vec::new(),
            fields: Vec::new(),
            decorators,
            scope: self.here,
            outer,
            extends: None,
            is_record: false,
            place: self.across(first, last),
        };
        self.classes.push(class);
        if let Some(body) = node.child_by_field_name("body") {
            self.class_block(id, body);
        }
        id
    }

    /// The members in a block of a class body; those under `if TYPE_CHECKING` and the like count too.
    fn class_block(&mut self, class: ClassId, block: Node<'_>) {
        for part in parts(block) {
            match part.kind() {
                "function_definition" => {
                    let method = self.function(part, Some(class), Vec::new());
                    self.add_method(class, method);
                }
                "class_definition" => {
                    self.class(part, Some(class), Vec::new());
                }
                "decorated_definition" => {
                    if let super::functions::Decorated::Function(method) = self.decorated(part, Some(class)) {
                        self.add_method(class, method);
                    }
                }
                "expression_statement" => {
                    for part in parts(part) {
                        if part.kind() == "assignment" {
                            self.field(class, part);
                        }
                    }
                }
                "import_statement" => self.import(part),
                "import_from_statement" => self.import_from(part),
                "if_statement" | "else_clause" | "elif_clause" | "try_statement" | "except_clause"
                | "finally_clause" | "with_statement" | "block" => self.class_block(class, part),
                _ => {}
            }
        }
    }

    fn add_method(&mut self, class: ClassId, method: crate::code::ir::FunctionId) {
        let name = self.function_mut(method).name.clone();
        self.class_mut(class).methods.push((name, method));
    }

    fn field(&mut self, class: ClassId, assignment: Node<'_>) {
        let Some(left) = assignment.child_by_field_name("left") else {
            return;
        };
        if left.kind() != "identifier" {
            return;
        }
        let field = Field {
            name: self.name(left),
            annotation: assignment.child_by_field_name("type").map(|text| self.annotation(text)),
            value: assignment.child_by_field_name("right").map(|value| self.expr(value)),
        };
        self.class_mut(class).fields.push(field);
    }
}
