//! Every name that the program chooses itself becomes a meaningless one.

use std::collections::{BTreeMap, BTreeSet};

use super::super::page::Project;
use super::syntax::{all, edit, field, imports, is_variable, parse, text_of};

/// Parts of names that may be the only thing that tells a list of messages from another list, the state
/// of a framework from another value, or a person's words from a program's. They are evidence, so such
/// names stay.
const EVIDENCE: [&str; 16] = [
    "message",
    "msg",
    "history",
    "conversation",
    "transcript",
    "chat",
    "state",
    "request",
    "runtime",
    "handler",
    "config",
    "prompt",
    "text",
    "question",
    "query",
    "input",
];

pub(super) fn identifiers(project: &Project) -> Option<Project> {
    let mut chosen = BTreeSet::new();
    let mut fixed: BTreeSet<String> = ["self", "cls", "_"].map(str::to_owned).into();
    let modules = project.files.iter().filter_map(|file| file.name.strip_suffix(".py"));
    let modules: BTreeSet<_> = modules.flat_map(|name| name.split('/')).collect();
    for file in &project.files {
        let (own, keep) = names(&file.text, &modules);
        chosen.extend(own);
        fixed.extend(keep);
    }
    fixed.extend(modules.into_iter().map(str::to_owned));
    let renamed: BTreeMap<_, _> = chosen
        .difference(&fixed)
        .filter(|name| !name.starts_with("__") && !name.starts_with("test") && !name.starts_with("Test"))
        .filter(|name| !EVIDENCE.iter().any(|part| name.to_lowercase().contains(part)))
        .enumerate()
        // A class keeps its capital, so that a call still looks like a construction.
        .map(|(index, name)| {
            let capital = name.starts_with(|c: char| c.is_uppercase()) && name.contains(|c: char| c.is_lowercase());
            (
                name.as_str(),
                format!("{}{index}", if capital { "Kappa" } else { "kappa_" }),
            )
        })
        .collect();
    if renamed.is_empty() {
        return None;
    }
    let mut changed = project.clone();
    for file in &mut changed.files {
        file.text = rename(&file.text, &renamed);
    }
    Some(changed)
}

fn rename(source: &str, renamed: &BTreeMap<&str, String>) -> String {
    let tree = parse(source);
    let identifiers = all(tree.root_node()).into_iter().filter(|node| {
        // A name imported from another file of the project is in the table, one of a library is not.
        is_variable(*node) || node.parent().is_some_and(|parent| parent.kind() == "dotted_name")
    });
    let edits = identifiers.filter_map(|node| Some((node.byte_range(), renamed.get(text_of(node, source))?.clone())));
    edit(source, edits.collect())
}

/// The names a file binds itself, and the names that must stay as they are.
fn names(source: &str, modules: &BTreeSet<&str>) -> (BTreeSet<String>, BTreeSet<String>) {
    let tree = parse(source);
    let root = tree.root_node();
    let mut chosen = BTreeSet::new();
    let mut fixed = BTreeSet::new();
    for statement in imports(root, source).0 {
        let module = field(statement, "module_name", source).unwrap_or_default();
        // `from helpers import pick` binds a name of the project: its definition decides.
        if !module.split('.').any(|part| modules.contains(part)) {
            let names = all(statement).into_iter().filter(|node| node.kind() == "identifier");
            fixed.extend(names.map(|node| text_of(node, source).to_owned()));
        }
    }
    for node in all(root) {
        match node.kind() {
            // A keyword of a call may be a parameter of a function here, or of a library.
            "keyword_argument" => fixed.extend(field(node, "name", source).map(str::to_owned)),
            // Methods and fields are found by name, by frameworks and by callers.
            "class_definition" => {
                chosen.extend(field(node, "name", source).map(str::to_owned));
                if let Some(body) = node.child_by_field_name("body") {
                    let mut cursor = body.walk();
                    for member in body.children(&mut cursor) {
                        let member = member.child_by_field_name("definition").unwrap_or(member);
                        let left = member.child(0).and_then(|child| field(child, "left", source));
                        fixed.extend(field(member, "name", source).or(left).map(str::to_owned));
                    }
                }
            }
            "function_definition" => chosen.extend(field(node, "name", source).map(str::to_owned)),
            "parameters" | "lambda_parameters" | "for_statement" | "for_in_clause" | "assignment" | "as_pattern"
            | "named_expression" => {
                let target = node.child_by_field_name("left").or(node.child_by_field_name("name"));
                let bound = target.unwrap_or(node);
                if target.is_some() || node.kind().ends_with("parameters") {
                    let parts = all(bound).into_iter().filter(|part| is_binding(*part));
                    chosen.extend(parts.map(|part| text_of(part, source).to_owned()));
                }
            }
            _ => {}
        }
    }
    (chosen, fixed)
}

/// Whether an identifier inside a pattern or a list of parameters is bound there: not a default, an
/// annotation, an index or an object whose attribute is assigned.
fn is_binding(node: tree_sitter::Node<'_>) -> bool {
    if !is_variable(node) {
        return false;
    }
    let mut child = node;
    while let Some(parent) = child.parent() {
        let is = |name| {
            parent
                .child_by_field_name(name)
                .is_some_and(|part| part.id() == child.id())
        };
        match parent.kind() {
            "attribute" | "subscript" | "type" | "call" => return false,
            "default_parameter" | "typed_default_parameter" if is("value") => return false,
            "parameters" | "lambda_parameters" | "for_statement" | "for_in_clause" | "assignment"
            | "named_expression" => {
                return true;
            }
            _ => child = parent,
        }
    }
    true
}
