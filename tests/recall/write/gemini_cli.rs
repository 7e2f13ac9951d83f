//! Gemini CLI: sessions as records, and in one document. Results stand in the record that called for them.

use serde_json::{Value, json};

use super::shared::{Document, last, time};
use super::{File, Lines, Records, Shows, Traits, Writer};
use crate::model::{Does, How, Message, Timeline, What};
use crate::support::random::Random;

/// A header, then a message a line; compressions as `$set`.
pub(super) struct Sessions;

/// One document with all messages.
pub(super) struct Documents;

const TRAITS: Traits = Traits {
    system: false,
    together: true,
    orphans: false,
    ..Traits::of(Shows::Log)
};

impl Writer for Sessions {
    fn name(&self) -> &'static str {
        "gemini-cli session"
    }

    fn format(&self) -> &'static str {
        "gemini-cli"
    }

    fn traits(&self) -> Traits {
        TRAITS
    }

    fn write(&self, timeline: &Timeline, _random: &mut Random) -> File {
        let mut records = Records::default();
        records.add(
            &json!({"sessionId": "5d3c1f00-000d", "projectHash": "9f2b", "startTime": time(0),
            "lastUpdated": time(0), "kind": "main", "directories": ["/srv/harbour"]}),
        );
        let mut seconds = 0;
        let lists = timeline.lists();
        for (number, (step, list)) in timeline.steps.iter().zip(&lists).enumerate() {
            match &step.does {
                // They stand with their calls.
                Does::Append(results) if step.how == How::Tools => {
                    for result in results {
                        if let Some(line) = records.lines.of_caller(result, list) {
                            records.lines.message(result.uid, line);
                        }
                    }
                }
                Does::Append(messages) => {
                    for (uid, record) in told(messages, lists.get(number + 1).unwrap_or(list)) {
                        seconds += 2;
                        let line = records.add(&dated(record, seconds));
                        records.lines.message(uid, line);
                    }
                    for result in messages.iter().filter(|message| message.what == What::Result) {
                        if let Some(line) = records.lines.of_caller(result, messages) {
                            records.lines.message(result.uid, line);
                        }
                    }
                }
                Does::Set(list) => unreachable!("a session is not written anew: {list:?}"),
                Does::Compact(_) => {
                    let messages = told(list, list).into_iter().map(|(_, record)| dated(record, seconds));
                    let set = json!({"$set": {"messages": messages.collect::<Vec<_>>()}});
                    let line = records.add(&set);
                    records.lines.step(number, line);
                }
            }
        }
        records.file()
    }
}

impl Writer for Documents {
    fn name(&self) -> &'static str {
        "gemini-cli document"
    }

    fn format(&self) -> &'static str {
        "gemini-cli"
    }

    fn traits(&self) -> Traits {
        Traits {
            shows: Shows::List,
            compaction: None,
            ..TRAITS
        }
    }

    fn write(&self, timeline: &Timeline, _random: &mut Random) -> File {
        let head = json!({"sessionId": "5d3c1f00-000e", "projectHash": "9f2b", "startTime": time(0),
            "lastUpdated": time(0)});
        let head = head.to_string();
        let mut document = Document::new(&format!("{}, \"messages\": [", head.trim_end_matches('}')));
        let list = last(timeline);
        for (seconds, (uid, record)) in told(&list, &list).into_iter().enumerate() {
            let line = document.add(&dated(record, seconds));
            document.lines.message(uid, line);
        }
        for result in list.iter().filter(|message| message.what == What::Result) {
            if let Some(line) = document.lines.of_caller(result, &list) {
                document.lines.message(result.uid, line);
            }
        }
        document.file("json", "]}\n")
    }
}

impl Lines {
    /// The line of the message that called for a result.
    fn of_caller(&self, result: &Message, list: &[Message]) -> Option<usize> {
        let at = list.iter().position(|message| message.uid == result.uid)?;
        let caller = list[..at].iter().rfind(|caller| result.is_result_of(&caller.calls));
        self.line_of(caller?.uid)
    }
}

fn dated(mut record: Value, seconds: usize) -> Value {
    record["timestamp"] = json!(time(seconds));
    record
}

/// Records of messages, each with the message it is of; the results of calls stand in a list.
fn told(messages: &[Message], list: &[Message]) -> Vec<(usize, Value)> {
    let said = messages.iter().filter(|message| message.what != What::Result);
    let record = |message: &Message| {
        let Message { id, text, .. } = message;
        let record = match message.what {
            What::System => unreachable!("the system prompt is not recorded"),
            What::Question | What::Injection => json!({"id": id, "type": "user", "content": [{"text": text}]}),
            What::Summary => {
                let text = format!("<state_snapshot>{text}</state_snapshot>");
                json!({"id": id, "type": "user", "content": [{"text": text}]})
            }
            What::Answer | What::Remark => json!({"id": id, "type": "gemini", "content": text, "model": "gemini-3"}),
            What::Result | What::Call => {
                let calls: Vec<Value> = message
                    .calls
                    .iter()
                    .map(|call| called(call, behind(message, list)))
                    .collect();
                json!({"id": id, "type": "gemini", "content": text, "model": "gemini-3", "toolCalls": calls})
            }
        };
        (message.uid, record)
    };
    said.map(record).collect()
}

/// What stands behind a message, up to a copy of it.
fn behind<'l>(message: &Message, list: &'l [Message]) -> &'l [Message] {
    let from = list.iter().position(|other| other.uid == message.uid);
    let rest = from.map_or(&[][..], |at| &list[at + 1..]);
    let again = rest.iter().position(|other| other.calls == message.calls);
    &rest[..again.unwrap_or(rest.len())]
}

/// A call with its results.
fn called(call: &str, list: &[Message]) -> Value {
    let results = list.iter().filter(|message| message.answers.as_deref() == Some(call));
    let result = |message: &Message| json!({"functionResponse": {"id": call, "name": "look", "response": {"output": message.text}}});
    let results: Vec<Value> = results.map(result).collect();
    let mut made = json!({"id": call, "name": "look", "args": {"for": call}, "status": "success"});
    if !results.is_empty() {
        made["result"] = json!(results);
    }
    made
}
