//! `replay`: the history of a recorded run, step by step.

use std::io::{self, BufWriter, Write};

use crate::cli::args::{ReplayArgs, TableFormat};
use crate::cli::{Status, color, run, settings};
use crate::outcome::ProblemKind;
use crate::report::text::escape_hazards;
use crate::transcript::{self, ReplayFormat, ReplayOptions};

pub(crate) fn run(args: &ReplayArgs) -> io::Result<Status> {
    let Some(config) = settings::configuration(&args.config, std::slice::from_ref(&args.file)) else {
        return Ok(Status::Failed);
    };
    let options = ReplayOptions {
        path: args.file.clone(),
        input_format: args.input_format.clone(),
        turn: args.turn,
        format: match args.format {
            TableFormat::Human => ReplayFormat::Human,
            TableFormat::Json => ReplayFormat::Json,
        },
        markers: config.markers,
        adapters: config.adapters,
        color: color::on_stdout(args.color),
    };
    let mut out = BufWriter::new(io::stdout().lock());
    let replayed = if options.format == ReplayFormat::Json {
        // Names and ids of strangers stand in strings, where an escape means the same.
        let mut document = Vec::new();
        let replayed = transcript::replay(&options, &mut document)?;
        let document = String::from_utf8(document).map_err(io::Error::other)?;
        for line in document.lines() {
            writeln!(out, "{}", escape_hazards(line))?;
        }
        replayed
    } else {
        transcript::replay(&options, &mut out)?
    };
    out.flush()?;
    Ok(match replayed {
        Ok(_) => Status::Clean,
        Err(problem) => {
            run::complain_about(&problem);
            match problem.kind {
                ProblemKind::Failed => Status::Failed,
                ProblemKind::Refused => Status::Nothing,
            }
        }
    })
}
