//! Names that an edit needs and the file does not import yet.

use tree_sitter::Node;

use crate::code::lang::spelling::{Edits, Parsed, children};

/// The edits that import these names, each from its module; `None` where the file has no imports, or
/// calls something else so.
pub(super) fn missing(parsed: Parsed<'_>, wanted: &[(&str, &str)]) -> Option<Edits> {
    let statements = children(parsed.root);
    let imports: Vec<Node<'_>> = statements
        .into_iter()
        .filter(|node| node.kind() == "import_statement")
        .collect();
    let last = imports.last()?;
    let mut edits = Edits::new();
    let mut lines = Vec::new();
    for (module, name) in wanted {
        if imports.iter().any(|import| has_name(parsed, *import, name)) {
            continue;
        }
        if parsed.has_word(name) {
            return None;
        }
        match imports
            .iter()
            .find_map(|import| last_name_from(parsed, *import, module))
        {
            Some(last) => edits.push((last.end_byte()..last.end_byte(), format!(", {name}"))),
            None => lines.push(format!("import {{ {name} }} from \"{module}\";")),
        }
    }
    if !lines.is_empty() {
        let behind = last.end_byte();
        let end = parsed.line_end();
        edits.push((behind..behind, format!("{end}{}", lines.join(end))));
    }
    Some(edits)
}

/// The last of the values that a statement imports from a module by their names.
fn last_name_from<'t>(parsed: Parsed<'t>, import: Node<'t>, module: &str) -> Option<Node<'t>> {
    let source = parsed.text_of(import.child_by_field_name("source")?);
    let names = children(import)
        .into_iter()
        .flat_map(children)
        .find(|inner| inner.kind() == "named_imports")?;
    let of_values = !parsed.text_of(import).starts_with("import type");
    (of_values && source.trim_matches(['"', '\'']) == module).then(|| children(names).pop())?
}

/// Whether an import of values brings a name under its own name.
fn has_name(parsed: Parsed<'_>, import: Node<'_>, name: &str) -> bool {
    let mut open = vec![import];
    let types_only = parsed.text_of(import).starts_with("import type");
    while let Some(node) = open.pop() {
        if node.kind() == "import_specifier" && parsed.text_of(node) == name {
            return !types_only;
        }
        open.extend(children(node));
    }
    false
}
