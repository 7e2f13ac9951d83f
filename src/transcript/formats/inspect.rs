//! Logs of Inspect evaluations: one document, or an archive with a sample a member.
//!
//! Source: `log/_log.py`, `log/_recorders/eval.py` and `model/_chat_message.py` of `UKGovernmentBEIS/inspect_ai`.

use std::sync::Arc;

use rustc_hash::FxHashMap;
use serde_json::Value;

use super::counts::{Counted, Counts};
use super::form;
use super::{Adapter, Detected, Format, Sample, Sink, encoding, parts, sent, time};
use crate::transcript::event::{Caching, Call, Fate, NO_MESSAGE, Note, Prompt, REPEATS, What};
use crate::transcript::json::{self, Locator, Object, Raw};
use crate::transcript::message::{self, Draft, Kind, Place};
use crate::transcript::reader::{Record, Spot};

pub(super) static FORMAT: Format = Format {
    name: "inspect",
    detect,
    forced: || Detected::new(&form::INSPECT, Inspect),
    tables: None,
};

/// How a text that is kept apart is named in a message.
const ATTACHED: &str = "attachment://";

fn detect(sample: &Sample<'_>) -> Option<Detected> {
    let found = sample.any(|object| is_header(object) || is_sample(object));
    found.then(|| Detected::new(&form::INSPECT, Inspect))
}

fn is_header(object: &Object<'_>) -> bool {
    let eval = object.object("eval");
    eval.is_some_and(|eval| eval.has("task"))
        && ["plan", "stats", "samples", "status"].iter().any(|key| object.has(key))
}

fn is_sample(object: &Object<'_>) -> bool {
    object.has("epoch") && object.has("input") && object.has("target") && object.list("messages").is_some()
}

/// Reads logs and samples.
struct Inspect;

impl Adapter for Inspect {
    fn read<'r>(&mut self, _record: Record<'r>, raw: Raw<'r>, sink: &mut Sink<'_, 'r>) -> Fate {
        let Some(object) = Object::of(raw) else {
            return Fate::Unknown("record that is no object".to_owned());
        };
        if is_header(&object) {
            let mut any = false;
            for raw in object.list("samples").unwrap_or_default() {
                any |= sample(&Object::of(raw).unwrap_or_default(), sink);
            }
            return if any { Fate::Parts } else { NO_MESSAGE };
        }
        if object.has("epoch") && object.has("messages") {
            return if sample(&object, sink) { Fate::Parts } else { NO_MESSAGE };
        }
        // Summaries of samples, reductions of their scores, settings of the run.
        let is_summary = object.has("epoch") && object.has("input");
        let is_scores = object.has("scorer") && object.has("samples");
        if is_summary || is_scores {
            REPEATS
        } else if object.has("eval") || object.has("plan") {
            NO_MESSAGE
        } else {
            Fate::Unknown("record that is no sample".to_owned())
        }
    }
}

