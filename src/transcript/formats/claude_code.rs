//! Sessions of Claude Code: lines linked by `parentUuid`, of versions 1.0 to 2.1.
//!
//! Which lines the conversation consists of is told by the links alone. Source: the loader of Anthropic's agent
//! SDK for Python (`sessions.py`), and recorded sessions of 1.0.17 to 2.1.181.

mod faults;
mod lines;
mod links;
mod pairs;
mod responses;
mod sessions;

use std::sync::Arc;

use self::lines::Line;
use self::sessions::{Lost, Sessions};
use super::form;
use super::{Adapter, Companion, Detected, Format, Sample, Sink, Way};
use crate::transcript::event::{Chain, Compaction, CompactionClass, Event, Fate, NO_MESSAGE, What};
use crate::transcript::json::{Object, Raw};
use crate::transcript::message::{Draft, Kind};
use crate::transcript::reader::{Record, Spot};

pub(super) static FORMAT: Format = Format {
    name: "claude-code",
    detect,
    forced: || Detected::new(&form::CLAUDE_CODE, ClaudeCode::default()),
    tables: None,
};

fn detect(sample: &Sample<'_>) -> Option<Detected> {
    let linked = sample.any(|record| {
        record.has("parentUuid") && record.has("uuid") && record.has("sessionId") && record.has("isSidechain")
    });
    // What other programs cut out of sessions may have lost the links.
    let cut_out = || {
        sample.any(|record| {
            let speaks = matches!(record.string("type").as_deref(), Some("user" | "assistant"));
            speaks && record.has("sessionId") && record.has("timestamp") && record.object("message").is_some()
        })
    };
    // A session that was only opened holds nothing but these.
    let beside = || {
        sample.all(|record| {
            let kind = record.string("type");
            kind.as_deref().is_some_and(|kind| lines::BESIDE.contains(&kind))
                && (record.has("sessionId") || record.has("messageId") || record.has("leafUuid"))
        })
    };
    if sample.first().filter(|_| sample.is_single()).is_some_and(is_companion) || sample.all(is_prompt) {
        let adapter = Companion("stands beside the sessions");
        return Some(Detected::new(&form::CLAUDE_CODE_BESIDE, adapter));
    }
    (linked || cut_out() || beside()).then(|| Detected::new(&form::CLAUDE_CODE, ClaudeCode::default()))
}

/// The index of a project's sessions, or what is said of an agent beside its lines.
fn is_companion(object: &Object<'_>) -> bool {
    let of_agent = object.has("agentType") && (object.has("toolUseId") || object.has("description"));
    let others = ["uuid", "messages", "message", "role", "content"];
    let entries = object.list("entries").unwrap_or_default();
    let indexed = |entry: &Raw<'_>| {
        Object::of(*entry)
            .is_some_and(|entry| entry.has("sessionId") && (entry.has("fullPath") || entry.has("fileMtime")))
    };
    of_agent && !others.into_iter().any(|key| object.has(key)) || entries.first().is_some_and(indexed)
}

/// A line of the list of what was typed.
fn is_prompt(object: &Object<'_>) -> bool {
    object.has("display") && object.has("timestamp") && object.has("project") && !object.has("uuid")
}

/// Reads the lines of sessions.
#[derive(Default)]
pub(super) struct ClaudeCode {
    sessions: Sessions,
    /// The thread under way.
    thread: Option<Arc<str>>,
    /// A compaction of which not everything that it left was read.
    compaction: Option<Pending>,
}

/// A compaction that waits for its summary and the messages it kept.
struct Pending {
    spot: Spot,
    class: CompactionClass,
    tokens: [Option<u64>; 2],
    kept: usize,
    /// How many messages are still to come.
    awaited: usize,
    messages: Vec<Draft>,
}

impl Adapter for ClaudeCode {
    fn way(&self) -> Way {
        Way::Surveyed
    }

