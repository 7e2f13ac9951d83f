//! What a run of `check` or `audit` hands to the reports.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::chronicle::Chronicle;
use crate::finding::{Finding, Position};
use crate::rule::Rule;

/// Everything one run found, read, and could not read.
#[derive(Debug, Default)]
pub struct Outcome {
    /// In the order of [`Finding::sort_key`].
    pub findings: Vec<Finding>,
    /// One entry a file that was read, ordered by path.
    pub files: Vec<FileReport>,
    /// Files and folders that could not be read or were refused.
    pub problems: Vec<Problem>,
    /// The texts of files with findings, for snippets; paths as in the findings.
    pub sources: BTreeMap<PathBuf, Arc<str>>,
    /// The comments that speak to ctxlint, as the front ends of the languages read them (a comment
    /// inside a string literal is none).
    pub comments: Vec<Comment>,
    /// How many findings filters took away, and which ones [`Self::suppressed`] holds, in all.
    pub hidden: usize,
    /// The findings that somebody has decided about, in the order of [`Finding::sort_key`].
    pub suppressed: Vec<Suppressed>,
    /// How the histories relate to those of an older run, where there is one.
    pub comparisons: Vec<Comparison>,
    /// How the histories came about, where somebody wants to draw them.
    pub chronicles: Vec<Chronicle>,
    /// How far an interrupted run came; none for a run that came to its end.
    pub partial: Option<Partial>,
    /// What took how long.
    pub timings: Vec<(String, Duration)>,
}

/// How far an interrupted run came.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Partial {
    /// How many files were read to their ends.
    pub read: usize,
    /// How many files were found before the run was interrupted.
    pub found: usize,
}

/// How one session relates to its older self.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Comparison {
    /// The file of the newer run.
    pub path: PathBuf,
    /// Its session, as [`SessionReport::id`] has it.
    pub session: String,
    /// The file of the older run.
    pub older_path: PathBuf,
    /// The session there: a resumed copy has an id of its own.
    pub older_session: String,
    /// How many records of the older run the newer one goes on behind; none where the records are not those, or of a
    /// store that does not only grow.
    pub records: Option<u64>,
    /// Whether the newer history is the older one and what came behind it, as far as its own record tells.
    pub extends: bool,
    /// Messages of the older history that are in the newer one.
    pub common: u64,
    /// Messages of the older history that are not: lost, or taken by a compaction.
    pub missing: u64,
    /// Messages that the newer one has beside them.
    pub added: u64,
}

/// A finding that is known and not reported.
#[derive(Clone, Debug)]
pub struct Suppressed {
    /// The finding.
    pub finding: Finding,
    /// Where the decision stands.
    pub by: SuppressedBy,
    /// The reason given there.
    pub reason: Option<String>,
}

/// Where it stands that a finding is not to be reported.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SuppressedBy {
    /// In an ignore comment.
    Comment,
    /// In a baseline.
    Baseline,
}

impl SuppressedBy {
    /// The word used in every output.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Comment => "comment",
            Self::Baseline => "baseline",
        }
    }
}

/// A comment of a source file that contains the word `ctxlint`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Comment {
    /// The file, as in the findings.
    pub path: PathBuf,
    /// Where the comment's marker stands.
    pub start: Position,
    /// The comment with its marker, one line.
    pub text: String,
    /// Whether nothing but white space stands before it on its line.
    pub own_line: bool,
}

/// Something that stopped a file from being checked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Problem {
    /// The file or folder.
    pub path: PathBuf,
    /// 1-based line, where there is one.
    pub line: Option<u32>,
    /// What is wrong, one sentence.
    pub message: String,
    /// What to do about it.
    pub help: Option<String>,
    /// Whether it is a failure to read (exit status 2) or a file of a kind that is refused (3 if
    /// nothing else could be checked).
    pub kind: ProblemKind,
}