/// Reads a sample; whether there is anything in it.
///
/// The messages are those of the end. Each request is told behind as many of them as it sent.
fn sample<'r>(sample: &Object<'r>, sink: &mut Sink<'_, 'r>) -> bool {
    let id = sample.some("id").and_then(encoding::id).unwrap_or_default();
    let epoch = sample.number("epoch").unwrap_or(1);
    let thread: Arc<str> = format!("{id}/epoch {epoch}").into();
    let messages = sample.list("messages").unwrap_or_default();
    let events = sample.list("events").unwrap_or_default();
    let any = !messages.is_empty() || !events.is_empty();
    let attached = Attached::of(sample);
    let drafts = parts::each(messages, sink, |raw, locator| {
        let place = locator.place(raw);
        message(raw, place, &attached)
    });
    let places = drafts.iter().enumerate();
    let places: FxHashMap<Arc<str>, usize> = places.filter_map(|(at, draft)| Some((draft.id.clone()?, at))).collect();
    let mut left = drafts.into_iter();
    let mut told = 0;
    let calls = Calls::of(sample, &events, &attached, sink);
    for raw in events {
        let event = Object::of(raw).unwrap_or_default();
        if event.string("event").is_none_or(|kind| kind != "model") {
            sink.part(raw, NO_MESSAGE);
            continue;
        }
        if event.string("cache").is_some_and(|cache| cache == "read") {
            sink.part(raw, Fate::Ignored("answered from what Inspect kept, not by the model"));
            continue;
        }
        let messages = calls.sent(&event, sink.locator.place(raw));
        let until = messages.iter().filter_map(|draft| places.get(draft.id.as_ref()?)).max();
        let more: Vec<Draft> = left
            .by_ref()
            .take(until.map_or(0, |at| (at + 1).saturating_sub(told)))
            .collect();
        if !more.is_empty() {
            told += more.len();
            sink.event(thread.clone(), What::Append(more));
        }
        let mut fate = REPEATS;
        if !messages.is_empty() {
            let prompt = Prompt {
                messages: Some(messages),
                tools: event.some("tools").map(|tools| sent::tools(Some(tools))),
                sender: calls.sender(&event),
                ..Prompt::default()
            };
            sink.event_at(raw, thread.clone(), What::Prompt(prompt));
            fate = Fate::Understood;
        }
        if let Some(call) = call(&event) {
            sink.event_at(raw, thread.clone(), What::Call(call));
            fate = Fate::Understood;
        }
        if event.some("error").is_some() {
            sink.event_at(raw, thread.clone(), What::Note(Note::ApiError));
        }
        sink.part(raw, fate);
    }
    sink.event(thread.clone(), What::Append(left.collect()));
    sink.event(thread, What::End);
    any
}

/// A message that stands at this place.
fn message<'r>(raw: Raw<'r>, place: Place, attached: &Attached<'r>) -> Result<Draft, Fate> {
    // Its place is known: it is read as a record of its own.
    let whole = attached.put_back(raw);
    let record = Record {
        text: whole.as_deref().unwrap_or(raw.get()),
        spot: Spot::default(),
        tape: None,
    };
    let draft = match json::value(&record) {
        Ok(raw) => whole_message(raw, &mut Locator::new(record)),
        Err(broken) => Err(Fate::Malformed(broken.reason)),
    };
    draft.map(|draft| Draft { place, ..draft })
}

fn whole_message<'r>(raw: Raw<'r>, locator: &mut Locator<'r>) -> Result<Draft, Fate> {
    let mut draft = parts::chat(raw, locator)?;
    let object = Object::of(raw).unwrap_or_default();
    let source = object.some("source").and_then(json::string);
    draft.flags.extend(source.map(|source| format!("source={source}")));
    Ok(draft)
}

/// Texts that are kept apart and named where they stood.
struct Attached<'r>(FxHashMap<String, Raw<'r>>);

impl<'r> Attached<'r> {
    fn of(sample: &Object<'r>) -> Self {
        let kept = sample.object("attachments").unwrap_or_default();
        Self(kept.iter().map(|(name, text)| (name.to_owned(), text)).collect())
    }

    /// A value with its texts where they belong; none if it names none.
    fn put_back(&self, raw: Raw<'_>) -> Option<String> {
        if self.0.is_empty() || !raw.get().contains(ATTACHED) {
            return None;
        }
        let mut value: Value = serde_json::from_str(raw.get()).ok()?;
        self.put(&mut value);
        Some(value.to_string())
    }

    fn put(&self, value: &mut Value) {
        match value {
            Value::String(text) => {
                let kept = text.strip_prefix(ATTACHED).and_then(|name| self.0.get(name.trim()));
                if let Some(kept) = kept.and_then(|raw| json::string(*raw)) {
                    *text = kept.into_owned();
                }
            }
            Value::Array(list) => list.iter_mut().for_each(|value| self.put(value)),
            Value::Object(map) => map.values_mut().for_each(|value| self.put(value)),
            _ => {}
        }
    }
}

