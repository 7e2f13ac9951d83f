//! What a project tells ctxlint about itself, in `ctxlint.toml` or in `[tool.ctxlint]` of `pyproject.toml`.

mod adapter;
mod error;
mod file;
mod find;
mod rules;
#[cfg(test)]
mod schema;

use std::path::{Path, PathBuf};

pub(crate) use error::ConfigError;

pub(crate) use find::{FILE_NAME, PYPROJECT, nearest};

use crate::bounded;
use crate::code::Words;
use crate::exclude::Globs;
use crate::finding::{Confidence, Severity};
use crate::select::{PathIgnores, RuleSettings, Selector};
use crate::transcript::{Adapters, Markers, Prices, RuleOptions};
use file::{File, Pyproject};

/// What a run goes by.
#[derive(Debug, Default)]
pub(crate) struct Config {
    /// The file it was read from.
    pub(crate) path: Option<PathBuf>,
    /// What it says, as it was written.
    pub(crate) table: toml::Table,
    /// Files that are left out.
    pub(crate) exclude: Option<Globs>,
    /// Only these run; empty: all.
    pub(crate) select: Vec<Selector>,
    /// These do not run.
    pub(crate) ignore: Vec<Selector>,
    /// Whether the opt-in rules run.
    pub(crate) pedantic: bool,
    /// Findings under it are hidden.
    pub(crate) min_severity: Option<Severity>,
    /// Findings under it are hidden.
    pub(crate) min_confidence: Option<Confidence>,
    /// From it on a finding makes the exit status 1.
    pub(crate) fail_on: Option<Severity>,
    /// The baseline of `check`.
    pub(crate) baseline: Option<PathBuf>,
    /// What is said about single rules.
    pub(crate) rules: Vec<RuleSettings>,
    /// What single rules go by in recorded runs.
    pub(crate) options: RuleOptions,
    /// Rules that do not speak about some files.
    pub(crate) per_path: Vec<PathIgnores>,
    /// The project's words beside those that ctxlint knows.
    pub(crate) words: Words,
    /// The project's marks of messages beside those that ctxlint knows.
    pub(crate) markers: Markers,
    /// How the project's home-made logs are read.
    pub(crate) adapters: Adapters,
    /// What models cost.
    pub(crate) prices: Prices,
}

/// Which file is read.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Source<'a> {
    /// None.
    Isolated,
    /// This one.
    Named(&'a Path),
    /// The nearest one in the folder of this path or above it, if there is one.
    Above(&'a Path),
}

/// Reads a text as both kinds of files, for a fuzz target.
#[cfg(fuzzing)]
pub(crate) fn fuzzed(text: &str) {
    for name in ["ctxlint.toml", PYPROJECT] {
        drop(Config::read(PathBuf::from(name), text));
    }
}

impl Config {
    /// Reads the configuration of a run.
    ///
    /// # Errors
    ///
    /// The named file cannot be read, or a file is not what a configuration may be.
    pub(crate) fn load(source: Source) -> Result<Self, ConfigError> {
        let path = match source {
            Source::Isolated => None,
            Source::Named(path) => Some(path.to_owned()),
            Source::Above(path) => nearest(path),
        };
        let Some(path) = path else {
            return Ok(Self::default());
        };
        let text = bounded::text(&path).map_err(|error| ConfigError::unreadable(path.clone(), &error))?;
        Self::read(path, &text)
    }

    fn read(path: PathBuf, text: &str) -> Result<Self, ConfigError> {
        let within = |error: toml::de::Error| ConfigError::within(path.clone(), text, &error);
        let mut table: toml::Table = text.parse().map_err(within)?;
        let file = if path.file_name().is_some_and(|name| name == PYPROJECT) {
            table = match table.remove("tool") {
                Some(toml::Value::Table(mut tools)) => tools.remove("ctxlint").and_then(into_table).unwrap_or_default(),
                _ => toml::Table::new(),
            };
            let pyproject: Pyproject = toml::from_str(text).map_err(within)?;
            pyproject.tool.ctxlint.ok_or_else(|| {
                ConfigError::lacking(
                    path.clone(),
                    "there is no table `[tool.ctxlint]` in this file",
                    "add the table, or name another file with --config FILE",
                )
            })?
        } else {
            toml::from_str(text).map_err(within)?
        };
        Ok(Self::of(file, table, path))
    }

    fn of(file: File, table: toml::Table, path: PathBuf) -> Self {
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
        let folder = folder.unwrap_or(Path::new("."));
        let globs = |patterns: &[file::Pattern]| Globs::new(folder, patterns.iter().map(|pattern| pattern.0.as_str()));
        let names = |names: Vec<file::Name>| names.into_iter().map(|name| name.0).collect::<Vec<_>>();
        let mut ignore = names(file.ignore);
        ignore.extend(file.rules.off);
        let per_path = file.per_path_ignores.into_iter().map(|(pattern, rules)| PathIgnores {
            paths: globs(&[pattern]),
            rules: names(rules),
        });
        Self {
            exclude: (!file.exclude.is_empty()).then(|| globs(&file.exclude)),
            select: names(file.select),
            ignore,
            pedantic: file.pedantic,
            min_severity: file.min_severity,
            min_confidence: file.min_confidence,
            fail_on: file.fail_on,
            baseline: file.baseline.map(|baseline| folder.join(baseline)),
            rules: file.rules.settings,
            options: file.rules.options,
            per_path: per_path.collect(),
            words: file.vocabulary.map(Words::with).unwrap_or_default(),
            markers: Markers::with(file.transcripts.markers),
            adapters: file.transcripts.adapter.into_adapters(folder),
            prices: Prices::default().and(file.prices),
            table,
            path: Some(path),
        }
    }
}

fn into_table(value: toml::Value) -> Option<toml::Table> {
    match value {
        toml::Value::Table(table) => Some(table),
        _ => None,
    }
}
