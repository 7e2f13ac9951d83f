//! Which findings of a run are shown.

use crate::exclude::Globs;
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

    /// The name by which it was found.
    pub(crate) fn name(&self) -> &'static str {
        match self {
            Self::Rule(rule) => rule.id(),
            Self::Family(family) => family,
        }
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
    /// What is said about single rules.
    pub rules: Vec<RuleSettings>,
    /// Rules that do not speak about some files.
    pub per_path: Vec<PathIgnores>,
}

/// What is said about one rule.
#[derive(Clone, Copy, Debug)]
pub struct RuleSettings {
    /// The rule.
    pub rule: &'static Rule,
    /// Takes the place of the rule's own severity; findings that are milder than the rule stay at least as mild.
    pub severity: Option<Severity>,
    /// Its findings under it are hidden.
    pub min_confidence: Option<Confidence>,
}

/// Rules that do not speak about some files.
#[derive(Clone, Debug)]
pub struct PathIgnores {
    /// The files.
    pub(crate) paths: Globs,
    /// The rules and families.
    pub(crate) rules: Vec<Selector>,
}

/// How many findings were taken away.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Hidden {
    /// By ignore comments.
    pub comment: usize,
    /// By [`Selection::min_severity`].
    pub severity: usize,
    /// By [`Selection::min_confidence`], or that of a rule.
    pub confidence: usize,
    /// By [`Selection::per_path`].
    pub per_path: usize,
}

impl Default for Selection {
    fn default() -> Self {
        Self {
            select: Vec::new(),
            ignore: Vec::new(),
            pedantic: false,
            min_severity: Severity::Info,
            min_confidence: Confidence::Medium,
            rules: Vec::new(),
            per_path: Vec::new(),
        }
    }
}

