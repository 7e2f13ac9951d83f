//! A replay for programs: one JSON document.

use std::io::{self, Write};
use std::path::Path;

use serde_json::{Value, json};

use crate::outcome::Coverage;
use crate::transcript::formats::form::Form;
use crate::transcript::message::Live;
use crate::transcript::safe_text::{self, WIDTH};
use crate::transcript::step::{Source, Step};

/// Collects the steps of each history.
#[derive(Default)]
pub(super) struct Json {
    sessions: Vec<Session>,
}

#[derive(Default)]
struct Session {
    id: String,
    turns: u32,
    steps: Vec<Value>,
    /// The list at the end.
    messages: Vec<Value>,
}

impl Json {
    pub(super) fn step(&mut self, step: &Step<'_>, shown: bool) {
        let session = self.session(step.thread);
        session.turns = session.turns.max(step.turn);
        if shown {
            session.steps.push(value(step));
        }
    }

    pub(super) fn end(&mut self, thread: &str, list: &[Live]) {
        self.session(thread).messages = list.iter().map(message).collect();
    }

    fn session(&mut self, id: &str) -> &mut Session {
        let position = self.sessions.iter().position(|session| session.id == id);
        let position = position.unwrap_or_else(|| {
            self.sessions.push(Session {
                id: id.to_owned(),
                ..Session::default()
            });
            self.sessions.len() - 1
        });
        &mut self.sessions[position]
    }

    pub(super) fn write(self, path: &Path, form: &Form, coverage: Coverage, out: &mut dyn Write) -> io::Result<()> {
        let sessions = self.sessions.into_iter().map(|session| {
            json!({
                "id": session.id,
                "turns": session.turns,
                "steps": session.steps,
                "messages": session.messages,
            })
        });
        let document = json!({
            "version": 1,
            "tool": {"name": env!("CARGO_PKG_NAME"), "version": env!("CARGO_PKG_VERSION")},
            "path": path.to_string_lossy(),
            "format": form.format,
            "form": form.name,
            "sessions": sessions.collect::<Vec<_>>(),
            "records": coverage.records(),
            "understood": coverage.understood,
            "ignored": coverage.ignored,
            "unknown": coverage.unknown,
            "malformed": coverage.malformed,
        });
        serde_json::to_writer(&mut *out, &document)?;
        writeln!(out)
    }
}

fn value(step: &Step<'_>) -> Value {
    let change = step.change;
    let at = |at: usize| {
        let mut value = message(&step.after[at]);
        value["at"] = json!(at + 1);
        value
    };
    let inserted: Vec<Value> = change.inserted.iter().map(|&place| at(place)).collect();
    let replaced: Vec<Value> = change
        .replaced
        .iter()
        .map(|replaced| {
            let mut value = at(replaced.at);
            value["was"] = message(&replaced.old);
            value
        })
        .collect();
    let removed: Vec<Value> = change
        .removed
        .iter()
        .map(|removed| {
            let mut value = message(&removed.old);
            value["was_at"] = json!(removed.was_at + 1);
            value
        })
        .collect();
    let moved: Vec<Value> = change
        .moved
        .iter()
        .map(|moved| {
            let mut value = at(moved.at);
            value["was_at"] = json!(moved.was_at + 1);
            value
        })
        .collect();
    let mut nodes: Vec<&str> = step.writes.iter().map(|write| write.node.as_ref()).collect();
    nodes.dedup();
    json!({
        "step": step.number,
        "turn": (step.turn > 0).then_some(step.turn),
        "line": step.spot.line,
        "source": source(step.source),
        "nodes": nodes,
        "inserted": inserted,
        "replaced": replaced,
        "removed": removed,
        "moved": moved,
        "length": step.after.len(),
        "current": step.question_at().map(|at| at + 1),
        "taken_for_current": step.taken_for_current().map(|at| at + 1),
    })
}

fn source(source: Source) -> &'static str {
    match source {
        Source::Beginning => "beginning",
        Source::Input => "input",
        Source::Update => "update",
        Source::State => "state",
        Source::Append => "append",
    }
}

fn message(live: &Live) -> Value {
    let pairs: Vec<&str> = live.calls.iter().chain(&live.results).map(AsRef::as_ref).collect();
    json!({
        "line": live.place.line,
        "id": live.recorded_id(),
        "role": live.role.as_str(),
        "kind": live.kind.as_str(),
        "turn": (live.turn > 0).then_some(live.turn),
        "pairs": pairs,
        "text": safe_text::excerpt(&live.summary(), WIDTH),
    })
}
