//! Names that an edit needs and the file does not import yet.

use tree_sitter::Node;

use crate::code::lang::spelling::{Edits, Parsed, children};

/// The edits that import these names, each from its module; `None` where there is no place for them, or
/// where the file calls something else so.
pub(super) fn missing(parsed: Parsed<'_>, wanted: &[(&str, &str)]) -> Option<Edits> {
    let top = children(parsed.root);
    let mut edits = Edits::new();
    let mut lines = Vec::new();
    for (module, name) in wanted {
        if top.iter().any(|statement| imports(parsed, *statement, name)) {
            continue;
        }
        if parsed.has_word(name) {
            return None;
        }
        match top
            .iter()
            .find_map(|statement| last_name_from(parsed, *statement, module))
        {
            Some(last) => edits.push((last.end_byte()..last.end_byte(), format!(", {name}"))),
            None => lines.push(format!("from {module} import {name}")),
        }
    }
    if lines.is_empty() {
        return Some(edits);
    }
    let is_import = |node: &&Node<'_>| node.kind().starts_with("import_") || node.kind() == "future_import_statement";
    let is_doc = |node: &&Node<'_>| node.named_child(0).is_some_and(|inner| inner.kind() == "string");
    let before = top.iter().rfind(is_import).or(top.first().filter(is_doc));
    let at = match before {
        Some(before) => after_line(parsed, before.end_byte())?,
        None => top.first()?.start_byte(),
    };
    let end = parsed.line_end();
    edits.push((at..at, format!("{}{end}", lines.join(end))));
    Some(edits)
}

/// The last of the names that a statement imports from a module.
fn last_name_from<'t>(parsed: Parsed<'t>, statement: Node<'t>, module: &str) -> Option<Node<'t>> {
    if statement.kind() != "import_from_statement" {
        return None;
    }
    let from = statement.child_by_field_name("module_name")?;
    let mut cursor = statement.walk();
    let names = statement.children_by_field_name("name", &mut cursor);
    names.last().filter(|_| parsed.text_of(from) == module)
}

/// Whether a statement imports a name under its own name.
fn imports(parsed: Parsed<'_>, statement: Node<'_>, name: &str) -> bool {
    let mut cursor = statement.walk();
    statement.kind() == "import_from_statement"
        && statement
            .children_by_field_name("name", &mut cursor)
            .any(|imported| parsed.text_of(imported) == name)
}

/// The start of the line behind a statement, if nothing but a comment follows it on its own.
fn after_line(parsed: Parsed<'_>, end: usize) -> Option<usize> {
    let rest = &parsed.text[end..];
    let length = rest.find('\n')?;
    let behind = rest[..length].trim();
    (behind.is_empty() || behind.starts_with('#')).then_some(end + length + 1)
}
