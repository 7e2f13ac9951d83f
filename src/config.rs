//! `ctxlint.toml`: what a project tells ctxlint about itself.

use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};

use serde::Deserialize;

use crate::code::{ProjectWords, Words};
use crate::nearest;

/// The name of the file.
pub(crate) const FILE_NAME: &str = "ctxlint.toml";

/// What the file may hold.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct File {
    /// What the project's own code calls things.
    vocabulary: Option<ProjectWords>,
}

/// What a run goes by.
#[derive(Debug, Default)]
pub(crate) struct Config {
    /// The project's words beside those that ctxlint knows.
    pub(crate) words: Words,
}

/// Why there is no configuration, with the file and, where one is known, the line.
#[derive(Debug)]
pub(crate) struct ConfigError {
    path: PathBuf,
    line: Option<usize>,
    what: String,
}

impl fmt::Display for ConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.path.display())?;
        if let Some(line) = self.line {
            write!(f, ":{line}")?;
        }
        write!(f, ": {}", self.what)
    }
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
        let text = fs::read_to_string(&path).map_err(|error| ConfigError {
            path: path.clone(),
            line: None,
            what: format!("the configuration cannot be read: {error}"),
        })?;
        let file: File = toml::from_str(&text).map_err(|error| ConfigError {
            line: error.span().map(|span| line_of(&text, span.start)),
            what: explained(&error.message().trim_end().replace('\n', " ")),
            path,
        })?;
        Ok(Self {
            words: file.vocabulary.map(Words::with).unwrap_or_default(),
        })
    }
}

/// What is wrong with a file: for a word that nothing knows the one that is most likely meant, or else all that
/// may stand there.
fn explained(message: &str) -> String {
    let what = ["field", "variant"].iter().find(|what| {
        let rest = message.strip_prefix("unknown ");
        rest.is_some_and(|rest| rest.starts_with(**what))
    });
    let mut quoted = message.split('`').skip(1).step_by(2);
    let near = quoted
        .next()
        .and_then(|given| Some((given, nearest::nearest(given, quoted)?)));
    match (what, near) {
        (Some(&what), Some((given, near))) => {
            let what = if what == "field" { "key" } else { "value" };
            format!("unknown {what} `{given}`; did you mean `{near}`?")
        }
        _ => message.to_owned(),
    }
}

/// The configuration nearest to a path.
fn nearest(path: &Path) -> Option<PathBuf> {
    // Standard input is read in the working directory.
    let start = path.canonicalize().or_else(|_| Path::new(".").canonicalize()).ok()?;
    let mut folders = start.ancestors().filter(|folder| folder.is_dir());
    folders.find_map(|folder| Some(folder.join(FILE_NAME)).filter(|file| file.is_file()))
}

/// The 1-based line of a byte.
fn line_of(text: &str, at: usize) -> usize {
    text.bytes().take(at).filter(|byte| *byte == b'\n').count() + 1
}
