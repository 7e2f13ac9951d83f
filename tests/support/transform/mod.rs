//! The same program in other clothes. Each transformation keeps what a program does to its messages
//! and, as marks are comments, takes them along to where their lines go.

mod messages;
mod noise;
mod predicate;
mod relocate;
mod rename;
mod syntax;
mod wrap;

use super::page::Project;

/// Changes a project, or finds nothing in it to change.
pub(crate) type Transformation = fn(&Project) -> Option<Project>;

/// Every transformation, and in how many examples of the pages it must find something to change:
/// one that stopped to apply would make its test pass without looking.
pub(crate) const ALL: &[(&str, Transformation, usize)] = &[
    ("identifiers renamed", rename::identifiers, MANY),
    ("predicate moved to a helper", predicate::to_helper, SOME),
    ("helper moved to another file", relocate::helpers, SOME),
    ("constructed messages as dicts", messages::as_dicts, SOME),
    ("dict messages constructed", messages::constructed, SOME),
    ("functions wrapped in a class", wrap::in_class, MANY),
    (
        "an unrelated statement before every statement",
        noise::between_statements,
        MANY,
    ),
];

const MANY: usize = 20;
const SOME: usize = 5;

/// Applies a change to each file of a project; nothing changed is no change.
fn each_file(project: &Project, change: impl Fn(&str) -> Option<String>) -> Option<Project> {
    let mut changed = project.clone();
    let mut any = false;
    for file in &mut changed.files {
        if let Some(text) = change(&file.text) {
            file.text = text;
            any = true;
        }
    }
    any.then_some(changed)
}
