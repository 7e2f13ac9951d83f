//! `OpenHands`: events of V1.

use serde_json::{Value, json};

use super::shared::time;
use super::{File, Records, Shows, Traits, Writer};
use crate::model::{Does, Message, Timeline, What};
use crate::support::random::Random;

/// An event a line.
pub(super) struct Events;

impl Writer for Events {
    fn name(&self) -> &'static str {
        "openhands events"
    }

    fn format(&self) -> &'static str {
        "openhands"
    }

    fn traits(&self) -> Traits {
        Traits {
            apart: true,
            orphans: false,
            ..Traits::of(Shows::Log)
        }
    }

    fn write(&self, timeline: &Timeline, _random: &mut Random) -> File {
        let mut records = Records::default();
        let mut before: Vec<Message> = Vec::new();
        for (number, (step, list)) in timeline.steps.iter().zip(timeline.lists()).enumerate() {
            match &step.does {
                Does::Append(messages) => {
                    for message in messages {
                        let line = records.add(&dated(event(message), number));
                        records.lines.message(message.uid, line);
                    }
                }
                Does::Set(list) => unreachable!("events are only added: {list:?}"),
                Does::Compact(compact) => {
                    let gone = before.iter().filter(|old| !list.contains(old));
                    let gone: Vec<&str> = gone.map(|old| old.id.as_str()).collect();
                    let at = list.iter().position(|message| message.uid == compact.summary.uid);
                    let event = json!({"id": compact.summary.id, "source": "environment", "kind": "Condensation",
                        "forgotten_event_ids": gone, "summary": compact.summary.text, "summary_offset": at,
                        "llm_response_id": "r"});
                    let line = records.add(&dated(event, number));
                    records.lines.step(number, line);
                }
            }
            before = list;
        }
        records.file()
    }
}

fn dated(mut event: Value, seconds: usize) -> Value {
    event["timestamp"] = json!(time(seconds).trim_end_matches('Z'));
    event
}

fn event(message: &Message) -> Value {
    let Message { id, text, .. } = message;
    let block = json!([{"type": "text", "text": text, "cache_prompt": false}]);
    match message.what {
        What::System => json!({"id": id, "source": "agent", "kind": "SystemPromptEvent",
            "system_prompt": {"type": "text", "text": text}, "tools": []}),
        What::Question | What::Injection | What::Summary => json!({"id": id, "source": "user", "kind": "MessageEvent",
            "llm_message": {"role": "user", "content": block}, "activated_skills": [], "extended_content": []}),
        What::Answer | What::Remark => json!({"id": id, "source": "agent", "kind": "MessageEvent",
            "llm_message": {"role": "assistant", "content": block}, "activated_skills": [], "extended_content": []}),
        What::Call => {
            let call = &message.calls[0];
            json!({"id": id, "source": "agent", "kind": "ActionEvent", "thought": [], "reasoning_content": "",
                "action": {"kind": "TerminalAction", "command": call}, "tool_name": "terminal", "tool_call_id": call,
                "tool_call": {"id": call, "name": "terminal", "arguments": "{}"}, "llm_response_id": "r"})
        }
        What::Result => json!({"id": id, "source": "environment", "kind": "ObservationEvent", "tool_name": "terminal",
            "tool_call_id": message.answers, "action_id": "x",
            "observation": {"kind": "TerminalObservation", "content": block, "exit_code": 0}}),
    }
}
