//! Observations of Langfuse: generations hold what was sent and what came back.
//!
//! Source: the observations API v2 and the blob export of langfuse/langfuse, 3.

use std::sync::Arc;

use super::counts::{self, Counted, Counts};
use super::requests::{self, Conversations, Request};
use super::{Adapter, Detected, Format, Sample, Sink, Way, encoding, form, litellm, sent, time};
use crate::transcript::event::{Caching, Call, Fate, NO_MESSAGE, What};
use crate::transcript::json::{self, Locator, Object, Raw};
use crate::transcript::message::{Draft, Role, hash_of};
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
            .any(|raw| Object::of(*raw).is_some_and(|it| is_observation(&it)))
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
        let mut places = std::mem::take(&mut self.places);
        places.sort_by_key(|(start, spot)| (*start, spot.offset));
        Some(places.into_iter().map(|(_, spot)| spot).collect())
    }

    fn read<'r>(&mut self, _record: Record<'r>, raw: Raw<'r>, sink: &mut Sink<'_, 'r>) -> Fate {
        let object = Object::of(raw).unwrap_or_default();
        let Some(mut parts) = several(&object) else {
            return self.observation(raw, sink);
        };
        parts.sort_by_cached_key(|part| Object::of(*part).map(|part| start(&part)));
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
        let asked = observation.some("input").map(|raw| value(raw, Role::User, sink));
        let Some(asked) = asked.filter(|asked| !asked.messages.is_empty()) else {
            return Fate::Ignored("its content was left out of the log");
        };
        let request = Request {
            group: &group.unwrap_or_default(),
            messages: asked.messages,
            tools: asked.tools,
            ..Request::default()
        };
        let thread = self.conversations.request(request, sink);
        let said = observation.some("output").map(|raw| value(raw, Role::Assistant, sink));
        self.conversations.said(said.unwrap_or_default().messages, sink);
        if let Some(call) = call(&observation) {
            sink.event(thread, What::Call(call));
        }
        Fate::Understood
    }
}

/// What stands in `input` or `output`.
#[derive(Default)]
struct Value {
    messages: Vec<Draft>,
    /// Hash of the tools that stand beside them.
    tools: Option<u64>,
}

/// Reads `input` or `output`; the export writes it as JSON in a text.
fn value<'r>(raw: Raw<'r>, role: Role, sink: &mut Sink<'_, 'r>) -> Value {
    let Some(text) = json::string(raw) else {
        return plain(raw, role, &mut sink.locator);
    };
    if text.starts_with(['{', '[']) {
        let mut tools = None;
        let found = requests::unpacked(&text, sink.spot, |raw, locator| {
            let value = plain(raw, role, locator);
            tools = value.tools;
            value.messages
        });
        if let Some(messages) = found.filter(|found| !found.is_empty()) {
            return Value { messages, tools };
        }
    }
    let mut draft = Draft::of_text(role, text);
    draft.place = sink.locator.place(raw);
    Value::from(vec![draft])
}

impl From<Vec<Draft>> for Value {
    fn from(messages: Vec<Draft>) -> Self {
        Self { messages, tools: None }
    }
}

/// A message, a list of them, or what has them under the names that integrations use.
fn plain<'a>(raw: Raw<'a>, role: Role, locator: &mut Locator<'a>) -> Value {
    if litellm::encodes_items(raw) {
        return requests::items(raw, locator).0.into();
    }
    let Some(object) = Object::of(raw) else {
        return list(raw, locator);
    };
    if let Some(message) = requests::choice(&object) {
        return encoding::messages(message, locator).into();
    }
    let inner = ["messages", "input", "output", "message"]
        .iter()
        .find_map(|key| object.some(key));
    match inner {
        Some(inner) if !object.has("role") => {
            let mut value = list(inner, locator);
            if let Some(raw) = object.some("instructions") {
                let mut system = encoding::draft(Role::System, None, Some(raw), Vec::new(), Vec::new());
                system.place = locator.place(raw);
                value.messages.insert(0, system);
            }
            let tools = (object.has("tools") || object.has("functions")).then(|| sent::tools_of(&object));
            value.tools = tools.or(value.tools);
            value
        }
        _ if object.has("role") || object.has("type") || object.has("lc") => encoding::messages(raw, locator).into(),
        // Some write only what was said.
        _ if object.has("content") => {
            let mut draft = encoding::draft(role, None, object.get("content"), Vec::new(), Vec::new());
            draft.place = locator.place(raw);
            vec![draft].into()
        }
        _ => Value::default(),
    }
}

/// A list of messages, behind which the handler for `LangChain` puts the tools, each as if a tool had said it.
fn list<'a>(raw: Raw<'a>, locator: &mut Locator<'a>) -> Value {
    if litellm::encodes_items(raw) {
        return requests::items(raw, locator).0.into();
    }
    let Some(items) = json::list(raw) else {
        return encoding::messages(raw, locator).into();
    };
    let definition = |raw: Raw<'a>| {
        let item = Object::of(raw).filter(|item| item.string("role").is_some_and(|role| role == "tool"))?;
        let told = item.get("content").filter(|_| item.some("tool_call_id").is_none())?;
        Object::of(told)
            .filter(|told| told.has("function") || told.has("name"))
            .map(|_| sent::block(told))
    };
    let (mut messages, mut tools) = (Vec::new(), Vec::new());
    for raw in items {
        match definition(raw) {
            Some(tool) => tools.push(tool),
            None => messages.extend(encoding::message(raw, locator)),
        }
    }
    let tools = (!tools.is_empty()).then(|| hash_of(tools));
    Value { messages, tools }
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
