//! `skipped-injection`: a degraded way leaves out an injection whose absence means the first turn.

use crate::code::facts::{Facts, Skip};
use crate::finding::{Confidence, Finding, Related, Witness};
use crate::rule;

/// Adds what it finds.
pub(super) fn check(facts: &Facts, findings: &mut Vec<Finding>) {
    findings.extend(facts.skips().iter().map(|one| degraded(facts, one)));
    findings.extend(facts.unarmed().iter().map(|one| unarmed(facts, one)));
}

fn degraded(facts: &Facts, skip: &Skip) -> Finding {
    let mut finding = Finding::at(
        &rule::SKIPPED_INJECTION,
        Witness::Code,
        skip.at.clone(),
        "after an error nothing is injected, and a history without the injection is taken for one that has just begun",
    );
    finding.confidence = Confidence::Medium;
    finding.related.push(Related {
        span: facts.span(skip.injected),
        message: "what is left out".to_owned(),
    });
    finding.related.push(Related {
        span: facts.span(skip.taken),
        message: "its absence means the first turn here".to_owned(),
    });
    finding.help = Some(
        "inject on every way, with what is known when the rest failed; or tell the first turn by the history itself"
            .to_owned(),
    );
    finding
}

fn unarmed(facts: &Facts, skip: &Skip) -> Finding {
    let mut finding = Finding::at(
        &rule::SKIPPED_INJECTION,
        Witness::Code,
        skip.at.clone(),
        "the history is replaced, and the flag that brings back what was injected once is never set",
    );
    finding.label = Some("the injection does not come back".to_owned());
    finding.confidence = Confidence::Medium;
    finding.related.push(Related {
        span: facts.span(skip.injected),
        message: "the flag is asked for here".to_owned(),
    });
    finding.help = Some("set the flag where the history is replaced".to_owned());
    finding
}
