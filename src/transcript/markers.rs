//! Which message is whose: the evidence in `markers.toml`, applied.

use std::sync::LazyLock;

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

#[derive(Deserialize)]
struct Markers {
    injected: Marks,
    summary: Marks,
    reemitted: Marks,
    wrappers: Marks,
    words: Words,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Marks {
    flags: Vec<String>,
    names: Vec<String>,
    tags: Vec<String>,
    id_prefixes: Vec<String>,
    id_suffixes: Vec<String>,
    openings: Vec<String>,
}

#[derive(Deserialize)]
struct Words {
    state: Vec<String>,
    standing: Vec<String>,
    event: Vec<String>,
    supersedes: Vec<String>,
}

static MARKERS: LazyLock<Markers> =
    LazyLock::new(|| toml::from_str(include_str!("markers.toml")).expect("markers.toml ships with the crate"));

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

/// What the message is for and, if it is injected, what family it belongs to.
pub(crate) fn classify(draft: &Draft, setting: Setting) -> (Kind, Option<Class>) {
    if draft.removal != Removal::No {
        return (Kind::Other, None);
    }
    let kind = match draft.role {
        Role::Tool => Kind::ToolResult,
        Role::Assistant if draft.calls.is_empty() => Kind::Assistant,
        Role::Assistant => Kind::ToolCall,
        Role::User if !draft.results.is_empty() && draft.text.is_empty() => Kind::ToolResult,
        Role::User | Role::System if is_summary(draft, setting.origin) => Kind::Summary,
        Role::System => system(draft, setting),
        Role::User => user(draft, setting),
    };
    let class = (kind == Kind::Injected).then(|| class_of(draft));
    (kind, class)
}

/// How a person begins a message says nothing; how a program does, a lot.
fn is_summary(draft: &Draft, origin: Origin) -> bool {
    MARKERS.summary.mark(draft) || (origin != Origin::Input && MARKERS.summary.opens(&draft.text))
}

fn system(draft: &Draft, setting: Setting) -> Kind {
    let prompt = setting.leads && setting.origin != Origin::Node;
    if prompt && !MARKERS.injected.mark(draft) {
        Kind::System
    } else {
        Kind::Injected
    }
}

fn user(draft: &Draft, setting: Setting) -> Kind {
    if MARKERS.injected.mark(draft) || setting.takes == Takes::Displaced {
        return Kind::Injected;
    }
    if setting.repeats_authored || setting.takes == Takes::Authored || MARKERS.reemitted.marks_id(draft) {
        return Kind::Authored;
    }
    match setting.origin {
        Origin::Node => Kind::Injected,
        Origin::Unknown if setting.behind != Behind::Answer && is_wrapped(&draft.text) => Kind::Injected,
        // Nobody asks while tools are at work, and what holds for a while only is not typed in their midst.
        Origin::Unknown if setting.behind == Behind::Result && VOLATILE.is_match(&draft.text) => Kind::Injected,
        Origin::Input | Origin::Unknown => Kind::Authored,
    }
}

/// Whether the text is one tag with its content.
fn is_wrapped(text: &str) -> bool {
    Tag::leading(text).is_some_and(|tag| tag.wraps)
}

/// Whether the text says that it takes back what was said before.
pub(crate) fn supersedes(text: &str) -> bool {
    let text = text.to_lowercase();
    MARKERS.words.supersedes.iter().any(|phrase| text.contains(phrase))
}

impl Marks {
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

fn class_of(draft: &Draft) -> Class {
    let text = super::message::head(&draft.text);
    let mut body: &str = &text;
    let mut tag = Tag::leading(body);
    while let Some(wrapper) = tag.filter(|tag| any(&MARKERS.wrappers.tags, tag.name)) {
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
    let nature = if has(&MARKERS.words.event) {
        Nature::Event
    } else if has(&MARKERS.words.state) || VOLATILE.is_match(body) {
        let standing = has(&MARKERS.words.standing);
        Nature::State { standing }
    } else {
        Nature::Unclear
    };
    Class {
        key: key.into(),
        nature,
    }
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
