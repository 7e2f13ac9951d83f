//! Inspect: the log of an evaluation in one document.

use serde_json::{Value, json};

use super::shared::{Document, last};
use super::{File, Shows, Traits, Writer};
use crate::model::{Message, Timeline, What};
use crate::support::random::Random;

/// A document with one sample.
pub(super) struct Logs;

impl Writer for Logs {
    fn name(&self) -> &'static str {
        "inspect log"
    }

    fn format(&self) -> &'static str {
        "inspect"
    }

    fn traits(&self) -> Traits {
        Traits {
            whole: true,
            doubles: true,
            ..Traits::of(Shows::List)
        }
    }

    fn write(&self, timeline: &Timeline, _random: &mut Random) -> File {
        let head = "{\"version\": 2, \"status\": \"success\", \"eval\": {\"task\": \"harbour\", \"run_id\": \"r\", \
                    \"model\": \"openai/some-model\", \"dataset\": {}}, \"plan\": {\"name\": \"plan\", \"steps\": []}, \
                    \"stats\": {}, \"samples\": [{\"id\": \"p1\", \"epoch\": 1, \"input\": \"see below\", \
                    \"target\": \"done\", \"messages\": [";
        let mut document = Document::new(head);
        for message in last(timeline) {
            document.message(&message, &told(&message));
        }
        document.file(
            "json",
            "], \"output\": {\"model\": \"some-model\"}, \"scores\": {}, \"events\": []}]}\n",
        )
    }
}

fn told(message: &Message) -> Value {
    let Message { id, text, .. } = message;
    match message.what {
        What::System => json!({"id": id, "role": "system", "content": text, "source": "input"}),
        What::Question => json!({"id": id, "role": "user", "content": text, "source": "input"}),
        What::Injection | What::Summary => json!({"id": id, "role": "user", "content": text}),
        What::Answer | What::Remark => json!({"id": id, "role": "assistant", "content": text, "source": "generate"}),
        What::Call => {
            let call =
                |id: &String| json!({"id": id, "function": "bash", "arguments": {"for": id}, "type": "function"});
            let calls: Vec<Value> = message.calls.iter().map(call).collect();
            json!({"id": id, "role": "assistant", "content": text, "source": "generate", "tool_calls": calls})
        }
        What::Result => json!({"id": id, "role": "tool", "content": [{"type": "text", "text": text}],
            "tool_call_id": message.answers, "function": "bash"}),
    }
}
