//! What is open in the editor.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use lsp_types::Uri;

use super::diagnostics::Shown;
use super::{position, uri};
use crate::code;

/// A file that is open, as it is in the editor.
#[derive(Clone, Debug)]
pub(super) struct Document {
    /// As the editor calls it.
    pub(super) uri: Uri,
    pub(super) path: PathBuf,
    /// The number that the editor gave the text.
    pub(super) version: i32,
    /// Without a byte order mark.
    pub(super) text: Arc<str>,
    /// Whether the editor has a byte order mark before it.
    pub(super) marked: bool,
    /// What was found in it last; none before it was analysed.
    pub(super) shown: Option<Arc<[Shown]>>,
}

/// The open files of languages that are read, by the names that the editor gives them.
#[derive(Debug, Default)]
pub(super) struct Documents(BTreeMap<Uri, Document>);

impl Documents {
    /// Takes a text in, in place of what was there. Returns the file, if it is one that is read.
    pub(super) fn set(&mut self, uri: Uri, version: i32, text: &str) -> Option<PathBuf> {
        let path = resolved(&uri::path_of(&uri)?);
        code::comment_marker(&path)?;
        let (text, marked) = position::without_mark(text);
        let shown = self.0.get(&uri).and_then(|old| old.shown.clone());
        let document = Document {
            uri: uri.clone(),
            path: path.clone(),
            version,
            text: Arc::from(text),
            marked,
            shown,
        };
        self.0.insert(uri, document);
        Some(path)
    }

    /// Forgets a file that was closed.
    pub(super) fn remove(&mut self, uri: &Uri) -> Option<Document> {
        self.0.remove(uri)
    }

    pub(super) fn get(&self, uri: &Uri) -> Option<&Document> {
        self.0.get(uri)
    }

    pub(super) fn get_mut(&mut self, uri: &Uri) -> Option<&mut Document> {
        self.0.get_mut(uri)
    }

    pub(super) fn all(&self) -> impl Iterator<Item = &Document> {
        self.0.values()
    }
}

/// The path of a file that may not be there yet: its folder without symbolic links then, as that of the project is told.
fn resolved(path: &Path) -> PathBuf {
    if path.exists() {
        return path.to_owned();
    }
    canonical(path)
}

/// A path without symbolic links; of a file that is not there, or not any more, as far as there is a folder.
pub(super) fn canonical(path: &Path) -> PathBuf {
    let whole = path.canonicalize().ok();
    let inside = || {
        let folder = path.parent()?.canonicalize().ok()?;
        Some(folder.join(path.file_name()?))
    };
    whole.or_else(inside).unwrap_or_else(|| path.to_owned())
}
