//! `map`: the sites of a project that put something into a history or change it.

use std::io::{self, BufWriter, Write};

use crate::cli::args::{MapArgs, MapFormat};
use crate::cli::{Status, complain, run, settings};
use crate::code::{self, CheckOptions};
use crate::outcome::ProblemKind;
use crate::report::map;

pub(crate) fn run(args: &MapArgs) -> io::Result<Status> {
    let Some(config) = settings::configuration(&args.config, &args.paths) else {
        return Ok(Status::Failed);
    };
    let mapped = code::map(&CheckOptions {
        paths: args.paths.clone(),
        words: config.words,
        ..CheckOptions::default()
    });
    for problem in &mapped.problems {
        run::complain_about(problem);
    }
    let mut out = BufWriter::new(io::stdout().lock());
    match args.format {
        MapFormat::Human if mapped.files == 0 => {}
        MapFormat::Human => map::human(&mapped, &mut out)?,
        MapFormat::Md => map::markdown(&mapped, &mut out)?,
        MapFormat::Json => map::json(&mapped, &mut out)?,
    }
    out.flush()?;
    let failed = |problem: &crate::outcome::Problem| problem.kind == ProblemKind::Failed;
    Ok(match mapped.files {
        _ if mapped.problems.iter().any(failed) => Status::Failed,
        0 => {
            if mapped.problems.is_empty() {
                complain(format_args!("no file here can be checked"));
            }
            Status::Nothing
        }
        _ => Status::Clean,
    })
}
