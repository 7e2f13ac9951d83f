//! What the transformations share: a syntax tree to read, and edits to write.

use std::collections::BTreeSet;
use std::ops::Range;

use tree_sitter::{Node, Parser, Tree};

pub(super) fn parse(text: &str) -> Tree {
    let mut parser = Parser::new();
    parser
        .set_language(&tree_sitter_python::LANGUAGE.into())
        .expect("the grammar fits the library");
    parser.parse(text, None).expect("a parser with a language parses")
}

/// The node and everything below it, in the order of the text.
pub(super) fn all(node: Node<'_>) -> Vec<Node<'_>> {
    let mut nodes = vec![node];
    let mut cursor = node.walk();
    for child in node.children(&mut cursor) {
        nodes.extend(all(child));
    }
    nodes
}

pub(super) fn text_of<'s>(node: Node<'_>, source: &'s str) -> &'s str {
    &source[node.byte_range()]
}

pub(super) fn field<'s>(node: Node<'_>, name: &str, source: &'s str) -> Option<&'s str> {
    Some(text_of(node.child_by_field_name(name)?, source))
}

/// Replaces byte ranges that do not overlap.
pub(super) fn edit(source: &str, mut edits: Vec<(Range<usize>, String)>) -> String {
    edits.sort_by_key(|(range, _)| (range.start, range.end));
    let mut text = String::with_capacity(source.len());
    let mut done = 0;
    for (range, replacement) in edits {
        text.push_str(&source[done..range.start]);
        text.push_str(&replacement);
        done = range.end;
    }
    text.push_str(&source[done..]);
    text
}

/// Whether the identifier stands for a variable: not an attribute, not a keyword of a call.
pub(super) fn is_variable(node: Node<'_>) -> bool {
    if node.kind() != "identifier" {
        return false;
    }
    node.parent().is_none_or(|parent| {
        let is = |name| {
            parent
                .child_by_field_name(name)
                .is_some_and(|child| child.id() == node.id())
        };
        match parent.kind() {
            "attribute" => !is("attribute"),
            "keyword_argument" => !is("name"),
            "dotted_name" | "aliased_import" => false,
            _ => true,
        }
    })
}

/// The names that a stretch of the program reads or binds.
pub(super) fn variables<'s>(node: Node<'_>, source: &'s str) -> BTreeSet<&'s str> {
    all(node)
        .into_iter()
        .filter(|node| is_variable(*node))
        .map(|node| text_of(node, source))
        .collect()
}

/// The import statements of a module, and the names they bind.
pub(super) fn imports<'t>(root: Node<'t>, source: &str) -> (Vec<Node<'t>>, BTreeSet<String>) {
    let statements: Vec<_> = top_level(root)
        .into_iter()
        .filter(|node| node.kind().starts_with("import"))
        .collect();
    let mut names = BTreeSet::new();
    for statement in &statements {
        let module = statement.child_by_field_name("module_name").map(|node| node.id());
        let mut cursor = statement.walk();
        for child in statement
            .named_children(&mut cursor)
            .filter(|child| Some(child.id()) != module)
        {
            let name = field(child, "alias", source).unwrap_or_else(|| text_of(child, source));
            names.insert(name.split('.').next().unwrap_or(name).to_owned());
        }
    }
    (statements, names)
}

pub(super) fn top_level(root: Node<'_>) -> Vec<Node<'_>> {
    let mut cursor = root.walk();
    root.children(&mut cursor).collect()
}

/// The functions of a module that are neither decorated nor tests nor part of a class.
pub(super) fn plain_functions<'t>(root: Node<'t>, source: &str) -> Vec<Node<'t>> {
    top_level(root)
        .into_iter()
        .filter(|node| node.kind() == "function_definition")
        .filter(|node| !field(*node, "name", source).is_some_and(|name| name.starts_with("test")))
        .collect()
}

/// Where the line of the node begins.
pub(super) fn line_start(node: Node<'_>) -> usize {
    node.start_byte() - node.start_position().column
}

/// The node with the comment behind it on its last line, and its line break.
pub(super) fn whole_lines(node: Node<'_>, source: &str) -> Range<usize> {
    let end = source[node.end_byte()..]
        .find('\n')
        .map_or(source.len(), |at| node.end_byte() + at + 1);
    line_start(node)..end
}

/// The first byte behind the imports and the docstring of a module.
pub(super) fn after_imports(root: Node<'_>, source: &str) -> usize {
    let (imports, _) = imports(root, source);
    let docstring = top_level(root).into_iter().find(|node| node.kind() != "comment");
    let docstring = docstring.filter(|node| node.child(0).is_some_and(|child| child.kind() == "string"));
    let last = imports.last().copied().or(docstring);
    last.map_or(0, |node| whole_lines(node, source).end)
}
