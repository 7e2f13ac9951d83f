//! Logs of Inspect evaluations: one document, or an archive with a sample a member.
//!
//! Source: `log/_log.py`, `log/_recorders/eval.py` and `model/_chat_message.py` of `UKGovernmentBEIS/inspect_ai`.

use std::sync::Arc;

use super::counts::{Counted, Counts};
use super::form;
use super::{Adapter, Detected, Format, Sample, Sink, encoding, parts, time};
use crate::transcript::event::{Caching, Call, Fate, NO_MESSAGE, REPEATS, What};
use crate::transcript::json::{self, Locator, Object, Raw};
use crate::transcript::message::{Draft, hash_of};
use crate::transcript::reader::Record;

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
fn sample<'r>(sample: &Object<'r>, sink: &mut Sink<'_, 'r>) -> bool {
    let id = sample.some("id").and_then(encoding::id).unwrap_or_default();
    let epoch = sample.number("epoch").unwrap_or(1);
    let thread: Arc<str> = format!("{id}/epoch {epoch}").into();
    let attachments = sample.object("attachments").unwrap_or_default();
    let messages = sample.list("messages").unwrap_or_default();
    let events = sample.list("events").unwrap_or_default();
    let any = !messages.is_empty() || !events.is_empty();
    let drafts = parts::each(messages, sink, |raw, locator| message(raw, locator, &attachments));
    sink.event(thread.clone(), What::Append(drafts));
    for raw in events {
        let event = Object::of(raw).unwrap_or_default();
        let is_model = event.string("event").is_some_and(|kind| kind == "model");
        let fate = match call(&event).filter(|_| is_model) {
            Some(call) => {
                sink.event_at(raw, thread.clone(), What::Call(call));
                Fate::Understood
            }
            None if is_model => REPEATS,
            None => NO_MESSAGE,
        };
        sink.part(raw, fate);
    }
    sink.event(thread, What::End);
    any
}

fn message<'r>(raw: Raw<'r>, locator: &mut Locator<'r>, attachments: &Object<'r>) -> Result<Draft, Fate> {
    let mut draft = parts::chat(raw, locator)?;
    let object = Object::of(raw).unwrap_or_default();
    let source = object.some("source").and_then(json::string);
    draft.flags.extend(source.map(|source| format!("source={source}")));
    let attached = draft.text.strip_prefix(ATTACHED);
    if let Some(text) = attached.and_then(|name| attachments.string(name.trim())) {
        draft.content = hash_of(&*text);
        draft.text = text.into_owned();
    }
    Ok(draft)
}

/// What a request cost.
fn call(event: &Object<'_>) -> Option<Call> {
    let output = event.object("output")?;
    let usage = output.object("usage")?;
    let model = output.string("model").or_else(|| event.string("model"));
    let promises = event.string("model").is_some_and(|name| name.starts_with("anthropic"));
    let number = |name| usage.number(name);
    let counts = Counts {
        input: number("input_tokens").unwrap_or(0),
        // What is 0 is left out.
        read: number("input_tokens_cache_read").or(Some(0)),
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
