//! Which file an import means.

use std::path::{Component, Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use rustc_hash::FxHashMap;

use super::ModuleIx;
use super::packages::Packages;
use crate::code::ir::{Mapping, Module, Name};

/// Extensions that an import may name although the file that it means has another.
const EXTENSIONS: [&str; 8] = [".js", ".mjs", ".cjs", ".jsx", ".ts", ".mts", ".cts", ".tsx"];

/// What files of a language that stand for their folder are called.
pub(super) type Stems = &'static [&'static str];

/// Where every module stands, and by which names it can be imported.
///
/// A module has as many names as folders above it could be on the import path: those that are not
/// packages themselves. Which one an import means is decided by where it is written.
#[derive(Debug, Default)]
pub(super) struct ModuleMap {
    /// The folders and the stem of each module.
    parts: Vec<Vec<Name>>,
    /// Whether it is the module of its folder.
    is_package: Vec<bool>,
    /// What its language calls the module of a folder, as a number: only those with the same words import each
    /// other.
    stems: Vec<u32>,
    known_stems: Vec<Stems>,
    by_path: Vec<FxHashMap<String, ModuleIx>>,
    by_name: FxHashMap<String, Vec<ModuleIx>>,
    /// By the last part of the path.
    by_last: FxHashMap<Name, Vec<ModuleIx>>,
    packages: Packages,
    /// What the project says that paths in the imports of each module mean.
    mappings: Vec<Arc<[Mapping]>>,
    /// What was found before, by the importing module.
    found: Vec<Found>,
}

/// What the paths in a module's imports, and the names below it, mean.
#[derive(Debug, Default)]
struct Found {
    imports: Mutex<FxHashMap<Box<str>, Option<ModuleIx>>>,
    inside: Mutex<FxHashMap<Box<str>, Option<ModuleIx>>>,
}

impl ModuleMap {
    /// Maps the modules, and gives each its name.
    pub(super) fn of(modules: &mut [Module]) -> Self {
        let mut map = Self::default();
        for (index, module) in modules.iter().enumerate() {
            let mut parts = folders(&module.path.with_extension(""));
            let is_package = parts.last().is_some_and(|last| module.folder_stems.contains(&&**last));
            if is_package {
                parts.pop();
            }
            let stems = map.number_of(module.folder_stems);
            map.by_path[stems as usize]
                .entry(parts.join("/"))
                .or_insert(ModuleIx(index as u32));
            if let Some(last) = parts.last() {
                map.by_last
                    .entry(last.clone())
                    .or_default()
                    .push(ModuleIx(index as u32));
            }
            map.parts.push(parts);
            map.is_package.push(is_package);
            map.stems.push(stems);
            map.mappings.push(Arc::clone(&module.mappings));
        }
        map.found.resize_with(modules.len(), Found::default);
        map.packages = Packages::of(modules, &map.parts);
        for (index, module) in modules.iter_mut().enumerate() {
            let parts = &map.parts[index];
            let mut name = None;
            // From the innermost folder outwards; the first root is the likeliest.
            for root in (0..parts.len()).rev() {
                if map.is_package_folder(map.stems[index], &parts[..root]) {
                    continue;
                }
                let dotted = parts[root..].join(".");
                name.get_or_insert_with(|| Name::from(dotted.as_str()));
                map.by_name.entry(dotted).or_default().push(ModuleIx(index as u32));
            }
            let in_package = map.packages.name_in(ModuleIx(index as u32), parts);
            module.name = in_package.or(name).unwrap_or_else(|| Name::from(""));
        }
        map
    }

    /// The package that a module is in, by its number.
    pub(super) fn package_of(&self, module: ModuleIx) -> Option<u32> {
        self.packages.number(module)
    }

    /// The number of these words.
    fn number_of(&mut self, stems: Stems) -> u32 {
        let known = self.known_stems.iter().position(|known| *known == stems);
        known.unwrap_or_else(|| {
            self.known_stems.push(stems);
            self.by_path.push(FxHashMap::default());
            self.known_stems.len() - 1
        }) as u32
    }

    /// The module that `path`, as written in an import of `from`, means.
    pub(super) fn find(&self, from: ModuleIx, path: &str) -> Option<ModuleIx> {
        once(&self.found[from.0 as usize].imports, path, || self.look_for(from, path))
    }

    fn look_for(&self, from: ModuleIx, path: &str) -> Option<ModuleIx> {
        if !path.starts_with('.') {
            for path in [path, stem(path)] {
                let mapped = Mapping::files(&self.mappings[from.0 as usize], path);
                if let Some(found) = self.first_of(from, &mapped) {
                    return Some(found);
                }
            }
            if let Some(offered) = self.packages.offered(from, self.folder(from), path) {
                let stemmed = || self.packages.offered(from, self.folder(from), stem(path));
                let first = self.first_of(from, &offered);
                return first.or_else(|| self.first_of(from, &stemmed()?));
            }
        }
        if path.contains('/') {
            return self.find_file(from, path);
        }
        let dots = path.len() - path.trim_start_matches('.').len();
        if dots > 0 {
            return self.find_relative(from, dots, &path[dots..]);
        }
        if let Some(inside) = self.packages.inside(from, self.folder(from), path) {
            return self.at(from, &inside);
        }
        let length = path.split('.').count();
        let here = self.folder(from);
        self.by_name
            .get(path)?
            .iter()
            .copied()
            .filter(|candidate| self.stems(*candidate) == self.stems(from))
            .min_by_key(|&candidate| {
                let parts = &self.parts[candidate.0 as usize];
                let root = &parts[..parts.len() - length];
                let common = root.iter().zip(here).take_while(|(a, b)| a == b).count();
                (common < root.len(), usize::MAX - common, candidate)
            })
            .filter(|&candidate| {
                // A lone file is importable by its bare name only from below its own folder.
                let parts = &self.parts[candidate.0 as usize];
                length > 1 || self.is_package[candidate.0 as usize] || here.starts_with(&parts[..parts.len() - length])
            })
    }

