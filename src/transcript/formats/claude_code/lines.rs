//! What single lines of a session say.

use super::Sink;
use crate::transcript::event::{CompactionClass, Fate, NO_MESSAGE};
use crate::transcript::formats::encoding;
use crate::transcript::json::{self, Object, Raw};
use crate::transcript::message::{Draft, Kind, Role};

/// Types of lines that stand beside the conversation.
pub(super) const BESIDE: [&str; 26] = [
    "summary",
    "file-history-snapshot",
    "file-history-delta",
    "queue-operation",
    "last-prompt",
    "custom-title",
    "ai-title",
    "agent-name",
    "agent-color",
    "agent-setting",
    "tag",
    "mode",
    "permission-mode",
    "pr-link",
    "bridge-session",
    "content-replacement",
    "fork-context-ref",
    "rewind-pointer",
    "continued-in",
    "cost-state",
    "agent_metadata",
    "worktree-state",
    "workflow-state",
    "workflow-start",
    "workflow-end",
    "marble-origami-commit",
];

/// Kinds of attachments that the harness keeps for itself or shows to the person.
const NOT_SENT: [&str; 9] = [
    "hook_system_message",
    "hook_cancelled",
    "hook_error_during_execution",
    "hook_non_blocking_error",
    "hook_stopped_continuation",
    "command_permissions",
    "structured_output",
    "dynamic_skill",
    "already_read_file",
];

/// Keys that say which of several things an attachment of its type is about.
const ABOUT: [&str; 6] = ["filename", "path", "planFilePath", "taskId", "uri", "server"];

/// What a line of a chain is.
pub(super) enum Line {
    Message(Draft),
    /// A compaction, as far as the line itself says of which kind, and tokens before and after.
    Boundary(Option<CompactionClass>, [Option<u64>; 2]),
    Micro([Option<u64>; 2]),
    /// Nothing that is sent to the model.
    Nothing,
}

/// Where a line ends, as far as it tells by itself.
pub(super) fn fate(object: &Object<'_>) -> Fate {
    let kind = object.string("type").unwrap_or_default();
    match &*kind {
        "user" | "assistant" if object.object("message").is_some() => {
            if is_hidden(object) {
                Fate::Ignored("not sent to the model")
            } else {
                Fate::Understood
            }
        }
        "user" | "assistant" => Fate::Malformed(format!("a line of type {kind} without a message")),
        "system" => match object.string("subtype").as_deref() {
            Some("compact_boundary" | "microcompact_boundary" | "api_error") => Fate::Understood,
            _ => Fate::Ignored("says something to the person, not to the model"),
        },
        "attachment" => match object
            .object("attachment")
            .and_then(|part| Some(part.string("type")?.into_owned()))
        {
            None => Fate::Malformed("an attachment without a type".to_owned()),
            Some(kind) if NOT_SENT.contains(&kind.as_str()) => Fate::Ignored("not sent to the model"),
            Some(kind) if kind == "hook_success" && says_nothing(object) => Fate::Ignored("not sent to the model"),
            Some(_) => Fate::Understood,
        },
        "progress" => Fate::Ignored("how far a tool has come"),
        "" => Fate::Unknown("line without a type".to_owned()),
        kind if BESIDE.contains(&kind) => NO_MESSAGE,
        kind => Fate::Unknown(kind.to_owned()),
    }
}

pub(super) fn read<'r>(object: &Object<'r>, sink: &mut Sink<'_, 'r>) -> Line {
    let kind = object.string("type").unwrap_or_default();
    let draft = match &*kind {
        "user" | "assistant" if is_hidden(object) => None,
        "user" => user(object, sink),
        "assistant" => assistant(object, sink),
        "attachment" => attachment(object, sink),
        "system" => return system(object),
        _ => None,
    };
    let Some(mut draft) = draft else { return Line::Nothing };
    draft.id = object.some("uuid").and_then(encoding::id);
    Line::Message(draft)
}

/// Whether only the person sees a line: notes of the harness, and errors that stand where an answer would.
fn is_hidden(object: &Object<'_>) -> bool {
    let shown = is_set(object, "isVisibleInTranscriptOnly") && !is_set(object, "isCompactSummary");
    shown || is_set(object, "isApiErrorMessage") || is_set(object, "isVirtual")
}

