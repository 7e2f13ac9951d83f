//! Mastra: the messages of a thread.

use serde_json::json;

use super::form::{Form, nothing, steps};
use super::shared::{Document, last, time};
use super::{Shows, Traits, ui_parts};

/// `{id, threadId, role, createdAt, content: {format, parts}}`, as a list.
pub(super) static MESSAGES: Form = Form {
    name: "mastra messages",
    format: "mastra",
    traits: Traits {
        compaction: None,
        ..Traits::of(Shows::List)
    },
    write: |timeline, _| {
        let list = last(timeline);
        let Some(steps) = steps(&list) else { return nothing() };
        let mut document = Document::new("[");
        for (number, step) in steps.into_iter().enumerate() {
            let (role, parts) = ui_parts::of(step, |id, result| {
                let mut call =
                    json!({"state": "call", "step": 0, "toolCallId": id, "toolName": "look", "args": {"for": id}});
                if let Some(result) = result {
                    call["state"] = json!("result");
                    call["result"] = json!(result.text);
                }
                json!({"type": "tool-invocation", "toolInvocation": call})
            });
            let line = document.add(
                &json!({"id": step[0].id, "threadId": "t1", "resourceId": "r1", "role": role,
                "createdAt": time(number), "type": "v2", "content": {"format": 2, "parts": parts}}),
            );
            for message in step {
                document.stands(message, line);
            }
        }
        document.file("json", "]\n")
    },
};
