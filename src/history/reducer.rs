//! Folding updates into a history, as LangGraph does it.

use std::fmt;
use std::str::FromStr;

use rustc_hash::{FxHashMap, FxHashSet};

use super::delta::Delta;
use super::entry::Entry;
use super::step::Step;

/// How updates become a history.
///
/// The variants differ in what they do with ids, removals and several writes in one superstep:
///
/// | variant | same id | removal of an unknown id | missing id | overwrite |
/// | --- | --- | --- | --- | --- |
/// | `AddMessages`, `Channel`, `Js` | replaces in place | error | gets one | takes all, the rest of the superstep is lost |
/// | `Delta` | replaces in place | ignored | stays without | as above |
/// | `OperatorAdd` | appended | appended as data | stays without | as above |
/// | `LastValue` | the update is the history | data | stays without | data |
///
/// `AddMessages` and `Channel` fold alike. They differ in what an update of a recorded row is: one
/// write, or a superstep of several.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Reducer {
    /// Python's `add_messages`, one write an update.
    AddMessages,
    /// A channel of `add_messages`: an update is a superstep of writes.
    Channel,
    /// The batch reducer of a delta channel: an update is a superstep of writes.
    Delta,
    /// JavaScript's `messagesStateReducer`, one write an update.
    Js,
    /// Lists are concatenated.
    OperatorAdd,
    /// No reducer: the newest update is the history.
    LastValue,
}

impl Reducer {
    /// Every variant with its name on the command line.
    pub const ALL: [(&'static str, Self); 6] = [
        ("add-messages", Self::AddMessages),
        ("channel", Self::Channel),
        ("delta", Self::Delta),
        ("js", Self::Js),
        ("operator-add", Self::OperatorAdd),
        ("last-value", Self::LastValue),
    ];

    /// The name on the command line.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::AddMessages => "add-messages",
            Self::Channel => "channel",
            Self::Delta => "delta",
            Self::Js => "js",
            Self::OperatorAdd => "operator-add",
            Self::LastValue => "last-value",
        }
    }
}

impl FromStr for Reducer {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        let found = Self::ALL.iter().find(|(known, _)| *known == name);
        found
            .map(|(_, reducer)| *reducer)
            .ok_or_else(|| format!("no reducer is called `{name}`"))
    }
}

/// One write to the channel of a history.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Write<E> {
    /// Goes through the reducer.
    Update(Vec<E>),
    /// Becomes the history as it is: nothing is merged, no id is given.
    Overwrite(Vec<E>),
}

/// Why a superstep could not be folded. The history is then as it was before the superstep, but for the
/// ids that its messages without one may have been given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FoldError<I> {
    /// A removal names an id that is not in the history.
    UnknownRemoval(I),
    /// Two writes of one superstep overwrite.
    TwoOverwrites,
    /// A channel without a reducer got more or less than one write.
    NotOneValue,
}

impl<I: fmt::Display> fmt::Display for FoldError<I> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::UnknownRemoval(id) => {
                write!(
                    f,
                    "Attempting to delete a message with an ID that doesn't exist ('{id}')"
                )
            }
            Self::TwoOverwrites => f.write_str("Can receive only one Overwrite value per super-step."),
            Self::NotOneValue => {
                f.write_str("Can receive only one value per step. Use an Annotated key to handle multiple values.")
            }
        }
    }
}

impl<I: fmt::Debug + fmt::Display> std::error::Error for FoldError<I> {}

/// A list of messages that updates are folded into.
///
/// An update costs what it holds; only a superstep that removes costs a pass over the history.
#[derive(Clone, Debug)]
pub struct History<E: Entry> {
    reducer: Reducer,
    pub(super) entries: Vec<E>,
    /// Where each id is; the last place where an id stands twice.
    pub(super) index: FxHashMap<E::Id, usize>,
    /// Ids that stand, or stood, in more than one place.
    pub(super) twins: FxHashSet<E::Id>,
    /// Places of entries without an id, in order.
    pub(super) unnamed: Vec<usize>,
}

