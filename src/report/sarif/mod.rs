//! `--format sarif`: SARIF 2.1.0, as GitHub's code scanning and the viewers of editors read it.

mod line_hash;
mod message;
mod model;
mod regions;
mod results;
mod rules;

use std::io::{self, Write};

use crate::finding::{Severity, Witness};
use crate::outcome::{Outcome, Partial, Problem, ProblemKind};
use crate::report::paths::Paths;
use crate::report::text::{escape_hazards, one_line};
use crate::report::{Half, Report};

use self::model::{
    ArtifactLocation, AutomationDetails, Driver, Invocation, Location, Log, Notification, PhysicalLocation, Region,
    Run, Text, Tool,
};

/// Code scanning keeps no more results of a run.
const LIMIT: usize = 5_000;

pub(super) fn write(report: &Report<'_>, out: &mut dyn Write) -> io::Result<()> {
    let paths = Paths::of(report.roots);
    let kept = results::kept(report.outcome, LIMIT);
    let named: Vec<_> = kept.iter().map(|one| one.finding.rule()).collect();
    let (id, witness) = match report.half {
        Half::Check => ("ctxlint/check/", Witness::Code),
        Half::Audit => ("ctxlint/audit/", Witness::Transcript),
    };
    let rules = rules::of(report.rules, witness, &named);
    let log = Log {
        schema: "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json",
        version: "2.1.0",
        runs: [Run {
            tool: Tool {
                driver: Driver {
                    name: env!("CARGO_PKG_NAME"),
                    semantic_version: env!("CARGO_PKG_VERSION"),
                    rules: rules.iter().map(|rule| rules::descriptor(rule)).collect(),
                },
            },
            automation_details: AutomationDetails { id },
            column_kind: "unicodeCodePoints",
            invocations: [invocation(report, &paths)],
            results: results::of(&kept, &rules, report.outcome, &paths),
        }],
    };
    writeln!(out, "{}", escape_hazards(&serde_json::to_string(&log)?))
}

/// What a run had too much of for a log, if anything.
pub(super) fn left_out(outcome: &Outcome) -> Option<String> {
    let all = outcome.findings.len() + outcome.suppressed.len();
    (all > LIMIT).then(|| {
        format!(
            "the SARIF report holds {LIMIT} of {all} findings, the gravest first, because code scanning takes no \
             more; {} are left out",
            all - LIMIT
        )
    })
}

fn level(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warn => "warning",
        Severity::Info => "note",
    }
}

fn invocation(report: &Report<'_>, paths: &Paths<'_>) -> Invocation {
    let outcome = report.outcome;
    let failed = |problem: &Problem| problem.kind == ProblemKind::Failed;
    let mut notifications: Vec<_> = outcome
        .problems
        .iter()
        .map(|problem| notification(problem, paths))
        .collect();
    let mut say = |message: String| {
        notifications.push(Notification {
            level: "warning",
            message: Text { text: message },
            locations: Vec::new(),
        });
    };
    if outcome.files.is_empty() && outcome.problems.is_empty() {
        say("No file here can be checked.".to_owned());
    }
    if let Some(Partial { read, found }) = outcome.partial {
        say(format!(
            "The run was interrupted: these are the results of {read} of {found} files."
        ));
    }
    if let Some(message) = left_out(outcome) {
        say(message);
    }
    Invocation {
        execution_successful: outcome.partial.is_none() && !outcome.problems.iter().any(failed),
        tool_execution_notifications: notifications,
    }
}

/// A file that could not be read, or was refused.
fn notification(problem: &Problem, paths: &Paths<'_>) -> Notification {
    let mut text = one_line(&problem.message).into_owned();
    if let Some(help) = &problem.help {
        text.push_str("; ");
        text.push_str(&one_line(help));
    }
    let region = problem.line.map(|line| Region {
        start_line: line,
        start_column: None,
        end_line: None,
        end_column: None,
    });
    Notification {
        level: match problem.kind {
            ProblemKind::Failed => "error",
            ProblemKind::Refused => "warning",
        },
        message: Text { text },
        locations: vec![Location {
            id: None,
            physical: PhysicalLocation {
                artifact_location: ArtifactLocation {
                    uri: paths.uri(&problem.path),
                },
                region,
                context_region: None,
            },
            message: None,
        }],
    }
}
