//! Two runs: what became of the history of the older one in the newer one.
//!
//! Sessions are paired by their ids. What a store that only grows held has to be there line by line; where the lines
//! are others, or the store is written anew each time, the histories are compared, message by message. Nothing is
//! said of what the newer record tells itself: its own steps are for the rules.

mod history;
mod lost;
mod matching;
mod pairs;
mod records;
mod report;
mod verdicts;

use std::path::{Path, PathBuf};

use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};

pub(super) use self::history::{Journals, Run};
use self::matching::Matched;
use self::pairs::{Pair, Pairs};
use self::records::Records;
use self::verdicts::Case;
use super::chosen::Sessions;
use super::rules::RuleOptions;
use super::walk::{self, Candidate};
use super::{AuditOptions, Progress, open};
use crate::finding::{Finding, Severity};
use crate::outcome::{Comparison, FileKind, Outcome, Problem, ProblemKind};
use crate::rule;

/// What the older run may be.
const TAKES: &str = "--against takes what audit reads: a file, a folder, an archive or a database of the older run";

/// Names sessions up to this number one by one.
const NAMED: usize = 5;

/// Compares what was audited with the older runs, and adds what is wrong to the outcome.
pub(super) fn compare(options: &AuditOptions, mut newer: Vec<Run>, outcome: &mut Outcome) {
    if let Some(problem) = cannot(options) {
        outcome.problems.push(problem);
        return;
    }
    let (older, problems) = older(options);
    let failed = !problems.is_empty();
    outcome.problems.extend(problems);
    if older.iter().all(|run| run.histories.is_empty()) {
        if !failed {
            outcome.problems.push(nothing_older(options));
        }
        return;
    }
    // What lies among both is the older run.
    newer.retain(|run| !older.iter().any(|other| run.is_same_file(other)));
    let reported = reported(outcome);
    for run in &mut newer {
        run.histories
            .retain(|history| reported.contains(&(run.path.clone(), history.session.clone())));
    }
    if newer.iter().all(|run| run.histories.is_empty()) {
        // Why nothing is there to compare was said already, or there are no messages.
        let message = "nothing to compare with it: no messages were read of the newer run".to_owned();
        outcome.problems.push(failure(first(options), message, None));
        return;
    }
    let pairs = Pairs::of(&older, &newer);
    let records = records_of(&pairs, &older, &newer);
    let compared = pairs
        .both
        .par_iter()
        .map(|pair| one(pair, &older, &newer, &records, options.rules));
    let compared: Vec<Option<(Comparison, Vec<Finding>)>> = compared.collect();
    let mut alien = Vec::new();
    let mut some = false;
    for (pair, compared) in pairs.both.iter().zip(compared) {
        let Some((comparison, findings)) = compared else {
            alien.push(pair);
            continue;
        };
        some = true;
        outcome.comparisons.push(comparison);
        for finding in findings {
            // What the rules have seen in the newer run alone is one event: it gets the places of the older one.
            match outcome.findings.iter_mut().find(|known| tells(known, &finding)) {
                Some(known) => {
                    let related = finding.related.into_iter();
                    let added: Vec<_> = related.filter(|related| !known.related.contains(related)).collect();
                    known.related.extend(added);
                }
                None => outcome.findings.push(finding),
            }
        }
    }
    let session = |runs: &[Run], (run, at): (usize, usize)| runs[run].histories[at].session.clone();
    for pair in alien {
        let message = format!(
            "session {} and session {} of the newer run have no ids and no contents in common: nothing was compared",
            session(&older, pair.old),
            session(&newer, pair.new)
        );
        let help = "name two records of one session; of two formats, those that keep the ids of tool calls".to_owned();
        let mut problem = failure(older[pair.old.0].path.clone(), message, Some(help));
        if some {
            problem.kind = ProblemKind::Refused;
        }
        outcome.problems.push(problem);
    }
    let names = |runs: &[Run], left: &[(usize, usize)]| {
        let mut names: Vec<String> = left.iter().map(|&at| session(runs, at)).collect();
        names.sort();
        names.dedup();
        names
    };
    let (only_old, only_new) = (names(&older, &pairs.only_old), names(&newer, &pairs.only_new));
    if pairs.both.is_empty() {
        let message = format!(
            "no session of it is in the newer run, so nothing was compared: {} there, {} here",
            listed(&only_new),
            listed(&only_old)
        );
        let help = "sessions are paired by their ids, and a lone session of each side whatever its id: name one file \
                    on each side"
            .to_owned();
        outcome.problems.push(failure(first(options), message, Some(help)));
        return;
    }
    // A choice of sessions leaves others without a word.
    let chosen = !options.chosen.is_everything();
    for (path, names, there) in [
        (first(options), &only_old, "the newer run"),
        (
            options.paths.first().cloned().unwrap_or_default(),
            &only_new,
            "the older run",
        ),
    ] {
        if !names.is_empty() && !chosen {
            let message = format!("not compared: {} without a partner in {there}", listed(names));
            outcome.problems.push(walk::refused(path, message, None));
        }
    }
}

