//! A message as the replay keeps it: who, what kind, which ids, where in the file; the body only as a
//! hash and a short beginning.

use std::hash::{Hash, Hasher};
use std::sync::Arc;

use xxhash_rust::xxh3::xxh3_64;

use super::event::Call;
use crate::history::entry::{Entry, Removal};
use crate::history::pairs::ToolUse;

/// Bytes that are kept of what a person or a program wrote to be read: enough for telling one kind of injection
/// from another, and whether a summary quotes a question.
const HEAD: usize = 1024;

/// Bytes that are kept of other texts: enough for excerpts.
const SHORT_HEAD: usize = 128;

/// Bytes that are kept of the end of a text that is longer than its beginning above.
const FOOT: usize = 256;

/// What a text has to share with another to be an edit of it, in hundredths of its words.
const ALIKE: usize = 50;

/// Who speaks, as the model reads it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Role {
    System,
    User,
    Assistant,
    Tool,
}

impl Role {
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::System => "system",
            Self::User => "user",
            Self::Assistant => "assistant",
            Self::Tool => "tool",
        }
    }
}

/// What a message is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Kind {
    /// Typed by the person.
    Authored,
    /// Put there by a program, in the role of a user or of the system.
    Injected,
    Assistant,
    /// What the model thought before it answered or called.
    Reasoning,
    ToolCall,
    ToolResult,
    /// Stands for messages that were cut.
    Summary,
    /// The system prompt.
    System,
    /// Nothing of the above, such as an order to remove that was stored as data.
    Other,
}

impl Kind {
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::Authored => "authored",
            Self::Injected => "injected",
            Self::Assistant => "assistant",
            Self::Reasoning => "reasoning",
            Self::ToolCall => "tool_call",
            Self::ToolResult => "tool_result",
            Self::Summary => "summary",
            Self::System => "system",
            Self::Other => "other",
        }
    }
}

/// Where a message stands in the file. Lines and columns are 1-based; columns count characters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Place {
    /// Which part of the input, from 0.
    pub(crate) file: u32,
    pub(crate) line: u32,
    pub(crate) column: u32,
    pub(crate) end_line: u32,
    pub(crate) end_column: u32,
}

/// A message as a format adapter read it, before the replay knows what it is for.
#[derive(Clone, Debug)]
pub(crate) struct Draft {
    pub(crate) id: Option<Arc<str>>,
    pub(crate) role: Role,
    pub(crate) removal: Removal,
    pub(crate) name: Option<String>,
    /// Names of the flags set on the message outside its content.
    pub(crate) flags: Vec<String>,
    /// The whole text; the replay keeps the beginning.
    pub(crate) text: String,
    /// How many bytes it says beside its text, such as the arguments of its calls.
    pub(crate) beside: usize,
    /// Hash of the content, whatever its role and id.
    pub(crate) content: u64,
    /// How what tools gave begins, where it is no text of the message itself: as much as stretches are taken of.
    pub(crate) given: String,
    /// How many marks for a provider's cache stand on its blocks.
    pub(crate) breakpoints: u8,
    /// Whether the ids of its calls and results are made up, since the record has none: they tell nothing apart.
    pub(crate) pairs_made_up: bool,
    /// Ids of the tool calls the message makes.
    pub(crate) calls: Vec<Box<str>>,
    /// Ids of the tool calls the message answers.
    pub(crate) results: Vec<Box<str>>,
    pub(crate) place: Place,
    /// What the record's own type says that the message is for; evidence in flags, names and texts is left
    /// to the marks of the format.
    pub(crate) told: Option<Kind>,
    /// What the response cost that the message is, where the message itself tells it. Told with every copy of the
    /// message, it counts once.
    pub(crate) spent: Option<Box<Call>>,
}

impl Draft {
    /// A message that says nothing yet.
    pub(crate) fn new(role: Role) -> Self {
        Self {
            id: None,
            role,
            removal: Removal::No,
            name: None,
            flags: Vec::new(),
            text: String::new(),
            beside: 0,
            content: hash_of(""),
            given: String::new(),
            breakpoints: 0,
            pairs_made_up: false,
            calls: Vec::new(),
            results: Vec::new(),
            place: Place::default(),
            told: None,
            spent: None,
        }
    }

    /// A message with this text.
    pub(crate) fn of_text(role: Role, text: impl Into<String>) -> Self {
        let text = text.into();
        Self {
            content: hash_of(&text),
            text,
            ..Self::new(role)
        }
    }

