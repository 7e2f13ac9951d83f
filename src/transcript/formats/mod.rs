//! Formats: how a file is recognised, and what turns its records into events.
//!
//! A format is one file here, one line in [`SPECIFIC`], and its forms in `form.rs`.

mod adk;
mod agno;
mod anthropic_batch;
mod atif;
mod autogen;
mod blocks;
mod body;
mod chat;
mod claude_code;
mod cline;
mod codex;
mod continue_dev;
mod copilot_chat;
mod counts;
pub(crate) mod encoding;
pub(crate) mod form;
mod gather;
mod gemini_cli;
pub(crate) mod generic;
mod goose;
mod hermes;
mod inspect;
mod langfuse;
mod langgraph;
mod letta;
mod litellm;
mod mastra;
mod mini_swe_agent;
mod openai_agents;
mod openai_batch;
mod openai_responses;
mod opencode;
mod openhands;
mod otel_genai;
mod parts;
mod pi;
mod pydantic_ai;
mod qwen_code;
mod refused;
mod requests;
mod roo;
mod sample;
mod sent;
mod sharegpt;
mod swe_agent;
mod ties;
mod time;
mod ui_parts;
mod vercel_ai;

use std::io;
use std::sync::{Arc, LazyLock};

use self::form::Form;
pub(crate) use self::gather::gathered;
use self::generic::{Generic, Plan};
pub(crate) use self::refused::{Refusal, by_magic, by_text};
pub(crate) use self::sample::Sample;
use super::event::{Event, Fate, What};
use super::input::Input;
use super::json::{Locator, Raw};
use super::message::Place;
use super::reader::{Broken, Record, Spot};
use super::sqlite::{Query, Schema};

/// Turns the records of one input into events.
pub(crate) trait Adapter {
    /// How the records are gone through.
    fn way(&self) -> Way {
        Way::Forward
    }

    /// For [`Way::Surveyed`]: sees a record in the order of the file, before any is read. What it says of
    /// the record's end counts if [`Self::plan`] gives an order; without one, what [`Self::read`] says does.
    fn survey<'r>(&mut self, _record: Record<'r>, _raw: Raw<'r>) -> Fate {
        Fate::Understood
    }

    /// For [`Way::Surveyed`]: which records are read, in this order; without one, all in the order of the
    /// file.
    fn plan(&mut self) -> Option<Vec<Spot>> {
        None
    }

    /// Which records are read next, when those of the plan were read; none if all were. Plans are told in parts
    /// so that what is over has not to be held.
    fn next_part(&mut self) -> Option<Vec<Spot>> {
        None
    }

    /// Reads one record, in the order of time.
    fn read<'r>(&mut self, record: Record<'r>, raw: Raw<'r>, sink: &mut Sink<'_, 'r>) -> Fate;

    /// Tells what is left when all records were read.
    fn finish(&mut self, _events: &mut Vec<Event>) {}
}

/// How the records of an input are gone through.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Way {
    /// From the first to the last.
    Forward,
    /// From the last to the first: the newest comes first.
    Backward,
    /// All have to be seen before the first is read.
    Surveyed,
}

/// Where an adapter puts what it reads out of one record.
pub(crate) struct Sink<'s, 'r> {
    pub(crate) spot: Spot,
    pub(crate) locator: Locator<'r>,
    pub(crate) events: &'s mut Vec<Event>,
    parts: Vec<(Place, Fate)>,
}

impl<'s, 'r> Sink<'s, 'r> {
    pub(crate) fn new(record: Record<'r>, events: &'s mut Vec<Event>) -> Self {
        Self {
            spot: record.spot,
            locator: Locator::new(record),
            events,
            parts: Vec::new(),
        }
    }

    /// Tells what happened to a history.
    pub(crate) fn event(&mut self, thread: Arc<str>, what: What) {
        let spot = self.spot;
        self.events.push(Event { thread, spot, what });
    }

    /// Tells what happened at a part of the record.
    pub(crate) fn event_at(&mut self, part: Raw<'r>, thread: Arc<str>, what: What) {
        let place = self.locator.place(part);
        let spot = Spot {
            line: place.line,
            column: place.column,
            end_line: place.end_line,
            ..self.spot
        };
        self.events.push(Event { thread, spot, what });
    }

    /// Says where a part of a container ended, such as a message of a session in one document; the record
    /// itself then is [`Fate::Parts`].
    pub(crate) fn part(&mut self, part: Raw<'r>, fate: Fate) {
        let place = self.locator.place(part);
        self.parts.push((place, fate));
    }

    /// What [`Self::part`] was told.
    pub(crate) fn into_parts(self) -> Vec<(Place, Fate)> {
        self.parts
    }
}

