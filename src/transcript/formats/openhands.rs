//! `OpenHands`: events of V1 with the state beside them, histories of V0, and logs of single calls.
//!
//! Source: `openhands/sdk/event` and `context/view` of `OpenHands/software-agent-sdk`, and `openhands/events` of
//! `OpenHands/OpenHands` at V0.

mod events;
mod old;

use std::path::Path;
use std::sync::Arc;

use self::events::Events;
use self::old::Old;
use super::form;
use super::requests::{Conversations, Request};
use super::{Adapter, Companion, Detected, Format, Sample, Sink, encoding, mini_swe_agent, sent};
use crate::transcript::event::{Compaction, CompactionClass, Fate, What};
use crate::transcript::json::{self, Object, Raw};
use crate::transcript::message::{Draft, Kind, Place, Role};
use crate::transcript::reader::Record;

pub(super) static FORMAT: Format = Format {
    name: "openhands",
    detect,
    forced: || Detected::new(&form::OPENHANDS_EVENTS, Events::default()),
    tables: None,
};

fn detect(sample: &Sample<'_>) -> Option<Detected> {
    if sample.any(events::is_event) {
        return Some(Detected::new(
            &form::OPENHANDS_EVENTS,
            Events::of(conversation(sample.path)),
        ));
    }
    if sample.any(|object| old::history(object).is_some()) || (sample.any(old::is_known) && sample.all(old::is_event)) {
        return Some(Detected::new(&form::OPENHANDS_OLD, Old::default()));
    }
    if sample.any(is_log) {
        return Some(Detected::new(&form::OPENHANDS_CALLS, Calls::default()));
    }
    let is_state = |object: &Object<'_>| {
        object.object("agent").is_some() && object.has("workspace") && object.has("execution_status")
    };
    sample.first().filter(|first| is_state(first)).map(|_| {
        let companion = Companion("the state of a conversation, whose messages stand in its events");
        Detected::new(&form::OPENHANDS_STATE, companion)
    })
}

/// The conversation whose folder of events a file is in.
fn conversation(path: &Path) -> Arc<str> {
    let folder = path
        .parent()
        .filter(|folder| folder.file_name().is_some_and(|name| name == "events"));
    let name = folder.and_then(Path::parent).and_then(Path::file_name);
    name.map(|name| name.to_string_lossy().as_ref().into())
        .unwrap_or_default()
}

/// Whether an object is a call with all that was sent and what came back.
fn is_log(object: &Object<'_>) -> bool {
    object.list("messages").is_some()
        && object.object("response").is_some()
        && object.has("kwargs")
        && (object.has("cost") || object.has("latency_sec") || object.has("context_window"))
}

/// Reads logs of calls. A folder of them holds calls of the agent and of what summarises for it.
#[derive(Default)]
struct Calls(Conversations);

impl Adapter for Calls {
    fn read<'r>(&mut self, _record: Record<'r>, raw: Raw<'r>, sink: &mut Sink<'_, 'r>) -> Fate {
        let object = Object::of(raw).unwrap_or_default();
        let Some(list) = object.get("messages").filter(|_| is_log(&object)) else {
            return Fate::Malformed("a call without messages and response".to_owned());
        };
        let messages = encoding::messages(list, &mut sink.locator);
        let request = Request {
            messages,
            tools: Some(sent::tools_of(&object)),
            ..Request::default()
        };
        let thread = self.0.request(request, sink);
        let call = object
            .object("response")
            .and_then(|response| mini_swe_agent::call(&response));
        if let Some(call) = call {
            sink.event(thread, What::Call(call));
        }
        Fate::Understood
    }
}

/// What a condensation left: what it did not forget, and its summary where it says.
fn condensed(live: &mut Vec<Draft>, said: &Object<'_>, place: Place) -> Compaction {
    let kept = live.len();
    if let Some(summary) = said.some("summary").and_then(json::string) {
        let draft = Draft {
            told: Some(Kind::Summary),
            place,
            ..Draft::of_text(Role::User, summary)
        };
        let at = said.number("summary_offset").and_then(|at| usize::try_from(at).ok());
        live.insert(at.unwrap_or(0).min(kept), draft);
    }
    Compaction {
        class: CompactionClass::Unknown,
        messages: Some(live.clone()),
        kept: Some(kept),
        tokens: [None, None],
    }
}
