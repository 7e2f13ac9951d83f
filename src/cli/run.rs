//! `check` and `audit`: run a half, take away what is not to be reported, report, decide the exit status.

use std::io;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

use crate::bounded;
use crate::cache::Cache;
use crate::cli::args::{AuditArgs, CheckArgs, Common, SessionFlags};
use crate::cli::inputs::Inputs;
use crate::cli::progress::Bar;
use crate::cli::settings::{Narrowed, Settings};
use crate::cli::{Status, color, complain, fix, show, sink, width};
use crate::code::{self, CheckOptions};
use crate::interrupt;
use crate::outcome::{FileKind, Outcome, Partial, Problem, ProblemKind};
use crate::report::text::one_line;
use crate::report::{Format, Half, Report, WIDTH, statistics};
use crate::transcript::{self, AuditOptions, Chosen, Prices, Progress};

/// How many stages `--timings` tells.
const STAGES: usize = 20;

pub(crate) fn check(args: &CheckArgs) -> io::Result<Status> {
    let inputs = Inputs::of(&args.paths, args.common.files.files_from.as_deref());
    let inputs = inputs.and_then(|inputs| inputs.with_stdin(args.stdin_filename.as_deref()));
    let Some(settings) = settings(Half::Check, &args.common, inputs) else {
        return Ok(Status::Failed);
    };
    let options = check_options(&settings);
    if args.common.show_config {
        return show::config(&settings);
    }
    if args.common.files.show_files {
        return show::files(&code::files(&options), &settings);
    }
    if args.fixes.fix || args.fixes.diff || args.fixes.add_ignore.is_some() {
        return fix::run(args, &settings);
    }
    let shown = Shown {
        unsafe_fixes: args.fixes.unsafe_fixes,
        ..Shown::default()
    };
    let cache = (!args.cache.no_cache).then(|| Cache::of(&settings.config, args.cache.cache_dir.as_deref()));
    let verbose = args.common.output.verbose;
    finish(&settings, &args.common, shown, || match cache {
        None => code::check(&options),
        Some(cache) => {
            let (outcome, unused) = cache.check(&options);
            if let Some(why) = unused.filter(|_| verbose) {
                complain(format_args!("{}", one_line(&why)));
            }
            outcome
        }
    })
}

pub(crate) fn audit(args: &AuditArgs) -> io::Result<Status> {
    let inputs = match &args.discover {
        Some(format) => match discovered(format) {
            Ok(paths) => Inputs::of(&paths, None),
            Err(message) => {
                complain(format_args!("{}", one_line(&message)));
                return Ok(Status::Nothing);
            }
        },
        None => Inputs::of(&args.paths, args.common.files.files_from.as_deref()),
    };
    let Some(settings) = settings(Half::Audit, &args.common, inputs) else {
        return Ok(Status::Failed);
    };
    let mut options = AuditOptions {
        paths: settings.inputs.paths.clone(),
        input_format: args.input_format.clone(),
        rules: settings.config.options,
        markers: settings.config.markers.clone(),
        adapters: settings.config.adapters.clone(),
        listed: settings.listed,
        exclusion: settings.exclusion.clone(),
        against: args.against.clone(),
        chosen: chosen(&args.sessions)?,
        progress: Progress::default(),
        prices: settings.config.prices.clone(),
        chronicles: settings.sinks.iter().any(|sink| sink.format == Format::Html),
    };
    if let Some(path) = &args.prices {
        options.prices = match prices(path, &options.prices) {
            Ok(prices) => prices,
            Err(message) => {
                complain(format_args!("{message}"));
                return Ok(Status::Failed);
            }
        };
    }
    if args.common.show_config {
        return show::config(&settings);
    }
    if args.common.files.show_files {
        return show::files(&transcript::files(&options), &settings);
    }
    let shown = Shown {
        coverage: args.coverage,
        cost: args.cost,
        ..Shown::default()
    };
    let bar = Bar::over(&transcript::files(&options).0, args.common.output.quiet);
    options.progress = bar.progress();
    finish(&settings, &args.common, shown, || {
        let outcome = transcript::audit(&options);
        bar.end();
        outcome
    })
}