impl Selection {
    /// The rules that take part, in the order of the table.
    #[must_use]
    pub fn taking_part(&self) -> Vec<&'static Rule> {
        RULES.iter().copied().filter(|rule| self.runs(rule)).collect()
    }

    /// Whether the rule takes part.
    fn runs(&self, rule: &Rule) -> bool {
        let named = self.select.iter().any(|selector| selector.takes(rule));
        let chosen = if self.select.is_empty() {
            !rule.is_opt_in() || self.pedantic
        } else {
            named || rule.is_housekeeping()
        };
        chosen && !self.ignored(rule)
    }

    fn ignored(&self, rule: &Rule) -> bool {
        self.ignore.iter().any(|selector| selector.takes(rule))
    }

    /// Takes away what the user does not want to see, adds what the ignore comments themselves give
    /// rise to, and puts the rest in the fixed order.
    pub fn apply(&self, outcome: &mut Outcome) -> Hidden {
        let mut hidden = Hidden::default();
        for finding in &mut outcome.findings {
            self.set_severity(finding);
        }
        // One event is reported once, under the gravest of its rules; the others stand for it as well.
        outcome.findings.retain(|finding| {
            let mut rules = std::iter::once(finding.rule()).chain(finding.also.iter().copied());
            !self.ignored(finding.rule()) && rules.any(|rule| self.runs(rule))
        });
        // Comments come before the thresholds: one that hides a finding nobody would see is still in use.
        hidden.comment = suppress::apply(outcome, |rule| self.runs(rule));
        outcome.findings.retain(|finding| self.shows(finding, &mut hidden));
        let mut decided = Hidden::default();
        let suppressed = &mut outcome.suppressed;
        suppressed.retain(|suppressed| self.shows(&suppressed.finding, &mut decided));
        outcome.findings.sort_by(|a, b| a.sort_key().cmp(&b.sort_key()));
        outcome.hidden += hidden.comment + hidden.severity + hidden.confidence + hidden.per_path;
        hidden
    }

    /// What is milder than its rule has its reasons, and stays so.
    fn set_severity(&self, finding: &mut Finding) {
        let settings = self.rules.iter().find(|settings| settings.rule == finding.rule());
        if let Some(severity) = settings.and_then(|settings| settings.severity) {
            finding.severity = if finding.severity < finding.rule().severity() {
                severity.min(finding.severity)
            } else {
                severity
            };
        }
    }

    fn shows(&self, finding: &Finding, hidden: &mut Hidden) -> bool {
        let unspoken = |ignores: &PathIgnores| {
            ignores.rules.iter().any(|selector| selector.takes(finding.rule())) && ignores.paths.names(finding.path())
        };
        if self.per_path.iter().any(unspoken) {
            hidden.per_path += 1;
            return false;
        }
        if finding.severity < self.min_severity {
            hidden.severity += 1;
            return false;
        }
        let settings = self.rules.iter().find(|settings| settings.rule == finding.rule());
        let min_confidence = settings.and_then(|settings| settings.min_confidence);
        if finding.confidence < min_confidence.unwrap_or(self.min_confidence) {
            hidden.confidence += 1;
            return false;
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::finding::{Position, Span, Witness};
    use crate::outcome::Comment;
    use crate::rule::{HEAD_SCAN_ATTACH, ID_SWAP, MALFORMED_RECORD};

    fn finding(rule: &'static Rule, line: u32) -> Finding {
        let at = |column| Position { line, column };
        let span = Span {
            path: "agent.py".into(),
            start: at(1),
            end: at(5),
        };
        Finding::at(rule, Witness::Code, span, "wrong")
    }

    fn shown(selection: &Selection, findings: Vec<Finding>) -> (Vec<&'static str>, usize) {
        let mut outcome = Outcome {
            findings,
            ..Outcome::default()
        };
        selection.apply(&mut outcome);
        let ids = outcome.findings.iter().map(|finding| finding.rule().id());
        (ids.collect(), outcome.hidden)
    }

    fn one_of_each() -> Vec<Finding> {
        vec![
            finding(&MALFORMED_RECORD, 3),
            finding(&ID_SWAP, 2),
            finding(&HEAD_SCAN_ATTACH, 1),
        ]
    }

    fn selectors(names: &[&str]) -> Vec<Selector> {
        names
            .iter()
            .map(|name| Selector::parse(name).expect("a rule or family of this name"))
            .collect()
    }

    #[test]
    fn what_is_shown_is_in_order() {
        let all = (vec!["head-scan-attach", "id-swap", "malformed-record"], 0);
        assert_eq!(shown(&Selection::default(), one_of_each()), all);
    }

    #[test]
    fn rules_and_families_are_selected_and_left_out_and_housekeeping_stays() {
        let select = |names: &[&str]| Selection {
            select: selectors(names),
            ..Selection::default()
        };
        assert_eq!(
            shown(&select(&["id-swap"]), one_of_each()),
            (vec!["id-swap", "malformed-record"], 0)
        );
        assert_eq!(
            shown(&select(&["placement"]), one_of_each()),
            (vec!["head-scan-attach", "malformed-record"], 0)
        );
        let ignore = Selection {
            ignore: selectors(&["identity", "malformed-record"]),
            ..Selection::default()
        };
        assert_eq!(shown(&ignore, one_of_each()), (vec!["head-scan-attach"], 0));
    }

    #[test]
    fn what_a_threshold_takes_away_is_counted() {
        let mut weak = finding(&ID_SWAP, 1);
        weak.confidence = Confidence::Low;
        let mut mild = finding(&ID_SWAP, 2);
        mild.severity = Severity::Warn;
        let both = || vec![weak.clone(), mild.clone()];
        assert_eq!(shown(&Selection::default(), both()), (vec!["id-swap"], 1));
        let strict = Selection {
            min_severity: Severity::Error,
            ..Selection::default()
        };
        assert_eq!(shown(&strict, both()), (vec![], 2));
        let open = Selection {
            min_confidence: Confidence::Low,
            ..Selection::default()
        };
        assert_eq!(shown(&open, both()), (vec!["id-swap", "id-swap"], 0));
    }

    #[test]
    fn what_is_milder_than_its_rule_is_not_made_worse() {
        let severity = |own: Severity, set: Severity| {
            let mut finding = finding(&ID_SWAP, 1);
            finding.severity = own;
            let selection = Selection {
                rules: vec![RuleSettings {
                    rule: &ID_SWAP,
                    severity: Some(set),
                    min_confidence: None,
                }],
                ..Selection::default()
            };
            let mut outcome = Outcome {
                findings: vec![finding],
                ..Outcome::default()
            };
            selection.apply(&mut outcome);
            outcome.findings[0].severity
        };
        assert_eq!(ID_SWAP.severity(), Severity::Error);
        assert_eq!(severity(Severity::Error, Severity::Warn), Severity::Warn);
        assert_eq!(severity(Severity::Warn, Severity::Error), Severity::Warn);
        assert_eq!(severity(Severity::Warn, Severity::Info), Severity::Info);
        assert_eq!(severity(Severity::Info, Severity::Warn), Severity::Info);
    }

    #[test]
    fn a_comment_for_a_hidden_finding_is_in_use() {
        let mut weak = finding(&ID_SWAP, 1);
        weak.confidence = Confidence::Low;
        let mut outcome = Outcome {
            findings: vec![weak],
            comments: vec![Comment {
                path: "agent.py".into(),
                start: Position { line: 1, column: 9 },
                text: "# ctxlint: ignore[id-swap]".to_owned(),
                own_line: false,
            }],
            ..Outcome::default()
        };
        let hidden = Selection::default().apply(&mut outcome);
        assert!(outcome.findings.is_empty());
        assert_eq!((hidden.comment, hidden.confidence), (1, 0));
    }

    #[test]
    fn a_mistyped_name_gets_a_suggestion() {
        let message = |name| Selector::parse(name).expect_err("no such name");
        assert_eq!(
            message("id_swap"),
            "no rule or family of this name; did you mean `id-swap`?"
        );
        assert_eq!(
            message("placment"),
            "no rule or family of this name; did you mean `placement`?"
        );
        assert_eq!(
            message("zz"),
            "no rule or family of this name; `ctxlint rules` lists them"
        );
    }
}
