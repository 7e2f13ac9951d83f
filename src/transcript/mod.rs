//! `audit` and `replay`: from recorded runs to findings.
//!
//! A format adapter turns the records of a file into events, the replay folds events into steps, and
//! rules judge steps. A rule never knows a format; a format never knows a rule.

mod adapters;
mod against;
mod callview;
mod canonical;
mod change;
mod chosen;
mod chronicler;
mod container;
pub(crate) mod cost;
mod event;
mod evidence;
mod formats;
#[cfg(fuzzing)]
pub(crate) mod fuzzed;
mod input;
mod json;
mod layout;
mod markers;
mod message;
mod outline;
mod prices;
mod progress;
mod reader;
mod replay;
mod rules;
mod safe_text;
mod scan;
mod session;
mod sqlite;
mod sse;
mod step;
mod stores;
mod stretches;
mod usage;
mod view;
mod walk;

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rayon::prelude::*;
use rustc_hash::FxHashMap;

pub use self::adapters::Adapters;
pub(crate) use self::adapters::ProjectAdapter;
pub use self::chosen::Chosen;
use self::chosen::Sessions;
use self::chronicler::Chronicler;
pub(crate) use self::formats::generic::{Plan, Pointer};
pub use self::markers::Markers;
pub(crate) use self::markers::ProjectMarkers;
use self::message::Place;
pub(crate) use self::message::Role;
pub(crate) use self::prices::Price;
pub use self::prices::Prices;
pub use self::progress::Progress;
use self::reader::Broken;
pub(crate) use self::replay::derived_from;
use self::replay::{Judge, Noted};
pub use self::rules::RuleOptions;
use self::rules::{StepRule, Symptom};
pub(crate) use self::scan::{Bounds, Tape};
use self::session::{Opened, Session};
use self::step::{Scene, Step};
pub use self::stores::{Discovered, discover, discoverable};
pub use self::view::{ReplayFormat, ReplayOptions, replay};
use self::walk::Candidate;
use crate::chronicle::Chronicle;
use crate::exclude::Exclusion;
use crate::finding::{Finding, Witness};
use crate::interrupt;
use crate::outcome::{FileKind, FileReport, Outcome, Partial, Problem};
use crate::rule;

/// What to audit.
#[derive(Clone, Debug, Default)]
pub struct AuditOptions {
    /// Files and folders, as the user named them; `-` is standard input.
    pub paths: Vec<PathBuf>,
    /// The format's name, where the user forces one; see [`input_formats`].
    pub input_format: Option<String>,
    /// What single rules go by.
    pub rules: RuleOptions,
    /// What tells whose a message is.
    pub markers: Markers,
    /// How home-made logs are read.
    pub adapters: Adapters,
    /// Whether a file that the user named and that is no transcript is passed over, as in a folder.
    pub listed: bool,
    /// Files and folders of an older run that the histories are compared with; none for no comparison.
    pub against: Vec<PathBuf>,
    /// Which files are left out.
    pub exclusion: Exclusion,
    /// Which sessions are reported.
    pub chosen: Chosen,
    /// Is told how many bytes were read.
    pub progress: Progress,
    /// What models cost.
    pub prices: Prices,
    /// Whether it is written down how each history came about.
    pub chronicles: bool,
}

/// The names that `--input-format` takes everywhere; a project adds those of its adapters.
#[must_use]
pub fn input_formats() -> &'static [&'static str] {
    formats::NAMES.as_slice()
}

/// Audits recorded runs. Every rule runs; the caller filters.
#[must_use]
pub fn audit(options: &AuditOptions) -> Outcome {
    let mut outcome = Outcome::default();
    let forced = options.input_format.as_deref();
    if let Some(problem) = unknown_format(forced, &options.adapters) {
        outcome.problems.push(problem);
        return outcome;
    }
    let (candidates, problems) = walk::candidates(&options.paths, options.listed, &options.exclusion);
    outcome.problems = problems;
    let audited = candidates.par_iter().map(|candidate| {
        let begin = Instant::now();
        let audited = audit_file(candidate, options);
        // A file that was under way when the run was interrupted is dropped.
        let is_dropped = interrupt::asked() && (audited.report.is_none() || audited.problem.is_some());
        (!is_dropped).then(|| (audited, begin.elapsed()))
    });
    let audited: Vec<Option<(Audited, Duration)>> = audited.collect();
    outcome.partial = interrupt::asked().then(|| Partial {
        read: audited.iter().flatten().count(),
        found: audited.len(),
    });
    outcome.partial = outcome.partial.filter(|partial| partial.read < partial.found);
    let is_whole = outcome.partial.is_none();
    let mut runs = Vec::new();
    let audited = candidates.iter().zip(audited);
    for (candidate, (audited, took)) in audited.filter_map(|(candidate, audited)| Some((candidate, audited?))) {
        outcome.timings.push((candidate.path.display().to_string(), took));
        outcome.findings.extend(audited.findings);
        outcome.files.extend(audited.report);
        outcome.problems.extend(audited.problem);
        runs.extend(audited.run);
        outcome.chronicles.extend(audited.chronicles);
    }
    options.chosen.narrow(&mut outcome);
    // What was not read would count as lost.
    if !options.against.is_empty() && is_whole {
        against::compare(options, runs, &mut outcome);
    }
    for path in options.paths.iter().filter(|_| is_whole) {
        // What lies under `.` is told without it.
        let is_here = path == Path::new(".");
        let inside = |other: &Path| other.starts_with(path) || is_here && other.is_relative();
        let seen = outcome
            .files
            .iter()
            .map(|file| &file.path)
            .chain(outcome.problems.iter().map(|problem| &problem.path));
        if path.is_dir() && !seen.into_iter().any(|other| inside(other)) {
            outcome.problems.push(walk::refused(
                path.clone(),
                "no transcripts in this folder".to_owned(),
                None,
            ));
        }
    }
    outcome.findings.sort_by(|a, b| a.sort_key().cmp(&b.sort_key()));
    outcome.files.sort_by(|a, b| a.path.cmp(&b.path));
    outcome
        .problems
        .sort_by(|a, b| (&a.path, a.line).cmp(&(&b.path, b.line)));
    outcome
}

