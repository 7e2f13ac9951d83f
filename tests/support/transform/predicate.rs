//! The condition of a search becomes a function of its own.

use std::collections::BTreeSet;

use tree_sitter::Node;

use super::super::page::Project;
use super::each_file;
use super::syntax::{after_imports, all, edit, field, imports, parse, text_of, top_level, variables};

pub(super) fn to_helper(project: &Project) -> Option<Project> {
    each_file(project, |source| {
        let tree = parse(source);
        let root = tree.root_node();
        let known = module_names(root, source);
        let mut helpers = String::new();
        let mut edits = Vec::new();
        for condition in conditions(root, source) {
            let parameters: Vec<_> = variables(condition, source)
                .into_iter()
                .filter(|name| !known.contains(*name) && !is_builtin(name))
                .collect();
            let name = format!("is_wanted_{}", edits.len());
            let parameters = parameters.join(", ");
            helpers += &[
                "def ",
                &name,
                "(",
                &parameters,
                "):\n    return (",
                text_of(condition, source),
                ")\n\n\n",
            ]
            .concat();
            edits.push((condition.byte_range(), format!("{name}({parameters})")));
        }
        if edits.is_empty() {
            return None;
        }
        let start = after_imports(root, source);
        edits.push((start..start, format!("\n\n{helpers}")));
        Some(edit(source, edits))
    })
}

/// Conditions of comprehensions and of `if` statements directly inside a loop, as far as they can
/// stand elsewhere: a call may have effects that belong where they are, a helper may be one already.
fn conditions<'t>(root: Node<'t>, source: &str) -> Vec<Node<'t>> {
    let nodes = all(root).into_iter();
    let conditions = nodes.filter_map(|node| match node.kind() {
        "if_clause" => node.named_child(0),
        "if_statement" if in_loop(node) => node.child_by_field_name("condition"),
        _ => None,
    });
    conditions
        .filter(|condition| !text_of(*condition, source).contains('\n'))
        .filter(|condition| {
            let unfit = [
                "await",
                "named_expression",
                "lambda",
                "yield",
                "generator_expression",
                "list_comprehension",
            ];
            let mut kinds = all(*condition).into_iter().map(|node| node.kind());
            !kinds.any(|kind| unfit.contains(&kind)) && !variables(*condition, source).contains("self")
        })
        .filter(|condition| all(*condition).iter().any(|node| node.kind() == "identifier"))
        .collect()
}

fn in_loop(node: Node<'_>) -> bool {
    let body = node.parent();
    body.and_then(|body| body.parent())
        .is_some_and(|parent| parent.kind() == "for_statement")
}

/// What a helper at the top of the module can see without being given it.
fn module_names(root: Node<'_>, source: &str) -> BTreeSet<String> {
    let (_, mut names) = imports(root, source);
    for node in top_level(root) {
        let definition = node.child_by_field_name("definition").unwrap_or(node);
        let assigned = definition.child(0).and_then(|child| field(child, "left", source));
        names.extend(field(definition, "name", source).or(assigned).map(str::to_owned));
    }
    names
}

fn is_builtin(name: &str) -> bool {
    const BUILTINS: [&str; 14] = [
        "isinstance",
        "getattr",
        "hasattr",
        "len",
        "str",
        "int",
        "bool",
        "any",
        "all",
        "set",
        "list",
        "dict",
        "type",
        "tuple",
    ];
    BUILTINS.contains(&name)
}
