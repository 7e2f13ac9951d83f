//! `path:line:col: severity rule: message`, one line a finding.

use std::io::{self, Write};

use crate::report::Report;
use crate::report::text::one_line;

pub(crate) fn write(report: &Report<'_>, out: &mut dyn Write) -> io::Result<()> {
    for finding in &report.outcome.findings {
        let start = finding.span().start;
        writeln!(
            out,
            "{}:{}:{}: {} {}: {}",
            one_line(&finding.path().display().to_string()),
            start.line,
            start.column,
            finding.severity,
            finding.rule().id(),
            one_line(&finding.message),
        )?;
    }
    Ok(())
}
