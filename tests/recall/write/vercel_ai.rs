//! The AI SDK: messages of its interface, and messages as they go to the model.

use serde_json::{Value, json};

use super::form::{Form, nothing, rounds, steps};
use super::shared::{Document, last};
use super::{Shows, Traits, ui_parts};
use crate::model::{Message, What};

/// `{id, role, parts}`, under `messages`.
pub(super) static INTERFACE: Form = Form {
    name: "vercel-ai interface messages",
    format: "vercel-ai",
    traits: Traits {
        compaction: None,
        ..Traits::of(Shows::List)
    },
    write: |timeline, _| {
        let list = last(timeline);
        let Some(steps) = steps(&list) else { return nothing() };
        let mut document = Document::new(r#"{"id":"chat-1","messages":["#);
        for step in steps {
            let (role, parts) = ui_parts::of(step, |id, result| {
                let mut part =
                    json!({"type": "tool-look", "toolCallId": id, "state": "input-available", "input": {"for": id}});
                if let Some(result) = result {
                    part["state"] = json!("output-available");
                    part["output"] = json!(result.text);
                }
                part
            });
            let line = document.add(&json!({"id": step[0].id, "role": role, "parts": parts}));
            for message in step {
                document.stands(message, line);
            }
        }
        document.file("json", "]}\n")
    },
};

/// `{role, content}` with `tool-call` and `tool-result` parts, as a list.
pub(super) static MODEL: Form = Form {
    name: "vercel-ai model messages",
    format: "vercel-ai",
    traits: Traits {
        ids: false,
        together: true,
        compaction: None,
        ..Traits::of(Shows::List)
    },
    write: |timeline, _| {
        let list = last(timeline);
        let mut document = Document::new("[");
        // Without calls they are the messages of any chat.
        if list.iter().all(|message| message.what != What::Call) {
            document.add(
                &json!({"role": "assistant", "content": [{"type": "tool-call", "toolCallId": "first",
                "toolName": "look", "input": {}}]}),
            );
            document.add(
                &json!({"role": "tool", "content": [{"type": "tool-result", "toolCallId": "first",
                "toolName": "look", "output": {"type": "text", "value": "ready"}}]}),
            );
        }
        for round in rounds(&list) {
            let line = document.add(&model(round));
            for message in round {
                document.stands(message, line);
            }
        }
        document.file("json", "]\n")
    },
};

fn model(round: &[Message]) -> Value {
    let message = &round[0];
    let text = json!({"type": "text", "text": message.text});
    match message.what {
        What::System => json!({"role": "system", "content": message.text}),
        What::Question | What::Injection | What::Summary => json!({"role": "user", "content": [text]}),
        What::Answer | What::Remark => json!({"role": "assistant", "content": [text]}),
        What::Call => {
            let said = (!message.text.is_empty()).then_some(text);
            let call =
                |id: &String| json!({"type": "tool-call", "toolCallId": id, "toolName": "look", "input": {"for": id}});
            let parts: Vec<Value> = said.into_iter().chain(message.calls.iter().map(call)).collect();
            json!({"role": "assistant", "content": parts})
        }
        What::Result => {
            let result = |message: &Message| {
                json!({"type": "tool-result", "toolCallId": message.answers, "toolName": "look",
                    "output": {"type": "text", "value": message.text}})
            };
            json!({"role": "tool", "content": round.iter().map(result).collect::<Vec<_>>()})
        }
    }
}
