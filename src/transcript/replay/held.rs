//! A history with its outline, which every change of it keeps in step.

use std::ops::Deref;
use std::sync::Arc;

use crate::history::delta::Delta;
use crate::history::reducer::{FoldError, History, Reducer, Write};
use crate::transcript::message::Live;
use crate::transcript::outline::Outline;

/// The list of a history, and what is asked of it again and again.
pub(super) struct Held {
    history: History<Live>,
    outline: Outline,
}

impl Deref for Held {
    type Target = History<Live>;

    fn deref(&self) -> &History<Live> {
        &self.history
    }
}

impl Held {
    pub(super) fn new(reducer: Reducer) -> Self {
        Self::with_entries(reducer, Vec::new())
    }

    pub(super) fn with_entries(reducer: Reducer, entries: Vec<Live>) -> Self {
        Self {
            outline: Outline::of(&entries),
            history: History::with_entries(reducer, entries),
        }
    }

    pub(super) fn outline(&self) -> &Outline {
        &self.outline
    }

    pub(super) fn into_entries(self) -> Vec<Live> {
        self.history.into_entries()
    }

    /// See [`History::truncate`].
    pub(super) fn truncate(&mut self, len: usize) {
        self.outline.truncate(self.history.entries(), len);
        self.history.truncate(len);
    }

    /// See [`History::push`].
    pub(super) fn push(&mut self, live: Live) {
        self.outline.push(&live);
        self.history.push(live);
    }

    /// See [`History::apply`].
    pub(super) fn apply(
        &mut self,
        update: Vec<Live>,
        fresh_id: &mut impl FnMut() -> Arc<str>,
    ) -> Result<Delta<Live>, FoldError<Arc<str>>> {
        self.superstep(vec![Write::Update(update)], fresh_id)
    }

    /// See [`History::superstep`].
    pub(super) fn superstep(
        &mut self,
        writes: Vec<Write<Live>>,
        fresh_id: &mut impl FnMut() -> Arc<str>,
    ) -> Result<Delta<Live>, FoldError<Arc<str>>> {
        let delta = self.history.superstep(writes, fresh_id)?;
        let entries = self.history.entries();
        if delta.reset.is_some() || !delta.removed.is_empty() {
            self.outline = Outline::of(entries);
            return Ok(delta);
        }
        for replaced in &delta.replaced {
            self.outline.replace(replaced.at, &replaced.old, &entries[replaced.at]);
        }
        entries[delta.appended.clone()]
            .iter()
            .for_each(|live| self.outline.push(live));
        Ok(delta)
    }
}