/// A format: how it is told from others, and what reads it.
pub(crate) struct Format {
    /// What `--input-format` takes, and what JSON says.
    pub(crate) name: &'static str,
    /// What reads the input, if its first records are of this format.
    pub(crate) detect: fn(&Sample<'_>) -> Option<Detected>,
    /// What reads it if the user says so and nothing contradicts.
    pub(crate) forced: fn() -> Detected,
    /// For a format that is kept in `SQLite`: what is read of a database that has its tables.
    pub(crate) tables: Option<Tables>,
}

/// What is read of a database with this schema; nothing if it is not of the format.
pub(crate) type Tables = fn(&Schema) -> Option<Vec<Query>>;

/// An input that can be replayed.
pub(crate) struct Detected {
    pub(crate) form: &'static Form,
    pub(crate) adapter: Box<dyn Adapter>,
}

impl Detected {
    pub(crate) fn new(form: &'static Form, adapter: impl Adapter + 'static) -> Self {
        Self {
            form,
            adapter: Box::new(adapter),
        }
    }
}

/// Formats whose records say themselves what they are. The first that recognises an input reads it.
static SPECIFIC: &[&Format] = &[
    &atif::FORMAT,
    // Links its records as Claude Code does, so it is asked before.
    &qwen_code::FORMAT,
    &claude_code::FORMAT,
    &codex::FORMAT,
    &continue_dev::FORMAT,
    &copilot_chat::FORMAT,
    &pi::FORMAT,
    &hermes::FORMAT,
    &sharegpt::FORMAT,
    &letta::FORMAT,
    &openhands::FORMAT,
    &swe_agent::FORMAT,
    &mini_swe_agent::FORMAT,
    &adk::FORMAT,
    &inspect::FORMAT,
    &agno::FORMAT,
    &autogen::FORMAT,
    &pydantic_ai::FORMAT,
    &openai_agents::FORMAT,
    &openai_batch::FORMAT,
    &litellm::FORMAT,
    &langfuse::FORMAT,
    &otel_genai::FORMAT,
    &openai_responses::FORMAT,
    &gemini_cli::FORMAT,
    &roo::FORMAT,
    &cline::FORMAT,
    &opencode::FORMAT,
    &goose::FORMAT,
    &mastra::FORMAT,
    &vercel_ai::FORMAT,
];

/// Formats of plain lists of messages, which records of others may contain. Asked last, in this order.
static GENERAL: &[&Format] = &[&langgraph::FORMAT, &chat::OPENAI, &anthropic_batch::FORMAT];

fn all() -> impl Iterator<Item = &'static Format> {
    SPECIFIC.iter().chain(GENERAL).copied()
}

/// Names of formats that can be forced.
pub(crate) static NAMES: LazyLock<Vec<&'static str>> = LazyLock::new(|| {
    let mut names: Vec<_> = all().map(|format| format.name).collect();
    names.sort_unstable();
    names
});

/// What is read of a database, and the format that says so.
pub(crate) fn queries(schema: &Schema) -> Option<(&'static str, Vec<Query>)> {
    all().find_map(|format| Some((format.name, (format.tables?)(schema)?)))
}

/// How an input is to be read.
#[derive(Clone)]
pub(crate) enum Wanted<'a> {
    /// As what its content is recognised as.
    Whatever,
    /// As the format of this name.
    Format(&'a str),
    /// As a home-made log of the project.
    Project(Arc<Plan>),
}

/// What an input was recognised as.
pub(crate) enum Detection {
    Read(Detected),
    Refused(Refusal),
    /// None of its first records is of a known form; the first of them that is broken, if one is.
    Unrecognised(Option<Broken>),
}

/// Recognises an input by its first records, or reads it as what is wanted.
pub(crate) fn detect(input: &mut Input, wanted: &Wanted<'_>) -> io::Result<Detection> {
    if let Wanted::Project(plan) = wanted {
        let adapter = Generic::new(Arc::clone(plan));
        return Ok(Detection::Read(Detected::new(plan.form(), adapter)));
    }
    let taken = sample::take(input)?;
    input.rewind()?;
    let sample = taken.sample();
    if let Wanted::Format(name) = wanted {
        let format = all().find(|format| format.name == *name);
        let found = format.map(|format| (format.detect)(&sample).unwrap_or_else(format.forced));
        return Ok(found.map_or(Detection::Unrecognised(None), Detection::Read));
    }
    let first_of = |formats: &[&Format]| formats.iter().find_map(|format| (format.detect)(&sample));
    if let Some(found) = first_of(SPECIFIC) {
        return Ok(Detection::Read(found));
    }
    let refusal = sample.raws().find_map(refused::by_record);
    if let Some(refusal) = refusal {
        return Ok(Detection::Refused(refusal));
    }
    Ok(match first_of(GENERAL) {
        Some(found) => Detection::Read(found),
        None => Detection::Unrecognised(taken.broken),
    })
}

/// Reads nothing: files that stand beside a transcript and say nothing that it does not say.
pub(crate) struct Companion(pub(crate) &'static str);

impl Adapter for Companion {
    fn read<'r>(&mut self, _record: Record<'r>, _raw: Raw<'r>, _sink: &mut Sink<'_, 'r>) -> Fate {
        Fate::Ignored(self.0)
    }
}
