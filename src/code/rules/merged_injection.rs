//! `merged-injection`: a block that holds for one call is merged into a message of the history.

use super::matrix;
use crate::code::counterexample::merged_for_one_call;
use crate::code::facts::{Decorated, Facts};
use crate::finding::{Finding, Related, Witness};
use crate::rule;

/// Adds what it finds.
pub(super) fn check(facts: &Facts, findings: &mut Vec<Finding>) {
    let merged = facts.decorated().into_iter().filter(|one| !one.same_text);
    findings.extend(merged.map(|one| report(facts, &one)));
}

fn report(facts: &Facts, one: &Decorated) -> Finding {
    let mut finding = Finding::at(
        &rule::MERGED_INJECTION,
        Witness::Code,
        facts.span(one.at),
        "what holds for this call is merged into a message of the history: the same message is sent with other bytes at \
         the next call",
    );
    finding.label = Some("the message that was sent is never sent again".to_owned());
    finding.confidence = one.confidence;
    finding.related.push(Related {
        span: facts.span(one.found),
        message: "the message is found here, and need not be the last".to_owned(),
    });
    finding.help = Some(matrix::STATE.to_owned());
    finding.counterexample = Some(merged_for_one_call());
    finding
}
