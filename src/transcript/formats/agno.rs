//! Sessions of Agno: runs with their messages.
//!
//! A run repeats what it was given of earlier ones, marked `from_history`.
//! Source: `agno/session` and `agno/models/message.py` of `agno-agi/agno`.

use std::sync::Arc;

use super::counts::{Counted, Counts};
use super::form;
use super::{Adapter, Detected, Format, Sample, Sink, encoding, parts};
use crate::transcript::event::{Caching, Call, Fate, NO_MESSAGE, REPEATS, What};
use crate::transcript::json::{Object, Raw};
use crate::transcript::message::Role;
use crate::transcript::reader::Record;
use crate::transcript::sqlite::{Query, Schema};

pub(super) static FORMAT: Format = Format {
    name: "agno",
    detect,
    forced: || Detected::new(&form::AGNO, Agno),
    tables: Some(tables),
};

fn tables(schema: &Schema) -> Option<Vec<Query>> {
    schema.has("agno_sessions", &["session_id", "runs"]).then(|| {
        vec![Query {
            table: "agno_sessions",
            // Some versions write the runs as a text that holds JSON.
            sql: "SELECT session_id, CASE WHEN json_valid(runs) AND json_type(runs) = 'text' \
                  THEN json_extract(runs, '$') ELSE runs END AS runs FROM agno_sessions ORDER BY session_id"
                .to_owned(),
            json: &["runs"],
            decode: None,
        }]
    })
}

fn detect(sample: &Sample<'_>) -> Option<Detected> {
    let is_session = |object: &Object<'_>| {
        object.has("session_id")
            && runs(object).is_some_and(|runs| {
                let mut runs = runs.into_iter().filter_map(Object::of);
                runs.any(|run| run.has("run_id"))
                    || object.string("table").is_some_and(|table| table == "agno_sessions")
            })
    };
    sample.any(is_session).then(|| Detected::new(&form::AGNO, Agno))
}

/// The runs of a session; older versions keep them in its memory.
fn runs<'r>(session: &Object<'r>) -> Option<Vec<Raw<'r>>> {
    let memory = || session.object("memory")?.list("runs");
    session.list("runs").or_else(memory)
}

/// Reads sessions.
struct Agno;

impl Adapter for Agno {
    fn read<'r>(&mut self, _record: Record<'r>, raw: Raw<'r>, sink: &mut Sink<'_, 'r>) -> Fate {
        let Some(object) = Object::of(raw) else {
            return Fate::Unknown("record that is no object".to_owned());
        };
        let Some(list) = runs(&object) else {
            let is_empty = object.get("runs").is_some_and(crate::transcript::json::is_null);
            return if is_empty {
                NO_MESSAGE
            } else {
                Fate::Malformed("a session without runs".to_owned())
            };
        };
        let session = object.some("session_id").and_then(encoding::id).unwrap_or_default();
        let mut threads: Vec<Arc<str>> = Vec::new();
        let mut any = false;
        for raw in list {
            let run = Object::of(raw).unwrap_or_default();
            let thread = thread(&session, &run);
            let begins = !threads.contains(&thread);
            if begins {
                threads.push(thread.clone());
            }
            let messages = run.list("messages").unwrap_or_default();
            any |= !messages.is_empty();
            for raw in messages {
                let fate = message(raw, &run, &thread, begins, sink);
                sink.part(raw, fate);
            }
        }
        for thread in threads {
            sink.event(thread, What::End);
        }
        if any { Fate::Parts } else { NO_MESSAGE }
    }
}

/// The session, or the member of the team that a run of the team started.
fn thread(session: &Arc<str>, run: &Object<'_>) -> Arc<str> {
    match run.string("agent_id").filter(|_| run.some("parent_run_id").is_some()) {
        Some(member) => format!("{session}/{member}").into(),
        None => session.clone(),
    }
}

fn message<'r>(raw: Raw<'r>, run: &Object<'r>, thread: &Arc<str>, begins: bool, sink: &mut Sink<'_, 'r>) -> Fate {
    let object = Object::of(raw).unwrap_or_default();
    if object.get("from_history").is_some_and(|raw| raw.get() == "true") {
        return REPEATS;
    }
    let draft = match parts::chat(raw, &mut sink.locator) {
        Ok(draft) => draft,
        Err(fate) => return fate,
    };
    if draft.role == Role::System && !begins {
        return Fate::Ignored("the system prompt of a later run");
    }
    let call = call(&object, run).filter(|_| draft.role == Role::Assistant);
    sink.event_at(raw, thread.clone(), What::Append(vec![draft]));
    if let Some(call) = call {
        sink.event_at(raw, thread.clone(), What::Call(call));
    }
    Fate::Understood
}

/// What the call cost that a message came of.
fn call(message: &Object<'_>, run: &Object<'_>) -> Option<Call> {
    let metrics = message.object("metrics")?;
    let number = |name| metrics.number(name).unwrap_or(0);
    let provider = run.string("model_provider").unwrap_or_default().to_ascii_lowercase();
    let is_claude = run
        .string("model")
        .is_some_and(|model| model.to_ascii_lowercase().contains("claude"));
    // Anthropic and Bedrock count what was read from the cache beside the input. The total is Agno's own sum.
    let promises =
        provider.contains("anthropic") || provider.contains("bedrock") || provider.contains("vertex") && is_claude;
    let counts = Counts {
        input: number("input_tokens"),
        // What is 0 is left out.
        read: Some(number("cache_read_tokens")),
        written: Some(number("cache_write_tokens")),
        output: number("output_tokens"),
        thoughts: number("reasoning_tokens"),
        cached: Counted::beside(promises),
        ..Counts::default()
    };
    Some(Call {
        time: message
            .number("created_at")
            .and_then(|seconds| i64::try_from(seconds * 1000).ok()),
        model: run.string("model").map(|model| model.as_ref().into()),
        ..counts.call(Caching::promised(promises))?
    })
}
