//! Rounds of fixing: apply what does not overlap, check again, keep what helped.
//!
//! A fix has to prove itself: after it the file can be parsed, its finding is gone, and no other has come.
//! One that does not is taken back.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::applied;
use crate::finding::{Finding, Position, Severity};
use crate::mend::{Applicability, Edit, Fix};
use crate::outcome::Outcome;

/// How often everything is checked anew. Fixes that overlap wait for each other, so a few rounds are
/// normal; what needs more than this is left for the next run.
const ROUNDS: usize = 16;

/// Texts of files, by their paths.
type Texts = BTreeMap<PathBuf, Arc<str>>;

/// What fixing came to.
#[derive(Debug)]
pub struct Fixed {
    /// What is found in the files as they are now.
    pub outcome: Outcome,
    /// The files that changed: the text they had, and the one they are to have.
    pub changed: BTreeMap<PathBuf, (Arc<str>, Arc<str>)>,
    /// How many findings were mended, by the file that was edited for that.
    pub mended: BTreeMap<PathBuf, usize>,
    /// Fixes that were taken back.
    pub refused: Vec<Refused>,
}

/// A fix that was taken back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refused {
    /// The file of the finding.
    pub path: PathBuf,
    /// Where the finding starts.
    pub at: Position,
    /// The rule's id.
    pub rule: &'static str,
    /// Why, as a clause behind "the fix".
    pub why: &'static str,
}

/// Findings of one rule in one file.
type Group = (PathBuf, &'static str);

/// Fixes what can be fixed, in memory.
pub fn fix(unsafe_too: bool, check: impl Fn(&Texts) -> Outcome, parses: impl Fn(&Path, &str) -> bool) -> Fixed {
    let mut texts = Texts::new();
    let mut before: Texts = Texts::new();
    let mut outcome = check(&texts);
    let mut mended: BTreeMap<PathBuf, usize> = BTreeMap::new();
    let mut refused: Vec<(Fix, Refused)> = Vec::new();
    let mut careful: BTreeSet<Group> = BTreeSet::new();
    for _ in 0..ROUNDS {
        let chosen = choose(&outcome, unsafe_too, &refused, &careful);
        if chosen.is_empty() {
            break;
        }
        let mut next = texts.clone();
        let mut taken: Vec<&Finding> = Vec::new();
        for (path, findings) in &chosen {
            let Some(text) = outcome.sources.get(*path) else {
                continue;
            };
            let (made, kept) = parsing(path, text, findings, &parses, &mut refused);
            if !kept.is_empty() {
                before.entry((*path).to_owned()).or_insert_with(|| Arc::clone(text));
                next.insert((*path).to_owned(), made.into());
                taken.extend(kept);
            }
        }
        if taken.is_empty() {
            continue;
        }
        let after = check(&next);
        let failed = failed(&outcome, &after, &taken);
        if failed.is_empty() {
            for fix in taken.iter().filter_map(|finding| finding.fix.as_ref()) {
                *mended.entry(fix.path.clone()).or_default() += 1;
            }
            texts = next;
            outcome = after;
            continue;
        }
        for group in failed {
            let mut members = taken.iter().filter(|finding| self::group(finding) == group);
            if let (Some(only), None) = (members.next(), members.next()) {
                refused.extend(refusal(only, "would leave the finding, or bring another"));
            }
            // Of several, those that help are found one by one.
            careful.insert(group);
        }
    }
    let changed = texts.into_iter().filter_map(|(path, text)| {
        let old = before.remove(&path)?;
        Some((path, (old, text)))
    });
    Fixed {
        changed: changed.collect(),
        outcome,
        mended,
        refused: refused.into_iter().map(|(_, refused)| refused).collect(),
    }
}

fn group(finding: &Finding) -> Group {
    (finding.path().to_owned(), finding.rule().id())
}

fn refusal(finding: &Finding, why: &'static str) -> Option<(Fix, Refused)> {
    let refused = Refused {
        path: finding.path().to_owned(),
        at: finding.span().start,
        rule: finding.rule().id(),
        why,
    };
    Some((finding.fix.clone()?, refused))
}

/// The findings to mend in this round, by the file that is edited: in the order of findings, the first of
/// those whose edits overlap.
fn choose<'o>(
    outcome: &'o Outcome,
    unsafe_too: bool,
    refused: &[(Fix, Refused)],
    careful: &BTreeSet<Group>,
) -> BTreeMap<&'o Path, Vec<&'o Finding>> {
    let mut chosen: BTreeMap<&Path, Vec<&Finding>> = BTreeMap::new();
    let mut started: BTreeSet<Group> = BTreeSet::new();
    for finding in &outcome.findings {
        let Some(fix) = &finding.fix else { continue };
        let wanted = unsafe_too || fix.applicability == Applicability::Safe;
        if !wanted || refused.iter().any(|(known, _)| known == fix) {
            continue;
        }
        if careful.contains(&group(finding)) && !started.insert(group(finding)) {
            continue;
        }
        let others = chosen.entry(&fix.path).or_default();
        let free = others
            .iter()
            .filter_map(|other| other.fix.as_ref())
            .all(|other| !overlap(fix, other));
        if free {
            others.push(finding);
        }
    }
    chosen
}

