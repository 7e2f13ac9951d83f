//! `prompt-only-budget`: a limit is stated in a prompt and checked by nobody.

use crate::code::facts::Facts;
use crate::finding::{Confidence, Finding, Witness};
use crate::rule;

/// Adds what it finds.
pub(super) fn check(facts: &Facts, findings: &mut Vec<Finding>) {
    for (message, limit) in facts.unchecked_budgets() {
        let mut finding = Finding::at(
            &rule::PROMPT_ONLY_BUDGET,
            Witness::Code,
            facts.span(message),
            format!("the answer should have {limit}, and nothing measures it"),
        );
        finding.confidence = Confidence::Medium;
        finding.help = Some("measure the answer and cut it, or give the provider a limit as well".to_owned());
        findings.push(finding);
    }
}
