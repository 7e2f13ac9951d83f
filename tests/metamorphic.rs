//! A verdict is about what a program does. Every code example of the rule pages is run again in other
//! clothes, and must get the same verdict.

mod support;

use std::path::PathBuf;

use ctxlint::finding::Witness;
use support::page::{Project, projects};
use support::repository;
use support::transform::ALL;

fn code_examples() -> Vec<Project> {
    let folder = std::fs::read_dir(repository().join("rules")).expect("the rules have a folder");
    let mut pages: Vec<PathBuf> = folder
        .map(|entry| entry.expect("the folder can be read").path())
        .collect();
    pages.sort();
    let all = pages.into_iter().flat_map(|page| {
        let markdown = std::fs::read_to_string(&page).expect("a page can be read");
        projects(&page, &markdown)
    });
    // The clothes are Python's.
    let is_python = |project: &Project| {
        project.files.iter().all(|file| {
            file.name
                .rsplit_once('.')
                .is_some_and(|(_, extension)| extension == "py")
        })
    };
    all.filter(|project| project.witness == Witness::Code && is_python(project))
        .collect()
}

#[test]
fn every_example_has_the_same_verdict_in_other_clothes() {
    let examples = code_examples();
    let mut wrong = Vec::new();
    for (name, transformation, at_least) in ALL {
        let changed: Vec<_> = examples.iter().filter_map(transformation).collect();
        if changed.len() < *at_least {
            wrong.push(format!("`{name}` applies to {} examples only", changed.len()));
        }
        for project in changed {
            if let Some(disagreement) = project.disagreement() {
                let files = project
                    .files
                    .iter()
                    .map(|file| format!("--- {}\n{}", file.name, file.text));
                wrong.push(format!("{name}: {disagreement}\n{}", files.collect::<String>()));
            }
        }
    }
    assert!(wrong.is_empty(), "\n{}\n", wrong.join("\n\n"));
}

/// One program that every transformation can change.
const PROGRAM: &str = "\
from langchain_core.messages import HumanMessage, SystemMessage

LIMIT = 3


def newest(messages):
    for message in reversed(messages):
        if message.type == \"human\":
            return message
    return None


def node(state):
    found = newest(state[\"messages\"])
    note = SystemMessage(content=found.content)  # info: [id-swap]
    return {\"messages\": [note, {\"role\": \"user\", \"content\": \"go on\"}]}
";

#[test]
fn the_transformations_write_what_they_say() {
    let page = format!("## Examples\n\n```py\n{PROGRAM}```\n");
    let project = projects("page.md".as_ref(), &page).remove(0);
    let texts = ALL.iter().map(|(name, transformation, _)| {
        let changed = transformation(&project).unwrap_or_else(|| panic!("`{name}` does not apply"));
        assert_eq!(changed.expected().len(), 1, "`{name}` loses a mark");
        let files = changed
            .files
            .iter()
            .map(|file| format!("--- {}\n{}", file.name, file.text));
        format!("=== {name}\n{}", files.collect::<String>())
    });
    support::snapshot("metamorphic_transformations", &texts.collect::<Vec<_>>().join("\n"));
}
