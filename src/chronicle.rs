//! How the history of a recorded run came about, for reports that draw it. No I/O here.

use std::path::PathBuf;

/// One history: its messages, and what each step did to the list of them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Chronicle {
    /// The file that was read, as [`crate::outcome::FileReport::path`] has it.
    pub path: PathBuf,
    /// The files that are read as one, where there are several.
    pub parts: Vec<PathBuf>,
    /// As [`crate::outcome::SessionReport::id`].
    pub session: String,
    /// Every message that ever stood in the list, in the order in which they came.
    pub messages: Vec<ShownMessage>,
    /// In the order of time.
    pub steps: Vec<ShownStep>,
    /// Requests to the model, in the order of time.
    pub calls: Vec<ShownCall>,
    /// How many steps came behind the last one that is kept.
    pub more_steps: u64,
}

/// A message, with no more of its text than an excerpt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShownMessage {
    /// What it is for: `authored`, `injected`, `assistant`, `reasoning`, `tool_call`, `tool_result`, `summary`, `system` or
    /// `other`.
    pub kind: &'static str,
    /// Whom the model takes it to be from.
    pub role: &'static str,
    /// Its id, if the record has one; safe to show.
    pub id: Option<String>,
    /// One line, safe to show: neutralised, without secrets.
    pub text: String,
    /// How many bytes it says.
    pub length: u64,
    /// The turn it came in, from 1; 0 before anything was asked.
    pub turn: u32,
    /// The index of its file in [`Chronicle::parts`].
    pub part: u32,
    /// Its 1-based line there.
    pub line: u32,
    /// Tool calls it makes, by numbers that the results repeat.
    pub calls: Vec<u32>,
    /// Tool calls it answers.
    pub results: Vec<u32>,
}

/// The source of a step that tells what one call sent beside the history, or without a part of it.
pub const CALL: &str = "call";

/// What one step did. "Was" counts in the list before, "at" in the list after it; both from 0.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ShownStep {
    /// Its number in the history, from 1.
    pub number: u32,
    /// As in [`ShownMessage`].
    pub turn: u32,
    /// The index of the file in [`Chronicle::parts`].
    pub part: u32,
    /// The 1-based line of the record that tells it.
    pub line: u32,
    /// How it came about: `beginning`, `input`, `update`, `state`, `append` or `compaction`. Or it is [`CALL`]: the list
    /// that was sent to the model, which the next step does not go on from.
    pub source: &'static str,
    /// The nodes that wrote, or the kind of the compaction.
    pub by: Vec<String>,
    /// The list before it, where that is not what the step before left.
    pub before: Option<Vec<u32>>,
    /// Messages that are new, by place.
    pub inserted: Vec<Placed>,
    /// Messages that changed under their ids.
    pub replaced: Vec<Swapped>,
    /// Messages that are gone, by where they were.
    pub removed: Vec<Placed>,
    /// Messages that stand elsewhere now.
    pub moved: Vec<Shift>,
    /// Messages that come back elsewhere, with the same text, after something else took their ids: from where they
    /// would stand now.
    pub back: Vec<Shift>,
    /// Where the question stands that the person asked last.
    pub question: Option<u32>,
    /// Where the message stands that the model takes for it.
    pub taken: Option<u32>,
}

/// A message at a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Placed {
    /// The place in the list.
    pub at: u32,
    /// The index in [`Chronicle::messages`].
    pub message: u32,
}

/// A message that took the place of another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Swapped {
    /// The place in the list.
    pub at: u32,
    /// The one that was there.
    pub old: u32,
    /// The one that is.
    pub new: u32,
}

/// From one place to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shift {
    /// Where it was.
    pub was: u32,
    /// Where it is.
    pub at: u32,
}

/// One request to the model, in tokens as the provider counted them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ShownCall {
    /// The step that tells its answer, or after which it was made where the answer is no step.
    pub step: u32,
    /// The index of the file in [`Chronicle::parts`].
    pub part: u32,
    /// The 1-based line of the first record of its response.
    pub line: u32,
    /// The model, if recorded; safe to show.
    pub model: Option<String>,
    /// Neither read from the cache nor written to it.
    pub input: u64,
    /// Read from the cache.
    pub read: u64,
    /// Written to it.
    pub written: u64,
    /// Of the answer.
    pub output: u64,
    /// What was paid again, and why.
    pub again: Option<PaidAgain>,
}

/// What a call paid again, since it read less from the cache than the call before left there.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PaidAgain {
    /// Tokens.
    pub tokens: u64,
    /// As in [`crate::outcome::BreakReport`].
    pub cause: &'static str,
    /// Whether the tokens are expected from the lengths of texts, since none are recorded.
    pub estimated: bool,
}
