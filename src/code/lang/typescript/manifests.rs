//! What `package.json` says: what a package is called, and which of its files others get.

use std::path::{Path, PathBuf};

use rustc_hash::FxHashMap;
use serde_json::{Map, Value};

use super::paths::sources;
use crate::code::ir::{Mapping, Name, Package};

/// Where the manifest of the package may stand that a file is in.
pub(in crate::code::lang) fn manifests(path: &Path) -> Vec<PathBuf> {
    let folders = path.ancestors().skip(1);
    folders.map(|folder| folder.join("package.json")).collect()
}

/// The package that a `package.json` in a folder describes.
pub(in crate::code::lang) fn package(folder: &Path, manifest: &str) -> Option<Package> {
    let manifest: Map<String, Value> = serde_json::from_str(manifest).ok()?;
    let text = |key: &str| manifest.get(key).and_then(Value::as_str);
    let mut renamed = Vec::new();
    let mut asks = FxHashMap::default();
    for key in [
        "dependencies",
        "devDependencies",
        "peerDependencies",
        "optionalDependencies",
    ] {
        for (local, range) in manifest.get(key).and_then(Value::as_object).into_iter().flatten() {
            let range = range.as_str().unwrap_or_default();
            let (own, range) = alias(range).unwrap_or((local, range));
            if own != local {
                renamed.push((Name::from(&**local), Name::from(own)));
            }
            asks.entry(Name::from(own)).or_insert_with(|| major(range));
        }
    }
    Some(Package {
        // Nothing imports what has no name, but what is in it is in no other package.
        name: Name::from(text("name").unwrap_or_default()),
        folder: folder.to_owned(),
        renamed,
        major: text("version").and_then(major),
        asks,
        offers: offers(folder, &manifest),
        inner: mappings(folder, manifest.get("imports")),
    })
}

/// What others get: what the manifest says, and what is usual where it says nothing or names what is built.
fn offers(folder: &Path, manifest: &Map<String, Value>) -> Vec<Mapping> {
    let mut offers = match manifest.get("exports") {
        Some(Value::Object(exports)) if exports.keys().any(|key| key.starts_with('.')) => {
            mappings(folder, manifest.get("exports"))
        }
        all => all.map(|all| mapping(folder, ".", all)).into_iter().collect(),
    };
    let main = ["source", "module", "main", "types", "typings"];
    let main = main.iter().filter_map(|key| manifest.get(*key)?.as_str());
    let usual = ["src/index", "index", "src/main", "src/mod", "lib/index"];
    let targets = main.chain(usual).flat_map(|target| sources(folder, target));
    offers.push(Mapping::new(".", targets));
    for pattern in ["./dist/*", "./build/*", "./lib/*", "./*"] {
        let inside = ["*", "src/*"].map(|target| sources(folder, target));
        let whole = sources(folder, pattern);
        offers.push(Mapping::new(
            pattern,
            whole.into_iter().chain(inside.into_iter().flatten()),
        ));
    }
    offers
}

/// `{"./sub": "./dist/sub.js", "#lib/*": {"import": …}}`
fn mappings(folder: &Path, table: Option<&Value>) -> Vec<Mapping> {
    let table = table.and_then(Value::as_object);
    let rows = table.into_iter().flatten();
    rows.map(|(pattern, given)| mapping(folder, pattern, given)).collect()
}

/// Every condition may hold: which one does, the tools decide that build and run the project.
fn mapping(folder: &Path, pattern: &str, given: &Value) -> Mapping {
    let mut targets = Vec::new();
    leaves(given, &mut targets);
    Mapping::new(pattern, targets.iter().flat_map(|target| sources(folder, target)))
}

fn leaves<'v>(given: &'v Value, found: &mut Vec<&'v str>) {
    match given {
        Value::String(target) => found.push(target),
        Value::Array(several) => several.iter().for_each(|one| leaves(one, found)),
        Value::Object(conditions) => conditions.values().for_each(|one| leaves(one, found)),
        _ => {}
    }
}

/// The package and the range of `npm:name@range` and `workspace:name@range`.
fn alias(range: &str) -> Option<(&str, &str)> {
    let inner = range
        .strip_prefix("npm:")
        .or_else(|| range.strip_prefix("workspace:"))?;
    match inner.rfind('@') {
        Some(at) if at > 0 => Some((&inner[..at], &inner[at + 1..])),
        _ => None,
    }
}

/// The first number of a version or of a range, where that is what decides.
fn major(range: &str) -> Option<u64> {
    let number = range.trim_start_matches(['^', '~', '=', 'v', '>', '<', ' ']);
    let digits = number.find(|c: char| !c.is_ascii_digit()).unwrap_or(number.len());
    let is_open = range.starts_with('>') || range.starts_with('<') || range.contains("||");
    number[..digits].parse().ok().filter(|_| !is_open)
}
