//! Rollouts of the Codex CLI, of all four eras: bare items, bare items with state records, envelopes, and
//! envelopes with replacement histories.
//!
//! Source: `codex-rs/protocol` and `codex-rs/rollout` of openai/codex at ba2fb4831, and rollouts of
//! 2025-08 to 2026-07.

mod items;
mod survey;

use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use self::survey::Survey;
use super::form::{self, Form};
use super::{Adapter, Detected, Format, Sample, Sink, Way, time};
use crate::transcript::event::{About, Caching, Call, Chain, Compaction, Fate, NO_MESSAGE, Note, REPEATS, What};
use crate::transcript::json::{Object, Raw};
use crate::transcript::message::{Draft, Place, Role, hash_of};
use crate::transcript::reader::Record;

pub(super) static FORMAT: Format = Format {
    name: "codex",
    detect,
    forced: || Detected::new(&form::CODEX, Codex::default()),
    tables: None,
};

/// Types of the records of an envelope.
const ENVELOPES: [&str; 8] = [
    "session_meta",
    "turn_context",
    "world_state",
    "response_item",
    "inter_agent_communication",
    "inter_agent_communication_metadata",
    "compacted",
    "event_msg",
];

fn detect(sample: &Sample<'_>) -> Option<Detected> {
    let enveloped = sample.any(|record| {
        record.object("payload").is_some() && record.string("type").is_some_and(|kind| ENVELOPES.contains(&&*kind))
    });
    let headed = sample
        .first()
        .is_some_and(|first| first.has("id") && first.has("timestamp") && first.has("instructions"));
    let form: &'static Form = match (enveloped, headed) {
        (true, _) => &form::CODEX,
        (false, true) => &form::CODEX_BARE,
        (false, false) => return None,
    };
    Some(Detected::new(form, Codex::default()))
}

/// How many characters of user messages an old compaction kept: 20,000 tokens.
const KEPT: usize = 80_000;

/// Reads the records of a rollout.
#[derive(Default)]
pub(super) struct Codex {
    survey: Survey,
    thread: Arc<str>,
    is_named: bool,
    model: Option<Arc<str>>,
    /// The newest user messages, for compactions that did not write down what they kept.
    users: Vec<Draft>,
    /// The usage that was told last, which may be told again.
    counted: Option<[Option<u64>; 4]>,
    /// The window that the last compaction began: its id and its number.
    window: (Option<Box<str>>, Option<u64>),
    /// What each window began with, and where that stands: hashes of its id and of its items.
    begun: FxHashMap<u64, (u64, Place)>,
}

impl Adapter for Codex {
    fn way(&self) -> Way {
        Way::Surveyed
    }

    fn survey<'r>(&mut self, record: Record<'r>, raw: Raw<'r>) -> Fate {
        self.survey.see(record, raw);
        Fate::Understood
    }

    fn read<'r>(&mut self, record: Record<'r>, raw: Raw<'r>, sink: &mut Sink<'_, 'r>) -> Fate {
        let Some(object) = Object::of(raw) else {
            return Fate::Unknown("record that is no object".to_owned());
        };
        if let Some(fault) = self.survey.fault_at(record.spot) {
            sink.event(self.thread.clone(), What::Chain(fault));
        }
        if self.survey.is_taken_back(record.spot) {
            return Fate::Ignored("taken back by the person");
        }
        let kind = object.string("type").unwrap_or_default();
        let Some(payload) = object.get("payload") else {
            return self.bare(raw, &object, sink);
        };
        let part = Object::of(payload).unwrap_or_default();
        match &*kind {
            "session_meta" => {
                self.name(&part, &["session_id", "id"]);
                let project = part.string("cwd");
                self.tell(&object, project.as_deref(), sink);
                if part.some("forked_from_id").is_some() {
                    sink.event(self.thread.clone(), What::Forked);
                }
                NO_MESSAGE
            }
            "response_item" => self.item(payload, sink),
            "inter_agent_communication" => {
                let mut draft = items::body(&part, Role::User, &["content", "message"]);
                draft.place = sink.locator.place(payload);
                self.append(draft, sink)
            }
            "compacted" => self.compacted(record, &part, sink),
            "turn_context" => {
                self.model = part.string("model").map(|model| model.as_ref().into());
                self.tell(&object, None, sink);
                sink.event(self.thread.clone(), What::Note(Note::TurnContext));
                Fate::Understood
            }
            "event_msg" => self.event(&object, &part, sink),
            "world_state" | "inter_agent_communication_metadata" => NO_MESSAGE,
            "" => Fate::Unknown("record without a type".to_owned()),
            other => Fate::Unknown(other.to_owned()),
        }
    }
}

