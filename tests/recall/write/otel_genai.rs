//! `OpenTelemetry`: spans with the attributes for generative AI.

use serde_json::{Value, json};

use super::shared::{calls, split_system, time};
use super::{File, Shows, Traits, Writer};
use crate::model::{Message, Timeline, What};
use crate::support::random::Random;

/// A span a line.
pub(super) struct Spans;

impl Writer for Spans {
    fn name(&self) -> &'static str {
        "otel-genai spans"
    }

    fn format(&self) -> &'static str {
        "otel-genai"
    }

    fn traits(&self) -> Traits {
        Traits {
            ids: false,
            answers: true,
            ..Traits::of(Shows::Requests)
        }
    }

    fn write(&self, timeline: &Timeline, _random: &mut Random) -> File {
        let record = |number: usize, list: &[Message], said: &[Message]| {
            let (system, list) = split_system(list);
            let told = |list: &[Message]| json!(list.iter().map(message).collect::<Vec<_>>()).to_string();
            let mut attributes = json!({"gen_ai.operation.name": "chat", "gen_ai.conversation.id": "harbour",
                "gen_ai.request.model": "gpt-x", "gen_ai.input.messages": told(list),
                "gen_ai.output.messages": told(said), "gen_ai.usage.input_tokens": 3000,
                "gen_ai.usage.output_tokens": 9});
            if let Some(system) = system {
                let parts = json!([{"type": "text", "content": system}]);
                attributes["gen_ai.system_instructions"] = json!(parts.to_string());
            }
            json!({"name": "chat gpt-x", "context": {"trace_id": "0xa1", "span_id": format!("0xb{number}")},
                "kind": "SpanKind.CLIENT", "parent_id": null, "start_time": time(number * 5),
                "end_time": time(number * 5 + 2), "attributes": attributes, "events": []})
        };
        calls(timeline, true, record).file()
    }
}

fn message(message: &Message) -> Value {
    let text = json!({"type": "text", "content": message.text});
    let (role, parts) = match message.what {
        What::System => ("system", vec![text]),
        What::Question | What::Injection | What::Summary => ("user", vec![text]),
        What::Answer | What::Remark => ("assistant", vec![text]),
        What::Call => {
            let said = (!message.text.is_empty()).then_some(text);
            let call = |id: &String| json!({"type": "tool_call", "id": id, "name": "look", "arguments": {"for": id}});
            (
                "assistant",
                said.into_iter().chain(message.calls.iter().map(call)).collect(),
            )
        }
        What::Result => {
            let part = json!({"type": "tool_call_response", "id": message.answers, "response": message.text});
            ("tool", vec![part])
        }
    };
    json!({"role": role, "parts": parts})
}
