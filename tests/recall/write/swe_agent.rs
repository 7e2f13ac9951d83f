//! SWE-agent: the history of a trajectory.

use serde_json::json;

use super::form::Form;
use super::shared::{Document, chat, last};
use super::{Shows, Traits};
use crate::model::What;

/// `….traj`
pub(super) static TRAJECTORY: Form = Form {
    name: "swe-agent trajectory",
    format: "swe-agent",
    traits: Traits {
        ids: false,
        whole: true,
        compaction: None,
        ..Traits::of(Shows::List)
    },
    write: |timeline, _| {
        let head = r#"{"environment":"main","trajectory":[{"action":"ls","observation":"","response":"","thought":"","execution_time":0.1,"state":{}}],"info":{"exit_status":"submitted","model_stats":{"instance_cost":0.1,"tokens_sent":9000,"tokens_received":300,"api_calls":4}},"history":["#;
        let mut document = Document::new(head);
        for message in &last(timeline) {
            let mut value = chat(message);
            value["agent"] = json!("main");
            value["message_type"] = json!(match message.what {
                What::System => "system_prompt",
                What::Answer | What::Call | What::Remark => "action",
                What::Result => "observation",
                _ => "user",
            });
            if let Some(call) = &message.answers {
                value["tool_call_ids"] = json!([call]);
                value
                    .as_object_mut()
                    .expect("a message is an object")
                    .remove("tool_call_id");
            }
            document.message(message, &value);
        }
        document.file("traj", "]}\n")
    },
};
