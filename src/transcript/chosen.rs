//! Sessions: what is known of each, and which of them are reported.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use rustc_hash::{FxHashMap, FxHashSet};

use super::cost;
use super::prices::Prices;
use super::replay::Noted;
use super::walk;
use crate::fingerprint;
use crate::outcome::{Bill, FileKind, Outcome, SessionReport};

/// Which sessions of a run are reported. All conditions have to hold; none is a condition that always does.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Chosen {
    /// Ids, or beginnings of ids; those of subagents follow the session they belong to.
    pub sessions: Vec<String>,
    /// Sessions in which something happened at this time or later, in milliseconds since 1970.
    pub since: Option<i64>,
    /// So many sessions, those in which something happened last.
    pub last: Option<usize>,
    /// Sessions of this folder and those in it.
    pub project: Option<PathBuf>,
}

impl Chosen {
    /// Whether every session is reported.
    #[must_use]
    pub fn is_everything(&self) -> bool {
        *self == Self::default()
    }

    /// Takes away what belongs to other sessions.
    pub(super) fn narrow(&self, outcome: &mut Outcome) {
        if self.is_everything() {
            return;
        }
        let mut known: Vec<(&Path, &SessionReport)> = Vec::new();
        for file in &outcome.files {
            if let FileKind::Transcript { sessions, .. } = &file.kind {
                known.extend(sessions.iter().map(|session| (file.path.as_path(), session)));
            }
        }
        let read = known.len();
        known.retain(|(_, session)| self.wants(session));
        if let Some(last) = self.last {
            let newest = newest(&known, last);
            known.retain(|(path, session)| newest.contains(&(*path, top(&session.id))));
        }
        let kept: FxHashSet<(PathBuf, String)> = known
            .into_iter()
            .map(|(path, session)| (path.to_owned(), session.id.clone()))
            .collect();
        for file in &mut outcome.files {
            if let FileKind::Transcript { sessions, .. } = &mut file.kind {
                sessions.retain(|session| kept.contains(&(file.path.clone(), session.id.clone())));
            }
        }
        outcome.files.retain(|file| match &file.kind {
            FileKind::Transcript { sessions, .. } => !sessions.is_empty(),
            FileKind::Code { .. } => true,
        });
        let ids: FxHashSet<&String> = kept.iter().map(|(_, id)| id).collect();
        let files: Vec<&Path> = outcome.files.iter().map(|file| file.path.as_path()).collect();
        outcome.findings.retain(|finding| match &finding.session {
            Some(session) => ids.contains(session),
            // What is wrong with a record belongs to the file.
            None => files.iter().any(|file| finding.path().starts_with(file)),
        });
        if kept.is_empty() && read > 0 {
            let message = format!("none of the {read} sessions that were read is one of those");
            let help = "see which there are with --coverage".to_owned();
            outcome.problems.push(walk::refused(
                PathBuf::from("--session, --since, --last, --project"),
                message,
                Some(help),
            ));
        }
    }

    fn wants(&self, session: &SessionReport) -> bool {
        let named = self.sessions.is_empty() || self.sessions.iter().any(|id| session.id.starts_with(id.as_str()));
        let recent = self
            .since
            .is_none_or(|since| session.time.is_some_and(|time| time >= since));
        let here = self.project.as_ref().is_none_or(|project| {
            session
                .project
                .as_ref()
                .is_some_and(|own| Path::new(own).starts_with(project))
        });
        named && recent && here
    }
}

/// The files and ids of the sessions in which something happened last; a subagent counts with its session.
fn newest<'k>(known: &[(&'k Path, &'k SessionReport)], last: usize) -> FxHashSet<(&'k Path, &'k str)> {
    let mut times: Vec<(i64, &Path, &str)> = Vec::new();
    let mut places: FxHashMap<(&Path, &str), usize> = FxHashMap::default();
    for (path, session) in known {
        let time = session.time.unwrap_or(i64::MIN);
        let id = top(&session.id);
        if let Some(&at) = places.get(&(*path, id)) {
            times[at].0 = times[at].0.max(time);
        } else {
            places.insert((path, id), times.len());
            times.push((time, path, id));
        }
    }
    // The newest first; of two at the same time the one that was read last.
    times.reverse();
    times.sort_by_key(|(time, _, _)| std::cmp::Reverse(*time));
    times.truncate(last);
    times.into_iter().map(|(_, path, id)| (path, id)).collect()
}

/// The session that a thread belongs to: subagents and subgraphs are named behind a slash.
fn top(id: &str) -> &str {
    id.split_once('/').map_or(id, |(top, _)| top)
}

/// What is known of the sessions of one file.
#[derive(Debug)]
pub(super) struct Sessions {
    /// What a session without an id is called.
    name: String,
    /// When the file was written last.
    written: Option<i64>,
    /// In the order in which they began.
    known: Vec<Known>,
    places: FxHashMap<String, usize>,
}

#[derive(Debug)]
struct Known {
    thread: String,
    project: Option<String>,
    time: Option<i64>,
    bill: Option<Bill>,
}

impl Sessions {
    pub(super) fn of(path: &Path) -> Self {
        let written = fs::metadata(path).and_then(|meta| meta.modified()).ok();
        let written = written.and_then(|time| i64::try_from(time.duration_since(UNIX_EPOCH).ok()?.as_millis()).ok());
        Self {
            name: fingerprint::name_of(path),
            written,
            known: Vec::new(),
            places: FxHashMap::default(),
        }
    }

    /// Says that a thread is there.
    pub(super) fn begin(&mut self, thread: &str) -> usize {
        if let Some(&at) = self.places.get(thread) {
            return at;
        }
        self.known.push(Known {
            thread: thread.to_owned(),
            project: None,
            time: None,
            bill: None,
        });
        self.places.insert(thread.to_owned(), self.known.len() - 1);
        self.known.len() - 1
    }

    pub(super) fn note(&mut self, thread: &str, noted: &Noted<'_>, prices: &Prices) {
        if let Noted::Usage(compared) = noted {
            let at = self.begin(thread);
            self.known[at].bill = Some(cost::bill(compared, prices));
        }
        let (project, time) = match noted {
            Noted::About(about) => (about.project.as_ref(), about.time),
            Noted::Call(call) => (None, call.time),
            _ => return,
        };
        let at = self.begin(thread);
        let known = &mut self.known[at];
        known.time = known.time.max(time);
        if let Some(project) = project {
            known.project.get_or_insert_with(|| project.as_ref().to_owned());
        }
    }

    /// What a thread is called in reports.
    pub(super) fn id(&self, thread: &str) -> String {
        if thread.is_empty() {
            self.name.clone()
        } else {
            thread.to_owned()
        }
    }

    pub(super) fn into_reports(self) -> Vec<SessionReport> {
        let written = self.written;
        // A subagent works where its session does.
        let home = |thread: &str| {
            let of = self.places.get(top(thread));
            of.and_then(|&at| self.known[at].project.clone())
        };
        let report = |known: &Known| SessionReport {
            id: self.id(&known.thread),
            project: known.project.clone().or_else(|| home(&known.thread)),
            time: known.time.or(written),
            bill: known.bill.clone(),
        };
        self.known.iter().map(report).collect()
    }
}
