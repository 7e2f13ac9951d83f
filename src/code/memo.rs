//! Answers that are kept, so that a question that is asked a thousand times is worked out once.

use std::borrow::Borrow;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::{Mutex, PoisonError};

use rustc_hash::{FxHashMap, FxHasher};

/// Into how many parts the answers are divided, so that threads seldom wait for each other.
const PARTS: usize = 32;

/// Answers by their questions, shared by threads.
///
/// What is asked must have one answer only, whoever asks and whenever: two threads that ask at the same time may
/// both work it out.
pub(crate) struct Memo<K, V> {
    parts: [Mutex<FxHashMap<K, V>>; PARTS],
    /// How many answers a part keeps.
    most: usize,
}

impl<K: Eq + Hash, V: Clone> Memo<K, V> {
    /// A memo that forgets a part of its answers before it keeps more than about so many. What is forgotten is worked
    /// out again.
    pub(crate) fn of_at_most(answers: usize) -> Self {
        Self {
            most: answers.div_ceil(PARTS),
            ..Self::default()
        }
    }

    /// The answer to `question`; `keep` makes the key under which a new one is kept.
    pub(crate) fn of<Q>(&self, question: &Q, keep: impl FnOnce() -> K, answer: impl FnOnce() -> V) -> V
    where
        K: Borrow<Q>,
        Q: Eq + Hash + ?Sized,
    {
        let mut hasher = FxHasher::default();
        question.hash(&mut hasher);
        // The low bits choose the bucket inside a part.
        let part = &self.parts[(hasher.finish() >> 56) as usize % PARTS];
        let lock = || part.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = lock().get(question) {
            return known.clone();
        }
        // Nothing is locked meanwhile: the answer may need that of another question.
        let found = answer();
        let mut answers = lock();
        if answers.len() >= self.most {
            answers.clear();
        }
        answers.entry(keep()).or_insert(found).clone()
    }
}

impl<K, V> Default for Memo<K, V> {
    fn default() -> Self {
        Self {
            parts: std::array::from_fn(|_| Mutex::default()),
            most: usize::MAX,
        }
    }
}

impl<K, V> fmt::Debug for Memo<K, V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Memo")
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::Memo;

    #[test]
    fn a_question_is_answered_once() {
        let memo: Memo<Box<str>, usize> = Memo::default();
        let times = Cell::new(0);
        let ask = |name: &str| {
            memo.of(
                name,
                || name.into(),
                || {
                    times.set(times.get() + 1);
                    name.len()
                },
            )
        };
        assert_eq!((ask("one"), ask("three"), ask("one")), (3, 5, 3));
        assert_eq!(times.get(), 2);
    }

    #[test]
    fn no_more_is_kept_than_was_said() {
        let memo: Memo<u64, u64> = Memo::of_at_most(320);
        for number in 0..100_000 {
            assert_eq!(memo.of(&number, || number, || number + 1), number + 1);
        }
        let kept = memo
            .parts
            .iter()
            .map(|part| part.lock().expect("nobody else has it").len());
        assert!((1..=320).contains(&kept.sum::<usize>()));
    }

    #[test]
    fn an_answer_may_ask_another_question() {
        fn sum(memo: &Memo<u64, u64>, upto: u64) -> u64 {
            memo.of(
                &upto,
                || upto,
                || upto.checked_sub(1).map_or(0, |rest| upto + sum(memo, rest)),
            )
        }
        assert_eq!(sum(&Memo::default(), 1_000), 500_500);
    }
}
