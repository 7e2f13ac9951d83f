//! Messages of an interface: a call and its result are one part.

use serde_json::{Value, json};

use super::form::result_of;
use crate::model::{Message, What};

/// The role and the parts of a message with the results of its calls. `part` writes a call with its result, if it
/// has one.
pub(super) fn of(step: &[Message], part: fn(&str, Option<&Message>) -> Value) -> (&'static str, Vec<Value>) {
    let message = &step[0];
    let role = match message.what {
        What::System => "system",
        What::Answer | What::Call | What::Remark => "assistant",
        _ => "user",
    };
    let said = (!message.text.is_empty()).then(|| json!({"type": "text", "text": message.text}));
    let calls = message.calls.iter().map(|id| part(id, result_of(step, id)));
    (role, said.into_iter().chain(calls).collect())
}
