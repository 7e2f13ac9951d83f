//! Functions that others call move to a file of their own.

use std::collections::BTreeSet;

use super::super::page::{File, Project};
use super::syntax::{
    after_imports, all, edit, field, imports, parse, plain_functions, top_level, variables, whole_lines,
};

const MODULE: &str = "relocated";

pub(super) fn helpers(project: &Project) -> Option<Project> {
    let [file] = project.files.as_slice() else {
        return None;
    };
    let source = file.text.as_str();
    let tree = parse(source);
    let root = tree.root_node();
    let called: BTreeSet<_> = all(root)
        .into_iter()
        .filter(|node| node.kind() == "call")
        .filter_map(|call| field(call, "function", source))
        .collect();
    let (import_statements, _) = imports(root, source);
    let constants: Vec<_> = top_level(root)
        .into_iter()
        .filter(|node| node.child(0).is_some_and(|child| child.kind() == "assignment"))
        .collect();
    let classes_and_nodes: BTreeSet<_> = top_level(root)
        .into_iter()
        .map(|node| node.child_by_field_name("definition").unwrap_or(node))
        .filter_map(|node| field(node, "name", source))
        .collect();
    let mut moved: Vec<_> = plain_functions(root, source)
        .into_iter()
        .filter(|node| field(*node, "name", source).is_some_and(|name| called.contains(name)))
        .collect();
    // What a function needs has to come along: drop the ones that need what stays.
    loop {
        let names: BTreeSet<_> = moved.iter().filter_map(|node| field(*node, "name", source)).collect();
        let before = moved.len();
        moved.retain(|node| {
            variables(*node, source)
                .iter()
                .all(|name| !classes_and_nodes.contains(name) || names.contains(name))
        });
        if moved.len() == before {
            break;
        }
    }
    if moved.is_empty() {
        return None;
    }

    let mut helpers = String::new();
    for statement in import_statements.iter().chain(&constants) {
        helpers += &source[whole_lines(*statement, source)];
    }
    let mut edits = Vec::new();
    let mut names = Vec::new();
    for function in &moved {
        let lines = whole_lines(*function, source);
        helpers += "\n\n";
        helpers += &source[lines.clone()];
        edits.push((lines, String::new()));
        names.extend(field(*function, "name", source));
    }
    let start = after_imports(root, source);
    edits.push((start..start, format!("from {MODULE} import {}\n", names.join(", "))));
    let folder = file
        .name
        .rsplit_once('/')
        .map_or(String::new(), |(folder, _)| format!("{folder}/"));
    let mut changed = project.clone();
    changed.files[0].text = edit(source, edits);
    changed.files.push(File {
        name: format!("{folder}{MODULE}.py"),
        text: helpers,
    });
    Some(changed)
}
