//! Which message is whose: the evidence in `markers.toml`, applied.

mod marks;
mod text;

use std::sync::{Arc, LazyLock};

use serde::Deserialize;

use self::marks::{Marks, any};
use self::text::{PACKED, SHOWN, THRESHOLD, TYPE, Tag, VOLATILE, is_labelled, is_wrapped, skeleton, words_of};
use super::message::{Class, Draft, Kind, Nature, Role, Telling};
use crate::history::entry::Removal;

/// Who put a message into the history, as far as the record tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Origin {
    /// It came in from outside with an input.
    Input,
    /// A node of the graph wrote it.
    Node,
    /// The record shows only that it is there.
    Unknown,
}

/// Where a message was found, for what its own marks leave open.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Setting {
    pub(crate) origin: Origin,
    /// Whether only system messages stand before it.
    pub(crate) leads: bool,
    /// Whether the person wrote the same content before.
    pub(crate) repeats_authored: bool,
    pub(crate) takes: Takes,
    pub(crate) behind: Behind,
}

/// Whose place a message takes by its id.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Takes {
    Nothing,
    /// That of something the person said in the same role, which is not said again: an edit.
    Authored,
    /// That of a message whose content is said again elsewhere.
    Displaced,
}

/// What was said last before a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Behind {
    /// A complete answer, or nothing: a person could speak here.
    Answer,
    /// A tool result: the model is at work.
    Result,
    Other,
}

impl Behind {
    /// The same for what a node returns: an answer before it invites nobody to speak.
    pub(crate) fn in_update(self) -> Self {
        if self == Self::Answer { Self::Other } else { self }
    }
}

/// What tells a program's message from the person's: what ctxlint knows, and what a project adds.
#[derive(Clone, Debug, Default)]
pub struct Markers(Option<Arc<Known>>);

/// Marks of messages in a project's recorded runs.
#[derive(Debug, Default, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub(crate) struct ProjectMarkers {
    /// Typed by the person, whatever else it looks like.
    authored: Marks,
    /// Put there by a program.
    injected: Marks,
    /// Stands for messages that were cut.
    summary: Marks,
    /// The person's own text under a derived id.
    reemitted: Marks,
    /// Wrappers whose inner tag says what the message is.
    wrappers: Marks,
    /// Put there by a program to tell that something happened, which stays true.
    events: Marks,
    /// Injected, and only what changed against what was told before, or told once in each window.
    differences: Marks,
    /// Injected, and the same again on purpose, as a rule that is called to mind.
    reminders: Marks,
    /// Injected, and how something stands at the moment: two of them contradict each other.
    snapshots: Marks,
    /// Injected where it also carries a tag or an opening of `injected`; without one nothing tells it from others.
    unmarked: Marks,
    /// Written by a harness that documents it: what is wrong with it is told more mildly.
    mild: Marks,
    /// Whether these marks are all there are: a user's message without one was typed by the person.
    complete: bool,
}

/// Everything that is known.
#[derive(Clone, Debug, Deserialize)]
struct Known {
    #[serde(default)]
    authored: Marks,
    injected: Marks,
    summary: Marks,
    reemitted: Marks,
    wrappers: Marks,
    #[serde(default)]
    events: Marks,
    #[serde(default)]
    differences: Marks,
    #[serde(default)]
    reminders: Marks,
    #[serde(default)]
    snapshots: Marks,
    #[serde(default)]
    unmarked: Marks,
    #[serde(default)]
    mild: Marks,
    #[serde(default)]
    complete: bool,
    words: Words,
}

#[derive(Clone, Debug, Deserialize)]
struct Words {
    state: Vec<String>,
    standing: Vec<String>,
    event: Vec<String>,
    supersedes: Vec<String>,
}

/// What the records of single formats say by themselves, as a project's marks would.
static OF_FORMATS: &[(&str, &str)] = &[
    ("claude-code", include_str!("markers/claude-code.toml")),
    ("codex", include_str!("markers/codex.toml")),
    ("pi", include_str!("markers/pi.toml")),
    ("autogen", include_str!("markers/autogen.toml")),
    ("hermes", include_str!("markers/hermes.toml")),
    ("inspect", include_str!("markers/inspect.toml")),
    ("letta", include_str!("markers/letta.toml")),
    ("pydantic-ai", include_str!("markers/pydantic-ai.toml")),
    ("swe-agent", include_str!("markers/swe-agent.toml")),
    ("gemini-cli", include_str!("markers/gemini-cli.toml")),
    ("cline", include_str!("markers/cline.toml")),
    ("roo", include_str!("markers/roo.toml")),
    ("opencode", include_str!("markers/opencode.toml")),
    ("goose", include_str!("markers/goose.toml")),
    ("qwen-code", include_str!("markers/qwen-code.toml")),
];

