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
    assert_eq!(examples.len(), 3);
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
    let mut wrong_severity = good.clone();
    wrong_severity["findings"] = serde_json::json!([{"rule": "id-swap", "severity": "fatal"}]);
    for document in [other_version, missing, wrong_severity] {
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
