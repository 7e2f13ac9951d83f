//! The messages in attributes and events.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use crate::transcript::formats::{encoding, sent};
use crate::transcript::message::{Draft, Kind, Role, hash_of};

/// What was sent and what came back, by the attributes of a call.
pub(super) fn of(attributes: &Map<String, Value>) -> (Vec<Draft>, Vec<Draft>) {
    let list = |names: &[&str]| -> Vec<Value> {
        let found = names.iter().find_map(|name| attributes.get(*name));
        match found.map(unpacked) {
            Some(Value::Array(list)) => list,
            _ => Vec::new(),
        }
    };
    let mut sent: Vec<Draft> = Vec::new();
    if let Some(system) = attributes.get("gen_ai.system_instructions").map(unpacked) {
        let parts = if system.is_array() { system } else { json!([system]) };
        let system = structured(&json!({"role": "system", "parts": parts}));
        sent.extend(system.filter(|draft| !draft.text.is_empty()));
    }
    sent.extend(
        list(&["gen_ai.input.messages", "gen_ai.input_messages"])
            .iter()
            .filter_map(structured),
    );
    let mut said: Vec<Draft> = list(&["gen_ai.output.messages", "gen_ai.output_messages"])
        .iter()
        .filter_map(structured)
        .collect();
    if sent.is_empty() {
        // Libraries of the time between the two generations put all events into one attribute.
        for event in list(&["events", "all_messages_events"])
            .iter()
            .filter_map(Value::as_object)
        {
            let name = event.get("event.name").and_then(Value::as_str).unwrap_or_default();
            let into = if name == "gen_ai.choice" { &mut said } else { &mut sent };
            into.extend(told(name, event));
        }
    }
    // OpenInference, and OpenLLMetry before the conventions had attributes for messages.
    let names = [
        ("llm.input_messages", "llm.output_messages", ".message."),
        ("gen_ai.prompt", "gen_ai.completion", "."),
    ];
    for (prompt, completion, between) in names {
        if sent.is_empty() {
            sent = numbered(attributes, prompt, between);
            said = numbered(attributes, completion, between);
        }
    }
    (sent, said)
}

/// Hash of the tools that a call offered, under the names that instrumentations use.
pub(super) fn tools(attributes: &Map<String, Value>) -> Option<u64> {
    if let Some(list) = attributes.get("gen_ai.tool.definitions").map(unpacked) {
        return Some(hash_of(canonical(&list)));
    }
    let inside = [
        ("model_request_parameters", "function_tools"),
        ("llm.invocation_parameters", "tools"),
    ];
    for (name, key) in inside {
        let list = attributes
            .get(name)
            .map(unpacked)
            .and_then(|value| value.get(key).cloned());
        if let Some(list) = list {
            return Some(hash_of(canonical(&list)));
        }
    }
    let numbered = ["llm.tools", "llm.request.functions"];
    let mut list: Vec<(String, String)> = attributes
        .iter()
        .filter(|(name, _)| numbered.iter().any(|prefix| name.starts_with(prefix)))
        .map(|(name, value)| (name.clone(), canonical(&unpacked(value))))
        .collect();
    list.sort();
    (!list.is_empty()).then(|| hash_of(list))
}

/// A value, unpacked if it is JSON in a text.
fn unpacked(value: &Value) -> Value {
    match value {
        Value::String(text) if text.trim_start().starts_with(['[', '{']) => {
            serde_json::from_str(text).unwrap_or_else(|_| value.clone())
        }
        other => other.clone(),
    }
}

/// A message with parts.
fn structured(message: &Value) -> Option<Draft> {
    let role = encoding::role_word(message.get("role")?.as_str()?)?;
    let mut draft = Draft::new(role);
    let (mut texts, mut rest) = (Vec::<String>::new(), String::new());
    let parts = message.get("parts").and_then(Value::as_array);
    for part in parts.into_iter().flatten() {
        if part["type"] != "text" {
            sent::place(&mut rest, texts.len());
        }
        let id = || part.get("id").and_then(Value::as_str).map(Box::from);
        match part.get("type").and_then(Value::as_str) {
            Some("text") => texts.extend(part.get("content").and_then(Value::as_str).map(str::to_owned)),
            Some("tool_call") => {
                draft.calls.extend(id());
                rest.push_str(&canonical(part));
            }
            Some("tool_call_response") => {
                draft.role = Role::Tool;
                draft.results.extend(id());
                let result = part.get("response").or_else(|| part.get("result"));
                match result.and_then(Value::as_str) {
                    Some(text) => texts.push(text.to_owned()),
                    None => rest.push_str(&canonical(part)),
                }
            }
            _ => rest.push_str(&canonical(part)),
        }
    }
    if parts.is_none() {
        texts.extend(message.get("content").and_then(Value::as_str).map(str::to_owned));
    }
    draft.text = texts.join("\n");
    draft.content = hash_of((&draft.text, &rest));
    draft.beside = rest.len();
    draft.name = message.get("name").and_then(Value::as_str).map(str::to_owned);
    Some(draft)
}

