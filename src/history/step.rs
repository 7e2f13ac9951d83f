//! One superstep under way: what the writes so far did, so that it can be told, or undone.

use rustc_hash::FxHashSet;

use super::delta::{Delta, Removed, Replaced, Reset};
use super::entry::Entry;
use super::reducer::History;

/// A history in the middle of a superstep.
///
/// Removed entries keep their places until [`Step::finish`], so that positions stay valid through all
/// writes and the history is compacted once.
pub(super) struct Step<'h, E: Entry> {
    history: &'h mut History<E>,
    /// How many of the entries were there before the superstep, or before the last reset in it.
    old_len: usize,
    /// First contents of replaced places below `old_len`.
    replaced: Vec<(usize, E)>,
    replaced_places: FxHashSet<usize>,
    /// Places of removed entries.
    dead: FxHashSet<usize>,
    /// The history before the superstep, once something wiped it.
    wiped: Option<(Reset, Vec<E>)>,
}

impl<'h, E: Entry> Step<'h, E> {
    pub(super) fn begin(history: &'h mut History<E>) -> Self {
        let old_len = history.entries.len();
        Self {
            history,
            old_len,
            replaced: Vec::new(),
            replaced_places: FxHashSet::default(),
            dead: FxHashSet::default(),
            wiped: None,
        }
    }

    /// Gives an id to every entry that an overwrite or the start left without one.
    pub(super) fn name_history(&mut self, fresh_id: &mut impl FnMut() -> E::Id) {
        for at in std::mem::take(&mut self.history.unnamed) {
            if self.dead.contains(&at) {
                continue;
            }
            let id = fresh_id();
            self.history.entries[at].set_id(id.clone());
            match self.history.index.get(&id) {
                // A made-up id that somebody used already: the later place counts, as for any twins.
                Some(&other) => {
                    self.history.twins.insert(id.clone());
                    self.history.index.insert(id, other.max(at));
                }
                None => {
                    self.history.index.insert(id, at);
                }
            }
        }
    }

    pub(super) fn append(&mut self, entry: E) {
        self.history.entries.push(entry);
        self.history.note(self.history.entries.len() - 1);
    }

    pub(super) fn replace(&mut self, at: usize, entry: E) {
        let old = std::mem::replace(&mut self.history.entries[at], entry);
        if at < self.old_len && self.replaced_places.insert(at) {
            self.replaced.push((at, old));
        }
    }

    /// Where an id stands now; the last place if it stands twice.
    pub(super) fn place(&self, id: &E::Id) -> Option<usize> {
        self.history.position(id)
    }

    /// Removes one entry; others with its id are out of reach until the superstep is over.
    pub(super) fn remove(&mut self, at: usize) {
        self.dead.insert(at);
        if let Some(id) = self.history.entries[at].id() {
            self.history.index.remove(id);
        }
    }

    /// Removes every entry with one of these ids.
    pub(super) fn remove_marked(&mut self, marked: &FxHashSet<E::Id>) {
        if marked.iter().any(|id| self.history.twins.contains(id)) {
            let is_marked = |entry: &E| entry.id().is_some_and(|id| marked.contains(id));
            let places = self
                .history
                .entries
                .iter()
                .enumerate()
                .filter(|(_, entry)| is_marked(entry));
            self.dead.extend(places.map(|(at, _)| at));
        }
        for id in marked {
            self.dead.extend(self.history.index.remove(id));
        }
    }

    /// Replaces the whole history.
    pub(super) fn wipe(&mut self, reset: Reset, entries: Vec<E>) {
        let mut old = std::mem::replace(&mut self.history.entries, entries);
        let before = if let Some((_, before)) = self.wiped.take() {
            before
        } else {
            self.restore(&mut old);
            old
        };
        self.wiped = Some((reset, before));
        self.old_len = 0;
        self.dead.clear();
        self.history.reindex();
    }

    /// Puts `entries` back into the state before the superstep.
    fn restore(&mut self, entries: &mut Vec<E>) {
        entries.truncate(self.old_len);
        for (at, old) in self.replaced.drain(..) {
            entries[at] = old;
        }
        self.replaced_places.clear();
    }

    /// Takes back everything.
    pub(super) fn undo(mut self) {
        let mut entries = std::mem::take(&mut self.history.entries);
        let untouched = self.wiped.is_none() && self.replaced.is_empty() && self.dead.is_empty();
        if untouched && entries.len() == self.old_len {
            self.history.entries = entries;
            return;
        }
        match self.wiped.take() {
            Some((_, before)) => entries = before,
            None => self.restore(&mut entries),
        }
        self.history.entries = entries;
        self.history.reindex();
    }

    /// Compacts the history and tells what changed.
    pub(super) fn finish(mut self) -> Delta<E> {
        let mut removed = Vec::new();
        let (reset, before) = match self.wiped.take() {
            Some((reset, before)) => (Some(reset), before),
            None => (None, Vec::new()),
        };
        removed.extend(
            before
                .into_iter()
                .enumerate()
                .map(|(was_at, old)| Removed { was_at, old }),
        );

        self.replaced.sort_unstable_by_key(|&(at, _)| at);
        let mut replaced = Vec::with_capacity(self.replaced.len());
        if self.dead.is_empty() {
            replaced.extend(
                self.replaced
                    .into_iter()
                    .map(|(at, old)| Replaced { was_at: at, at, old }),
            );
            let len = self.history.entries.len();
            return Delta {
                reset,
                replaced,
                removed,
                appended: self.old_len..len,
            };
        }

        let entries = std::mem::take(&mut self.history.entries);
        let mut first_contents = self.replaced.into_iter().peekable();
        let mut survivors_of_old = 0;
        for (place, entry) in entries.into_iter().enumerate() {
            let old = first_contents.next_if(|&(at, _)| at == place).map(|(_, old)| old);
            let now = self.history.entries.len();
            match (self.dead.contains(&place), place < self.old_len) {
                (true, true) => removed.push(Removed {
                    was_at: place,
                    old: old.unwrap_or(entry),
                }),
                (true, false) => {}
                (false, was_there) => {
                    if let Some(old) = old {
                        replaced.push(Replaced {
                            was_at: place,
                            at: now,
                            old,
                        });
                    }
                    survivors_of_old += usize::from(was_there);
                    self.history.entries.push(entry);
                }
            }
        }
        self.history.reindex();
        let len = self.history.entries.len();
        Delta {
            reset,
            replaced,
            removed,
            appended: survivors_of_old..len,
        }
    }
}
