//! Which findings of a run are shown.

use crate::finding::{Confidence, Finding, Severity};
use crate::outcome::Outcome;
use crate::rule::{self, RULES, Rule};
use crate::suppress;

/// A rule or a family, as `--select` and `--ignore` name it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Selector {
    /// One rule, by its id.
    Rule(&'static Rule),
    /// All rules of a family.
    Family(&'static str),
}

impl Selector {
    /// Finds the rule or the family of this name; the error says what to do about a name that is neither.
    pub fn parse(name: &str) -> Result<Self, String> {
        if let Some(rule) = rule::find(name) {
            return Ok(Self::Rule(rule));
        }
        if let Some(rule) = RULES.iter().find(|rule| rule.family() == name) {
            return Ok(Self::Family(rule.family()));
        }
        Err(match rule::nearest(name) {
            Some(near) => format!("no rule or family of this name; did you mean `{near}`?"),
            None => "no rule or family of this name; `ctxlint rules` lists them".to_owned(),
        })
    }

    fn takes(&self, rule: &Rule) -> bool {
        match self {
            Self::Rule(named) => *named == rule,
            Self::Family(family) => *family == rule.family(),
        }
    }
}

/// The choices of `--select`, `--ignore`, `--pedantic` and the thresholds; by default those of a run
/// without any of them.
#[derive(Clone, Debug)]
pub struct Selection {
    /// Only these take part, and housekeeping; empty: all.
    pub select: Vec<Selector>,
    /// These do not take part.
    pub ignore: Vec<Selector>,
    /// Opt-in rules take part.
    pub pedantic: bool,
    /// Findings under it are hidden.
    pub min_severity: Severity,
    /// Findings under it are hidden.
    pub min_confidence: Confidence,
}

/// How many findings were taken away.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Hidden {
    /// By ignore comments.
    pub comment: usize,
    /// By [`Selection::min_severity`].
    pub severity: usize,
    /// By [`Selection::min_confidence`].
    pub confidence: usize,
}

impl Default for Selection {
    fn default() -> Self {
        Self {
            select: Vec::new(),
            ignore: Vec::new(),
            pedantic: false,
            min_severity: Severity::Info,
            min_confidence: Confidence::Medium,
        }
    }
}

impl Selection {
    /// Whether the rule takes part.
    fn runs(&self, rule: &Rule) -> bool {
        let named = self.select.iter().any(|selector| selector.takes(rule));
        let chosen = if self.select.is_empty() {
            !rule.is_opt_in() || self.pedantic
        } else {
            named || rule.is_housekeeping()
        };
        chosen && !self.ignore.iter().any(|selector| selector.takes(rule))
    }

    /// Takes away what the user does not want to see, adds what the ignore comments themselves give
    /// rise to, and puts the rest in the fixed order.
    pub fn apply(&self, outcome: &mut Outcome) -> Hidden {
        let mut hidden = Hidden::default();
        outcome.findings.retain(|finding| self.runs(finding.rule()));
        // Comments come before the thresholds: one that hides a finding nobody would see is still in use.
        hidden.comment = suppress::apply(outcome, |rule| self.runs(rule));
        outcome.findings.retain(|finding| self.shows(finding, &mut hidden));
        outcome.findings.sort_by(|a, b| a.sort_key().cmp(&b.sort_key()));
        outcome.hidden += hidden.comment + hidden.severity + hidden.confidence;
        hidden
    }

    fn shows(&self, finding: &Finding, hidden: &mut Hidden) -> bool {
        if finding.severity < self.min_severity {
            hidden.severity += 1;
            return false;
        }
        if finding.confidence < self.min_confidence {
            hidden.confidence += 1;
            return false;
        }
        true
    }
}