    fn survey<'r>(&mut self, record: Record<'r>, raw: Raw<'r>) -> Fate {
        self.sessions.see(record, raw)
    }

    fn plan(&mut self) -> Option<Vec<Spot>> {
        self.sessions.plan();
        Some(self.sessions.next_thread().unwrap_or_default())
    }

    fn next_part(&mut self) -> Option<Vec<Spot>> {
        self.sessions.next_thread()
    }

    fn read<'r>(&mut self, record: Record<'r>, raw: Raw<'r>, sink: &mut Sink<'_, 'r>) -> Fate {
        let Some(object) = Object::of(raw) else {
            return NO_MESSAGE;
        };
        let thread = self.sessions.name();
        self.go_to(&thread, sink);
        match lines::read(&object, sink) {
            Line::Message(draft) => {
                let left = self.compaction.as_ref().is_none_or(|pending| {
                    draft.told == Some(Kind::Summary) || self.sessions.is_left_by(pending.spot, record.spot)
                });
                // A line that is not sent, or that is missing, is waited for in vain.
                if !left {
                    self.settle(sink.events);
                }
                self.message(draft, sink);
            }
            Line::Boundary(class, tokens) => {
                self.settle(sink.events);
                if self.sessions.lacks_tail(record.spot) {
                    sink.event(thread, What::Chain(Chain::NoTail));
                }
                let kept = self.sessions.kept_by(record.spot);
                self.compaction = Some(Pending {
                    spot: record.spot,
                    class: class.unwrap_or_else(|| self.sessions.class_at(record.spot)),
                    tokens,
                    kept,
                    awaited: kept + 1,
                    messages: Vec::new(),
                });
            }
            Line::Micro(tokens) => {
                self.settle(sink.events);
                let compaction = Compaction {
                    class: CompactionClass::Micro,
                    messages: None,
                    kept: None,
                    tokens,
                };
                sink.event(thread, What::Compact(compaction));
            }
            Line::Nothing => {}
        }
        // The survey has said where the record ended.
        Fate::Understood
    }

    fn finish(&mut self, events: &mut Vec<Event>) {
        self.settle(events);
        for (thread, lost) in self.sessions.untold() {
            tell(&thread, lost, events);
        }
    }
}

impl ClaudeCode {
    /// Ends the thread before, if another one begins, and tells what is known of the new one.
    fn go_to(&mut self, thread: &Arc<str>, sink: &mut Sink<'_, '_>) {
        if self.thread.as_ref() == Some(thread) {
            return;
        }
        self.settle(sink.events);
        if let Some(before) = self.thread.replace(thread.clone()) {
            sink.event(before, What::End);
        }
        if let Some(lost) = self.sessions.begin() {
            tell(thread, lost, sink.events);
        }
    }

    fn message(&mut self, draft: Draft, sink: &mut Sink<'_, '_>) {
        let Some(thread) = self.thread.clone() else { return };
        if let Some(pending) = &mut self.compaction {
            pending.messages.push(draft);
            pending.awaited -= 1;
            if pending.awaited == 0 {
                self.settle(sink.events);
            }
            return;
        }
        sink.event(thread, What::Append(vec![draft]));
    }

    /// Tells the compaction with what it left.
    fn settle(&mut self, events: &mut Vec<Event>) {
        let (Some(pending), Some(thread)) = (self.compaction.take(), self.thread.clone()) else {
            return;
        };
        events.push(Event {
            thread,
            spot: pending.spot,
            what: What::Compact(Compaction {
                class: pending.class,
                messages: Some(pending.messages),
                kept: Some(pending.kept),
                tokens: pending.tokens,
            }),
        });
    }
}

/// Tells what no line of the conversation tells: links that lead nowhere, calls, and the session as a whole.
fn tell(thread: &Arc<str>, lost: Lost, events: &mut Vec<Event>) {
    let mut event = |spot, what| {
        events.push(Event {
            thread: thread.clone(),
            spot,
            what,
        });
    };
    let start = lost.about.0;
    event(start, What::About(lost.about.1));
    if lost.forked {
        event(start, What::Forked);
    }
    for (spot, fault) in lost.faults {
        event(spot, What::Chain(fault));
    }
    for (spot, note) in lost.notes {
        event(spot, What::Note(note));
    }
    for (spot, call) in lost.calls {
        event(spot, What::Call(call));
    }
}
