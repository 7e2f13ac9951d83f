//! Sets of kinds of messages, and what a condition says with them.

use std::ops::{BitAnd, BitOr, Not};

use crate::code::vocabulary::{Block, Role};

/// A set of kinds of messages.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Kinds(u8);

impl Kinds {
    pub(crate) const NONE: Self = Self(0);
    /// The person's own words.
    pub(crate) const AUTHORED: Self = Self(1);
    /// In the person's name, put there by a program and marked as such.
    pub(crate) const INJECTED: Self = Self(1 << 1);
    /// Results of tools in the person's name, as blocks of content.
    pub(crate) const USER_RESULTS: Self = Self(1 << 2);
    /// The model's calls of tools.
    pub(crate) const CALLS: Self = Self(1 << 4);
    /// Results of tools in a role of their own.
    pub(crate) const RESULTS: Self = Self(1 << 5);
    pub(crate) const SYSTEM: Self = Self(1 << 6);
    /// Anything else, and no message at all.
    pub(crate) const OTHER: Self = Self(1 << 7);
    pub(crate) const ALL: Self = Self(u8::MAX);
    /// All with the person's role.
    pub(crate) const USER: Self = Self(0b111);
    /// All with the model's role.
    pub(crate) const ASSISTANT: Self = Self(0b1_1000);
    /// All results of tools, whatever their role.
    pub(crate) const ANY_RESULTS: Self = Self(0b10_0100);

    /// The kinds that have a role.
    pub(crate) fn of_role(role: Role) -> Self {
        match role {
            Role::System => Self::SYSTEM,
            Role::User => Self::USER,
            Role::Assistant => Self::ASSISTANT,
            Role::Tool => Self::RESULTS,
        }
    }

    /// The kinds that can hold such a block.
    pub(crate) fn of_block(block: Block) -> Self {
        match block {
            Block::ToolCall => Self::CALLS,
            Block::ToolResult => Self::ANY_RESULTS,
        }
    }

    /// Whether all kinds of `other` are in it.
    pub(crate) fn has(self, other: Self) -> bool {
        self & other == other
    }

    /// Whether any kind of `other` is in it.
    pub(crate) fn meets(self, other: Self) -> bool {
        self & other != Self::NONE
    }
}

impl BitAnd for Kinds {
    type Output = Self;
    fn bitand(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }
}

impl BitOr for Kinds {
    type Output = Self;
    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

impl Not for Kinds {
    type Output = Self;
    fn not(self) -> Self {
        Self(!self.0)
    }
}

/// What a condition looks at.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Asks(u16);

impl Asks {
    pub(crate) const NOTHING: Self = Self(0);
    /// A role, or a type that stands for one.
    pub(crate) const ROLE: Self = Self(1);
    /// Calls or results of tools: fields or blocks that only they have.
    pub(crate) const TOOL: Self = Self(1 << 1);
    /// A mark that a program set: metadata, a flag, a name, a tag at the start of the content.
    pub(crate) const MARKER: Self = Self(1 << 2);
    /// The content.
    pub(crate) const CONTENT: Self = Self(1 << 3);
    /// The id of the message.
    pub(crate) const ID: Self = Self(1 << 4);
    /// The id of a call, which repeats where providers number calls by turn.
    pub(crate) const CALL_ID: Self = Self(1 << 5);
    /// Whether the message is there at all.
    pub(crate) const EXISTENCE: Self = Self(1 << 6);
    /// The message's position.
    pub(crate) const POSITION: Self = Self(1 << 7);
    /// The message, in a way that was not understood.
    pub(crate) const UNKNOWN: Self = Self(1 << 8);
    /// Something that has nothing to do with the message.
    pub(crate) const ELSE: Self = Self(1 << 9);

    /// Whether it asks all of `other`.
    pub(crate) fn has(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }

    /// Whether it asks any of `other`.
    pub(crate) fn meets(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }

    /// Whether it asks nothing beside `other`.
    pub(crate) fn only(self, other: Self) -> bool {
        self.0 & !other.0 == 0
    }
}

impl BitOr for Asks {
    type Output = Self;
    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

/// What a condition says about a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Predicate {
    /// The kinds for which it may hold.
    pub(crate) accepts: Kinds,
    /// The kinds for which it may fail.
    pub(crate) rejects: Kinds,
    /// What it looks at.
    pub(crate) asks: Asks,
}

impl Predicate {
    /// Nothing is known.
    pub(crate) const fn unknown() -> Self {
        Self {
            accepts: Kinds::ALL,
            rejects: Kinds::ALL,
            asks: Asks::UNKNOWN,
        }
    }

    /// It looks at something and says nothing about kinds.
    pub(super) const fn open(asks: Asks) -> Self {
        Self {
            asks,
            ..Self::unknown()
        }
    }

    /// A truth that looks at nothing.
    pub(super) fn constant(value: bool) -> Self {
        let asks = Asks::NOTHING;
        if value {
            Self {
                accepts: Kinds::ALL,
                rejects: Kinds::NONE,
                asks,
            }
        } else {
            Self {
                accepts: Kinds::NONE,
                rejects: Kinds::ALL,
                asks,
            }
        }
    }

    /// Holds for exactly these kinds.
    pub(super) fn exactly(kinds: Kinds, asks: Asks) -> Self {
        Self {
            accepts: kinds,
            rejects: !kinds,
            asks,
        }
    }

    /// Holds for some messages of these kinds, and for no others.
    pub(super) fn some_of(kinds: Kinds, asks: Asks) -> Self {
        Self {
            accepts: kinds,
            rejects: Kinds::ALL,
            asks,
        }
    }

    /// Holds for what carries a flag or a value of a program, as some of the person's messages may.
    pub(super) fn flagged() -> Self {
        Self {
            accepts: Kinds::ALL,
            rejects: !Kinds::INJECTED,
            asks: Asks::MARKER,
        }
    }

    /// Holds for what carries a mark in its text, which the person's words never do and injected ones
    /// always.
    pub(super) fn marked(asks: Asks) -> Self {
        Self {
            accepts: !Kinds::AUTHORED,
            rejects: !Kinds::INJECTED,
            asks: asks | Asks::MARKER,
        }
    }

    pub(crate) fn negated(self) -> Self {
        Self {
            accepts: self.rejects,
            rejects: self.accepts,
            asks: self.asks,
        }
    }

    pub(super) fn and(self, other: Self) -> Self {
        Self {
            accepts: self.accepts & other.accepts,
            rejects: self.rejects | other.rejects,
            asks: self.asks | other.asks,
        }
    }

    pub(super) fn or(self, other: Self) -> Self {
        self.negated().and(other.negated()).negated()
    }

    pub(super) fn alternative(self, then: Self, otherwise: Self) -> Self {
        let by_then = self.and(then);
        let by_otherwise = self.negated().and(otherwise);
        Self {
            accepts: by_then.accepts | by_otherwise.accepts,
            rejects: (self.accepts & then.rejects) | (self.rejects & otherwise.rejects),
            asks: by_then.asks | by_otherwise.asks,
        }
    }

    /// Whether it holds for nothing but messages in the person's role.
    pub(crate) fn is_user(self) -> bool {
        Kinds::USER.has(self.accepts) && self.accepts.meets(Kinds::AUTHORED)
    }

    /// Whether it holds at the start of a turn only: for the person's role, and for no result of a
    /// tool in that role.
    pub(crate) fn is_turn_start(self) -> bool {
        self.is_user() && !self.accepts.meets(Kinds::USER_RESULTS)
    }

    /// Whether it looks for what a program marked.
    pub(crate) fn wants_marked(self) -> bool {
        self.asks.has(Asks::MARKER) && !self.rejects.meets(Kinds::INJECTED) && self.rejects.meets(Kinds::AUTHORED)
    }

    /// Whether it looks a message up by its own id.
    pub(crate) fn is_by_id(self) -> bool {
        self.asks.has(Asks::ID) && !self.asks.has(Asks::MARKER)
    }

    /// Whether it asks only whether there is something.
    pub(crate) fn is_existence_only(self) -> bool {
        self.asks.has(Asks::EXISTENCE) && self.asks.only(Asks::EXISTENCE | Asks::ELSE)
    }
}
