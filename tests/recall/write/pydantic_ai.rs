//! Pydantic AI: requests and responses.

use serde_json::{Value, json};

use super::form::{Costs, Form, rounds};
use super::shared::{Document, last, time};
use super::{Shows, Traits};
use crate::model::{Message, What};

/// `{kind, parts: [{part_kind}]}`, as a list.
pub(super) static MESSAGES: Form = Form {
    name: "pydantic-ai messages",
    format: "pydantic-ai",
    traits: Traits {
        ids: false,
        together: true,
        compaction: None,
        ..Traits::of(Shows::List)
    },
    write: |timeline, _| {
        let mut document = Document::new("[");
        let list = last(timeline);
        let mut at = 0;
        let mut costs = Costs::default();
        for (number, round) in rounds(&list).into_iter().enumerate() {
            let parts: Vec<Value> = round.iter().flat_map(parts).collect();
            let value = if matches!(round[0].what, What::Answer | What::Call | What::Remark) {
                let (tokens, read) = costs.of(&list[..at]);
                json!({"kind": "response", "parts": parts, "model_name": "gpt-x", "timestamp": time(number),
                    "provider_response_id": format!("resp_{number}"),
                    "usage": {"input_tokens": tokens, "output_tokens": 30, "cache_read_tokens": read}})
            } else {
                json!({"kind": "request", "parts": parts, "instructions": null, "timestamp": null})
            };
            let line = document.add(&value);
            for message in round {
                document.stands(message, line);
            }
            at += round.len();
        }
        document.file("json", "]\n")
    },
};

fn parts(message: &Message) -> Vec<Value> {
    let text = &message.text;
    match message.what {
        What::System => vec![json!({"part_kind": "system-prompt", "content": text})],
        What::Question | What::Injection | What::Summary => vec![json!({"part_kind": "user-prompt", "content": text})],
        What::Answer | What::Remark => vec![json!({"part_kind": "text", "content": text})],
        What::Call => {
            let said = (!text.is_empty()).then(|| json!({"part_kind": "text", "content": text}));
            let call = |id: &String| json!({"part_kind": "tool-call", "tool_name": "look", "args": {"for": id}, "tool_call_id": id});
            said.into_iter().chain(message.calls.iter().map(call)).collect()
        }
        What::Result => vec![
            json!({"part_kind": "tool-return", "tool_name": "look", "content": text, "tool_call_id": message.answers}),
        ],
    }
}
