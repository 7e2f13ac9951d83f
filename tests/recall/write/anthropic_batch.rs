//! The Messages API of Anthropic: a log of requests.

use serde_json::{Value, json};

use super::shared::{calls, split_system};
use super::{File, Shows, Traits, Writer};
use crate::model::{Message, Timeline, What};
use crate::support::random::Random;

/// `{"system": …, "messages": […]}` a line.
pub(super) struct Requests;

impl Writer for Requests {
    fn name(&self) -> &'static str {
        "anthropic-batch requests"
    }

    fn format(&self) -> &'static str {
        "anthropic-batch"
    }

    fn traits(&self) -> Traits {
        Traits {
            ids: false,
            together: true,
            ..Traits::of(Shows::Requests)
        }
    }

    fn write(&self, timeline: &Timeline, _random: &mut Random) -> File {
        let record = |_, list: &[Message], _: &[Message]| {
            let (system, list) = split_system(list);
            let mut record = json!({"model": "claude-x", "max_tokens": 900, "messages": messages(list)});
            if let Some(system) = system {
                record["system"] = json!(system);
            }
            record
        };
        calls(timeline, false, record).file()
    }
}

/// Messages of the API. Results of calls that were made together stand in one.
fn messages(list: &[Message]) -> Vec<Value> {
    let mut messages: Vec<Value> = Vec::new();
    // The calls whose results belong together.
    let mut calls: &[String] = &[];
    let mut answers = false;
    for message in list {
        let text = &message.text;
        let together = std::mem::replace(&mut answers, message.is_result_of(calls)) && answers;
        if message.what == What::Call {
            calls = &message.calls;
        }
        let (role, content) = match message.what {
            What::System => unreachable!("the system prompt stands beside the messages"),
            What::Question | What::Injection | What::Summary => ("user", json!(text)),
            What::Answer | What::Remark => ("assistant", json!([{"type": "text", "text": text}])),
            What::Call => {
                let said = (!text.is_empty()).then(|| json!({"type": "text", "text": text}));
                let call = |id: &String| json!({"type": "tool_use", "id": id, "name": "look", "input": {"for": id}});
                let blocks: Vec<Value> = said.into_iter().chain(message.calls.iter().map(call)).collect();
                ("assistant", json!(blocks))
            }
            What::Result => {
                let block = json!({"type": "tool_result", "tool_use_id": message.answers, "content": text});
                if let (true, Some(Value::Array(blocks))) =
                    (together, messages.last_mut().map(|last| &mut last["content"]))
                {
                    blocks.push(block);
                    continue;
                }
                ("user", json!([block]))
            }
        };
        messages.push(json!({"role": role, "content": content}));
    }
    messages
}
