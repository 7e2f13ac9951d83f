//! `LiteLLM`: the standard payload of each call.

use serde_json::{Value, json};

use super::shared::{calls, chat, tokens};
use super::{File, Shows, Traits, Writer};
use crate::model::{Message, Timeline};
use crate::support::random::Random;

/// A payload a line.
pub(super) struct Payloads;

impl Writer for Payloads {
    fn name(&self) -> &'static str {
        "litellm payloads"
    }

    fn format(&self) -> &'static str {
        "litellm"
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
            let messages: Vec<Value> = list.iter().map(chat).collect();
            let answer: Vec<Value> = said.iter().map(chat).collect();
            let start = 1_790_000_000 + number * 5;
            let id = format!("chatcmpl-{number}");
            json!({"id": id, "litellm_call_id": format!("call-{number}"), "trace_id": format!("trace-{number}"),
                "session_id": "harbour", "call_type": "acompletion", "status": "success", "startTime": start,
                "endTime": start + 2, "model": "gpt-x", "messages": messages, "response": {
                    "id": id, "object": "chat.completion", "created": start, "model": "gpt-x",
                    "choices": [{"index": 0, "message": answer[0], "finish_reason": "stop"}],
                    "usage": {"prompt_tokens": tokens(list), "completion_tokens": 40},
                }, "metadata": {}})
        };
        calls(timeline, true, record).file()
    }
}
