//! Findings that a project has accepted, by their fingerprints.
//!
//! A baseline is a JSON document, one finding a line, in an order that does not depend on places, so that its
//! differences can be read. The document that `--format json` writes is one too.

use std::collections::BTreeSet;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use rustc_hash::FxHashSet;
use serde::{Deserialize, Serialize};

use crate::bounded;
use crate::finding::Finding;
use crate::outcome::{Outcome, Suppressed, SuppressedBy};
use crate::report::text::escape_hazards;
use crate::roots::Roots;
use crate::rule::{self, Rule};
use crate::write::{advice, atomically};

/// The version of the form.
const VERSION: u64 = 1;

/// The name of the file where nobody gives it another.
pub(crate) const FILE_NAME: &str = "ctxlint-baseline.json";

/// The findings that are known.
#[derive(Debug, Default)]
pub(crate) struct Baseline {
    entries: BTreeSet<Entry>,
}

/// One of them.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub(crate) struct Entry {
    /// Relative to the project, with forward slashes.
    path: String,
    rule: String,
    fingerprint: String,
    /// For who reads the file; nothing goes by it.
    #[serde(default)]
    message: String,
}

impl fmt::Display for Entry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.path, self.rule)
    }
}

#[derive(Deserialize)]
struct Document {
    version: u64,
    findings: Vec<Entry>,
}

impl Baseline {
    /// Reads a baseline, or the report of an earlier run.
    ///
    /// # Errors
    ///
    /// Says what is wrong with the file, where, and what to do about it.
    pub(crate) fn read(path: &Path) -> Result<Self, String> {
        let shown = path.display();
        let text = bounded::text(path).map_err(|error| match error.kind() {
            io::ErrorKind::NotFound => format!("{shown}: there is no such baseline; --write-baseline makes it"),
            _ => format!("{shown}: the baseline cannot be read: {error}"),
        })?;
        let document: Document = serde_json::from_str(&text).map_err(|error| {
            let line = error.line();
            format!("{shown}:{line}: this is no baseline: {error}; make it anew with --write-baseline")
        })?;
        if document.version != VERSION {
            return Err(format!(
                "{shown}: a baseline of version {}, where this ctxlint reads {VERSION}; make it anew with --write-baseline",
                document.version
            ));
        }
        Ok(Self {
            entries: document.findings.into_iter().collect(),
        })
    }

    /// The findings of a run.
    pub(crate) fn of(findings: &[Finding], roots: &Roots) -> Self {
        let entries = findings.iter().filter_map(|finding| {
            Some(Entry {
                path: roots.relative(finding.path()),
                rule: finding.rule().id().to_owned(),
                fingerprint: finding.fingerprint.clone()?,
                message: finding.message.clone(),
            })
        });
        Self {
            entries: entries.collect(),
        }
    }

    /// How many findings it has.
    pub(crate) fn len(&self) -> usize {
        self.entries.len()
    }

    /// Moves the findings that are known to [`Outcome::suppressed`], and returns how many there were.
    pub(crate) fn apply(&self, outcome: &mut Outcome) -> usize {
        let known: FxHashSet<&str> = self.entries.iter().map(|entry| entry.fingerprint.as_str()).collect();
        let is_known = |finding: &Finding| {
            finding
                .fingerprint
                .as_deref()
                .is_some_and(|print| known.contains(print))
        };
        let findings = std::mem::take(&mut outcome.findings);
        let (found, new): (Vec<_>, Vec<_>) = findings.into_iter().partition(is_known);
        outcome.findings = new;
        let number = found.len();
        outcome.hidden += number;
        outcome.suppressed.extend(found.into_iter().map(|finding| Suppressed {
            finding,
            by: SuppressedBy::Baseline,
            reason: None,
        }));
        outcome
            .suppressed
            .sort_by(|a, b| a.finding.sort_key().cmp(&b.finding.sort_key()));
        number
    }

    /// The entries that name nothing any more: their file was read, or is gone, their rule ran, or is gone, and no
    /// finding is theirs. `found` are the fingerprints of a run before anything was hidden.
    pub(crate) fn stale(
        &self,
        found: &FxHashSet<String>,
        outcome: &Outcome,
        ran: &[&Rule],
        roots: &Roots,
    ) -> Vec<&Entry> {
        let read: FxHashSet<String> = outcome.files.iter().map(|file| roots.relative(&file.path)).collect();
        let is_gone = |path: &str| roots.project().is_some_and(|project| !project.join(path).exists());
        let stale = self.entries.iter().filter(|entry| {
            let ran = rule::find(&entry.rule).is_none_or(|rule| ran.contains(&rule));
            ran && !found.contains(&entry.fingerprint) && (read.contains(&entry.path) || is_gone(&entry.path))
        });
        stale.collect()
    }

    /// Takes over the entries of an older baseline about which this run has nothing to say.
    pub(crate) fn keep(&mut self, old: &Self, read: &Outcome, ran: &[&Rule], roots: &Roots) {
        let stale: FxHashSet<&Entry> = old.stale(&FxHashSet::default(), read, ran, roots).into_iter().collect();
        let kept = old.entries.iter().filter(|entry| !stale.contains(entry));
        self.entries.extend(kept.cloned());
    }

    /// How many of its entries another one lacks.
    pub(crate) fn missing_in(&self, other: &Self) -> usize {
        let known: FxHashSet<&str> = other.entries.iter().map(|entry| entry.fingerprint.as_str()).collect();
        let missing = self
            .entries
            .iter()
            .filter(|entry| !known.contains(entry.fingerprint.as_str()));
        missing.count()
    }

    /// Writes it in place of what was there.
    ///
    /// # Errors
    ///
    /// Says which file cannot be written and why.
    pub(crate) fn write(&self, path: &Path) -> Result<(), String> {
        let failed = |error: &dyn fmt::Display| format!("{}: the baseline cannot be written: {error}", path.display());
        let mut text = format!("{{\"version\": {VERSION}, \"findings\": [");
        for (at, entry) in self.entries.iter().enumerate() {
            text.push_str(if at == 0 { "\n  " } else { ",\n  " });
            text.push_str(&escape_hazards(
                &serde_json::to_string(entry).map_err(|error| failed(&error))?,
            ));
        }
        text.push_str("\n]}\n");
        atomically(path, text.as_bytes()).map_err(|error| format!("{}; {}", failed(&error), advice(&error)))
    }
}

/// Where a baseline is written that has no name yet.
pub(crate) fn default_path(roots: &Roots) -> PathBuf {
    roots
        .project()
        .map_or_else(|| PathBuf::from(FILE_NAME), |project| project.join(FILE_NAME))
}
