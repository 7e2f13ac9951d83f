//! The Agent Development Kit: the events of a session.

use serde_json::{Value, json};

use super::form::{Costs, Form, rounds};
use super::shared::{Document, last};
use super::{Shows, Traits};
use crate::model::{Message, Timeline, What};

/// `{appName, userId, events}`
pub(super) static SESSION: Form = Form {
    name: "adk session",
    format: "adk",
    traits: Traits {
        system: false,
        together: true,
        compaction: None,
        ..Traits::of(Shows::Log)
    },
    write: |timeline, _| {
        let head = json!({"id": "s1", "appName": "orchard", "userId": "u1", "state": {}, "lastUpdateTime": 900.5});
        let head = head.to_string();
        let mut document = Document::new(&format!("{},\"events\":[", &head[..head.len() - 1]));
        events(timeline, &mut document);
        document.file("json", "]}\n")
    },
};

fn events(timeline: &Timeline, document: &mut Document) {
    let list = last(timeline);
    let mut at = 0;
    let mut costs = Costs::default();
    for (number, round) in rounds(&list).into_iter().enumerate() {
        let first = &round[0];
        let said = matches!(first.what, What::Answer | What::Call);
        let mut event = json!({
            "id": first.id, "invocationId": "i1", "author": if said || first.what == What::Result { "clerk" } else { "user" },
            "content": {"role": if said { "model" } else { "user" }, "parts": round.iter().flat_map(parts).collect::<Vec<_>>()},
            "actions": {"stateDelta": {}}, "timestamp": 100 + number,
        });
        if said {
            let (tokens, read) = costs.of(&list[..at]);
            event["usageMetadata"] = json!({"promptTokenCount": tokens, "candidatesTokenCount": 30,
                "totalTokenCount": tokens + 30});
            if read > 0 {
                event["usageMetadata"]["cachedContentTokenCount"] = json!(read);
            }
        }
        let line = document.add(&event);
        for message in round {
            document.stands(message, line);
        }
        at += round.len();
    }
}

fn parts(message: &Message) -> Vec<Value> {
    if let Some(call) = &message.answers {
        let response = json!({"id": call, "name": "look", "response": {"result": message.text}});
        return vec![json!({"functionResponse": response})];
    }
    let text = (!message.text.is_empty()).then(|| json!({"text": message.text}));
    let call = |id: &String| json!({"functionCall": {"id": id, "name": "look", "args": {"for": id}}});
    text.into_iter().chain(message.calls.iter().map(call)).collect()
}
