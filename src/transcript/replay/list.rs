//! Lists of which only the list is known, not how it came about.

use std::sync::Arc;

use super::arrival::derived_from;
use super::held::Held;
use super::{Judge, Known, Pending, Thread};
use crate::history::reducer::Reducer;
use crate::transcript::change::Change;
use crate::transcript::markers::{Behind, Origin};
use crate::transcript::message::{Draft, Kind};
use crate::transcript::reader::Spot;
use crate::transcript::step::{Question, Source};

impl Thread {
    /// Messages of a list that grows at its end.
    pub(super) fn append(&mut self, spot: Spot, drafts: Vec<Draft>, judge: &mut dyn Judge) {
        self.flush(judge);
        if self.known == Known::Nothing {
            self.known = Known::Whole;
            self.history = Held::new(Reducer::OperatorAdd);
        }
        for draft in drafts {
            self.steps += 1;
            let before = self.history.entries().len();
            let asks = self.add_to_list(draft);
            let change = Change {
                before,
                inserted: vec![before],
                ..Change::default()
            };
            self.tell(&Pending::new(spot, Source::Append, change, asks), judge);
        }
    }

    /// The list with which the record of a history begins.
    pub(super) fn begin(&mut self, spot: Spot, drafts: Vec<Draft>, judge: &mut dyn Judge) {
        self.known = Known::Whole;
        self.steps += 1;
        let asks = self.take_list(drafts);
        let change = Change {
            inserted: (0..self.history.entries().len()).collect(),
            ..Change::default()
        };
        if !change.is_empty() {
            self.tell(&Pending::new(spot, Source::Beginning, change, asks), judge);
        }
    }

    /// Takes a list as it is; true if the person asks something in it.
    pub(super) fn take_list(&mut self, drafts: Vec<Draft>) -> bool {
        self.history = Held::new(Reducer::OperatorAdd);
        self.untouched = 0;
        self.turn = 0;
        self.question = None;
        for draft in drafts {
            self.add_to_list(draft);
        }
        let list = std::mem::replace(&mut self.history, Held::new(Reducer::AddMessages));
        self.history = Held::with_entries(Reducer::AddMessages, list.into_entries());
        self.settled = self.steps;
        self.question.is_some()
    }

    /// Adds a message at the end of a list; true if it is the question.
    fn add_to_list(&mut self, draft: Draft) -> bool {
        let setting = self.setting(self.so_far(), Origin::Unknown, draft.content);
        let kind = self.markers.classify(&draft, setting).kind;
        let asks = kind == Kind::Authored && !self.strays(&draft);
        let opens_turn = kind == Kind::Authored || (kind == Kind::Injected && setting.behind == Behind::Answer);
        let turn = self.turn + u32::from(opens_turn);
        if kind == Kind::Authored {
            self.turn = turn;
        }
        let live = self.live(draft, setting, turn);
        if asks {
            self.question = Some(Question::of(&live));
        }
        self.history.push(live);
        asks
    }

    /// Whether the message's id is derived from that of one that stands before the current question.
    fn strays(&self, draft: &Draft) -> bool {
        let Some(id) = draft.id.as_deref() else { return false };
        let position = |base: &str| self.history.position(&Arc::from(base));
        let asked_at = || self.history.outline().question_at(self.question.as_ref()?);
        derived_from(id, position).is_some_and(|base| asked_at().is_some_and(|asked_at| base < asked_at))
    }
}
