//! Which file an import means.

use rustc_hash::FxHashMap;

use super::ModuleIx;
use crate::code::ir::{Module, Name};

/// The stem of a file that stands for its folder.
const PACKAGE: &str = "__init__";

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
    by_path: FxHashMap<String, ModuleIx>,
    by_name: FxHashMap<String, Vec<ModuleIx>>,
}

impl ModuleMap {
    /// Maps the modules, and gives each its name.
    pub(super) fn of(modules: &mut [Module]) -> Self {
        let mut map = Self::default();
        for (index, module) in modules.iter().enumerate() {
            let mut parts: Vec<Name> = module
                .path
                .with_extension("")
                .components()
                .filter_map(|part| match part {
                    std::path::Component::Normal(part) => Some(Name::from(part.to_string_lossy())),
                    _ => None,
                })
                .collect();
            let is_package = parts.last().is_some_and(|last| &**last == PACKAGE);
            if is_package {
                parts.pop();
            }
            map.by_path.entry(parts.join("/")).or_insert(ModuleIx(index as u32));
            map.parts.push(parts);
            map.is_package.push(is_package);
        }
        for (index, module) in modules.iter_mut().enumerate() {
            let parts = &map.parts[index];
            let mut name = None;
            // From the innermost folder outwards; the first root is the likeliest.
            for root in (0..parts.len()).rev() {
                if map.is_package_folder(&parts[..root]) {
                    continue;
                }
                let dotted = parts[root..].join(".");
                name.get_or_insert_with(|| Name::from(dotted.as_str()));
                map.by_name.entry(dotted).or_default().push(ModuleIx(index as u32));
            }
            module.name = name.unwrap_or_else(|| Name::from(""));
        }
        map
    }

    /// The module that `path`, as written in an import of `from`, means.
    pub(super) fn find(&self, from: ModuleIx, path: &str) -> Option<ModuleIx> {
        let dots = path.len() - path.trim_start_matches('.').len();
        if dots > 0 {
            return self.find_relative(from, dots, &path[dots..]);
        }
        let length = path.split('.').count();
        let here = self.folder(from);
        self.by_name
            .get(path)?
            .iter()
            .copied()
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

    /// The module `name` inside the package `package`.
    pub(super) fn submodule(&self, package: ModuleIx, name: &str) -> Option<ModuleIx> {
        if !self.is_package[package.0 as usize] {
            return None;
        }
        let folder = self.parts[package.0 as usize].join("/");
        self.by_path.get(&format!("{folder}/{name}")).copied()
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
        self.by_path.get(&path).copied()
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

    fn is_package_folder(&self, parts: &[Name]) -> bool {
        self.by_path
            .get(&parts.join("/"))
            .is_some_and(|module| self.is_package[module.0 as usize])
    }
}
