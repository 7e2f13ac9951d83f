//! Forms that need nothing but a function.

use super::{File, Traits, Writer};
use crate::model::{Message, Timeline, What};
use crate::support::random::Random;

/// A form of a format, and what writes it.
pub(super) struct Form {
    /// What the row of the table is called.
    pub(super) name: &'static str,
    /// What `--input-format` calls the format.
    pub(super) format: &'static str,
    pub(super) traits: Traits,
    pub(super) write: fn(&Timeline, &mut Random) -> File,
}

impl Writer for Form {
    fn name(&self) -> &'static str {
        self.name
    }

    fn format(&self) -> &'static str {
        self.format
    }

    fn traits(&self) -> Traits {
        self.traits
    }

    fn write(&self, timeline: &Timeline, random: &mut Random) -> File {
        (self.write)(timeline, random)
    }
}

/// What stands in one record: a message, or the results of calls that were made together.
pub(super) fn rounds(list: &[Message]) -> Vec<&[Message]> {
    // What is added once more stands by itself.
    let together = |one: &Message, next: &Message| {
        let both = |caller: &Message| one.is_result_of(&caller.calls) && next.is_result_of(&caller.calls);
        one.answers != next.answers && next.what == What::Result && list.iter().any(both)
    };
    list.chunk_by(together).collect()
}

/// What stands in one record where calls and their results are parts of it: a message, with the results of its
/// calls. None if a result stands anywhere else, which such a format cannot say.
pub(super) fn steps(list: &[Message]) -> Option<Vec<&[Message]>> {
    let with_results = |_: &Message, next: &Message| next.what == What::Result;
    let steps: Vec<&[Message]> = list.chunk_by(with_results).collect();
    let fits = |step: &&[Message]| {
        let (first, results) = step.split_first().expect("a chunk is not empty");
        let answers = |result: &Message| result.is_result_of(&first.calls);
        let mut answered: Vec<&Option<String>> = results.iter().map(|result| &result.answers).collect();
        answered.sort_unstable();
        answered.dedup();
        first.what != What::Result && results.iter().all(answers) && answered.len() == results.len()
    };
    steps.iter().all(fits).then_some(steps)
}

/// The result of a call, among the messages of its step.
pub(super) fn result_of<'m>(step: &'m [Message], call: &str) -> Option<&'m Message> {
    step.iter().find(|message| message.answers.as_deref() == Some(call))
}

/// A file that shows nothing, where the format cannot say what happened: another session is made.
pub(super) fn nothing() -> File {
    File {
        ending: "json",
        text: String::new(),
        lines: super::Lines::default(),
    }
}

/// What calls of the model cost, whose provider caches what it can.
#[derive(Default)]
pub(super) struct Costs(usize);

impl Costs {
    /// Tokens of a call that sends these messages, and how many of them the provider has in its cache.
    pub(super) fn of(&mut self, list: &[Message]) -> (usize, usize) {
        let tokens = super::shared::tokens(list);
        (tokens, std::mem::replace(&mut self.0, tokens))
    }
}
