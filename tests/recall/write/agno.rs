//! Agno: a session with the messages of its run.

use serde_json::json;

use super::form::{Costs, Form};
use super::shared::{Document, chat, last};
use super::{Shows, Traits};
use crate::model::What;

/// `{session_id, runs: [{run_id, messages}]}`
pub(super) static SESSION: Form = Form {
    name: "agno session",
    format: "agno",
    traits: Traits {
        compaction: None,
        ..Traits::of(Shows::List)
    },
    write: |timeline, _| {
        let head = r#"{"session_id":"s1","agent_id":"clerk","runs":[{"run_id":"r1","agent_id":"clerk","model":"gpt-x","model_provider":"OpenAI","messages":["#;
        let mut document = Document::new(head);
        let list = last(timeline);
        let mut costs = Costs::default();
        for (at, message) in list.iter().enumerate() {
            let mut value = chat(message);
            value["id"] = json!(message.id);
            value["from_history"] = json!(false);
            value["created_at"] = json!(1_780_000_000 + at);
            if matches!(message.what, What::Answer | What::Call) {
                let (tokens, read) = costs.of(&list[..at]);
                value["metrics"] = json!({"input_tokens": tokens, "output_tokens": 30, "cache_read_tokens": read});
            }
            document.message(message, &value);
        }
        document.file("json", "]}]}\n")
    },
};
