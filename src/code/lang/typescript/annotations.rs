//! Type annotations in the form that all languages share: `Array[Message] | None`.

use tree_sitter::Node;

use super::{Lowering, parts};
use crate::code::ir::Name;

/// The longest type that is written out where its name stands.
const LONGEST: usize = 200;

/// How deep a type is read.
const MAX_DEPTH: usize = 12;

impl Lowering<'_> {
    /// Reads the types that have a name of their own at the top of the file, in order, so that one may
    /// stand in another. Types of objects are classes instead.
    pub(super) fn type_aliases(&mut self, root: Node<'_>) {
        for mut node in parts(root) {
            if let Some(declaration) = node.child_by_field_name("declaration") {
                node = declaration;
            }
            if node.kind() != "type_alias_declaration" {
                continue;
            }
            let (Some(name), Some(value)) = (node.child_by_field_name("name"), node.child_by_field_name("value"))
            else {
                continue;
            };
            let text = self.type_text(value, 0);
            if text.len() < LONGEST && !text.contains("object") {
                self.types.insert(self.text_of(name), text);
            }
        }
    }

    /// The annotation of a node that may have one in this field.
    pub(super) fn annotation(&mut self, node: Node<'_>, field: &str) -> Option<Name> {
        let annotation = node.child_by_field_name(field)?;
        self.annotation_text(annotation)
    }

    /// A type, or the annotation around one; `None` where it says nothing.
    pub(super) fn annotation_text(&mut self, node: Node<'_>) -> Option<Name> {
        let text = self.type_text(node, 0);
        (!text.is_empty() && text != "object").then(|| Name::from(text))
    }

    fn type_text(&self, node: Node<'_>, depth: usize) -> String {
        if depth > MAX_DEPTH {
            return "object".to_owned();
        }
        let inner = |this: &Self, node: Node<'_>| match parts(node).first() {
            Some(&first) => this.type_text(first, depth + 1),
            None => String::new(),
        };
        let all = |this: &Self, node: Node<'_>| -> Vec<String> {
            parts(node)
                .into_iter()
                .map(|part| this.type_text(part, depth + 1))
                .collect()
        };
        match node.kind() {
            "type_annotation"
            | "parenthesized_type"
            | "readonly_type"
            | "optional_type"
            | "rest_type"
            | "flow_maybe_type"
            | "adding_type_annotation"
            | "opting_type_annotation"
            | "omitting_type_annotation" => inner(self, node),
            "type_predicate_annotation" | "type_predicate" | "asserts_annotation" | "asserts" => "bool".to_owned(),
            "type_identifier" | "identifier" | "predefined_type" => match self.text_of(node) {
                "any" | "unknown" | "void" | "never" | "object" => "object".to_owned(),
                name => self.types.get(name).cloned().unwrap_or_else(|| name.to_owned()),
            },
            "nested_type_identifier" | "nested_identifier" | "member_expression" => {
                self.text_of(node).split_whitespace().collect()
            }
            "array_type" => format!("Array[{}]", inner(self, node)),
            "tuple_type" => format!("Tuple[{}]", all(self, node).join(", ")),
            "generic_type" => {
                let name = node
                    .child_by_field_name("name")
                    .map_or_else(String::new, |name| self.type_text(name, depth + 1));
                let arguments = node.child_by_field_name("type_arguments").map(|node| all(self, node));
                format!("{name}[{}]", arguments.unwrap_or_default().join(", "))
            }
            "union_type" | "intersection_type" => all(self, node).join(" | "),
            "literal_type" => match self.text_of(node) {
                "null" | "undefined" => "None".to_owned(),
                text => text.to_owned(),
            },
            "undefined" | "null" => "None".to_owned(),
            // `typeof State.State`: the type of a value goes by the value's name.
            "type_query" => inner(self, node),
            "function_type" => {
                let result = node
                    .child_by_field_name("return_type")
                    .map_or_else(String::new, |result| self.type_text(result, depth + 1));
                format!("Callable[{result}]")
            }
            _ => "object".to_owned(),
        }
    }

    /// The annotation of a property in an object type that is written out in place.
    pub(super) fn property_annotation(&mut self, annotation: Option<Node<'_>>, property: &str) -> Option<Name> {
        let mut object = annotation?;
        while matches!(
            object.kind(),
            "type_annotation" | "parenthesized_type" | "readonly_type"
        ) {
            object = *parts(object).first()?;
        }
        if object.kind() != "object_type" {
            return None;
        }
        let found = parts(object).into_iter().find(|part| {
            part.kind() == "property_signature"
                && part
                    .child_by_field_name("name")
                    .is_some_and(|name| self.text_of(name) == property)
        })?;
        self.annotation(found, "type")
    }
}
