//! The Agent Trajectory Interchange Format: steps, each with its calls and what came of them.

use serde_json::{Value, json};

use super::form::{Costs, Form, nothing, result_of, steps};
use super::shared::{Document, last, time};
use super::{Shows, Traits};
use crate::model::What;

/// `{schema_version, session_id, agent, steps}`
pub(super) static TRAJECTORY: Form = Form {
    name: "atif trajectory",
    format: "atif",
    traits: Traits {
        ids: false,
        compaction: None,
        ..Traits::of(Shows::Log)
    },
    write: |timeline, _| {
        let head = r#"{"schema_version":"ATIF-v1.6","session_id":"s1","agent":{"name":"clerk","version":"2.0","model_name":"gpt-x"},"steps":["#;
        let list = last(timeline);
        let Some(steps) = steps(&list) else { return nothing() };
        let mut document = Document::new(head);
        let mut at = 0;
        let mut costs = Costs::default();
        for (number, step) in steps.into_iter().enumerate() {
            let message = &step[0];
            let source = match message.what {
                What::System => "system",
                What::Answer | What::Call | What::Remark => "agent",
                _ => "user",
            };
            let mut value =
                json!({"step_id": number + 1, "timestamp": time(number), "source": source, "message": message.text});
            if source == "agent" {
                let (tokens, read) = costs.of(&list[..at]);
                value["metrics"] = json!({"prompt_tokens": tokens, "completion_tokens": 30, "cached_tokens": read});
            }
            if message.what == What::Call {
                let call = |id: &String| json!({"tool_call_id": id, "function_name": "look", "arguments": {"for": id}});
                let calls: Vec<Value> = message.calls.iter().map(call).collect();
                let result = |id: &String| {
                    let result = result_of(step, id)?;
                    Some(json!({"source_call_id": id, "content": result.text}))
                };
                let results: Vec<Value> = message.calls.iter().filter_map(result).collect();
                value["tool_calls"] = json!(calls);
                if !results.is_empty() {
                    value["observation"] = json!({"results": results});
                }
            }
            let line = document.add(&value);
            for message in step {
                document.stands(message, line);
            }
            at += step.len();
        }
        document.file("json", "]}\n")
    },
};
