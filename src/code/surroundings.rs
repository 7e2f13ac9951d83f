//! What manifests and configurations around the files of a run say, each read once.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use rustc_hash::FxHashMap;

use super::discover::Found;
use super::ir::{Mapping, Package};
use super::source;

/// What was read so far.
#[derive(Debug, Default)]
pub(super) struct Surroundings {
    texts: Known<PathBuf, Option<Arc<str>>>,
    packages: Known<PathBuf, Option<Arc<Package>>>,
    mappings: Known<PathBuf, Arc<[Mapping]>>,
}

impl Surroundings {
    /// The package that a file is the root of, or in.
    pub(super) fn package(&self, file: &Found) -> Option<Arc<Package>> {
        let manifests = file.language.manifests(&file.path);
        manifests.into_iter().find_map(|path| {
            let text = self.text(&path)?;
            self.packages.once(path.clone(), || {
                let package = file.language.package(path.parent()?, &text)?;
                Some(Arc::new(package))
            })
        })
    }

    /// What paths in the imports of a file mean, by the nearest configuration.
    pub(super) fn mappings(&self, file: &Found) -> Arc<[Mapping]> {
        let configs = file.language.configs(&file.path);
        let nearest = configs.into_iter().find(|path| self.text(path).is_some());
        nearest.map_or_else(Arc::default, |path| {
            self.mappings.once(path.clone(), || {
                file.language.mappings(&path, &|path| self.text(path)).into()
            })
        })
    }

    /// Looks at everything that may say something about a file.
    pub(super) fn look(&self, file: &Found) {
        for path in file.language.manifests(&file.path) {
            self.text(&path);
        }
        self.mappings(file);
    }

    /// The texts that were asked for, in the order of their paths; none where there is no such file.
    pub(super) fn into_texts(self) -> Vec<(PathBuf, Option<Arc<str>>)> {
        let texts = self.texts.0.into_inner().unwrap_or_else(PoisonError::into_inner);
        let mut texts: Vec<_> = texts.into_iter().collect();
        texts.sort();
        texts
    }

    /// The text of a file that may be missing.
    fn text(&self, path: &Path) -> Option<Arc<str>> {
        let read = || Some(source::read(path).ok()?.text);
        self.texts.once(path.to_owned(), read)
    }
}

/// Answers by what they are about.
#[derive(Debug)]
struct Known<K, V>(Mutex<FxHashMap<K, V>>);

impl<K, V> Default for Known<K, V> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

impl<K: Eq + std::hash::Hash, V: Clone> Known<K, V> {
    /// What was answered before. Two threads that ask at once may both find out, and find the same.
    fn once(&self, key: K, answer: impl FnOnce() -> V) -> V {
        let known = |key: &K| self.0.lock().unwrap_or_else(PoisonError::into_inner).get(key).cloned();
        known(&key).unwrap_or_else(|| {
            let found = answer();
            let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            all.insert(key, found.clone());
            found
        })
    }
}
