//! What one superstep changed.

use std::ops::Range;

/// The difference between a history before and after a superstep.
///
/// Positions "before" count in the history as it was, positions "after" in the history as it is now.
/// What a superstep adds and takes away again is not listed: it was never seen between two supersteps.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Delta<E> {
    /// What wiped the whole history, if anything did; then `removed` holds all of it.
    pub reset: Option<Reset>,
    /// Entries whose place another entry with the same id took, in order of place.
    pub replaced: Vec<Replaced<E>>,
    /// Entries that are gone, in order of place.
    pub removed: Vec<Removed<E>>,
    /// The positions, after, of the entries that are new at the tail.
    pub appended: Range<usize>,
}

impl<E> Delta<E> {
    /// Whether the history is what it was.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.reset.is_none() && self.replaced.is_empty() && self.removed.is_empty() && self.appended.is_empty()
    }
}

/// An entry that was replaced in place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Replaced<E> {
    /// Its position before.
    pub was_at: usize,
    /// The position, after, of what replaced it.
    pub at: usize,
    /// The entry as it was.
    pub old: E,
}

/// An entry that was removed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Removed<E> {
    /// Its position before.
    pub was_at: usize,
    /// The entry as it was.
    pub old: E,
}

/// What wiped a whole history.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Reset {
    /// A removal of all messages.
    RemoveAll,
    /// A write that bypasses the reducer.
    Overwrite,
    /// A channel without a reducer: every update is the new history.
    LastValue,
}
