//! Sessions of Google ADK: events with the parts of Gemini, of both generations.
//!
//! A compaction is an event that stands for the events of a span of time.
//! Source: `sessions/session.py`, `events/event.py`, `events/event_actions.py` and `flows/llm_flows/contents.py` of
//! `google/adk-python` at 2.13.

use std::sync::Arc;

use super::counts::{self, Counted, Counts};
use super::form;
use super::ties::Ties;
use super::{Adapter, Detected, Format, Sample, Sink, encoding};
use crate::transcript::event::{Caching, Call, Compaction, CompactionClass, Fate, NO_MESSAGE, What};
use crate::transcript::json::{self, Object, Raw};
use crate::transcript::message::{Draft, Kind, Place, Role, hash_of};
use crate::transcript::reader::Record;
use crate::transcript::sqlite::{Query, Schema};

pub(super) static FORMAT: Format = Format {
    name: "adk",
    detect,
    forced: || Detected::new(&form::ADK, Adk::default()),
    tables: Some(tables),
};

fn tables(schema: &Schema) -> Option<Vec<Query>> {
    let keys = ["id", "app_name", "user_id", "session_id", "invocation_id", "timestamp"];
    schema.has("events", &keys).then(|| {
        vec![Query {
            table: "events",
            sql: "SELECT * FROM events ORDER BY app_name, user_id, session_id, timestamp, rowid".to_owned(),
            json: &["content", "event_data", "usage_metadata"],
            decode: None,
        }]
    })
}

fn detect(sample: &Sample<'_>) -> Option<Detected> {
    let has = |object: &Object<'_>, camel: &str, snake: &str| object.has(camel) || object.has(snake);
    let is_session = |object: &Object<'_>| {
        let new = has(object, "appName", "app_name") && has(object, "userId", "user_id");
        object.list("events").is_some() && (new || (object.has("event_logs") && object.has("context")))
    };
    let is_row = |object: &Object<'_>| {
        object.has("table") && object.has("invocation_id") && object.has("app_name") && object.has("session_id")
    };
    let found = sample.any(|object| is_session(object) || is_row(object));
    found.then(|| Detected::new(&form::ADK, Adk::default()))
}

/// A value under its name in either generation.
fn get<'r>(object: &Object<'r>, camel: &str, snake: &str) -> Option<Raw<'r>> {
    object.some(camel).or_else(|| object.some(snake))
}

/// A time in seconds, also if it is written as a text.
fn seconds(raw: Raw<'_>) -> Option<f64> {
    match json::string(raw) {
        Some(text) => text.trim().parse().ok(),
        None => raw.get().parse().ok(),
    }
}

/// A message that is sent, and what compactions and rewinds find it by.
struct Held {
    draft: Draft,
    time: Option<f64>,
    invocation: Arc<str>,
}

/// Reads sessions.
#[derive(Default)]
struct Adk {
    thread: Arc<str>,
    live: Vec<Held>,
    /// Calls without ids that were not answered yet: name and made-up id.
    open: Vec<(String, Box<str>)>,
    calls: usize,
    ties: Ties,
}

impl Adapter for Adk {
    fn read<'r>(&mut self, _record: Record<'r>, raw: Raw<'r>, sink: &mut Sink<'_, 'r>) -> Fate {
        let Some(object) = Object::of(raw) else {
            return Fate::Unknown("record that is no object".to_owned());
        };
        if object.has("table") {
            let session = object.some("session_id").and_then(encoding::id).unwrap_or_default();
            if session != self.thread {
                self.end(sink);
                self.begin(session);
            }
            let event = object.get("event_data").filter(|raw| Object::of(*raw).is_some());
            let fate = self.event(event.unwrap_or(raw), sink);
            if fate == Fate::Understood {
                let thread = self.thread.clone();
                self.ties.row(raw, &object, [&thread, "timestamp"], sink);
            }
            return fate;
        }
        let Some(events) = object.list("events") else {
            return Fate::Malformed("a session without events".to_owned());
        };
        self.begin(object.some("id").and_then(encoding::id).unwrap_or_default());
        let logs = object.list("event_logs").unwrap_or_default();
        if events.is_empty() && logs.is_empty() {
            return NO_MESSAGE;
        }
        for raw in events {
            let fate = self.event(raw, sink);
            sink.part(raw, fate);
        }
        for raw in logs {
            let fate = self.log(raw, sink);
            sink.part(raw, fate);
        }
        self.end(sink);
        Fate::Parts
    }
}

impl Adk {
    fn begin(&mut self, thread: Arc<str>) {
        *self = Self {
            thread,
            ..Self::default()
        };
    }

