//! `unmarked-degraded-state`: a failed read of the state is told as the state.

use crate::code::facts::{DegradedState, Facts};
use crate::finding::{Confidence, Finding, Related, Witness};
use crate::rule;

/// Adds what it finds.
pub(super) fn check(facts: &Facts, findings: &mut Vec<Finding>) {
    findings.extend(facts.degraded_states().iter().map(|one| report(facts, one)));
}

fn report(facts: &Facts, state: &DegradedState) -> Finding {
    let mut finding = Finding::at(
        &rule::UNMARKED_DEGRADED_STATE,
        Witness::Code,
        facts.span(state.at),
        "when the state cannot be read, the model is told that there is none",
    );
    finding.label = Some("told as if it were so".to_owned());
    finding.confidence = Confidence::Medium;
    finding.related.push(Related {
        span: facts.span(state.told),
        message: "the message that tells it".to_owned(),
    });
    finding.help = Some("say in the text that the state could not be read, or leave the text out".to_owned());
    finding
}
