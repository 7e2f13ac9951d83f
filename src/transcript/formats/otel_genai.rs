//! Spans and log events with `OpenTelemetry`'s attributes for generative AI, of both generations, and with those
//! of `OpenInference`.
//!
//! Source: `docs/gen-ai` of open-telemetry/semantic-conventions, 1.28 to 1.38, and
//! `spec/semantic_conventions.md` of Arize-ai/openinference.

mod attributes;
mod messages;

use std::sync::Arc;

use rustc_hash::FxHashSet;
use serde_json::{Map, Value};

use self::attributes::{flat, start, tokens};
use super::counts::Counts;
use super::requests::{Conversations, Request};
use super::{Adapter, Companion, Detected, Format, Sample, Sink, Way, form};
use crate::transcript::event::{Caching, Call, Fate, NO_MESSAGE, REPEATS, What};
use crate::transcript::json::{self, Object, Raw};
use crate::transcript::message::Draft;
use crate::transcript::reader::{Record, Spot};

pub(super) static FORMAT: Format = Format {
    name: "otel-genai",
    detect,
    forced: || Detected::new(&form::OTEL, Otel::default()),
    tables: None,
};

fn detect(sample: &Sample<'_>) -> Option<Detected> {
    if sample.is_single() && sample.any(is_schema) {
        let companion = Companion("describes messages, and holds none");
        return Some(Detected::new(&form::OTEL_SCHEMA, companion));
    }
    let tells = |raw: Raw<'_>| {
        let text = raw.get();
        ["gen_ai.", "llm.input_messages", "openinference.span.kind"]
            .iter()
            .any(|name| text.contains(name))
    };
    let known = |record: &Object<'_>| {
        let lists = ["resourceSpans", "resourceLogs", "resource_spans", "resource_logs"];
        let attributes = ["attributes", "body", "event_name", "eventName"]
            .iter()
            .filter_map(|key| record.get(key));
        let is_span = ["context", "span_id", "spanId", "trace_id", "traceId"]
            .iter()
            .any(|key| record.has(key));
        lists.iter().filter_map(|key| record.get(key)).any(tells)
            || is_span && attributes.into_iter().any(tells)
            || is_span && record.get("events").is_some_and(tells)
    };
    sample.any(known).then(|| Detected::new(&form::OTEL, Otel::default()))
}

const WITHOUT_REQUEST: &str = "an answer without its request";

/// Whether a document is the JSON schema of the attributes.
fn is_schema(document: &Object<'_>) -> bool {
    let defines = |raw: Raw<'_>| Object::of(raw).is_some_and(|types| types.has("BlobPart") && types.has("FilePart"));
    document.iter().any(|(_, raw)| defines(raw))
}

/// The spans or log events of a record: of an export, those of all its resources and scopes.
fn parts<'r>(record: &Object<'r>) -> Option<Vec<Raw<'r>>> {
    let find = |object: &Object<'r>, names: &[&str]| names.iter().find_map(|name| object.list(name));
    let resources = find(
        record,
        &["resourceSpans", "resourceLogs", "resource_spans", "resource_logs"],
    )?;
    let scopes = [
        "scopeSpans",
        "scopeLogs",
        "scope_spans",
        "scope_logs",
        "instrumentationLibrarySpans",
    ];
    let mut found = Vec::new();
    for resource in resources.into_iter().filter_map(Object::of) {
        for scope in find(&resource, &scopes)
            .unwrap_or_default()
            .into_iter()
            .filter_map(Object::of)
        {
            found.extend(find(&scope, &["spans", "logRecords", "log_records"]).unwrap_or_default());
        }
    }
    Some(found)
}

#[derive(Default)]
struct Otel {
    conversations: Conversations,
    places: Vec<(i64, Spot)>,
    /// Whether a record holds several spans.
    exported: bool,
    /// Spans with a request inside: two instrumentations tell of one call, and the inner one counts.
    wraps: FxHashSet<String>,
    /// Messages told one by one by log events, with the span they belong to.
    told: (String, Vec<Draft>),
}

impl Adapter for Otel {
    fn way(&self) -> Way {
        Way::Surveyed
    }

