//! What one step changed: the difference between the list before and after it.

use std::collections::VecDeque;

use rustc_hash::FxHashMap;

use super::message::Live;
use crate::history::delta::Delta;

/// The difference between two lists. Positions "was at" count in the list before, the others after.
#[derive(Debug, Default)]
pub(crate) struct Change {
    /// How long the list was.
    pub(crate) before: usize,
    /// Positions of messages that were not there, in order.
    pub(crate) inserted: Vec<usize>,
    /// Messages whose id stayed and whose content did not.
    pub(crate) replaced: Vec<Replaced>,
    /// Messages that are gone, in order.
    pub(crate) removed: Vec<Removed>,
    /// Messages that stand elsewhere among those that stayed.
    pub(crate) moved: Vec<Moved>,
    /// Whether the list was written anew instead of updated.
    pub(crate) reset: bool,
}

#[derive(Debug)]
pub(crate) struct Replaced {
    pub(crate) was_at: usize,
    pub(crate) at: usize,
    pub(crate) old: Live,
}

#[derive(Debug)]
pub(crate) struct Removed {
    pub(crate) was_at: usize,
    pub(crate) old: Live,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Moved {
    pub(crate) was_at: usize,
    pub(crate) at: usize,
}

impl Change {
    /// Where the message stands that came into the place of one that is gone: between the same two messages that
    /// stayed, as many came as went.
    pub(crate) fn rewritten(&self, was_at: usize) -> Option<usize> {
        let gone = self
            .removed
            .binary_search_by_key(&was_at, |removed| removed.was_at)
            .ok()?;
        let kept = was_at - gone;
        let run = |count: usize, kept_before: &dyn Fn(usize) -> usize| {
            let (mut low, mut high) = (0, count);
            while low < high {
                let middle = usize::midpoint(low, high);
                if kept_before(middle) < kept {
                    low = middle + 1;
                } else {
                    high = middle;
                }
            }
            (low, (low..count).take_while(|&at| kept_before(at) == kept).count())
        };
        let (first_gone, many) = run(self.removed.len(), &|at| self.removed[at].was_at - at);
        let (first_new, as_many) = run(self.inserted.len(), &|at| self.inserted[at] - at);
        let stands = self.moved.is_empty() && many == as_many;
        stands.then(|| self.inserted[first_new + gone - first_gone])
    }

    /// What a fold changed in `after`.
    pub(crate) fn of_fold(delta: Delta<Live>, after: &[Live]) -> Self {
        if delta.reset.is_some() {
            let before: Vec<Live> = delta.removed.into_iter().map(|removed| removed.old).collect();
            let mut change = Self::between(before, after);
            change.reset = true;
            return change;
        }
        let is_edit =
            |replaced: &crate::history::delta::Replaced<Live>| !after[replaced.at].says_the_same(&replaced.old);
        Self {
            before: after.len() - delta.appended.len() + delta.removed.len(),
            inserted: delta.appended.collect(),
            replaced: delta
                .replaced
                .into_iter()
                .filter(is_edit)
                .map(|replaced| Replaced {
                    was_at: replaced.was_at,
                    at: replaced.at,
                    old: replaced.old,
                })
                .collect(),
            removed: delta
                .removed
                .into_iter()
                .map(|removed| Removed {
                    was_at: removed.was_at,
                    old: removed.old,
                })
                .collect(),
            moved: Vec::new(),
            reset: false,
        }
    }

    /// The difference between two lists of which nothing else is known.
    pub(crate) fn between(before: Vec<Live>, after: &[Live]) -> Self {
        let old: Vec<Key<'_>> = before.iter().map(Key::of).collect();
        let new: Vec<Key<'_>> = after.iter().map(Key::of).collect();
        let matching = Matching::of(&old, &new);
        Self::from_matching(&matching, before, after)
    }

    /// The difference that a matching of two lists amounts to.
    pub(crate) fn from_matching(matching: &Matching, before: Vec<Live>, after: &[Live]) -> Self {
        let mut change = Self {
            before: before.len(),
            ..Self::default()
        };
        let mut places = vec![None; before.len()];
        for (at, was_at) in matching.was_at.iter().enumerate() {
            match *was_at {
                Some(was_at) => places[was_at] = Some(at),
                None => change.inserted.push(at),
            }
        }
        change.moved = matching.moved();
        for (was_at, (old, place)) in before.into_iter().zip(places).enumerate() {
            match place {
                Some(at) if after[at].says_the_same(&old) => {}
                Some(at) => change.replaced.push(Replaced { was_at, at, old }),
                None => change.removed.push(Removed { was_at, old }),
            }
        }
        change
    }

