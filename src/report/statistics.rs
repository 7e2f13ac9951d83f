//! `--statistics`: how many findings each rule has.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write};

use super::Report;
use crate::finding::Severity;

/// Writes a line for each rule that has findings, the most frequent first.
pub(crate) fn write(report: &Report<'_>, out: &mut dyn Write) -> io::Result<()> {
    let mut rules: BTreeMap<&str, (usize, BTreeSet<&std::path::Path>, Severity)> = BTreeMap::new();
    for finding in &report.outcome.findings {
        let (number, files, severity) =
            rules
                .entry(finding.rule().id())
                .or_insert((0, BTreeSet::new(), finding.severity));
        *number += 1;
        files.insert(finding.path());
        *severity = finding.severity.max(*severity);
    }
    let mut lines: Vec<_> = rules.into_iter().collect();
    lines.sort_by_key(|(id, (number, ..))| (std::cmp::Reverse(*number), *id));
    writeln!(out, "findings  files  severity  rule")?;
    for (id, (number, files, severity)) in lines {
        writeln!(out, "{number:>8}  {:>5}  {severity:<8}  {id}", files.len())?;
    }
    Ok(())
}
