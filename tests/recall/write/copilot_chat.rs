//! GitHub Copilot Chat: the transcript of its agent.

use serde_json::{Value, json};

use super::form::Form;
use super::shared::{last, time};
use super::{Records, Shows, Traits};
use crate::model::What;

/// `{type, id, parentId, timestamp, data}` a line.
pub(super) static TRANSCRIPT: Form = Form {
    name: "copilot-chat transcript",
    format: "copilot-chat",
    traits: Traits {
        system: false,
        compaction: None,
        ..Traits::of(Shows::Log)
    },
    write: |timeline, _| {
        let mut records = Records::default();
        let mut parent: Option<String> = None;
        let mut seconds = 0;
        let mut add = |kind: &str, id: &str, data: &Value| {
            let record = json!({"type": kind, "id": id, "parentId": parent, "timestamp": time(seconds), "data": data});
            parent = Some(id.to_owned());
            seconds += 1;
            records.add(&record)
        };
        let mut lines = Vec::new();
        add(
            "session.start",
            "begin",
            &json!({"sessionId": "s1", "version": 1, "context": {"cwd": "/srv/orchard"}}),
        );
        for message in &last(timeline) {
            let (id, text) = (&message.id, &message.text);
            let line = match message.what {
                What::System => unreachable!("the system prompt is not recorded"),
                What::Question | What::Injection | What::Summary => {
                    add("user.message", id, &json!({"content": text, "attachments": []}))
                }
                What::Answer | What::Remark | What::Call => {
                    add("assistant.turn_start", &format!("{id}-begin"), &json!({"turnId": "0"}));
                    let call = |id: &String| json!({"toolCallId": id, "name": "look", "arguments": "{}"});
                    let calls: Vec<Value> = message.calls.iter().map(call).collect();
                    let line = add(
                        "assistant.message",
                        id,
                        &json!({"messageId": id, "content": text, "toolRequests": calls}),
                    );
                    for call in &message.calls {
                        add(
                            "tool.execution_start",
                            &format!("{call}-begin"),
                            &json!({"toolCallId": call}),
                        );
                    }
                    line
                }
                What::Result => {
                    let data = json!({"toolCallId": message.answers, "success": true, "result": {"content": text}});
                    add("tool.execution_complete", id, &data)
                }
            };
            lines.push((message.uid, line));
        }
        for (uid, line) in lines {
            records.lines.message(uid, line);
        }
        records.file()
    },
};
