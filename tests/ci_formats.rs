//! The forms for continuous integration on real runs: GitHub's commands and step summary, GitLab's Code Quality,
//! JUnit's tests.

mod support;

use std::collections::BTreeSet;

use serde_json::Value;
use support::{command, folder, repository, run, write};

/// The report of a half over the examples as JSON.
fn findings(half: &str) -> Vec<Value> {
    let report = run(repository(), &[half, "examples", "--format", "json"]).stdout;
    let report: Value = serde_json::from_str(&report).expect("a report is JSON");
    report["findings"].as_array().expect("findings are a list").clone()
}

#[test]
fn github_gets_a_command_a_finding_the_gravest_first() {
    for half in ["check", "audit"] {
        let report = run(repository(), &[half, "examples", "--format", "github"]);
        assert_eq!((report.status, report.stderr.as_str()), (1, ""), "{half}");
        let mut lines: Vec<_> = report.stdout.lines().collect();
        let last = lines.pop().expect("there is a last line");
        assert!(last.starts_with(&format!("ctxlint {half}: ")), "{last}");
        assert_eq!(lines.len(), findings(half).len());
        let kinds = ["error", "warning", "notice"].map(|kind| format!("::{kind} file=examples/"));
        let kind = |line: &&str| kinds.iter().position(|start| line.starts_with(start));
        let order: Vec<_> = lines.iter().map(|line| kind(line).expect("a command")).collect();
        assert!(order.is_sorted(), "{lines:#?}");
    }
}

#[test]
fn github_gets_the_table_of_all_findings_behind_what_is_there() {
    let folder = folder();
    let summary = write(folder.path(), "summary.md", "before\n");
    let examples = repository().join("examples");
    let report = |summary: &std::path::Path| {
        command(folder.path())
            .args(["check", "--format", "github", "--format", "json=out.json"])
            .arg(&examples)
            .env("GITHUB_STEP_SUMMARY", summary)
            .output()
            .expect("the binary of this package starts")
    };
    let done = report(&summary);
    assert_eq!(done.status.code(), Some(1));
    let table = std::fs::read_to_string(&summary).expect("the summary is there");
    let rows: Vec<_> = table.lines().filter(|line| line.starts_with("| ")).collect();
    assert!(table.starts_with("before\n### ctxlint check: "), "{table}");
    assert_eq!(rows.len(), findings("check").len() + 2, "{table}");
    assert!(rows[2].starts_with("| error | examples/defective/agent.py:"), "{table}");

    let failed = report(&folder.path().join("no/such/folder/summary.md"));
    assert_eq!(failed.status.code(), Some(2));
    assert_eq!(failed.stdout, done.stdout, "the commands are there all the same");
    let stderr = String::from_utf8(failed.stderr).expect("stderr is UTF-8");
    assert!(stderr.contains("summary.md: the report is not written: "), "{stderr}");

    // Nobody else writes there.
    let summary = write(folder.path(), "other.md", "");
    let other = command(folder.path())
        .args(["check", "--format", "concise"])
        .arg(&examples)
        .env("GITHUB_STEP_SUMMARY", &summary)
        .output()
        .expect("the binary of this package starts");
    assert_eq!(other.status.code(), Some(1));
    assert_eq!(std::fs::read_to_string(&summary).expect("the file is there"), "");
}

#[test]
fn github_is_told_what_its_annotations_do_not_show() {
    let folder = folder();
    write(
        folder.path(),
        "agent.py",
        "x = 1  # ctxlint: ignore[no-such-rule]\n".repeat(12),
    );
    let report = run(folder.path(), &["check", "agent.py", "--format", "github"]);
    let last = report.stdout.lines().last();
    assert_eq!(
        last,
        Some(
            "ctxlint check: 12 warnings in 1 file; GitHub shows 10 of 12 warnings as annotations, the others stand in \
             this log and in the summary of the step"
        )
    );
}

