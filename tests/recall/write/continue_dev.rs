//! Continue: the history of a session.

use serde_json::{Value, json};

use super::form::Form;
use super::shared::{Document, last};
use super::{Shows, Traits};
use crate::model::What;

/// `{sessionId, history: [{message, contextItems}]}`
pub(super) static SESSION: Form = Form {
    name: "continue session",
    format: "continue",
    traits: Traits {
        compaction: None,
        ..Traits::of(Shows::Log)
    },
    write: |timeline, _| {
        let head = r#"{"sessionId":"s1","title":"Orchard","workspaceDirectory":"file:///srv/orchard","mode":"agent","history":["#;
        let mut document = Document::new(head);
        for message in &last(timeline) {
            let text = &message.text;
            let mut said = match message.what {
                What::System => json!({"role": "system", "content": text}),
                What::Question | What::Injection | What::Summary => {
                    json!({"role": "user", "content": [{"type": "text", "text": text}]})
                }
                What::Answer | What::Remark => json!({"role": "assistant", "content": text}),
                What::Call => {
                    let call = |id: &String| json!({"id": id, "type": "function", "function": {"name": "look", "arguments": "{}"}});
                    let calls: Vec<Value> = message.calls.iter().map(call).collect();
                    json!({"role": "assistant", "content": text, "toolCalls": calls})
                }
                What::Result => json!({"role": "tool", "content": text, "toolCallId": message.answers}),
            };
            said["id"] = json!(message.id);
            document.message(message, &json!({"message": said, "contextItems": []}));
        }
        document.file("json", "]}\n")
    },
};
