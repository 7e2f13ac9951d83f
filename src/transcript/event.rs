//! What happened in a run, in words every format shares.

use std::sync::Arc;

use super::markers::Origin;
use super::message::Draft;
use super::reader::Spot;

/// One thing that happened to one history.
#[derive(Debug)]
pub(crate) struct Event {
    /// Which history: the thread, and the namespace of a subgraph.
    pub(crate) thread: Arc<str>,
    /// The record that tells it.
    pub(crate) spot: Spot,
    pub(crate) what: What,
}

#[derive(Debug)]
pub(crate) enum What {
    /// The person's input is about to come in: what changes next is it.
    TurnStart,
    /// Nothing more comes of this history.
    End,
    /// The run stopped to ask, and a node may hand in the person's answer.
    Interrupt,
    /// Messages added at the tail, whatever their ids.
    Append(Vec<Draft>),
    /// The writes of one superstep, in the order in which they are folded.
    Update(Vec<NodeWrite>),
    /// The whole list.
    Snapshot {
        messages: Vec<Draft>,
        /// Whether it does not continue the state before it: a fork, a rewind, an edit from outside.
        branches: bool,
    },
}

/// What one node returned.
#[derive(Debug)]
pub(crate) struct NodeWrite {
    pub(crate) node: Arc<str>,
    pub(crate) origin: Origin,
    /// Whether it goes around the reducer.
    pub(crate) overwrites: bool,
    pub(crate) messages: Vec<Draft>,
}

/// Where a record ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Fate {
    /// Replayed.
    Understood,
    /// Left out by design: it repeats what other records say, or says nothing about messages.
    Ignored,
    /// Of a type the adapter does not know, which is named.
    Unknown(String),
}
