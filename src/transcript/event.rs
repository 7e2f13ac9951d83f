//! What happened in a run, in words every format shares.

use std::sync::Arc;

use super::markers::Origin;
use super::message::{Draft, Place};
use super::reader::Spot;

/// One thing that happened to one history.
#[derive(Debug)]
pub(crate) struct Event {
    /// Which history: the session or thread, and the namespace of a subgraph.
    pub(crate) thread: Arc<str>,
    /// The record that tells it.
    pub(crate) spot: Spot,
    pub(crate) what: What,
}

#[derive(Debug)]
pub(crate) enum What {
    /// The person's input is about to come in: what changes next is it.
    TurnStart,
    /// Nothing more comes of this history.
    End,
    /// The run stopped to ask, and a node may hand in the person's answer.
    Interrupt,
    /// Messages added at the tail, whatever their ids.
    Append(Vec<Draft>),
    /// The writes of one superstep, in the order in which they are folded.
    Update(Vec<NodeWrite>),
    /// The whole list.
    Snapshot {
        messages: Vec<Draft>,
        /// Whether it does not continue the state before it: a fork, a rewind, an edit from outside.
        branches: bool,
    },
    /// The harness replaced the history by something shorter.
    Compact(Compaction),
    /// The person went back: the message with this id and everything behind it is taken back; without an
    /// id, everything.
    Rewind(Option<Arc<str>>),
    /// What a request to the model sent; what it cost, if that is recorded, follows as [`What::Call`].
    Prompt(Prompt),
    /// One request to the model, with what it cost.
    Call(Call),
    /// Something that may change what the next call sends, and so what the provider's cache still holds.
    Note(Note),
    /// Something is wrong with how the record links its messages, or with their order.
    Chain(Chain),
    /// What the record says of the session as a whole.
    About(About),
    /// The session went on from another one, as its harness documents it: ids and the end may be others there.
    Forked,
}

impl What {
    /// Takes out what the messages themselves say that they cost.
    pub(crate) fn spent(&mut self) -> Vec<Call> {
        let of = |drafts: &mut Vec<Draft>, counts_bare: bool| -> Vec<Call> {
            let take = |draft: &mut Draft| {
                let spent = draft.spent.take()?;
                let response = draft.id.clone();
                // A copy without an id cannot be told from the first.
                (counts_bare || response.is_some()).then_some(Call { response, ..*spent })
            };
            drafts.iter_mut().filter_map(take).collect()
        };
        match self {
            Self::Append(drafts) => of(drafts, true),
            Self::Snapshot { messages, .. } => of(messages, false),
            Self::Update(writes) => writes
                .iter_mut()
                .flat_map(|write| of(&mut write.messages, false))
                .collect(),
            Self::Compact(compaction) => compaction
                .messages
                .as_mut()
                .map_or_else(Vec::new, |list| of(list, false)),
            _ => Vec::new(),
        }
    }
}

/// What one node returned.
#[derive(Debug)]
pub(crate) struct NodeWrite {
    pub(crate) node: Arc<str>,
    pub(crate) origin: Origin,
    /// Whether it goes around the reducer.
    pub(crate) overwrites: bool,
    pub(crate) messages: Vec<Draft>,
}

/// A history replaced by something shorter.
#[derive(Debug)]
pub(crate) struct Compaction {
    pub(crate) class: CompactionClass,
    /// The whole list behind it; none where contents were blanked in their places.
    pub(crate) messages: Option<Vec<Draft>>,
    /// How many items the record says it kept; counted where it says nothing.
    pub(crate) kept: Option<usize>,
    /// Tokens of the context before and after, as far as the record says.
    pub(crate) tokens: [Option<u64>; 2],
}

/// When a compaction ran, and what for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CompactionClass {
    /// In the middle of a turn: the tool loop goes on behind it.
    MidTurn,
    /// At the beginning of a turn, before the person's message went in.
    PreTurn,
    /// The person asked for it.
    Manual,
    /// Old contents were blanked, the messages stayed.
    Micro,
    /// A new window was begun with nothing of the old one.
    NewWindow,
    Unknown,
}

impl CompactionClass {
    /// The word used in every output.
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::MidTurn => "mid-turn",
            Self::PreTurn => "pre-turn",
            Self::Manual => "manual",
            Self::Micro => "micro",
            Self::NewWindow => "new-window",
            Self::Unknown => "unknown",
        }
    }
}

/// What one request sent.
#[derive(Debug, Default)]
pub(crate) struct Prompt {
    /// The whole list that was sent, where it is not the history as it stands: with what was added for this call
    /// only, and without what was left out.
    ///
    /// Messages that a record keeps once are shared by the calls that sent them.
    pub(crate) messages: Option<Vec<Arc<Draft>>>,
    /// Hash of the tools that were offered, where they are recorded.
    pub(crate) tools: Option<u64>,
    /// Which agent, node or step of the program sent it, where the record says. What one sends goes on with nothing
    /// that another sent.
    pub(crate) sender: Option<Arc<str>>,
    /// The model that was asked, where the request names it.
    pub(crate) model: Option<Arc<str>>,
}

