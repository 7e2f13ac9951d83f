//! A message of opencode, gathered from its parts.

use std::sync::Arc;

use crate::transcript::event::{Caching, Call, Fate, NO_MESSAGE};
use crate::transcript::formats::body::{self, Body};
use crate::transcript::formats::counts::{Counted, Counts};
use crate::transcript::formats::time;
use crate::transcript::json::Object;
use crate::transcript::message::{Draft, Kind, Place, Role};

/// A message, and what its parts add to it.
pub(super) struct Message {
    pub(super) id: Arc<str>,
    role: Role,
    place: Place,
    /// The message that it answers.
    pub(super) answers: Option<Arc<str>>,
    pub(super) is_summary: bool,
    pub(super) is_finished: bool,
    pub(super) failed: bool,
    /// What its responses cost: those of its steps, or its own where it tells no steps.
    pub(super) calls: Vec<Call>,
    /// Whether a step told what it cost.
    has_steps: bool,
    pub(super) compaction: Option<Request>,
    /// What becomes of its parts: messages as the model reads them.
    drafts: Vec<Draft>,
    said: Body,
    answered: Body,
}

/// That the history is to be compacted.
pub(super) struct Request {
    pub(super) is_automatic: bool,
    pub(super) tail: Option<Arc<str>>,
}

/// What stands for a request to compact in the history.
const ASKED: &str = "What did we do so far?";

impl Message {
    pub(super) fn of(info: &Object<'_>, place: Place) -> Result<Self, Fate> {
        let role = match info.string("role").as_deref() {
            Some("user") => Role::User,
            Some("assistant") => Role::Assistant,
            Some(other) => return Err(Fate::Unknown(format!("role {other}"))),
            None => return Err(Fate::Malformed("a message without a role".to_owned())),
        };
        let text = |key: &str| info.string(key).map(|text| Arc::from(&*text));
        Ok(Self {
            id: text("id").unwrap_or_else(|| Arc::from("")),
            role,
            place,
            answers: text("parentID"),
            is_summary: info.get("summary").is_some_and(|summary| summary.get() == "true"),
            is_finished: info.some("finish").is_some() && info.some("error").is_none(),
            failed: info.some("error").is_some(),
            calls: call(info).into_iter().collect(),
            has_steps: false,
            compaction: None,
            drafts: Vec::new(),
            said: Body::default(),
            answered: Body::default(),
        })
    }

    /// Takes a part, in the order of their ids.
    pub(super) fn part(&mut self, part: &Object<'_>, place: Place) -> Fate {
        let is = |key: &str| part.get(key).is_some_and(|value| value.get() == "true");
        let kind = part.string("type").unwrap_or_default();
        let text = || part.string("text").unwrap_or_default();
        match &*kind {
            "text" if is("ignored") => return Fate::Ignored("shown to the person, not sent to the model"),
            "text" if is("synthetic") => {
                let text = text();
                let draft = Draft {
                    flags: vec!["synthetic".to_owned()],
                    place,
                    ..Draft::of_text(self.role, text)
                };
                self.settle();
                self.drafts.push(draft);
            }
            "text" => self.say().line(&text()),
            "reasoning" => {
                let draft = Draft {
                    told: Some(Kind::Reasoning),
                    place,
                    ..Draft::of_text(Role::Assistant, text())
                };
                self.settle();
                self.drafts.push(draft);
            }
            "file" => {
                let name = part
                    .string("filename")
                    .or_else(|| part.string("url"))
                    .unwrap_or_default();
                let name = name.into_owned();
                self.say().word(&name);
            }
            "tool" => self.tool(part),
            "compaction" => {
                self.say().line(ASKED);
                self.compaction = Some(Request {
                    is_automatic: is("auto"),
                    tail: part.string("tail_start_id").map(|id| id.as_ref().into()),
                });
            }
            "subtask" => self.say().line("The following tool was executed by the user"),
            "step-start" => {
                self.settle();
                return NO_MESSAGE;
            }
            "step-finish" => {
                self.step(part);
                return NO_MESSAGE;
            }
            "snapshot" | "patch" | "agent" | "retry" => return NO_MESSAGE,
            "" => return Fate::Malformed("a part without a type".to_owned()),
            other => return Fate::Unknown(format!("part {other}")),
        }
        Fate::Understood
    }

