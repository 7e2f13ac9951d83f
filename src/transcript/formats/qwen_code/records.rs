//! What single records say to the model.

use crate::transcript::event::{Caching, Call, Fate, NO_MESSAGE};
use crate::transcript::formats::Sink;
use crate::transcript::formats::counts::Counts;
use crate::transcript::formats::encoding;
use crate::transcript::json::{self, Object, Raw};
use crate::transcript::message::{Draft, Kind, Role, hash_of};

/// Subtypes of system records that say nothing to the model.
const ASIDE: [&str; 31] = [
    "slash_command",
    "ui_telemetry",
    "at_command",
    "attribution_snapshot",
    "custom_title",
    "parent_session",
    "session_source",
    "session_execution_engine",
    "session_notes",
    "session_model",
    "session_approval_mode",
    "omni_recall",
    "rewind",
    "agent_retry",
    "agent_session_ready",
    "file_history_snapshot",
    "user_text_elements",
    "session_artifact_event",
    "session_artifact_snapshot",
    "session_sources_snapshot",
    "branch_checkpoint",
    "goal_state",
    "goal_runtime",
    "goal_turn_end",
    "turn_result",
    "turn_attempt",
    "background_task_completed",
    "notification",
    "managed_session_header_v1",
    "managed_session_event_v1",
    "managed_session_commit_v1",
];

/// Where a record ends, before it is known whether it lies on the way.
pub(super) fn fate(record: &Object<'_>) -> Fate {
    let kind = record.string("type").unwrap_or_default();
    let subtype = record.string("subtype").unwrap_or_default();
    let payload = || record.object("systemPayload").unwrap_or_default();
    match (&*kind, &*subtype) {
        _ if record.has("workspaceRootPath") && !record.has("type") => NO_MESSAGE,
        _ if !record.has("uuid") => Fate::Malformed("record without a uuid".to_owned()),
        ("user" | "assistant" | "tool_result", "realtime_message" | "code_mode_tool_result") => {
            Fate::Ignored("not sent to the model")
        }
        ("user" | "assistant" | "tool_result", _) => match record.object("message") {
            Some(message) if message.has("parts") => Fate::Understood,
            _ => Fate::Malformed(format!("{kind} record without a message of parts")),
        },
        ("system", "chat_compression") if payload().list("compressedHistory").is_some() => Fate::Understood,
        ("system", "chat_compression") => Fate::Malformed("chat_compression without compressedHistory".to_owned()),
        ("system", "agent_bootstrap") => Fate::Understood,
        ("system", "") => NO_MESSAGE,
        ("system", known) if ASIDE.contains(&known) => NO_MESSAGE,
        ("system", other) => Fate::Unknown(format!("system {other}")),
        ("", _) => Fate::Unknown("record without a type".to_owned()),
        (other, _) => Fate::Unknown(other.to_owned()),
    }
}

/// The message that a record is to the model, if it is one.
pub(super) fn message<'r>(record: &Object<'r>, sink: &mut Sink<'_, 'r>) -> Option<Draft> {
    let kind = record.string("type")?;
    let subtype = record.string("subtype");
    if kind == "system" || matches!(subtype.as_deref(), Some("realtime_message" | "code_mode_tool_result")) {
        return None;
    }
    let raw = record.get("message")?;
    let (mut draft, plain) = content(raw, sink)?;
    draft.id = record.some("uuid").and_then(encoding::id);
    let provenance = record.string("provenance");
    let typed = provenance.as_deref().is_none_or(|source| source == "real_user");
    if kind == "user" && plain && typed && matches!(subtype.as_deref(), None | Some("mid_turn_user_message")) {
        draft.flags.push("typed".to_owned());
    }
    draft.flags.extend(subtype.map(|subtype| format!("subtype={subtype}")));
    draft
        .flags
        .extend(provenance.map(|source| format!("provenance={source}")));
    Some(draft)
}

/// Messages that a record holds without records of their own.
pub(super) fn contents<'r>(list: Vec<Raw<'r>>, sink: &mut Sink<'_, 'r>) -> Vec<Draft> {
    let read = |raw| content(raw, sink).map(|(draft, _)| draft);
    list.into_iter().filter_map(read).collect()
}

/// A content of the API, and whether any text in it is not wrapped by the harness.
fn content<'r>(raw: Raw<'r>, sink: &mut Sink<'_, 'r>) -> Option<(Draft, bool)> {
    let object = Object::of(raw)?;
    let mut draft = Draft::new(match object.string("role").as_deref() {
        Some("model") => Role::Assistant,
        Some("system") => Role::System,
        Some("tool") => Role::Tool,
        _ => Role::User,
    });
    let mut rest = String::new();
    let (mut plain, mut thinks) = (false, true);
    let (mut calls, mut answers) = (false, false);
    let parts = object.get("parts")?;
    for raw in json::list(parts).unwrap_or_else(|| vec![parts]) {
        if let Some(text) = json::string(raw) {
            plain = true;
            draft.text.push_str(&text);
        }
        let Some(part) = Object::of(raw) else { continue };
        let thought = part.get("thought").is_some_and(|raw| raw.get() == "true");
        thinks &= thought;
        let text = part.string("text").filter(|_| !thought);
        if let Some(text) = text {
            plain |= !text.trim_start().starts_with('<') && !text.trim().is_empty();
            if !draft.text.is_empty() {
                draft.text.push('\n');
            }
            draft.text.push_str(&text);
            continue;
        }
        let mut said = false;
        let halves = [
            ("functionCall", "args", &mut draft.calls),
            ("functionResponse", "response", &mut draft.results),
        ];
        for (key, body, list) in halves {
            let Some(half) = part.object(key) else { continue };
            said = true;
            let id = half.string("id");
            rest.push_str(id.as_deref().unwrap_or_default());
            rest.extend(half.get(body).map(encoding::canonical));
            list.extend(id.map(Box::from));
        }
        if !said {
            rest.push_str(&encoding::canonical(raw));
        }
        // Older models name no ids: then it is known that there are calls, not which.
        calls |= part.has("functionCall");
        answers |= part.has("functionResponse");
        // What came in beside a text, such as an image, is the person's.
        plain |= part.has("inlineData") || part.has("fileData");
    }
    draft.content = hash_of((&draft.text, &rest));
    if draft.role == Role::User && answers {
        draft.role = Role::Tool;
    } else if draft.role == Role::Assistant && calls {
        draft.told = Some(Kind::ToolCall);
    } else if draft.role == Role::Assistant && thinks && !rest.is_empty() {
        draft.told = Some(Kind::Reasoning);
    }
    draft.place = sink.locator.place(raw);
    Some((draft, plain))
}

/// What a response cost.
pub(super) fn call(record: &Object<'_>) -> Option<Call> {
    let usage = record
        .object("usageMetadata")
        .filter(|_| record.string("type").as_deref() == Some("assistant"))?;
    let number = |name| usage.number(name).unwrap_or(0);
    let counts = Counts {
        input: number("promptTokenCount").saturating_add(number("toolUsePromptTokenCount")),
        read: usage.number("cachedContentTokenCount"),
        output: number("candidatesTokenCount"),
        thoughts: number("thoughtsTokenCount"),
        total: usage.number("totalTokenCount"),
        // Most models are reached through the API of OpenAI, which counts thoughts among the output.
        ..Counts::default()
    };
    Some(Call {
        model: record.string("model").map(|model| model.as_ref().into()),
        version: record.string("version").map(|version| version.as_ref().into()),
        ..counts.call(Caching::BestEffort)?
    })
}
