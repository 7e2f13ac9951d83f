//! What the state of a row holds.

use serde::ser::{Serialize, Serializer};
use serde_json::Value;

use super::coerce::{Dialect, Raised, coerce};
use super::entry::{Entry, Removal};
use super::message::{Message, MessageId};

/// A message, or what was written past the reducer as it was.
#[derive(Clone, Debug)]
pub(super) enum Item {
    Message(Box<Message>),
    Raw(Value),
}

impl Item {
    pub(super) fn message(&self) -> Option<&Message> {
        match self {
            Self::Message(message) => Some(message),
            Self::Raw(_) => None,
        }
    }

    pub(super) fn raw(&self) -> Option<&Value> {
        match self {
            Self::Message(_) => None,
            Self::Raw(value) => Some(value),
        }
    }

    /// The message that coercion makes of it; a chunk stays one.
    pub(super) fn coerced(self, dialect: Dialect) -> Result<Self, Raised> {
        match self {
            Self::Message(_) => Ok(self),
            Self::Raw(value) => coerce(dialect, &value).map(Self::from),
        }
    }

    /// The message that `add_messages` makes of it: coerced, and no longer a chunk.
    pub(super) fn into_plain(self, dialect: Dialect) -> Result<Self, Raised> {
        let mut item = self.coerced(dialect)?;
        if let Self::Message(message) = &mut item {
            message.chunk = false;
        }
        Ok(item)
    }
}

impl From<Message> for Item {
    fn from(message: Message) -> Self {
        Self::Message(Box::new(message))
    }
}

impl Entry for Item {
    type Id = MessageId;

    fn id(&self) -> Option<&MessageId> {
        self.message().and_then(Message::id)
    }

    fn set_id(&mut self, id: MessageId) {
        if let Self::Message(message) = self {
            message.set_id(id);
        }
    }

    fn removal(&self) -> Removal {
        self.message().map_or(Removal::No, Message::removal)
    }
}

impl Serialize for Item {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Message(message) => message.serialize(serializer),
            Self::Raw(value) => value.serialize(serializer),
        }
    }
}