    /// The first of these files that is in the run.
    fn first_of(&self, from: ModuleIx, files: &[PathBuf]) -> Option<ModuleIx> {
        files.iter().find_map(|file| {
            let mut parts = folders(file);
            if parts.last().is_some_and(|last| self.words(from).contains(&&**last)) {
                parts.pop();
            }
            self.at(from, &parts.join("/"))
        })
    }

    /// The root of the package that a name with no import stands for.
    pub(super) fn package(&self, from: ModuleIx, name: &str) -> Option<ModuleIx> {
        let inside = self.packages.inside(from, self.folder(from), name)?;
        self.at(from, &inside)
    }

    /// The module `name` inside the module `package`, whose folder is its own or has its name.
    pub(super) fn submodule(&self, package: ModuleIx, name: &str) -> Option<ModuleIx> {
        once(&self.found[package.0 as usize].inside, name, || {
            let folder = self.parts[package.0 as usize].join("/");
            self.at(package, &format!("{folder}/{name}"))
        })
    }

    /// The file that a path with slashes means: relative to the importing file, or behind an alias of
    /// the project's root or of a package.
    fn find_file(&self, from: ModuleIx, path: &str) -> Option<ModuleIx> {
        let path = stem(path);
        if !path.starts_with("./") && !path.starts_with("../") {
            return self.find_aliased(from, path);
        }
        let mut folder: Vec<&str> = self.folder(from).iter().map(|part| &**part).collect();
        for part in path.split('/') {
            match part {
                "." | "" => {}
                ".." => {
                    folder.pop()?;
                }
                part => folder.push(part),
            }
        }
        if folder.last().is_some_and(|last| self.words(from).contains(last)) {
            folder.pop();
        }
        self.at(from, &folder.join("/"))
    }

    /// `@/lib/x`, `~/lib/x`, `src/lib/x`: the file whose path ends so and that is nearest to the
    /// importing one. A single name behind the alias is too little to go by.
    fn find_aliased(&self, from: ModuleIx, path: &str) -> Option<ModuleIx> {
        let inner = path
            .strip_prefix("@/")
            .or_else(|| path.strip_prefix("~/"))
            .or_else(|| path.strip_prefix("#/"));
        let wanted: Vec<&str> = inner.unwrap_or(path).split('/').collect();
        if inner.is_none() && (path.starts_with('@') || wanted[0] != "src") {
            return None;
        }
        let here = self.folder(from);
        let ends_so = |parts: &[Name]| {
            parts.len() >= wanted.len()
                && parts[parts.len() - wanted.len()..]
                    .iter()
                    .zip(&wanted)
                    .all(|(part, wanted)| **part == **wanted)
        };
        self.by_last
            .get(*wanted.last()?)?
            .iter()
            .copied()
            .filter(|candidate| self.stems(*candidate) == self.stems(from))
            .filter(|candidate| ends_so(&self.parts[candidate.0 as usize]))
            .min_by_key(|&candidate| {
                let parts = &self.parts[candidate.0 as usize];
                let common = parts.iter().zip(here).take_while(|(a, b)| a == b).count();
                (usize::MAX - common, parts.len(), candidate)
            })
    }

    fn stems(&self, module: ModuleIx) -> u32 {
        self.stems[module.0 as usize]
    }

    fn words(&self, module: ModuleIx) -> Stems {
        self.known_stems[self.stems(module) as usize]
    }

    /// The module at a path, in the language of another.
    fn at(&self, beside: ModuleIx, path: &str) -> Option<ModuleIx> {
        self.by_path[self.stems(beside) as usize].get(path).copied()
    }

    fn find_relative(&self, from: ModuleIx, dots: usize, rest: &str) -> Option<ModuleIx> {
        let here = self.folder(from);
        let folder = &here[..here.len().checked_sub(dots - 1)?];
        let mut path = folder.join("/");
        for part in rest.split('.').filter(|part| !part.is_empty()) {
            if !path.is_empty() {
                path.push('/');
            }
            path.push_str(part);
        }
        self.at(from, &path)
    }

    /// The folder that a module's relative imports start from.
    fn folder(&self, module: ModuleIx) -> &[Name] {
        let parts = &self.parts[module.0 as usize];
        if self.is_package[module.0 as usize] {
            parts
        } else {
            &parts[..parts.len().saturating_sub(1)]
        }
    }

    fn is_package_folder(&self, stems: u32, parts: &[Name]) -> bool {
        self.by_path[stems as usize]
            .get(&parts.join("/"))
            .is_some_and(|module| self.is_package[module.0 as usize])
    }
}

/// What was found before, or what is found now.
fn once(
    known: &Mutex<FxHashMap<Box<str>, Option<ModuleIx>>>,
    name: &str,
    find: impl FnOnce() -> Option<ModuleIx>,
) -> Option<ModuleIx> {
    let lock = || known.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(found) = lock().get(name) {
        return *found;
    }
    let found = find();
    lock().insert(name.into(), found);
    found
}

/// The parts of a path.
pub(super) fn folders(path: &Path) -> Vec<Name> {
    let parts = path.components().filter_map(|part| match part {
        Component::Normal(part) => Some(Name::from(part.to_string_lossy())),
        _ => None,
    });
    parts.collect()
}

/// A path without an extension that an import may name.
fn stem(path: &str) -> &str {
    let stem = EXTENSIONS.iter().find_map(|extension| path.strip_suffix(extension));
    stem.unwrap_or(path)
}
