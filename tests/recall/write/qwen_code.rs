//! Qwen Code: records that are linked by `parentUuid`.

use serde_json::{Value, json};

use super::shared::time;
use super::{File, Records, Shows, Traits, Writer};
use crate::model::{Does, Message, Timeline, What};
use crate::support::random::Random;

/// A record a line.
pub(super) struct Sessions;

impl Writer for Sessions {
    fn name(&self) -> &'static str {
        "qwen-code session"
    }

    fn format(&self) -> &'static str {
        "qwen-code"
    }

    fn traits(&self) -> Traits {
        Traits {
            system: false,
            ..Traits::of(Shows::Log)
        }
    }

    fn write(&self, timeline: &Timeline, _random: &mut Random) -> File {
        let mut session = Session {
            severed: timeline.severed,
            ..Session::default()
        };
        for (number, (step, list)) in timeline.steps.iter().zip(timeline.lists()).enumerate() {
            match &step.does {
                Does::Append(messages) => messages.iter().for_each(|message| session.message(message)),
                Does::Set(list) => unreachable!("a session is not written anew: {list:?}"),
                Does::Compact(compact) => {
                    let history: Vec<Value> = list.iter().map(content).collect();
                    let more = json!({"type": "system", "subtype": "chat_compression", "systemPayload": {
                        "info": {"originalTokenCount": 90_000, "newTokenCount": 9_000, "compressionStatus": 1},
                        "compressedHistory": history}});
                    let line = session.record(&compact.summary.id, more);
                    session.records.lines.step(number, line);
                }
            }
        }
        session.records.file()
    }
}

#[derive(Default)]
struct Session {
    records: Records,
    parent: Option<String>,
    seconds: usize,
    severed: Option<usize>,
}

impl Session {
    fn record(&mut self, id: &str, more: Value) -> usize {
        self.seconds += 2;
        let mut record = json!({"uuid": id, "parentUuid": self.parent,
            "sessionId": "aa000000-0000-4000-8000-00000000000f", "timestamp": time(self.seconds),
            "cwd": "/srv/harbour", "version": "0.14.5", "gitBranch": "main"});
        let (Value::Object(fields), Value::Object(more)) = (&mut record, more) else {
            unreachable!("both are objects")
        };
        fields.extend(more);
        self.parent = Some(id.to_owned());
        self.records.add(&record)
    }

    fn message(&mut self, message: &Message) {
        let content = content(message);
        let more = match message.what {
            What::System => unreachable!("the system prompt is not recorded"),
            What::Question => json!({"type": "user", "provenance": "real_user", "message": content}),
            What::Injection | What::Summary => json!({"type": "user", "provenance": "system", "message": content}),
            What::Answer | What::Remark | What::Call => {
                json!({"type": "assistant", "model": "qwen3-coder", "message": content})
            }
            What::Result => json!({"type": "tool_result", "message": content,
                "toolCallResult": {"callId": message.answers, "status": "success"}}),
        };
        if self.severed == Some(message.uid) {
            self.parent = Some("lost".to_owned());
        }
        let line = self.record(&message.id, more);
        self.records.lines.message(message.uid, line);
    }
}

fn content(message: &Message) -> Value {
    let text = &message.text;
    match message.what {
        What::System | What::Question | What::Injection => json!({"role": "user", "parts": [{"text": text}]}),
        What::Summary => {
            json!({"role": "user", "parts": [{"text": format!("<state_snapshot>{text}</state_snapshot>")}]})
        }
        What::Answer | What::Remark => json!({"role": "model", "parts": [{"text": text}]}),
        What::Call => {
            let call = |id: &String| json!({"functionCall": {"id": id, "name": "look", "args": {"for": id}}});
            let text = (!text.is_empty()).then(|| json!({"text": text}));
            let parts: Vec<Value> = text.into_iter().chain(message.calls.iter().map(call)).collect();
            json!({"role": "model", "parts": parts})
        }
        What::Result => {
            let response = json!({"id": message.answers, "name": "look", "response": {"output": text}});
            json!({"role": "user", "parts": [{"functionResponse": response}]})
        }
    }
}
