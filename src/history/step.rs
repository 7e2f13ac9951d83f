//! One superstep under way: what the writes so far did, so that it can be told, or undone.

use rustc_hash::FxHashSet;

use super::delta::{Delta, Removed, Replaced, Reset};
use super::entry::{Entry, Removal};
use super::reducer::{FoldError, History, Write};

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

    /// `add_messages`, write after write. An overwrite makes every write before and after it void.
    pub(super) fn fold_messages(
        &mut self,
        writes: Vec<Write<E>>,
        fresh_id: &mut impl FnMut() -> E::Id,
    ) -> Result<(), FoldError<E::Id>> {
        let mut overwritten = false;
        for write in writes {
            match write {
                Write::Overwrite(_) if overwritten => return Err(FoldError::TwoOverwrites),
                Write::Overwrite(entries) => {
                    self.wipe(Reset::Overwrite, entries);
                    overwritten = true;
                }
                Write::Update(_) if overwritten => {}
                Write::Update(update) => self.add_messages(update, fresh_id)?,
            }
        }
        Ok(())
    }

    /// The batch reducer: all writes are one update; removals count where they stand.
    pub(super) fn fold_delta(&mut self, writes: Vec<Write<E>>) -> Result<(), FoldError<E::Id>> {
        let Some(mut update) = self.take_overwrite(writes)? else {
            return Ok(());
        };
        if let Some(at) = last_remove_all(&update) {
            update.drain(..=at);
            self.wipe(Reset::RemoveAll, Vec::new());
        }
        for entry in update {
            let Some(id) = entry.id() else {
                self.append(entry);
                continue;
            };
            let place = self.history.index.get(id).copied();
            match (place, entry.removal()) {
                (Some(at), Removal::No) => self.replace(at, entry),
                (None, Removal::No) => self.append(entry),
                (Some(at), _) => {
                    self.dead.insert(at);
                    self.history.index.remove(id);
                }
                (None, _) => {}
            }
        }
        Ok(())
    }

    /// `operator.add`: everything is data and goes to the tail.
    pub(super) fn fold_concatenation(&mut self, writes: Vec<Write<E>>) -> Result<(), FoldError<E::Id>> {
        let Some(update) = self.take_overwrite(writes)? else {
            return Ok(());
        };
        for entry in update {
            self.append(entry);
        }
        Ok(())
    }

    /// No reducer: one write, and it is the history. An overwrite is nothing special here.
    pub(super) fn fold_last_value(&mut self, mut writes: Vec<Write<E>>) -> Result<(), FoldError<E::Id>> {
        match (writes.pop(), writes.is_empty()) {
            (Some(Write::Update(entries) | Write::Overwrite(entries)), true) => {
                self.wipe(Reset::LastValue, entries);
                Ok(())
            }
            (None, _) => Ok(()),
            _ => Err(FoldError::NotOneValue),
        }
    }

    /// One write of `add_messages`.
    fn add_messages(
        &mut self,
        mut update: Vec<E>,
        fresh_id: &mut impl FnMut() -> E::Id,
    ) -> Result<(), FoldError<E::Id>> {
        self.name_history(fresh_id);
        for entry in &mut update {
            if entry.id().is_none() {
                entry.set_id(fresh_id());
            }
        }
        if let Some(at) = last_remove_all(&update) {
            update.drain(..=at);
            self.wipe(Reset::RemoveAll, update);
            return Ok(());
        }
        self.check_removals(&update)?;
        let mut marked = FxHashSet::default();
        for entry in update {
            let Some(id) = entry.id() else { continue };
            if entry.removal() != Removal::No {
                marked.insert(id.clone());
                continue;
            }
            match self.history.index.get(id).copied() {
                Some(at) => {
                    marked.remove(id);
                    self.replace(at, entry);
                }
                None => self.append(entry),
            }
        }
        self.remove_marked(&marked);
        Ok(())
    }

    /// Whether every removal names an id that the history, or the update before it, holds. Nothing is
    /// changed yet, so that a refused update costs no more than its own length.
    fn check_removals(&self, update: &[E]) -> Result<(), FoldError<E::Id>> {
        if update.iter().all(|entry| entry.removal() == Removal::No) {
            return Ok(());
        }
        let mut seen = FxHashSet::default();
        for entry in update {
            let Some(id) = entry.id() else { continue };
            if entry.removal() == Removal::No {
                seen.insert(id);
            } else if !seen.contains(id) && !self.history.index.contains_key(id) {
                return Err(FoldError::UnknownRemoval(id.clone()));
            }
        }
        Ok(())
    }

    /// Gives an id to every entry that an overwrite or the start left without one.
    fn name_history(&mut self, fresh_id: &mut impl FnMut() -> E::Id) {
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

    fn append(&mut self, entry: E) {
        self.history.entries.push(entry);
        self.history.note(self.history.entries.len() - 1);
    }

    fn replace(&mut self, at: usize, entry: E) {
        let old = std::mem::replace(&mut self.history.entries[at], entry);
        if at < self.old_len && self.replaced_places.insert(at) {
            self.replaced.push((at, old));
        }
    }

    /// Removes every entry with one of these ids.
    fn remove_marked(&mut self, marked: &FxHashSet<E::Id>) {
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
    fn wipe(&mut self, reset: Reset, entries: Vec<E>) {
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

    /// Applies the overwrite of a superstep, if there is one; otherwise hands back all writes as one.
    fn take_overwrite(&mut self, writes: Vec<Write<E>>) -> Result<Option<Vec<E>>, FoldError<E::Id>> {
        let mut update = Vec::new();
        let mut overwrite = None;
        for write in writes {
            match write {
                Write::Overwrite(_) if overwrite.is_some() => return Err(FoldError::TwoOverwrites),
                Write::Overwrite(entries) => overwrite = Some(entries),
                Write::Update(entries) if update.is_empty() => update = entries,
                Write::Update(entries) => update.extend(entries),
            }
        }
        match overwrite {
            Some(entries) => {
                self.wipe(Reset::Overwrite, entries);
                Ok(None)
            }
            None => Ok(Some(update)),
        }
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

/// Where the last order to remove everything stands.
fn last_remove_all<E: Entry>(update: &[E]) -> Option<usize> {
    update.iter().rposition(|entry| entry.removal() == Removal::All)
}