/// How a provider caches the beginnings of prompts, and what is known of it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Caching {
    /// On request, and then it is kept as long as was paid for.
    #[default]
    Explicit,
    /// As well as it can, without being asked and without a promise.
    BestEffort,
    /// The record does not say what was read from a cache.
    Unknown,
}

impl Caching {
    /// Whether it is written on request.
    pub(crate) const fn promised(promised: bool) -> Self {
        if promised { Self::Explicit } else { Self::BestEffort }
    }
}

/// One request to the model. Tokens are as the provider counted them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Call {
    /// The provider's id of the response: records with the same one tell of the same call, the last counts.
    pub(crate) response: Option<Arc<str>>,
    /// How many responses it is the sum of, where only a sum is recorded.
    pub(crate) responses: Option<u64>,
    /// When, in milliseconds since 1970.
    pub(crate) time: Option<i64>,
    pub(crate) model: Option<Arc<str>>,
    /// The version of the program that called.
    pub(crate) version: Option<Arc<str>>,
    /// Tokens of the request that were neither read from the cache nor written to it.
    pub(crate) input: u64,
    /// Tokens read from the cache.
    pub(crate) read: u64,
    /// Tokens written to the cache. Providers that bill no writing report none.
    pub(crate) written: u64,
    /// How many of [`Self::written`] are kept for an hour, at a higher price, instead of five minutes.
    pub(crate) written_hour: u64,
    /// Tokens of the answer, with those of its thoughts.
    pub(crate) output: u64,
    pub(crate) caching: Caching,
}

/// What may explain that a call read less from the cache than the one before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Note {
    /// Settings of the turn were written anew.
    TurnContext,
    /// The provider answered with an error.
    ApiError,
    /// The history was compacted, whether or not the record still leads there.
    Compacted,
}

/// What a record says of its session. Told as often as it is known; the latest time counts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct About {
    /// The folder that the person worked in.
    pub(crate) project: Option<Arc<str>>,
    /// When something happened in it, in milliseconds since 1970.
    pub(crate) time: Option<i64>,
}

/// A fault in what links the records of a history, or in the order that they are in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Chain {
    /// The record names a parent that is nowhere in the file.
    Dangling(Dangling),
    /// No way leads to this message from the end of the conversation.
    Unreachable,
    /// The way back from the end goes by a compaction: messages come back that it had replaced, and what was said
    /// behind it is lost.
    Around { back: usize, hides: usize },
    /// So many of the messages that a compaction says it kept are nowhere in the file.
    NotKept(usize),
    /// What this compaction kept is not followed, since those before it keep so much.
    KeepsTooMuch,
    /// What a compaction says stood before it is nowhere in the file.
    NoTail,
    /// An answer written once more, without a parent: the way back from the end stops at the copy.
    Again { first: Place, hides: usize },
    /// The parent was written behind this message, which answers something else; how often that is so.
    Inverted { parent: Place, times: usize },
    /// A compaction goes on from another window than the one that was begun last.
    Window,
    /// This question stands first and was asked last: whoever wrote the record put it where the first one stood.
    LastFirst { asked: Place },
    /// The number of a record is not higher than the one before it; how often that is so.
    Ordinal { repeats: bool, times: usize },
    /// This message has the same time as the one before it, and their ids are random.
    Tie,
    /// A compaction that was written down before is written down again, and its product says something else.
    OtherSummary { first: Place },
    /// The person took back turns, and the history was compacted since the first of them began.
    RolledBack { compaction: Place },
}

/// What a parent that is nowhere in the file takes away.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Dangling {
    /// The way back from the end stops here, and so many earlier messages are hidden.
    Hides(usize),
    /// The way back from the end does not come by; whoever went on from here had lost what came before.
    Aside,
    /// Nothing: no message stands before it in the file, or none follows it.
    Nothing,
}

impl Dangling {
    /// Where the way back from the end stops.
    pub(crate) fn of(hidden: usize) -> Self {
        if hidden > 0 { Self::Hides(hidden) } else { Self::Nothing }
    }

    /// Whether so many of the records miss their parents that somebody left records out on purpose: what is there is
    /// an excerpt, and the links of the whole are not known.
    pub(crate) fn is_excerpt(dangling: usize, records: usize) -> bool {
        dangling > 2 && dangling * 8 > records
    }
}

/// Where a record, or a part of one, ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Fate {
    /// Replayed.
    Understood,
    /// Left out by design, and why: it repeats what other records say, or says nothing about messages.
    Ignored(&'static str),
    /// Of a type the adapter does not know, which is named.
    Unknown(String),
    /// Of a known type, but what it needs is not there; what is missing.
    Malformed(String),
    /// A container: its parts were told one by one.
    Parts,
}

/// Repeats what other records say.
pub(crate) const REPEATS: Fate = Fate::Ignored("repeats what other records say");

/// Says nothing about messages.
pub(crate) const NO_MESSAGE: Fate = Fate::Ignored("says nothing about messages");