    /// Follows the messages of the list after to their places in another order.
    pub(crate) fn rearrange(&mut self, matching: &Matching) {
        let mut places: FxHashMap<usize, usize> = FxHashMap::default();
        for (at, was_at) in matching.was_at.iter().enumerate() {
            if let Some(was) = *was_at {
                places.entry(was).or_insert(at);
            }
        }
        let now = |was: usize| places.get(&was).copied().unwrap_or(was);
        self.inserted.iter_mut().for_each(|at| *at = now(*at));
        self.inserted.sort_unstable();
        self.replaced
            .iter_mut()
            .for_each(|replaced| replaced.at = now(replaced.at));
        self.moved.iter_mut().for_each(|moved| moved.at = now(moved.at));
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.inserted.is_empty() && self.replaced.is_empty() && self.removed.is_empty() && self.moved.is_empty()
    }

    /// Whether messages were only added at the tail.
    pub(crate) fn only_appends(&self) -> bool {
        let at_tail = self.inserted.first().is_none_or(|&first| first == self.before);
        self.replaced.is_empty() && self.removed.is_empty() && self.moved.is_empty() && at_tail
    }

    /// Whether every message that was there is in its place: contents changed, and messages came behind them.
    pub(crate) fn keeps_places(&self) -> bool {
        let at_tail = self.inserted.first().is_none_or(|&first| first == self.before);
        !self.reset && self.removed.is_empty() && self.moved.is_empty() && at_tail
    }

    /// Whether what was removed, if anything, stood at the tail: a rollback, not a cut.
    pub(crate) fn removes_only_the_tail(&self) -> bool {
        self.removed
            .first()
            .is_none_or(|first| first.was_at + self.removed.len() == self.before)
    }
}

/// By what a message of one list is found again in another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Key<'m> {
    /// The id, if the record has one.
    pub(crate) id: Option<&'m str>,
    /// Hash of everything that is said.
    pub(crate) print: u64,
}

impl<'m> Key<'m> {
    pub(crate) fn of(live: &'m Live) -> Self {
        Self {
            id: live.recorded_id(),
            print: live.print,
        }
    }
}

/// For each message of a list, where it stood in the list before.
#[derive(Debug)]
pub(crate) struct Matching {
    pub(crate) was_at: Vec<Option<usize>>,
}

impl Matching {
    /// Matches by id, and by content what has no id on one of the sides.
    pub(crate) fn of(old: &[Key<'_>], new: &[Key<'_>]) -> Self {
        let mut was_at = vec![None; new.len()];
        let common = old.iter().zip(new).take_while(|(old, new)| old == new).count();
        for (at, place) in was_at.iter_mut().enumerate().take(common) {
            *place = Some(at);
        }
        let mut by_id: FxHashMap<&str, VecDeque<usize>> = FxHashMap::default();
        // Apart, so that no list is passed over for those that cannot be meant: without an id, and with one.
        let mut by_print: FxHashMap<u64, [VecDeque<usize>; 2]> = FxHashMap::default();
        for (was, key) in old.iter().enumerate().skip(common) {
            if let Some(id) = key.id {
                by_id.entry(id).or_default().push_back(was);
            }
            by_print.entry(key.print).or_default()[usize::from(key.id.is_some())].push_back(was);
        }
        let mut taken = vec![false; old.len()];
        for (at, key) in new.iter().enumerate().skip(common) {
            let found = key.id.and_then(|id| by_id.get_mut(id)?.pop_front());
            if let Some(was) = found {
                was_at[at] = Some(was);
                taken[was] = true;
            }
        }
        for (at, key) in new.iter().enumerate().skip(common) {
            if was_at[at].is_some() {
                continue;
            }
            let Some(places) = by_print.get_mut(&key.print) else {
                continue;
            };
            for places in places.iter_mut() {
                while places.front().is_some_and(|was| taken[*was]) {
                    places.pop_front();
                }
            }
            let [unnamed, named] = places.each_ref().map(|places| places.front().copied());
            // Two ids are two messages.
            let named = named.filter(|_| key.id.is_none());
            if let Some(was) = unnamed.into_iter().chain(named).min() {
                was_at[at] = Some(was);
                taken[was] = true;
            }
        }
        Self { was_at }
    }

