//! LangGraph: streams of updates and of values.

use std::collections::HashSet;

use serde_json::{Value, json};

use super::{File, Records, Shows, Traits, Writer};
use crate::model::{Does, How, Message, Timeline, What};
use crate::support::random::Random;

/// `{node: update}` a line, inputs as `__input__`.
pub(super) struct Updates;

/// The whole state after each step.
pub(super) struct Values;

impl Writer for Updates {
    fn name(&self) -> &'static str {
        "langgraph updates with inputs"
    }

    fn format(&self) -> &'static str {
        "langgraph"
    }

    fn traits(&self) -> Traits {
        Traits::of(Shows::Updates)
    }

    fn write(&self, timeline: &Timeline, random: &mut Random) -> File {
        let mut records = Records::default();
        let mut before: Vec<Message> = Vec::new();
        for (number, (step, list)) in timeline.steps.iter().zip(timeline.lists()).enumerate() {
            let written = match &step.does {
                Does::Append(messages) => messages.iter().map(message).collect(),
                Does::Set(_) | Does::Compact(_) => update(&before, &list, random),
            };
            let node = match step.how {
                How::Input => "__input__",
                How::Model => "model",
                How::Tools => "tools",
                How::Node(name) => name,
                How::Compaction => "summarize",
            };
            let line = records.add(&json!({node: {"messages": written}}));
            records.lines.step(number, line);
            before = list;
        }
        records.file()
    }
}

impl Writer for Values {
    fn name(&self) -> &'static str {
        "langgraph values"
    }

    fn format(&self) -> &'static str {
        "langgraph"
    }

    fn traits(&self) -> Traits {
        Traits::of(Shows::States)
    }

    fn write(&self, timeline: &Timeline, _random: &mut Random) -> File {
        let mut records = Records::default();
        for (number, list) in timeline.lists().iter().enumerate() {
            let messages: Vec<Value> = list.iter().map(message).collect();
            let line = records.add(&json!({"messages": messages}));
            records.lines.step(number, line);
        }
        records.file()
    }
}

/// What a node has to return so that `add_messages` makes one list of the other.
fn update(before: &[Message], after: &[Message], random: &mut Random) -> Vec<Value> {
    let kept: HashSet<&str> = after.iter().map(|message| message.id.as_str()).collect();
    let stays: Vec<&Message> = before.iter().filter(|old| kept.contains(old.id.as_str())).collect();
    let in_order = stays.iter().zip(after).all(|(old, new)| old.id == new.id) && stays.len() <= after.len();
    if !in_order || random.below(3) == 0 {
        let remove_all = json!({"type": "remove", "id": "__remove_all__", "content": ""});
        return [remove_all].into_iter().chain(after.iter().map(message)).collect();
    }
    let gone = before.iter().filter(|old| !kept.contains(old.id.as_str()));
    let gone = gone.map(|old| json!({"type": "remove", "id": old.id, "content": ""}));
    let new = after.iter().filter(|new| !before.iter().any(|old| old.uid == new.uid));
    gone.chain(new.map(message)).collect()
}

fn message(message: &Message) -> Value {
    let Message { id, text, .. } = message;
    match message.what {
        What::System => json!({"type": "system", "id": id, "content": text}),
        What::Question | What::Injection => json!({"type": "human", "id": id, "content": text}),
        What::Summary => json!({"type": "human", "id": id, "content": text,
            "additional_kwargs": {"lc_source": "summarization"}}),
        What::Answer | What::Remark => json!({"type": "ai", "id": id, "content": text, "tool_calls": []}),
        What::Call => {
            let calls = message.calls.iter();
            let calls =
                calls.map(|call| json!({"name": "look", "args": {"for": call}, "id": call, "type": "tool_call"}));
            json!({"type": "ai", "id": id, "content": text, "tool_calls": calls.collect::<Vec<_>>()})
        }
        What::Result => json!({"type": "tool", "id": id, "content": text, "name": "look",
            "tool_call_id": message.answers, "status": "success"}),
    }
}
