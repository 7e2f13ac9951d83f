//! What a reducer needs to know of a message.

use std::hash::Hash;

/// Something a history is made of: a full message, or a light record that stands for one.
pub trait Entry {
    /// The identity by which a reducer merges: a string, a number, an interned symbol.
    type Id: Clone + Eq + Hash;

    /// The identity, once there is one.
    fn id(&self) -> Option<&Self::Id>;

    /// Gives the entry an identity.
    fn set_id(&mut self, id: Self::Id);

    /// Whether the entry is an order to remove instead of a message to keep.
    fn removal(&self) -> Removal;
}

/// Whether an entry removes, and what.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Removal {
    /// An ordinary message.
    No,
    /// Removes the messages with the entry's own id.
    One,
    /// Removes everything before it, in the history and in the update.
    All,
}
