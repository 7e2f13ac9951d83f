//! `path:line:col: severity rule: message`, one line a finding.

use std::io::{self, Write};

use crate::finding::Finding;
use crate::report::Report;
use crate::report::text::one_line;

pub(crate) fn write(report: &Report<'_>, out: &mut dyn Write) -> io::Result<()> {
    for finding in &report.outcome.findings {
        writeln!(out, "{}", one_line(&line(finding)))?;
    }
    Ok(())
}

/// The place, the rule and the message; not yet fit for a terminal.
pub(super) fn line(finding: &Finding) -> String {
    let start = finding.span().start;
    format!(
        "{}:{}:{}: {} {}: {}",
        finding.path().display(),
        start.line,
        start.column,
        finding.severity,
        finding.rule().id(),
        finding.message,
    )
}
