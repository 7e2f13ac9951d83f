//! What `tsconfig.json` and `jsconfig.json` say about the paths in imports.

use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use jsonc_parser::ParseOptions;
use rustc_hash::FxHashSet;
use serde_json::{Map, Value};

use crate::code::ir::Mapping;

/// How many configurations one may be put together from.
const MAX_CONFIGS: usize = 32;

/// Folders that hold what is built, not what people write.
const BUILT: [&str; 5] = ["dist", "build", "out", "output", "bundle"];

/// Folders that often do, beside or inside those.
const OFTEN_BUILT: [&str; 9] = ["lib", "es", "esm", "cjs", "mjs", "umd", "types", "typings", "src"];

/// What files are called that are left out of the paths in imports.
const EXTENSIONS: [&str; 11] = [
    ".d.ts", ".d.mts", ".d.cts", ".ts", ".tsx", ".mts", ".cts", ".js", ".jsx", ".mjs", ".cjs",
];

/// Reads a file, if it is there.
type Read<'r> = &'r dyn Fn(&Path) -> Option<Arc<str>>;

/// Where the configuration may stand that holds for a file, the nearest first.
pub(in crate::code::lang) fn configs(path: &Path) -> Vec<PathBuf> {
    let folders = path.ancestors().skip(1);
    let names = |folder: &Path| ["tsconfig.json", "jsconfig.json"].map(|name| folder.join(name));
    folders.flat_map(names).collect()
}

/// What a configuration, with those that it is put together from, says that paths mean. One that cannot be
/// read says nothing: the compiler of the project complains of it, and it is no input of ours.
pub(in crate::code::lang) fn mappings(config: &Path, read: Read<'_>) -> Vec<Mapping> {
    let mut walk = Walk {
        read,
        leaf: config.parent().unwrap_or(Path::new("")),
        seen: FxHashSet::default(),
    };
    let Some(found) = walk.options(config) else {
        return Vec::new();
    };
    if !found.is_empty() {
        return found.mappings();
    }
    // `{"files": [], "references": […]}`: the configurations beside it share the files among them.
    let beside = found
        .references
        .iter()
        .filter(|other| other.parent() == config.parent());
    let beside: Vec<Options> = beside.filter_map(|other| walk.options(other)).collect();
    beside.iter().flat_map(Options::mappings).collect()
}

/// What matters of a configuration.
#[derive(Default)]
struct Options {
    /// The folder that bare paths are looked up in.
    base: Option<PathBuf>,
    /// Patterns with their targets, and the folder that those are relative to without a `base`.
    paths: Option<(PathBuf, Map<String, Value>)>,
    references: Vec<PathBuf>,
}

impl Options {
    fn is_empty(&self) -> bool {
        self.base.is_none() && self.paths.is_none()
    }

    fn mappings(&self) -> Vec<Mapping> {
        let mut found = Vec::new();
        if let Some((beside, paths)) = &self.paths {
            let folder = self.base.as_ref().unwrap_or(beside);
            for (pattern, targets) in paths {
                let targets = targets.as_array().into_iter().flatten().filter_map(Value::as_str);
                found.push(Mapping::new(
                    pattern,
                    targets.flat_map(|target| sources(folder, target)),
                ));
            }
        }
        found.extend(self.base.iter().map(|base| Mapping::new("*", sources(base, "*"))));
        found
    }
}

/// A walk through the configurations that one extends.
struct Walk<'r> {
    read: Read<'r>,
    /// The folder of the one that holds for the files.
    leaf: &'r Path,
    seen: FxHashSet<PathBuf>,
}

impl Walk<'_> {
    fn options(&mut self, config: &Path) -> Option<Options> {
        if self.seen.len() == MAX_CONFIGS || !self.seen.insert(config.to_owned()) {
            return None;
        }
        let text = (self.read)(config)?;
        let Ok(Value::Object(given)) = jsonc_parser::parse_to_serde_value::<Value>(&text, &ParseOptions::default())
        else {
            return None;
        };
        let folder = config.parent()?;
        let mut found = Options::default();
        // The last one of several has the last word.
        for parent in texts(given.get("extends")) {
            let parents = self.extended(folder, parent);
            if let Some(parent) = parents.iter().find_map(|path| self.options(path)) {
                found.base = parent.base.or(found.base);
                found.paths = parent.paths.or(found.paths);
            }
        }
        let own = given.get("compilerOptions");
        if let Some(base) = own.and_then(|own| own.get("baseUrl")?.as_str()) {
            found.base = Some(self.at(folder, base));
        }
        if let Some(Value::Object(paths)) = own.and_then(|own| own.get("paths")) {
            found.paths = Some((folder.to_owned(), paths.clone()));
        }
        let references = given.get("references").and_then(Value::as_array).into_iter().flatten();
        let references = references.filter_map(|reference| reference.get("path")?.as_str());
        found.references = references.map(|path| self.at(folder, path)).collect();
        Some(found)
    }

    /// Where the configuration may stand that is extended: those of packages from outside are not followed.
    fn extended(&self, folder: &Path, given: &str) -> Vec<PathBuf> {
        if !given.starts_with('.') && !given.starts_with("${") && !Path::new(given).is_absolute() {
            return Vec::new();
        }
        let path = self.at(folder, given);
        let mut named = path.clone().into_os_string();
        named.push(".json");
        vec![PathBuf::from(named), path.join("tsconfig.json"), path]
    }

    fn at(&self, folder: &Path, given: &str) -> PathBuf {
        match given.strip_prefix("${configDir}") {
            Some(rest) => joined(self.leaf, rest.trim_start_matches('/')),
            None => joined(folder, given),
        }
    }
}

fn texts(value: Option<&Value>) -> Vec<&str> {
    match value {
        Some(Value::String(one)) => vec![one],
        Some(Value::Array(several)) => several.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    }
}

/// The files that a path in a manifest or a configuration may mean, without their extensions, the likeliest
/// first: what is built is made from sources.
pub(super) fn sources(folder: &Path, target: &str) -> Vec<PathBuf> {
    let stem = EXTENSIONS.iter().find_map(|extension| target.strip_suffix(extension));
    let whole = stem.unwrap_or(target).trim_start_matches("./");
    let is_built = |name: &str| BUILT.contains(&name) || name.starts_with("dist-");
    let mut inner = whole;
    while let Some((first, rest)) = inner.split_once('/')
        && (is_built(first) || OFTEN_BUILT.contains(&first))
    {
        inner = rest;
    }
    let (whole_path, source) = (joined(folder, whole), joined(folder, &format!("src/{inner}")));
    match whole.split_once('/') {
        Some((first, _)) if is_built(first) => vec![source, joined(folder, inner), whole_path],
        Some((first, _)) if first != "src" && inner != whole => vec![whole_path, source],
        _ => vec![whole_path],
    }
}

/// A path from a folder, with the steps upwards taken.
fn joined(folder: &Path, path: &str) -> PathBuf {
    let mut whole = PathBuf::new();
    for part in folder.join(path).components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir if matches!(whole.components().next_back(), Some(Component::Normal(_))) => {
                whole.pop();
            }
            part => whole.push(part),
        }
    }
    whole
}
