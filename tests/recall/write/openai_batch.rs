//! Batches of the `OpenAI` API: every line is a conversation of its own.

use serde_json::{Value, json};

use super::shared::chat;
use super::{File, Records, Shows, Traits, Writer};
use crate::model::{How, Timeline};
use crate::support::random::Random;

/// `{custom_id, method, url, body}` a line.
pub(super) struct Input;

impl Writer for Input {
    fn name(&self) -> &'static str {
        "openai-batch input"
    }

    fn format(&self) -> &'static str {
        "openai-batch"
    }

    fn traits(&self) -> Traits {
        Traits {
            ids: false,
            whole: true,
            ..Traits::of(Shows::List)
        }
    }

    fn write(&self, timeline: &Timeline, random: &mut Random) -> File {
        let mut records = Records::default();
        let other = |n: usize| {
            let messages = [json!({"role": "user", "content": format!("Say in a word what day {n} of the week is.")})];
            line(&format!("other-{n}"), &json!(messages))
        };
        for n in 0..random.below(3) {
            records.add(&other(n));
        }
        let call = timeline
            .steps
            .iter()
            .rposition(|step| step.how == How::Model)
            .unwrap_or(1);
        let list = &timeline.lists()[call - 1];
        let messages: Vec<Value> = list.iter().map(chat).collect();
        let line = records.add(&line("the-session", &json!(messages)));
        for message in list {
            records.lines.message(message.uid, line);
        }
        records.add(&other(6));
        records.file()
    }
}

fn line(id: &str, messages: &Value) -> Value {
    json!({"custom_id": id, "method": "POST", "url": "/v1/chat/completions",
        "body": {"model": "gpt-x", "messages": messages}})
}
