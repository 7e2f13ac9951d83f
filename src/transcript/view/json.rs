//! A replay for programs: one JSON document.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::history::pairs::{Loose, ToolPairs};
use crate::outcome::Coverage;
use crate::transcript::event::Chain;
use crate::transcript::formats::form::Form;
use crate::transcript::message::{Kind, Live};
use crate::transcript::reader::Spot;
use crate::transcript::replay::Noted;
use crate::transcript::safe_text::{self, WIDTH};
use crate::transcript::step::Step;
use crate::transcript::usage::{Compared, Tokens};

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
    compactions: Vec<Value>,
    dangling: Vec<u32>,
    unreachable: Vec<u32>,
    orphans: Vec<Value>,
    unanswered: Vec<Value>,
    usage: Option<Compared>,
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
        let session = self.session(thread);
        session.messages = list.iter().map(message).collect();
        let pairs = ToolPairs::of(list);
        let half = |loose: &Loose<'_, Box<str>>| json!({"line": list[loose.at].place.line, "id": loose.key});
        session.orphans = pairs.orphans.iter().map(half).collect();
        let mut open: Vec<&Loose<'_, Box<str>>> = pairs.unanswered.iter().chain(&pairs.in_flight).collect();
        open.sort_by_key(|loose| loose.at);
        let tail = |at: usize| ends_in_round(&list[at + 1..]);
        let unanswered = open.iter().map(|loose| {
            let mut value = half(loose);
            value["at_tail"] = json!(tail(loose.at));
            value
        });
        session.unanswered = unanswered.collect();
    }

    pub(super) fn note(&mut self, thread: &str, spot: Spot, noted: &Noted<'_>) {
        let session = self.session(thread);
        match *noted {
            Noted::Compaction {
                class,
                kept,
                messages,
                tokens,
            } => {
                session.compactions.push(json!({
                    "line": spot.line,
                    "class": class.as_str(),
                    "kept": kept,
                    "before": messages[0],
                    "after": messages[1],
                    "tokens_before": tokens[0],
                    "tokens_after": tokens[1],
                }));
            }
            Noted::Usage(compared) => session.usage = Some(compared.clone()),
            Noted::Prompt(_) | Noted::Call(_) | Noted::Note | Noted::About(_) | Noted::Forked => {}
            Noted::Chain(Chain::Dangling(_)) => session.dangling.push(spot.line),
            Noted::Chain(Chain::Unreachable) => session.unreachable.push(spot.line),
            Noted::Chain(_) => {}
        }
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

    pub(super) fn write(
        self,
        path: &Path,
        form: &Form,
        files: &[PathBuf],
        coverage: Coverage,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        let sessions = self.sessions.into_iter().map(|session| {
            let compared = session.usage.unwrap_or_default();
            let drops = compared.drops.iter().map(|drop| {
                json!({
                    "line": drop.spot.line,
                    "before": drop.before,
                    "after": drop.after,
                    "cause": drop.cause.as_str(),
                })
            });
            let sum = |of: fn(&Tokens) -> u64| compared.tokens.values().map(of).sum::<u64>();
            json!({
                "id": session.id,
                "turns": session.turns,
                "steps": session.steps,
                "messages": session.messages,
                "compactions": session.compactions,
                "dangling_parents": session.dangling,
                "unreachable": session.unreachable,
                "orphan_results": session.orphans,
                "unanswered_calls": session.unanswered,
                "usage": {
                    "calls": sum(|tokens| tokens.calls),
                    "input": sum(|tokens| tokens.input),
                    "read": sum(|tokens| tokens.read),
                    "written": sum(|tokens| tokens.written),
                    "written_hour": sum(|tokens| tokens.written_hour),
                    "output": sum(|tokens| tokens.output),
                    "comparisons": compared.comparisons,
                    "drops": drops.collect::<Vec<_>>(),
                },
            })
        });
        let document = json!({
            "version": 1,
            "tool": {"name": env!("CARGO_PKG_NAME"), "version": env!("CARGO_PKG_VERSION")},
            "path": path.to_string_lossy(),
            "format": form.format,
            "form": form.name,
            "files": files.iter().map(|file| file.to_string_lossy()).collect::<Vec<_>>(),
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

/// Whether nothing but results of the same round stands behind a call: the record ends before its own came.
fn ends_in_round(behind: &[Live]) -> bool {
    let mut answered = false;
    behind.iter().all(|live| match live.kind {
        Kind::Authored | Kind::Summary => false,
        Kind::Assistant | Kind::Reasoning | Kind::ToolCall => !answered,
        Kind::ToolResult => {
            answered = true;
            true
        }
        Kind::Injected | Kind::System | Kind::Other => true,
    })
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
    json!({
        "step": step.number,
        "turn": (step.turn > 0).then_some(step.turn),
        "line": step.spot.line,
        "source": step.source.as_str(),
        "nodes": step.nodes(),
        "inserted": inserted,
        "replaced": replaced,
        "removed": removed,
        "moved": moved,
        "length": step.after.len(),
        "current": step.question_at().map(|at| at + 1),
        "taken_for_current": step.taken_for_current().map(|at| at + 1),
    })
}

fn message(live: &Live) -> Value {
    let pairs: Vec<&str> = live.calls.iter().chain(&live.results).map(AsRef::as_ref).collect();
    json!({
        "file": live.place.file,
        "line": live.place.line,
        "id": live.recorded_id(),
        "role": live.role.as_str(),
        "kind": live.kind.as_str(),
        "turn": (live.turn > 0).then_some(live.turn),
        "pairs": pairs,
        "text": safe_text::excerpt(&live.summary(), WIDTH),
    })
}
