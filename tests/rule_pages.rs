//! Every rule has a page, every page has examples, and every example is what it says it is.
//!
//! `UPDATE_RULES=1 cargo test --test rule_pages` writes the `output` blocks anew.

mod support;

use std::collections::BTreeSet;
use std::path::PathBuf;

use ctxlint::finding::Witness;
use ctxlint::rule::RULES;
use support::page::{Project, projects};
use support::repository;

fn pages() -> Vec<PathBuf> {
    let folder = std::fs::read_dir(repository().join("rules")).expect("the rules have a folder");
    let mut pages: Vec<_> = folder
        .map(|entry| entry.expect("the folder can be read").path())
        .collect();
    pages.sort();
    pages
}

fn read(page: &PathBuf) -> (String, Vec<Project>) {
    let markdown = std::fs::read_to_string(page).expect("a page can be read");
    let short = PathBuf::from("rules").join(page.file_name().expect("a page has a name"));
    let projects = projects(&short, &markdown);
    (markdown, projects)
}

#[test]
fn every_rule_has_a_page_and_every_page_a_rule() {
    let names = pages()
        .into_iter()
        .filter_map(|page| Some(page.file_stem()?.to_str()?.to_owned()));
    let pages: BTreeSet<String> = names.collect();
    let rules: BTreeSet<String> = RULES.iter().map(|rule| rule.id().to_owned()).collect();
    assert_eq!(pages, rules);
    for rule in RULES {
        assert!(
            !rule.summary().is_empty() && !rule.family().is_empty() && !rule.since().is_empty(),
            "{}",
            rule.id()
        );
        assert!(!rule.witness().is_empty(), "{} has no witness", rule.id());
    }
}

#[test]
fn every_page_has_a_bad_and_a_good_example_for_each_witness() {
    let mut missing = Vec::new();
    for rule in RULES {
        let (_, projects) = read(&repository().join("rules").join(rule.id()).with_extension("md"));
        for witness in rule.witness() {
            let seen = || projects.iter().filter(|project| project.witness == *witness);
            let reports = |project: &Project| project.expected().iter().any(|(.., id)| id == rule.id());
            let bad = seen().any(reports);
            let good = seen().any(|project| !reports(project));
            missing.extend((!bad).then(|| format!("{}: no bad {witness} example", rule.id())));
            missing.extend((!good).then(|| format!("{}: no good {witness} example", rule.id())));
        }
    }
    assert!(missing.is_empty(), "\n{}\n", missing.join("\n"));
}

#[test]
fn every_example_is_what_its_marks_say() {
    let all = pages().into_iter().flat_map(|page| read(&page).1);
    let wrong: Vec<_> = all.filter_map(|project| project.disagreement()).collect();
    assert!(wrong.is_empty(), "\n{}\n", wrong.join("\n"));
}

#[test]
fn no_finding_needs_a_file_that_is_left_unread() {
    let all = pages().into_iter().flat_map(|page| read(&page).1);
    let unlike = all.filter(|project| project.run_reading(false).1 != project.run_reading(true).1);
    let places: Vec<String> = unlike.map(|project| project.place()).collect();
    assert_eq!(places, Vec::<String>::new());
}

#[test]
fn every_output_is_the_report_of_its_example() {
    let update = std::env::var_os("UPDATE_RULES").is_some();
    for page in pages() {
        let (mut markdown, projects) = read(&page);
        // From the last to the first, so that the line numbers of the others stay true.
        for project in projects.iter().rev() {
            let Some(output) = &project.output else { continue };
            let report = project.report(&project.run().0);
            if update {
                let lines: Vec<_> = markdown.lines().collect();
                let (before, after) = (&lines[..output.lines.start], &lines[output.lines.end..]);
                markdown = format!("{}\n{report}{}\n", before.join("\n"), after.join("\n"));
            } else {
                assert_eq!(output.text, report, "{}", project.place());
            }
        }
        if update {
            std::fs::write(&page, markdown).expect("a page can be written");
        }
    }
}

#[test]
fn a_page_is_read_as_it_is_written() {
    let page = "\
## Examples

### One project of two files

```py title=app.py
attach(log)  # error: [head-scan-attach], warn: [id-swap]
```

```py title=lib/tools.py
pass
```

```output
text
```

### Two projects

```py
x = 1  # a remark: [id-swap]
```

```jsonl format=langgraph-values
{\"a\": \"# error: [id-swap]\"}
{\"b\": 1} # info: [mid-turn-cut]
```

## How to mend

```py
not_an_example()
```
";
    let projects = projects("page.md".as_ref(), page);
    let shapes: Vec<_> = projects
        .iter()
        .map(|project| {
            let names: Vec<_> = project.files.iter().map(|file| file.name.as_str()).collect();
            let verdicts: Vec<_> = project
                .expected()
                .into_iter()
                .map(|(file, line, severity, rule)| format!("{file}:{line} {severity} {rule}"))
                .collect();
            (project.line, project.witness, names, verdicts, project.output.is_some())
        })
        .collect();
    let verdicts = |texts: &[&str]| texts.iter().map(ToString::to_string).collect::<Vec<_>>();
    assert_eq!(
        shapes,
        [
            (
                5,
                Witness::Code,
                vec!["app.py", "lib/tools.py"],
                verdicts(&["app.py:1 warn id-swap", "app.py:1 error head-scan-attach"]),
                true
            ),
            (19, Witness::Code, vec!["agent.py"], vec![], false),
            (
                23,
                Witness::Transcript,
                vec!["run.jsonl"],
                verdicts(&["run.jsonl:2 info mid-turn-cut"]),
                false
            ),
        ]
    );
    assert_eq!(projects[2].format.as_deref(), Some("langgraph-values"));
}
