//! `facts`: what the analysis sees in a source file.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use crate::cli::{Status, run};
use crate::code;
use crate::outcome::ProblemKind;
use crate::report::text::neutral;

pub(crate) fn facts(target: &Path) -> io::Result<Status> {
    let (path, line) = split(target);
    match code::facts(&path, line) {
        Ok(text) => {
            io::stdout().lock().write_all(neutral(&text).as_bytes())?;
            Ok(Status::Clean)
        }
        Err(problem) => {
            run::complain_about(&problem);
            Ok(match problem.kind {
                ProblemKind::Failed => Status::Failed,
                ProblemKind::Refused => Status::Nothing,
            })
        }
    }
}

/// `FILE:LINE`, unless a file has that whole name.
fn split(target: &Path) -> (PathBuf, Option<u32>) {
    let text = target.to_string_lossy();
    if let Some((file, line)) = text.rsplit_once(':')
        && let Ok(line) = line.parse()
        && !target.exists()
    {
        return (PathBuf::from(file), Some(line));
    }
    (target.to_owned(), None)
}
