//! Formats: how a file is recognised, and what turns its records into events.

mod chat;
pub(crate) mod encoding;
pub(crate) mod form;
pub(crate) mod generic;
mod langgraph;
mod refused;

use std::io;
use std::sync::Arc;

use self::form::Form;
use self::generic::{Generic, Plan};
use self::langgraph::LangGraph;
pub(crate) use self::refused::{Refusal, by_magic, by_text};
use super::event::{Event, Fate};
use super::json::{self, Raw};
use super::reader::{Broken, Reader, Record};

/// Turns the records of one file into events.
pub(crate) trait Adapter {
    /// Reads one record, in the order of time.
    fn read<'r>(&mut self, record: Record<'r>, raw: Raw<'r>, events: &mut Vec<Event>) -> Fate;
}

/// What a file was recognised as.
pub(crate) enum Detection {
    Read(Detected),
    Refused(Refusal),
    /// None of its first records is of a known form; the first of them that is broken, if one is.
    Unrecognised(Option<Broken>),
}

/// A file that can be replayed.
pub(crate) struct Detected {
    pub(crate) form: &'static Form,
    pub(crate) adapter: Box<dyn Adapter>,
    /// Whether the records run backwards in time.
    pub(crate) newest_first: bool,
}

/// How many records, and bytes of them, are looked at.
const SAMPLE: usize = 64;
const SAMPLE_BYTES: u64 = 4 << 20;

/// Names of formats that can be forced.
pub(crate) const NAMES: [&str; 3] = ["langgraph", "openai-chat", "anthropic-batch"];

/// How a file is to be read.
pub(crate) enum Wanted<'a> {
    /// As what its content is recognised as.
    Whatever,
    /// As the format of this name.
    Format(&'a str),
    /// As a home-made log of the project.
    Project(Arc<Plan>),
}

/// Recognises a file by its first records, or reads it as what is wanted.
pub(crate) fn detect(reader: &mut Reader, wanted: &Wanted<'_>) -> io::Result<Detection> {
    let forced = match wanted {
        Wanted::Whatever => None,
        Wanted::Format(name) => Some(*name),
        Wanted::Project(plan) => {
            return Ok(Detection::Read(Detected {
                form: plan.form(),
                adapter: Box::new(Generic::new(Arc::clone(plan))),
                newest_first: false,
            }));
        }
    };
    let mut graph = Vec::new();
    let mut chats = Vec::new();
    let mut refusal = None;
    let mut broken = None;
    let mut seen = 0;
    let mut records = 0;
    while records < SAMPLE && seen < SAMPLE_BYTES {
        let Some(next) = reader.next()? else { break };
        records += 1;
        let (spot, raw) = match next.and_then(|record| Ok((record.spot, json::value(&record)?))) {
            Ok(found) => found,
            Err(error) => {
                broken.get_or_insert(error);
                continue;
            }
        };
        seen += spot.len;
        refusal = refusal.or_else(|| refused::by_record(raw));
        match chat::Shape::of(raw) {
            Some(shape) => chats.push(shape),
            None => graph.extend(langgraph::shape::Shape::of(raw)),
        }
    }
    reader.rewind()?;
    if let (Some(refusal), None) = (refusal, forced) {
        return Ok(Detection::Refused(refusal));
    }
    let graph = langgraph::recognise(&graph);
    let is_chat = match forced {
        Some(name) => name != "langgraph",
        None => !chats.is_empty() && graph.is_none(),
    };
    if is_chat {
        let anthropic = forced == Some("anthropic-batch");
        let fallback = forced.map(|_| {
            if anthropic {
                &form::ANTHROPIC_LIST
            } else {
                &form::CHAT_LIST
            }
        });
        let found = chat::recognise(&chats).filter(|form| forced.is_none_or(|name| form.format == name));
        return Ok(match found.or(fallback) {
            Some(form) => Detection::Read(Detected {
                form,
                adapter: Box::<chat::Chat>::default(),
                newest_first: false,
            }),
            None => Detection::Unrecognised(broken),
        });
    }
    Ok(match graph {
        Some(found) => Detection::Read(Detected {
            form: found.form,
            adapter: Box::new(found.adapter),
            newest_first: found.newest_first,
        }),
        None if forced.is_some() => Detection::Read(Detected {
            form: &form::MESSAGE_LIST,
            adapter: Box::new(LangGraph::new(None, None)),
            newest_first: false,
        }),
        None => Detection::Unrecognised(broken),
    })
}
