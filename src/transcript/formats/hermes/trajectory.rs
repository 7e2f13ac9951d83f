//! Trajectories: turns in the words of `ShareGPT`, with tools in XML tags.
//!
//! Calls have no ids there, and several results stand in one turn; they are paired by their order.

use std::sync::Arc;

use super::{Object, Sink};
use crate::transcript::event::{Fate, What};
use crate::transcript::formats::parts;
use crate::transcript::message::{Draft, Role};

/// Whether a record is a trajectory of Hermes rather than of any other writer of `conversations`.
pub(super) fn is_one(object: &Object<'_>) -> bool {
    object.list("conversations").is_some() && object.has("completed") && object.has("model")
}

pub(super) fn read<'r>(object: &Object<'r>, number: usize, sink: &mut Sink<'_, 'r>) -> Fate {
    let Some(list) = object.list("conversations").filter(|list| !list.is_empty()) else {
        return Fate::Malformed("conversations that are no list of turns".to_owned());
    };
    let thread: Arc<str> = format!("trajectory {number}").into();
    let mut pairs = Pairs::default();
    let drafts = parts::each(list, sink, |raw, locator| {
        let place = locator.place(raw);
        let turn = Object::of(raw).unwrap_or_default();
        let (Some(from), Some(value)) = (turn.string("from"), turn.string("value")) else {
            return Err(Fate::Malformed("a turn without `from` or `value`".to_owned()));
        };
        let mut draft = match &*from {
            "system" => Draft::of_text(Role::System, value.into_owned()),
            "human" => Draft::of_text(Role::User, value.into_owned()),
            "gpt" => Draft {
                calls: pairs.calls(&value),
                ..Draft::of_text(Role::Assistant, value.into_owned())
            },
            "tool" => Draft {
                results: pairs.results(&value),
                ..Draft::of_text(Role::Tool, value.into_owned())
            },
            other => return Err(Fate::Unknown(format!("turn of {other}"))),
        };
        draft.place = place;
        Ok(draft)
    });
    sink.event(thread.clone(), What::Append(drafts));
    sink.event(thread, What::End);
    Fate::Parts
}

/// Which result answers which call.
#[derive(Default)]
struct Pairs {
    turns: usize,
    answered: usize,
}

impl Pairs {
    fn calls(&mut self, value: &str) -> Vec<Box<str>> {
        let calls = value.matches("<tool_call>").count();
        self.turns += 1;
        self.answered = 0;
        (0..calls).map(|at| self.id(at)).collect()
    }

    fn results(&mut self, value: &str) -> Vec<Box<str>> {
        let first = self.answered;
        self.answered += value.matches("<tool_response>").count();
        (first..self.answered).map(|at| self.id(at)).collect()
    }

    fn id(&self, at: usize) -> Box<str> {
        format!("call {}.{}", self.turns, at + 1).into()
    }
}