static BUILTIN: LazyLock<Known> = LazyLock::new(carried);

fn carried() -> Known {
    toml::from_str(include_str!("markers.toml")).expect("markers.toml ships with the crate")
}

impl Markers {
    /// What ctxlint knows, and the marks of a project.
    pub(crate) fn with(project: ProjectMarkers) -> Self {
        let mut known = carried();
        known.add(project);
        Self(Some(Arc::new(known)))
    }

    fn known(&self) -> &Known {
        self.0.as_deref().unwrap_or(&BUILTIN)
    }

    /// These, and what the records of a format say by themselves.
    pub(crate) fn of_format(&self, format: &str) -> Self {
        let Some((_, text)) = OF_FORMATS.iter().find(|(name, _)| *name == format) else {
            return self.clone();
        };
        let own: ProjectMarkers = toml::from_str(text).expect("the marks of a format ship with the crate");
        let mut known = self.known().clone();
        known.add(own);
        Self(Some(Arc::new(known)))
    }

    /// What the message is for and, if it is injected, what family it belongs to.
    pub(crate) fn classify(&self, draft: &Draft, setting: Setting) -> Verdict {
        self.known().classify(draft, setting)
    }
}

/// Whose a message is, and what tells it.
#[derive(Debug)]
pub(crate) struct Verdict {
    pub(crate) kind: Kind,
    /// The family, of an injected message.
    pub(crate) class: Option<Class>,
    pub(crate) telling: Telling,
}

impl Known {
    fn add(&mut self, more: ProjectMarkers) {
        self.authored.add(more.authored);
        self.injected.add(more.injected);
        self.summary.add(more.summary);
        self.reemitted.add(more.reemitted);
        self.wrappers.add(more.wrappers);
        self.events.add(more.events);
        self.differences.add(more.differences);
        self.reminders.add(more.reminders);
        self.snapshots.add(more.snapshots);
        self.unmarked.add(more.unmarked);
        self.mild.add(more.mild);
        self.complete |= more.complete;
    }

    fn classify(&self, draft: &Draft, setting: Setting) -> Verdict {
        let kind = self.kind(draft, setting);
        Verdict {
            kind,
            class: (kind == Kind::Injected).then(|| self.class_of(draft)),
            telling: self.telling(draft, setting, kind),
        }
    }

    fn kind(&self, draft: &Draft, setting: Setting) -> Kind {
        if draft.removal != Removal::No {
            return Kind::Other;
        }
        if let Some(kind) = draft.told {
            return kind;
        }
        match draft.role {
            Role::Tool => Kind::ToolResult,
            Role::Assistant if draft.calls.is_empty() => Kind::Assistant,
            Role::Assistant => Kind::ToolCall,
            Role::User if !draft.results.is_empty() && draft.text.is_empty() => Kind::ToolResult,
            Role::User if self.authored.mark(draft) || PACKED.is_match(&draft.text) => Kind::Authored,
            Role::User | Role::System if self.is_summary(draft, setting.origin) => Kind::Summary,
            Role::System => self.system(draft, setting),
            Role::User => self.user(draft, setting),
        }
    }

    /// What tells a message that a program wrote from one that the person wrote.
    fn telling(&self, draft: &Draft, setting: Setting, kind: Kind) -> Telling {
        if !matches!(kind, Kind::Injected | Kind::Authored) {
            return Telling::Mark;
        }
        let opens = || self.injected.opens(&draft.text);
        match (kind, draft.role) {
            // A role that several hands write in: the text itself has to tell.
            (Kind::Injected, _) if self.unmarked.mark(draft) => {
                let tagged = Tag::leading(&draft.text).is_some_and(|tag| any(&self.injected.tags, tag.name));
                if tagged || opens() {
                    Telling::Mark
                } else {
                    Telling::Role
                }
            }
            (Kind::Injected, Role::User) if draft.told.is_none() && !self.injected.mark(draft) => {
                // Whatever begins like a tag, a heading or a label is told apart by it.
                let labelled = draft.name.is_some() || !draft.flags.is_empty() || is_labelled(&draft.text);
                match setting.origin {
                    _ if labelled || setting.takes != Takes::Nothing => Telling::Mark,
                    _ if opens() => Telling::Opening,
                    Origin::Node => Telling::Nothing,
                    // It was taken for a program's by where it stands, which is no more than a guess.
                    _ => Telling::Mark,
                }
            }
            (Kind::Authored, Role::User) if self.complete || self.authored.mark(draft) => Telling::Mark,
            (Kind::Authored, Role::User) if is_labelled(&draft.text) || setting.origin == Origin::Input => {
                Telling::Mark
            }
            (Kind::Authored, Role::User) => Telling::Nothing,
            _ => Telling::Mark,
        }
    }