    /// Hash of everything that is said: role, content and tool ids.
    pub(crate) fn print(&self) -> u64 {
        if self.pairs_made_up {
            return hash_of((self.role, self.content));
        }
        hash_of((self.role, self.content, &self.calls, &self.results))
    }

    /// How many bytes it says.
    pub(crate) fn bytes(&self) -> u32 {
        u32::try_from(self.text.len() + self.beside).unwrap_or(u32::MAX)
    }
}

/// A message of a history.
#[derive(Debug)]
pub(crate) struct Message {
    pub(crate) role: Role,
    pub(crate) kind: Kind,
    /// What family of injections it belongs to, for injected messages.
    pub(crate) class: Option<Box<Class>>,
    /// The beginning of the text.
    pub(crate) head: Box<str>,
    /// How many bytes it says.
    pub(crate) bytes: u32,
    /// The end of the text, where the beginning above is not all of it.
    pub(crate) foot: Box<str>,
    /// How what a tool gave begins, where it is no text of the message itself and is wanted; enough for an excerpt.
    pub(crate) given: Box<str>,
    /// How many bytes the text has.
    pub(crate) length: usize,
    /// What tells that a program wrote it, or that the person did.
    pub(crate) telling: Telling,
    /// Whether it is said in the role of a developer, which stands for that of the system.
    pub(crate) developer: bool,
    /// Prints of stretches of the text, of what tools gave and of what programs wrote: by them a text is found
    /// again that was copied word for word.
    pub(crate) stretches: Box<[u32]>,
    /// Hash of the content, whatever the role and the id.
    pub(crate) content: u64,
    /// Hash of everything that is said: role, content and tool ids.
    pub(crate) print: u64,
    pub(crate) calls: Box<[Box<str>]>,
    pub(crate) results: Box<[Box<str>]>,
    /// The turn it came in.
    pub(crate) turn: u32,
    /// The step it came in.
    pub(crate) step: u32,
}

/// The family of an injection: two live members with different bodies contradict each other.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Class {
    /// What names the family: `name plan_reminder`, `tag <workspace_tree>`, or the text with numbers taken out.
    pub(crate) key: Box<str>,
    pub(crate) nature: Nature,
    /// Whether a harness that is known documents it.
    pub(crate) mild: bool,
}

impl Class {
    /// What the family is called, without the word that says by what it is known.
    pub(crate) fn label(&self) -> &str {
        self.key.split_once(' ').map_or(&*self.key, |(_, label)| label)
    }
}

/// What tells a program's message from the person's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Telling {
    /// A name, a flag, a tag, a label, its role or its type.
    Mark,
    /// Only a role in which several hands write.
    Role,
    /// Only how it begins, which whoever knows the program knows.
    Opening,
    /// Nothing in it.
    Nothing,
}

/// What an injection tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Nature {
    /// How something stands at the moment.
    State {
        /// Whether it holds from the first turn on, as a date or the user's profile does.
        standing: bool,
    },
    /// How something stands at the moment, as the marks of its format say.
    Snapshot,
    /// Only what changed against what was told before, or told once in each window.
    Difference,
    /// The same again on purpose.
    Reminder,
    /// That a limit is near.
    Warning,
    /// That something happened; it stays true.
    Event {
        /// Whether marks say so; if not, words of its name or its beginning do.
        told: bool,
    },
    /// Neither is evident.
    Unclear,
}

impl Message {
    pub(crate) fn is_authored(&self) -> bool {
        self.kind == Kind::Authored
    }

    /// Whether a program put it there to be read as part of the conversation.
    pub(crate) fn is_injected(&self) -> bool {
        self.kind == Kind::Injected
    }

    /// Whether a program wrote it for the model to read.
    pub(crate) fn is_program_text(&self) -> bool {
        matches!(self.kind, Kind::Injected | Kind::Summary | Kind::System)
    }

    /// Whether it belongs to what was said and done, as opposed to what programs put around it.
    pub(crate) fn is_conversation(&self) -> bool {
        matches!(
            self.kind,
            Kind::Authored | Kind::Assistant | Kind::ToolCall | Kind::ToolResult
        )
    }

    /// What it says, or what it calls where it says nothing.
    pub(crate) fn summary(&self) -> String {
        match (self.head.trim(), &*self.calls) {
            ("", []) => match &self.class {
                Some(class) => format!("({})", class.label()),
                None => "(no text)".to_owned(),
            },
            ("", calls) => format!("calls {}", calls.join(", ")),
            (text, _) => text.to_owned(),
        }
    }

