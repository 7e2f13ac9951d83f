//! Sessions of Gemini CLI: a line a record, and the one document of earlier versions.
//!
//! The history is what resuming makes of the file. Source: `packages/core/src/services/chatRecordingService.ts`
//! and `packages/core/src/utils/sessionUtils.ts` of google-gemini/gemini-cli at 5411f113ca.

use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::body::{self, Body};
use super::counts::{Counted, Counts};
use super::{Adapter, Companion, Detected, Format, Sample, Sink, Way, form, time};
use crate::transcript::event::{About, Caching, Call, Compaction, CompactionClass, Fate, NO_MESSAGE, What};
use crate::transcript::json::{self, Object, Raw};
use crate::transcript::message::{Draft, Place, Role, hash_of};
use crate::transcript::reader::{Record, Spot};

pub(super) static FORMAT: Format = Format {
    name: "gemini-cli",
    detect,
    forced: || Detected::new(&form::GEMINI_CLI, GeminiCli::default()),
    tables: None,
};

fn detect(sample: &Sample<'_>) -> Option<Detected> {
    let first = sample.first()?;
    let has_session = first.has("sessionId") && (first.has("projectHash") || first.has("startTime"));
    if let Some(messages) = first.list("messages") {
        let typed =
            |raw| Object::of(raw).is_some_and(|message: Object<'_>| message.has("type") && !message.has("role"));
        let is_session = has_session && !first.has("history") && messages.into_iter().all(typed);
        return is_session.then(|| Detected::new(&form::GEMINI_CLI_DOCUMENT, GeminiCli::default()));
    }
    let says = |record: &Object<'_>, kind: &str| record.string("type").is_some_and(|own| own == kind);
    if sample.all(|record| record.has("sessionId") && record.has("messageId") && record.has("message")) {
        let beside = Companion("a list of prompts for the input line");
        return Some(Detected::new(&form::GEMINI_CLI_LOG, beside));
    }
    let is_message = |record: &Object<'_>| record.has("id") && record.has("timestamp") && record.has("content");
    let speaks = sample.any(|record| says(record, "gemini") && is_message(record));
    let is_controlled = || {
        sample.any(|record| record.has("$set") || record.has("$rewindTo"))
            && sample.any(|record| says(record, "user") && is_message(record))
    };
    let is_header = has_session && first.has("projectHash") && !first.has("uuid");
    (is_header || speaks || is_controlled()).then(|| Detected::new(&form::GEMINI_CLI, GeminiCli::default()))
}

/// Says what only the person sees.
const SHOWN: Fate = Fate::Ignored("shown to the person, not sent to the model");

/// Reads the records of a session.
#[derive(Default)]
pub(super) struct GeminiCli {
    thread: Arc<str>,
    /// What is read, in order: of a message that was written several times the last one, in the place of the first.
    order: Vec<Spot>,
    /// Where in `order` the live message with an id stands, by the hash of the id.
    live: FxHashMap<u64, usize>,
    /// Where everything is taken back.
    emptied: FxHashSet<u64>,
    /// How many messages the history holds.
    held: usize,
    /// Whether the last message holds results of tools.
    at_work: bool,
}

impl Adapter for GeminiCli {
    fn way(&self) -> Way {
        Way::Surveyed
    }

    fn survey<'r>(&mut self, record: Record<'r>, raw: Raw<'r>) -> Fate {
        let Some(object) = Object::of(raw) else {
            return Fate::Unknown("record that is no object".to_owned());
        };
        if let Some(id) = object
            .string("sessionId")
            .filter(|_| !object.has("type") && self.thread.is_empty())
        {
            self.thread = id.as_ref().into();
        }
        if object.has("messages") {
            // One document is told message by message when it is read.
            return Fate::Parts;
        }
        let kind = kind_of(&object);
        match kind {
            Kind::Set(_) => {
                // What is written again behind it is new.
                self.live.clear();
                self.order.push(record.spot);
                Fate::Understood
            }
            Kind::Rewind => {
                let id = object.string("$rewindTo").map(|id| hash_of(&*id));
                if let Some(from) = id.and_then(|id| self.live.get(&id).copied()) {
                    self.live.retain(|_, at| *at < from);
                } else {
                    // An id that is not there takes everything back.
                    self.live.clear();
                    self.emptied.insert(record.spot.offset);
                }
                self.order.push(record.spot);
                Fate::Understood
            }
            Kind::Message(fate) => {
                let id = object.string("id").map(|id| hash_of(&*id));
                let known = id.and_then(|id| self.live.get(&id).copied());
                match (known, id) {
                    (Some(at), _) => self.order[at] = record.spot,
                    (None, id) => {
                        self.live.extend(id.map(|id| (id, self.order.len())));
                        self.order.push(record.spot);
                    }
                }
                fate
            }
            Kind::Header => {
                self.order.push(record.spot);
                NO_MESSAGE
            }
            Kind::Settings => NO_MESSAGE,
            Kind::Other(fate) => fate,
        }
    }

    fn plan(&mut self) -> Option<Vec<Spot>> {
        // A document is the only record, and what is said of its parts counts when it is read.
        (!self.order.is_empty()).then(|| std::mem::take(&mut self.order))
    }

    fn read<'r>(&mut self, record: Record<'r>, raw: Raw<'r>, sink: &mut Sink<'_, 'r>) -> Fate {
        let Some(object) = Object::of(raw) else {
            return Fate::Unknown("record that is no object".to_owned());
        };
        if let Some(list) = object.list("messages") {
            self.about(&object, sink);
            for raw in list {
                let fate = match Object::of(raw).map(|message| (kind_of(&message), message)) {
                    Some((Kind::Message(fate), message)) => {
                        self.message(raw, &message, sink);
                        fate
                    }
                    Some((Kind::Other(fate), _)) => fate,
                    Some(_) => NO_MESSAGE,
                    None => Fate::Unknown("message that is no object".to_owned()),
                };
                sink.part(raw, fate);
            }
            return Fate::Parts;
        }
        match kind_of(&object) {
            Kind::Set(messages) => self.set(messages, sink),
            Kind::Rewind => {
                let id = object.string("$rewindTo").map(|id| id.as_ref().into());
                let id = id.filter(|_| !self.emptied.contains(&record.spot.offset));
                sink.event(self.thread.clone(), What::Rewind(id));
            }
            Kind::Message(_) => self.message(raw, &object, sink),
            Kind::Header => self.about(&object, sink),
            Kind::Settings | Kind::Other(_) => {}
        }
        Fate::Understood
    }
}

