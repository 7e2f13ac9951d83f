//! What a run says on stdout or in a file, one format a module.

mod agent;
mod causes;
mod concise;
pub(crate) mod github;
mod gitlab;
pub(crate) mod html;
mod human;
mod json;
mod junit;
pub(crate) mod map;
pub(crate) mod markdown;
pub(crate) mod paths;
mod sarif;
pub(crate) mod snippet;
pub(crate) mod statistics;
#[cfg(test)]
mod tests;
pub(crate) mod text;

use std::io::{self, Write};

use crate::finding::{Counterexample, Severity};
use crate::outcome::Outcome;
use crate::roots::Roots;
use crate::rule::Rule;

/// Columns of the human form, where a terminal does not have fewer.
pub(crate) const WIDTH: usize = 100;

/// Which half made the outcome.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Half {
    /// `check`.
    Check,
    /// `audit`.
    Audit,
}

impl Half {
    /// Its name on the command line.
    fn name(self) -> &'static str {
        match self {
            Self::Check => "check",
            Self::Audit => "audit",
        }
    }

    /// What it did with a file.
    fn done(self) -> &'static str {
        match self {
            Self::Check => "checked",
            Self::Audit => "audited",
        }
    }
}

/// The messages of a counterexample, oldest first, a line each.
pub(crate) fn counterexample(counterexample: &Counterexample) -> Vec<String> {
    human::list(counterexample)
}

/// One run, and how to show it.
#[derive(Clone, Copy, Debug)]
pub struct Report<'a> {
    /// What the run found, already filtered and in order.
    pub outcome: &'a Outcome,
    /// The half that made it.
    pub half: Half,
    /// How many columns the human form may take.
    pub width: usize,
    /// Whether the human form is coloured.
    pub color: bool,
    /// Whether the human form leaves out coverage and summary.
    pub quiet: bool,
    /// Whether the human form tells what became of the records of every file, and its sessions.
    pub coverage: bool,
    /// Whether the human form tells what calls cost.
    pub cost: bool,
    /// Whether the human form shows the unsafe fixes.
    pub unsafe_fixes: bool,
    /// What makes the run fail.
    pub fail_on: Severity,
    /// What the paths of forms for machines are relative to.
    pub roots: &'a Roots,
    /// The rules that took part, in the order of the table.
    pub rules: &'a [&'static Rule],
}

/// A way to write a [`Report`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// For people: snippets, counterexamples, help.
    Human,
    /// One line a finding.
    Concise,
    /// One line a finding with the way to mend it, and a last line that sums up: for agents.
    Agent,
    /// The contract of `docs/json.md`.
    Json,
    /// The same as one document a line.
    Jsonl,
    /// SARIF 2.1.0, for code scanning and editors.
    Sarif,
    /// Workflow commands of GitHub, which become annotations.
    Github,
    /// GitLab's Code Quality report.
    Gitlab,
    /// JUnit's XML.
    Junit,
    /// One page that needs nothing else: findings, drawings of the histories, costs.
    Html,
}

impl Format {
    /// Every format.
    pub const ALL: [Self; 10] = [
        Self::Human,
        Self::Concise,
        Self::Agent,
        Self::Json,
        Self::Jsonl,
        Self::Sarif,
        Self::Github,
        Self::Gitlab,
        Self::Junit,
        Self::Html,
    ];

    /// The name on the command line.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Human => "human",
            Self::Concise => "concise",
            Self::Agent => "agent",
            Self::Json => "json",
            Self::Jsonl => "jsonl",
            Self::Sarif => "sarif",
            Self::Github => "github",
            Self::Gitlab => "gitlab",
            Self::Junit => "junit",
            Self::Html => "html",
        }
    }

    /// The format of this name.
    #[must_use]
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|format| format.as_str() == word)
    }

    /// The names of all formats, for texts.
    #[must_use]
    pub fn names() -> String {
        Self::ALL.map(Self::as_str).join(", ")
    }

    /// Whether it has something to say where nothing was checked: a program waits for its document, a person has
    /// read on stderr why there is none.
    #[must_use]
    pub fn is_for_machines(self) -> bool {
        !matches!(self, Self::Human | Self::Concise)
    }

    /// What it leaves out of this outcome, one sentence to be told on stderr.
    #[must_use]
    pub fn left_out(self, outcome: &Outcome) -> Option<String> {
        match self {
            Self::Sarif => sarif::left_out(outcome),
            _ => None,
        }
    }

    /// Writes the whole report.
    pub fn write(self, report: &Report<'_>, out: &mut dyn Write) -> io::Result<()> {
        match self {
            Self::Human => human::write(report, out),
            Self::Concise => concise::write(report, out),
            Self::Agent => agent::write(report, out),
            Self::Json => json::write(report, out),
            Self::Jsonl => json::write_lines(report, out),
            Self::Sarif => sarif::write(report, out),
            Self::Github => github::write(report, out),
            Self::Gitlab => gitlab::write(report, out),
            Self::Junit => junit::write(report, out),
            Self::Html => html::write(report, out),
        }
    }
}

/// How many findings there are of each severity.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Totals {
    pub(crate) errors: usize,
    pub(crate) warnings: usize,
    pub(crate) infos: usize,
}

impl Totals {
    /// `2 errors, 1 warning`.
    pub(crate) fn in_words(self) -> String {
        let parts = [(self.errors, "error"), (self.warnings, "warning"), (self.infos, "info")];
        let some = parts.into_iter().filter(|(number, _)| *number > 0);
        let words: Vec<_> = some.map(|(number, word)| text::count(number as u64, word)).collect();
        if words.is_empty() {
            "no findings".to_owned()
        } else {
            words.join(", ")
        }
    }

    pub(crate) fn of(outcome: &Outcome) -> Self {
        let mut totals = Self::default();
        for finding in &outcome.findings {
            match finding.severity {
                Severity::Error => totals.errors += 1,
                Severity::Warn => totals.warnings += 1,
                Severity::Info => totals.infos += 1,
            }
        }
        totals
    }
}

/// Makes a text fit for terminals, for a fuzz target.
#[cfg(fuzzing)]
pub(crate) fn fuzzed(text: &str) {
    for shown in [text::neutral(text), text::one_line(text)] {
        assert!(
            !shown.chars().any(|c| text::is_hazard(c) && c != '\n' && c != '\t'),
            "{shown:?}"
        );
    }
    let json = serde_json::to_string(text).expect("a text can be written as JSON");
    let escaped = text::escape_hazards(&json);
    let read: String = serde_json::from_str(&escaped).expect("it is JSON still");
    assert_eq!(read, text);
}
