//! Histories that the harness shortens, and that the person takes back.

use std::sync::Arc;

use super::held::Held;
use super::state::keys_of;
use super::{Judge, Known, Noted, Thread};
use crate::transcript::change::{Key, Matching};
use crate::transcript::event::Compaction;
use crate::transcript::reader::Spot;
use crate::transcript::step::Question;

impl Thread {
    /// Takes the list that a compaction left.
    pub(super) fn compact(&mut self, spot: Spot, compaction: Compaction, judge: &mut dyn Judge) {
        self.flush(judge);
        let before = self.history.entries().len();
        let Compaction {
            class,
            messages,
            kept,
            tokens,
        } = compaction;
        let mut stayed = before;
        let reducer = self.history.reducer();
        match messages {
            Some(messages) if self.known == Known::Nothing => self.begin(spot, messages, judge),
            Some(messages) => {
                let old: Vec<Key<'_>> = self.history.entries().iter().map(Key::of).collect();
                let matching = Matching::of(&old, &keys_of(&messages));
                stayed = matching.was_at.iter().flatten().count();
                self.steps += 1;
                self.known = Known::Whole;
                self.expects_input = false;
                self.follow(spot, messages, &matching, None, Some(class), judge);
                self.settled = self.steps;
                let entries = std::mem::replace(&mut self.history, Held::new(reducer)).into_entries();
                self.history = Held::with_entries(reducer, entries);
            }
            None => {}
        }
        let noted = Noted::Compaction {
            class,
            kept: kept.unwrap_or(stayed),
            messages: [before, self.history.entries().len()],
            tokens,
        };
        let micro = class == crate::transcript::event::CompactionClass::Micro;
        self.usage.compaction(spot, micro);
        judge.note(&self.scene(spot), &noted);
    }

    /// Takes back the message with this id and what stands behind it; without an id, everything. Nothing is
    /// judged: it is what the person wanted.
    pub(super) fn rewind(&mut self, id: Option<&Arc<str>>, judge: &mut dyn Judge) {
        self.flush(judge);
        let from = match id {
            None => 0,
            Some(id) => self.history.first_position(id).unwrap_or(self.history.entries().len()),
        };
        self.history.truncate(from);
        self.untouched = self.untouched.min(from);
        let (entries, outline) = (self.history.entries(), self.history.outline());
        self.turn = outline.turn(entries);
        self.question = outline.taken_for_current().map(|at| Question::of(&entries[at]));
        self.steps += 1;
        self.settled = self.steps;
    }
}
