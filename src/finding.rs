//! What a rule reports. No I/O here.

use std::fmt;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::mend::{Fix, Mend};
use crate::rule::Rule;

/// How bad a finding is for the run it was found in. Ordered from `Info` to `Error`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Severity {
    /// Worth knowing, nothing to mend.
    Info,
    /// May make the model believe the wrong "now".
    Warn,
    /// Makes the model believe the wrong "now", or the request invalid.
    Error,
}

/// How sure the evidence makes ctxlint. Ordered from `Low` to `High`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Confidence {
    /// A name and a shape; hidden by default.
    Low,
    /// Several signals that agree.
    Medium,
    /// Types, framework sources or ids prove it.
    High,
}

/// Where a rule sees its evidence.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Witness {
    /// Source code.
    Code,
    /// A recorded run.
    Transcript,
}

macro_rules! words {
    ($type:ty { $($variant:ident => $word:literal),+ $(,)? }) => {
        impl $type {
            /// The word used in every output, in rule pages and on the command line.
            #[must_use]
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $word),+ }
            }

            /// The inverse of [`Self::as_str`]; `None` for any other word.
            #[must_use]
            pub fn parse(word: &str) -> Option<Self> {
                match word { $($word => Some(Self::$variant),)+ _ => None }
            }
        }

        impl fmt::Display for $type {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.pad(self.as_str())
            }
        }
    };
}

words!(Severity { Error => "error", Warn => "warn", Info => "info" });
words!(Confidence { High => "high", Medium => "medium", Low => "low" });
words!(Witness { Code => "code", Transcript => "transcript" });

/// A place in a text. Lines and columns are 1-based; columns count Unicode scalar values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Position {
    /// 1-based line.
    pub line: u32,
    /// 1-based column.
    pub column: u32,
}

/// A stretch of one file, from `start` up to and not including `end`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Span {
    /// The file as the user named it, or relative to the argument it was found under.
    pub path: PathBuf,
    /// First character.
    pub start: Position,
    /// One past the last character.
    pub end: Position,
}

/// Another place that explains a finding.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Related {
    /// Where.
    pub span: Span,
    /// What is there, as a short clause.
    pub message: String,
}

/// What is special about a message of a [`Counterexample`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Mark {
    /// What the person asked last.
    Current,
    /// What the model reads as the newest question.
    TakenForCurrent,
    /// Put there by a program.
    Injected,
    /// Stands elsewhere than before.
    Moved,
    /// No longer there (the row shows where it stood).
    Lost,
}

words!(Mark {
    Current => "current",
    TakenForCurrent => "taken-for-current",
    Injected => "injected",
    Moved => "moved",
    Lost => "lost",
});

/// One message of a folded history, in the order in which the model reads them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ModelRow {
    /// The message's id, if it has one.
    pub id: Option<String>,
    /// `system`, `user`, `assistant` or `tool`.
    pub role: String,
    /// A short text.
    pub text: String,
    /// What is special about it.
    pub mark: Option<Mark>,
}

/// The list of messages the model would read: computed by folding, never written by hand.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counterexample {
    /// Oldest first.
    pub rows: Vec<ModelRow>,
}

/// A text to show in place of the file's own: for records, one short line a message.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Excerpt {
    /// What to call the text in the header of the snippet, such as `run.jsonl, turn 7`.
    pub name: String,
    /// The lines.
    pub text: String,
    /// Byte ranges in `text` with their labels; the first is the primary one.
    pub labels: Vec<(std::ops::Range<usize>, String)>,
}

/// One problem, at one place.
///
/// Made by [`Finding::at`], so there is none without a primary location.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Finding {
    rule: &'static Rule,
    witness: Witness,
    span: Span,
    /// Severity, by default the rule's.
    pub severity: Severity,
    /// Confidence, by default the rule's.
    pub confidence: Confidence,
    /// What is wrong here, one sentence, no final stop.
    pub message: String,
    /// Short text under the primary span of a snippet.
    pub label: Option<String>,
    /// Other places that explain the finding.
    pub related: Vec<Related>,
    /// A fact that helps to judge it.
    pub note: Option<String>,
    /// How to mend it.
    pub help: Option<String>,
    /// Rules that would have reported the same event.
    pub also: Vec<&'static Rule>,
    /// What the model would read.
    pub counterexample: Option<Counterexample>,
    /// Shown instead of the file's text.
    pub excerpt: Option<Excerpt>,
    /// The session of a recorded run, as [`crate::outcome::SessionReport::id`] has it.
    pub session: Option<String>,
    /// 1-based turn of a recorded run.
    pub turn: Option<u32>,
    /// 1-based step of a recorded run, or the name of the node that made it.
    pub step: Option<String>,
    /// 1-based step of [`Self::session`] after which it shows.
    pub moment: Option<u32>,
    /// What would mend it, as its rule says; a language makes `fix` of it.
    #[serde(skip)]
    pub(crate) mend: Option<Mend>,
    /// The edits that mend it.
    #[serde(skip)]
    pub fix: Option<Fix>,
    /// What tells it from others of its rule in its file, where the lines of the file do not: for a recorded run
    /// the thread and the message.
    pub about: Option<String>,
    /// What makes it the same finding in another run, whatever its line; see `docs/json.md`.
    pub fingerprint: Option<String>,
}

impl Finding {
    /// A finding of `rule` at its primary location, with the rule's default severity and confidence.
    #[must_use]
    pub fn at(rule: &'static Rule, witness: Witness, span: Span, message: impl Into<String>) -> Self {
        Self {
            rule,
            witness,
            span,
            severity: rule.severity(),
            confidence: rule.confidence(),
            message: message.into(),
            label: None,
            related: Vec::new(),
            note: None,
            help: None,
            also: Vec::new(),
            counterexample: None,
            excerpt: None,
            session: None,
            turn: None,
            step: None,
            moment: None,
            mend: None,
            fix: None,
            about: None,
            fingerprint: None,
        }
    }

    /// Calls every file in it by another name.
    pub(crate) fn rename(&mut self, name: impl Fn(&Path) -> PathBuf) {
        self.span.path = name(&self.span.path);
        for related in &mut self.related {
            related.span.path = name(&related.span.path);
        }
        if let Some(fix) = &mut self.fix {
            fix.path = name(&fix.path);
        }
    }

    /// The rule that made it.
    #[must_use]
    pub fn rule(&self) -> &'static Rule {
        self.rule
    }

    /// Where its evidence was seen.
    #[must_use]
    pub fn witness(&self) -> Witness {
        self.witness
    }

    /// The primary location.
    #[must_use]
    pub fn span(&self) -> &Span {
        &self.span
    }

    /// The file of the primary location.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.span.path
    }

    /// What makes it the same finding in another run; empty before a selection was applied.
    #[must_use]
    pub fn fingerprint(&self) -> &str {
        self.fingerprint.as_deref().unwrap_or_default()
    }

    /// The key of the fixed output order: path, place, rule, message.
    #[must_use]
    pub fn sort_key(&self) -> (&Path, Position, Position, &str, &str) {
        (
            &self.span.path,
            self.span.start,
            self.span.end,
            self.rule.id(),
            &self.message,
        )
    }
}
