//! Observations of Langfuse: generations hold what was sent and what came back.
//!
//! Source: the observations API v2 and the blob export of langfuse/langfuse, 3.

use std::sync::Arc;

use super::counts::{self, Counted, Counts};
use super::requests::{self, Conversations};
use super::{Adapter, Detected, Format, Sample, Sink, Way, encoding, form, litellm, time};
use crate::transcript::event::{Caching, Call, Fate, NO_MESSAGE, What};
use crate::transcript::json::{self, Locator, Object, Raw};
use crate::transcript::message::{Draft, Role};
use crate::transcript::reader::{Record, Spot};

pub(super) static FORMAT: Format = Format {
    name: "langfuse",
    detect,
    forced: || Detected::new(&form::LANGFUSE, Langfuse::default()),
    tables: None,
};

fn detect(sample: &Sample<'_>) -> Option<Detected> {
    let known = |record: &Object<'_>| is_observation(record) || several(record).is_some();
    sample
        .any(known)
        .then(|| Detected::new(&form::LANGFUSE, Langfuse::default()))
}

/// A field by its name in the API, or in the export.
fn field<'r>(object: &Object<'r>, names: [&str; 2]) -> Option<Raw<'r>> {
    names.iter().find_map(|name| object.some(name))
}

fn is_observation(record: &Object<'_>) -> bool {
    field(record, ["traceId", "trace_id"]).is_some()
        && record.has("type")
        && field(record, ["startTime", "start_time"]).is_some()
        && record.has("input")
}

/// The observations of a trace, or of a page of the API.
fn several<'r>(record: &Object<'r>) -> Option<Vec<Raw<'r>>> {
    let lists = ["observations", "data"].into_iter().filter_map(|key| record.list(key));
    let mut lists = lists.filter(|list| {
        list.iter()
            .any(|raw| Object::of(raw).is_some_and(|it| is_observation(&it)))
    });
    lists.next()
}

fn start(observation: &Object<'_>) -> i64 {
    let start = field(observation, ["startTime", "start_time"]).and_then(json::string);
    start.and_then(|text| time::parse(&text)).unwrap_or_default()
}

#[derive(Default)]
struct Langfuse {
    conversations: Conversations,
    places: Vec<(i64, Spot)>,
    /// Whether a record holds several observations.
    paged: bool,
    /// Whether the newest do not stand last: then what they read from the cache cannot be compared.
    out_of_order: bool,
}

impl Adapter for Langfuse {
    fn way(&self) -> Way {
        Way::Surveyed
    }

    fn survey<'r>(&mut self, record: Record<'r>, raw: Raw<'r>) -> Fate {
        let object = Object::of(raw).unwrap_or_default();
        self.paged |= several(&object).is_some();
        self.places.push((start(&object), record.spot));
        let mut events = Vec::new();
        // What is read of an observation does not depend on those before it.
        let mut sink = Sink::new(record, &mut events);
        Self::default().observation(raw, &mut sink)
    }

    fn plan(&mut self) -> Option<Vec<Spot>> {
        if self.paged {
            return None;
        }
        self.out_of_order = !self.places.is_sorted_by_key(|(start, _)| *start);
        let mut places = std::mem::take(&mut self.places);
        places.sort_by_key(|(start, spot)| (*start, spot.offset));
        Some(places.into_iter().map(|(_, spot)| spot).collect())
    }

    fn read<'r>(&mut self, _record: Record<'r>, raw: Raw<'r>, sink: &mut Sink<'_, 'r>) -> Fate {
        let object = Object::of(raw).unwrap_or_default();
        let Some(mut parts) = several(&object) else {
            return self.observation(raw, sink);
        };
        parts.sort_by_cached_key(|part| Object::of(part).map(|part| start(&part)));
        for part in parts {
            let fate = self.observation(part, sink);
            sink.part(part, fate);
        }
        Fate::Parts
    }
}