/// What a record is.
enum Kind<'r> {
    Header,
    /// A message, and where it ends.
    Message(Fate),
    /// All messages, set anew.
    Set(Raw<'r>),
    /// Anything else that is set.
    Settings,
    Rewind,
    Other(Fate),
}

fn kind_of<'r>(record: &Object<'r>) -> Kind<'r> {
    if let Some(set) = record.object("$set") {
        return set.some("messages").map_or(Kind::Settings, Kind::Set);
    }
    if record.has("$rewindTo") {
        return Kind::Rewind;
    }
    let Some(kind) = record.string("type") else {
        return if record.has("sessionId") {
            Kind::Header
        } else {
            let control = record.iter().map(|(key, _)| key).find(|key| key.starts_with('$'));
            Kind::Other(Fate::Unknown(control.unwrap_or("record without a type").to_owned()))
        };
    };
    match &*kind {
        "user" if record.has("content") && is_left_out(record) => {
            Kind::Other(Fate::Ignored("left out when the session is resumed"))
        }
        "user" | "gemini" if record.has("content") || record.has("toolCalls") => Kind::Message(Fate::Understood),
        "user" | "gemini" => Kind::Other(Fate::Malformed(format!("a {kind} message without content"))),
        "info" | "warning" | "error" => Kind::Other(SHOWN),
        other => Kind::Other(Fate::Unknown(other.to_owned())),
    }
}

/// Whether resuming leaves a message of the person's out: commands, and context that is made anew.
fn is_left_out(record: &Object<'_>) -> bool {
    let text = record.get("content").map(body::text_of).unwrap_or_default();
    let text = text.trim();
    ["/", "?", "<session_context>", "<hook_context>"]
        .iter()
        .any(|opening| text.starts_with(opening))
}

impl GeminiCli {
    fn about(&self, header: &Object<'_>, sink: &mut Sink<'_, '_>) {
        let folder = header.list("directories").and_then(|list| json::string(*list.first()?));
        let about = About {
            project: folder.map(|folder| folder.as_ref().into()),
            time: time::of(header, "lastUpdated").or_else(|| time::of(header, "startTime")),
        };
        sink.event(self.thread.clone(), What::About(about));
    }

