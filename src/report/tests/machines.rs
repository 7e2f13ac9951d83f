//! The forms for machines over the small run.

use super::{Format, outcome, report, snapshot, span, written};
use crate::finding::{Finding, Severity, Witness};
use crate::outcome::{FileKind, FileReport};
use crate::report::tests::hostile;
use crate::report::{Report, github};
use crate::rule;

#[test]
fn json_is_the_contract() {
    let text = written(&outcome(), Format::Json, false);
    assert_eq!(text.lines().count(), 1);
    assert!(
        text.contains(r"\u001b[31m\u202e"),
        "hazards are escaped, not lost: {text}"
    );
    snapshot("report_json", &pretty(&text));
}

#[test]
fn json_lines_are_the_findings_and_a_summary() {
    let text = written(&outcome(), Format::Jsonl, false);
    let [first, .., summary] = text.lines().collect::<Vec<_>>()[..] else {
        panic!("a line a finding and one more: {text}");
    };
    assert!(
        first.starts_with("{\"type\":\"finding\",\"version\":1,\"rule\":\"head-scan-attach\","),
        "{first}"
    );
    snapshot("report_jsonl_summary", &pretty(summary));
}

#[test]
fn sarif_tells_code_scanning_everything() {
    let outcome = outcome();
    let rules = [&rule::HEAD_SCAN_ATTACH, &rule::ID_SWAP];
    let few = Report {
        rules: &rules,
        ..report(&outcome)
    };
    let mut out = Vec::new();
    Format::Sarif.write(&few, &mut out).expect("a vector takes every write");
    let text = String::from_utf8(out).expect("SARIF is UTF-8");
    // The pages of the rules are no part of this snapshot.
    let page = regex::Regex::new(r#""(text|markdown)": "(?:What|## What) [^\n]*""#).expect("a constant pattern");
    snapshot("report_sarif", &page.replace_all(&pretty(&text), r#""$1": "[page]""#));
}

#[test]
fn of_too_many_findings_sarif_keeps_the_gravest_in_order() {
    let mut outcome = outcome();
    outcome.findings = (1..=5_100)
        .map(|line| {
            let mut finding = Finding::at(&rule::ID_SWAP, Witness::Code, span("bot.py", line, (1, 2)), "one");
            if line % 3 == 0 {
                finding.severity = Severity::Info;
            }
            finding
        })
        .collect();
    let text = written(&outcome, Format::Sarif, false);
    let log: serde_json::Value = serde_json::from_str(&text).expect("the report is JSON");
    let results = log["runs"][0]["results"].as_array().expect("results are a list");
    assert_eq!(results.len(), 5_000);
    let graver = results.iter().filter(|result| result["level"] == "error").count();
    assert_eq!(graver, 3_400);
    assert!(
        results
            .iter()
            .all(|result| result["suppressions"] == serde_json::json!([]))
    );
    let lines: Vec<_> = results
        .iter()
        .map(|result| result["locations"][0]["physicalLocation"]["region"]["startLine"].as_u64())
        .collect();
    assert!(lines.is_sorted());
    let said = Format::Sarif.left_out(&outcome).expect("findings are left out");
    assert!(
        said.contains("5000 of 5101 findings") && said.contains("101 are left out"),
        "{said}"
    );
    assert_eq!(
        log["runs"][0]["invocations"][0]["toolExecutionNotifications"][0]["message"]["text"],
        said.as_str()
    );
}

#[test]
fn github_gets_commands_and_a_summary() {
    snapshot("report_github", &written(&outcome(), Format::Github, false));
    snapshot(
        "report_github_step",
        &github::step_summary(&report(&outcome()), 1 << 20),
    );
}

#[test]
fn the_summary_of_a_step_has_room_for_so_much() {
    let mut outcome = outcome();
    outcome.findings = vec![outcome.findings.remove(0); 900];
    let table = github::step_summary(&report(&outcome), 20_000);
    assert!((10_000..=20_000).contains(&table.len()), "{}", table.len());
    let rows = table.lines().filter(|line| line.starts_with("| error")).count();
    let left = format!("\nNo room is left for {} more: they stand in the log.\n", 900 - rows);
    assert!(table.contains(&left), "{table}");
    assert!(github::step_summary(&report(&outcome), 0).len() < 200);
}

#[test]
fn gitlab_gets_a_list_of_issues() {
    snapshot("report_gitlab", &pretty(&written(&outcome(), Format::Gitlab, false)));
}

#[test]
fn junit_is_a_test_a_finding_and_a_test_a_clean_file() {
    let mut outcome = outcome();
    outcome.files.push(FileReport {
        path: "clean.py".into(),
        kind: FileKind::Code { language: "python" },
    });
    outcome.findings.push(outcome.findings[2].clone());
    outcome.findings[2].severity = Severity::Info;
    outcome.problems = hostile::ours().problems;
    snapshot("report_junit", &written(&outcome, Format::Junit, false));
}

/// A document in many lines, with the version of the program taken out.
fn pretty(text: &str) -> String {
    let value: serde_json::Value = serde_json::from_str(text).expect("the report is JSON");
    let pretty = serde_json::to_string_pretty(&value).expect("a value serialises");
    pretty
        .replace('\u{202e}', "\\u202e")
        .replace(env!("CARGO_PKG_VERSION"), "[version]")
}
