//! The adapters that a project tells in its configuration, and which file is read by what.

use std::path::Path;
use std::sync::Arc;

use super::formats::generic::Plan;
use super::formats::{self, Wanted};
use crate::exclude::Globs;

/// How a project's home-made logs are read.
#[derive(Clone, Debug, Default)]
pub struct Adapters(Arc<[ProjectAdapter]>);

/// How one kind of home-made log is read.
#[derive(Clone, Debug)]
pub(crate) struct ProjectAdapter {
    /// What `--input-format` takes.
    pub(crate) name: String,
    /// The files that are read by it without being told.
    pub(crate) files: Globs,
    pub(crate) plan: Arc<Plan>,
}

impl Adapters {
    pub(crate) fn new(adapters: impl IntoIterator<Item = ProjectAdapter>) -> Self {
        Self(adapters.into_iter().collect())
    }

    /// The names that `--input-format` takes in this project.
    pub(super) fn names(&self) -> Vec<&str> {
        let own = self.0.iter().map(|adapter| &*adapter.name);
        formats::NAMES.iter().copied().chain(own).collect()
    }

    /// How a file is read: as the user said, or as the first adapter whose patterns name it says.
    pub(super) fn wanted<'a>(&self, forced: Option<&'a str>, path: &Path) -> Wanted<'a> {
        let adapter = match forced {
            Some(name) => self.0.iter().find(|adapter| adapter.name == name),
            None if path.as_os_str() == "-" => None,
            None => self.0.iter().find(|adapter| adapter.files.names(path)),
        };
        match (adapter, forced) {
            (Some(adapter), _) => Wanted::Project(Arc::clone(&adapter.plan)),
            (None, Some(name)) => Wanted::Format(name),
            (None, None) => Wanted::Whatever,
        }
    }
}
