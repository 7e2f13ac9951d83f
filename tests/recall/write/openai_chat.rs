//! The chat API of `OpenAI`: a log of requests.

use serde_json::{Value, json};

use super::{File, Records, Shows, Traits, Writer};
use crate::model::{How, Message, Timeline, What};
use crate::support::random::Random;

/// `{"messages": […]}` a line.
pub(super) struct Requests;

impl Writer for Requests {
    fn name(&self) -> &'static str {
        "openai-chat requests"
    }

    fn format(&self) -> &'static str {
        "openai-chat"
    }

    fn traits(&self) -> Traits {
        Traits {
            ids: false,
            ..Traits::of(Shows::Requests)
        }
    }

    fn write(&self, timeline: &Timeline, _random: &mut Random) -> File {
        let mut records = Records::default();
        let lists = timeline.lists();
        let mut untold = 0;
        for (number, step) in timeline.steps.iter().enumerate() {
            if step.how != How::Model {
                continue;
            }
            let messages: Vec<Value> = lists[number - 1].iter().map(message).collect();
            let line = records.add(&json!({"model": "m", "messages": messages, "temperature": 0}));
            for step in untold..number {
                records.lines.step(step, line);
            }
            untold = number;
        }
        records.file()
    }
}

/// A message of the chat API.
pub(super) fn message(message: &Message) -> Value {
    let text = &message.text;
    match message.what {
        What::System => json!({"role": "system", "content": text}),
        What::Question | What::Injection | What::Summary => json!({"role": "user", "content": text}),
        What::Answer | What::Remark => json!({"role": "assistant", "content": text}),
        What::Call => {
            let call = |id: &String| {
                let arguments = json!({"for": id}).to_string();
                json!({"id": id, "type": "function", "function": {"name": "look", "arguments": arguments}})
            };
            let content = if text.is_empty() { Value::Null } else { json!(text) };
            let calls: Vec<Value> = message.calls.iter().map(call).collect();
            json!({"role": "assistant", "content": content, "tool_calls": calls})
        }
        What::Result => json!({"role": "tool", "tool_call_id": message.answers, "content": text}),
    }
}