impl Codex {
    /// The first record that names the session names it for good: later ones tell of resumes.
    fn name(&mut self, object: &Object<'_>, keys: &[&str]) {
        if self.is_named {
            return;
        }
        if let Some(id) = keys.iter().find_map(|key| object.string(key)) {
            self.thread = id.as_ref().into();
            self.is_named = true;
        }
    }

    /// When the session was at work last, and where.
    fn tell(&self, record: &Object<'_>, project: Option<&str>, sink: &mut Sink<'_, '_>) {
        let about = About {
            project: project.map(Arc::from),
            time: record.string("timestamp").and_then(|text| time::parse(&text)),
        };
        sink.event(self.thread.clone(), What::About(about));
    }

    /// A record of the time before envelopes.
    fn bare<'r>(&mut self, raw: Raw<'r>, object: &Object<'r>, sink: &mut Sink<'_, 'r>) -> Fate {
        if object.has("record_type") {
            return NO_MESSAGE;
        }
        if !object.has("type") && object.has("id") && object.has("timestamp") {
            self.name(object, &["id"]);
            return NO_MESSAGE;
        }
        self.item(raw, sink)
    }

    fn item<'r>(&mut self, raw: Raw<'r>, sink: &mut Sink<'_, 'r>) -> Fate {
        match items::read(raw, sink, &self.survey.typed) {
            Ok(draft) => self.append(draft, sink),
            Err(fate) => fate,
        }
    }

    fn append(&mut self, draft: Draft, sink: &mut Sink<'_, '_>) -> Fate {
        if draft.role == Role::User {
            self.users.push(draft.clone());
            let mut room = KEPT;
            let keeps = self.users.iter().rev().take_while(|user| {
                let fits = room > 0;
                room = room.saturating_sub(user.text.len());
                fits
            });
            let keeps = keeps.count();
            self.users.drain(..self.users.len() - keeps);
        }
        sink.event(self.thread.clone(), What::Append(vec![draft]));
        Fate::Understood
    }

    /// Whether a compaction goes on from another window than the one that was begun last.
    fn leaves_window(&mut self, part: &Object<'_>) -> bool {
        let id: Option<Box<str>> = part.string("window_id").map(|id| id.as_ref().into());
        // A copy of what stands before it.
        if id.is_some() && id == self.window.0 {
            return false;
        }
        let (before, number_before) = std::mem::replace(&mut self.window, (id, part.number("window_number")));
        let named = part.string("previous_window_id");
        let is_other = |(before, named): (Box<str>, _)| before.as_ref() != named;
        let skips = |(before, number): (u64, u64)| number != before.saturating_add(1);
        before.zip(named.as_deref()).is_some_and(is_other) || number_before.zip(self.window.1).is_some_and(skips)
    }

    /// Where the window of a compaction was begun before, with other items.
    fn begun_before(&mut self, record: Record<'_>, part: &Object<'_>) -> Option<Place> {
        // Numbers of windows begin anew with each run of the program.
        let id = part.string("window_id").filter(|id| id.contains('-'))?;
        let items = hash_of(part.get("replacement_history")?.get());
        let here = (items, record.spot.start());
        let (before, first) = *self.begun.entry(hash_of(&*id)).or_insert(here);
        (before != items).then_some(first)
    }

    fn compacted<'r>(&mut self, record: Record<'r>, part: &Object<'r>, sink: &mut Sink<'_, 'r>) -> Fate {
        if let Some(first) = self.begun_before(record, part) {
            sink.event(self.thread.clone(), What::Chain(Chain::OtherSummary { first }));
        } else if self.leaves_window(part) {
            sink.event(self.thread.clone(), What::Chain(Chain::Window));
        }
        let (messages, kept): (Vec<Draft>, usize) = if let Some(items) = part.list("replacement_history") {
            let kept = items.len();
            let read = |raw| items::read(raw, sink, &self.survey.typed).ok();
            (items.into_iter().filter_map(read).collect(), kept)
        } else {
            let mut messages = std::mem::take(&mut self.users);
            let summary = part.string("message").unwrap_or_default();
            messages.push(items::summary(&summary, record.spot.start()));
            let kept = messages.len();
            (messages, kept)
        };
        self.users = messages
            .iter()
            .filter(|draft| draft.role == Role::User)
            .cloned()
            .collect();
        let class = self.survey.class_of(record.spot, &messages);
        let compaction = Compaction {
            class,
            messages: Some(messages),
            kept: Some(kept),
            tokens: [None, None],
        };
        sink.event(self.thread.clone(), What::Compact(compaction));
        Fate::Understood
    }

    fn event(&mut self, record: &Object<'_>, part: &Object<'_>, sink: &mut Sink<'_, '_>) -> Fate {
        let kind = part.string("type").unwrap_or_default();
        match &*kind {
            "token_count" => self.tokens(record, part, sink),
            "user_message" | "agent_message" | "agent_reasoning" | "agent_reasoning_raw_content" => REPEATS,
            "context_compacted"
            | "item_completed"
            | "mcp_tool_call_end"
            | "web_search_end"
            | "patch_apply_end"
            | "image_generation_end" => REPEATS,
            "thread_rolled_back" => {
                // The window is restored from what is left.
                self.window = (None, None);
                REPEATS
            }
            "error" | "stream_error" => {
                sink.event(self.thread.clone(), What::Note(Note::ApiError));
                Fate::Understood
            }
            "task_started"
            | "turn_started"
            | "task_complete"
            | "turn_complete"
            | "turn_aborted"
            | "thread_goal_updated"
            | "thread_settings_applied"
            | "entered_review_mode"
            | "exited_review_mode"
            | "sub_agent_activity"
            | "thread_name_updated"
            | "exec_command_begin"
            | "exec_command_end"
            | "plan_update"
            | "turn_diff"
            | "warning"
            | "background_event" => NO_MESSAGE,
            kind if kind.starts_with("collab_") => NO_MESSAGE,
            "" => Fate::Unknown("event_msg without a type".to_owned()),
            other => Fate::Unknown(format!("event_msg {other}")),
        }
    }

    /// What a call cost. The same numbers twice in a row are one call, told twice.
    fn tokens(&mut self, record: &Object<'_>, part: &Object<'_>, sink: &mut Sink<'_, '_>) -> Fate {
        let Some(info) = part.object("info") else {
            return NO_MESSAGE;
        };
        let Some(last) = info.object("last_token_usage") else {
            return NO_MESSAGE;
        };
        let total = info.object("total_token_usage");
        let number = |name| last.number(name);
        let numbers = [
            number("input_tokens"),
            number("cached_input_tokens"),
            number("output_tokens"),
            total.and_then(|total| total.number("total_tokens")),
        ];
        if self.counted.replace(numbers) == Some(numbers) {
            return REPEATS;
        }
        // What was read and what was written is counted among the input.
        let read = numbers[1].unwrap_or(0);
        let written = number("cache_write_input_tokens").unwrap_or(0);
        let call = Call {
            time: record.string("timestamp").and_then(|text| time::parse(&text)),
            model: self.model.clone(),
            input: numbers[0].unwrap_or(0).saturating_sub(read + written),
            read,
            written,
            output: numbers[2].unwrap_or(0),
            caching: Caching::BestEffort,
            ..Call::default()
        };
        sink.event(self.thread.clone(), What::Call(call));
        Fate::Understood
    }
}

/// Contents of what the person typed, by the events that say so.
type Typed = FxHashSet<u64>;
