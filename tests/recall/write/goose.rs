//! goose: a session as lines.

use serde_json::{Value, json};

use super::form::{Form, rounds};
use super::shared::last;
use super::{Records, Shows, Traits};
use crate::model::{Message, What};

/// A header, then a message a line.
pub(super) static SESSION: Form = Form {
    name: "goose session",
    format: "goose",
    traits: Traits {
        system: false,
        together: true,
        compaction: None,
        ..Traits::of(Shows::List)
    },
    write: |timeline, _| {
        let list = last(timeline);
        let mut records = Records::default();
        records.add(
            &json!({"working_dir": "/srv/orchard", "description": "orchard", "message_count": list.len(),
            "total_tokens": 900, "input_tokens": 800, "output_tokens": 100, "accumulated_total_tokens": 1900,
            "accumulated_input_tokens": 1800, "accumulated_output_tokens": 100}),
        );
        for (number, round) in rounds(&list).into_iter().enumerate() {
            let first = &round[0];
            let role = match first.what {
                What::Answer | What::Call | What::Remark => "assistant",
                _ => "user",
            };
            let blocks: Vec<Value> = round.iter().flat_map(blocks).collect();
            let line = records.add(&json!({"id": first.id, "role": role, "created": 1_777_885_200 + number,
                "content": blocks, "metadata": {"userVisible": true, "agentVisible": true}}));
            for message in round {
                records.lines.message(message.uid, line);
            }
        }
        records.file()
    },
};

fn blocks(message: &Message) -> Vec<Value> {
    if let Some(call) = &message.answers {
        let result = json!({"status": "success", "value": [{"type": "text", "text": message.text}]});
        return vec![json!({"type": "toolResponse", "id": call, "toolResult": result})];
    }
    let said = (!message.text.is_empty()).then(|| json!({"type": "text", "text": message.text}));
    let call = |id: &String| {
        let call = json!({"status": "success", "value": {"name": "look", "arguments": {"for": id}}});
        json!({"type": "toolRequest", "id": id, "toolCall": call})
    };
    said.into_iter().chain(message.calls.iter().map(call)).collect()
}
