//! Files that are checked alone, with the rest of their project in reach.
//!
//! What a file calls may stand in another. Where only files are named, the others of the project are read as far as
//! imports lead to them, and nothing is reported about them. Inside, every path is absolute, so that the files that
//! were named and the others stand in one tree; outside, they are what the user wrote.

use std::path::{Path, PathBuf};

use rustc_hash::FxHashMap;

use super::CheckOptions;
use crate::outcome::Outcome;

/// What the user calls the files that were named.
pub(super) struct Context {
    named: FxHashMap<PathBuf, PathBuf>,
    /// The working directory.
    here: PathBuf,
}

impl Context {
    /// The context of a run, and the run with absolute paths: none where a folder is named, or a file that is not in
    /// the project.
    pub(super) fn of(options: &CheckOptions) -> Option<(Self, CheckOptions)> {
        let project = options.project.as_ref()?.canonicalize().ok()?;
        let here = std::env::current_dir().ok()?.canonicalize().ok()?;
        let mut named = FxHashMap::default();
        for path in &options.paths {
            if !path.is_file() && !options.texts.contains_key(path) {
                return None;
            }
            let absolute = absolute(path)?;
            if !absolute.starts_with(&project) {
                return None;
            }
            named.entry(absolute).or_insert_with(|| path.clone());
        }
        let texts = options.texts.iter();
        let texts = texts
            .map(|(path, text)| Some((absolute(path)?, text.clone())))
            .collect::<Option<_>>()?;
        let mut paths: Vec<PathBuf> = named.keys().cloned().collect();
        paths.sort();
        let absolute = CheckOptions {
            paths,
            texts,
            project: Some(project),
            ..options.clone()
        };
        Some((Self { named, here }, absolute))
    }

    /// Leaves what is about the files that were named, under the names that they were given.
    pub(super) fn settle(&self, outcome: &mut Outcome) {
        let is_named = |path: &Path| self.named.contains_key(path);
        outcome.findings.retain(|finding| is_named(finding.path()));
        outcome.files.retain(|file| is_named(&file.path));
        outcome.problems.retain(|problem| is_named(&problem.path));
        outcome.comments.retain(|comment| is_named(&comment.path));
        for finding in &mut outcome.findings {
            finding.rename(|path| self.shown(path));
        }
        for file in &mut outcome.files {
            file.path = self.shown(&file.path);
        }
        for problem in &mut outcome.problems {
            problem.path = self.shown(&problem.path);
        }
        for comment in &mut outcome.comments {
            comment.path = self.shown(&comment.path);
        }
        let sources = std::mem::take(&mut outcome.sources).into_iter();
        outcome.sources = sources.map(|(path, text)| (self.shown(&path), text)).collect();
        outcome.files.sort_by(|a, b| a.path.cmp(&b.path));
    }

    fn shown(&self, path: &Path) -> PathBuf {
        let named = self.named.get(path).map(PathBuf::as_path);
        named
            .unwrap_or_else(|| path.strip_prefix(&self.here).unwrap_or(path))
            .to_owned()
    }
}

/// Where a file is, or would be.
fn absolute(path: &Path) -> Option<PathBuf> {
    path.canonicalize().or_else(|_| std::path::absolute(path)).ok()
}
