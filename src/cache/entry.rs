//! The form of an outcome in the cache.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::code::{self, Inventory};
use crate::finding::Finding;
use crate::mend::{self, Applicability, Edit, Fix};
use crate::outcome::{Comment, FileKind, FileReport, Outcome, Problem};

/// An outcome without the texts of files, which are read again.
#[derive(Serialize, Deserialize)]
struct Entry {
    findings: Vec<Finding>,
    /// By the index of the finding.
    fixes: Vec<(usize, Mended)>,
    files: Vec<PathBuf>,
    problems: Vec<Problem>,
    comments: Vec<Comment>,
    sources: Vec<PathBuf>,
}

/// A [`Fix`].
#[derive(Serialize, Deserialize)]
struct Mended {
    title: String,
    applicability: Applicability,
    path: PathBuf,
    edits: Vec<Edit>,
}

/// What is kept of an outcome: nothing of one that holds what has no form here.
pub(super) fn bytes(outcome: &Outcome) -> Option<Vec<u8>> {
    let is_code = outcome
        .files
        .iter()
        .all(|file| matches!(file.kind, FileKind::Code { language } if code::language(&file.path) == Some(language)));
    if !is_code || !outcome.suppressed.is_empty() || !outcome.comparisons.is_empty() || outcome.hidden > 0 {
        return None;
    }
    let fixes = outcome.findings.iter().enumerate().filter_map(|(at, finding)| {
        let fix = finding.fix.as_ref()?;
        let mended = Mended {
            title: fix.title.to_owned(),
            applicability: fix.applicability,
            path: fix.path.clone(),
            edits: fix.edits.clone(),
        };
        Some((at, mended))
    });
    let entry = Entry {
        fixes: fixes.collect(),
        findings: outcome.findings.clone(),
        files: outcome.files.iter().map(|file| file.path.clone()).collect(),
        problems: outcome.problems.clone(),
        comments: outcome.comments.clone(),
        sources: outcome.sources.keys().cloned().collect(),
    };
    serde_json::to_vec(&entry).ok()
}

/// The outcome that was kept, if all of it can be understood and the texts are still what they were.
pub(super) fn outcome(bytes: &[u8], inventory: &Inventory) -> Option<Outcome> {
    let entry: Entry = serde_json::from_slice(bytes).ok()?;
    let mut findings = entry.findings;
    for (at, mended) in entry.fixes {
        findings.get_mut(at)?.fix = Some(Fix {
            title: mend::titled(&mended.title)?,
            applicability: mended.applicability,
            path: mended.path,
            edits: mended.edits,
        });
    }
    let files = entry.files.into_iter().map(|path| {
        let language = code::language(&path)?;
        Some(FileReport {
            path,
            kind: FileKind::Code { language },
        })
    });
    let sources = entry.sources.into_iter().map(|path| {
        let text = inventory.text(&path)?;
        Some((path, text))
    });
    Some(Outcome {
        findings,
        files: files.collect::<Option<_>>()?,
        problems: entry.problems,
        comments: entry.comments,
        sources: sources.collect::<Option<_>>()?,
        ..Outcome::default()
    })
}
