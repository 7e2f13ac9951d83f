//! Data sets of conversations as `ShareGPT` wrote them, and as LLaMA-Factory and CAMEL extended them.
//!
//! Calls and results have no ids: a result belongs to the call before it.

use super::form;
use super::{Adapter, Detected, Format, Sample, Sink, encoding, parts};
use crate::transcript::event::{Fate, What};
use crate::transcript::json::{Object, Raw};
use crate::transcript::message::{Draft, Kind, Role};
use crate::transcript::reader::Record;

pub(super) static FORMAT: Format = Format {
    name: "sharegpt",
    detect,
    forced: || Detected::new(&form::SHAREGPT, ShareGpt::default()),
    tables: None,
};

fn detect(sample: &Sample<'_>) -> Option<Detected> {
    let speaks = |turn: Raw<'_>| Object::of(turn).is_some_and(|turn| turn.has("from") && turn.has("value"));
    let is_one = |record: &Object<'_>| {
        let turns = record.list("conversations").unwrap_or_default();
        !turns.is_empty() && turns.into_iter().all(speaks)
    };
    sample
        .any(is_one)
        .then(|| Detected::new(&form::SHAREGPT, ShareGpt::default()))
}

/// Reads one conversation a record.
#[derive(Default)]
pub(super) struct ShareGpt {
    conversations: usize,
}

impl Adapter for ShareGpt {
    fn read<'r>(&mut self, _record: Record<'r>, raw: Raw<'r>, sink: &mut Sink<'_, 'r>) -> Fate {
        let Some((object, turns)) = Object::of(raw).and_then(|object| {
            let turns = object.list("conversations")?;
            Some((object, turns))
        }) else {
            return Fate::Unknown("record without conversations".to_owned());
        };
        self.conversations += 1;
        let named = object.some("id").and_then(encoding::id);
        let thread = named.unwrap_or_else(|| format!("conversation {}", self.conversations).into());
        let mut messages = Vec::new();
        if let Some(system) = object.string("system").filter(|system| !system.is_empty()) {
            messages.push(Draft::of_text(Role::System, system));
        }
        let mut calls = Calls::default();
        messages.extend(parts::several(turns, sink, |turn| Ok(vec![calls.turn(turn)?])));
        sink.event(thread.clone(), What::Append(messages));
        sink.event(thread, What::End);
        Fate::Parts
    }
}

/// Gives calls and results ids by their order.
#[derive(Default)]
struct Calls {
    made: usize,
    open: Option<Box<str>>,
}

impl Calls {
    fn turn(&mut self, turn: &Object<'_>) -> Result<Draft, Fate> {
        let from = turn.string("from");
        let text = turn.string("value").unwrap_or_default();
        let role = match from.as_deref() {
            Some("human" | "user") => Role::User,
            Some("gpt" | "chatgpt" | "assistant" | "bing" | "bard" | "model") => Role::Assistant,
            Some("system") => Role::System,
            Some("function_call" | "tool_call") => {
                self.made += 1;
                let id: Box<str> = format!("call {}", self.made).into();
                self.open = Some(id.clone());
                return Ok(Draft {
                    calls: vec![id],
                    pairs_made_up: true,
                    told: Some(Kind::ToolCall),
                    ..Draft::of_text(Role::Assistant, text)
                });
            }
            Some("observation" | "tool" | "function_response" | "function" | "tool_response") => {
                return Ok(Draft {
                    results: self.open.take().into_iter().collect(),
                    pairs_made_up: true,
                    ..Draft::of_text(Role::Tool, text)
                });
            }
            other => return Err(parts::unknown_role(other)),
        };
        Ok(Draft::of_text(role, text))
    }
}
