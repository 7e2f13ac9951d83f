//! What a run was, for comparing it with another: every message that ever came in, and the list at the end.

use std::path::{Path, PathBuf};

use rustc_hash::{FxHashMap, FxHashSet};

use crate::transcript::formats::form::Form;
use crate::transcript::message::{Kind, Live, hash_of};
use crate::transcript::reader::Spot;
use crate::transcript::replay::{Judge, Noted};
use crate::transcript::step::{Scene, Step};

/// One history.
#[derive(Debug, Default)]
pub(crate) struct History {
    /// As the record names it; empty for the only one.
    pub(super) thread: String,
    /// What it is called in reports.
    pub(super) session: String,
    /// Every message, in the order in which they came.
    pub(super) arrived: Vec<Live>,
    /// The messages that are there at the end.
    pub(super) list: Vec<Live>,
    /// What was ever said, and under which id.
    said: FxHashSet<(u64, u64)>,
    /// How often the record itself says that the history was replaced by something shorter.
    pub(super) compactions: usize,
    /// Whether it says that it was taken from another session.
    pub(super) forked: bool,
}

impl History {
    /// Whether the message was ever there with what it says.
    pub(super) fn has_said(&self, live: &Live) -> bool {
        self.said.contains(&key(live))
    }

    /// Whether anything was said that could be compared.
    fn says_something(&self) -> bool {
        self.arrived.iter().any(is_compared)
    }

    fn arrives(&mut self, live: &Live) {
        if self.said.insert(key(live)) || live.recorded_id().is_none() {
            self.arrived.push(live.clone());
        }
    }
}

/// Whether a message belongs to what was said and done, so that its loss is one.
pub(super) fn is_compared(live: &Live) -> bool {
    live.is_conversation() || live.kind == Kind::Summary
}

fn key(live: &Live) -> (u64, u64) {
    (live.recorded_id().map_or(0, hash_of), live.print)
}

/// The histories of one file as they are replayed.
#[derive(Debug, Default)]
pub(crate) struct Journals {
    places: FxHashMap<String, usize>,
    histories: Vec<History>,
}

impl Judge for Journals {
    fn judge(&mut self, step: &Step<'_>) {
        let history = self.of(step.thread);
        for &at in &step.change.inserted {
            history.arrives(&step.after[at]);
        }
        for replaced in &step.change.replaced {
            history.said.insert(key(&step.after[replaced.at]));
        }
    }

    fn note(&mut self, scene: &Scene<'_>, noted: &Noted<'_>) {
        match noted {
            Noted::Compaction { .. } => self.of(scene.thread).compactions += 1,
            Noted::Forked => self.of(scene.thread).forked = true,
            _ => {}
        }
    }

    fn end(&mut self, scene: &Scene<'_>) {
        let history = self.of(scene.thread);
        // What a branch brought was not told as a step.
        let untold: Vec<&Live> = scene.list.iter().filter(|live| !history.has_said(live)).collect();
        for live in untold {
            history.arrives(live);
        }
        history.list = scene.list.to_vec();
    }
}

impl Journals {
    fn of(&mut self, thread: &str) -> &mut History {
        let next = self.histories.len();
        let at = self.places.get(thread).copied().unwrap_or(next);
        if at == next {
            self.histories.push(History {
                thread: thread.to_owned(),
                ..History::default()
            });
            self.places.insert(thread.to_owned(), next);
        }
        &mut self.histories[at]
    }

    /// The histories in which something was said, with what each is called in reports.
    pub(crate) fn into_histories(self, name: impl Fn(&str) -> String) -> Vec<History> {
        let mut histories = self.histories;
        histories.retain(History::says_something);
        for history in &mut histories {
            history.session = name(&history.thread);
        }
        histories
    }
}

/// What was read as one file.
#[derive(Debug)]
pub(crate) struct Run {
    /// How it is named.
    pub(crate) path: PathBuf,
    /// The files that are read as one; empty for it alone.
    pub(crate) members: Vec<PathBuf>,
    /// How places name their files.
    pub(crate) paths: Vec<PathBuf>,
    pub(crate) form: &'static Form,
    /// The records that tell something.
    pub(crate) told: Vec<Spot>,
    pub(crate) histories: Vec<History>,
}

impl Run {
    /// Whether both are the same file on disk.
    pub(super) fn is_same_file(&self, other: &Self) -> bool {
        is_same_file(&self.path, &other.path)
    }
}

pub(super) fn is_same_file(one: &Path, other: &Path) -> bool {
    match (one.canonicalize(), other.canonicalize()) {
        (Ok(one), Ok(other)) => one == other,
        _ => false,
    }
}