#[test]
fn a_file_that_cannot_be_read_is_an_annotation_and_an_errored_test() {
    let folder = folder();
    write(folder.path(), "agent.py", "x = 1\n");
    let arguments = [
        "check",
        "agent.py",
        "gone, here.py",
        "--format",
        "github",
        "--format",
        "junit=out.xml",
    ];
    let report = run(folder.path(), &arguments);
    assert_eq!(report.status, 2);
    assert!(
        report
            .stdout
            .starts_with("::error file=gone%2C here.py,title=not read::gone, here.py: "),
        "{}",
        report.stdout
    );
    let document = std::fs::read_to_string(folder.path().join("out.xml")).expect("the report was written");
    let document = quick_junit::Report::deserialize_from_str(&document).expect("the report is JUnit's XML");
    assert_eq!((document.tests, document.errors, document.failures), (2, 1, 0));
}

#[test]
fn gitlab_gets_what_its_documentation_asks_for() {
    let mut prints = BTreeSet::new();
    for half in ["check", "audit"] {
        let report = run(repository(), &[half, "examples", "--format", "gitlab"]);
        assert_eq!((report.status, report.stderr.as_str()), (1, ""), "{half}");
        let issues: Value =
            serde_json::from_str(&report.stdout).expect("the report is JSON, without a byte order mark");
        let issues = issues.as_array().expect("the report is a list");
        let findings = findings(half);
        assert_eq!(issues.len(), findings.len());
        for (issue, finding) in issues.iter().zip(&findings) {
            let rule = finding["rule"].as_str().expect("a rule has an id");
            assert_eq!(issue["check_name"], rule);
            let description = issue["description"].as_str().expect("a description is text");
            assert!(description.starts_with(&format!("{rule}: ")), "{description}");
            let severity = issue["severity"].as_str().expect("a severity is a word");
            assert!(
                ["info", "minor", "major", "critical", "blocker"].contains(&severity),
                "{severity}"
            );
            let path = issue["location"]["path"].as_str().expect("a path is text");
            assert!(repository().join(path).is_file() && !path.starts_with("./"), "{path}");
            assert_eq!(issue["location"]["lines"]["begin"], finding["start"]["line"]);
            let print = issue["fingerprint"].as_str().expect("a fingerprint is text");
            assert!(prints.insert(print.to_owned()), "{print} is there twice");
        }
    }
    let nothing = run(folder().path(), &["check", "--format", "gitlab"]);
    assert_eq!((nothing.status, nothing.stdout.as_str()), (3, "[]\n"));
}

#[test]
fn junit_counts_findings_and_clean_files() {
    for half in ["check", "audit"] {
        let findings = findings(half);
        let failures = findings.iter().filter(|finding| finding["severity"] != "info").count();
        let report = run(repository(), &[half, "examples", "--format", "junit"]);
        assert_eq!((report.status, report.stderr.as_str()), (1, ""), "{half}");
        let document = quick_junit::Report::deserialize_from_str(&report.stdout).expect("the report is JUnit's XML");
        let [suite] = &document.test_suites[..] else {
            panic!("one suite: {document:#?}");
        };
        assert_eq!(suite.name.as_str(), format!("ctxlint {half}"));
        assert_eq!((suite.failures, suite.errors), (failures, 0));
        assert_eq!(suite.tests, suite.test_cases.len());
        let with_findings: BTreeSet<_> = findings.iter().map(|finding| finding["path"].as_str()).collect();
        let clean = suite.test_cases.iter().filter(|case| !case.name.contains(": "));
        for case in clean.clone() {
            assert!(
                !with_findings.contains(&Some(case.name.as_str())),
                "{}",
                case.name.as_str()
            );
        }
        assert_eq!(suite.tests, findings.len() + clean.count());
        let names: BTreeSet<_> = suite.test_cases.iter().map(|case| case.name.as_str()).collect();
        assert_eq!(names.len(), suite.tests, "no two tests have the same name");

        let strict = run(
            repository(),
            &[half, "examples", "--format", "junit", "--fail-on", "info"],
        );
        let strict = quick_junit::Report::deserialize_from_str(&strict.stdout).expect("the report is JUnit's XML");
        assert_eq!(strict.failures, findings.len(), "failures are what makes the run fail");
    }
}
