//! Trajectories: turns in the words of `ShareGPT`, with tools in XML tags.
//!
//! Calls have no ids there, and several results stand in one turn; they are paired by their order.

use std::sync::Arc;

use super::{Object, Sink};
use crate::transcript::event::{Chain, Fate, What};
use crate::transcript::formats::parts;
use crate::transcript::message::{Draft, Place, Role};

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
    let mut first = None;
    let drafts = parts::each(list, sink, |raw, locator| {
        let place = locator.place(raw);
        let turn = Object::of(raw).unwrap_or_default();
        let (Some(from), Some(value)) = (turn.string("from"), turn.string("value")) else {
            return Err(Fate::Malformed("a turn without `from` or `value`".to_owned()));
        };
        let mut draft = match &*from {
            "system" => Draft::of_text(Role::System, value.into_owned()),
            "human" => {
                first.get_or_insert(raw);
                Draft::of_text(Role::User, value.into_owned())
            }
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
    let asked = asked_last(&drafts);
    sink.event(thread.clone(), What::Append(drafts));
    if let (Some(first), Some(asked)) = (first, asked) {
        sink.event_at(first, thread.clone(), What::Chain(Chain::LastFirst { asked }));
    }
    sink.event(thread, What::End);
    Fate::Parts
}

/// Where the question was asked that stands first, if it was asked last: the writer begins with what was asked last
/// and leaves out the first message of the session, which is right for sessions of one turn only.
/// Source: `agent/agent_runtime_helpers.py` of `NousResearch/hermes-agent` at 0.19.0 and 0.22.2.
fn asked_last(drafts: &[Draft]) -> Option<Place> {
    let mut asked = drafts.iter().filter(|draft| draft.role == Role::User);
    let (first, last) = (asked.next()?, asked.next_back()?);
    (first.content == last.content).then_some(last.place)
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
