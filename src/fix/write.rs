//! Puts new texts in the place of old ones.

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::write::create_beside;

/// What some editors write before the text.
const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

/// Writes changed files: each is the old text or the new one at any time. Says which could not be
/// written, and why.
#[must_use]
pub fn write(changed: &BTreeMap<PathBuf, (Arc<str>, Arc<str>)>) -> Vec<(PathBuf, io::Error)> {
    let mut written: BTreeMap<PathBuf, Arc<str>> = BTreeMap::new();
    let mut failed = Vec::new();
    for (path, (old, new)) in changed {
        // A link stays one: what it points to is written, and once only.
        let done = fs::canonicalize(path).and_then(|target| {
            if written.get(&target).is_some_and(|known| known == new) {
                return Ok(());
            }
            replace(&target, old, new)?;
            written.insert(target, Arc::clone(new));
            Ok(())
        });
        failed.extend(done.err().map(|error| (path.clone(), error)));
    }
    failed
}

fn replace(path: &Path, old: &str, new: &str) -> io::Result<()> {
    let bytes = fs::read(path)?;
    let text = bytes.strip_prefix(BYTE_ORDER_MARK).unwrap_or(&bytes);
    if text != old.as_bytes() {
        return Err(io::Error::other(
            "the file was changed while it was checked; it is left as it is",
        ));
    }
    let permissions = fs::metadata(path)?.permissions();
    // A new file could take the place of one that nobody may write.
    if permissions.readonly() {
        let message = "the file is read-only; it is left as it is";
        return Err(io::Error::new(io::ErrorKind::PermissionDenied, message));
    }
    let mark = &bytes[..bytes.len() - text.len()];
    let (mut file, beside) = create_beside(path)?;
    let filled = file
        .write_all(mark)
        .and_then(|()| file.write_all(new.as_bytes()))
        .and_then(|()| file.set_permissions(permissions))
        .and_then(|()| file.sync_all())
        .and_then(|()| fs::rename(&beside, path));
    if filled.is_err() {
        // The first error is the one to tell.
        let _ = fs::remove_file(&beside);
    }
    filled
}
