//! `unexpired-injection`: a text that was kept is injected however old it is.

use crate::code::facts::{Facts, Unexpired};
use crate::finding::{Confidence, Finding, Related, Witness};
use crate::rule;

/// Adds what it finds.
pub(super) fn check(facts: &Facts, findings: &mut Vec<Finding>) {
    findings.extend(facts.unexpired_injections().iter().map(|one| report(facts, one)));
}

fn report(facts: &Facts, one: &Unexpired) -> Finding {
    let mut finding = Finding::at(
        &rule::UNEXPIRED_INJECTION,
        Witness::Code,
        facts.span(one.made),
        "a text that was kept is injected again and again: nothing asks how old it is, and nothing takes it away",
    );
    finding.confidence = Confidence::Medium;
    finding.related.push(Related {
        span: facts.span(one.kept),
        message: "it is kept here".to_owned(),
    });
    finding.related.push(Related {
        span: facts.span(one.written),
        message: "the time is noted, and nobody reads it".to_owned(),
    });
    finding.help =
        Some("take the text out when it is injected, or compare the time with a greatest age before it is".to_owned());
    finding
}
