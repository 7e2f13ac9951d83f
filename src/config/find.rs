//! Where the configuration of a run stands: in the nearest folder that has one.

use std::fs;
use std::path::{Path, PathBuf};

/// The name of ctxlint's own file.
pub(crate) const FILE_NAME: &str = "ctxlint.toml";

/// The file of Python projects, in which many tools have a table.
pub(crate) const PYPROJECT: &str = "pyproject.toml";

/// What a `pyproject.toml` has where it speaks to ctxlint.
const TABLE: &str = "tool.ctxlint";

/// The configuration nearest to a path; of two in one folder, ctxlint's own file.
pub(crate) fn nearest(path: &Path) -> Option<PathBuf> {
    // Standard input is read in the working directory.
    let start = path.canonicalize().or_else(|_| Path::new(".").canonicalize()).ok()?;
    start.ancestors().filter(|folder| folder.is_dir()).find_map(|folder| {
        let own = Some(folder.join(FILE_NAME)).filter(|file| file.is_file());
        own.or_else(|| Some(folder.join(PYPROJECT)).filter(|file| speaks(file)))
    })
}

/// Whether a `pyproject.toml` has a table for ctxlint. One that is broken has one where its text looks like it:
/// what is wrong with it is said when it is read.
fn speaks(file: &Path) -> bool {
    let Ok(text) = fs::read_to_string(file) else {
        return false;
    };
    match text.parse::<toml::Table>() {
        Ok(table) => table.get("tool").is_some_and(|tool| tool.get("ctxlint").is_some()),
        Err(_) => text.contains(TABLE),
    }
}
