//! Which findings a run shows.

use crate::finding::{Confidence, Finding, Severity};
use crate::outcome::Outcome;
use crate::rule::{self, RULES, Rule};
use crate::suppress;

/// A rule or a family, as `--select` and `--ignore` name it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Selector {
    Rule(&'static Rule),
    Family(&'static str),
}

impl Selector {
    pub(crate) fn parse(name: &str) -> Result<Self, String> {
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

/// The choices of `--select`, `--ignore`, `--pedantic` and the thresholds.
#[derive(Debug)]
pub(crate) struct Selection<'a> {
    pub(crate) select: &'a [Selector],
    pub(crate) ignore: &'a [Selector],
    pub(crate) pedantic: bool,
    pub(crate) min_severity: Severity,
    pub(crate) min_confidence: Confidence,
}

/// How many findings were taken away by ignore comments and by the two thresholds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Hidden {
    pub(crate) comment: usize,
    pub(crate) severity: usize,
    pub(crate) confidence: usize,
}

impl Selection<'_> {
    /// Whether the rule takes part in this run.
    pub(crate) fn runs(&self, rule: &Rule) -> bool {
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
    pub(crate) fn apply(&self, outcome: &mut Outcome) -> Hidden {
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