/// The files that [`audit`] would look at, in order, and what is wrong with the paths.
#[must_use]
pub fn files(options: &AuditOptions) -> (Vec<PathBuf>, Vec<Problem>) {
    let (candidates, problems) = walk::candidates(&options.paths, options.listed, &options.exclusion);
    (
        candidates.into_iter().map(|candidate| candidate.path).collect(),
        problems,
    )
}

/// What is wrong with the name of a forced format, if something is.
fn unknown_format(forced: Option<&str>, adapters: &Adapters) -> Option<Problem> {
    let known = adapters.names();
    let name = forced.filter(|name| !known.contains(name))?;
    let mut problem = walk::failed(
        PathBuf::from("--input-format"),
        format!("no input format is called `{name}`"),
    );
    problem.help = Some(format!("known are {}", known.join(", ")));
    Some(problem)
}

/// What came of one file.
#[derive(Default)]
struct Audited {
    findings: Vec<Finding>,
    report: Option<FileReport>,
    problem: Option<Problem>,
    /// What is compared with an older run.
    run: Option<against::Run>,
    chronicles: Vec<Chronicle>,
}

fn audit_file(candidate: &Candidate, options: &AuditOptions) -> Audited {
    if interrupt::asked() {
        return Audited::default();
    }
    let path = &candidate.path;
    let mut session = match open(candidate, options.input_format.as_deref(), &options.adapters) {
        Ok(Some(session)) => session,
        Ok(None) => return Audited::default(),
        Err(problem) => {
            return Audited {
                problem: Some(problem),
                ..Audited::default()
            };
        }
    };
    let form = session.form();
    let paths = session.paths();
    let mut bench = Bench {
        paths: &paths,
        form,
        options: options.rules,
        prices: &options.prices,
        courts: Vec::new(),
        places: FxHashMap::default(),
        findings: Vec::new(),
        sessions: Sessions::of(path),
        journals: (!options.against.is_empty()).then(against::Journals::default),
        chronicler: options.chronicles.then(|| Chronicler::of(path, &paths)),
    };
    if bench.journals.is_some() {
        session.keep_told();
    }
    if options.chronicles {
        session.keep_given();
    }
    let reading = match session.replay(&options.markers, &options.progress, &mut bench) {
        Ok(reading) => reading,
        Err(error) => {
            let problem = Some(walk::failed(path.clone(), error.to_string()));
            return Audited {
                findings: bench.findings,
                problem,
                ..Audited::default()
            };
        }
    };
    let mut findings = bench.findings;
    findings.extend(reading.broken.iter().map(|broken| malformed(&paths, broken)));
    let run = bench.journals.map(|journals| against::Run {
        path: path.clone(),
        members: candidate.members.clone(),
        paths: paths.clone(),
        form,
        told: reading.told,
        histories: journals.into_histories(|thread| bench.sessions.id(thread)),
    });
    let chronicler = bench.chronicler.unwrap_or_default();
    let chronicles = chronicler.into_chronicles(|thread| bench.sessions.id(thread));
    let kind = FileKind::Transcript {
        format: form.format,
        sessions: bench.sessions.into_reports(),
        coverage: reading.coverage,
        ignored_for: reading.ignored,
        unknown_types: reading.unknown,
        limits: form.limits(),
    };
    Audited {
        findings,
        report: Some(FileReport {
            path: path.clone(),
            kind,
        }),
        problem: None,
        run,
        chronicles,
    }
}

