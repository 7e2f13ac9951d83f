//! Letta: exported agents.

use serde_json::{Value, json};

use super::shared::{Document, last};
use super::{File, Shows, Traits, Writer};
use crate::model::{Message, Timeline, What};
use crate::support::random::Random;

/// An export of version 2 with one agent.
pub(super) struct Agents;

impl Writer for Agents {
    fn name(&self) -> &'static str {
        "letta agent"
    }

    fn format(&self) -> &'static str {
        "letta"
    }

    fn traits(&self) -> Traits {
        Traits {
            whole: true,
            ..Traits::of(Shows::List)
        }
    }

    fn write(&self, timeline: &Timeline, _random: &mut Random) -> File {
        let list = last(timeline);
        let ids: Vec<&str> = list.iter().map(|message| message.id.as_str()).collect();
        let agent = json!({"id": "agent-0", "name": "harbour", "in_context_message_ids": ids}).to_string();
        let head = format!("{{\"agents\": [{}, \"messages\": [", agent.trim_end_matches('}'));
        let mut document = Document::new(&head);
        for message in &list {
            document.message(message, &told(message));
        }
        document.file("af", "]}]}\n")
    }
}

fn told(message: &Message) -> Value {
    let role = match message.what {
        What::System => "system",
        What::Question | What::Injection => "user",
        What::Summary => "summary",
        What::Answer | What::Remark | What::Call => "assistant",
        What::Result => "tool",
    };
    let call = |id: &String| json!({"id": id, "type": "function", "function": {"name": "look", "arguments": "{}"}});
    let calls: Vec<Value> = message.calls.iter().map(call).collect();
    let answers = message.answers.as_ref().or(message.calls.first());
    let returns = message
        .answers
        .iter()
        .map(|call| json!({"tool_call_id": call, "status": "success"}));
    json!({"id": message.id, "type": "message", "role": role, "content": [{"type": "text", "text": message.text}],
        "model": "some-model", "tool_calls": calls, "tool_call_id": answers,
        "tool_returns": returns.collect::<Vec<_>>(), "created_at": "2026-05-04T10:00:00+00:00"})
}
