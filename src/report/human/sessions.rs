//! Sessions of recorded runs: findings grouped by them, and what became of their records.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::Path;

use chrono::DateTime;
use rustc_hash::FxHashMap;

use crate::finding::Finding;
use crate::outcome::{Coverage, FileKind, Outcome, SessionReport};
use crate::report::text::{count, one_line};

/// The findings, those of one session together, in the order of their first ones; with a heading where a file
/// holds several sessions.
pub(super) fn grouped(outcome: &Outcome) -> Vec<(Option<String>, Vec<&Finding>)> {
    let several = |path: &Path| {
        outcome.files.iter().any(|file| {
            let is_there = path.starts_with(&file.path);
            is_there && matches!(&file.kind, FileKind::Transcript { sessions, .. } if sessions.len() > 1)
        })
    };
    let mut groups: Vec<(Option<&str>, Vec<&Finding>)> = Vec::new();
    let mut places: FxHashMap<(&Path, &str), usize> = FxHashMap::default();
    for finding in &outcome.findings {
        let session = finding.session.as_deref().filter(|_| several(finding.path()));
        // Findings of no session stand where their files put them.
        let place = session.and_then(|session| places.get(&(finding.path(), session)).copied());
        match (place, groups.last_mut()) {
            (Some(at), _) => groups[at].1.push(finding),
            (None, Some((None, findings))) if session.is_none() => findings.push(finding),
            (None, _) => {
                if let Some(session) = session {
                    places.insert((finding.path(), session), groups.len());
                }
                groups.push((session, vec![finding]));
            }
        }
    }
    let heading = |session: &str, findings: &[&Finding]| {
        let path = findings.first().map_or(Path::new(""), |finding| finding.path());
        let path = path.display().to_string();
        let number = count(findings.len() as u64, "finding");
        format!("session {} of {}: {number}\n", one_line(session), one_line(&path))
    };
    groups
        .into_iter()
        .map(|(session, findings)| (session.map(|session| heading(session, &findings)), findings))
        .collect()
}

/// Where the records of a file ended, by reason and type.
pub(super) fn write_table(
    coverage: Coverage,
    ignored_for: &BTreeMap<&'static str, u64>,
    unknown_types: &BTreeMap<String, u64>,
    out: &mut dyn Write,
) -> io::Result<()> {
    let mut row = |fate: &str, number: u64, what: &str| {
        let line = format!("  {number:>9} {fate:<17} {}", one_line(what));
        writeln!(out, "{}", line.trim_end())
    };
    row("understood", coverage.understood, "")?;
    for (reason, number) in ignored_for {
        row("ignored by design", *number, reason)?;
    }
    for (name, number) in unknown_types {
        row("unknown", *number, name)?;
    }
    if coverage.malformed > 0 {
        row("malformed", coverage.malformed, "reported where they stand")?;
    }
    Ok(())
}

/// The sessions of a file, one a line.
pub(super) fn write(sessions: &[SessionReport], out: &mut dyn Write) -> io::Result<()> {
    for session in sessions {
        let time = session.time.and_then(DateTime::from_timestamp_millis);
        let time = time.map_or(String::new(), |time| {
            format!(", last at {}", time.format("%Y-%m-%d %H:%M UTC"))
        });
        let project = session.project.as_deref();
        let project = project.map_or(String::new(), |project| format!(", in {}", one_line(project)));
        writeln!(out, "  session {}{time}{project}", one_line(&session.id))?;
    }
    Ok(())
}
