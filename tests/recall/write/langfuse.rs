//! Langfuse: observations, of which generations hold what was sent and what came back.

use serde_json::{Value, json};

use super::shared::{calls, chat, time};
use super::{File, Shows, Traits, Writer};
use crate::model::{Message, Timeline};
use crate::support::random::Random;

/// An observation a line; of some the content is JSON in a text, as the export writes it.
pub(super) struct Observations;

impl Writer for Observations {
    fn name(&self) -> &'static str {
        "langfuse observations"
    }

    fn format(&self) -> &'static str {
        "langfuse"
    }

    fn traits(&self) -> Traits {
        Traits {
            ids: false,
            answers: true,
            ..Traits::of(Shows::Requests)
        }
    }

    fn write(&self, timeline: &Timeline, random: &mut Random) -> File {
        let packed = random.below(2) == 0;
        let pack = |value: Value| if packed { json!(value.to_string()) } else { value };
        let record = |number: usize, list: &[Message], said: &[Message]| {
            let messages: Vec<Value> = list.iter().map(chat).collect();
            let answer: Vec<Value> = said.iter().map(chat).collect();
            json!({"id": format!("obs-{number}"), "traceId": format!("trace-{number}"), "type": "GENERATION",
                "name": "chat", "startTime": time(number * 5), "sessionId": "harbour", "parentObservationId": null,
                "input": pack(json!(messages)), "output": pack(answer[0].clone()), "providedModelName": "gpt-x",
                "usageDetails": {"input": 300, "output": 9}, "metadata": {}})
        };
        calls(timeline, true, record).file()
    }
}
