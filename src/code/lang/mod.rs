//! The languages that `check` reads: syntax tree to [`ir`](super::ir), nothing else.

mod position;
mod python;
mod rust;
mod spelling;
mod survey;
mod typescript;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::ir::{Mapping, Module, Package};
use crate::mend::Mend;
pub(crate) use spelling::Spelled;

/// A language. To add one: a folder here, a line in each of these tables.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Language {
    Python,
    TypeScript,
    JavaScript,
    Rust,
}

/// Why a file is not checked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Refusal {
    /// 1-based line.
    pub(crate) line: u32,
    /// One sentence.
    pub(crate) message: String,
    /// What to do about it.
    pub(crate) help: &'static str,
}

impl Language {
    /// The language that a file's name says it is written in.
    pub(crate) fn of(path: &Path) -> Option<Self> {
        match path.extension()?.to_str()? {
            "py" => Some(Self::Python),
            "ts" | "tsx" | "mts" | "cts" => Some(Self::TypeScript),
            "js" | "jsx" | "mjs" | "cjs" => Some(Self::JavaScript),
            "rs" => Some(Self::Rust),
            _ => None,
        }
    }

    /// Whether programs put many files of the language together in one.
    pub(crate) fn is_bundled(self) -> bool {
        matches!(self, Self::TypeScript | Self::JavaScript)
    }

    /// Whether code reaches another file by a path, with nothing that imports it.
    pub(crate) fn reaches_by_path(self) -> bool {
        self == Self::Rust
    }

    /// What begins a comment that ends with its line.
    pub(crate) fn comment(self) -> &'static str {
        match self {
            Self::Python => "#",
            Self::TypeScript | Self::JavaScript | Self::Rust => "//",
        }
    }

    /// As in reports.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Python => "python",
            Self::TypeScript => "typescript",
            Self::JavaScript => "javascript",
            Self::Rust => "rust",
        }
    }

    /// Whether the file holds tests; the path is relative to the folder that is checked.
    pub(crate) fn is_test(self, path: &Path) -> bool {
        match self {
            Self::Python => python::is_test(path),
            Self::TypeScript | Self::JavaScript => typescript::is_test(path),
            Self::Rust => rust::is_test(path),
        }
    }

    /// Where the manifest of the package may stand that a file is the root of, or in, the likeliest place first.
    pub(crate) fn manifests(self, path: &Path) -> Vec<PathBuf> {
        match self {
            Self::Python => Vec::new(),
            Self::TypeScript | Self::JavaScript => typescript::manifests(path),
            Self::Rust => rust::manifests(path),
        }
    }

    /// The package that a manifest in a folder describes.
    pub(crate) fn package(self, folder: &Path, manifest: &str) -> Option<Package> {
        match self {
            Self::Python => None,
            Self::TypeScript | Self::JavaScript => typescript::package(folder, manifest),
            Self::Rust => rust::package(folder, manifest),
        }
    }

    /// Where the configuration may stand that says what the paths in the imports of a file mean, the likeliest
    /// place first.
    pub(crate) fn configs(self, path: &Path) -> Vec<PathBuf> {
        match self {
            Self::Python | Self::Rust => Vec::new(),
            Self::TypeScript | Self::JavaScript => typescript::configs(path),
        }
    }

    /// What such a configuration says; `read` gives the text of a file that is there.
    pub(crate) fn mappings(self, config: &Path, read: &dyn Fn(&Path) -> Option<Arc<str>>) -> Vec<Mapping> {
        match self {
            Self::Python | Self::Rust => Vec::new(),
            Self::TypeScript | Self::JavaScript => typescript::mappings(config, read),
        }
    }

    /// Lowers one file. Broken syntax is tolerated where most of the file can be parsed.
    pub(crate) fn lower(self, path: &Path, text: &str) -> Result<Module, Refusal> {
        match self {
            Self::Python => python::lower(path, text),
            Self::TypeScript | Self::JavaScript => typescript::lower(path, text, self.name()),
            Self::Rust => rust::lower(path, text),
        }
    }

    /// The edits that mend something in a file, for each in turn; `None` where the language has no sure
    /// words for it.
    pub(crate) fn spell(self, path: &Path, text: &str, mends: &[&Mend]) -> Vec<Option<Spelled>> {
        let spelled = match self {
            Self::Python => python::spell(text, mends),
            Self::TypeScript | Self::JavaScript => typescript::spell(path, text, mends),
            Self::Rust => rust::spell(text, mends),
        };
        spelled.unwrap_or_else(|| mends.iter().map(|_| None).collect())
    }
}