/// Why two sides cannot be compared at all.
fn cannot(options: &AuditOptions) -> Option<Problem> {
    let is_stdin = |path: &PathBuf| path.as_os_str() == "-";
    if options.against.iter().any(is_stdin) && options.paths.iter().any(is_stdin) {
        let message = "standard input is one run, not two".to_owned();
        let help = "save one of them to a file".to_owned();
        return Some(failure(PathBuf::from("--against"), message, Some(help)));
    }
    let same = options
        .against
        .iter()
        .find(|path| options.paths.iter().any(|other| history::is_same_file(path, other)))?;
    let message = "this is the newer run too: nothing was compared".to_owned();
    let help = "--against names the older run: an earlier copy of the file or folder, or what a session was resumed \
                from"
        .to_owned();
    Some(failure(same.clone(), message, Some(help)))
}

fn first(options: &AuditOptions) -> PathBuf {
    options.against.first().cloned().unwrap_or_default()
}

fn nothing_older(options: &AuditOptions) -> Problem {
    let path = first(options);
    let message = if path.is_dir() {
        "no transcripts with messages in this folder: nothing was compared"
    } else {
        "no messages in it: nothing was compared"
    };
    failure(path, message.to_owned(), Some(TAKES.to_owned()))
}

fn failure(path: PathBuf, message: String, help: Option<String>) -> Problem {
    Problem {
        help,
        ..walk::failed(path, message)
    }
}

/// `2 sessions (a, b)`
fn listed(names: &[String]) -> String {
    let number = match names.len() {
        1 => "1 session".to_owned(),
        many => format!("{many} sessions"),
    };
    let more = if names.len() > NAMED { ", …" } else { "" };
    match names {
        [] => number,
        some => format!("{number} ({}{more})", some[..some.len().min(NAMED)].join(", ")),
    }
}

/// The sessions that are reported, with their files.
fn reported(outcome: &Outcome) -> FxHashSet<(PathBuf, String)> {
    let mut reported = FxHashSet::default();
    for file in &outcome.files {
        if let FileKind::Transcript { sessions, .. } = &file.kind {
            reported.extend(sessions.iter().map(|session| (file.path.clone(), session.id.clone())));
        }
    }
    reported
}

/// Reads the older runs. No rule judges them.
fn older(options: &AuditOptions) -> (Vec<Run>, Vec<Problem>) {
    let (candidates, mut problems) = walk::candidates(&options.against, false, &options.exclusion);
    let read: Vec<Result<Option<Run>, Problem>> = candidates
        .par_iter()
        .map(|candidate| read(candidate, options))
        .collect();
    let mut runs = Vec::new();
    for (candidate, read) in candidates.iter().zip(read) {
        match read {
            Ok(run) => runs.extend(run),
            Err(mut problem) => {
                // What was named and cannot be read was not compared.
                if candidate.named {
                    problem.kind = ProblemKind::Failed;
                    problem.message = format!("nothing was compared: {}", problem.message);
                    problem.help = problem.help.or_else(|| Some(TAKES.to_owned()));
                }
                problems.push(problem);
            }
        }
    }
    (runs, problems)
}