/// Prices with those of a file before them.
fn prices(path: &Path, known: &Prices) -> Result<Prices, String> {
    let shown = one_line(&path.display().to_string()).into_owned();
    let text = bounded::text(path).map_err(|error| format!("{shown}: the prices cannot be read: {error}"))?;
    known.with(&text).map_err(|error| {
        let line = error
            .span()
            .map_or(1, |span| text[..span.start.min(text.len())].matches('\n').count() + 1);
        let message = one_line(error.message()).into_owned();
        format!("{shown}:{line}: these are no prices: {message}; docs/cost.md has an example")
    })
}

/// The current user's stores of a format, or of all where it is empty.
fn discovered(format: &str) -> Result<Vec<PathBuf>, String> {
    let found = transcript::discover(Some(format).filter(|format| !format.is_empty()));
    if found.there.is_empty() {
        let places: Vec<_> = found.missing.iter().map(|path| path.display().to_string()).collect();
        return Err(format!("--discover: no sessions of yours are in {}", places.join(", ")));
    }
    Ok(found.there)
}

fn chosen(flags: &SessionFlags) -> io::Result<Chosen> {
    Ok(Chosen {
        sessions: flags.session.clone(),
        since: flags.since,
        last: flags.last.map(NonZeroUsize::get),
        project: flags.project.as_ref().map(std::path::absolute).transpose()?,
    })
}

fn settings(half: Half, common: &Common, inputs: Result<Inputs, String>) -> Option<Settings> {
    match inputs {
        Ok(inputs) => Settings::of(half, common, inputs),
        Err(message) => {
            complain(format_args!("{}", one_line(&message)));
            None
        }
    }
}

/// What the code half is told.
pub(super) fn check_options(settings: &Settings) -> CheckOptions {
    CheckOptions {
        paths: settings.inputs.paths.clone(),
        texts: settings.inputs.texts.clone(),
        words: settings.config.words.clone(),
        exclusion: settings.exclusion.clone(),
        listed: settings.listed,
        project: settings.roots.marked().map(Path::to_owned),
        ..CheckOptions::default()
    }
}

/// What the human form shows beside the findings.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Shown {
    pub(super) unsafe_fixes: bool,
    pub(super) coverage: bool,
    pub(super) cost: bool,
}

fn finish(
    settings: &Settings,
    common: &Common,
    shown: Shown,
    run: impl FnOnce() -> Outcome + Send,
) -> io::Result<Status> {
    interrupt::listen()?;
    let mut outcome = threads(common)?.install(run);
    let narrowed = settings.narrow(&mut outcome, common.known.write_baseline);
    if common.output.verbose {
        say_what_was_read(&outcome, &narrowed);
    }
    if common.output.timings {
        say_what_took_how_long(&outcome);
    }
    let partial = outcome.partial;
    if common.known.write_baseline && partial.is_some() {
        complain(format_args!(
            "interrupted: no baseline is written of a part of the files"
        ));
        return Ok(Status::Interrupted);
    }
    if common.known.write_baseline {
        return Ok(write_baseline(settings, &outcome));
    }
    let status = report(settings, common, shown, &outcome)?;
    if !common.output.quiet {
        settings.say(&narrowed, &outcome);
    }
    Ok(match partial {
        Some(Partial { read, found }) => {
            complain(format_args!(
                "interrupted: these are the results of {read} of {found} files"
            ));
            Status::Interrupted
        }
        None => status,
    })
}

fn write_baseline(settings: &Settings, outcome: &Outcome) -> Status {
    for problem in &outcome.problems {
        complain_about(problem);
    }
    if let Err(message) = settings.write_baseline(outcome) {
        complain(format_args!("{}", one_line(&message)));
        return Status::Failed;
    }
    let failed = outcome
        .problems
        .iter()
        .any(|problem| problem.kind == ProblemKind::Failed);
    if failed { Status::Failed } else { Status::Clean }
}

