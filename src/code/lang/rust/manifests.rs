//! What a crate is called: by its `Cargo.toml`.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::Deserialize;

use crate::code::ir::{Name, Package};

/// What is read of a `Cargo.toml`.
#[derive(Deserialize)]
struct Manifest {
    package: Named,
    lib: Option<Library>,
    #[serde(default)]
    dependencies: Dependencies,
    #[serde(default, rename = "dev-dependencies")]
    dev_dependencies: Dependencies,
}

#[derive(Deserialize)]
struct Named {
    name: String,
}

#[derive(Deserialize)]
struct Library {
    name: Option<String>,
}

/// A version, or a table that may name the package.
type Dependencies = BTreeMap<String, toml::Value>;

/// Where the manifest of the crate may stand that a file is the root of: in the folder around `src`, or
/// beside the file.
pub(in crate::code::lang) fn manifests(path: &Path) -> Vec<PathBuf> {
    let stem = path.file_stem().and_then(|stem| stem.to_str());
    let (Some("lib" | "main"), Some(folder)) = (stem, path.parent()) else {
        return Vec::new();
    };
    // The folder that the user is in has one around it too.
    let outer = folder.parent().unwrap_or(Path::new(".."));
    [outer, folder].map(|folder| folder.join("Cargo.toml")).to_vec()
}

/// The crate that a `Cargo.toml` in a folder describes.
pub(in crate::code::lang) fn package(folder: &Path, manifest: &str) -> Option<Package> {
    let manifest: Manifest = toml::from_str(manifest).ok()?;
    let library = manifest.lib.and_then(|lib| lib.name);
    let renamed = manifest.dependencies.iter().chain(&manifest.dev_dependencies);
    Some(Package {
        name: imported(&library.unwrap_or(manifest.package.name)),
        folder: folder.to_owned(),
        renamed: renamed
            .filter_map(|(local, given)| Some((imported(local), imported(given.get("package")?.as_str()?))))
            .collect(),
        ..Package::default()
    })
}

/// The name that stands in paths.
fn imported(name: &str) -> Name {
    Name::from(name.replace('-', "_"))
}
