//! `facts`: what the analysis sees in a source file.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use crate::cli::args::FactsArgs;
use crate::cli::{Status, run, settings};
use crate::code;
use crate::outcome::ProblemKind;
use crate::report::text::neutral;

pub(crate) fn facts(args: &FactsArgs) -> io::Result<Status> {
    let (path, line) = split(&args.target);
    let Some(config) = settings::configuration(&args.config, std::slice::from_ref(&path)) else {
        return Ok(Status::Failed);
    };
    match code::facts(&path, line, &config.words) {
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