/// What an event of the older generation tells: `gen_ai.user.message` and its kin, or `gen_ai.choice`.
pub(super) fn told(name: &str, body: &Map<String, Value>) -> Vec<Draft> {
    let (role, body) = match name {
        "gen_ai.system.message" => (Role::System, body.clone()),
        "gen_ai.user.message" => (Role::User, body.clone()),
        "gen_ai.assistant.message" => (Role::Assistant, body.clone()),
        "gen_ai.tool.message" => (Role::Tool, body.clone()),
        "gen_ai.choice" => match body.get("message").map(unpacked) {
            Some(Value::Object(message)) => (Role::Assistant, message),
            _ => (Role::Assistant, body.clone()),
        },
        _ => return Vec::new(),
    };
    if !body.contains_key("content") && !body.contains_key("tool_calls") {
        return Vec::new();
    }
    vec![plain(role, &body)]
}

/// A message with `content`, `tool_calls` and `id`.
fn plain(role: Role, message: &Map<String, Value>) -> Draft {
    let mut draft = Draft::new(role);
    let calls = message.get("tool_calls").map(unpacked).unwrap_or_default();
    for call in calls.as_array().into_iter().flatten() {
        draft
            .calls
            .extend(call.get("id").and_then(Value::as_str).map(Box::from));
    }
    if role == Role::Tool {
        let id = ["tool_call_id", "id"]
            .iter()
            .find_map(|key| message.get(*key)?.as_str());
        draft.results.extend(id.map(Box::from));
    }
    let content = message.get("content").cloned().unwrap_or_default();
    let rest = match content {
        Value::String(text) => {
            draft.text = text;
            String::new()
        }
        Value::Null => String::new(),
        other => canonical(&other),
    };
    let calls = calls.as_array().map(|_| canonical(&calls));
    draft.beside = rest.len() + calls.as_ref().map_or(0, String::len);
    draft.content = hash_of((&draft.text, rest, calls));
    if !draft.calls.is_empty() && draft.text.is_empty() {
        draft.told = Some(Kind::ToolCall);
    }
    draft
}

/// Messages that have a number in the name of every attribute, and this between the number and the name of a field.
fn numbered(attributes: &Map<String, Value>, prefix: &str, between: &str) -> Vec<Draft> {
    if let Some(Value::Array(list)) = attributes.get(prefix).map(unpacked) {
        return list.iter().filter_map(nested).collect();
    }
    let mut messages: BTreeMap<usize, Message> = BTreeMap::new();
    for (name, value) in attributes {
        let Some(rest) = name.strip_prefix(prefix).and_then(|rest| rest.strip_prefix('.')) else {
            continue;
        };
        let Some((number, field)) = rest.split_once(between) else {
            continue;
        };
        let Ok(number) = number.parse() else { continue };
        let message = messages.entry(number).or_default();
        let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        let part = |field: &str| {
            field
                .split('.')
                .nth(1)
                .and_then(|number| number.parse::<usize>().ok())
                .unwrap_or_default()
        };
        match field {
            "role" => message.role = encoding::role_word(&text),
            "content" => drop(message.texts.insert((0, 0), text)),
            "tool_call_id" => message.result = Some(text),
            "name" => message.name = Some(text),
            _ if field.starts_with("contents.") && field.rsplit('.').next() == Some("text") => {
                message.texts.insert((1, part(field)), text);
            }
            _ if field.starts_with("tool_calls.") => {
                if field.rsplit('.').next() == Some("id") {
                    message.calls.push(text.as_str().into());
                }
                message.rest.insert(field.to_owned(), text);
            }
            _ => {}
        }
    }
    messages.into_values().filter_map(Message::draft).collect()
}

