//! `--format github`: workflow commands, which GitHub shows as annotations of the lines, and the table for the
//! summary of the step.

use std::cmp::Reverse;
use std::io::{self, Write};

use crate::finding::{Finding, Severity};
use crate::outcome::{Problem, ProblemKind};
use crate::report::markdown::literal;
use crate::report::paths::Paths;
use crate::report::text::{count, one_line};
use crate::report::{Half, Report, Totals};

/// GitHub shows no more annotations of one kind in a step.
const SHOWN: usize = 10;

pub(super) fn write(report: &Report<'_>, out: &mut dyn Write) -> io::Result<()> {
    let paths = Paths::of(report.roots);
    for problem in &report.outcome.problems {
        if problem.kind == ProblemKind::Failed {
            write_problem(problem, &paths, out)?;
        }
    }
    for finding in gravest_first(report) {
        write_finding(finding, &paths, out)?;
    }
    writeln!(out, "{}{}", outcome_in_words(report), shown(report))
}

/// GitHub shows the first ones, so the gravest are the first.
fn gravest_first<'a>(report: &Report<'a>) -> Vec<&'a Finding> {
    let mut findings: Vec<_> = report.outcome.findings.iter().collect();
    findings.sort_by_key(|finding| Reverse(finding.severity));
    findings
}

fn write_finding(finding: &Finding, paths: &Paths<'_>, out: &mut dyn Write) -> io::Result<()> {
    let span = finding.span();
    let path = paths.relative(&span.path);
    let kind = match finding.severity {
        Severity::Error => "error",
        Severity::Warn => "warning",
        Severity::Info => "notice",
    };
    write!(out, "::{kind} file={},line={}", property(&path), span.start.line)?;
    write!(out, ",endLine={}", span.end.line)?;
    // Columns of different lines are refused.
    if span.start.line == span.end.line {
        write!(out, ",col={},endColumn={}", span.start.column, span.end.column)?;
    }
    // The log shows nothing but the message, so it says the place as well.
    let mut lines = vec![format!(
        "{path}:{}:{}: {}: {}",
        span.start.line,
        span.start.column,
        finding.rule().id(),
        finding.message
    )];
    lines.extend(finding.help.iter().map(|help| format!("help: {help}")));
    let lines: Vec<_> = lines.iter().map(|line| message(line)).collect();
    writeln!(out, ",title={}::{}", property(finding.rule().id()), lines.join("%0A"))
}

fn write_problem(problem: &Problem, paths: &Paths<'_>, out: &mut dyn Write) -> io::Result<()> {
    let path = paths.relative(&problem.path);
    write!(out, "::error file={}", property(&path))?;
    if let Some(line) = problem.line {
        write!(out, ",line={line}")?;
    }
    let line = problem.line.map(|line| format!(":{line}")).unwrap_or_default();
    let text = format!("{path}{line}: {}", problem.message);
    writeln!(out, ",title=not read::{}", message(&text))
}

/// What a command says.
fn message(text: &str) -> String {
    one_line(text).replace('%', "%25")
}

/// A value of a command.
fn property(text: &str) -> String {
    message(text).replace(':', "%3A").replace(',', "%2C")
}

/// `ctxlint check: 2 errors in 3 files, 1 hidden`.
fn outcome_in_words(report: &Report<'_>) -> String {
    let outcome = report.outcome;
    let hidden = match outcome.hidden {
        0 => String::new(),
        hidden => format!(", {hidden} hidden"),
    };
    let found = match outcome.files.len() {
        0 if outcome.findings.is_empty() => "nothing was checked".to_owned(),
        files => format!("{} in {}", Totals::of(outcome).in_words(), count(files as u64, "file")),
    };
    format!("ctxlint {}: {found}{hidden}", half(report))
}

fn half(report: &Report<'_>) -> &'static str {
    match report.half {
        Half::Check => "check",
        Half::Audit => "audit",
    }
}

/// What a reader of the annotations does not see.
fn shown(report: &Report<'_>) -> String {
    let totals = Totals::of(report.outcome);
    let kinds = [
        (totals.errors, "errors"),
        (totals.warnings, "warnings"),
        (totals.infos, "notices"),
    ];
    let more = kinds.into_iter().filter(|(number, _)| *number > SHOWN);
    let more: Vec<_> = more
        .map(|(number, kind)| format!("{SHOWN} of {number} {kind}"))
        .collect();
    if more.is_empty() {
        return String::new();
    }
    format!(
        "; GitHub shows {} as annotations, the others stand in this log and in the summary of the step",
        more.join(", ")
    )
}

/// The table of all findings in Markdown, in at most so many bytes.
pub(crate) fn step_summary(report: &Report<'_>, room: usize) -> String {
    let paths = Paths::of(report.roots);
    let mut text = format!("### {}\n\n", literal(&outcome_in_words(report)));
    if report.outcome.findings.is_empty() {
        return text;
    }
    text.push_str("| severity | place | rule | finding |\n| --- | --- | --- | --- |\n");
    let findings = gravest_first(report);
    for (index, finding) in findings.iter().enumerate() {
        let start = finding.span().start;
        let place = format!("{}:{}:{}", paths.relative(finding.path()), start.line, start.column);
        let help = finding.help.as_ref().map(|help| format!("<br>{}", literal(help)));
        let row = format!(
            "| {} | {} | `{}` | {}{} |\n",
            finding.severity,
            literal(&place),
            finding.rule().id(),
            literal(&finding.message),
            help.unwrap_or_default(),
        );
        if text.len() + row.len() + 100 > room {
            let left = findings.len() - index;
            text.extend([
                "\nNo room is left for ",
                &left.to_string(),
                " more: they stand in the log.\n",
            ]);
            break;
        }
        text.push_str(&row);
    }
    text.push('\n');
    text
}
