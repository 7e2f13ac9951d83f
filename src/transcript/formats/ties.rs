//! Rows that their store reads back by time alone.

use super::Sink;
use crate::transcript::event::{Chain, What};
use crate::transcript::json::{Object, Raw};
use crate::transcript::message::hash_of;

/// Compares each row with the one before it.
#[derive(Debug, Default)]
pub(super) struct Ties {
    /// Hashes of the history and of the time of the row before, as it is written.
    last: Option<(u64, u64)>,
    was_random: bool,
}

impl Ties {
    /// Takes the next row of a history, in the order in which they are read back; tells if only chance put it behind
    /// the one before.
    pub(super) fn row<'r>(
        &mut self,
        raw: Raw<'r>,
        row: &Object<'r>,
        [thread, key]: [&str; 2],
        sink: &mut Sink<'_, 'r>,
    ) {
        let moment = row.some(key).map(|time| (hash_of(thread), hash_of(time.get())));
        let is_random = row.string("id").is_some_and(|id| is_random(&id));
        let before = std::mem::replace(&mut self.last, moment);
        let was_random = std::mem::replace(&mut self.was_random, is_random);
        if moment.is_some() && before == moment && is_random && was_random {
            sink.event_at(raw, thread.into(), What::Chain(Chain::Tie));
        }
    }
}

/// Whether an id is a random UUID. Others may rise with time, as those of version 7 do.
fn is_random(id: &str) -> bool {
    let lengths = [8, 4, 4, 4, 12];
    let mut parts = id.split('-');
    let fits = lengths.iter().all(|&length| {
        parts
            .next()
            .is_some_and(|part| part.len() == length && part.bytes().all(|b| b.is_ascii_hexdigit()))
    });
    fits && parts.next().is_none() && id.as_bytes()[14] == b'4'
}

#[cfg(test)]
mod tests {
    use super::is_random;

    #[test]
    fn only_random_ids_say_nothing_of_their_time() {
        assert!(is_random("3f2b8c1e-9a4d-4c6b-8e7f-0a1b2c3d4e5f"));
        assert!(!is_random("019f0408-353a-77e3-9651-4840561fbd9e"), "rises with time");
        assert!(!is_random("msg-1"));
        assert!(!is_random("3f2b8c1e-9a4d-4c6b-8e7f-0a1b2c3d4e5f-2"));
    }
}
