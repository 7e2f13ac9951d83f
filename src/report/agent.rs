//! For agents: `path:line:col: severity rule: message help: …`, one line a finding, and one last line that says how
//! the run ended and what to do about a finding that is wanted.

use std::io::{self, Write};

use crate::finding::Finding;
use crate::mend::Applicability;
use crate::outcome::{Outcome, ProblemKind};
use crate::report::text::{count, one_line};
use crate::report::{Half, Report, Totals, concise};

pub(super) fn write(report: &Report<'_>, out: &mut dyn Write) -> io::Result<()> {
    for finding in &report.outcome.findings {
        write_finding(finding, out)?;
    }
    writeln!(out, "{}", summary(report))
}

fn write_finding(finding: &Finding, out: &mut dyn Write) -> io::Result<()> {
    let mut line = concise::line(finding);
    if let Some(help) = &finding.help {
        line.push_str(" help: ");
        line.push_str(help);
    }
    if let Some(fix) = &finding.fix {
        let flags = match fix.applicability {
            Applicability::Safe => "--fix",
            Applicability::Unsafe => "--fix --unsafe-fixes",
        };
        line.extend([" fix: ", fix.title, " (", flags, ")"]);
    }
    writeln!(out, "{}", one_line(&line))
}

/// How the run ended. A reader of this line alone must not take a file that could not be read for a clean one.
fn summary(report: &Report<'_>) -> String {
    let Report { outcome, half, .. } = report;
    let read = half.done();
    let files = count(outcome.files.len() as u64, "file");
    let found = match outcome.files.len() {
        0 if outcome.findings.is_empty() => format!("nothing was {read}"),
        _ => format!("{read} {files}: {}", Totals::of(outcome).in_words()),
    };
    let hidden = match outcome.hidden {
        0 => String::new(),
        hidden => format!(", {hidden} hidden"),
    };
    let unread = match unread(outcome) {
        0 => String::new(),
        unread => format!(", {} could not be read (see stderr)", count(unread as u64, "file")),
    };
    let wanted = match half {
        _ if outcome.findings.is_empty() => "",
        Half::Check => {
            "; `ctxlint explain RULE` says more; a finding that is wanted is silenced by the comment \
             `ctxlint: ignore[RULE] reason` on its line or alone on the line above"
        }
        Half::Audit => "; `ctxlint explain RULE` says more; `--ignore RULE` leaves a rule out",
    };
    format!("{found}{hidden}{unread}{wanted}")
}

fn unread(outcome: &Outcome) -> usize {
    let failed = outcome.problems.iter();
    failed.filter(|problem| problem.kind == ProblemKind::Failed).count()
}
