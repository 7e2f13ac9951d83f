//! The items of a rollout's history.

use super::{Sink, Typed};
use crate::transcript::event::Fate;
use crate::transcript::formats::encoding;
use crate::transcript::json::{self, Object, Raw};
use crate::transcript::message::{Draft, Kind, Place, Role};

/// Types of items that belong to a conversation.
pub(super) const KNOWN: [&str; 12] = [
    "message",
    "agent_message",
    "reasoning",
    "function_call",
    "custom_tool_call",
    "local_shell_call",
    "tool_search_call",
    "web_search_call",
    "image_generation_call",
    "function_call_output",
    "custom_tool_call_output",
    "tool_search_output",
];

/// Reads an item, or says where a record ends that is none.
pub(super) fn read<'r>(raw: Raw<'r>, sink: &mut Sink<'_, 'r>, typed: &Typed) -> Result<Draft, Fate> {
    let Some(item) = Object::of(raw) else {
        return Err(Fate::Unknown("item that is no object".to_owned()));
    };
    let kind = item.string("type").unwrap_or_default();
    let id = || item.some("id").and_then(json::string).map(|id| id.as_ref().into());
    let call_id = || {
        item.some("call_id")
            .or_else(|| item.some("id"))
            .and_then(json::string)
            .map(Box::from)
    };
    let mut draft = match &*kind {
        "message" => message(raw, sink, typed)?,
        "" if item.has("role") => message(raw, sink, typed)?,
        "agent_message" => Draft {
            told: Some(Kind::Authored),
            ..body(&item, Role::User, &["content", "message"])
        },
        "reasoning" => Draft {
            told: Some(Kind::Reasoning),
            ..body(&item, Role::Assistant, &["summary", "content"])
        },
        "function_call" | "custom_tool_call" | "local_shell_call" | "tool_search_call" => Draft {
            calls: call_id().into_iter().collect(),
            told: Some(Kind::ToolCall),
            ..encoding::opaque(Role::Assistant, raw)
        },
        // What the provider runs itself has no output item.
        "web_search_call" | "image_generation_call" => Draft {
            told: Some(Kind::ToolCall),
            ..encoding::opaque(Role::Assistant, raw)
        },
        "function_call_output" | "custom_tool_call_output" | "tool_search_output" => Draft {
            results: item.string("call_id").map(Box::from).into_iter().collect(),
            ..body(&item, Role::Tool, &["output"])
        },
        "compaction" | "compaction_summary" | "context_compaction" => Draft {
            told: Some(Kind::Summary),
            ..encoding::opaque(Role::Assistant, raw)
        },
        "ghost_snapshot" => return Err(Fate::Ignored("not sent to the model")),
        "" => return Err(Fate::Unknown("item without a type".to_owned())),
        other => return Err(Fate::Unknown(format!("item {other}"))),
    };
    draft.id = id();
    draft.place = sink.locator.place(raw);
    Ok(draft)
}

fn message<'r>(raw: Raw<'r>, sink: &mut Sink<'_, 'r>, typed: &Typed) -> Result<Draft, Fate> {
    let Some(mut draft) = encoding::message(raw, &mut sink.locator) else {
        return Err(Fate::Malformed("a message without a role that is known".to_owned()));
    };
    let role = Object::of(raw).and_then(|item| item.string("role").map(String::from));
    match role.as_deref() {
        Some("system") => return Err(Fate::Ignored("the harness drops system items")),
        Some("user") if typed.contains(&draft.content) => draft.flags.push("user_message".to_owned()),
        _ => {}
    }
    Ok(draft)
}

/// An item whose text stands under these keys.
pub(super) fn body(item: &Object<'_>, role: Role, keys: &[&str]) -> Draft {
    let parts: Vec<Draft> = keys
        .iter()
        .filter_map(|key| item.some(key))
        .map(|raw| encoding::draft(role, None, Some(raw), Vec::new(), Vec::new()))
        .collect();
    let mut draft = Draft::new(role);
    draft.content = crate::transcript::message::hash_of(parts.iter().map(|part| part.content).collect::<Vec<_>>());
    let texts: Vec<&str> = parts
        .iter()
        .map(|part| part.text.as_str())
        .filter(|text| !text.is_empty())
        .collect();
    draft.text = texts.join("\n");
    draft
}

/// The summary of a compaction that wrote down nothing else.
pub(super) fn summary(text: &str, place: Place) -> Draft {
    Draft {
        told: Some(Kind::Summary),
        place,
        ..Draft::of_text(Role::User, text)
    }
}
