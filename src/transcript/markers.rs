//! Which message is whose: the evidence in `markers.toml`, applied.

use std::sync::{Arc, LazyLock};

use regex::Regex;
use serde::Deserialize;

use super::message::{Class, Draft, Kind, Nature, Role};
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
    complete: bool,
    words: Words,
}

/// What a message carries. Patterns match without regard to case; `*` at either end stands for anything.
#[derive(Clone, Debug, Deserialize, Default)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
struct Marks {
    /// Keys set on the message outside its content, as `key` or, for a text value, `key=value`.
    flags: Vec<String>,
    /// Names of the message.
    names: Vec<String>,
    /// The name in `<name>`, `<!-- name -->` or `[name]` at the very beginning of the text.
    tags: Vec<String>,
    /// How its id begins.
    id_prefixes: Vec<String>,
    /// How its id ends.
    id_suffixes: Vec<String>,
    /// How its text begins.
    openings: Vec<String>,
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

/// Dates, times and counters: what makes a text true for a while only.
static VOLATILE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"(?ix)\b\d{4}-\d{2}-\d{2}\b | \b\d{1,2}:\d{2}\b | \b\d+\s*/\s*\d+\b | \b\d+\s*%
        | \b(?:phase|step|stage|task|turn|item|part)\s+\d+\s+of\s+\d+ | \btoday\s+is\b | \bas\s+of\b | \bso\s+far\b
        | \b\d+\s+(?:files?|tokens?|nodes?|items?|tasks?|messages?|steps?)\b | \bremaining\b | \bcurrently\b",
    )
    .expect("a literal pattern")
});

/// Numbers, and the names of months and days.
static VARIABLE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"(?x)\d+ | \b(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\b
        | \b(?:mon|tues|wednes|thurs|fri|satur|sun)day\b",
    )
    .expect("a literal pattern")
});

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
    pub(crate) fn classify(&self, draft: &Draft, setting: Setting) -> (Kind, Option<Class>) {
        self.known().classify(draft, setting)
    }
}

impl Known {
    fn add(&mut self, more: ProjectMarkers) {
        self.authored.add(more.authored);
        self.injected.add(more.injected);
        self.summary.add(more.summary);
        self.reemitted.add(more.reemitted);
        self.wrappers.add(more.wrappers);
        self.events.add(more.events);
        self.complete |= more.complete;
    }

    fn classify(&self, draft: &Draft, setting: Setting) -> (Kind, Option<Class>) {
        if draft.removal != Removal::No {
            return (Kind::Other, None);
        }
        if let Some(kind) = draft.told {
            let class = (kind == Kind::Injected).then(|| self.class_of(draft));
            return (kind, class);
        }
        let kind = match draft.role {
            Role::Tool => Kind::ToolResult,
            Role::Assistant if draft.calls.is_empty() => Kind::Assistant,
            Role::Assistant => Kind::ToolCall,
            Role::User if !draft.results.is_empty() && draft.text.is_empty() => Kind::ToolResult,
            Role::User if self.authored.mark(draft) => Kind::Authored,
            Role::User | Role::System if self.is_summary(draft, setting.origin) => Kind::Summary,
            Role::System => self.system(draft, setting),
            Role::User => self.user(draft, setting),
        };
        let class = (kind == Kind::Injected).then(|| self.class_of(draft));
        (kind, class)
    }

    /// How a person begins a message says nothing; how a program does, a lot.
    fn is_summary(&self, draft: &Draft, origin: Origin) -> bool {
        self.summary.mark(draft) || (origin != Origin::Input && self.summary.opens(&draft.text))
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
            (None, Some(tag)) => (format!("tag {}", tag.name), tag.name.to_owned()),
            (None, None) => {
                let skeleton = skeleton(body);
                (format!("text {skeleton}"), skeleton)
            }
        };
        let words = words_of(&label);
        let has = |list: &[String]| words.iter().any(|word| list.contains(word));
        let nature = if has(&self.words.event) || self.events.mark(draft) {
            Nature::Event
        } else if has(&self.words.state) || VOLATILE.is_match(body) {
            let standing = has(&self.words.standing);
            Nature::State { standing }
        } else {
            Nature::Unclear
        };
        Class {
            key: key.into(),
            nature,
        }
    }
}

/// Whether the text is one tag with its content.
fn is_wrapped(text: &str) -> bool {
    Tag::leading(text).is_some_and(|tag| tag.wraps)
}

/// Whether the text says that it takes back what was said before.
pub(crate) fn supersedes(text: &str) -> bool {
    let text = text.to_lowercase();
    BUILTIN.words.supersedes.iter().any(|phrase| text.contains(phrase))
}

