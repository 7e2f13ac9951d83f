//! The packages of a run, by what their manifests call them.

use std::path::PathBuf;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::ModuleIx;
use super::modules::{Stems, folders};
use crate::code::ir::{Mapping, Module, Name, Package};

/// Every package of a run.
#[derive(Debug, Default)]
pub(super) struct Packages {
    roots: Vec<Root>,
    by_name: FxHashMap<Name, Vec<usize>>,
    /// For each module, the package that it is in.
    homes: Vec<Option<usize>>,
}

/// Where the files of a package are.
#[derive(Debug)]
struct Root {
    /// What its language calls the module of a folder.
    stems: Stems,
    package: Arc<Package>,
    /// The folder of the manifest.
    around: Vec<Name>,
    /// The folder whose module is the package.
    folder: Vec<Name>,
}

impl Packages {
    /// The packages of these modules, whose folders are given.
    pub(super) fn of(modules: &[Module], parts: &[Vec<Name>]) -> Self {
        let mut packages = Self::default();
        let mut by_manifest: FxHashMap<(Stems, Vec<Name>), usize> = FxHashMap::default();
        for (module, folder) in modules.iter().zip(parts) {
            let Some(package) = &module.package else { continue };
            let index = packages.roots.len();
            // A package may have a program beside its library.
            let around = folders(&package.folder);
            let key = (module.folder_stems, around.clone());
            if *by_manifest.entry(key).or_insert(index) != index {
                continue;
            }
            packages.by_name.entry(package.name.clone()).or_default().push(index);
            packages.roots.push(Root {
                stems: module.folder_stems,
                package: Arc::clone(package),
                around,
                folder: folder.clone(),
            });
        }
        if !packages.roots.is_empty() {
            let home = |(module, parts): (&Module, &Vec<Name>)| {
                let mut around = (0..=parts.len()).rev();
                around.find_map(|length| {
                    by_manifest
                        .get(&(module.folder_stems, parts[..length].to_vec()))
                        .copied()
                })
            };
            packages.homes = modules.iter().zip(parts).map(home).collect();
        }
        packages
    }

    /// The dotted name of a module, counted from the package it is in.
    pub(super) fn name_in(&self, module: ModuleIx, parts: &[Name]) -> Option<Name> {
        let root = self.home(module).filter(|root| root.package.offers.is_empty())?;
        let inside = parts.strip_prefix(&*root.folder)?;
        let words: Vec<&str> = std::iter::once(&root.package.name)
            .chain(inside)
            .map(|word| &**word)
            .collect();
        Some(Name::from(words.join(".")))
    }

    /// The path of the file that a dotted path means which starts with the name of a package; it is
    /// written in a module whose folder is `here`.
    pub(super) fn inside(&self, from: ModuleIx, here: &[Name], path: &str) -> Option<String> {
        let home = self.home(from).filter(|home| home.package.offers.is_empty())?;
        let (first, rest) = path.split_once('.').unwrap_or((path, ""));
        let root = self.called(home, here, first)?;
        let inside = rest.split('.').filter(|word| !word.is_empty());
        let words: Vec<&str> = root.folder.iter().map(|word| &**word).chain(inside).collect();
        Some(words.join("/"))
    }

    /// The files that a path in an import may mean, by what packages say of their own paths and of what others
    /// get; `Some` and none where it leads out of the run. It is written in a module whose folder is `here`.
    pub(super) fn offered(&self, from: ModuleIx, here: &[Name], path: &str) -> Option<Vec<PathBuf>> {
        let home = self.home(from).filter(|home| !home.package.offers.is_empty())?;
        let inner = Mapping::files(&home.package.inner, path);
        if !inner.is_empty() {
            return Some(inner);
        }
        // `@scope/name/path`
        let scoped = if path.starts_with('@') { path.find('/')? + 1 } else { 0 };
        let end = path[scoped..].find('/').map_or(path.len(), |at| scoped + at);
        let (name, rest) = path.split_at(end);
        match self.called(home, here, name) {
            Some(root) => Some(Mapping::files(&root.package.offers, &format!(".{rest}"))),
            None => home.package.asks.contains_key(name).then(Vec::new),
        }
    }

    /// The package that another one calls so.
    fn called(&self, home: &Root, here: &[Name], name: &str) -> Option<&Root> {
        let renamed = home.package.renamed.iter().find(|(local, _)| **local == *name);
        let name = renamed.map_or(name, |(_, own)| own);
        let asked = home.package.asks.get(name).copied().flatten();
        let known = self.by_name.get(name)?.iter().map(|index| &self.roots[*index]);
        let fits = |root: &&Root| {
            let other_version = asked.is_some_and(|asked| root.package.major.is_some_and(|own| own != asked));
            // What asks for its own name means another package.
            let is_itself = root.around == home.around && home.package.asks.contains_key(name);
            root.stems == home.stems && !other_version && !is_itself
        };
        // The nearest of several: copies of one package in examples.
        known
            .filter(fits)
            .max_by_key(|root| root.around.iter().zip(here).take_while(|(a, b)| a == b).count())
    }

    /// The package that a module is in, by its number.
    pub(super) fn number(&self, module: ModuleIx) -> Option<u32> {
        let home = (*self.homes.get(module.0 as usize)?)?;
        Some(home as u32)
    }

    fn home(&self, module: ModuleIx) -> Option<&Root> {
        Some(&self.roots[self.number(module)? as usize])
    }
}