impl Langfuse {
    fn observation<'r>(&mut self, raw: Raw<'r>, sink: &mut Sink<'_, 'r>) -> Fate {
        let observation = Object::of(raw).unwrap_or_default();
        match observation.string("type").as_deref() {
            Some("GENERATION") => {}
            Some(
                "SPAN" | "EVENT" | "AGENT" | "TOOL" | "CHAIN" | "RETRIEVER" | "EVALUATOR" | "EMBEDDING" | "GUARDRAIL",
            ) => return NO_MESSAGE,
            Some(other) => return Fate::Unknown(other.to_owned()),
            None => return Fate::Unknown("record without a type".to_owned()),
        }
        let group = ["sessionId", "session_id", "traceId", "trace_id"]
            .iter()
            .find_map(|key| observation.string(key).filter(|name| !name.is_empty()));
        let messages = observation.some("input").map(|raw| value(raw, Role::User, sink));
        let Some(messages) = messages.filter(|messages| !messages.is_empty()) else {
            return Fate::Ignored("its content was left out of the log");
        };
        let thread = self.conversations.request(&group.unwrap_or_default(), messages, sink);
        let said = observation.some("output").map(|raw| value(raw, Role::Assistant, sink));
        self.conversations.said(said.unwrap_or_default(), sink);
        if let Some(call) = call(&observation).filter(|_| !self.out_of_order) {
            sink.event(thread, What::Call(call));
        }
        Fate::Understood
    }
}

/// What stands in `input` or `output`; the export writes it as JSON in a text.
fn value<'r>(raw: Raw<'r>, role: Role, sink: &mut Sink<'_, 'r>) -> Vec<Draft> {
    let Some(text) = json::string(raw) else {
        return messages(raw, role, &mut sink.locator);
    };
    if text.starts_with(['{', '[']) {
        let found = requests::unpacked(&text, sink.spot, |raw, locator| messages(raw, role, locator));
        if let Some(found) = found.filter(|found| !found.is_empty()) {
            return found;
        }
    }
    let mut draft = Draft::of_text(role, text);
    draft.place = sink.locator.place(raw);
    vec![draft]
}

/// A message, a list of them, or what has them under the names that integrations use.
fn messages<'a>(raw: Raw<'a>, role: Role, locator: &mut Locator<'a>) -> Vec<Draft> {
    if litellm::encodes_items(raw) {
        return requests::items(raw, locator).0;
    }
    let Some(object) = Object::of(raw) else {
        return encoding::messages(raw, locator);
    };
    if let Some(message) = requests::choice(&object) {
        return encoding::messages(message, locator);
    }
    let inner = ["messages", "input", "output", "message"]
        .iter()
        .find_map(|key| object.some(key));
    match inner {
        Some(inner) if !object.has("role") => encoding::messages(inner, locator),
        _ if object.has("role") || object.has("type") || object.has("lc") => encoding::messages(raw, locator),
        // Some write only what was said.
        _ if object.has("content") => {
            let mut draft = encoding::draft(role, None, object.get("content"), Vec::new(), Vec::new());
            draft.place = locator.place(raw);
            vec![draft]
        }
        _ => Vec::new(),
    }
}

fn call(observation: &Object<'_>) -> Option<Call> {
    let usage = ["usageDetails", "usage_details", "usage"]
        .iter()
        .find_map(|key| observation.object(key))?;
    // The details of Langfuse do not overlap; its own counts of OpenAI calls are cut apart likewise. Their names are
    // the program's own, but for how they begin.
    let mut counts = Counts {
        cached: Counted::Beside,
        total: counts::first(&usage, &["total", "totalTokens", "total_tokens"]),
        ..Counts::default()
    };
    for (key, raw) in usage.iter() {
        let Ok(tokens) = raw.get().parse::<u64>() else { continue };
        let add = |sum: &mut Option<u64>| *sum = Some(sum.unwrap_or(0).saturating_add(tokens));
        match key {
            key if key.contains("cache_creation") || key.contains("cache_write") => {
                add(&mut counts.written);
                let hour = if key.contains("1h") { tokens } else { 0 };
                counts.hour = counts.hour.saturating_add(hour);
            }
            key if key.contains("cache_read") || key.contains("cached") => add(&mut counts.read),
            key if key.starts_with("input") || key.starts_with("prompt") => {
                counts.input = counts.input.saturating_add(tokens)
            }
            key if key.starts_with("output") || key.starts_with("completion") => {
                counts.output = counts.output.saturating_add(tokens)
            }
            _ => {}
        }
    }
    let promises = counts.written.is_some();
    let model = field(observation, ["providedModelName", "provided_model_name"])
        .or_else(|| observation.some("model"))
        .and_then(json::string);
    Some(Call {
        response: observation.string("id").map(|id| Arc::from(id.as_ref())),
        time: Some(start(observation)).filter(|time| *time > 0),
        model: model.map(|name| name.as_ref().into()),
        ..counts.call(Caching::promised(promises))?
    })
}