    fn end(&self, sink: &mut Sink<'_, '_>) {
        sink.event(self.thread.clone(), What::End);
    }

    fn event<'r>(&mut self, raw: Raw<'r>, sink: &mut Sink<'_, 'r>) -> Fate {
        let Some(event) = Object::of(raw) else {
            return Fate::Unknown("event that is no object".to_owned());
        };
        if event.get("partial").is_some_and(|raw| raw.get() == "true") {
            return Fate::Ignored("a piece of what a later event holds whole");
        }
        if let Some(usage) = get(&event, "usageMetadata", "usage_metadata").and_then(Object::of) {
            self.call(raw, &usage, &event, sink);
        }
        let actions = event.object("actions").unwrap_or_default();
        if let Some(compaction) = get(&actions, "compaction", "compaction").and_then(Object::of) {
            return self.compacted(raw, &compaction, sink);
        }
        if let Some(invocation) = get(&actions, "rewindBeforeInvocationId", "rewind_before_invocation_id") {
            return self.rewound(raw, invocation, sink);
        }
        let place = sink.locator.place(raw);
        let Some(content) = event.object("content").filter(|content| content.has("parts")) else {
            return NO_MESSAGE;
        };
        let author = event.string("author").unwrap_or_default();
        let mut drafts = self.content(&content, &author, place);
        if drafts.is_empty() {
            return NO_MESSAGE;
        }
        let time = event.some("timestamp").and_then(seconds);
        let invocation = get(&event, "invocationId", "invocation_id")
            .and_then(encoding::id)
            .unwrap_or_default();
        let id = event.some("id").and_then(encoding::id);
        for draft in &mut drafts {
            draft.id.clone_from(&id);
        }
        // What a model thought shares the event with what it said.
        for draft in drafts.iter_mut().rev().skip(1) {
            draft.id = None;
        }
        self.live.extend(drafts.iter().map(|draft| Held {
            draft: draft.clone(),
            time,
            invocation: invocation.clone(),
        }));
        sink.event_at(raw, self.thread.clone(), What::Append(drafts));
        Fate::Understood
    }

    /// The messages of a content: what was thought, then the rest as one.
    fn content(&mut self, content: &Object<'_>, author: &str, place: Place) -> Vec<Draft> {
        let mut thought = Vec::new();
        let mut texts = Vec::new();
        let mut rest = Vec::new();
        let (mut calls, mut results) = (Vec::new(), Vec::new());
        for raw in content.list("parts").unwrap_or_default() {
            let part = Object::of(raw).unwrap_or_default();
            if let Some(text) = part.some("text").and_then(json::string) {
                let is_thought = part.get("thought").is_some_and(|raw| raw.get() == "true");
                if is_thought { &mut thought } else { &mut texts }.push(text.into_owned());
            } else if let Some(call) = get(&part, "functionCall", "function_call").and_then(Object::of) {
                calls.push(self.called(&call));
                rest.push(encoding::canonical(raw));
            } else if let Some(result) = get(&part, "functionResponse", "function_response").and_then(Object::of) {
                results.push(self.answered(&result));
                rest.push(encoding::canonical(raw));
            } else if !part.is_empty() {
                rest.push(encoding::canonical(raw));
            }
        }
        let role = match content.string("role").as_deref() {
            _ if !results.is_empty() => Role::Tool,
            Some("model") => Role::Assistant,
            Some("user") => Role::User,
            _ if author == "user" => Role::User,
            _ => Role::Assistant,
        };
        let mut drafts = Vec::new();
        if !thought.is_empty() {
            drafts.push(Draft {
                told: Some(Kind::Reasoning),
                place,
                ..Draft::of_text(Role::Assistant, thought.join("\n"))
            });
        }
        let text = texts.join("\n");
        if !text.is_empty() || !rest.is_empty() {
            drafts.push(Draft {
                content: hash_of((&text, &rest)),
                text,
                calls,
                results,
                place,
                ..Draft::new(role)
            });
        }
        drafts
    }

    /// The id of a call; where the provider gives none, one is made up, and the next result of that name has it.
    fn called(&mut self, call: &Object<'_>) -> Box<str> {
        if let Some(id) = call.some("id").and_then(json::string) {
            return id.into();
        }
        self.calls += 1;
        let name = call.string("name").unwrap_or_default();
        let id: Box<str> = format!("{name} {}", self.calls).into();
        self.open.push((name.into_owned(), id.clone()));
        id
    }

    fn answered(&mut self, result: &Object<'_>) -> Box<str> {
        if let Some(id) = result.some("id").and_then(json::string) {
            return id.into();
        }
        let name = result.string("name").unwrap_or_default();
        match self.open.iter().position(|(open, _)| *open == name) {
            Some(at) => self.open.remove(at).1,
            None => name.as_ref().into(),
        }
    }

    /// A compaction stands for the events of its span.
    fn compacted<'r>(&mut self, raw: Raw<'r>, compaction: &Object<'r>, sink: &mut Sink<'_, 'r>) -> Fate {
        let start = get(compaction, "startTimestamp", "start_timestamp").and_then(seconds);
        let end = get(compaction, "endTimestamp", "end_timestamp").and_then(seconds);
        let content = get(compaction, "compactedContent", "compacted_content").and_then(Object::of);
        let (Some(start), Some(end), Some(content)) = (start, end, content) else {
            return Fate::Malformed("a compaction without its span or its content".to_owned());
        };
        let goes = |held: &Held| held.time.is_some_and(|time| (start..=end).contains(&time));
        let at = self.live.iter().position(goes).unwrap_or(0);
        self.live.retain(|held| !goes(held));
        let kept = self.live.len();
        let place = sink.locator.place(raw);
        let summary = self.content(&content, "", place).into_iter().map(|draft| Held {
            draft: Draft {
                told: Some(Kind::Summary),
                ..draft
            },
            time: Some(end),
            invocation: Arc::default(),
        });
        self.live.splice(at..at, summary.collect::<Vec<_>>());
        let compaction = Compaction {
            class: CompactionClass::Unknown,
            messages: Some(self.live.iter().map(|held| held.draft.clone()).collect()),
            kept: Some(kept),
            tokens: [None, None],
        };
        sink.event_at(raw, self.thread.clone(), What::Compact(compaction));
        Fate::Understood
    }

    /// Takes back an invocation and what came behind it.
    fn rewound<'r>(&mut self, raw: Raw<'r>, invocation: Raw<'r>, sink: &mut Sink<'_, 'r>) -> Fate {
        let invocation = encoding::id(invocation).unwrap_or_default();
        let Some(at) = self.live.iter().position(|held| held.invocation == invocation) else {
            return NO_MESSAGE;
        };
        // Only messages with ids can be named; what is taken back begins with the person's, which has one.
        let first = self.live[at..].iter().find_map(|held| held.draft.id.clone());
        self.live.truncate(at);
        sink.event_at(raw, self.thread.clone(), What::Rewind(first));
        Fate::Understood
    }

    fn call<'r>(&self, at: Raw<'r>, usage: &Object<'r>, event: &Object<'r>, sink: &mut Sink<'_, 'r>) {
        let number = |camel, snake| counts::first(usage, &[camel, snake]);
        let of = |camel, snake| number(camel, snake).unwrap_or(0);
        let counts = Counts {
            // What tools put into the prompt is counted beside it, and so are thoughts.
            input: of("promptTokenCount", "prompt_token_count")
                .saturating_add(of("toolUsePromptTokenCount", "tool_use_prompt_token_count")),
            read: number("cachedContentTokenCount", "cached_content_token_count"),
            output: of("candidatesTokenCount", "candidates_token_count"),
            thoughts: of("thoughtsTokenCount", "thoughts_token_count"),
            total: number("totalTokenCount", "total_token_count"),
            thought: Counted::Beside,
            ..Counts::default()
        };
        // Gemini says nothing of its cache where nothing was read.
        let counts = Counts {
            read: counts.read.or(Some(0)),
            ..counts
        };
        let Some(counted) = counts.call(Caching::BestEffort) else {
            return;
        };
        let model = get(event, "modelVersion", "model_version").and_then(json::string);
        #[expect(
            clippy::cast_possible_truncation,
            reason = "milliseconds since 1970 are far below 2^63"
        )]
        let time = event
            .some("timestamp")
            .and_then(seconds)
            .map(|time| (time * 1000.0) as i64);
        let call = Call {
            time,
            model: model.map(|model| model.as_ref().into()),
            ..counted
        };
        sink.event_at(at, self.thread.clone(), What::Call(call));
    }

    /// A request with its response, which the first generation kept beside the events.
    fn log<'r>(&self, raw: Raw<'r>, sink: &mut Sink<'_, 'r>) -> Fate {
        let log = Object::of(raw).unwrap_or_default();
        let response = log.object("model_response").unwrap_or_default();
        let Some(usage) = get(&response, "usageMetadata", "usage_metadata").and_then(Object::of) else {
            return NO_MESSAGE;
        };
        self.call(raw, &usage, &response, sink);
        Fate::Understood
    }
}
