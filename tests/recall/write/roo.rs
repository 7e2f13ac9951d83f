//! Roo Code: the list of a task.

use serde_json::json;

use super::blocks::message;
use super::form::{Form, nothing, rounds};
use super::shared::{Document, last};
use super::{Shows, Traits};
use crate::model::What;

/// What the tool puts into what the person writes, here into the first message.
const DETAILS: &str = "<environment_details>\n# Current Time\n5/4/2026, 9:00:00 AM\n\n# Current Mode\n<slug>code</slug>\n</environment_details>";

/// `api_conversation_history.json`
pub(super) static TASK: Form = Form {
    name: "roo task",
    format: "roo",
    traits: Traits {
        ids: false,
        system: false,
        together: true,
        compaction: None,
        ..Traits::of(Shows::List)
    },
    write: |timeline, _| {
        let mut document = Document::new("[");
        let list = last(timeline);
        let asked = list.iter().find(|message| message.what == What::Question);
        // Added once more it would be two messages: what was asked, and the details.
        let copies = list
            .iter()
            .filter(|message| asked.is_some_and(|asked| asked.text == message.text));
        if copies.count() > 1 {
            return nothing();
        }
        for (number, round) in rounds(&list).into_iter().enumerate() {
            let is_asked = asked.is_some_and(|asked| asked.text == round[0].text);
            let mut value = message(round, is_asked.then_some(DETAILS));
            value["ts"] = json!(1_777_885_200_000_u64 + 1_000 * number as u64);
            let line = document.add(&value);
            if is_asked {
                // How things stand at the moment stays in the history.
                document.known("persisted-state", line);
            }
            for message in round {
                document.stands(message, line);
            }
        }
        document.file("json", "]\n")
    },
};
