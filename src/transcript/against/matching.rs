//! Which message of a newer run is which of an older one.

use std::hash::Hash;

use rustc_hash::FxHashMap;

use super::history::is_compared;
use crate::transcript::message::{Live, Role, hash_of};

/// By what two messages are known to be one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum By {
    Id,
    /// What is said and done, where one of them has no id.
    Content,
    /// The same, under another id.
    NewId,
    /// The ids of tool calls.
    Pair,
    /// How the text begins; two formats do not write a content alike.
    Beginning,
    /// What is said, which is said more than once: which copy is which is a guess.
    Guess,
}

/// For each older message the newer one, by its place.
#[derive(Debug)]
pub(super) struct Matched {
    pub(super) partner: Vec<Option<(usize, By)>>,
    /// Which newer ones are a partner.
    pub(super) taken: Vec<bool>,
}

impl Matched {
    /// Matches by id, then by what is said only once, then what stands next to a match. `trusts_ids` is whether an id
    /// means the same message on both sides, `alike` whether both are written in one format.
    pub(super) fn of(old: &[Live], new: &[Live], trusts_ids: bool, alike: bool) -> Self {
        let mut matched = Self {
            partner: vec![None; old.len()],
            taken: vec![false; new.len()],
        };
        let trusts_ids = trusts_ids || ids_agree(old, new);
        if trusts_ids {
            matched.by(old, new, false, By::Id, |live| live.recorded_id().map(str::to_owned));
        }
        let by_content = |old: &Live, new: &Live| match (old.recorded_id(), new.recorded_id()) {
            (Some(old), Some(new)) if old != new => By::NewId,
            _ => By::Content,
        };
        matched.by_print(old, new, by_content);
        matched.next_to(old, new, by_content);
        matched.by(old, new, true, By::Pair, |live| {
            let pairs = !live.calls.is_empty() || !live.results.is_empty();
            pairs.then(|| (live.role, live.calls.clone(), live.results.clone()))
        });
        if !alike {
            matched.by(old, new, true, By::Beginning, beginning);
        }
        matched.guess(old, new);
        matched
    }

    /// How many of the messages that are compared have a partner, and how many there are.
    pub(super) fn share(&self, old: &[Live]) -> (usize, usize) {
        let compared = || old.iter().zip(&self.partner).filter(|(live, _)| is_compared(live));
        (
            compared().filter(|(_, partner)| partner.is_some()).count(),
            compared().count(),
        )
    }

    fn set(&mut self, old: usize, new: usize, by: By) {
        self.partner[old] = Some((new, by));
        self.taken[new] = true;
    }

    /// Matches what has a key; those that several have in order, or not at all.
    fn by<K: Hash + Eq>(&mut self, old: &[Live], new: &[Live], once: bool, by: By, key: impl Fn(&Live) -> Option<K>) {
        let mut places: FxHashMap<K, (Vec<usize>, Vec<usize>)> = FxHashMap::default();
        for (at, live) in old.iter().enumerate().filter(|(at, _)| self.partner[*at].is_none()) {
            if let Some(key) = key(live) {
                places.entry(key).or_default().0.push(at);
            }
        }
        for (at, live) in new.iter().enumerate().filter(|(at, _)| !self.taken[*at]) {
            if let Some(places) = key(live).and_then(|key| places.get_mut(&key)) {
                places.1.push(at);
            }
        }
        for (olds, news) in places.into_values() {
            if once && (olds.len() > 1 || news.len() > 1) {
                continue;
            }
            for (old, new) in olds.into_iter().zip(news) {
                self.set(old, new, by);
            }
        }
    }

    /// Matches what is said once on both sides.
    fn by_print(&mut self, old: &[Live], new: &[Live], by: impl Fn(&Live, &Live) -> By) {
        let before = self.partner.clone();
        self.by(old, new, true, By::Content, |live| Some(live.print));
        for (at, partner) in self.partner.iter_mut().enumerate() {
            if let (None, Some((place, how))) = (before[at], partner) {
                *how = by(&old[at], &new[*place]);
            }
        }
    }

    /// Matches what says the same and stands next to a match, or at the head of both.
    fn next_to(&mut self, old: &[Live], new: &[Live], by: impl Fn(&Live, &Live) -> By) {
        let mut expected = Some(0);
        for (at, live) in old.iter().enumerate() {
            if self.partner[at].is_none()
                && let Some(place) = expected.filter(|&place| place < new.len() && !self.taken[place])
                && live.print == new[place].print
            {
                self.set(at, place, by(live, &new[place]));
            }
            expected = self.partner[at].map(|(place, _)| place + 1);
        }
        let mut expected = None;
        for at in (0..old.len()).rev() {
            if self.partner[at].is_none()
                && let Some(place) = expected.filter(|&place: &usize| !self.taken[place])
                && old[at].print == new[place].print
            {
                self.set(at, place, by(&old[at], &new[place]));
            }
            expected = self.partner[at].and_then(|(place, _)| place.checked_sub(1));
        }
    }

    /// Takes what is said somewhere for what was said, so that it does not count as lost.
    fn guess(&mut self, old: &[Live], new: &[Live]) {
        self.by(old, new, false, By::Guess, |live| Some(live.print));
    }
}

/// Whether most messages with the same id say the same.
fn ids_agree(old: &[Live], new: &[Live]) -> bool {
    let by_id: FxHashMap<&str, &Live> = old
        .iter()
        .filter_map(|live| Some((live.recorded_id()?, live)))
        .collect();
    let pairs = || {
        let pair = |live| Some((*by_id.get(Live::recorded_id(live)?)?, live));
        new.iter().filter_map(pair)
    };
    let agree = |(old, new): &(&Live, &Live)| old.says_the_same(new) || beginning(old) == beginning(new);
    pairs().filter(agree).count() * 2 > pairs().count()
}

/// Who speaks and how the text begins, without its white space.
fn beginning(live: &Live) -> Option<(Role, u64)> {
    let text: String = live.head.chars().filter(|c| !c.is_whitespace()).take(80).collect();
    (!text.is_empty()).then(|| (live.role, hash_of(text)))
}
