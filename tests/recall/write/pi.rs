//! pi: entries that name their parent.

use serde_json::{Value, json};

use super::shared::{injected, time};
use super::{File, Records, Shows, Traits, Writer};
use crate::model::{Compact, Does, Message, Timeline, What};
use crate::support::random::Random;

/// A header, then an entry a line.
pub(super) struct Sessions;

impl Writer for Sessions {
    fn name(&self) -> &'static str {
        "pi session"
    }

    fn format(&self) -> &'static str {
        "pi"
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
            fresh: 9_000,
            ..Session::default()
        };
        session.records.add(
            &json!({"type": "session", "version": 3, "id": "01a229db-0000-7000-8000-00000000000c",
            "timestamp": time(0), "cwd": "/srv/harbour"}),
        );
        for (number, (step, list)) in timeline.steps.iter().zip(timeline.lists()).enumerate() {
            match &step.does {
                Does::Append(messages) => {
                    if timeline.missed == Some(number) {
                        session.fresh += std::mem::take(&mut session.cached);
                    }
                    for message in messages {
                        session.message(message);
                    }
                }
                Does::Set(list) => unreachable!("a session is not written anew: {list:?}"),
                Does::Compact(compact) => session.compaction(number, compact, &list),
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
    cached: usize,
    fresh: usize,
    severed: Option<usize>,
}

impl Session {
    fn entry(&mut self, id: &str, mut entry: Value) -> usize {
        self.seconds += 2;
        entry["id"] = json!(id);
        entry["parentId"] = json!(self.parent);
        entry["timestamp"] = json!(time(self.seconds));
        self.parent = Some(id.to_owned());
        self.records.add(&entry)
    }

    fn message(&mut self, message: &Message) {
        let text = json!({"type": "text", "text": message.text});
        self.fresh += 40 + message.text.len() / 4;
        let entry = match message.what {
            What::System => unreachable!("the system prompt is not recorded"),
            What::Question | What::Summary => {
                json!({"type": "message", "message": {"role": "user", "content": [text]}})
            }
            What::Injection => {
                let (name, body) = injected(message);
                json!({"type": "custom_message", "customType": name, "content": body, "display": true})
            }
            What::Answer | What::Remark => self.said(&json!([text]), "stop"),
            What::Call => {
                let call =
                    |id: &String| json!({"type": "toolCall", "id": id, "name": "bash", "arguments": {"for": id}});
                let text = (!message.text.is_empty()).then_some(text);
                let blocks: Vec<Value> = text.into_iter().chain(message.calls.iter().map(call)).collect();
                self.said(&json!(blocks), "toolUse")
            }
            What::Result => json!({"type": "message", "message": {"role": "toolResult",
                "toolCallId": message.answers, "toolName": "bash", "content": [text], "isError": false}}),
        };
        if self.severed == Some(message.uid) {
            self.parent = Some("lost".to_owned());
        }
        let line = self.entry(&message.id, entry);
        self.records.lines.message(message.uid, line);
    }

    fn said(&mut self, content: &Value, reason: &str) -> Value {
        let (read, written) = (self.cached, self.fresh);
        self.cached += std::mem::take(&mut self.fresh);
        json!({"type": "message", "message": {"role": "assistant", "content": content, "api": "anthropic-messages",
            "provider": "anthropic", "model": "claude-x", "stopReason": reason,
            "usage": {"input": 4, "output": 60, "cacheRead": read, "cacheWrite": written}}})
    }

    fn compaction(&mut self, step: usize, compact: &Compact, list: &[Message]) {
        let id = &compact.summary.id;
        let kept = list.iter().find(|message| message.uid != compact.summary.uid);
        let kept = kept.map_or(id, |message| &message.id);
        let entry = json!({"type": "compaction", "summary": compact.summary.text, "firstKeptEntryId": kept,
            "tokensBefore": 150_000});
        let line = self.entry(id, entry);
        self.records.lines.step(step, line);
        (self.cached, self.fresh) = (0, 9_000);
    }
}