    fn survey<'r>(&mut self, record: Record<'r>, raw: Raw<'r>) -> Fate {
        let object = Object::of(raw).unwrap_or_default();
        self.exported |= parts(&object).is_some();
        self.places.push((start(&object), record.spot));
        let mut events = Vec::new();
        let mut sink = Sink::new(record, &mut events);
        for part in parts(&object).unwrap_or_default() {
            if Self::default().span(part, &mut sink) == Fate::Understood {
                self.wraps.extend(above(&Object::of(part).unwrap_or_default()));
            }
        }
        if self.wraps.contains(&id(&object, ["span_id", "spanId"])) {
            return REPEATS;
        }
        match Self::default().span(raw, &mut sink) {
            Fate::Understood => {
                self.wraps.extend(above(&object));
                Fate::Understood
            }
            // The request was told by events before it.
            Fate::Ignored(WITHOUT_REQUEST) => Fate::Understood,
            fate => fate,
        }
    }

    fn plan(&mut self) -> Option<Vec<Spot>> {
        if self.exported {
            return None;
        }
        // Spans are written when they end; what was sent first began first.
        let mut places = std::mem::take(&mut self.places);
        places.sort_by_key(|(start, spot)| (*start, spot.offset));
        Some(places.into_iter().map(|(_, spot)| spot).collect())
    }

    fn read<'r>(&mut self, _record: Record<'r>, raw: Raw<'r>, sink: &mut Sink<'_, 'r>) -> Fate {
        let object = Object::of(raw).unwrap_or_default();
        let Some(mut parts) = parts(&object) else {
            return self.span(raw, sink);
        };
        parts.sort_by_cached_key(|part| Object::of(*part).map(|part| start(&part)));
        for part in parts {
            let fate = self.span(part, sink);
            sink.part(part, fate);
        }
        Fate::Parts
    }
}

impl Otel {
    fn span<'r>(&mut self, raw: Raw<'r>, sink: &mut Sink<'_, 'r>) -> Fate {
        let Some(span) = Object::of(raw) else {
            return Fate::Unknown("record that is no object".to_owned());
        };
        let attributes = span.get("attributes").map(flat).unwrap_or_default();
        if let Some(name) = event_name(&span, &attributes)
            && let Some(fate) = self.event(&name, &span, &attributes, raw, sink)
        {
            return fate;
        }
        let kind = attributes.get("openinference.span.kind").and_then(Value::as_str);
        let operation = attributes.get("gen_ai.operation.name").and_then(Value::as_str);
        let is_request = match (kind, operation) {
            (Some(kind), _) => kind == "LLM",
            (None, Some(operation)) => matches!(operation, "chat" | "text_completion" | "generate_content"),
            (None, None) => attributes.contains_key("gen_ai.system") || attributes.contains_key("gen_ai.provider.name"),
        };
        if !is_request {
            return NO_MESSAGE;
        }
        if self.wraps.contains(&id(&span, ["span_id", "spanId"])) {
            return REPEATS;
        }
        let (mut sent, mut said) = messages::of(&attributes);
        for event in span
            .list("events")
            .unwrap_or_default()
            .into_iter()
            .filter_map(Object::of)
        {
            let inner = event.get("attributes").map(flat).unwrap_or_default();
            let name = event.string("name").unwrap_or_default();
            if name == "gen_ai.client.inference.operation.details" {
                let (more, answer) = messages::of(&inner);
                sent.extend(more);
                said.extend(answer);
            } else if name == "gen_ai.choice" {
                said.extend(messages::told(&name, &inner));
            } else {
                sent.extend(messages::told(&name, &inner));
            }
        }
        self.request(&span, &attributes, raw, sent, said, sink)
    }

    fn request<'r>(
        &mut self,
        span: &Object<'r>,
        attributes: &Map<String, Value>,
        raw: Raw<'r>,
        mut sent: Vec<Draft>,
        mut said: Vec<Draft>,
        sink: &mut Sink<'_, 'r>,
    ) -> Fate {
        if sent.is_empty() {
            return Fate::Ignored("its content was left out of the log");
        }
        let place = sink.locator.place(raw);
        for draft in sent.iter_mut().chain(&mut said) {
            draft.place = place;
        }
        let group = group(span, attributes);
        let agent = ["gen_ai.agent.id", "gen_ai.agent.name"];
        let request = Request {
            group: &group,
            sender: agent
                .iter()
                .find_map(|key| attributes.get(*key)?.as_str().map(Arc::from)),
            messages: sent,
            tools: messages::tools(attributes),
            ..Request::default()
        };
        let thread = self.conversations.request(request, sink);
        self.conversations.said(said, sink);
        if let Some(call) = call(span, attributes) {
            sink.event(thread, What::Call(call));
        }
        Fate::Understood
    }

    /// A log event; none if it is no event of this kind.
    fn event<'r>(
        &mut self,
        name: &str,
        span: &Object<'r>,
        attributes: &Map<String, Value>,
        raw: Raw<'r>,
        sink: &mut Sink<'_, 'r>,
    ) -> Option<Fate> {
        if name == "gen_ai.client.inference.operation.details" {
            let mut whole = attributes.clone();
            whole.extend(span.get("body").map(flat).unwrap_or_default());
            let (sent, said) = messages::of(&whole);
            return Some(self.request(span, &whole, raw, sent, said, sink));
        }
        if !name.starts_with("gen_ai.") {
            return None;
        }
        let body = span.get("body").map(flat).unwrap_or_default();
        let body = if body.is_empty() { attributes.clone() } else { body };
        let drafts = messages::told(name, &body);
        if drafts.is_empty() {
            return Some(Fate::Ignored("its content was left out of the log"));
        }
        let group = group(span, attributes);
        let of_span = format!("{group} {}", id(span, ["span_id", "spanId"]));
        if self.told.0 != of_span {
            self.told = (of_span, Vec::new());
        }
        if name != "gen_ai.choice" {
            self.told.1.extend(drafts);
            return Some(Fate::Understood);
        }
        let sent = std::mem::take(&mut self.told.1);
        Some(if sent.is_empty() {
            // Another choice of the same call, or an answer whose request is not in the file.
            Fate::Ignored(WITHOUT_REQUEST)
        } else {
            self.request(span, attributes, raw, sent, drafts, sink)
        })
    }
}

