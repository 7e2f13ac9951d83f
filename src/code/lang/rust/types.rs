//! Types as annotations in the notation that the analysis reads: `Head[argument, …]`, paths with dots.

use tree_sitter::Node;

use super::{Lowering, parts};
use crate::code::ir::Name;

/// What only leads to a value: whoever has one has the value, as far as anything here is concerned.
const POINTERS: &[&str] = &[
    "Arc",
    "Rc",
    "Box",
    "Mutex",
    "RwLock",
    "RefCell",
    "MutexGuard",
    "RwLockReadGuard",
    "RwLockWriteGuard",
    "Pin",
    "Cow",
    "OnceLock",
    "OnceCell",
    "LazyLock",
];

/// The names that the analysis has for types which say nothing more than that one value, none, or any
/// number of values is in them.
const HOLDERS: &[(&str, &str)] = &[("Option", "Optional"), ("Vec", "list"), ("VecDeque", "deque")];

impl Lowering<'_> {
    pub(super) fn annotation(&mut self, node: Node<'_>) -> Name {
        let mut text = String::new();
        self.write_type(node, &mut text, 0);
        self.intern(&text)
    }

    fn write_type(&mut self, node: Node<'_>, out: &mut String, depth: usize) {
        if depth > 32 {
            return;
        }
        let inner = |field: &str| node.child_by_field_name(field);
        match node.kind() {
            "reference_type" | "pointer_type" | "qualified_type" => {
                if let Some(target) = inner("type") {
                    self.write_type(target, out, depth + 1);
                }
            }
            "dynamic_type" | "abstract_type" => {
                if let Some(bound) = inner("trait") {
                    self.write_type(bound, out, depth + 1);
                }
            }
            // Of several bounds, the first is the one that says what it is.
            "bounded_type" | "bracketed_type" => {
                if let Some(&first) = parts(node).first() {
                    self.write_type(first, out, depth + 1);
                }
            }
            "array_type" => {
                out.push_str("Sequence[");
                if let Some(element) = inner("element") {
                    self.write_type(element, out, depth + 1);
                }
                out.push(']');
            }
            "generic_type" | "generic_type_with_turbofish" => {
                let arguments = inner("type_arguments").map(parts).unwrap_or_default();
                let arguments: Vec<Node<'_>> = arguments
                    .into_iter()
                    .filter(|argument| !matches!(argument.kind(), "lifetime" | "block"))
                    .collect();
                let Some(head) = inner("type") else { return };
                let name = self.words(head).pop().unwrap_or_default();
                let only_leads = match &arguments[..] {
                    [_] if POINTERS.contains(&name.as_str()) => true,
                    // Errors are no values.
                    [_] | [_, _] => self.imported_as(&name) == "Result",
                    _ => false,
                };
                if only_leads {
                    return self.write_type(arguments[0], out, depth + 1);
                }
                match HOLDERS.iter().find(|(known, _)| *known == name) {
                    Some((_, known)) => out.push_str(known),
                    None => self.write_type(head, out, depth + 1),
                }
                self.write_arguments(arguments, out, depth);
            }
            "tuple_type" => {
                out.push_str("tuple");
                self.write_arguments(parts(node), out, depth);
            }
            "type_identifier" | "identifier" => {
                let name = self.name(node);
                match self.bound_of(&name) {
                    Some(bound) => out.push_str(&bound),
                    None if &*name == "Self" => out.push_str(self.own_type.as_deref().unwrap_or("Self")),
                    None => out.push_str(&name),
                }
            }
            "scoped_type_identifier" | "scoped_identifier" => {
                let path = self.path_text(node);
                out.push_str(&path);
            }
            "unit_type" | "never_type" => out.push_str("None"),
            "function_type" => out.push_str("Callable"),
            _ => {
                let text = self.text_of(node).replace(char::is_whitespace, "");
                out.push_str(&text);
            }
        }
    }

    fn write_arguments(&mut self, arguments: Vec<Node<'_>>, out: &mut String, depth: usize) {
        if arguments.is_empty() {
            return;
        }
        out.push('[');
        for (index, argument) in arguments.into_iter().enumerate() {
            if index > 0 {
                out.push_str(", ");
            }
            self.write_type(argument, out, depth + 1);
        }
        out.push(']');
    }

    /// What a name is where it comes from.
    fn imported_as<'n>(&'n self, name: &'n str) -> &'n str {
        let mut imports = self.imports.iter().rev();
        let import = imports.find(|import| *import.local == *name);
        import.and_then(|import| import.symbol.as_deref()).unwrap_or(name)
    }

    /// The bound of a type parameter, which is all that is known of it.
    fn bound_of(&self, name: &str) -> Option<Name> {
        let mut known = self.generics.iter().rev();
        known
            .find(|(parameter, _)| **parameter == *name)
            .map(|(_, bound)| bound.clone())
    }

    /// Makes the type parameters of an item known; the caller takes them back.
    pub(super) fn open_generics(&mut self, item: Node<'_>) {
        let parameters = item
            .child_by_field_name("type_parameters")
            .map(parts)
            .unwrap_or_default();
        for parameter in parameters {
            let name = match parameter.kind() {
                "type_parameter" => parameter.child_by_field_name("name"),
                "type_identifier" => Some(parameter),
                _ => None,
            };
            let Some(name) = name else { continue };
            // Of one without a bound nothing is known.
            let text = self.name(name);
            self.generics.push((text, Name::from("Any")));
            if let Some(bounds) = parameter.child_by_field_name("bounds") {
                self.add_bound(name, bounds);
            }
        }
        let clauses = parts(item).into_iter().filter(|part| part.kind() == "where_clause");
        for predicate in clauses.flat_map(parts) {
            if let (Some(left), Some(bounds)) = (
                predicate.child_by_field_name("left"),
                predicate.child_by_field_name("bounds"),
            ) && left.kind() == "type_identifier"
            {
                self.add_bound(left, bounds);
            }
        }
    }

    fn add_bound(&mut self, name: Node<'_>, bounds: Node<'_>) {
        let bound = parts(bounds).into_iter().find(|bound| bound.kind() != "lifetime");
        if let Some(bound) = bound {
            let name = self.name(name);
            let bound = self.annotation(bound);
            self.generics.push((name, bound));
        }
    }
}
