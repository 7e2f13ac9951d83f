//! mini-SWE-agent: one task, in which only the environment speaks to the model.

use super::form::Form;
use super::shared::{Document, chat, last};
use super::{Shows, Traits};

/// `….traj.json`
pub(super) static TRAJECTORY: Form = Form {
    name: "mini-swe-agent trajectory",
    format: "mini-swe-agent",
    traits: Traits {
        ids: false,
        injections: false,
        compaction: None,
        ..Traits::of(Shows::List)
    },
    write: |timeline, _| {
        let head = r#"{"info":{"exit_status":"Submitted","submission":"","model_stats":{"instance_cost":0.1,"api_calls":4},"mini_version":"2.0.0"},"trajectory_format":"mini-swe-agent-1.1","messages":["#;
        let mut document = Document::new(head);
        for message in &last(timeline) {
            document.message(message, &chat(message));
        }
        document.file("traj.json", "]}\n")
    },
};
