//! `replay`: the history of a recorded run, step by step.

use std::io::{self, BufWriter, Write};

use crate::cli::args::{ReplayArgs, ReplayForm};
use crate::cli::{Status, color, run, settings, width};
use crate::config::Config;
use crate::outcome::{Outcome, Problem, ProblemKind};
use crate::report::html;
use crate::report::text::escape_hazards;
use crate::roots::Roots;
use crate::transcript::{self, AuditOptions, ReplayFormat, ReplayOptions};

/// Columns where there is no terminal.
const WIDTH: usize = 80;
/// Longer lines are not read at a glance, however wide the terminal is.
const MOST: usize = 160;

pub(crate) fn run(args: &ReplayArgs) -> io::Result<Status> {
    let Some(config) = settings::configuration(&args.config, std::slice::from_ref(&args.file)) else {
        return Ok(Status::Failed);
    };
    let format = match args.format {
        ReplayForm::Human => ReplayFormat::Human,
        ReplayForm::Json => ReplayFormat::Json,
        ReplayForm::Html => return page(args, config),
    };
    let options = ReplayOptions {
        path: args.file.clone(),
        input_format: args.input_format.clone(),
        turn: args.turn,
        format,
        markers: config.markers,
        adapters: config.adapters,
        width: width::of_stdout(WIDTH, MOST),
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
        Err(problem) => failed(&problem),
    })
}

/// The page that draws it.
fn page(args: &ReplayArgs, config: Config) -> io::Result<Status> {
    let options = AuditOptions {
        paths: vec![args.file.clone()],
        input_format: args.input_format.clone(),
        markers: config.markers,
        adapters: config.adapters,
        chronicles: true,
        ..AuditOptions::default()
    };
    let mut outcome = transcript::audit(&options);
    if outcome.files.is_empty() {
        return Ok(outcome.problems.first().map_or(Status::Clean, failed));
    }
    let problems = std::mem::take(&mut outcome.problems);
    let outcome = Outcome {
        files: outcome.files,
        chronicles: outcome.chronicles,
        ..Outcome::default()
    };
    let roots = Roots::of(&options.paths);
    let mut out = BufWriter::new(io::stdout().lock());
    html::replay(&outcome, &roots, args.turn, &mut out)?;
    out.flush()?;
    Ok(problems.first().map_or(Status::Clean, failed))
}

fn failed(problem: &Problem) -> Status {
    run::complain_about(problem);
    match problem.kind {
        ProblemKind::Failed => Status::Failed,
        ProblemKind::Refused => Status::Nothing,
    }
}
