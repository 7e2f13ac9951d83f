//! `ShareGPT`: turns of a conversation.

use serde_json::json;

use super::form::Form;
use super::shared::{Document, last};
use super::{Shows, Traits};
use crate::model::What;

/// `{conversations: [{from, value}]}`
pub(super) static CONVERSATION: Form = Form {
    name: "sharegpt conversation",
    format: "sharegpt",
    traits: Traits {
        ids: false,
        whole: true,
        // A result answers the call before it.
        parallel: false,
        pairs: false,
        apart: true,
        compaction: None,
        ..Traits::of(Shows::List)
    },
    write: |timeline, _| {
        let mut document = Document::new(r#"{"id":"c1","conversations":["#);
        for message in &last(timeline) {
            let (from, value) = match message.what {
                What::System => ("system", message.text.clone()),
                What::Question | What::Injection | What::Summary => ("human", message.text.clone()),
                What::Answer | What::Remark => ("gpt", message.text.clone()),
                What::Call => (
                    "function_call",
                    json!({"name": "look", "arguments": {"for": message.calls[0]}}).to_string(),
                ),
                What::Result => ("observation", message.text.clone()),
            };
            document.message(message, &json!({"from": from, "value": value}));
        }
        document.file("json", "]}\n")
    },
};
