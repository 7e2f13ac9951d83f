//! Hermes Agent: the log of a session.

use serde_json::json;

use super::shared::{Document, chat, last, split_system};
use super::{File, Shows, Traits, Writer};
use crate::model::Timeline;
use crate::support::random::Random;

/// One document with the system prompt and all messages.
pub(super) struct Logs;

impl Writer for Logs {
    fn name(&self) -> &'static str {
        "hermes session log"
    }

    fn format(&self) -> &'static str {
        "hermes"
    }

    fn traits(&self) -> Traits {
        Traits {
            ids: false,
            whole: true,
            ..Traits::of(Shows::List)
        }
    }

    fn write(&self, timeline: &Timeline, _random: &mut Random) -> File {
        let list = last(timeline);
        let (system, rest) = split_system(&list);
        let head = json!({"session_id": "20260504_080000_0a1b2d", "model": "some/model",
            "session_start": "2026-05-04T08:00:00", "last_updated": "2026-05-04T09:00:00", "system_prompt": system});
        let head = head.to_string();
        let mut document = Document::new(&format!("{}, \"messages\": [", head.trim_end_matches('}')));
        for message in rest {
            document.message(message, &chat(message));
        }
        document.file("json", "]}\n")
    }
}