fn read(candidate: &Candidate, options: &AuditOptions) -> Result<Option<Run>, Problem> {
    let forced = options.input_format.as_deref();
    // The older run may be in another format than the one that is forced.
    let mut session = match (open(candidate, None, &options.adapters), forced) {
        (Ok(Some(session)), _) => session,
        (_, Some(_)) => match open(candidate, forced, &options.adapters)? {
            Some(session) => session,
            None => return Ok(None),
        },
        (other, None) => match other? {
            Some(session) => session,
            None => return Ok(None),
        },
    };
    session.keep_told();
    let (form, paths) = (session.form(), session.paths());
    let mut journals = Journals::default();
    let reading = session
        .replay(&options.markers, &Progress::default(), &mut journals)
        .map_err(|error| walk::failed(candidate.path.clone(), error.to_string()))?;
    let sessions = Sessions::of(&candidate.path);
    Ok(Some(Run {
        path: candidate.path.clone(),
        members: candidate.members.clone(),
        paths,
        form,
        told: reading.told,
        histories: journals.into_histories(|thread| sessions.id(thread)),
    }))
}

type Between = FxHashMap<(usize, usize), Records>;

/// How the records of each two files with a session in common relate, for stores that only grow.
fn records_of(pairs: &Pairs, older: &[Run], newer: &[Run]) -> Between {
    let grow = |&(old, new): &(usize, usize)| {
        let (old, new) = (older[old].form, newer[new].form);
        old.only_grows() && std::ptr::eq(old, new)
    };
    let files: FxHashSet<(usize, usize)> = pairs.both.iter().map(|pair| (pair.old.0, pair.new.0)).collect();
    let files: Vec<(usize, usize)> = files.into_iter().filter(grow).collect();
    let compared = files.par_iter().filter_map(|&(old, new)| {
        // What can be read once only is compared by its history.
        let records = records::compare(&older[old], &newer[new]).ok()??;
        Some(((old, new), records))
    });
    compared.collect()
}

/// Compares two histories; nothing where they have nothing in common.
fn one(
    pair: &Pair,
    older: &[Run],
    newer: &[Run],
    records: &Between,
    options: RuleOptions,
) -> Option<(Comparison, Vec<Finding>)> {
    let (old_run, new_run) = (&older[pair.old.0], &newer[pair.new.0]);
    let (old, new) = (&old_run.histories[pair.old.1], &new_run.histories[pair.new.1]);
    let alike = std::ptr::eq(old_run.form, new_run.form);
    let same_session = old.thread == new.thread;
    let matched = Matched::of(&old.list, &new.arrived, alike && same_session, alike);
    let records = records.get(&(pair.old.0, pair.new.0));
    let (common, all) = matched.share(&old.list);
    let extends = matches!(records, Some(Records::Extend { .. }));
    // A record that names no session is taken for another one's copy only by what it says.
    let is_named = same_session && !old.thread.is_empty();
    let related = if alike {
        is_named || common > 0
    } else {
        common * 2 >= all
    };
    if !extends && !related {
        return None;
    }
    let mut comparison = Comparison {
        extends,
        path: new_run.path.clone(),
        session: new.session.clone(),
        older_path: old_run.path.clone(),
        older_session: old.session.clone(),
        records: match records {
            Some(Records::Extend { same }) => Some(*same),
            _ => None,
        },
        common: common as u64,
        missing: (all - common) as u64,
        added: (0..new.arrived.len())
            .filter(|&at| verdicts::is_new(old, new, &matched, at))
            .count() as u64,
    };
    if extends {
        return Some((comparison, Vec::new()));
    }
    let case = Case {
        old_run,
        old,
        new_run,
        new,
        matched: &matched,
        parting: match records {
            Some(Records::Part(parting)) => Some(parting),
            _ => None,
        },
        options,
    };
    let findings = case.findings();
    comparison.extends = findings.iter().all(|finding| finding.severity == Severity::Info);
    Some((comparison, findings))
}

/// Whether the rules have told of an event already.
fn tells(known: &Finding, finding: &Finding) -> bool {
    let same_line = |path: &Path, line: u32| path == finding.path() && line == finding.span().start.line;
    let names = |known: &Finding| {
        same_line(known.path(), known.span().start.line)
            || known
                .related
                .iter()
                .any(|related| same_line(&related.span.path, related.span.start.line))
    };
    // The rule tells once a history that it was added to itself.
    let is_once = known.rule() == &rule::DUPLICATE_MESSAGE;
    known.rule() == finding.rule() && known.session == finding.session && (is_once || names(known))
}
