//! Claude Code: lines that are linked by `parentUuid`.

use serde_json::{Value, json};

use super::{File, Records, Shows, Traits, Writer};
use crate::model::{Does, How, Message, Timeline, What};
use crate::support::random::Random;

/// `<session>.jsonl`
pub(super) struct Sessions;

impl Writer for Sessions {
    fn name(&self) -> &'static str {
        "claude-code session"
    }

    fn format(&self) -> &'static str {
        "claude-code"
    }

    fn traits(&self) -> Traits {
        Traits {
            system: false,
            apart: true,
            mild: true,
            ..Traits::of(Shows::Log)
        }
    }

    fn write(&self, timeline: &Timeline, random: &mut Random) -> File {
        let mut session = Session {
            severed: timeline.severed,
            fresh: 9_000,
            ..Session::default()
        };
        session
            .records
            .add(&json!({"type": "summary", "summary": "A day of work", "leafUuid": "gone"}));
        for (number, (step, list)) in timeline.steps.iter().zip(timeline.lists()).enumerate() {
            match &step.does {
                Does::Append(messages) => {
                    if step.how == How::Model {
                        session.call(number, timeline.missed == Some(number));
                    }
                    for message in messages {
                        session.message(message);
                    }
                }
                Does::Set(list) => unreachable!("a session is not written anew: {list:?}"),
                Does::Compact(compact) => {
                    let kept = list.iter().filter(|message| message.uid != compact.summary.uid);
                    let kept: Vec<&Message> = kept.collect();
                    session.compaction(number, &compact.summary, &kept, random.below(2) == 0);
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
    /// Who called what.
    callers: Vec<(String, String)>,
    seconds: usize,
    /// Tokens that the cache holds, and of what came since.
    cached: usize,
    fresh: usize,
    /// The response that is under way: its number, and what it read from the cache and wrote to it.
    response: [usize; 3],
    severed: Option<usize>,
}

impl Session {
    /// Writes a line that follows the one before it; the number of the line.
    fn line(&mut self, id: &str, parent: Option<&str>, more: Value) -> usize {
        self.seconds += 2;
        let mut line = json!({
            "parentUuid": parent,
            "isSidechain": false,
            "userType": "external",
            "cwd": "/srv/harbour",
            "sessionId": "6b1f0000-0000-4000-8000-000000000001",
            "version": "2.1.200",
            "uuid": id,
            "timestamp": format!("2026-05-04T{:02}:{:02}:{:02}.000Z", 8 + self.seconds / 3600, self.seconds / 60 % 60, self.seconds % 60),
        });
        let (Value::Object(line_fields), Value::Object(more)) = (&mut line, more) else {
            unreachable!("both are objects")
        };
        line_fields.extend(more);
        self.parent = Some(id.to_owned());
        self.records.add(&line)
    }

    fn message(&mut self, message: &Message) {
        let gone = || Some("lost".to_owned());
        let parent = if self.severed == Some(message.uid) {
            gone()
        } else {
            self.parent.clone()
        };
        let text = &message.text;
        self.fresh += 40 + text.len() / 4;
        let more = match message.what {
            What::System => unreachable!("the system prompt is not recorded"),
            What::Question => json!({"type": "user", "message": {"role": "user", "content": text}}),
            What::Injection => json!({"type": "user", "isMeta": true, "message": {"role": "user", "content": text}}),
            What::Summary => json!({"type": "user", "isCompactSummary": true, "isVisibleInTranscriptOnly": true,
                "message": {"role": "user", "content": text}}),
            What::Answer | What::Remark => self.said(&json!({"type": "text", "text": text})),
            What::Call => {
                let call = &message.calls[0];
                self.callers.push((call.clone(), message.id.clone()));
                let block = json!({"type": "tool_use", "id": call, "name": "Look", "input": {"for": call}});
                self.said(&block)
            }
            What::Result => {
                let call = message.answers.as_deref().unwrap_or_default();
                let caller = self.callers.iter().find(|(made, _)| made == call);
                json!({"type": "user", "sourceToolAssistantUUID": caller.map(|(_, id)| id), "message": {"role": "user",
                    "content": [{"type": "tool_result", "tool_use_id": call, "content": text}]}})
            }
        };
        let line = self.line(&message.id, parent.as_deref(), more);
        self.records.lines.message(message.uid, line);
    }

    /// Begins a response.
    fn call(&mut self, number: usize, missed: bool) {
        if missed {
            self.fresh += std::mem::take(&mut self.cached);
        }
        self.response = [number, self.cached, self.fresh];
        self.cached += std::mem::take(&mut self.fresh);
    }

    /// A block of a response, with what the call cost.
    fn said(&mut self, block: &Value) -> Value {
        let [number, read, written] = self.response;
        json!({"type": "assistant", "requestId": format!("req_{number}"), "message": {
            "id": format!("msg_{number}"), "type": "message", "role": "assistant", "model": "claude-opus-4-6",
            "content": [block],
            "usage": {"input_tokens": 4, "cache_read_input_tokens": read, "cache_creation_input_tokens": written,
                "output_tokens": 60},
        }})
    }

    fn compaction(&mut self, step: usize, summary: &Message, kept: &[&Message], manual: bool) {
        let last = self.parent.take();
        let boundary = format!("b{}", summary.uid);
        let mut metadata = json!({"trigger": if manual { "manual" } else { "auto" }, "preTokens": 150_000});
        if !kept.is_empty() {
            let ids: Vec<&str> = kept.iter().map(|message| message.id.as_str()).collect();
            metadata["preservedMessages"] = json!({"anchorUuid": summary.id, "uuids": ids});
        }
        let more = json!({"type": "system", "subtype": "compact_boundary", "content": "Conversation compacted",
            "logicalParentUuid": last, "compactMetadata": metadata});
        let line = self.line(&boundary, None, more);
        self.records.lines.step(step, line);
        (self.cached, self.fresh) = (0, 9_000);
        self.message(summary);
        if let Some(last) = kept.last() {
            self.parent = Some(last.id.clone());
        }
    }
}
