//! What each reducer does with the writes of a superstep.

use rustc_hash::FxHashSet;

use super::delta::Reset;
use super::entry::{Entry, Removal};
use super::reducer::{FoldError, Write};
use super::step::Step;

impl<E: Entry> Step<'_, E> {
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
            let place = self.place(id);
            match (place, entry.removal()) {
                (Some(at), Removal::No) => self.replace(at, entry),
                (None, Removal::No) => self.append(entry),
                (Some(at), _) => self.remove(at),
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
            match self.place(id) {
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
            } else if !seen.contains(id) && self.place(id).is_none() {
                return Err(FoldError::UnknownRemoval(id.clone()));
            }
        }
        Ok(())
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
}

/// Where the last order to remove everything stands.
fn last_remove_all<E: Entry>(update: &[E]) -> Option<usize> {
    update.iter().rposition(|entry| entry.removal() == Removal::All)
}
