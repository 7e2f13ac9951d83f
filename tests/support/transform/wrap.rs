//! Functions of a module become static methods, each of a class of its own.

use super::super::page::Project;
use super::each_file;
use super::syntax::{all, edit, field, is_variable, parse, plain_functions, text_of, whole_lines};

pub(super) fn in_class(project: &Project) -> Option<Project> {
    // Another file imports functions by name.
    if project.files.len() > 1 {
        return None;
    }
    each_file(project, |source| {
        let tree = parse(source);
        let root = tree.root_node();
        let functions = plain_functions(root, source);
        let names: Vec<_> = functions
            .iter()
            .filter_map(|node| field(*node, "name", source))
            .collect();
        if names.is_empty() {
            return None;
        }
        let definitions: Vec<_> = functions
            .iter()
            .filter_map(|node| node.child_by_field_name("name"))
            .collect();
        let uses = all(root)
            .into_iter()
            .filter(|node| is_variable(*node) && !definitions.iter().any(|definition| definition.id() == node.id()));
        let mut edits: Vec<_> = uses
            .filter_map(|node| {
                let index = names.iter().position(|name| *name == text_of(node, source))?;
                Some((node.start_byte()..node.start_byte(), format!("Wrapped{index}.")))
            })
            .collect();
        for (index, function) in functions.iter().enumerate() {
            let lines = whole_lines(*function, source);
            edits.push((
                lines.start..lines.start,
                format!("class Wrapped{index}:\n    @staticmethod\n"),
            ));
            let mut at = lines.start;
            for line in source[lines].split_inclusive('\n') {
                if !line.trim().is_empty() {
                    edits.push((at..at, "    ".to_owned()));
                }
                at += line.len();
            }
        }
        Some(edit(source, edits))
    })
}
