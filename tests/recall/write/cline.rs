//! Cline: the classic list of a task, and a session of its SDK.

use serde_json::json;

use super::blocks::message;
use super::form::{Costs, Form, nothing, rounds};
use super::shared::{Document, last, split_system};
use super::{Shows, Traits};
use crate::model::What;

/// What the tool puts into what the person writes, here into the first message.
const DETAILS: &str =
    "<environment_details>\n# Current Time\n5/4/2026, 9:00:00 AM\n\n# Current Mode\nACT MODE\n</environment_details>";

/// `api_conversation_history.json`
pub(super) static TASK: Form = Form {
    name: "cline task",
    format: "cline",
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
        for round in rounds(&list) {
            let is_asked = asked.is_some_and(|asked| asked.text == round[0].text);
            let line = document.add(&message(round, is_asked.then_some(DETAILS)));
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

/// `….messages.json`
pub(super) static SESSION: Form = Form {
    name: "cline session",
    format: "cline",
    traits: Traits {
        together: true,
        compaction: None,
        ..Traits::of(Shows::List)
    },
    write: |timeline, _| {
        let list = last(timeline);
        let (system, rest) = split_system(&list);
        let prompt = json!(system.unwrap_or_default());
        let head = format!(
            r#"{{"version":1,"updated_at":"2026-05-04T09:00:00.000Z","agent":"lead","sessionId":"s1","system_prompt":{prompt},"messages":["#
        );
        let mut document = Document::new(&head);
        let mut at = 0;
        let mut costs = Costs::default();
        for (number, round) in rounds(rest).into_iter().enumerate() {
            let mut value = message(round, None);
            value["id"] = json!(round[0].id);
            value["ts"] = json!(1_777_885_200_000_u64 + 1_000 * number as u64);
            if matches!(round[0].what, What::Answer | What::Call) {
                value["modelInfo"] = json!({"id": "gpt-x", "provider": "openai"});
                let (tokens, read) = costs.of(&rest[..at]);
                value["metrics"] = json!({"inputTokens": tokens, "outputTokens": 30, "cacheReadTokens": read,
                    "cacheWriteTokens": 0, "cost": 0.1});
            }
            let line = document.add(&value);
            for message in round {
                document.stands(message, line);
            }
            at += round.len();
        }
        document.file("json", "]}\n")
    },
};
