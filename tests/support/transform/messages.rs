//! Messages as objects and messages as dicts. Both mean the same to the frameworks that have both.

use tree_sitter::Node;

use super::super::page::Project;
use super::each_file;
use super::syntax::{after_imports, all, edit, field, imports, parse, text_of};

const CLASSES: [(&str, &str); 3] = [
    ("HumanMessage", "user"),
    ("AIMessage", "assistant"),
    ("SystemMessage", "system"),
];

pub(super) fn as_dicts(project: &Project) -> Option<Project> {
    each_file(project, |source| {
        let tree = parse(source);
        let calls = all(tree.root_node()).into_iter().filter(|node| node.kind() == "call");
        let edits: Vec<_> = calls
            .filter_map(|call| Some((call.byte_range(), dict(call, source)?)))
            .collect();
        (!edits.is_empty()).then(|| edit(source, edits))
    })
}

fn dict(call: Node<'_>, source: &str) -> Option<String> {
    let class = field(call, "function", source)?;
    let (_, role) = CLASSES.iter().find(|(name, _)| *name == class)?;
    let arguments = call.child_by_field_name("arguments")?;
    let mut items = vec![format!("\"role\": \"{role}\"")];
    let mut cursor = arguments.walk();
    for argument in arguments.named_children(&mut cursor) {
        match argument.kind() {
            "keyword_argument" => {
                let (name, value) = (field(argument, "name", source)?, field(argument, "value", source)?);
                items.push(format!("\"{name}\": {value}"));
            }
            "dictionary_splat" | "list_splat" | "comment" => return None,
            _ => items.push(format!("\"content\": {}", text_of(argument, source))),
        }
    }
    // On as many lines as before, so that marks stay where they are.
    let lines = text_of(call, source).matches('\n').count();
    let inner = items.join(", ").matches('\n').count();
    let breaks = "\n".repeat(lines.checked_sub(inner)?);
    Some(format!("{{{}{breaks}}}", items.join(", ")))
}

pub(super) fn constructed(project: &Project) -> Option<Project> {
    each_file(project, |source| {
        let tree = parse(source);
        let root = tree.root_node();
        let (statements, names) = imports(root, source);
        // Only where the framework that knows these classes is at work.
        if !statements.iter().any(|node| text_of(*node, source).contains("lang")) {
            return None;
        }
        let dicts = all(root).into_iter().filter(|node| node.kind() == "dictionary");
        let mut used = Vec::new();
        let mut edits = Vec::new();
        for node in dicts {
            if let Some((class, call)) = construction(node, source) {
                edits.push((node.byte_range(), call));
                used.push(class);
            }
        }
        if edits.is_empty() {
            return None;
        }
        used.sort_unstable();
        used.dedup();
        used.retain(|class| !names.contains(*class));
        if !used.is_empty() {
            let start = after_imports(root, source);
            edits.push((
                start..start,
                format!("from langchain_core.messages import {}\n", used.join(", ")),
            ));
        }
        Some(edit(source, edits))
    })
}

fn construction(node: Node<'_>, source: &str) -> Option<(&'static str, String)> {
    let mut class = None;
    let mut arguments = Vec::new();
    let mut cursor = node.walk();
    for pair in node.named_children(&mut cursor) {
        if pair.kind() != "pair" {
            return None;
        }
        let key = field(pair, "key", source)?.trim_matches(['"', '\'']);
        let value = field(pair, "value", source)?;
        if key == "role" {
            let role = value.trim_matches(['"', '\'']);
            class = Some(CLASSES.iter().find(|(_, known)| *known == role)?.0);
        } else if ["content", "id", "name"].contains(&key) {
            arguments.push(format!("{key}={value}"));
        } else {
            return None;
        }
    }
    if !arguments.iter().any(|argument| argument.starts_with("content=")) {
        return None;
    }
    let class = class?;
    let inner = arguments.join(", ");
    let lines = text_of(node, source).matches('\n').count();
    let breaks = "\n".repeat(lines.checked_sub(inner.matches('\n').count())?);
    Some((class, format!("{class}({inner}{breaks})")))
}
