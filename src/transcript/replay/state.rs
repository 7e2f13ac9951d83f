//! Recorded states: compared with the list that was folded so far.

use rustc_hash::FxHashSet;

use super::held::Held;
use super::{Judge, Known, Pending, Thread};
use crate::history::entry::Removal;
use crate::history::reducer::{History, Reducer};
use crate::transcript::change::{Change, Key, Matching, Moved};
use crate::transcript::event::CompactionClass;
use crate::transcript::markers::{Behind, Origin};
use crate::transcript::message::{Draft, Kind, Live};
use crate::transcript::outline::Before;
use crate::transcript::reader::Spot;
use crate::transcript::step::{Question, Source};

impl Thread {
    /// Takes a state that was recorded.
    pub(super) fn snapshot(&mut self, spot: Spot, drafts: Vec<Draft>, branches: bool, judge: &mut dyn Judge) {
        if self.pending.as_ref().is_some_and(|pending| !pending.wrote()) {
            self.flush(judge);
        }
        if self.known == Known::Nothing {
            self.begin(spot, drafts, judge);
            return;
        }
        if branches || self.known == Known::Part {
            self.flush(judge);
            self.steps += 1;
            self.take_list(drafts);
            self.known = Known::Whole;
            return;
        }
        let keys = |history: &History<Live>| {
            Matching::of(
                &history.entries().iter().map(Key::of).collect::<Vec<_>>(),
                &keys_of(&drafts),
            )
        };
        let mut matching = keys(&self.history);
        let agrees = self.agrees(&matching, &drafts);
        if agrees {
            self.adopt(&matching, drafts);
            self.flush(judge);
            self.expects_input = false;
            return;
        }
        if matching.extends(self.history.entries().len()) {
            // The update is confirmed, and something came behind it.
            self.flush(judge);
        }
        // The update folded last did something else than was thought: go back before it.
        let corrected = self.pending.take();
        if let Some(pending) = &corrected {
            let before = self.before(pending);
            self.history = Held::with_entries(Reducer::AddMessages, before);
            matching = keys(&self.history);
        } else {
            self.steps += 1;
        }
        self.follow(spot, drafts, &matching, corrected, None, judge);
    }

    /// Whether the state holds what was folded. What was added since the last state may be in another
    /// order: updates of one superstep are recorded in the order in which they finish.
    fn agrees(&self, matching: &Matching, drafts: &[Draft]) -> bool {
        let entries = self.history.entries();
        let same =
            |(at, was_at): (usize, &Option<usize>)| was_at.is_some_and(|was| entries[was].print == drafts[at].print());
        entries.len() == drafts.len() && matching.was_at.iter().enumerate().all(same) && {
            let settled = self.settled(matching, entries);
            matching.moved().iter().all(|moved| settled.is_free(*moved))
        }
    }

    /// The messages of a matching whose order a recorded state has settled.
    fn settled(&self, matching: &Matching, old: &[Live]) -> Settled {
        let was_at = |at: usize| matching.was_at[at].filter(|was| old[*was].step <= self.settled);
        let len = matching.was_at.len();
        let mut settled = Settled {
            furthest_before: vec![None; len],
            nearest_behind: vec![None; len],
            is_new: old.iter().map(|live| live.step > self.settled).collect(),
        };
        for at in 1..len {
            settled.furthest_before[at] = settled.furthest_before[at - 1].max(was_at(at - 1));
        }
        for at in (0..len.saturating_sub(1)).rev() {
            let nearest = settled.nearest_behind[at + 1].into_iter().chain(was_at(at + 1));
            settled.nearest_behind[at] = nearest.min();
        }
        settled
    }

    /// Takes over order and ids of a state that holds the same messages.
    fn adopt(&mut self, matching: &Matching, drafts: Vec<Draft>) {
        let in_place = matching
            .was_at
            .iter()
            .enumerate()
            .all(|(at, was_at)| *was_at == Some(at));
        let entries = self.history.entries();
        let named = entries
            .iter()
            .zip(&drafts)
            .all(|(live, draft)| live.made_up == draft.id.is_none());
        if !in_place && let Some(pending) = &mut self.pending {
            pending.change.rearrange(matching);
        }
        if !in_place || !named {
            self.untouched = 0;
            let adopted = |(was_at, draft): (&Option<usize>, Draft)| {
                let mut live = entries[(*was_at)?].clone();
                if let Some(id) = draft.id {
                    live.id = Some(id);
                    live.made_up = false;
                }
                Some(live)
            };
            let list = matching.was_at.iter().zip(drafts).filter_map(adopted).collect();
            self.history = Held::with_entries(Reducer::AddMessages, list);
        }
        self.settled = self.steps;
    }

    /// The list before a folded update.
    fn before(&self, pending: &Pending) -> Vec<Live> {
        if let Some(before) = &pending.before {
            return before.clone();
        }
        let change = &pending.change;
        let mut list: Vec<Live> = self.history.entries().to_vec();
        for replaced in &change.replaced {
            list[replaced.at] = replaced.old.clone();
        }
        list.truncate(list.len() - change.inserted.len());
        for removed in &change.removed {
            list.insert(removed.was_at, removed.old.clone());
        }
        list
    }