/// The same as an object in a list.
fn nested(value: &Value) -> Option<Draft> {
    let message = value.get("message").unwrap_or(value).as_object()?;
    let field = |name: &str| message.get(name).or_else(|| message.get(&format!("message.{name}")));
    let role = encoding::role_word(field("role")?.as_str()?)?;
    let mut draft = Draft::of_text(role, field("content").and_then(Value::as_str).unwrap_or_default());
    let calls = field("tool_calls").filter(|calls| calls.as_array().is_some_and(|calls| !calls.is_empty()));
    for call in calls.and_then(Value::as_array).into_iter().flatten() {
        let id = call.pointer("/tool_call/id").or_else(|| call.get("tool_call.id"));
        draft.calls.extend(id.and_then(Value::as_str).map(Box::from));
    }
    if let Some(calls) = calls.map(canonical) {
        draft.content = hash_of((&draft.text, &calls));
        draft.beside = calls.len();
    }
    draft
        .results
        .extend(field("tool_call_id").and_then(Value::as_str).map(Box::from));
    Some(draft)
}

#[derive(Default)]
struct Message {
    role: Option<Role>,
    texts: BTreeMap<(u8, usize), String>,
    rest: BTreeMap<String, String>,
    calls: Vec<Box<str>>,
    result: Option<String>,
    name: Option<String>,
}

impl Message {
    fn draft(self) -> Option<Draft> {
        let role = self.role?;
        let text = self.texts.into_values().collect::<Vec<_>>().join("\n");
        Some(Draft {
            content: hash_of((&text, &self.rest)),
            beside: self.rest.values().map(String::len).sum(),
            text,
            calls: self.calls,
            results: self.result.map(String::into_boxed_str).into_iter().collect(),
            name: self.name.filter(|_| role != Role::Tool),
            ..Draft::new(role)
        })
    }
}

/// The same text for the same value.
fn canonical(value: &Value) -> String {
    crate::transcript::canonical::of(value.clone())
}

#[cfg(test)]
mod tests {
    use serde_json::{Map, Value, json};

    use super::{of, told, tools};
    use crate::transcript::message::Role;

    fn map(value: Value) -> Map<String, Value> {
        let Value::Object(map) = value else {
            panic!("attributes are an object");
        };
        map
    }

    #[test]
    fn numbers_in_names_are_sorted_as_numbers() {
        let mut attributes = Map::new();
        for number in 0..12 {
            let name = |field| format!("llm.input_messages.{number}.message.{field}");
            attributes.insert(name("role"), json!("user"));
            attributes.insert(name("content"), json!(format!("m{number}")));
        }
        let (sent, _) = of(&attributes);
        let texts: Vec<&str> = sent.iter().map(|draft| draft.text.as_str()).collect();
        assert_eq!((texts[2], texts[10], texts.len()), ("m2", "m10", 12));
    }

    #[test]
    fn numbers_may_stand_without_a_word_for_messages() {
        let attributes = map(json!({
            "gen_ai.prompt.0.role": "user", "gen_ai.prompt.0.content": "look it up",
            "gen_ai.prompt.1.role": "assistant", "gen_ai.prompt.1.tool_calls.0.id": "c1",
            "gen_ai.prompt.1.tool_calls.0.name": "find", "gen_ai.prompt.1.tool_calls.0.arguments": "{}",
            "gen_ai.prompt.2.role": "tool", "gen_ai.prompt.2.tool_call_id": "c1", "gen_ai.prompt.2.content": "found",
            "gen_ai.completion.0.role": "assistant", "gen_ai.completion.0.content": "done",
            "llm.request.functions.0.name": "find",
        }));
        let (sent, said) = of(&attributes);
        let told: Vec<_> = sent.iter().map(|draft| (draft.role, draft.text.as_str())).collect();
        let expected = [(Role::User, "look it up"), (Role::Assistant, ""), (Role::Tool, "found")];
        assert_eq!(told, expected);
        assert_eq!(
            (&*sent[1].calls, &*sent[2].results),
            (&[Box::from("c1")][..], &[Box::from("c1")][..])
        );
        assert_eq!(said[0].text, "done");
        assert!(tools(&attributes).is_some());
    }

    #[test]
    fn messages_are_read_packed_and_structured() {
        let list = json!([{"role": "user", "parts": [{"type": "tool_call_response", "id": "c1", "response": "r"}]}]);
        for value in [list.clone(), json!(list.to_string())] {
            let (sent, _) = of(&map(json!({"gen_ai.input.messages": value})));
            assert_eq!((sent[0].role, &*sent[0].results), (Role::Tool, &[Box::from("c1")][..]));
        }
    }

    #[test]
    fn events_of_the_older_generation_are_messages() {
        let choice = told(
            "gen_ai.choice",
            &map(json!({"message": {"content": "done"}, "index": 0})),
        );
        assert_eq!((choice[0].role, choice[0].text.as_str()), (Role::Assistant, "done"));
        assert!(told("gen_ai.user.message", &map(json!({"role": "user"}))).is_empty());
    }
}
