//! opencode: an exported session. What it adds itself it calls synthetic, and documents; here others add.

use serde_json::{Value, json};

use super::form::{Form, nothing, steps};
use super::shared::{Document, last};
use super::{Shows, Traits, ui_parts};

/// `opencode export`
pub(super) static EXPORT: Form = Form {
    name: "opencode export",
    format: "opencode",
    traits: Traits {
        system: false,
        compaction: None,
        ..Traits::of(Shows::Log)
    },
    write: |timeline, _| {
        let list = last(timeline);
        let Some(steps) = steps(&list) else { return nothing() };
        let head = r#"{"info":{"id":"ses_1","slug":"orchard","version":"1.2.0","projectID":"p1","directory":"/srv/orchard","title":"orchard","time":{"created":1777885200000,"updated":1777885300000}},"messages":["#;
        let mut document = Document::new(head);
        let mut asked = String::new();
        for (number, step) in steps.into_iter().enumerate() {
            let message = &step[0];
            let (role, mut parts) = ui_parts::of(step, |id, result| {
                let state = match result {
                    Some(result) => {
                        json!({"status": "completed", "input": {"for": id}, "output": result.text, "title": "",
                        "metadata": {}, "time": {"start": 1, "end": 2}})
                    }
                    None => {
                        json!({"status": "error", "input": {"for": id}, "error": "stopped", "time": {"start": 1, "end": 2}})
                    }
                };
                json!({"type": "tool", "callID": id, "tool": "look", "state": state})
            });
            for (at, part) in parts.iter_mut().enumerate() {
                part["id"] = json!(format!("prt_{number}_{at}"));
                part["sessionID"] = json!("ses_1");
                part["messageID"] = json!(message.id);
            }
            let info = if role == "user" {
                asked.clone_from(&message.id);
                json!({"id": message.id, "sessionID": "ses_1", "role": role, "agent": "build", "time": {"created": number}})
            } else {
                answered(&message.id, &asked, number)
            };
            let line = document.add(&json!({"info": info, "parts": parts}));
            for message in step {
                document.stands(message, line);
            }
        }
        document.file("json", "]}\n")
    },
};

fn answered(id: &str, asked: &str, number: usize) -> Value {
    json!({"id": id, "sessionID": "ses_1", "role": "assistant", "parentID": asked, "modelID": "gpt-x",
        "providerID": "openai", "mode": "build", "agent": "build", "path": {"cwd": "/srv/orchard", "root": "/"}, "cost": 0,
        "tokens": {"input": 90, "output": 30, "reasoning": 0, "cache": {"read": 0, "write": 0}}, "finish": "stop",
        "time": {"created": number, "completed": number}})
}