    /// How a person begins a message says nothing; how a program does, a lot.
    fn is_summary(&self, draft: &Draft, origin: Origin) -> bool {
        // Of two beginnings that are known the longer one tells more.
        let opens = || self.summary.opening(&draft.text) > self.injected.opening(&draft.text);
        self.summary.mark(draft) || (origin != Origin::Input && opens())
    }

    fn system(&self, draft: &Draft, setting: Setting) -> Kind {
        let prompt = setting.leads && setting.origin != Origin::Node;
        if prompt && !self.injected.mark(draft) {
            Kind::System
        } else {
            Kind::Injected
        }
    }

    fn user(&self, draft: &Draft, setting: Setting) -> Kind {
        if self.injected.mark(draft) || self.injected.opens(&draft.text) || setting.takes == Takes::Displaced {
            return Kind::Injected;
        }
        if setting.repeats_authored || setting.takes == Takes::Authored || self.reemitted.marks_id(draft) {
            return Kind::Authored;
        }
        match setting.origin {
            Origin::Node => Kind::Injected,
            _ if self.complete => Kind::Authored,
            Origin::Unknown if setting.behind != Behind::Answer && is_wrapped(&draft.text) => Kind::Injected,
            // Nobody asks while tools are at work, and what holds for a while only is not typed in their midst.
            Origin::Unknown if setting.behind == Behind::Result && VOLATILE.is_match(&draft.text) => Kind::Injected,
            Origin::Input | Origin::Unknown => Kind::Authored,
        }
    }

    fn class_of(&self, draft: &Draft) -> Class {
        let text = super::message::head(&draft.text, Kind::Injected);
        let mut body: &str = &text;
        let mut tag = Tag::leading(body);
        while let Some(wrapper) = tag.filter(|tag| any(&self.wrappers.tags, tag.name)) {
            body = wrapper.rest;
            tag = Tag::leading(body);
        }
        let (key, label) = match (draft.name.as_deref(), tag) {
            (Some(name), _) => (format!("name {name}"), name.to_owned()),
            (None, Some(tag)) => (format!("tag {}{}", tag.name, tag.about()), tag.name.to_owned()),
            (None, None) => {
                if let Some(packed) = TYPE.captures(body) {
                    (format!("type {}", &packed[1]), packed[1].to_owned())
                } else {
                    let skeleton = skeleton(body);
                    (format!("text {skeleton}"), skeleton)
                }
            }
        };
        let words = words_of(&label);
        let has = |list: &[String]| words.iter().any(|word| list.contains(word));
        // Deep in a long text that only its beginning names, a number is of something else.
        let end = if key.starts_with("text ") { SHOWN } else { body.len() };
        let end = body.char_indices().map(|(at, _)| at).nth(end).unwrap_or(body.len());
        let volatile = &body[..end];
        let marked = |marks: &Marks| marks.mark(draft) || marks.opens(&draft.text);
        let nature = if marked(&self.snapshots) {
            Nature::Snapshot
        } else if marked(&self.differences) {
            Nature::Difference
        } else if marked(&self.events) {
            Nature::Event { told: true }
        } else if marked(&self.reminders) {
            Nature::Reminder
        } else if THRESHOLD.is_match(body) {
            Nature::Warning
        } else if has(&self.words.event) || key.starts_with("type ") && !has(&self.words.state) {
            // What is packed with a type carries the time of its event.
            Nature::Event { told: false }
        } else if has(&self.words.state) || VOLATILE.is_match(volatile) {
            let standing = has(&self.words.standing);
            Nature::State { standing }
        } else {
            Nature::Unclear
        };
        Class {
            key: key.into(),
            nature,
            mild: marked(&self.mild),
        }
    }
}

/// Whether the text says that it takes back what was said before.
pub(crate) fn supersedes(text: &str) -> bool {
    let text = text.to_lowercase();
    BUILTIN.words.supersedes.iter().any(|phrase| text.contains(phrase))
}
