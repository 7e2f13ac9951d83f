//! What several writers need.

use serde_json::{Value, json};

use super::{File, Lines, Records};
use crate::model::{Does, How, Message, Timeline, What};

/// Writes a record for each call of the model: what was sent, and what it said then. Where `answers`, the record
/// tells both.
pub(super) fn calls(
    timeline: &Timeline,
    answers: bool,
    mut record: impl FnMut(usize, &[Message], &[Message]) -> Value,
) -> Records {
    let mut records = Records::default();
    let lists = timeline.lists();
    let mut untold = 0;
    for (number, step) in timeline.steps.iter().enumerate() {
        let (How::Model, Does::Append(said)) = (&step.how, &step.does) else {
            continue;
        };
        let line = records.add(&record(number, &lists[number - 1], said));
        let told = if answers { number + 1 } else { number };
        for step in untold..told {
            records.lines.step(step, line);
        }
        untold = told;
    }
    records
}

/// A document with a message a line.
pub(super) struct Document {
    text: String,
    count: usize,
    pub(super) lines: Lines,
    any: bool,
}

impl Document {
    /// Begins a document: everything up to the list of messages, on one line.
    pub(super) fn new(head: &str) -> Self {
        Self {
            text: format!("{head}\n"),
            count: 1,
            lines: Lines::default(),
            any: false,
        }
    }

    /// Adds a value to the list; its line.
    pub(super) fn add(&mut self, value: &Value) -> usize {
        if self.any {
            self.text.pop();
            self.text.push_str(",\n");
        }
        self.any = true;
        self.text.push_str(&value.to_string());
        self.text.push('\n');
        self.count += 1;
        self.count
    }

    /// What the program itself writes amiss stands on this line.
    pub(super) fn known(&mut self, rule: &'static str, line: usize) {
        self.lines.known(rule, line);
    }

    /// A message stands on this line, perhaps with others.
    pub(super) fn stands(&mut self, message: &Message, line: usize) {
        self.lines.message(message.uid, line);
    }

    /// Adds what stands for a message.
    pub(super) fn message(&mut self, message: &Message, value: &Value) {
        let line = self.add(value);
        self.lines.message(message.uid, line);
    }

    /// Ends the document with everything behind the list.
    pub(super) fn file(mut self, ending: &'static str, tail: &str) -> File {
        self.text.push_str(tail);
        File {
            ending,
            text: self.text,
            lines: self.lines,
        }
    }
}

/// The list at the end of a session.
pub(super) fn last(timeline: &Timeline) -> Vec<Message> {
    timeline.lists().pop().unwrap_or_default()
}

/// A message of the chat API of `OpenAI`.
pub(super) fn chat(message: &Message) -> Value {
    let text = &message.text;
    match message.what {
        What::System => json!({"role": "system", "content": text}),
        What::Question | What::Injection | What::Summary => json!({"role": "user", "content": text}),
        What::Answer | What::Remark => json!({"role": "assistant", "content": text}),
        What::Call => {
            let call = |id: &String| {
                let arguments = json!({"for": id}).to_string();
                json!({"id": id, "type": "function", "function": {"name": "look", "arguments": arguments}})
            };
            let content = if text.is_empty() { Value::Null } else { json!(text) };
            let calls: Vec<Value> = message.calls.iter().map(call).collect();
            json!({"role": "assistant", "content": content, "tool_calls": calls})
        }
        What::Result => json!({"role": "tool", "tool_call_id": message.answers, "content": text}),
    }
}

/// Items of the Responses API.
pub(super) fn item(message: &Message) -> Value {
    let text = &message.text;
    match message.what {
        What::System => json!({"type": "message", "role": "system", "content": text}),
        What::Question | What::Injection | What::Summary => json!({"type": "message", "role": "user", "content": text}),
        What::Answer | What::Remark => json!({"type": "message", "id": format!("msg_{}", message.id),
            "role": "assistant", "status": "completed", "content": [{"type": "output_text", "text": text}]}),
        What::Call => json!({"type": "function_call", "id": format!("fc_{}", message.id), "call_id": message.calls[0],
            "name": "look", "arguments": "{}"}),
        What::Result => json!({"type": "function_call_output", "call_id": message.answers, "output": text}),
    }
}

/// The system prompt, and what stands behind it.
pub(super) fn split_system(list: &[Message]) -> (Option<&str>, &[Message]) {
    match list.split_first() {
        Some((first, rest)) if first.what == What::System => (Some(&first.text), rest),
        _ => (None, list),
    }
}

/// The name and the body of an injection.
pub(super) fn injected(message: &Message) -> (&str, &str) {
    let inner = message.text.trim_start_matches("<system-reminder>\n<");
    let (name, rest) = inner.split_once('>').unwrap_or_default();
    (name, rest.split_once('<').unwrap_or_default().0)
}

/// A moment so many seconds into a day.
pub(super) fn time(seconds: usize) -> String {
    let (hours, minutes, seconds) = (8 + seconds / 3600, seconds / 60 % 60, seconds % 60);
    format!("2026-05-04T{hours:02}:{minutes:02}:{seconds:02}.000Z")
}

/// Tokens of messages, roughly.
pub(super) fn tokens(list: &[Message]) -> usize {
    2_000 + list.iter().map(|message| 20 + message.text.len() / 4).sum::<usize>()
}
