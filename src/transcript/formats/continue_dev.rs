//! Sessions of Continue: one JSON document each, the chat history with what the editor added to it.

use std::sync::Arc;

use super::counts::{Counted, Counts};
use super::form;
use super::{Adapter, Companion, Detected, Format, Sample, Sink, encoding, parts};
use crate::transcript::event::{About, Caching, Call, Fate, What};
use crate::transcript::json::{self, Object, Raw};
use crate::transcript::message::{Draft, Kind, Role};
use crate::transcript::reader::Record;

pub(super) static FORMAT: Format = Format {
    name: "continue",
    detect,
    forced: || Detected::new(&form::CONTINUE, Continue),
    tables: None,
};

fn detect(sample: &Sample<'_>) -> Option<Detected> {
    let is_item = |raw: Raw<'_>| Object::of(raw).is_some_and(|item| item.has("message") && item.has("contextItems"));
    let is_session = |record: &Object<'_>| {
        record.has("sessionId")
            && record
                .list("history")
                .is_some_and(|items| items.into_iter().all(is_item))
    };
    if sample.any(is_session) {
        return Some(Detected::new(&form::CONTINUE, Continue));
    }
    let is_entry = |record: &Object<'_>| record.has("sessionId") && record.has("dateCreated");
    let index = sample.all(is_entry);
    index.then(|| Detected::new(&form::CONTINUE_INDEX, Companion("the list of sessions")))
}

/// Reads a session a record.
pub(super) struct Continue;

impl Adapter for Continue {
    fn read<'r>(&mut self, _record: Record<'r>, raw: Raw<'r>, sink: &mut Sink<'_, 'r>) -> Fate {
        let Some((session, items)) = Object::of(raw).and_then(|session| {
            let items = session.list("history")?;
            Some((session, items))
        }) else {
            return Fate::Unknown("record without a history".to_owned());
        };
        let thread: Arc<str> = session.string("sessionId").unwrap_or_default().as_ref().into();
        let project = session
            .string("workspaceDirectory")
            .map(|folder| folder.as_ref().into());
        sink.event(thread.clone(), What::About(About { project, time: None }));
        // Versions that tell what each answer cost tell the sum too.
        let of = |usage: Object<'r>| spent(&usage, session.string("chatModelTitle").as_deref());
        let mut answers = Vec::new();
        for raw in items {
            let mut summary = None;
            let messages = parts::several(vec![raw], sink, |item| {
                let usage = item.object("message").and_then(|message| message.object("usage"));
                answers.extend(usage.and_then(of).map(|call| (raw, call)));
                summary = item
                    .some("conversationSummary")
                    .and_then(json::string)
                    .map(String::from);
                self::item(item)
            });
            sink.event_at(raw, thread.clone(), What::Append(messages));
            if let Some(summary) = summary {
                // From here on the summary stands for everything up to this item.
                let place = sink.locator.place(raw);
                let compaction = parts::summarised(summary, place);
                sink.event_at(raw, thread.clone(), What::Compact(compaction));
            }
        }
        if answers.is_empty() {
            let sum = session.object("usage").and_then(of);
            let caching = Caching::Unknown;
            if let Some(call) = sum {
                sink.event(thread, What::Call(Call { caching, ..call }));
            }
            return Fate::Parts;
        }
        for (raw, call) in answers {
            sink.event_at(raw, thread.clone(), What::Call(call));
        }
        Fate::Parts
    }
}

/// What an answer cost, or all of them.
fn spent(usage: &Object<'_>, model: Option<&str>) -> Option<Call> {
    let details = usage.object("promptTokensDetails").unwrap_or_default();
    let is_claude = model.is_some_and(|model| model.to_ascii_lowercase().contains("claude"));
    let counts = Counts {
        input: usage.number("promptTokens").unwrap_or(0),
        read: details.number("cachedTokens"),
        written: details.number("cacheWriteTokens"),
        output: usage.number("completionTokens").unwrap_or(0),
        // As the provider counts it.
        cached: Counted::beside(is_claude),
        ..Counts::default()
    };
    let counted = counts.call(Caching::promised(is_claude))?;
    Some(Call {
        model: model.map(Into::into),
        ..counted
    })
}

fn item(item: &Object<'_>) -> Result<Vec<Draft>, Fate> {
    let Some(message) = item.object("message") else {
        return Err(Fate::Malformed("an item without a message".to_owned()));
    };
    let role = message.string("role");
    let role = match role.as_deref() {
        // What the model thought is an item of its own.
        Some("thinking") => Role::Assistant,
        role => role
            .and_then(encoding::role_word)
            .ok_or_else(|| parts::unknown_role(role))?,
    };
    let id = message.some("id").and_then(encoding::id);
    let calls = message
        .list("toolCalls")
        .unwrap_or_default()
        .into_iter()
        .filter_map(Object::of);
    let calls = calls.filter_map(|call| call.string("id").map(Box::from)).collect();
    let result = message.some("toolCallId").and_then(json::string).map(Box::from);
    let mut draft = encoding::draft(role, id, message.get("content"), calls, result.into_iter().collect());
    if message.string("role").as_deref() == Some("thinking") {
        draft.told = Some(Kind::Reasoning);
    }
    let mut messages = vec![draft];
    for state in item
        .list("toolCallStates")
        .unwrap_or_default()
        .into_iter()
        .filter_map(Object::of)
    {
        let Some(id) = state.string("toolCallId").filter(|_| state.some("output").is_some()) else {
            continue;
        };
        let output = state
            .list("output")
            .unwrap_or_default()
            .into_iter()
            .filter_map(Object::of);
        let texts: Vec<String> = output
            .filter_map(|part| part.string("content").map(String::from))
            .collect();
        messages.push(Draft {
            results: vec![id.as_ref().into()],
            ..Draft::of_text(Role::Tool, texts.join("\n"))
        });
    }
    Ok(messages)
}
