//! What a rule sees: one step of a replayed run.

use std::sync::Arc;

use super::change::Change;
use super::event::CompactionClass;
use super::markers::Origin;
use super::message::Live;
use super::outline::Outline;
use super::reader::Spot;

/// One step: an input, the updates of a superstep, or the next state that was recorded.
///
/// The list after the step is lent, not copied; what the list was before is what [`Change`] tells.
pub(crate) struct Step<'s> {
    /// Which history of the file; empty for the only one.
    pub(crate) thread: &'s str,
    /// 1-based.
    pub(crate) number: u32,
    /// 1-based turn in which it happened; 0 before anything was asked.
    pub(crate) turn: u32,
    /// The record that tells it.
    pub(crate) spot: Spot,
    pub(crate) source: Source,
    /// What the nodes returned, where that was recorded.
    pub(crate) writes: &'s [Written],
    pub(crate) change: &'s Change,
    /// How many messages at the head of the list before the step stand where the step before this one left them; less
    /// than all where the list changed beside its steps, or was recorded anew.
    pub(crate) untouched: usize,
    /// Whether nothing happened to the list since the step before this one.
    pub(crate) is_next: bool,
    /// The list after the step.
    pub(crate) after: &'s [Live],
    pub(crate) outline: &'s Outline,
    /// Whether everything that stands in the history is known.
    pub(crate) whole: bool,
    /// What the person asked last, in this turn.
    pub(crate) question: Option<&'s Question>,
    /// Whether the question came with this very step.
    pub(crate) asks: bool,
}

/// A history as it stands when something is told beside its steps.
#[derive(Clone, Copy)]
pub(crate) struct Scene<'s> {
    /// As in [`Step`].
    pub(crate) thread: &'s str,
    /// The last step.
    pub(crate) number: u32,
    pub(crate) turn: u32,
    /// The record that tells it; at the end of a history the last of its records.
    pub(crate) spot: Spot,
    pub(crate) list: &'s [Live],
    pub(crate) outline: &'s Outline,
    pub(crate) question: Option<&'s Question>,
}

impl Scene<'_> {
    /// What the model reads as the newest question.
    pub(crate) fn taken_for_current(&self) -> Option<usize> {
        self.outline.taken_for_current()
    }

    /// Where the current question stands, if it does; the last place if it is there twice.
    pub(crate) fn question_at(&self) -> Option<usize> {
        self.outline.question_at(self.question?)
    }
}

/// How a step came about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Source {
    /// The first that is known of a history; nothing is known of how it came about.
    Beginning,
    Input,
    /// Nodes wrote.
    Update,
    /// The next state, without what led to it.
    State,
    /// A message of a list that grows at its end.
    Append,
    /// The harness replaced the history by something shorter.
    Compaction(CompactionClass),
}

impl Source {
    /// The word used in every output.
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::Beginning => "beginning",
            Self::Input => "input",
            Self::Update => "update",
            Self::State => "state",
            Self::Append => "append",
            Self::Compaction(_) => "compaction",
        }
    }
}

/// What one node returned.
#[derive(Debug)]
pub(crate) struct Written {
    pub(crate) node: Arc<str>,
    pub(crate) origin: Origin,
    pub(crate) messages: Vec<WrittenMessage>,
    /// Whether it wrote the list anew: by an order to remove all, or around the reducer.
    pub(crate) resets: bool,
    /// Whether it orders to remove single messages.
    pub(crate) removes: bool,
}

/// A message of an update, orders to remove left out.
#[derive(Debug)]
pub(crate) struct WrittenMessage {
    pub(crate) live: Live,
    /// Where a message with this id stood before the step.
    pub(crate) was_at: Option<usize>,
    /// Whether that message said the same.
    pub(crate) unchanged: bool,
}

/// What the person asked.
#[derive(Clone, Debug)]
pub(crate) struct Question {
    pub(crate) live: Live,
}

impl Question {
    pub(crate) fn of(live: &Live) -> Self {
        Self { live: live.clone() }
    }

    /// Whether `live` is the question, under whatever id.
    pub(crate) fn is(&self, live: &Live) -> bool {
        live.is_authored() && live.content == self.live.content
    }
}

impl Step<'_> {
    /// The history behind the step.
    pub(crate) fn scene(&self) -> Scene<'_> {
        Scene {
            thread: self.thread,
            number: self.number,
            turn: self.turn,
            spot: self.spot,
            list: self.after,
            outline: self.outline,
            question: self.question,
        }
    }

    /// The nodes that wrote, in their order; one that wrote several times in a row once.
    pub(crate) fn nodes(&self) -> Vec<&str> {
        let mut nodes: Vec<&str> = self.writes.iter().map(|write| write.node.as_ref()).collect();
        nodes.dedup();
        nodes
    }

    /// The name of the node that made the step, or of several.
    pub(crate) fn node(&self) -> Option<String> {
        let mut names: Vec<&str> = self
            .writes
            .iter()
            .filter(|write| write.origin == Origin::Node && !write.messages.is_empty() || write.resets || write.removes)
            .map(|write| write.node.as_ref())
            .collect();
        names.dedup();
        (!names.is_empty()).then(|| names.join(", "))
    }

    /// What the model reads as the newest question.
    pub(crate) fn taken_for_current(&self) -> Option<usize> {
        self.scene().taken_for_current()
    }

    /// Where the current question stands, if it does; the last place if it is there twice.
    pub(crate) fn question_at(&self) -> Option<usize> {
        self.scene().question_at()
    }
}