fn user<'r>(object: &Object<'r>, sink: &mut Sink<'_, 'r>) -> Option<Draft> {
    let is_summary = is_set(object, "isCompactSummary");
    let raw = object.get("message")?;
    let message = Object::of(raw)?;
    let mut draft = encoding::draft(Role::User, None, message.get("content"), Vec::new(), Vec::new());
    draft.place = sink.locator.place(raw);
    for flag in ["isMeta", "isCompactSummary"] {
        if is_set(object, flag) {
            draft.flags.push(flag.to_owned());
        }
    }
    if is_set(object, "isMeta") && !draft.text.trim_start().starts_with('<') {
        draft.flags.push("expansion".to_owned());
    }
    for key in ["promptSource", "origin"] {
        if let Some(value) = object.string(key) {
            draft.flags.push(format!("{key}={value}"));
        }
    }
    if is_summary {
        draft.told = Some(Kind::Summary);
    }
    Some(draft)
}

fn assistant<'r>(object: &Object<'r>, sink: &mut Sink<'_, 'r>) -> Option<Draft> {
    let raw = object.get("message")?;
    let message = Object::of(raw)?;
    let content = message.get("content");
    let mut draft = encoding::draft(Role::Assistant, None, content, Vec::new(), Vec::new());
    draft.place = sink.locator.place(raw);
    let mut kinds = content
        .and_then(json::list)
        .unwrap_or_default()
        .into_iter()
        .map(block_type)
        .peekable();
    let thinks = |kind: Option<String>| matches!(kind.as_deref(), Some("thinking" | "redacted_thinking"));
    if kinds.peek().is_some() && kinds.all(thinks) {
        draft.told = Some(Kind::Reasoning);
    }
    Some(draft)
}

fn block_type(raw: Raw<'_>) -> Option<String> {
    Some(Object::of(raw)?.string("type")?.into_owned())
}

/// What the harness put beside the conversation for the model to read.
fn attachment<'r>(object: &Object<'r>, sink: &mut Sink<'_, 'r>) -> Option<Draft> {
    let raw = object.get("attachment")?;
    let attachment = Object::of(raw)?;
    let kind = attachment.string("type")?;
    if NOT_SENT.contains(&&*kind) || &*kind == "hook_success" && says_nothing(object) {
        return None;
    }
    let body = ["prompt", "content", "text", "message"]
        .iter()
        .find_map(|key| attachment.some(key));
    let mut draft = match body {
        Some(body) => encoding::draft(Role::User, None, Some(body), Vec::new(), Vec::new()),
        None => encoding::opaque(Role::User, raw),
    };
    // What was typed while the model was at work; notifications queue up in the same way.
    let typed = attachment
        .string("commandMode")
        .is_none_or(|mode| mode != "task-notification");
    draft.told = Some(if &*kind == "queued_command" && typed {
        Kind::Authored
    } else {
        Kind::Injected
    });
    // Two files are no two versions of one thing.
    let about = ABOUT.iter().find_map(|key| attachment.string(key));
    draft.flags.push("attachment".to_owned());
    draft.name = Some(about.map_or_else(|| kind.to_string(), |about| format!("{kind} {about}")));
    draft.place = sink.locator.place(raw);
    Some(draft)
}

/// Whether a hook went well and had nothing to say to the model.
fn says_nothing(object: &Object<'_>) -> bool {
    let attachment = object.object("attachment").unwrap_or_default();
    attachment.string("content").is_none_or(|content| content.is_empty())
}

fn system(object: &Object<'_>) -> Line {
    let numbers = |part: Option<Object<'_>>| {
        let part = part.unwrap_or_default();
        let before = part.number("preTokens");
        let saved = part.number("tokensSaved");
        let after = part
            .number("postTokens")
            .or_else(|| Some(before?.saturating_sub(saved?)));
        (part.string("trigger").map(String::from), [before, after])
    };
    match object.string("subtype").as_deref() {
        Some("compact_boundary") => {
            let (trigger, tokens) = numbers(object.object("compactMetadata"));
            let class = (trigger.as_deref() == Some("manual")).then_some(CompactionClass::Manual);
            Line::Boundary(class, tokens)
        }
        Some("microcompact_boundary") => Line::Micro(numbers(object.object("microcompactMetadata")).1),
        _ => Line::Nothing,
    }
}

pub(super) fn is_set(object: &Object<'_>, key: &str) -> bool {
    object.get(key).is_some_and(|raw| raw.get() == "true")
}