/// What the requests of a sample sent, and which agent sent them.
struct Calls<'a, 'r> {
    attached: &'a Attached<'r>,
    /// Messages that later versions keep once, for requests to name them by their numbers; none for what is no
    /// message.
    pool: Vec<Option<Arc<Draft>>>,
    /// The span above each, and whether it says what it is, as those of agents, solvers, scorers and tools do.
    spans: FxHashMap<String, (Option<String>, bool)>,
}

impl<'a, 'r> Calls<'a, 'r> {
    fn of(sample: &Object<'r>, events: &[Raw<'r>], attached: &'a Attached<'r>, sink: &mut Sink<'_, 'r>) -> Self {
        let pool = sample.object("events_data").and_then(|data| data.list("messages"));
        let pool = pool.unwrap_or_default().into_iter().map(|raw| {
            let mut draft = message(raw, sink.locator.place(raw), attached).ok()?;
            // With as much of its text as is looked at.
            let head = message::head(&draft.text, Kind::Injected);
            draft.beside += draft.text.len() - head.len();
            draft.text = head.into();
            Some(Arc::new(draft))
        });
        let begun = events.iter().filter_map(|raw| {
            let event =
                Object::of(*raw).filter(|event| event.string("event").is_some_and(|kind| kind == "span_begin"))?;
            let text = |key: &str| event.some(key).and_then(json::string).map(String::from);
            Some((text("id")?, (text("parent_id"), text("type").is_some())))
        });
        Self {
            attached,
            pool: pool.collect(),
            spans: begun.collect(),
        }
    }

    /// What a request sent.
    fn sent(&self, event: &Object<'r>, place: Place) -> Vec<Arc<Draft>> {
        let input = event.list("input").unwrap_or_default();
        let mut sent: Vec<Arc<Draft>> = input
            .into_iter()
            .filter_map(|raw| message(raw, place, self.attached).ok().map(Arc::new))
            .collect();
        let ranges = event.list("input_refs").filter(|_| sent.is_empty()).unwrap_or_default();
        for range in ranges {
            let range: Option<[usize; 2]> = serde_json::from_str(range.get()).ok();
            let [from, to] = range.unwrap_or_default();
            let named = self.pool.get(from..to.min(self.pool.len())).unwrap_or_default();
            sent.extend(named.iter().flatten().cloned());
        }
        sent
    }

    /// Which run of an agent, a solver, a scorer or a tool a request belongs to.
    fn sender(&self, event: &Object<'r>) -> Option<Arc<str>> {
        let role = event.some("role").and_then(json::string);
        let mut span = event.some("span_id").and_then(json::string).map(String::from);
        // No more steps than there are spans, should they form a ring.
        for _ in 0..self.spans.len() {
            let above = span.as_ref().and_then(|span| self.spans.get(span));
            let Some((above, false)) = above else { break };
            span.clone_from(above);
        }
        let parts: Vec<&str> = [span.as_deref(), role.as_deref()].into_iter().flatten().collect();
        (!parts.is_empty()).then(|| parts.join(" ").into())
    }
}

/// What a request cost.
fn call(event: &Object<'_>) -> Option<Call> {
    let output = event.object("output")?;
    let usage = output.object("usage")?;
    let model = output.string("model").or_else(|| event.string("model"));
    let promises = event.string("model").is_some_and(|name| name.starts_with("anthropic"));
    let leaves_out = promises || event.string("model").is_some_and(|name| name.starts_with("google"));
    let number = |name| usage.number(name);
    let counts = Counts {
        input: number("input_tokens").unwrap_or(0),
        // Of these what is 0 is left out; of others nothing is known then.
        read: number("input_tokens_cache_read").or(leaves_out.then_some(0)),
        written: number("input_tokens_cache_write"),
        output: number("output_tokens").unwrap_or(0),
        thoughts: number("reasoning_tokens").unwrap_or(0),
        total: number("total_tokens"),
        // Others than Anthropic were counted within before Inspect counted all beside.
        cached: Counted::beside(promises),
        ..Counts::default()
    };
    Some(Call {
        time: event.string("timestamp").and_then(|text| time::parse(&text)),
        model: model.map(|model| model.as_ref().into()),
        ..counts.call(Caching::promised(promises))?
    })
}
