//! What single entries say to the model.

use crate::transcript::event::{Caching, Call, Fate, NO_MESSAGE};
use crate::transcript::formats::counts::{Counted, Counts};
use crate::transcript::formats::encoding;
use crate::transcript::json::{self, Object};
use crate::transcript::message::{Draft, Kind, Place, Role};

/// Types of entries that say nothing to the model.
const ASIDE: [&str; 10] = [
    "custom",
    "label",
    "session_info",
    "model_change",
    "mode_change",
    "leaf",
    "title",
    "session_init",
    "mcp_tool_selection",
    "active_tools_change",
];

/// Where an entry ends, before it is known whether it lies on the way.
pub(super) fn fate(kind: &str, entry: &Object<'_>) -> Fate {
    match kind {
        "message" => match entry.object("message") {
            None => Fate::Malformed("message entry without a message".to_owned()),
            Some(message) => spoken(&message),
        },
        "custom_message" | "branch_summary" | "compaction" => {
            let body = if kind == "custom_message" { "content" } else { "summary" };
            let missing = || Fate::Malformed(format!("{kind} entry without {body}"));
            if entry.has(body) { Fate::Understood } else { missing() }
        }
        "thinking_level_change" => Fate::Understood,
        kind if ASIDE.contains(&kind) => NO_MESSAGE,
        "" => Fate::Unknown("entry without a type".to_owned()),
        kind => Fate::Unknown(kind.to_owned()),
    }
}

fn spoken(message: &Object<'_>) -> Fate {
    match message.string("role").as_deref() {
        None => Fate::Malformed("message without a role".to_owned()),
        Some("assistant") if failed(message) => Fate::Ignored("not sent to the model"),
        Some("bashExecution") if is_set(message, "excludeFromContext") => Fate::Ignored("not sent to the model"),
        Some("bashExecution") => Fate::Understood,
        Some("user" | "assistant" | "toolResult" | "custom" | "hookMessage") if message.has("content") => {
            Fate::Understood
        }
        Some("branchSummary" | "compactionSummary") if message.has("summary") => Fate::Understood,
        Some(
            role @ ("user" | "assistant" | "toolResult" | "custom" | "hookMessage" | "branchSummary"
            | "compactionSummary"),
        ) => Fate::Malformed(format!("{role} message without content")),
        Some(role) => Fate::Unknown(format!("message {role}")),
    }
}

/// Whether a response came to nothing: it is left out of the next request.
fn failed(message: &Object<'_>) -> bool {
    matches!(message.string("stopReason").as_deref(), Some("error" | "aborted"))
}

fn is_set(object: &Object<'_>, key: &str) -> bool {
    object.get(key).is_some_and(|raw| raw.get() == "true")
}

/// The message that an entry is to the model, if it is one.
pub(super) fn message(entry: &Object<'_>) -> Option<Draft> {
    let mut draft = match &*entry.string("type")? {
        "message" => said(&entry.object("message")?)?,
        "custom_message" => custom(entry),
        "branch_summary" => told(entry.string("summary")?.into_owned()),
        _ => return None,
    };
    draft.id = entry.string("id").map(|id| id.as_ref().into());
    Some(draft)
}

fn said(message: &Object<'_>) -> Option<Draft> {
    let content = message.get("content");
    let body = |role, calls, results| encoding::draft(role, None, content, calls, results);
    Some(match &*message.string("role")? {
        "user" => body(Role::User, Vec::new(), Vec::new()),
        "assistant" if !failed(message) => {
            let blocks = message.list("content").unwrap_or_default();
            let blocks: Vec<Object<'_>> = blocks.into_iter().filter_map(Object::of).collect();
            let is = |block: &&Object<'_>, kind| block.string("type").as_deref() == Some(kind);
            let calls = blocks.iter().filter(|block| is(block, "toolCall"));
            let calls = calls.filter_map(|call| call.string("id").map(Box::from)).collect();
            let mut draft = body(Role::Assistant, calls, Vec::new());
            if !blocks.is_empty() && blocks.iter().all(|block| is(&block, "thinking")) {
                draft.told = Some(Kind::Reasoning);
            }
            draft
        }
        "toolResult" => {
            let call = message.string("toolCallId").map(Box::from);
            body(Role::Tool, Vec::new(), call.into_iter().collect())
        }
        "bashExecution" if !is_set(message, "excludeFromContext") => {
            let part = |key| message.string(key).unwrap_or_default();
            let mut draft = Draft::of_text(Role::User, format!("$ {}\n{}", part("command"), part("output")));
            // What the person ran and what came of it: it stays true.
            draft.name = Some("command output".to_owned());
            draft.told = Some(Kind::Injected);
            draft
        }
        "custom" | "hookMessage" => custom(message),
        "branchSummary" | "compactionSummary" => told(message.string("summary")?.into_owned()),
        _ => return None,
    })
}

/// What an extension put there.
fn custom(object: &Object<'_>) -> Draft {
    let mut draft = encoding::draft(Role::User, None, object.get("content"), Vec::new(), Vec::new());
    draft.name = object.string("customType").map(String::from);
    draft.told = Some(Kind::Injected);
    draft
}

fn told(summary: String) -> Draft {
    Draft {
        told: Some(Kind::Summary),
        ..Draft::of_text(Role::User, summary)
    }
}

/// The summary that a compaction left.
pub(super) fn summary(entry: &Object<'_>, place: Place) -> Draft {
    let mut draft = told(entry.string("summary").unwrap_or_default().into_owned());
    draft.id = entry.string("id").map(|id| id.as_ref().into());
    draft.place = place;
    draft
}

/// What a response cost.
pub(super) fn call(entry: &Object<'_>) -> Option<Call> {
    let message = entry.object("message")?;
    // What was broken off or failed behind its first tokens was paid too.
    let usage = message.object("usage")?;
    let counts = Counts {
        input: usage.number("input").unwrap_or(0),
        read: usage.number("cacheRead"),
        written: usage.number("cacheWrite"),
        output: usage.number("output").unwrap_or(0),
        total: usage.number("totalTokens"),
        cached: Counted::Beside,
        ..Counts::default()
    };
    let api = message.string("api").unwrap_or_default();
    let provider = message.string("provider").unwrap_or_default();
    let explicit = api.starts_with("anthropic") || provider == "anthropic" || provider.ends_with("bedrock");
    Some(Call {
        response: message
            .some("responseId")
            .and_then(json::string)
            .map(|id| id.as_ref().into()),
        model: message.string("model").map(|model| model.as_ref().into()),
        ..counts.call(Caching::promised(explicit))?
    })
}