impl<E: Entry> History<E> {
    /// An empty history.
    #[must_use]
    pub fn new(reducer: Reducer) -> Self {
        Self::with_entries(reducer, Vec::new())
    }

    /// A history that already holds `entries`, taken as they are.
    #[must_use]
    pub fn with_entries(reducer: Reducer, entries: Vec<E>) -> Self {
        let mut history = Self {
            reducer,
            entries,
            index: FxHashMap::default(),
            twins: FxHashSet::default(),
            unnamed: Vec::new(),
        };
        history.reindex();
        history
    }

    /// The reducer that folds into this history.
    #[must_use]
    pub fn reducer(&self) -> Reducer {
        self.reducer
    }

    /// The messages, oldest first.
    #[must_use]
    pub fn entries(&self) -> &[E] {
        &self.entries
    }

    /// The messages, given up.
    #[must_use]
    pub fn into_entries(self) -> Vec<E> {
        self.entries
    }

    /// Where the message with this id stands; the last place if it stands twice.
    #[must_use]
    pub fn position(&self, id: &E::Id) -> Option<usize> {
        self.index.get(id).copied()
    }

    /// Where the first message with this id stands.
    pub(crate) fn first_position(&self, id: &E::Id) -> Option<usize> {
        if self.twins.contains(id) {
            return self.entries.iter().position(|entry| entry.id() == Some(id));
        }
        self.position(id)
    }

    /// Takes away everything from a position on, at the cost of what goes.
    pub(crate) fn truncate(&mut self, len: usize) {
        let gone = self.entries.split_off(len.min(self.entries.len()));
        let is_twin = |entry: &E| entry.id().is_some_and(|id| self.twins.contains(id));
        if gone.iter().any(is_twin) {
            self.reindex();
            return;
        }
        for id in gone.iter().filter_map(E::id) {
            self.index.remove(id);
        }
        self.unnamed.truncate(self.unnamed.partition_point(|&at| at < len));
    }

    /// Adds an entry behind all others as it is, around the reducer.
    pub(crate) fn push(&mut self, entry: E) {
        self.entries.push(entry);
        self.note(self.entries.len() - 1);
    }

    /// Folds a superstep of one write.
    pub fn apply(
        &mut self,
        update: Vec<E>,
        fresh_id: &mut impl FnMut() -> E::Id,
    ) -> Result<Delta<E>, FoldError<E::Id>> {
        self.superstep(vec![Write::Update(update)], fresh_id)
    }

    /// Folds the writes of one superstep, in the order given.
    ///
    /// In a LangGraph run that order is the one of the names of the nodes that wrote, not the one in
    /// which they finished. `fresh_id` makes ids for messages without one, in the order in which the
    /// reducer asks: history first, then the writes.
    pub fn superstep(
        &mut self,
        writes: Vec<Write<E>>,
        fresh_id: &mut impl FnMut() -> E::Id,
    ) -> Result<Delta<E>, FoldError<E::Id>> {
        let reducer = self.reducer;
        let mut step = Step::begin(self);
        let folded = match reducer {
            Reducer::AddMessages | Reducer::Channel | Reducer::Js => step.fold_messages(writes, fresh_id),
            Reducer::Delta => step.fold_delta(writes),
            Reducer::OperatorAdd => step.fold_concatenation(writes),
            Reducer::LastValue => step.fold_last_value(writes),
        };
        match folded {
            Ok(()) => Ok(step.finish()),
            Err(error) => {
                step.undo();
                Err(error)
            }
        }
    }

    /// Builds the index anew.
    pub(super) fn reindex(&mut self) {
        self.index.clear();
        self.twins.clear();
        self.unnamed.clear();
        for at in 0..self.entries.len() {
            self.note(at);
        }
    }

    /// Enters the entry at `at`, which stands behind all entries noted before, into the index.
    pub(super) fn note(&mut self, at: usize) {
        match self.entries[at].id() {
            Some(id) => {
                if self.index.insert(id.clone(), at).is_some() {
                    self.twins.insert(id.clone());
                }
            }
            None => self.unnamed.push(at),
        }
    }
}