    fn message<'r>(&mut self, raw: Raw<'r>, message: &Object<'r>, sink: &mut Sink<'_, 'r>) {
        let drafts = drafts(message, sink.locator.place(raw));
        self.held += drafts.len();
        self.at_work = drafts.last().is_some_and(|draft| !draft.results.is_empty());
        sink.event_at(raw, self.thread.clone(), What::Append(drafts));
        if let Some(call) = call(message) {
            sink.event_at(raw, self.thread.clone(), What::Call(call));
        }
    }

    /// All messages are set anew: a compression where there are fewer, an edit in their places otherwise.
    fn set<'r>(&mut self, list: Raw<'r>, sink: &mut Sink<'_, 'r>) {
        let mut messages = Vec::new();
        for raw in json::list(list).unwrap_or_default() {
            let Some(message) = Object::of(raw) else { continue };
            if matches!(kind_of(&message), Kind::Message(_)) {
                messages.extend(drafts(&message, sink.locator.place(raw)));
            }
        }
        let was = std::mem::replace(&mut self.held, messages.len());
        let what = if messages.len() < was {
            What::Compact(Compaction {
                class: if self.at_work {
                    CompactionClass::MidTurn
                } else {
                    CompactionClass::PreTurn
                },
                messages: Some(messages),
                kept: None,
                tokens: [None, None],
            })
        } else {
            What::Snapshot {
                messages,
                branches: false,
            }
        };
        sink.event(self.thread.clone(), what);
    }
}

/// The turns that resuming makes of a record: what was said, and behind calls their results.
fn drafts(message: &Object<'_>, place: Place) -> Vec<Draft> {
    let id: Option<Arc<str>> = message.string("id").map(|id| id.as_ref().into());
    let is_user = message.string("type").is_some_and(|kind| kind == "user");
    let mut said = Body::default();
    if let Some(content) = message.some("content") {
        parts(content, &mut said);
    }
    let mut answered = Body::default();
    for (at, raw) in message.list("toolCalls").unwrap_or_default().into_iter().enumerate() {
        let Some(call) = Object::of(raw) else { continue };
        // A call without an id gets one that holds as long as the turn does.
        let call_id = match call.string("id") {
            Some(id) => id.into_owned(),
            None => format!("{} call {at}", id.as_deref().unwrap_or_default()),
        };
        said.call(&call_id, call.get("args"));
        said.word(&call.string("name").unwrap_or_default());
        if let Some(result) = call.some("result") {
            let before = answered.results.len();
            match json::list(result) {
                Some(_) => parts(result, &mut answered),
                None => answered.result(&call_id, Some(result)),
            }
            if answered.results.len() == before {
                answered.results.push(call_id.into());
            }
        }
    }
    let role = if is_user { Role::User } else { Role::Assistant };
    let mut drafts = Vec::new();
    if is_user && said.text.is_empty() && !said.results.is_empty() {
        // The turn that the tools' results were sent in: the same as the results that stand with the calls.
        drafts.push(said.results_draft(id.clone(), place));
    } else if !said.is_empty() || answered.is_empty() {
        drafts.push(said.draft(role, id.clone(), place));
    }
    if !answered.is_empty() {
        let id = id.map(|id| format!("{id}_response").into());
        drafts.push(answered.results_draft(id, place));
    }
    drafts
}

/// Parts of a content: one, a list, or plain text.
fn parts(content: Raw<'_>, body: &mut Body) {
    let list = json::list(content).unwrap_or_else(|| vec![content]);
    for (at, raw) in list.into_iter().enumerate() {
        if let Some(text) = json::string(raw) {
            body.line(&text);
            continue;
        }
        let Some(part) = Object::of(raw) else { continue };
        let id = |part: &Object<'_>| match part.string("id") {
            Some(id) => id.into_owned(),
            None => format!("{} {at}", part.string("name").unwrap_or_default()),
        };
        if let Some(call) = part.object("functionCall") {
            body.call(&id(&call), part.get("functionCall"));
        } else if let Some(result) = part.object("functionResponse") {
            body.result(&id(&result), result.get("response"));
        } else if let Some(text) = part.string("text") {
            body.line(&text);
        } else {
            body.rest(raw);
        }
    }
}

/// What a call cost; the provider counts what it read from its cache among the input.
fn call(message: &Object<'_>) -> Option<Call> {
    let tokens = message.object("tokens")?;
    let number = |key| tokens.number(key).unwrap_or(0);
    let counts = Counts {
        // What tools put into the prompt is counted beside it, and so are thoughts.
        input: number("input").saturating_add(number("tool")),
        read: tokens.number("cached"),
        output: number("output"),
        thoughts: number("thoughts"),
        total: tokens.number("total"),
        thought: Counted::Beside,
        ..Counts::default()
    };
    Some(Call {
        response: message.string("id").map(|id| id.as_ref().into()),
        time: time::of(message, "timestamp"),
        model: message.string("model").map(|model| model.as_ref().into()),
        ..counts.call(Caching::BestEffort)?
    })
}
