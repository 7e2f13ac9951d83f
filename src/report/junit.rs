//! `--format junit`: each finding a test, and each file without one. Those that make the run fail are failures.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write};
use std::path::Path;

use quick_junit::{NonSuccessKind, Report as Document, TestCase, TestCaseStatus, TestSuite};

use crate::finding::Finding;
use crate::outcome::{Problem, ProblemKind};
use crate::report::paths::Paths;
use crate::report::text;
use crate::report::{Half, Report, human};

pub(super) fn write(report: &Report<'_>, out: &mut dyn Write) -> io::Result<()> {
    let (suite, class) = match report.half {
        Half::Check => ("ctxlint check", "ctxlint.check"),
        Half::Audit => ("ctxlint audit", "ctxlint.audit"),
    };
    let paths = Paths::of(report.roots);
    let mut suite = TestSuite::new(suite);
    for mut case in cases(report, &paths) {
        case.set_classname(class);
        suite.add_test_case(case);
    }
    let mut document = Document::new("ctxlint");
    document.add_test_suite(suite);
    document.serialize(&mut *out).map_err(io::Error::other)
}

fn cases(report: &Report<'_>, paths: &Paths<'_>) -> Vec<TestCase> {
    let outcome = report.outcome;
    let mut cases: Vec<_> = outcome.problems.iter().map(|problem| unread(problem, paths)).collect();
    // The name has no line, so that a test stays the same one when code moves; what has the same name is counted.
    let mut names: BTreeMap<String, usize> = BTreeMap::new();
    for finding in &outcome.findings {
        let path = paths.relative(finding.path());
        let name = format!("{path}: {}", finding.rule().id());
        let number = names.entry(name.clone()).or_default();
        *number += 1;
        let name = if *number == 1 {
            name
        } else {
            format!("{name} #{number}")
        };
        let fails = finding.severity >= report.fail_on;
        cases.push(of_finding(finding, &name, &path, fails));
    }
    let with_findings: BTreeSet<&Path> = outcome.findings.iter().map(Finding::path).collect();
    let clean = outcome.files.iter().filter(|file| !with_findings.contains(&*file.path));
    cases.extend(clean.map(|file| {
        let path = paths.relative(&file.path);
        case(&path, TestCaseStatus::success(), &path)
    }));
    cases
}

/// A text on one line, of characters that XML allows.
fn line(text: &str) -> String {
    text::one_line(text).replace(['\u{fffe}', '\u{ffff}'], "\u{fffd}")
}

fn case(name: &str, status: TestCaseStatus, file: &str) -> TestCase {
    let mut case = TestCase::new(line(name), status);
    case.extra.insert("file".into(), line(file).into());
    case
}

fn of_finding(finding: &Finding, name: &str, path: &str, fails: bool) -> TestCase {
    let text = explained(finding, path);
    if !fails {
        let mut case = case(name, TestCaseStatus::success(), path);
        case.set_system_out(text);
        return case;
    }
    let mut status = TestCaseStatus::non_success(NonSuccessKind::Failure);
    status.set_type(finding.severity.as_str());
    status.set_message(line(&finding.message));
    status.set_description(text);
    case(name, status, path)
}

/// The finding in lines.
fn explained(finding: &Finding, path: &str) -> String {
    let start = finding.span().start;
    let mut lines = vec![format!(
        "{path}:{}:{}: {} {}: {}",
        start.line,
        start.column,
        finding.severity,
        finding.rule().id(),
        finding.message
    )];
    lines.extend(finding.note.iter().map(|note| format!("note: {note}")));
    lines.extend(finding.help.iter().map(|help| format!("help: {help}")));
    if let Some(counterexample) = &finding.counterexample {
        lines.push("what the model reads:".to_owned());
        lines.extend(human::list(counterexample));
    }
    let lines: Vec<_> = lines.iter().map(|text| line(text)).collect();
    lines.join("\n")
}

fn unread(problem: &Problem, paths: &Paths<'_>) -> TestCase {
    let mut status = match problem.kind {
        ProblemKind::Failed => TestCaseStatus::non_success(NonSuccessKind::Error),
        ProblemKind::Refused => TestCaseStatus::skipped(),
    };
    status.set_message(line(&problem.message));
    let path = paths.relative(&problem.path);
    case(&path, status, &path)
}
