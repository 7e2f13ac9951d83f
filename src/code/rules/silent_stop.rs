//! `silent-stop`: a wrap-up message does not say how to tell that the work is not done.

use crate::code::facts::Facts;
use crate::finding::{Confidence, Finding, Witness};
use crate::rule;

/// Adds what it finds.
pub(super) fn check(facts: &Facts, findings: &mut Vec<Finding>) {
    for notice in facts.silent_stops() {
        let mut finding = Finding::at(
            &rule::SILENT_STOP,
            Witness::Code,
            facts.span(notice),
            "the model is told to come to an end, and not how to say that it did not get through",
        );
        finding.confidence = Confidence::Medium;
        finding.help =
            Some("let the message ask for what is left undone, in a form that the caller can test for".to_owned());
        findings.push(finding);
    }
}
