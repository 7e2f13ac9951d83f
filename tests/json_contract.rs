//! The JSON outputs, their schema and their documentation say the same.

mod support;

use serde_json::Value;
use support::{folder, repository, run, write};

fn validator() -> jsonschema::Validator {
    let schema = std::fs::read_to_string(repository().join("docs/json.schema.json")).expect("the schema is committed");
    let schema = serde_json::from_str(&schema).expect("the schema is JSON");
    jsonschema::validator_for(&schema).expect("the schema is a JSON Schema")
}

#[track_caller]
fn valid(text: &str) -> Value {
    let document: Value = serde_json::from_str(text).expect("the document is JSON");
    let errors: Vec<_> = validator()
        .iter_errors(&document)
        .map(|error| error.to_string())
        .collect();
    assert!(errors.is_empty(), "{errors:#?} in {text}");
    document
}

#[test]
fn the_table_of_rules_is_valid_and_complete() {
    let document = valid(&run(repository(), &["rules", "--format", "json"]).stdout);
    let ids: Vec<_> = document["rules"]
        .as_array()
        .expect("rules is a list")
        .iter()
        .map(|rule| &rule["id"])
        .collect();
    let known: Vec<_> = ctxlint::rule::RULES.iter().map(|rule| rule.id()).collect();
    assert_eq!(ids, known);
}

#[test]
fn a_report_is_valid_even_when_there_is_nothing_to_check() {
    let empty = folder();
    for command in ["check", "audit"] {
        let run = run(empty.path(), &[command, "--format", "json"]);
        let document = valid(&run.stdout);
        assert_eq!(run.status, 3, "{command}");
        assert_eq!(document["files"], Value::Array(vec![]));
        assert_eq!(document["tool"]["version"], env!("CARGO_PKG_VERSION"));
    }
}

#[test]
fn reports_with_findings_are_valid() {
    for half in ["check", "audit"] {
        let document = valid(&run(repository(), &[half, "examples", "--format", "json"]).stdout);
        assert!(
            document["findings"]
                .as_array()
                .is_some_and(|findings| !findings.is_empty()),
            "{half}"
        );
        assert!(
            document["files"].as_array().is_some_and(|files| files.len() > 1),
            "{half}"
        );
    }
}

/// Code with one finding.
const HEAD_SCAN: &str = "\
from langgraph.graph import MessagesState


def answer(state: MessagesState, model):
    asked = next(m for m in state[\"messages\"] if m.type == \"human\")
    return {\"messages\": [model.invoke(asked.content)]}
";

#[test]
fn json_lines_are_the_findings_and_a_summary() {
    for half in ["check", "audit"] {
        let whole = valid(&run(repository(), &[half, "examples", "--format", "json"]).stdout);
        let lines = run(repository(), &[half, "examples", "--format", "jsonl"]);
        assert_eq!(lines.status, 1, "{half}");
        let mut lines: Vec<_> = lines.stdout.lines().map(valid).collect();
        let mut summary = lines.pop().expect("there is a last line");
        for line in lines.iter_mut().chain([&mut summary]) {
            let line = line.as_object_mut().expect("a line is an object");
            assert_eq!(line.remove("version"), Some(1.into()));
        }
        for line in &mut lines {
            let line = line.as_object_mut().expect("a line is an object");
            assert_eq!(line.remove("type"), Some("finding".into()));
        }
        assert_eq!(Value::Array(lines), whole["findings"], "{half}");
        assert_eq!(summary["type"], "summary");
        assert_eq!(summary["tool"], whole["tool"]);
        for (name, value) in whole["summary"].as_object().expect("the summary is an object") {
            assert_eq!(&summary[name], value, "{half}: {name}");
        }
    }
}

#[test]
fn a_suppressed_finding_keeps_its_fingerprint_and_moved_code_its_own() {
    let folder = folder();
    let report = |code: &str| {
        write(folder.path(), "agent.py", code);
        valid(&run(folder.path(), &["check", "--format", "json"]).stdout)
    };
    let shown = report(HEAD_SCAN);
    let fingerprint = &shown["findings"][0]["fingerprint"];
    assert_eq!(shown["findings"].as_array().map(Vec::len), Some(1), "{shown}");
    assert_eq!(shown["suppressed"], Value::Array(vec![]));

    let moved = report(&format!("{}{HEAD_SCAN}", "X = 1\n".repeat(40)));
    assert_eq!(moved["findings"][0]["start"]["line"], 45);
    assert_eq!(&moved["findings"][0]["fingerprint"], fingerprint);

    let ignored = HEAD_SCAN.replace(
        "    asked",
        "    # ctxlint: ignore[head-scan-attach] one question only\n    asked",
    );
    let ignored = report(&ignored);
    assert_eq!(ignored["findings"], Value::Array(vec![]));
    let expected = serde_json::json!([{
        "rule": "head-scan-attach",
        "path": "agent.py",
        "start": {"line": 6, "column": 13},
        "fingerprint": fingerprint,
        "by": "comment",
        "reason": "one question only",
    }]);
    assert_eq!(ignored["suppressed"], expected);
}

#[test]
fn a_replay_and_a_map_are_valid() {
    let replay = valid(
        &run(
            repository(),
            &["replay", "examples/defective/session.jsonl", "--format", "json"],
        )
        .stdout,
    );
    assert!(
        replay["sessions"][0]["steps"]
            .as_array()
            .is_some_and(|steps| steps.len() > 4)
    );
    let map = valid(&run(repository(), &["map", "examples", "--format", "json"]).stdout);
    assert!(map["sites"].as_array().is_some_and(|sites| sites.len() > 2));
}

#[test]
fn the_documented_examples_are_valid() {
    let text = std::fs::read_to_string(repository().join("docs/json.md")).expect("the documentation is committed");
    let examples: Vec<_> = text
        .split("```json\n")
        .skip(1)
        .filter_map(|rest| rest.split("```").next())
        .collect();
    assert_eq!(examples.len(), 4);
    for example in examples {
        valid(example);
    }
}

#[test]
fn the_schema_refuses_what_the_contract_excludes() {
    let report = run(folder().path(), &["check", "--format", "json"]).stdout;
    let good: Value = serde_json::from_str(&report).expect("the document is JSON");
    let mut other_version = good.clone();
    other_version["version"] = 2.into();
    let mut missing = good.clone();
    missing
        .as_object_mut()
        .expect("a report is an object")
        .remove("summary");
    let mut no_fingerprints = good.clone();
    no_fingerprints["suppressed"] = serde_json::json!([{"rule": "id-swap", "path": "a.py", "by": "comment"}]);
    let mut wrong_severity = good.clone();
    wrong_severity["findings"] = serde_json::json!([{"rule": "id-swap", "severity": "fatal"}]);
    for document in [other_version, missing, no_fingerprints, wrong_severity] {
        assert!(!validator().is_valid(&document), "{document}");
    }
}

#[test]
fn reports_go_to_files_and_only_one_to_stdout() {
    let folder = folder();
    write(folder.path(), "agent.py", "x = 1\n");
    let both = run(
        folder.path(),
        &["check", "--format", "json=out.json", "--format", "concise"],
    );
    valid(&std::fs::read_to_string(folder.path().join("out.json")).expect("the report was written"));
    assert_eq!(both.stdout, "");
    let two = run(folder.path(), &["check", "--format", "json", "--format", "concise"]);
    assert_eq!((two.status, two.stdout.as_str()), (2, ""));
}
