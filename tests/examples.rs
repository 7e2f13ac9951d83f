//! What both halves say about the agents in `examples/`.

mod support;

use serde_json::Value;
use support::{folder, repository, run, snapshot};

fn findings(half: &str) -> Vec<Value> {
    let run = run(repository(), &[half, "examples", "--format", "json"]);
    assert_eq!(run.status, 1, "{half}");
    let document: Value = serde_json::from_str(&run.stdout).expect("the report is JSON");
    document["findings"].as_array().expect("findings is a list").clone()
}

fn at<'f>(findings: &'f [Value], rule: &str) -> &'f Value {
    let mut found = findings.iter().filter(|finding| finding["rule"] == rule);
    let first = found.next().unwrap_or_else(|| panic!("no {rule}"));
    assert!(found.next().is_none(), "{rule} is reported once");
    first
}

/// The row that the model takes for the current question.
fn taken(finding: &Value) -> &Value {
    let rows = finding["counterexample"]
        .as_array()
        .expect("the counterexample is a list");
    let mut taken = rows.iter().filter(|row| row["mark"] == "taken-for-current");
    let first = taken.next().expect("one message is taken for the current question");
    assert!(taken.next().is_none(), "only one message can be");
    first
}

#[test]
fn the_code_shows_the_search_from_the_head_and_the_swap() {
    let findings = findings("check");
    for (rule, line) in [("head-scan-attach", 29), ("id-swap", 47)] {
        let finding = at(&findings, rule);
        assert_eq!(finding["path"], "examples/defective/agent.py", "{rule}");
        assert_eq!(
            (&finding["start"]["line"], &finding["severity"]),
            (&line.into(), &"error".into()),
            "{rule}"
        );
        let taken = taken(finding);
        assert_eq!(
            (&taken["role"], &taken["text"]),
            (&"user".into(), &"first question".into()),
            "{rule}"
        );
    }
}

#[test]
fn the_record_shows_the_swap_and_what_the_model_took_for_the_question() {
    let findings = findings("audit");
    let finding = at(&findings, "id-swap");
    assert_eq!(finding["path"], "examples/defective/session.jsonl");
    assert_eq!((&finding["start"]["line"], &finding["turn"]), (&11.into(), &4.into()));
    assert_eq!(finding["also"], serde_json::json!(["displaced-question"]));
    assert_eq!(taken(finding)["text"], "Order brake pads for the blue tandem");
}

#[test]
fn the_mended_agent_and_its_run_are_quiet() {
    for half in ["check", "audit"] {
        let loud: Vec<_> = findings(half)
            .into_iter()
            .filter(|finding| finding["severity"] != "info" && finding["path"] != "examples/defective/agent.py")
            .filter(|finding| finding["path"] != "examples/defective/session.jsonl")
            .collect();
        assert!(loud.is_empty(), "{half}: {loud:#?}");
    }
}

#[test]
fn every_format_shows_the_same_findings() {
    let session = ["check", "audit"].map(|half| {
        let concise = run(repository(), &[half, "examples", "--format", "concise"]).stdout;
        assert_eq!(concise.lines().count(), findings(half).len(), "{half}");
        format!("$ ctxlint {half} examples --format concise\n{concise}")
    });
    snapshot("examples_concise", &session.join("\n"));
}

#[test]
fn the_number_of_threads_changes_nothing() {
    for half in ["check", "audit"] {
        let with = |jobs| {
            run(
                repository(),
                &[half, "examples", "tests", "--format", "json", "-j", jobs],
            )
            .stdout
        };
        assert_eq!(with("1"), with("4"), "{half}");
    }
}

#[test]
fn filters_hide_and_thresholds_decide_the_exit_status() {
    let status = |flags: &[&str]| {
        let folder = folder();
        let out = folder.path().join("out.json");
        let format = format!("json={}", out.display());
        let arguments = [&["check", "examples", "--format", &format], flags].concat();
        let status = run(repository(), &arguments).status;
        let report = std::fs::read_to_string(out).expect("the report is written");
        let report: Value = serde_json::from_str(&report).expect("the report is JSON");
        let count = |key| report["summary"][key].as_u64().expect("a count");
        (status, count("errors"), count("warnings"), count("hidden"))
    };
    assert_eq!(status(&[]), (1, 2, 1, 0));
    assert_eq!(status(&["--exit-zero"]), (0, 2, 1, 0));
    assert_eq!(status(&["--min-severity", "error"]), (1, 2, 0, 1));
    assert_eq!(status(&["--select", "persisted-state"]), (1, 0, 1, 0));
    assert_eq!(
        status(&["--select", "persisted-state", "--fail-on", "error"]),
        (0, 0, 1, 0)
    );
    assert_eq!(status(&["--ignore", "identity,placement,staleness"]), (0, 0, 0, 0));
}

#[test]
fn colours_follow_the_flag_and_the_environment() {
    let coloured = |flag: &str, variables: &[(&str, &str)]| {
        let mut command = support::command(repository());
        command
            .args(["check", "examples", "--color", flag])
            .envs(variables.iter().copied());
        let output = command.output().expect("the binary of this package starts");
        output.stdout.contains(&0x1b)
    };
    assert!(!coloured("auto", &[]), "stdout is no terminal here");
    assert!(coloured("auto", &[("CLICOLOR_FORCE", "1")]));
    assert!(!coloured("auto", &[("CLICOLOR_FORCE", "1"), ("NO_COLOR", "1")]));
    assert!(coloured("always", &[("NO_COLOR", "1")]));
    assert!(!coloured("never", &[("CLICOLOR_FORCE", "1")]));
}