    /// Whether role, content and tool ids are the same.
    pub(crate) fn says_the_same(&self, other: &Self) -> bool {
        self.print == other.print
    }
}

/// A message in its place in a history: the identity can be given later, the rest is shared.
#[derive(Clone, Debug)]
pub(crate) struct Live {
    pub(crate) id: Option<Arc<str>>,
    pub(crate) removal: Removal,
    pub(crate) message: Arc<Message>,
    /// Where the record shows it for the last time.
    pub(crate) place: Place,
    /// Whether the id was made up by the replay, because the record has none.
    pub(crate) made_up: bool,
    /// How many marks for a provider's cache it carries in the request in which it stands.
    pub(crate) breakpoints: u8,
}

impl Live {
    /// The id as the record has it.
    pub(crate) fn recorded_id(&self) -> Option<&str> {
        if self.made_up { None } else { self.id.as_deref() }
    }
}

impl std::ops::Deref for Live {
    type Target = Message;

    fn deref(&self) -> &Message {
        &self.message
    }
}

impl Entry for Live {
    type Id = Arc<str>;

    fn id(&self) -> Option<&Arc<str>> {
        self.id.as_ref()
    }

    fn set_id(&mut self, id: Arc<str>) {
        self.id = Some(id);
        self.made_up = true;
    }

    fn removal(&self) -> Removal {
        self.removal
    }
}

impl ToolUse for Live {
    type Key = Box<str>;

    fn calls(&self) -> impl Iterator<Item = &Box<str>> {
        self.message.calls.iter()
    }

    fn results(&self) -> impl Iterator<Item = &Box<str>> {
        self.message.results.iter()
    }
}

/// How much of the beginning of a text is kept.
fn most(kind: Kind) -> usize {
    match kind {
        Kind::Authored | Kind::Injected | Kind::Summary | Kind::System => HEAD,
        _ => SHORT_HEAD,
    }
}

/// The end of a message's text, where its beginning does not tell all.
pub(crate) fn foot(text: &str, kind: Kind) -> Box<str> {
    if most(kind) < HEAD || text.len() <= HEAD {
        return "".into();
    }
    let from = text.len() - FOOT;
    let start = (from..text.len()).find(|&at| text.is_char_boundary(at));
    text[start.unwrap_or(text.len())..].into()
}

/// The beginning of a message's text, cut between characters.
pub(crate) fn head(text: &str, kind: Kind) -> Box<str> {
    let most = most(kind);
    let end = (0..=most.min(text.len())).rev().find(|&at| text.is_char_boundary(at));
    text[..end.unwrap_or(0)].into()
}

/// Whether two texts share most of their words.
pub(crate) fn alike(old: &str, new: &str) -> bool {
    let mut words: Vec<&str> = old.split_whitespace().collect();
    words.sort_unstable();
    let all = new.split_whitespace().count().max(words.len());
    let found = new.split_whitespace().filter(|word| words.binary_search(word).is_ok());
    100 * found.count() >= ALIKE * all
}

/// A hash that is the same on every run: for comparing within one, never to be shown, stored or sorted by.
pub(crate) fn hash_of(value: impl Hash) -> u64 {
    let mut hasher = Mixed::default();
    value.hash(&mut hasher);
    hasher.finish()
}

/// Mixes the hashes of the pieces that a value consists of.
#[derive(Default)]
struct Mixed(u64);

impl Mixed {
    fn mix(&mut self, piece: u64) {
        // Both halves of the product count, so that every bit of either side does.
        let product = u128::from(self.0.rotate_left(23) ^ piece ^ 0x9E37_79B9_7F4A_7C15) * 0xD6E8_FEB8_6659_FD93;
        self.0 = product as u64 ^ (product >> 64) as u64 ^ piece.rotate_left(32);
    }
}

impl Hasher for Mixed {
    fn write(&mut self, bytes: &[u8]) {
        self.mix(xxh3_64(bytes));
    }

    fn write_u8(&mut self, number: u8) {
        self.mix(u64::from(number));
    }

    fn write_u32(&mut self, number: u32) {
        self.mix(u64::from(number));
    }

    fn write_u64(&mut self, number: u64) {
        self.mix(number);
    }

    fn write_usize(&mut self, number: usize) {
        self.mix(number as u64);
    }

    fn finish(&self) -> u64 {
        self.0
    }
}