/// How a [`Problem`] counts for the exit status.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum ProblemKind {
    /// Missing, unreadable, over a limit: exit status 2.
    Failed,
    /// Recognised and refused, or nothing to check in it: exit status 3 if nothing else was checked.
    Refused,
}

/// One file that was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileReport {
    /// The file.
    pub path: PathBuf,
    /// What was in it.
    pub kind: FileKind,
}

/// What a file was read as.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FileKind {
    /// Source code.
    Code {
        /// `python`, …
        language: &'static str,
    },
    /// A recorded run.
    Transcript {
        /// The format's name as on the command line.
        format: &'static str,
        /// The sessions in it, in the order in which they began.
        sessions: Vec<SessionReport>,
        /// How many records ended where; `understood + ignored + unknown + malformed` is the number of records.
        coverage: Coverage,
        /// Why records were left out by design, with how many were for that reason.
        ignored_for: BTreeMap<&'static str, u64>,
        /// The types of record that the format adapter does not know, with how many records have them.
        unknown_types: BTreeMap<String, u64>,
        /// Which rules this form of record gives no verdict on, or only a partial one.
        limits: Vec<Limit>,
    },
}

/// One conversation of a recorded run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SessionReport {
    /// Its id as the record has it; the name of the file, without its ending, where the record has none.
    pub id: String,
    /// The folder that the person worked in, if the record says so.
    pub project: Option<String>,
    /// When something happened in it last, in milliseconds since 1970: as the record says, or else when the
    /// file was written last.
    pub time: Option<i64>,
    /// What its calls came to, if anything is recorded of them.
    pub bill: Option<Bill>,
}

/// What the calls of a session came to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Bill {
    /// By model; what the provider counted.
    pub models: Vec<ModelReport>,
    /// How many calls were compared with the one before them.
    pub comparisons: u64,
    /// Calls that read less from the cache than the call before left there.
    pub breaks: Vec<BreakReport>,
    /// The day on which the prices held.
    pub as_of: String,
}

/// What the calls of one model came to. Tokens are as the provider counted them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ModelReport {
    /// Its name, if the record says it.
    pub model: Option<String>,
    /// Responses; each counts once, however many records tell of it.
    pub calls: u64,
    /// Tokens of requests that were neither read from the cache nor written to it.
    pub input: u64,
    /// Tokens read from the cache.
    pub read: u64,
    /// Tokens written to the cache.
    pub written: u64,
    /// How many of [`Self::written`] were to be kept for an hour.
    pub written_hour: u64,
    /// Tokens of answers.
    pub output: u64,
    /// What it cost, in millionths of a US dollar, if the model's price is known.
    pub price: Option<u64>,
}

/// A call that read less from the cache than the call before left there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BreakReport {
    /// 1-based line of the first record of the response.
    pub line: u32,
    /// `unexplained`, or what explains it.
    pub cause: &'static str,
    /// Tokens that could have been read.
    pub before: u64,
    /// Tokens that were.
    pub after: u64,
    /// Tokens that were paid again.
    pub again: u64,
    /// What that cost, in millionths of a US dollar, if the model's price is known.
    pub price: Option<u64>,
    /// Whether the tokens are expected from the lengths of texts, since none are recorded.
    pub estimated: bool,
    /// Whether the provider promises to keep what was written.
    pub promised: bool,
}

/// A rule that a form of record does not show enough for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limit {
    /// The rule.
    pub rule: &'static Rule,
    /// Whether it judges a part; otherwise nothing.
    pub in_part: bool,
    /// What is missing, as a short clause.
    pub why: &'static str,
}

/// Where the records of a file ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Coverage {
    /// Replayed.
    pub understood: u64,
    /// Left out by design.
    pub ignored: u64,
    /// Of a type the format adapter does not know.
    pub unknown: u64,
    /// Not to be parsed.
    pub malformed: u64,
}

impl Coverage {
    /// The number of records.
    #[must_use]
    pub fn records(self) -> u64 {
        self.understood + self.ignored + self.unknown + self.malformed
    }
}
