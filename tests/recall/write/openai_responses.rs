//! The Responses API of `OpenAI`: requests that send everything, and chains of which the provider keeps the
//! beginning.

use serde_json::{Value, json};

use super::shared::{calls, item, split_system};
use super::{File, Records, Shows, Traits, Writer};
use crate::model::{Does, How, Message, Timeline};
use crate::support::random::Random;

/// A request with the whole list and its response in one record.
pub(super) struct Pairs;

/// Requests and responses in turn, each request with what is new.
pub(super) struct Chain;

impl Writer for Pairs {
    fn name(&self) -> &'static str {
        "openai-responses pairs"
    }

    fn format(&self) -> &'static str {
        "openai-responses"
    }

    fn traits(&self) -> Traits {
        Traits {
            ids: false,
            apart: true,
            answers: true,
            ..Traits::of(Shows::Requests)
        }
    }

    fn write(&self, timeline: &Timeline, _random: &mut Random) -> File {
        let record = |number: usize, list: &[Message], said: &[Message]| {
            let (system, list) = split_system(list);
            let input: Vec<Value> = list.iter().map(item).collect();
            let mut request = json!({"model": "gpt-x", "store": false, "input": input});
            if let Some(system) = system {
                request["instructions"] = json!(system);
            }
            json!({"request": request, "response": response(number, said, None)})
        };
        calls(timeline, true, record).file()
    }
}

impl Writer for Chain {
    fn name(&self) -> &'static str {
        "openai-responses chain"
    }

    fn format(&self) -> &'static str {
        "openai-responses"
    }

    fn traits(&self) -> Traits {
        Traits {
            ids: false,
            system: false,
            apart: true,
            compaction: None,
            ..Traits::of(Shows::Log)
        }
    }

    fn write(&self, timeline: &Timeline, _random: &mut Random) -> File {
        let mut records = Records::default();
        let mut previous: Option<String> = None;
        let mut waiting: Vec<&Message> = Vec::new();
        for (number, step) in timeline.steps.iter().enumerate() {
            let Does::Append(messages) = &step.does else {
                unreachable!("the provider keeps the list: {:?}", step.does)
            };
            if step.how != How::Model {
                waiting.extend(messages);
                continue;
            }
            let input: Vec<Value> = waiting.iter().map(|message| item(message)).collect();
            let mut request = json!({"model": "gpt-x", "store": true, "input": input});
            if let Some(previous) = &previous {
                request["previous_response_id"] = json!(previous);
            }
            let line = records.add(&request);
            for message in waiting.drain(..) {
                records.lines.message(message.uid, line);
            }
            let line = records.add(&response(number, messages, previous.as_deref()));
            for message in messages {
                records.lines.message(message.uid, line);
            }
            previous = Some(format!("resp_{number}"));
        }
        records.file()
    }
}

fn response(number: usize, said: &[Message], previous: Option<&str>) -> Value {
    let output: Vec<Value> = said.iter().map(item).collect();
    json!({"id": format!("resp_{number}"), "object": "response", "created_at": 1_790_000_000 + number * 5,
        "model": "gpt-x", "status": "completed", "error": null, "previous_response_id": previous, "output": output})
}