fn event_name(span: &Object<'_>, attributes: &Map<String, Value>) -> Option<String> {
    let own = ["event_name", "eventName"].iter().find_map(|key| span.string(key));
    let own = own.filter(|name| !name.is_empty()).map(String::from);
    own.or_else(|| Some(attributes.get("event.name")?.as_str()?.to_owned()))
}

/// The span that a span is in; of a log event, none.
fn above(span: &Object<'_>) -> Option<String> {
    let names = ["parent_span_id", "parentSpanId", "parent_id", "parentId"];
    let above = names.iter().find_map(|name| span.some(name).and_then(json::string));
    above.filter(|above| !above.is_empty()).map(String::from)
}

fn id(span: &Object<'_>, names: [&str; 2]) -> String {
    let context = span.object("context").unwrap_or_default();
    let found = names
        .iter()
        .find_map(|name| span.string(name).or_else(|| context.string(name)));
    found.map(String::from).unwrap_or_default()
}

/// The conversation that a span names, or its trace.
fn group(span: &Object<'_>, attributes: &Map<String, Value>) -> String {
    let named = ["gen_ai.conversation.id", "session.id", "langfuse.session.id"];
    let named = named
        .iter()
        .find_map(|key| attributes.get(*key)?.as_str().filter(|name| !name.is_empty()));
    named.map_or_else(|| id(span, ["trace_id", "traceId"]), str::to_owned)
}

fn call(span: &Object<'_>, attributes: &Map<String, Value>) -> Option<Call> {
    let first = |names: &[&str]| names.iter().find_map(|name| tokens(attributes.get(*name)?));
    let input = first(&[
        "gen_ai.usage.input_tokens",
        "gen_ai.usage.prompt_tokens",
        "llm.token_count.prompt",
    ]);
    let read = first(&[
        "gen_ai.usage.cache_read.input_tokens",
        "gen_ai.usage.details.cache_read_tokens",
        "llm.token_count.prompt_details.cache_read",
    ]);
    let written = first(&[
        "gen_ai.usage.cache_creation.input_tokens",
        "gen_ai.usage.details.cache_write_tokens",
        "llm.token_count.prompt_details.cache_write",
    ]);
    let text = |names: &[&str]| {
        names
            .iter()
            .find_map(|name| attributes.get(*name)?.as_str().map(Into::into))
    };
    let counts = Counts {
        input: input.unwrap_or(0),
        read,
        written,
        output: first(&[
            "gen_ai.usage.output_tokens",
            "gen_ai.usage.completion_tokens",
            "llm.token_count.completion",
        ])
        .unwrap_or(0),
        thoughts: first(&[
            "gen_ai.usage.reasoning.output_tokens",
            "gen_ai.usage.details.reasoning_tokens",
            "llm.token_count.completion_details.reasoning",
        ])
        .unwrap_or(0),
        total: first(&["llm.token_count.total", "gen_ai.usage.total_tokens"]),
        ..Counts::default()
    };
    Some(Call {
        response: text(&["gen_ai.response.id"]),
        time: Some(start(span)).filter(|time| *time > 0).map(|time| time / 1000),
        model: text(&["gen_ai.response.model", "gen_ai.request.model", "llm.model_name"]),
        ..counts.call(Caching::promised(written.is_some()))?
    })
}
