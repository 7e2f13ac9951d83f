//! The chat API of `OpenAI`: a log of requests.

use serde_json::{Value, json};

use super::shared::{calls, chat};
use super::{File, Shows, Traits, Writer};
use crate::model::{Message, Timeline};
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
        let record = |_, list: &[Message], _: &[Message]| {
            let messages: Vec<Value> = list.iter().map(chat).collect();
            json!({"model": "m", "messages": messages, "temperature": 0})
        };
        calls(timeline, false, record).file()
    }
}