impl Marks {
    /// Adds the marks of a project. What is matched without regard to case is kept in lower case.
    fn add(&mut self, project: Self) {
        let lower = |words: Vec<String>| words.into_iter().map(|word| word.to_lowercase()).collect::<Vec<_>>();
        self.flags.extend(lower(project.flags));
        self.names.extend(lower(project.names));
        self.tags.extend(lower(project.tags));
        self.openings.extend(lower(project.openings));
        self.id_prefixes.extend(project.id_prefixes);
        self.id_suffixes.extend(project.id_suffixes);
    }

    fn mark(&self, draft: &Draft) -> bool {
        let tagged = || Tag::leading(&draft.text).is_some_and(|tag| any(&self.tags, tag.name));
        draft.flags.iter().any(|flag| any(&self.flags, flag))
            || draft.name.as_deref().is_some_and(|name| any(&self.names, name))
            || self.marks_id(draft)
            || tagged()
    }

    fn opens(&self, text: &str) -> bool {
        let start: String = text.trim_start().chars().take(60).collect();
        let start = start.to_lowercase();
        self.openings.iter().any(|opening| start.starts_with(opening.as_str()))
    }

    fn marks_id(&self, draft: &Draft) -> bool {
        draft.id.as_deref().is_some_and(|id| {
            self.id_prefixes.iter().any(|prefix| id.starts_with(prefix.as_str()))
                || self.id_suffixes.iter().any(|suffix| id.ends_with(suffix.as_str()))
        })
    }
}

fn any(patterns: &[String], word: &str) -> bool {
    let word = word.to_lowercase();
    patterns.iter().any(|pattern| matches(pattern, &word))
}

fn matches(pattern: &str, word: &str) -> bool {
    match (pattern.strip_prefix('*'), pattern.strip_suffix('*')) {
        (Some(rest), _) => match rest.strip_suffix('*') {
            Some(middle) => word.contains(middle),
            None => word.ends_with(rest),
        },
        (None, Some(start)) => word.starts_with(start),
        (None, None) => word == pattern,
    }
}

/// A tag at the very beginning of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Tag<'t> {
    name: &'t str,
    /// The text behind it.
    rest: &'t str,
    /// Whether nothing but the tag's content is there.
    wraps: bool,
}

impl<'t> Tag<'t> {
    fn leading(text: &'t str) -> Option<Self> {
        let text = text.trim();
        if let Some(comment) = text.strip_prefix("<!--") {
            let (name, rest) = comment.split_once("-->")?;
            return is_name(name.trim()).then(|| Self {
                name: name.trim(),
                rest,
                wraps: true,
            });
        }
        if let Some(bracket) = text.strip_prefix('[') {
            let (name, rest) = bracket.split_once(']')?;
            return is_name(name).then_some(Self {
                name,
                rest,
                wraps: false,
            });
        }
        let (inside, rest) = text.strip_prefix('<')?.split_once('>')?;
        let name = inside.split_whitespace().next()?;
        let wraps = text
            .strip_suffix('>')
            .and_then(|text| text.strip_suffix(name))
            .is_some_and(|text| text.ends_with("</"));
        is_name(name).then_some(Self { name, rest, wraps })
    }
}

fn is_name(text: &str) -> bool {
    !text.is_empty()
        && text.len() <= 40
        && text.starts_with(|c: char| c.is_alphabetic())
        && text
            .chars()
            .all(|c| c.is_alphanumeric() || matches!(c, '-' | '_' | ':' | '.' | ' '))
}

/// The opening words with what varies taken out.
fn skeleton(text: &str) -> String {
    let start: String = text.trim_start().chars().take(120).collect();
    let start = start.to_lowercase();
    let opening = match start.split_once(':') {
        Some((label, _)) if label.split_whitespace().count() <= 6 => label,
        _ => &start,
    };
    let opening = opening.split_whitespace().take(4).collect::<Vec<_>>().join(" ");
    VARIABLE.replace_all(&opening, "#").into_owned()
}

/// `planReminder`, `plan_reminder` and `plan-reminder` are `plan` and `reminder`.
fn words_of(label: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut was_lower = false;
    for c in label.chars() {
        if !c.is_alphanumeric() || (c.is_uppercase() && was_lower) {
            words.push(String::new());
        }
        if let (true, Some(word)) = (c.is_alphanumeric(), words.last_mut()) {
            word.extend(c.to_lowercase());
        }
        was_lower = c.is_lowercase();
    }
    words
}
