//! `AutoGen`: the state of an agent of a team.

use serde_json::{Value, json};

use super::form::{Form, rounds};
use super::shared::{Document, last};
use super::{Shows, Traits};
use crate::model::What;

/// `save_state()` of a team.
pub(super) static STATE: Form = Form {
    name: "autogen state",
    format: "autogen",
    traits: Traits {
        ids: false,
        whole: true,
        together: true,
        compaction: None,
        ..Traits::of(Shows::List)
    },
    write: |timeline, _| {
        let head = r#"{"type":"TeamState","version":"1.0.0","agent_states":{"clerk":{"type":"AssistantAgentState","version":"1.0.0","llm_context":{"messages":["#;
        let mut document = Document::new(head);
        let list = last(timeline);
        for round in rounds(&list) {
            let message = &round[0];
            let text = &message.text;
            let value = match message.what {
                What::System => json!({"type": "SystemMessage", "content": text}),
                What::Answer | What::Remark => {
                    json!({"type": "AssistantMessage", "source": "clerk", "content": text, "thought": null})
                }
                What::Call => {
                    let call = |id: &String| json!({"id": id, "name": "look", "arguments": "{}"});
                    let calls: Vec<Value> = message.calls.iter().map(call).collect();
                    let thought = (!text.is_empty()).then_some(text);
                    json!({"type": "AssistantMessage", "source": "clerk", "content": calls, "thought": thought})
                }
                What::Result => {
                    let results = round.iter().map(|result| {
                        json!({"call_id": result.answers, "name": "look", "content": result.text, "is_error": false})
                    });
                    json!({"type": "FunctionExecutionResultMessage", "content": results.collect::<Vec<_>>()})
                }
                What::Question | What::Injection | What::Summary => {
                    json!({"type": "UserMessage", "source": "user", "content": text})
                }
            };
            let line = document.add(&value);
            for message in round {
                document.stands(message, line);
            }
        }
        document.file("json", "]}}}}\n")
    },
};
