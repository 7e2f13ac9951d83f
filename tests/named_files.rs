//! Files that are checked alone are read with what they import from the rest of their project.

mod support;

use std::path::Path;

use support::{folder, run, run_with_input, write};

/// Says the time, from a helper.
const AGENT: &str = "from langchain.agents.middleware import AgentMiddleware\n\n\
                     from desk.notes import current_note\n\n\n\
                     class Notes(AgentMiddleware):\n    def before_model(self, state, runtime):\n        \
                     return {\"messages\": [current_note()]}\n";

/// Has a finding of its own, which nobody asks about.
const NOTES: &str = "from datetime import datetime\n\nfrom langchain_core.messages import SystemMessage\n\n\n\
                     def current_note():\n    return SystemMessage(f\"It is {datetime.now()}.\")\n\n\n\
                     def first(messages):\n    return messages[-20:]\n";

const FINDING: &str = "desk/agent.py:8:16: error persisted-state: the current time is persisted in history: a new copy \
                       for every call, and the older ones stay\n";

fn project(marker: &str) -> tempfile::TempDir {
    let folder = folder();
    write(folder.path(), "desk/__init__.py", "");
    write(folder.path(), "desk/agent.py", AGENT);
    write(folder.path(), "desk/notes.py", NOTES);
    // Nothing imports it, so it is not looked at.
    write(folder.path(), "desk/broken.py", b"\xff\xfe not UTF-8 \x00");
    if !marker.is_empty() {
        write(folder.path(), marker, "");
    }
    folder
}

#[test]
fn a_named_file_is_followed_into_the_files_that_it_imports() {
    for marker in [".git/HEAD", "ctxlint.toml", "pyproject.toml"] {
        let project = project(marker);
        let alone = run(project.path(), &["check", "desk/agent.py", "--format", "concise"]);
        assert_eq!(
            (alone.status, alone.stdout.as_str(), alone.stderr.as_str()),
            (1, FINDING, ""),
            "{marker}"
        );
    }
    let project = project("");
    let unmarked = run(project.path(), &["check", "desk/agent.py", "--format", "concise"]);
    assert_eq!(
        (unmarked.status, unmarked.stdout.as_str()),
        (0, ""),
        "nothing says how far the project goes"
    );
}

#[test]
fn only_what_was_named_is_reported_under_the_name_that_it_was_given() {
    let project = project(".git/HEAD");
    let here = project.path().join("desk");
    let run_in = |folder: &Path, paths: &[&str]| {
        let mut arguments = vec!["check", "--format", "json"];
        arguments.extend(paths);
        let report = run(folder, &arguments);
        assert_eq!(report.stderr, "", "{paths:?}");
        let report: serde_json::Value = serde_json::from_str(&report.stdout).expect("a report is JSON");
        report
    };
    let report = run_in(&here, &["./agent.py"]);
    let paths = |list: &serde_json::Value| {
        let all = list.as_array().expect("a list").iter();
        all.map(|one| one["path"].as_str().expect("a path").to_owned())
            .collect::<Vec<_>>()
    };
    assert_eq!(paths(&report["files"]), ["./agent.py"]);
    assert_eq!(paths(&report["findings"]), ["./agent.py"]);
    assert_eq!(
        paths(&report["findings"][0]["related"]),
        ["notes.py", "notes.py"],
        "{report}"
    );
    let absolute = here.join("agent.py");
    let absolute = absolute.to_str().expect("the path is UTF-8");
    assert_eq!(paths(&run_in(&here, &[absolute])["findings"]), [absolute]);
    // The same finding has the same fingerprint, however the file was reached.
    let print = |report: &serde_json::Value| report["findings"][0]["fingerprint"].clone();
    let whole = run_in(
        project.path(),
        &[".", "--exclude", "broken.py", "--select", "persisted-state"],
    );
    assert_eq!(print(&report), print(&whole));
}

#[test]
fn a_text_on_standard_input_takes_the_place_of_its_file() {
    let project = project(".git/HEAD");
    let arguments = ["check", "-", "--stdin-filename", "desk/agent.py", "--format", "concise"];
    let moved = format!("# A draft.\n{AGENT}");
    let found = run_with_input(project.path(), &arguments, moved.as_bytes());
    assert_eq!(
        (found.status, found.stdout.as_str(), found.stderr.as_str()),
        (1, FINDING.replace(":8:", ":9:").as_str(), "")
    );
    let arguments = ["check", "-", "--stdin-filename", "desk/new.py", "--format", "concise"];
    let found = run_with_input(project.path(), &arguments, AGENT.as_bytes());
    assert_eq!(
        found.stdout,
        FINDING.replace("agent.py", "new.py"),
        "a file that is not there yet"
    );
}

#[test]
fn a_file_among_tests_is_checked_when_a_person_names_it() {
    let project = project(".git/HEAD");
    write(project.path(), "tests/agent.py", AGENT);
    let status = |more: &[&str]| {
        let mut arguments = vec!["check", "tests/agent.py"];
        arguments.extend(more);
        run(project.path(), &arguments).status
    };
    assert_eq!(status(&[]), 1);
    // A hook passes whatever changed.
    assert_eq!(status(&["--force-exclude"]), 0);
}