/// Whether two fixes of a file touch the same bytes, or insert at the same place.
fn overlap(one: &Fix, other: &Fix) -> bool {
    one.edits.iter().any(|a| {
        let (from, to) = (a.range.start, a.range.end);
        other
            .edits
            .iter()
            .any(|b| from < b.range.end && b.range.start < to || from == b.range.start)
    })
}

/// A file's text with the edits of those findings whose fixes leave it one that can be parsed.
fn parsing<'o>(
    path: &Path,
    text: &str,
    findings: &[&'o Finding],
    parses: &impl Fn(&Path, &str) -> bool,
    refused: &mut Vec<(Fix, Refused)>,
) -> (String, Vec<&'o Finding>) {
    let all = with_edits(text, findings);
    if parses(path, &all) {
        return (all, findings.to_vec());
    }
    let mut kept: Vec<&Finding> = Vec::new();
    for finding in findings {
        kept.push(finding);
        if !parses(path, &with_edits(text, &kept)) {
            kept.pop();
            refused.extend(refusal(finding, "would make code that cannot be parsed"));
        }
    }
    (with_edits(text, &kept), kept)
}

fn with_edits(text: &str, findings: &[&Finding]) -> String {
    let fixes = findings.iter().filter_map(|finding| finding.fix.as_ref());
    let mut edits: Vec<&Edit> = fixes.flat_map(|fix| &fix.edits).collect();
    edits.sort_by_key(|edit| (edit.range.start, edit.range.end));
    applied(text, edits)
}

/// The groups whose fixes did not do what they are for: their findings are still there, or new ones have
/// come. What is only worth knowing, and what is said about comments, does not count.
fn failed(before: &Outcome, after: &Outcome, taken: &[&Finding]) -> BTreeSet<Group> {
    let count = |outcome: &Outcome| {
        let mut counts: BTreeMap<Group, usize> = BTreeMap::new();
        for finding in &outcome.findings {
            if finding.severity > Severity::Info && !finding.rule().is_housekeeping() {
                *counts.entry(group(finding)).or_default() += 1;
            }
        }
        counts
    };
    let (before, after) = (count(before), count(after));
    let number = |counts: &BTreeMap<Group, usize>, group: &Group| counts.get(group).copied().unwrap_or(0);
    let mut mended: BTreeMap<Group, usize> = BTreeMap::new();
    for finding in taken {
        *mended.entry(group(finding)).or_default() += 1;
    }
    let left = mended
        .iter()
        .filter(|(group, fixes)| number(&after, group) + **fixes > number(&before, group));
    let mut failed: BTreeSet<Group> = left.map(|(group, _)| group.clone()).collect();
    for (new, found) in &after {
        if *found <= number(&before, new) {
            continue;
        }
        // Who edited the file with the new finding did it, or everybody.
        let near: Vec<Group> = taken
            .iter()
            .filter(|one| one.path() == new.0)
            .map(|one| group(one))
            .collect();
        if near.is_empty() {
            failed.extend(mended.keys().cloned());
        } else {
            failed.extend(near);
        }
    }
    failed
}