/// Opens a file for replay; none if it is not a transcript and nobody said it was.
fn open(candidate: &Candidate, forced: Option<&str>, adapters: &Adapters) -> Result<Option<Session>, Problem> {
    let path = candidate.path.clone();
    let named = candidate.named;
    match Session::open(candidate, &adapters.wanted(forced, &candidate.path)) {
        Ok(Opened::Session(session)) => Ok(Some(session)),
        Ok(Opened::Refused(refusal)) => Err(walk::refused(
            path,
            format!("{} cannot be replayed", refusal.name),
            Some(refusal.reason.to_owned()),
        )),
        Ok(Opened::Unrecognised(Some(broken))) => {
            let message = format!("no record could be read: {}", broken.reason);
            let mut problem = if named {
                walk::failed(path, message)
            } else {
                walk::refused(path, message, None)
            };
            problem.line = Some(broken.line);
            Err(problem)
        }
        Ok(Opened::Other(_) | Opened::Unrecognised(None)) if !named => Ok(None),
        Ok(Opened::Other(reason)) => Err(walk::refused(path, reason.to_owned(), None)),
        Ok(Opened::Unrecognised(None)) => {
            let help = format!(
                "if it is one, name its form with --input-format {}",
                adapters.names().join("|")
            );
            Err(walk::refused(
                path,
                "no known form of a transcript".to_owned(),
                Some(help),
            ))
        }
        Err(error) => Err(walk::failed(path, error.to_string())),
    }
}

fn malformed(paths: &[PathBuf], broken: &Broken) -> Finding {
    let place = Place {
        file: broken.file,
        line: broken.line,
        column: broken.column,
        end_line: broken.line,
        end_column: broken.column + 1,
    };
    let message = format!("this record is left out: {}", broken.reason);
    Finding::at(
        &rule::MALFORMED_RECORD,
        Witness::Transcript,
        evidence::span(paths, place),
        message,
    )
}

/// Lets the rules judge the steps of a file, each history by itself.
struct Bench<'p> {
    /// The files that are read as one.
    paths: &'p [PathBuf],
    form: &'static formats::form::Form,
    options: RuleOptions,
    prices: &'p Prices,
    courts: Vec<Court>,
    /// Where among them that of a history is.
    places: FxHashMap<String, usize>,
    findings: Vec<Finding>,
    sessions: Sessions,
    /// What is kept for comparing with an older run.
    journals: Option<against::Journals>,
    /// What is kept for drawing it.
    chronicler: Option<Chronicler>,
}

/// The rules at work on one history, and what they found.
#[derive(Default)]
struct Court {
    rules: Vec<Box<dyn StepRule>>,
    /// Where among all findings the first of each step is.
    findings: FxHashMap<u32, usize>,
}

impl Judge for Bench<'_> {
    fn judge(&mut self, step: &Step<'_>) {
        self.sessions.begin(step.thread);
        let mut symptoms = Vec::new();
        for rule in &mut self.court(step.thread).rules {
            rule.step(step, &mut symptoms);
        }
        self.report(&step.scene(), Some(step), symptoms);
        if let Some(journals) = &mut self.journals {
            journals.judge(step);
        }
        if let Some(chronicler) = &mut self.chronicler {
            chronicler.judge(step);
        }
    }

    fn note(&mut self, scene: &Scene<'_>, noted: &Noted<'_>) {
        self.sessions.note(scene.thread, noted, self.prices);
        let mut symptoms = Vec::new();
        for rule in &mut self.court(scene.thread).rules {
            rule.note(scene, noted, &mut symptoms);
        }
        self.report(scene, None, symptoms);
        if let Some(journals) = &mut self.journals {
            journals.note(scene, noted);
        }
        if let Some(chronicler) = &mut self.chronicler {
            chronicler.note(scene, noted);
        }
    }

    fn end(&mut self, scene: &Scene<'_>) {
        let mut symptoms = Vec::new();
        for rule in &mut self.court(scene.thread).rules {
            rule.end(scene, &mut symptoms);
        }
        self.report(scene, None, symptoms);
        if let Some(journals) = &mut self.journals {
            journals.end(scene);
        }
        if let Some(at) = self.places.remove(scene.thread) {
            self.courts[at] = Court::default();
        }
    }
}

impl Bench<'_> {
    fn court(&mut self, thread: &str) -> &mut Court {
        let known = self.places.get(thread).copied();
        let at = known.unwrap_or_else(|| {
            self.courts.push(Court {
                rules: rules::for_form(self.form, self.options, self.prices),
                findings: FxHashMap::default(),
            });
            self.places.insert(thread.to_owned(), self.courts.len() - 1);
            self.courts.len() - 1
        });
        &mut self.courts[at]
    }

    fn report(&mut self, scene: &Scene<'_>, step: Option<&Step<'_>>, symptoms: Vec<Symptom>) {
        for (symptom, others) in rules::by_event(symptoms) {
            let court = self.court(scene.thread);
            let cause = symptom.because_of.and_then(|step| court.findings.get(&step).copied());
            if let Some(cause) = cause.and_then(|at| self.findings.get_mut(at)) {
                evidence::join(cause, self.paths, symptom);
                continue;
            }
            let mut finding = evidence::finding(self.paths, scene, step, symptom, others);
            finding.session = Some(self.sessions.id(scene.thread));
            finding.moment = Some(scene.number);
            if let Some(step) = step {
                let at = self.findings.len();
                self.court(scene.thread).findings.entry(step.number).or_insert(at);
            }
            self.findings.push(finding);
        }
    }
}