/// As many threads as the user allows.
pub(super) fn threads(common: &Common) -> io::Result<rayon::ThreadPool> {
    let jobs = common.jobs.map_or(0, std::num::NonZero::get);
    rayon::ThreadPoolBuilder::new()
        .num_threads(jobs)
        .build()
        .map_err(io::Error::other)
}

/// Tells what a run came to, and how it ends.
pub(super) fn report(settings: &Settings, common: &Common, shown: Shown, outcome: &Outcome) -> io::Result<Status> {
    for problem in &outcome.problems {
        complain_about(problem);
    }
    let rules = settings.selection.taking_part();
    let report = Report {
        outcome,
        half: settings.half,
        width: width::of_stdout(WIDTH, WIDTH),
        color: color::on_stdout(common.output.color),
        quiet: common.output.quiet,
        coverage: shown.coverage,
        cost: shown.cost,
        unsafe_fixes: shown.unsafe_fixes,
        fail_on: settings.fail_on,
        roots: &settings.roots,
        rules: &rules,
    };
    // Files first: a reader who closes stdout early does not cost the user the other reports.
    let (files, stdout): (Vec<_>, Vec<_>) = settings.sinks.iter().partition(|sink| sink.file.is_some());
    let mut unwritten = false;
    for sink in files.into_iter().chain(stdout) {
        // With nothing checked there is no summary to read; machines still get their document.
        if outcome.files.is_empty() && outcome.findings.is_empty() && !sink.format.is_for_machines() {
            continue;
        }
        if let Some(said) = sink.format.left_out(outcome) {
            complain(format_args!("{said}"));
        }
        let written = if sink.file.is_none() && common.output.statistics {
            statistics::write(&report, &mut io::stdout().lock())
        } else {
            sink::write(sink, &report)
        };
        match written {
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
    if settings.sinks.iter().any(|sink| sink.format == Format::Github)
        && let Some(Err(error)) = sink::write_step_summary(&report)
    {
        complain(format_args!("{error}"));
        unwritten = true;
    }
    let status = status(outcome, settings, common);
    Ok(if unwritten { Status::Failed } else { status })
}

/// What could not be read outweighs what was found; what was found outweighs what was refused.
fn status(outcome: &Outcome, settings: &Settings, common: &Common) -> Status {
    let failed = outcome
        .problems
        .iter()
        .any(|problem| problem.kind == ProblemKind::Failed);
    let found = outcome
        .findings
        .iter()
        .any(|finding| finding.severity >= settings.fail_on);
    if failed {
        Status::Failed
    } else if found {
        if common.output.exit_zero {
            Status::Clean
        } else {
            Status::Findings
        }
    } else if outcome.files.is_empty() {
        if settings.listed || outcome.partial.is_some() {
            return Status::Clean;
        }
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

pub(super) fn say_what_was_read(outcome: &Outcome, narrowed: &Narrowed) {
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
        (narrowed.hidden.comment, "by ignore comments"),
        (narrowed.hidden.severity, "under --min-severity"),
        (narrowed.hidden.confidence, "under --min-confidence"),
        (narrowed.hidden.per_path, "by per-path-ignores"),
        (narrowed.known, "by the baseline"),
        (narrowed.untouched, "by --changed"),
    ];
    for (count, reason) in reasons {
        if count > 0 {
            complain(format_args!("{count} hidden {reason}"));
        }
    }
}

/// The stages of the run, longest first. What runs at the same time is added up.
fn say_what_took_how_long(outcome: &Outcome) {
    let mut stages: Vec<_> = outcome.timings.iter().collect();
    stages.sort_by_key(|(_, took)| std::cmp::Reverse(*took));
    for (stage, took) in stages.into_iter().take(STAGES) {
        let stage = one_line(stage);
        complain(format_args!("{:>9.1} ms  {stage}", took.as_secs_f64() * 1000.0));
    }
}
