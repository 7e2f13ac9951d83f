//! An unrelated statement before every statement of every function.

use tree_sitter::Node;

use super::super::page::Project;
use super::each_file;
use super::syntax::{all, edit, line_start, parse};

pub(super) fn between_statements(project: &Project) -> Option<Project> {
    each_file(project, |source| {
        let tree = parse(source);
        let blocks = all(tree.root_node())
            .into_iter()
            .filter(|node| node.kind() == "block" && in_function(*node));
        let mut edits = Vec::new();
        for block in blocks {
            let mut cursor = block.walk();
            let statements: Vec<_> = block.children(&mut cursor).collect();
            for (index, statement) in statements.iter().enumerate() {
                let start = line_start(*statement);
                let alone = source[start..statement.start_byte()].trim().is_empty();
                // A comment stays with the line it speaks about, and a docstring comes first.
                let led = source[..start]
                    .lines()
                    .next_back()
                    .is_some_and(|line| line.trim_start().starts_with('#'));
                let docstring = index == 0 && statement.child(0).is_some_and(|child| child.kind() == "string");
                if alone && !led && !docstring {
                    let indent = &source[start..statement.start_byte()];
                    edits.push((start..start, format!("{indent}unrelated = 1 + 1\n")));
                }
            }
        }
        (!edits.is_empty()).then(|| edit(source, edits))
    })
}

fn in_function(block: Node<'_>) -> bool {
    let mut node = block;
    while let Some(parent) = node.parent() {
        match parent.kind() {
            "function_definition" => return true,
            "class_definition" => return false,
            _ => node = parent,
        }
    }
    false
}