    /// A step is a response. Where a message has several, it tells the tokens of the last one as its own.
    fn step(&mut self, part: &Object<'_>) {
        let whole = self.calls.last().cloned().unwrap_or_default();
        let Some(counted) = call(part) else { return };
        if !std::mem::replace(&mut self.has_steps, true) {
            self.calls.clear();
        }
        self.calls.push(Call {
            response: counted.response,
            time: whole.time,
            model: whole.model,
            caching: whole.caching,
            ..counted
        });
    }

    /// A call with what came of it.
    fn tool(&mut self, part: &Object<'_>) {
        let Some(id) = part.string("callID") else { return };
        let state = part.object("state").unwrap_or_default();
        let tool = part.string("tool").unwrap_or_default().into_owned();
        self.said.call(&id, state.get("input"));
        self.said.word(&tool);
        let is_blanked = state
            .object("time")
            .is_some_and(|time| time.some("compacted").is_some());
        self.answered.result(&id, None);
        match state.string("status").as_deref() {
            Some("completed") if is_blanked => self.answered.line("[Old tool result content cleared]"),
            Some("completed") => {
                let output = state.get("output").map(body::text_of).unwrap_or_default();
                self.answered.line(&output);
            }
            Some("error") => {
                let error = state.get("error").map(body::text_of).unwrap_or_default();
                self.answered.line(&error);
            }
            _ => self.answered.line("[Tool execution was interrupted]"),
        }
    }

    /// Text that stands behind the results of tools begins a message of its own.
    fn say(&mut self) -> &mut Body {
        if !self.answered.is_empty() {
            self.settle();
        }
        &mut self.said
    }

    /// Closes what was said and answered so far.
    fn settle(&mut self) {
        let said = std::mem::take(&mut self.said);
        let answered = std::mem::take(&mut self.answered);
        if !said.is_empty() {
            let draft = said.draft(self.role, None, self.place);
            let told = (self.is_summary && draft.calls.is_empty()).then_some(Kind::Summary);
            let flags = match &self.compaction {
                Some(_) => vec!["compaction".to_owned()],
                None => Vec::new(),
            };
            self.drafts.push(Draft { flags, told, ..draft });
        }
        if !answered.is_empty() {
            self.drafts.push(answered.results_draft(None, self.place));
        }
    }

    /// The messages that the model reads for it; the first has its id, the others add a number.
    pub(super) fn drafts(mut self) -> (Arc<str>, Vec<Draft>) {
        self.settle();
        let mut number = 0;
        for draft in &mut self.drafts {
            number += 1;
            draft.id = Some(match number {
                1 => self.id.clone(),
                number => format!("{}.{number}", self.id).into(),
            });
        }
        (self.id, self.drafts)
    }
}

/// Whether the cache is written on request.
fn is_claude(info: &Object<'_>) -> bool {
    let has = |key: &str, word: &str| info.string(key).is_some_and(|name| name.contains(word));
    has("providerID", "anthropic") || has("modelID", "claude")
}

/// What a call cost, as a message or a step tells it.
fn call(info: &Object<'_>) -> Option<Call> {
    let tokens = info.object("tokens")?;
    let cache = tokens.object("cache").unwrap_or_default();
    let time = info.object("time").unwrap_or_default();
    // Thoughts are told beside the output. Before opencode told a total, they were counted in it too where the
    // provider does, which Google does not.
    let is_google = info
        .string("providerID")
        .is_some_and(|provider| provider.contains("google"));
    let promises = is_claude(info);
    let counts = Counts {
        input: tokens.number("input").unwrap_or(0),
        read: cache.number("read"),
        written: cache.number("write"),
        output: tokens.number("output").unwrap_or(0),
        thoughts: tokens.number("reasoning").unwrap_or(0),
        total: tokens.number("total"),
        cached: Counted::Beside,
        thought: Counted::beside(is_google),
        ..Counts::default()
    };
    Some(Call {
        response: info.string("id").map(|id| id.as_ref().into()),
        time: time::of(&time, "created"),
        model: info.string("modelID").map(|model| model.as_ref().into()),
        ..counts.call(Caching::promised(promises))?
    })
}