    /// Goes on to a state that differs.
    pub(super) fn follow(
        &mut self,
        spot: Spot,
        drafts: Vec<Draft>,
        matching: &Matching,
        corrected: Option<Pending>,
        compaction: Option<CompactionClass>,
        judge: &mut dyn Judge,
    ) {
        let from_outside = std::mem::take(&mut self.expects_input);
        let origin = match &corrected {
            Some(_) => Origin::Node,
            None if from_outside => Origin::Input,
            None => Origin::Unknown,
        };
        let old = self.history.entries().to_vec();
        let only_appends = drafts.len() >= old.len()
            && matching
                .was_at
                .iter()
                .enumerate()
                .all(|(at, was_at)| *was_at == (at < old.len()).then_some(at))
            && old.iter().zip(&drafts).all(|(live, draft)| live.print == draft.print());
        let given_up: FxHashSet<u64> = given_up(&old, matching, &drafts);
        // What is new in the state, and may be something old that is said again.
        let new = drafts
            .iter()
            .zip(&matching.was_at)
            .filter(|(_, was_at)| was_at.is_none());
        let contents: FxHashSet<u64> = new.map(|(draft, _)| draft.content).collect();
        let mut list: Vec<Live> = Vec::with_capacity(drafts.len());
        let mut before = Before::first();
        let mut asked: Option<Question> = None;
        for (draft, was_at) in drafts.into_iter().zip(&matching.was_at) {
            let was = was_at.map(|was| &old[was]);
            if let Some(was) = was.filter(|was| was.print == draft.print()) {
                let mut live = was.clone();
                live.place = draft.place;
                live.breakpoints = draft.breakpoints;
                if draft.id.is_some() {
                    live.id = draft.id;
                    live.made_up = false;
                }
                before.add(&live);
                list.push(live);
                continue;
            }
            let mut setting = self.setting(before, origin, draft.content);
            setting.repeats_authored |= given_up.contains(&draft.content);
            setting.takes = Self::takes(&draft, was, &contents);
            let kind = self.markers.classify(&draft, setting).kind;
            let comes_back = given_up.contains(&draft.content);
            let is_new = kind == Kind::Authored && was.is_none() && draft.removal == Removal::No && !comes_back;
            let asks = is_new
                && (origin == Origin::Input
                    || (origin == Origin::Unknown && (only_appends || setting.behind == Behind::Answer)));
            // Nobody asks in a compaction: what looks new is an older question that was shortened.
            let asks = asks && compaction.is_none();
            if asks && asked.is_none() {
                self.turn += 1;
            }
            let live = self.live(draft, setting, self.turn);
            if asks {
                asked = Some(Question::of(&live));
            }
            before.add(&live);
            list.push(live);
        }
        let settled = self.settled(matching, &old);
        let moved = matching.moved();
        let moved: Vec<Moved> = moved.into_iter().filter(|moved| !settled.is_free(*moved)).collect();
        let mut change = Change::from_matching(matching, old, &list);
        change.moved = moved;
        let asks = asked.is_some();
        if asks && compaction.is_none() {
            self.question = asked;
        }
        self.history = Held::with_entries(Reducer::AddMessages, list);
        self.untouched = 0;
        self.settled = self.steps;
        self.follow_question(&change);
        let source = match (&corrected, asks && from_outside) {
            _ if compaction.is_some() => Source::Compaction(compaction.unwrap_or(CompactionClass::Unknown)),
            (Some(pending), _) => pending.source,
            (None, true) => Source::Input,
            (None, false) => Source::State,
        };
        let asks = asks || corrected.as_ref().is_some_and(|pending| pending.asks);
        let mut pending = Pending::new(spot, source, change, asks);
        if let Some(corrected) = corrected {
            pending.writes = corrected.writes;
        }
        if !pending.change.is_empty() {
            self.tell(&pending, judge);
        }
    }
}

/// What of the list before has a settled order: for each place of the new list, how far back or ahead those stood that
/// are on either side of it.
struct Settled {
    furthest_before: Vec<Option<usize>>,
    nearest_behind: Vec<Option<usize>>,
    /// For each place of the list before, whether the message came since the last state that was recorded.
    is_new: Vec<bool>,
}

impl Settled {
    /// Whether a message may have moved without anybody moving it: it came since the last state that was recorded,
    /// and so did all that it stands on another side of now.
    fn is_free(&self, moved: Moved) -> bool {
        let was_behind = self.furthest_before[moved.at].is_some_and(|was| was > moved.was_at);
        let was_before = self.nearest_behind[moved.at].is_some_and(|was| was < moved.was_at);
        self.is_new[moved.was_at] && !was_behind && !was_before
    }
}

pub(super) fn keys_of(drafts: &[Draft]) -> Vec<Key<'_>> {
    drafts
        .iter()
        .map(|draft| Key {
            id: draft.id.as_deref(),
            print: draft.print(),
        })
        .collect()
}

/// Contents that no longer stand where they stood: of messages that are gone or have another content now.
fn given_up(old: &[Live], matching: &Matching, drafts: &[Draft]) -> FxHashSet<u64> {
    let mut kept = vec![false; old.len()];
    for (draft, was_at) in drafts.iter().zip(&matching.was_at) {
        if let Some(was) = *was_at {
            kept[was] = old[was].content == draft.content;
        }
    }
    old.iter()
        .zip(kept)
        .filter(|(_, kept)| !kept)
        .map(|(live, _)| live.content)
        .collect()
}
