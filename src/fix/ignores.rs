//! `--add-ignore`: the edits that put an ignore comment above what is found.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::finding::{Finding, Position, Witness};
use crate::mend::{Applicability, Edit, Fix};
use crate::outcome::Outcome;

/// Gives every finding in code, in place of the edits that mend it, those that ignore it for a reason. Findings on one
/// line share a comment. `marker` tells what begins a comment in a file.
pub fn ignores(outcome: &mut Outcome, reason: &str, marker: impl Fn(&Path) -> Option<&'static str>) {
    let mut lines: BTreeMap<(PathBuf, u32), Vec<&'static str>> = BTreeMap::new();
    let wanted = |finding: &Finding| finding.witness() == Witness::Code && !finding.rule().is_housekeeping();
    for finding in outcome.findings.iter().filter(|finding| wanted(finding)) {
        let line = (finding.path().to_owned(), finding.span().start.line);
        let rules = lines.entry(line).or_default();
        if !rules.contains(&finding.rule().id()) {
            rules.push(finding.rule().id());
        }
    }
    let mut fixes: BTreeMap<(PathBuf, u32), Fix> = BTreeMap::new();
    for ((path, line), rules) in lines {
        let (Some(text), Some(marker)) = (outcome.sources.get(&path), marker(&path)) else {
            continue;
        };
        let Some(edit) = ignore(text, line, marker, &rules.join(", "), reason) else {
            continue;
        };
        let fix = Fix {
            title: "ignore it here",
            applicability: Applicability::Safe,
            path: path.clone(),
            edits: vec![edit],
        };
        fixes.insert((path, line), fix);
    }
    for finding in &mut outcome.findings {
        let line = (finding.path().to_owned(), finding.span().start.line);
        finding.fix = fixes.get(&line).filter(|_| wanted(finding)).cloned();
    }
}

/// The edit that puts an ignore comment for rules, their ids joined by commas, above a 1-based line; none behind the
/// end of the text. `marker` begins a comment.
pub(crate) fn ignore(text: &str, line: u32, marker: &str, rules: &str, reason: &str) -> Option<Edit> {
    let place = comment_above(text, line)?;
    let at = Position { line, column: 1 };
    let comment = format!("{marker} ctxlint: ignore[{rules}] {reason}");
    Some(Edit {
        range: place.at..place.at,
        start: at,
        end: at,
        replacement: format!("{}{}{}", place.indent, comment.trim_end(), place.newline),
    })
}

/// Where a line begins, and how.
struct Place<'t> {
    at: usize,
    indent: &'t str,
    newline: &'static str,
}

fn comment_above(text: &str, line: u32) -> Option<Place<'_>> {
    let before = text.split_inclusive('\n').take(line.saturating_sub(1) as usize);
    let at: usize = before.map(str::len).sum();
    let rest = text.get(at..)?;
    let own = rest.split_inclusive('\n').next()?;
    Some(Place {
        at,
        indent: &own[..own.len() - own.trim_start().len()],
        newline: if own.ends_with("\r\n") { "\r\n" } else { "\n" },
    })
}
