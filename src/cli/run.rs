//! `check` and `audit`: run a half, filter, report, decide the exit status.

use std::io;
use std::path::{Path, PathBuf};

use crate::cli::args::{AuditArgs, CheckArgs, Common, ConfigFlags};
use crate::cli::sink::SinkSpec;
use crate::cli::{Status, color, complain, fix, sink};
use crate::code::{self, CheckOptions};
use crate::config::{Config, Source};
use crate::outcome::{FileKind, Outcome, Problem, ProblemKind};
use crate::report::text::one_line;
use crate::report::{Half, Report};
use crate::roots::Roots;
use crate::select::{Hidden, Selection};
use crate::transcript::{self, AuditOptions};

pub(crate) fn check(args: &CheckArgs) -> io::Result<Status> {
    if args.fixes.fix || args.fixes.diff {
        return fix::run(args);
    }
    let Some(config) = config(&args.common.config, &args.paths) else {
        return Ok(Status::Failed);
    };
    let options = CheckOptions {
        paths: args.paths.clone(),
        words: config.words,
        ..CheckOptions::default()
    };
    let run = || code::check(&options);
    finish(Half::Check, &args.common, &args.paths, args.fixes.unsafe_fixes, run)
}

pub(crate) fn audit(args: &AuditArgs) -> io::Result<Status> {
    let options = AuditOptions {
        paths: args.paths.clone(),
        input_format: args.input_format.clone(),
    };
    if config(&args.common.config, &args.paths).is_none() {
        return Ok(Status::Failed);
    }
    let run = || transcript::audit(&options);
    finish(Half::Audit, &args.common, &args.paths, false, run)
}

fn finish(
    half: Half,
    common: &Common,
    paths: &[PathBuf],
    unsafe_fixes: bool,
    run: impl FnOnce() -> Outcome + Send,
) -> io::Result<Status> {
    let sinks = match sink::plan(&common.output.format) {
        Ok(sinks) => sinks,
        Err(message) => {
            complain(format_args!("{message}"));
            return Ok(Status::Failed);
        }
    };
    let mut outcome = threads(common)?.install(run);
    let roots = Roots::of(paths);
    let hidden = selection(common).apply(&mut outcome, &roots);
    if common.output.verbose {
        say_what_was_read(&outcome, hidden);
    }
    report(half, common, unsafe_fixes, &sinks, &outcome, &roots)
}

/// The configuration of a run over some paths; says what is wrong with it where there is none.
pub(super) fn config(flags: &ConfigFlags, paths: &[PathBuf]) -> Option<Config> {
    let source = match &flags.config {
        _ if flags.isolated => Source::Isolated,
        Some(path) => Source::Named(path),
        None => Source::Above(paths.first().map_or(Path::new("."), PathBuf::as_path)),
    };
    Config::load(source)
        .map_err(|error| complain(format_args!("{}", one_line(&error.to_string()))))
        .ok()
}

/// As many threads as the user allows.
pub(super) fn threads(common: &Common) -> io::Result<rayon::ThreadPool> {
    let jobs = common.jobs.map_or(0, std::num::NonZero::get);
    rayon::ThreadPoolBuilder::new()
        .num_threads(jobs)
        .build()
        .map_err(io::Error::other)
}

/// Which findings the user wants to see.
pub(super) fn selection(common: &Common) -> Selection {
    Selection {
        select: common.rules.select.clone(),
        ignore: common.rules.ignore.clone(),
        pedantic: common.rules.pedantic,
        min_severity: common.rules.min_severity,
        min_confidence: common.rules.min_confidence,
    }
}

/// Tells what a run came to, and how it ends.
pub(super) fn report(
    half: Half,
    common: &Common,
    unsafe_fixes: bool,
    sinks: &[SinkSpec],
    outcome: &Outcome,
    roots: &Roots,
) -> io::Result<Status> {
    for problem in &outcome.problems {
        complain_about(problem);
    }
    let rules = selection(common).rules();
    let report = Report {
        outcome,
        half,
        color: color::on_stdout(common.output.color),
        quiet: common.output.quiet,
        unsafe_fixes,
        roots,
        rules: &rules,
    };
    // Files first: a reader who closes stdout early does not cost the user the other reports.
    let (files, stdout): (Vec<_>, Vec<_>) = sinks.iter().partition(|sink| sink.file.is_some());
    let mut unwritten = false;
    for sink in files.into_iter().chain(stdout) {
        // With nothing checked there is no summary to read; machines still get their document.
        if outcome.files.is_empty() && outcome.findings.is_empty() && !sink.format.is_for_machines() {
            continue;
        }
        if let Some(said) = sink.format.left_out(outcome) {
            complain(format_args!("{said}"));
        }
        match sink::write(sink, &report) {
            Ok(()) => {}
            // One report that cannot be written does not cost the user the others.
            Err(error) if sink.file.is_some() => {
                complain(format_args!("{error}"));
                unwritten = true;
            }
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe && unwritten => {}
            Err(error) => return Err(error),
        }
    }
    let status = status(outcome, common);
    Ok(if unwritten { Status::Failed } else { status })
}

/// What could not be read outweighs what was found; what was found outweighs what was refused.
fn status(outcome: &Outcome, common: &Common) -> Status {
    let failed = outcome
        .problems
        .iter()
        .any(|problem| problem.kind == ProblemKind::Failed);
    let found = outcome
        .findings
        .iter()
        .any(|finding| finding.severity >= common.output.fail_on);
    if failed {
        Status::Failed
    } else if found {
        if common.output.exit_zero {
            Status::Clean
        } else {
            Status::Findings
        }
    } else if outcome.files.is_empty() {
        if outcome.problems.is_empty() {
            complain(format_args!("no file here can be checked"));
        }
        Status::Nothing
    } else {
        Status::Clean
    }
}

pub(crate) fn complain_about(problem: &Problem) {
    let path = one_line(&problem.path.display().to_string()).into_owned();
    let message = one_line(&problem.message);
    match problem.line {
        Some(line) => complain(format_args!("{path}:{line}: {message}")),
        None => complain(format_args!("{path}: {message}")),
    }
    if let Some(help) = &problem.help {
        complain(format_args!("  help: {}", one_line(help)));
    }
}

pub(super) fn say_what_was_read(outcome: &Outcome, hidden: Hidden) {
    for file in &outcome.files {
        let read_as = match &file.kind {
            FileKind::Code { language } => language,
            FileKind::Transcript { format, .. } => format,
        };
        complain(format_args!(
            "read {} as {read_as}",
            one_line(&file.path.display().to_string())
        ));
    }
    let reasons = [
        (hidden.comment, "by ignore comments"),
        (hidden.severity, "under --min-severity"),
        (hidden.confidence, "under --min-confidence"),
    ];
    for (count, reason) in reasons {
        if count > 0 {
            complain(format_args!("{count} hidden {reason}"));
        }
    }
}
