//! `--format gitlab`: a Code Quality report, which GitLab shows in merge requests.

use std::io::{self, Write};

use rustc_hash::FxHashSet;
use serde::Serialize;

use crate::finding::{Finding, Severity};
use crate::report::Report;
use crate::report::paths::Paths;
use crate::report::text::{escape_hazards, one_line};

#[derive(Serialize)]
struct Issue {
    description: String,
    check_name: &'static str,
    fingerprint: String,
    severity: &'static str,
    location: Location,
}

#[derive(Serialize)]
struct Location {
    path: String,
    lines: Lines,
}

#[derive(Serialize)]
struct Lines {
    begin: u32,
    end: u32,
}

pub(super) fn write(report: &Report<'_>, out: &mut dyn Write) -> io::Result<()> {
    let paths = Paths::of(report.roots);
    let mut taken = FxHashSet::default();
    let issues: Vec<_> = report
        .outcome
        .findings
        .iter()
        .map(|finding| issue(finding, &paths, &mut taken))
        .collect();
    writeln!(out, "{}", escape_hazards(&serde_json::to_string(&issues)?))
}

fn issue(finding: &Finding, paths: &Paths<'_>, taken: &mut FxHashSet<String>) -> Issue {
    let span = finding.span();
    Issue {
        // GitLab does not show the name of the check.
        description: format!("{}: {}", finding.rule().id(), one_line(&finding.message)),
        check_name: finding.rule().id(),
        fingerprint: own(finding.fingerprint(), taken),
        severity: match finding.severity {
            Severity::Error => "critical",
            Severity::Warn => "major",
            Severity::Info => "info",
        },
        location: Location {
            path: one_line(&paths.relative(&span.path)).into_owned(),
            lines: Lines {
                begin: span.start.line,
                end: span.end.line.max(span.start.line),
            },
        },
    }
}

/// The fingerprint, or one made of it: of several with the same GitLab keeps the first only.
fn own(fingerprint: &str, taken: &mut FxHashSet<String>) -> String {
    let mut own = fingerprint.to_owned();
    let mut number = 1;
    while !taken.insert(own.clone()) {
        number += 1;
        own = format!("{fingerprint}-{number}");
    }
    own
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_two_fingerprints_are_the_same() {
        let mut taken = FxHashSet::default();
        let own = ["a", "b", "a", "a"].map(|print| own(print, &mut taken));
        assert_eq!(own, ["a", "b", "a-2", "a-3"]);
    }
}
