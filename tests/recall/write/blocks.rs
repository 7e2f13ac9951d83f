//! Messages with blocks, as Cline and Roo Code keep them.

use serde_json::{Value, json};

use crate::model::{Message, What};

/// What stands in one record: the results of calls that were made together stand in one message.
pub(super) fn message(round: &[Message], details: Option<&str>) -> Value {
    let first = &round[0];
    let text = |text: &str| json!({"type": "text", "text": text});
    let (role, mut blocks) = match first.what {
        What::System => unreachable!("the system prompt stands beside the messages"),
        What::Question | What::Injection | What::Summary => ("user", vec![text(&first.text)]),
        What::Answer | What::Remark => ("assistant", vec![text(&first.text)]),
        What::Call => {
            let said = (!first.text.is_empty()).then(|| text(&first.text));
            let call = |id: &String| json!({"type": "tool_use", "id": id, "name": "look", "input": {"for": id}});
            (
                "assistant",
                said.into_iter().chain(first.calls.iter().map(call)).collect(),
            )
        }
        What::Result => {
            let result = |message: &Message| json!({"type": "tool_result", "tool_use_id": message.answers, "content": message.text});
            ("user", round.iter().map(result).collect())
        }
    };
    // The tool puts its details around what the person writes, and behind what tools answer.
    if matches!(first.what, What::Question | What::Result) {
        blocks.extend(details.map(text));
    }
    json!({"role": role, "content": blocks})
}
