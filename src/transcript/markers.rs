//! Which message is whose: the evidence in `markers.toml`, applied.

use std::sync::{Arc, LazyLock};

use regex::Regex;
use serde::Deserialize;

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

/// Characters at the beginning of a text without a tag or a name in which it says what it is about.
const SHOWN: usize = 400;

/// Dates, times and counters: what makes a text true for a while only.
static VOLATILE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"(?ix)\b\d{4}-\d{2}-\d{2}\b | \b\d{1,2}:\d{2}\b | \b\d+\s*/\s*\d+\b | \b\d+\s*%
        | \b(?:phase|step|stage|task|turn|item|part)\s+\d+\s+of\s+\d+ | \btoday\s+is\b | \bas\s+of\b | \bso\s+far\b
        | \b\d+\s+(?:files?|tokens?|nodes?|items?|tasks?|messages?|steps?)\b | \bremaining\b | \bcurrently\b",
    )
    .expect("a literal pattern")
});

/// A limit that is near: how much is left of what runs out, and that it is little.
static THRESHOLD: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"(?isx)
        \b(?:context|tokens?|token\s+budget|budget|steps?|iterations?|turns?|tool\s+calls?|time|memory|quota)\b
          [^.\n]{0,60}\b(?:almost|nearly|about\ to|close\ to|near(?:ing)?|running)\s+
          (?:full|exhausted|used\ up|run\ out|out|low|over|the\ limit|its\ limit|to\ the\ limit)
        | \b(?:only|just)\s+\d[\d,.]*\s*%?\s*[\w\ ]{0,30}\b(?:left|remain(?:s|ing)?)\b
        | \b(?:running\ (?:low|out)|almost\ out|nearly\ out)\s+(?:on|of)\s+(?:context|tokens?|budget|steps?|turns?|time|memory)
        | \b(?:context|token|budget|step|turn|iteration)s?\s+(?:limit|window|budget)\b[^.\n]{0,40}
          \b(?:exceeded|reached|almost|nearly|approaching|close)
        | \bapproaching\s+(?:the|your)\s+(?:context|token|budget|step|turn|iteration)",
    )
    .expect("a literal pattern")
});

/// What a person said, as Letta and `MemGPT` pack it (`package_user_message` in `letta/system.py`).
static PACKED: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r#"^\s*\{\s*"type"\s*:\s*"user_message""#).expect("a literal pattern"));

/// The type with which a program packs what it says as JSON.
static TYPE: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r#"^\s*\{\s*"type"\s*:\s*"([^"]{1,40})""#).expect("a literal pattern"));

/// Attributes of a tag that name a thing.
static ABOUT: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r#"(?i)\b(name|path|file|filename|source|id|uri|url|server|kind|type|title)\s*=\s*["']([^"']{1,120})["']"#,
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
        let opens = self.injected.opens(&draft.text);
        match (kind, draft.role) {
            // A role that several hands write in: the text itself has to tell.
            (Kind::Injected, _) if self.unmarked.mark(draft) => {
                let tagged = Tag::leading(&draft.text).is_some_and(|tag| any(&self.injected.tags, tag.name));
                if tagged || opens { Telling::Mark } else { Telling::Role }
            }
            (Kind::Injected, Role::User) if draft.told.is_none() && !self.injected.mark(draft) => {
                // Whatever begins like a tag, a heading or a label is told apart by it.
                let labelled = draft.name.is_some() || !draft.flags.is_empty() || is_labelled(&draft.text);
                match setting.origin {
                    _ if labelled || setting.takes != Takes::Nothing => Telling::Mark,
                    _ if opens => Telling::Opening,
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

/// Whether a text begins with what programs put around theirs: a tag, a heading, a label or code.
fn is_labelled(text: &str) -> bool {
    let text = text.trim_start();
    let label = text.split_once(':').map_or("", |(label, _)| label);
    text.starts_with(['<', '[', '#', '(', '{', '*', '`', '-', '=']) || is_shouted(label)
}

/// Whether a label is written in capitals, as `NOTE` is.
fn is_shouted(label: &str) -> bool {
    label.chars().filter(|c| c.is_alphabetic()).count() > 2 && !label.chars().any(char::is_lowercase)
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
        self.opening(text) > 0
    }

    /// How long the longest opening is that the text begins with.
    fn opening(&self, text: &str) -> usize {
        let start: String = text.trim_start().chars().take(60).collect();
        let start = start.to_lowercase();
        let fitting = self
            .openings
            .iter()
            .filter(|opening| start.starts_with(opening.as_str()));
        fitting.map(String::len).max().unwrap_or(0)
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
    /// What stands behind the name inside the tag.
    attributes: &'t str,
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
                attributes: "",
                rest,
                wraps: true,
            });
        }
        if let Some(bracket) = text.strip_prefix('[') {
            let (name, rest) = bracket.split_once(']')?;
            return is_name(name).then_some(Self {
                name,
                attributes: "",
                rest,
                wraps: false,
            });
        }
        let (inside, rest) = text.strip_prefix('<')?.split_once('>')?;
        // A name may have several words; attributes have values.
        let name = if inside.contains('=') {
            inside.split_whitespace().next()?
        } else {
            inside.trim()
        };
        let wraps = text
            .strip_suffix('>')
            .and_then(|text| text.strip_suffix(name))
            .is_some_and(|text| text.ends_with("</"));
        let attributes = inside.trim_start().strip_prefix(name).unwrap_or_default();
        is_name(name).then_some(Self {
            name,
            attributes,
            rest,
            wraps,
        })
    }

    /// The attributes that say which of several things the tag is about: two files are no two versions of one thing.
    fn about(&self) -> String {
        let mut about = String::new();
        for attribute in ABOUT.captures_iter(self.attributes) {
            for part in [" ", &attribute[1], "=", &attribute[2]] {
                about.push_str(part);
            }
        }
        about
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
