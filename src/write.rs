//! Writing files so that nobody ever reads half of one.

use std::ffi::OsString;
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

/// Puts a file in place of what was there, if anything was: readers see the old one or the new one.
pub(crate) fn atomically(path: &Path, bytes: &[u8]) -> io::Result<()> {
    atomically_by(path, |file| file.write_all(bytes))
}

/// The same of what `fill` writes. What is there and no file, such as a pipe or a terminal, is written to as it is.
pub(crate) fn atomically_by(path: &Path, fill: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
    // A link stays one: what it points to is written.
    let target = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    if target.is_dir() {
        return Err(io::Error::new(io::ErrorKind::IsADirectory, "it is a folder"));
    }
    let there = fs::metadata(&target).ok();
    let buffered = |file: &File| {
        let mut out = BufWriter::new(file);
        fill(&mut out)?;
        out.flush()
    };
    if there.as_ref().is_some_and(|there| !there.is_file()) {
        return buffered(&OpenOptions::new().write(true).open(&target)?);
    }
    let (file, beside) = match create_beside(&target) {
        // A file that may be written, in a folder that may not.
        Err(error) if there.is_some() && is_refused(&error) => {
            return buffered(&OpenOptions::new().write(true).truncate(true).open(&target)?);
        }
        created => created?,
    };
    let filled = buffered(&file)
        .and_then(|()| there.map_or(Ok(()), |there| file.set_permissions(there.permissions())))
        .and_then(|()| file.sync_all())
        .and_then(|()| fs::rename(&beside, &target));
    if filled.is_err() {
        // The first error is the one to tell.
        let _ = fs::remove_file(&beside);
    }
    filled
}

fn is_refused(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem
    )
}

/// A new file in the folder of another, where it can be renamed to that in one step.
pub(crate) fn create_beside(path: &Path) -> io::Result<(File, PathBuf)> {
    const TRIES: u32 = 64;
    let mut number = 0;
    loop {
        let mut name = OsString::from(".");
        name.push(path.file_name().unwrap_or_default());
        name.push(format!(".{}-{number}.ctxlint", std::process::id()));
        let beside = path.with_file_name(name);
        match OpenOptions::new().write(true).create_new(true).open(&beside) {
            Ok(file) => return Ok((file, beside)),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists && number < TRIES => number += 1,
            Err(error) => return Err(error),
        }
    }
}

/// What to do about a file that cannot be written.
pub(crate) fn advice(error: &io::Error) -> &'static str {
    match error.kind() {
        io::ErrorKind::NotFound => "make its folder first",
        io::ErrorKind::IsADirectory => "name a file in this folder",
        io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => "name a file that you may write",
        io::ErrorKind::StorageFull => "free some space",
        _ => "name another file",
    }
}
