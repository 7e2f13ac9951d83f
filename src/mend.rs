//! How findings are mended mechanically: what is to be done, in no language's words, and the edits of
//! text that do it. No I/O here.

use std::fmt;
use std::ops::Range;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::finding::{Position, Span};

/// Whether a fix may be applied without being read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Applicability {
    /// The program does what it did, without the fault.
    Safe,
    /// The program does something else, which is most likely what was meant.
    Unsafe,
}

impl Applicability {
    /// The word used in every output and in rule pages.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Safe => "safe",
            Self::Unsafe => "unsafe",
        }
    }

    /// The inverse of [`Self::as_str`]; `None` for any other word.
    #[must_use]
    pub fn parse(word: &str) -> Option<Self> {
        [Self::Safe, Self::Unsafe].into_iter().find(|one| one.as_str() == word)
    }
}

impl fmt::Display for Applicability {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// The edits of one file that mend a finding, which may stand in another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fix {
    /// What the fix does, as an imperative.
    pub title: &'static str,
    /// Whether it may be applied without being read.
    pub applicability: Applicability,
    /// The file.
    pub path: PathBuf,
    /// In the order of the file; no two overlap, and there is at least one.
    pub edits: Vec<Edit>,
}

/// A replacement of a stretch of a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Edit {
    /// The bytes that go, of the text without a byte order mark; empty for an insertion.
    pub range: Range<usize>,
    /// Where they start.
    pub start: Position,
    /// One past their end.
    pub end: Position,
    /// What comes in their place.
    pub replacement: String,
}

/// What would mend a finding. A rule states it; a language says it in its own words, or has none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Mend {
    /// A search over a list starts at its other end.
    SearchFromTail {
        /// The expression that the search yields.
        search: Span,
        /// The list.
        list: Span,
    },
    /// Items are run through in an order that is the same on every run.
    Sort {
        /// The items, where they are run through.
        items: Span,
        /// Whether they are names, which can be sorted.
        names: bool,
    },
    /// A list that is folded by id replaces the whole history.
    ReplaceAll {
        /// The list.
        list: Span,
    },
    /// A call gets one more argument by name.
    NameArgument {
        /// The call.
        call: Span,
        /// The argument's name, as the library calls it.
        name: String,
        /// Its value, a text.
        value: String,
    },
    /// An index is moved on with each insertion.
    AdvanceIndex {
        /// The call that inserts.
        insert: Span,
        /// What the loop around it runs over.
        items: Span,
    },
    /// A clock tells the day and nothing finer.
    CoarsenClock {
        /// The clock, and the expressions that its value goes through on its way to a text.
        way: Vec<Span>,
        /// The first of them that only this text is made of, by its index: what comes before has other
        /// uses, which may want the time.
        from: usize,
    },
}

/// What the mends do, in the order of [`Mend`].
const TITLES: [&str; 6] = [
    "search from the newest message",
    "sort the items",
    "replace the whole history",
    "start at a message of the person",
    "move the index on with each",
    "write the day only",
];

/// The title that reads like this, if a mend has it.
pub(crate) fn titled(text: &str) -> Option<&'static str> {
    TITLES.into_iter().find(|title| *title == text)
}

impl Mend {
    /// The file that is changed.
    pub(crate) fn path(&self) -> Option<&Path> {
        let span = match self {
            Self::SearchFromTail { list, .. } | Self::ReplaceAll { list } => list,
            Self::Sort { items, .. } => items,
            Self::NameArgument { call, .. } => call,
            Self::AdvanceIndex { insert, .. } => insert,
            Self::CoarsenClock { way, .. } => way.first()?,
        };
        Some(&span.path)
    }

    /// What it does, as an imperative.
    pub(crate) fn title(&self) -> &'static str {
        let [tail, sort, replace, argument, advance, coarsen] = TITLES;
        match self {
            Self::SearchFromTail { .. } => tail,
            Self::Sort { .. } => sort,
            Self::ReplaceAll { .. } => replace,
            Self::NameArgument { .. } => argument,
            Self::AdvanceIndex { .. } => advance,
            Self::CoarsenClock { .. } => coarsen,
        }
    }
}
