//! Random changes that a later version of a tool could make to its records. The same seed, the same changes.

use serde_json::{Value, json};

use super::random::Random;

/// What happens to one object.
pub(crate) enum Change {
    None,
    /// It gets a field that does not exist today.
    Add((String, Value)),
    /// Its keys stand in another order.
    Shuffle,
}

/// A source of random changes.
pub(crate) struct Drift(Random);

impl Drift {
    pub(crate) fn new(seed: u64) -> Self {
        Self(Random::new(seed))
    }

    /// A number under `end`.
    pub(crate) fn below(&mut self, end: usize) -> usize {
        self.0.below(end)
    }

    pub(crate) fn one_in(&mut self, many: usize) -> bool {
        self.below(many) == 0
    }

    pub(crate) fn change(&mut self) -> Change {
        match self.below(4) {
            0 => Change::Add(self.field()),
            1 => Change::Shuffle,
            _ => Change::None,
        }
    }

    fn field(&mut self) -> (String, Value) {
        let values = [
            Value::Null,
            json!(true),
            json!(-7),
            json!(1.5e300),
            json!("text of a later version"),
            json!([1, "two", {"three": null}]),
            json!({"nested": {"deeper": []}}),
        ];
        let at = self.below(values.len());
        (format!("zzLater{}", self.below(100)), values[at].clone())
    }

    pub(crate) fn shuffle<T>(&mut self, list: &mut [T]) {
        for at in (1..list.len()).rev() {
            list.swap(at, self.below(at + 1));
        }
    }
}
