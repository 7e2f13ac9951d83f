//! From the paths on the command line to files.

use std::io::{self, Read};
use std::path::{Path, PathBuf};

use walkdir::WalkDir;

use super::formats;
use crate::exclude::Exclusion;
use crate::interrupt;
use crate::outcome::{Problem, ProblemKind};

/// The most that is read from standard input, which is held in memory.
pub(crate) const STDIN_LIMIT: u64 = 128 << 20;

/// The endings of files that are looked at in a folder.
const ENDINGS: [&str; 17] = [
    "json", "jsonl", "ndjson", "log", "txt", "xml", "sse", "db", "sqlite", "sqlite3", "gz", "zst", "zip", "af", "traj",
    "eval", "vscdb",
];

/// A file to read.
pub(crate) struct Candidate {
    pub(crate) path: PathBuf,
    /// The files that are read with it as one, in order; it may be among them. Empty: it alone.
    pub(crate) members: Vec<PathBuf>,
    /// Whether the user named it, so that it has to be accounted for even if it is no transcript.
    pub(crate) named: bool,
}

/// The files under the paths, in a fixed order, and what is wrong with the paths.
pub(crate) fn candidates(paths: &[PathBuf], listed: bool, exclusion: &Exclusion) -> (Vec<Candidate>, Vec<Problem>) {
    let mut files = Vec::new();
    let mut problems = Vec::new();
    for path in paths {
        if exclusion.excludes(path, true) {
            continue;
        }
        if path.as_os_str() == "-" || path.is_file() {
            files.push(Candidate {
                path: path.clone(),
                members: Vec::new(),
                named: !listed,
            });
        } else if path.is_dir() {
            walk(path, exclusion, &mut files, &mut problems);
        } else {
            // Missing, a device, a dangling link: opening it says what.
            files.push(Candidate {
                path: path.clone(),
                members: Vec::new(),
                named: true,
            });
        }
    }
    (formats::gathered(files), problems)
}

fn walk(folder: &Path, exclusion: &Exclusion, files: &mut Vec<Candidate>, problems: &mut Vec<Problem>) {
    let exclusion = exclusion.under(folder);
    let walk = WalkDir::new(folder).sort_by_file_name().into_iter();
    let walk = walk.filter_entry(|entry| !exclusion.excludes(entry.path(), false));
    for entry in walk.take_while(|_| !interrupt::asked()) {
        match entry {
            Ok(entry) if entry.file_type().is_file() && has_known_ending(entry.path()) => {
                let path = entry.into_path();
                files.push(Candidate {
                    // `.` is where the user is anyway.
                    path: match path.strip_prefix(".") {
                        Ok(inside) if folder == Path::new(".") => inside.to_owned(),
                        _ => path,
                    },
                    members: Vec::new(),
                    named: false,
                });
            }
            Ok(_) => {}
            Err(error) => {
                let path = error.path().unwrap_or(folder).to_owned();
                let message = error.io_error().map_or_else(|| error.to_string(), ToString::to_string);
                problems.push(failed(path, message));
            }
        }
    }
}

fn has_known_ending(path: &Path) -> bool {
    let ending = path.extension().and_then(|ending| ending.to_str());
    ending.is_some_and(|ending| ENDINGS.iter().any(|known| ending.eq_ignore_ascii_case(known)))
}

/// Takes in standard input.
pub(crate) fn standard_input() -> io::Result<Vec<u8>> {
    held(|| Ok(io::stdin()))
}

/// Takes in what can be read once, such as a pipe.
pub(crate) fn held<R: Read>(open: impl FnOnce() -> io::Result<R> + Send + 'static) -> io::Result<Vec<u8>> {
    let bytes = interrupt::read(open, STDIN_LIMIT + 1)?;
    if bytes.len() as u64 > STDIN_LIMIT {
        return Err(too_much_input());
    }
    Ok(bytes)
}

/// Says that standard input is longer than what is held of it.
pub(crate) fn too_much_input() -> io::Error {
    io::Error::other(format!("more than {} MiB; save it to a file first", STDIN_LIMIT >> 20))
}

pub(crate) fn failed(path: PathBuf, message: String) -> Problem {
    Problem {
        path,
        line: None,
        message,
        help: None,
        kind: ProblemKind::Failed,
    }
}

pub(crate) fn refused(path: PathBuf, message: String, help: Option<String>) -> Problem {
    Problem {
        path,
        line: None,
        message,
        help,
        kind: ProblemKind::Refused,
    }
}
