//! Tool pairs: a tool call and every result with its id.

use std::hash::Hash;

use rustc_hash::FxHashMap;

/// What pairing needs to know of a message.
pub trait ToolUse {
    /// The id that a call and its results share.
    type Key: Eq + Hash;

    /// The ids of the calls the message makes.
    fn calls(&self) -> impl Iterator<Item = &Self::Key>;

    /// The ids of the calls the message holds results for.
    fn results(&self) -> impl Iterator<Item = &Self::Key>;
}

/// How the tool calls and results of a list belong together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolPairs<'a, K> {
    /// Calls with their results, in order of the call.
    pub pairs: Vec<Pair<'a, K>>,
    /// Results that no earlier message called for, in order.
    pub orphans: Vec<Loose<'a, K>>,
    /// Calls without a later result although the conversation went on, in order.
    pub unanswered: Vec<Loose<'a, K>>,
    /// Calls without a result yet: nothing but results of the same message's calls follows. Not broken.
    pub in_flight: Vec<Loose<'a, K>>,
}

/// A call and where its results are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pair<'a, K> {
    /// The shared id.
    pub key: &'a K,
    /// The position of the message that calls.
    pub call: usize,
    /// The positions of its results, at least one.
    pub results: Vec<usize>,
}

/// One half of a tool pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Loose<'a, K> {
    /// The id that has no counterpart.
    pub key: &'a K,
    /// The position of the message.
    pub at: usize,
}

impl<'a, K: Eq + Hash> ToolPairs<'a, K> {
    /// Pairs the calls and results of a list.
    ///
    /// A result belongs to the nearest call with its id before it, or in the same message.
    #[must_use]
    pub fn of<T: ToolUse<Key = K>>(messages: &'a [T]) -> Self {
        let mut calls: Vec<Pair<'a, K>> = Vec::new();
        let mut nearest: FxHashMap<&K, usize> = FxHashMap::default();
        let mut orphans = Vec::new();
        let mut last_other = None;
        for (at, message) in messages.iter().enumerate() {
            let calls_before = calls.len();
            for key in message.calls() {
                nearest.insert(key, calls.len());
                calls.push(Pair {
                    key,
                    call: at,
                    results: Vec::new(),
                });
            }
            let mut only_answers = false;
            for key in message.results() {
                only_answers = calls.len() == calls_before;
                match nearest.get(key) {
                    Some(&call) => calls[call].results.push(at),
                    None => orphans.push(Loose { key, at }),
                }
            }
            if !only_answers {
                last_other = Some(at);
            }
        }
        let (pairs, open): (Vec<_>, Vec<_>) = calls.into_iter().partition(|pair| !pair.results.is_empty());
        let open = open.into_iter().map(|pair| Loose {
            key: pair.key,
            at: pair.call,
        });
        let (in_flight, unanswered) = open.partition(|loose| Some(loose.at) == last_other);
        Self {
            pairs,
            orphans,
            unanswered,
            in_flight,
        }
    }

    /// The pairs that a cut just before `position` would tear apart.
    pub fn torn_by(&self, position: usize) -> impl Iterator<Item = &Pair<'a, K>> {
        let torn = move |pair: &&Pair<'a, K>| {
            pair.call < position && pair.results.last().is_some_and(|&last| last >= position)
        };
        self.pairs.iter().filter(torn)
    }
}

#[cfg(test)]
mod tests {
    use super::{Loose, Pair, ToolPairs, ToolUse};

    struct Line {
        calls: Vec<char>,
        results: Vec<char>,
    }

    impl ToolUse for Line {
        type Key = char;

        fn calls(&self) -> impl Iterator<Item = &char> {
            self.calls.iter()
        }

        fn results(&self) -> impl Iterator<Item = &char> {
            self.results.iter()
        }
    }

    /// One word a message: `-` neither, `a?b?` calls a and b, `a!` a result of a.
    fn list(text: &str) -> Vec<Line> {
        let ids = |word: &str, mark| {
            let marks = word.match_indices(mark);
            marks.map(|(at, _)| char::from(word.as_bytes()[at - 1])).collect()
        };
        let line = |word| Line {
            calls: ids(word, '?'),
            results: ids(word, '!'),
        };
        text.split(' ').map(line).collect()
    }

    #[test]
    fn results_pair_with_the_nearest_call_before_them() {
        let messages = list("- a?b? b! a! a! - a? a!");
        let pairs = ToolPairs::of(&messages);
        let expected = [
            Pair {
                key: &'a',
                call: 1,
                results: vec![3, 4],
            },
            Pair {
                key: &'b',
                call: 1,
                results: vec![2],
            },
            Pair {
                key: &'a',
                call: 6,
                results: vec![7],
            },
        ];
        assert_eq!(pairs.pairs, expected);
        assert!(pairs.orphans.is_empty() && pairs.unanswered.is_empty() && pairs.in_flight.is_empty());
    }

    #[test]
    fn a_result_before_its_call_or_without_one_is_an_orphan() {
        let messages = list("a! a? x! a! -");
        let pairs = ToolPairs::of(&messages);
        assert_eq!(pairs.orphans, [Loose { key: &'a', at: 0 }, Loose { key: &'x', at: 2 }]);
        assert_eq!(
            pairs.pairs,
            [Pair {
                key: &'a',
                call: 1,
                results: vec![3]
            }]
        );
    }

    #[test]
    fn a_message_may_answer_its_own_call() {
        let messages = list("a?a! b?a!");
        let pairs = ToolPairs::of(&messages);
        assert_eq!(
            pairs.pairs,
            [Pair {
                key: &'a',
                call: 0,
                results: vec![0, 1]
            }]
        );
        assert_eq!(pairs.in_flight, [Loose { key: &'b', at: 1 }]);
    }

    #[test]
    fn calls_at_the_end_are_in_flight_until_something_else_follows() {
        let messages = list("- a?b? b!");
        assert_eq!(ToolPairs::of(&messages).in_flight, [Loose { key: &'a', at: 1 }]);
        let messages = list("- a?b? b! -");
        let pairs = ToolPairs::of(&messages);
        assert_eq!(pairs.unanswered, [Loose { key: &'a', at: 1 }]);
        assert!(pairs.in_flight.is_empty());
    }

    #[test]
    fn an_earlier_unanswered_call_is_broken_even_when_later_calls_are_in_flight() {
        let messages = list("a? - b?");
        let pairs = ToolPairs::of(&messages);
        assert_eq!(pairs.unanswered, [Loose { key: &'a', at: 0 }]);
        assert_eq!(pairs.in_flight, [Loose { key: &'b', at: 2 }]);
    }

    #[test]
    fn a_cut_tears_the_pairs_it_falls_into() {
        let messages = list("- a? a! - b? b!");
        let pairs = ToolPairs::of(&messages);
        let torn = |cut| pairs.torn_by(cut).map(|pair| *pair.key).collect::<String>();
        assert_eq!(
            [torn(1), torn(2), torn(3), torn(4), torn(5), torn(6)],
            ["", "a", "", "", "b", ""]
        );
    }
}