    /// Whether the whole list of `old` messages stands, as it was, at the head of the new one.
    pub(crate) fn extends(&self, old: usize) -> bool {
        self.was_at.len() >= old
            && self
                .was_at
                .iter()
                .take(old)
                .enumerate()
                .all(|(at, was_at)| *was_at == Some(at))
    }

    /// The fewest messages whose moving explains the new order.
    pub(crate) fn moved(&self) -> Vec<Moved> {
        let pairs: Vec<Moved> = self
            .was_at
            .iter()
            .enumerate()
            .filter_map(|(at, was_at)| Some(Moved { was_at: (*was_at)?, at }))
            .collect();
        if pairs.is_sorted_by_key(|pair| pair.was_at) {
            return Vec::new();
        }
        let stayed = longest_rise(&pairs);
        pairs
            .iter()
            .enumerate()
            .filter(|(n, _)| !stayed[*n])
            .map(|(_, pair)| *pair)
            .collect()
    }
}

/// Which pairs belong to a longest run of rising old positions.
fn longest_rise(pairs: &[Moved]) -> Vec<bool> {
    // For each length of a run, the pair that ends it with the lowest old position.
    let mut ends: Vec<usize> = Vec::new();
    let mut before: Vec<Option<usize>> = Vec::with_capacity(pairs.len());
    for (n, pair) in pairs.iter().enumerate() {
        let length = ends.partition_point(|&end| pairs[end].was_at < pair.was_at);
        before.push(length.checked_sub(1).map(|previous| ends[previous]));
        match ends.get_mut(length) {
            Some(end) => *end = n,
            None => ends.push(n),
        }
    }
    let mut stays = vec![false; pairs.len()];
    let mut next = ends.last().copied();
    while let Some(n) = next {
        stays[n] = true;
        next = before[n];
    }
    stays
}

#[cfg(test)]
mod tests {
    use super::{Key, Matching};

    /// `a` an id, `a1` an id with content 1, `-1` content 1 without an id.
    fn keys(list: &str) -> Vec<Key<'_>> {
        list.split_whitespace()
            .map(|word| {
                let (id, print) = word.split_at(1);
                Key {
                    id: (id != "-").then_some(id),
                    print: print.parse().unwrap_or_default(),
                }
            })
            .collect()
    }

    fn matched(old: &str, new: &str) -> (Vec<Option<usize>>, Vec<(usize, usize)>) {
        let matching = Matching::of(&keys(old), &keys(new));
        let moved = matching
            .moved()
            .into_iter()
            .map(|pair| (pair.was_at, pair.at))
            .collect();
        (matching.was_at, moved)
    }

    #[test]
    fn messages_are_found_by_id_and_moves_are_few() {
        assert_eq!(
            matched("a b c", "a b c d"),
            (vec![Some(0), Some(1), Some(2), None], vec![])
        );
        assert_eq!(
            matched("a b c d", "b c d a"),
            (vec![Some(1), Some(2), Some(3), Some(0)], vec![(0, 3)])
        );
        assert_eq!(
            matched("a b c d", "d a b c"),
            (vec![Some(3), Some(0), Some(1), Some(2)], vec![(3, 0)])
        );
    }

    #[test]
    fn content_identifies_what_has_no_id_and_never_two_ids() {
        assert_eq!(
            matched("-1 -2 -1", "-1 -2 -1 -3"),
            (vec![Some(0), Some(1), Some(2), None], vec![])
        );
        assert_eq!(
            matched("a1 -2", "a1 b2"),
            (vec![Some(0), Some(1)], vec![]),
            "the id came later"
        );
        assert_eq!(
            matched("a1 b2", "a1 c2"),
            (vec![Some(0), None], vec![]),
            "two ids are two messages"
        );
        assert_eq!(matched("-1 -2", "-2 -1").1, [(1, 0)]);
    }
}
