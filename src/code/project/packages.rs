//! The packages of a run, by what their manifests call them.

use rustc_hash::FxHashMap;

use super::ModuleIx;
use super::modules::folders;
use crate::code::ir::{Module, Name, Package};

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
    language: &'static str,
    package: Package,
    /// The folder whose module is the package.
    folder: Vec<Name>,
}

impl Packages {
    /// The packages of these modules, whose folders are given.
    pub(super) fn of(modules: &[Module], parts: &[Vec<Name>]) -> Self {
        let mut packages = Self::default();
        let mut by_manifest: FxHashMap<(&'static str, Vec<Name>), usize> = FxHashMap::default();
        for (module, folder) in modules.iter().zip(parts) {
            let Some(package) = &module.package else { continue };
            let index = packages.roots.len();
            // A package may have a program beside its library.
            let key = (module.language, folders(&package.folder));
            if *by_manifest.entry(key).or_insert(index) != index {
                continue;
            }
            packages.by_name.entry(package.name.clone()).or_default().push(index);
            packages.roots.push(Root {
                language: module.language,
                package: package.clone(),
                folder: folder.clone(),
            });
        }
        if !packages.roots.is_empty() {
            let home = |(module, parts): (&Module, &Vec<Name>)| {
                let mut around = (0..=parts.len()).rev();
                around.find_map(|length| by_manifest.get(&(module.language, parts[..length].to_vec())).copied())
            };
            packages.homes = modules.iter().zip(parts).map(home).collect();
        }
        packages
    }

    /// The dotted name of a module, counted from the package it is in.
    pub(super) fn name_in(&self, module: ModuleIx, parts: &[Name]) -> Option<Name> {
        let root = self.home(module)?;
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
        let home = self.home(from)?;
        let (first, rest) = path.split_once('.').unwrap_or((path, ""));
        let renamed = home.package.renamed.iter().find(|(local, _)| **local == *first);
        let name = renamed.map_or(first, |(_, own)| own);
        let known = self.by_name.get(name)?.iter().map(|index| &self.roots[*index]);
        // The nearest of several: copies of one package in examples.
        let root = known
            .filter(|root| root.language == home.language)
            .max_by_key(|root| root.folder.iter().zip(here).take_while(|(a, b)| a == b).count())?;
        let inside = rest.split('.').filter(|word| !word.is_empty());
        let words: Vec<&str> = root.folder.iter().map(|word| &**word).chain(inside).collect();
        Some(words.join("/"))
    }

    fn home(&self, module: ModuleIx) -> Option<&Root> {
        let home = (*self.homes.get(module.0 as usize)?)?;
        Some(&self.roots[home])
    }
}
