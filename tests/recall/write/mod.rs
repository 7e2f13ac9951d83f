//! Writers: a session as a format keeps it, byte for byte as its program would.
//!
//! To add a format: a file here with a type that implements [`Writer`], a line in [`WRITERS`], and a row in
//! `table.toml` that says for every defect `true` or why the format cannot hold it.
//!
//! A writer gets a [`Timeline`] and puts down every step, or only the list at its end. While it writes lines it
//! notes in [`Lines`] on which line each message stands (logs and lists, [`Lines::message`]) or on which line a step
//! is told (lists that are written anew, compactions, [`Lines::step`]): a finding stands at the record that tells
//! the step, and if that shows the message, at the message. Documents are written with a message a line, so that
//! lines tell messages apart (`shared.rs` has what many writers need). What a format says beside its messages (usage,
//! notes, links) belongs into its file as well: it has to stay silent. Where records are linked, that of [`Timeline::severed`] names a parent that is nowhere;
//! where calls tell what they read from the cache, that of [`Timeline::missed`] read nothing.

mod adk;
mod agno;
mod anthropic_batch;
mod atif;
mod autogen;
mod blocks;
mod claude_code;
mod cline;
mod codex;
mod continue_dev;
mod copilot_chat;
mod form;
mod gemini_cli;
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
mod openai_chat;
mod openai_responses;
mod opencode;
mod openhands;
mod otel_genai;
mod pi;
mod pydantic_ai;
mod qwen_code;
mod roo;
mod shared;
mod sharegpt;
mod swe_agent;
mod ui_parts;
mod vercel_ai;

use std::collections::HashMap;

use crate::model::{Style, Timeline};
use crate::plant::Place;
use crate::support::random::Random;

/// What a form of recording shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shows {
    /// What parts of the program returned, folded by id.
    Updates,
    /// The list after every step, merged by id.
    States,
    /// The list at every call of the model.
    Requests,
    /// Messages in the order in which they came, and compactions.
    Log,
    /// The list at the end.
    List,
}

/// What a format can say.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Traits {
    pub(crate) shows: Shows,
    /// Whether messages have ids.
    pub(crate) ids: bool,
    /// Whether calls and results have ids; where they have none, a result answers the call before it.
    pub(crate) pairs: bool,
    /// Whether the system prompt is recorded.
    pub(crate) system: bool,
    /// Whether programs put messages between those of the conversation.
    pub(crate) injections: bool,
    /// Whether the model calls several tools at once.
    pub(crate) parallel: bool,
    /// What its harness leaves when it compacts.
    pub(crate) compaction: Option<Style>,
    /// Whether a list is read as a whole, not message by message.
    pub(crate) whole: bool,
    /// Whether what the model says before it calls, and each call, is a message of its own.
    pub(crate) apart: bool,
    /// Whether results of calls that were made at once are one message.
    pub(crate) together: bool,
    /// Whether what the harness puts there contradicts itself only where it tells how something stands.
    pub(crate) mild: bool,
    /// Whether a result may stand in the record without its call.
    pub(crate) orphans: bool,
    /// Whether a list may hold two messages under one id.
    pub(crate) doubles: bool,
    /// Whether the record of a call tells what the model said, too.
    pub(crate) answers: bool,
}

impl Traits {
    /// Everything that a form may have.
    pub(crate) const fn of(shows: Shows) -> Self {
        Self {
            shows,
            ids: true,
            pairs: true,
            system: true,
            injections: true,
            parallel: true,
            compaction: Some(Style::SummaryFirst),
            whole: false,
            apart: false,
            together: false,
            mild: false,
            orphans: true,
            doubles: false,
            answers: false,
        }
    }
}

/// Writes sessions in one form.
pub(crate) trait Writer: Sync {
    /// What the row of the table is called.
    fn name(&self) -> &'static str;

    /// What `--input-format` calls the format.
    fn format(&self) -> &'static str;

    fn traits(&self) -> Traits;

    fn write(&self, timeline: &Timeline, random: &mut Random) -> File;
}

/// A file as it was written.
pub(crate) struct File {
    /// The ending of its name, without the dot.
    pub(crate) ending: &'static str,
    pub(crate) text: String,
    pub(crate) lines: Lines,
}

/// What stands on which line.
#[derive(Default)]
pub(crate) struct Lines {
    messages: HashMap<usize, usize>,
    steps: HashMap<usize, usize>,
    known: Vec<(&'static str, usize)>,
}

impl Lines {
    /// A message stands on this line.
    pub(crate) fn message(&mut self, uid: usize, line: usize) {
        self.messages.insert(uid, line);
    }

    /// A step is told on this line.
    pub(crate) fn step(&mut self, step: usize, line: usize) {
        self.steps.insert(step, line);
    }

    /// What the program itself writes amiss, whatever is planted: a finding of this rule on this line is right.
    pub(crate) fn known(&mut self, rule: &'static str, line: usize) {
        self.known.push((rule, line));
    }

    pub(crate) fn is_known(&self, rule: &str, line: usize) -> bool {
        self.known.iter().any(|(of, at)| *of == rule && *at == line)
    }

    /// Where a message stands.
    fn line_of(&self, uid: usize) -> Option<usize> {
        self.messages.get(&uid).copied()
    }

    /// Where a finding has to stand, if the file shows it.
    pub(crate) fn of(&self, place: Place) -> Option<usize> {
        let step = self.steps.get(&place.step);
        step.or_else(|| self.messages.get(&place.uid)).copied()
    }
}

/// A file of records, one a line.
#[derive(Default)]
pub(crate) struct Records {
    text: String,
    count: usize,
    pub(crate) lines: Lines,
}

impl Records {
    /// Adds a record; its line.
    pub(crate) fn add(&mut self, record: &serde_json::Value) -> usize {
        self.text.push_str(&record.to_string());
        self.text.push('\n');
        self.count += 1;
        self.count
    }

    pub(crate) fn file(self) -> File {
        File {
            ending: "jsonl",
            text: self.text,
            lines: self.lines,
        }
    }
}

/// All of them.
pub(crate) static WRITERS: &[&dyn Writer] = &[
    &langgraph::Updates,
    &langgraph::Values,
    &openai_chat::Requests,
    &anthropic_batch::Requests,
    &openai_batch::Input,
    &openai_responses::Pairs,
    &openai_responses::Chain,
    &litellm::Payloads,
    &langfuse::Observations,
    &otel_genai::Spans,
    &claude_code::Sessions,
    &codex::Rollouts,
    &adk::SESSION,
    &agno::SESSION,
    &atif::TRAJECTORY,
    &autogen::STATE,
    &cline::TASK,
    &cline::SESSION,
    &continue_dev::SESSION,
    &copilot_chat::TRANSCRIPT,
    &goose::SESSION,
    &mastra::MESSAGES,
    &mini_swe_agent::TRAJECTORY,
    &openai_agents::ITEMS,
    &opencode::EXPORT,
    &pydantic_ai::MESSAGES,
    &roo::TASK,
    &sharegpt::CONVERSATION,
    &swe_agent::TRAJECTORY,
    &vercel_ai::INTERFACE,
    &vercel_ai::MODEL,
    &pi::Sessions,
    &gemini_cli::Sessions,
    &gemini_cli::Documents,
    &qwen_code::Sessions,
    &hermes::Logs,
    &openhands::Events,
    &inspect::Logs,
    &letta::Agents,
];
