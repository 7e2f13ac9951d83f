//! Findings as results, those that are suppressed among them: one that disappeared would be closed, and opened again
//! when the decision about it is taken back.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::io;
use std::path::Path;

use crate::finding::Finding;
use crate::mend::{Applicability, Edit};
use crate::outcome::{Outcome, Suppressed, SuppressedBy};
use crate::report::paths::Paths;
use crate::report::text::one_line;
use crate::rule::Rule;

use super::model::{ArtifactChange, Content, Fix, Region, Replacement, Result, ResultProperties, Suppression, Text};
use super::{level, line_hash, message, regions};

/// Code scanning takes no more locations of a result.
const RELATED: usize = 1_000;

/// A finding that the log tells.
pub(super) struct Kept<'a> {
    pub(super) finding: &'a Finding,
    suppressed: Option<&'a Suppressed>,
}

/// The findings of a log in the fixed order: all, or of more than `limit` the reported and the gravest ones.
pub(super) fn kept(outcome: &Outcome, limit: usize) -> Vec<Kept<'_>> {
    let reported = outcome.findings.iter().map(|finding| Kept {
        finding,
        suppressed: None,
    });
    let suppressed = outcome.suppressed.iter().map(|suppressed| Kept {
        finding: &suppressed.finding,
        suppressed: Some(suppressed),
    });
    let mut kept: Vec<_> = reported.chain(suppressed).collect();
    if kept.len() > limit {
        kept.sort_by_key(|one| (one.suppressed.is_some(), Reverse(one.finding.severity)));
        kept.truncate(limit);
    }
    kept.sort_by(|a, b| a.finding.sort_key().cmp(&b.finding.sort_key()));
    kept
}

pub(super) fn of<'a>(
    kept: &[Kept<'a>],
    rules: &[&'static Rule],
    outcome: &'a Outcome,
    paths: &Paths<'_>,
) -> Vec<Result<'a>> {
    let hashes = line_hashes(kept, outcome);
    let results = kept.iter().map(|one| {
        let finding = one.finding;
        let related = finding.related.len().min(RELATED);
        let text = outcome.sources.get(finding.path()).map(AsRef::as_ref);
        let mut fingerprints = BTreeMap::from([("ctxlintFinding/v1", finding.fingerprint().to_owned())]);
        let of_file = hashes.get(finding.path());
        if let Some(hash) = of_file.and_then(|hashes| hashes.get(&finding.span().start.line)) {
            fingerprints.insert("primaryLocationLineHash", hash.clone());
        }
        Result {
            rule_id: finding.rule().id(),
            rule_index: rules
                .iter()
                .position(|rule| *rule == finding.rule())
                .unwrap_or_default(),
            level: level(finding.severity),
            message: message::of(finding, related),
            locations: [regions::primary(finding.span(), text, paths)],
            related_locations: (1..)
                .zip(finding.related.iter().take(related))
                .map(|(id, place)| regions::related(id, place, paths))
                .collect(),
            partial_fingerprints: fingerprints,
            suppressions: one.suppressed.map(suppression).into_iter().collect(),
            fixes: finding.fix.as_ref().map(|it| fix(it, paths)).into_iter().collect(),
            properties: ResultProperties {
                confidence: finding.confidence.as_str(),
                witness: finding.witness().as_str(),
                turn: finding.turn,
                step: finding.step.as_deref(),
                also: finding.also.iter().map(|rule| rule.id()).collect(),
            },
        }
    });
    results.collect()
}

fn suppression(suppressed: &Suppressed) -> Suppression {
    Suppression {
        kind: match suppressed.by {
            SuppressedBy::Comment => "inSource",
            SuppressedBy::Baseline => "external",
        },
        justification: suppressed.reason.as_deref().map(|reason| one_line(reason).into_owned()),
    }
}

fn fix<'a>(fix: &'a crate::mend::Fix, paths: &Paths<'_>) -> Fix<'a> {
    let replacement = |edit: &'a Edit| Replacement {
        deleted_region: Region {
            start_line: edit.start.line,
            start_column: Some(edit.start.column),
            end_line: Some(edit.end.line),
            end_column: Some(edit.end.column),
        },
        inserted_content: Content {
            text: &edit.replacement,
        },
    };
    let caution = match fix.applicability {
        Applicability::Safe => "",
        Applicability::Unsafe => " (changes what the program does)",
    };
    Fix {
        description: Text {
            text: format!("{}{caution}", fix.title),
        },
        artifact_changes: [ArtifactChange {
            artifact_location: regions::artifact(&fix.path, paths),
            replacements: fix.edits.iter().map(replacement).collect(),
        }],
    }
}

/// The hashes of the lines where findings start, by file. A file that is gone or cannot be read has none: GitHub
/// computes what is missing and complains of what is wrong.
fn line_hashes<'a>(kept: &[Kept<'a>], outcome: &Outcome) -> BTreeMap<&'a Path, BTreeMap<u32, String>> {
    let mut wanted: BTreeMap<&Path, BTreeSet<u32>> = BTreeMap::new();
    for one in kept {
        let span = one.finding.span();
        wanted.entry(&span.path).or_default().insert(span.start.line);
    }
    let hashes = wanted.into_iter().filter_map(|(path, lines)| {
        let text = outcome.sources.get(path).map(AsRef::as_ref);
        Some((path, of_file(path, text, &lines).ok()?))
    });
    hashes.collect()
}

fn of_file(path: &Path, text: Option<&str>, lines: &BTreeSet<u32>) -> io::Result<BTreeMap<u32, String>> {
    match text {
        // A recorded run may be larger than the memory.
        None => line_hash::of_lines(|| open(path), lines),
        Some(text) => {
            let bytes = fs::read(path).unwrap_or_default();
            // The file itself counts, with its byte order mark, unless something else was checked under its name.
            let same = String::from_utf8_lossy(&bytes).trim_start_matches('\u{feff}') == text;
            let bytes = if same { &bytes } else { text.as_bytes() };
            line_hash::of_lines(|| Ok(bytes), lines)
        }
    }
}

/// Opens what can be read twice.
fn open(path: &Path) -> io::Result<File> {
    if fs::metadata(path)?.is_file() {
        File::open(path)
    } else {
        Err(io::ErrorKind::InvalidInput.into())
    }
}
