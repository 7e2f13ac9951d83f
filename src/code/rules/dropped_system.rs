//! `dropped-system`: a cut loses the leading system message.

use crate::code::counterexample::{Left, cut};
use crate::code::facts::{DroppedSystem, Facts};
use crate::finding::{Finding, Related, Witness};
use crate::rule;

/// Adds what it finds.
pub(super) fn check(facts: &Facts, findings: &mut Vec<Finding>) {
    findings.extend(facts.dropped_systems().iter().map(|dropped| report(facts, dropped)));
}

fn report(facts: &Facts, dropped: &DroppedSystem) -> Finding {
    let message = "the cut takes the leading system message with it: the model goes on without its instructions";
    let mut finding = Finding::at(&rule::DROPPED_SYSTEM, Witness::Code, facts.span(dropped.at), message);
    finding.confidence = dropped.confidence;
    finding.label = Some("no system message is left".to_owned());
    if let Some(put) = dropped.put {
        finding.related.push(Related {
            span: facts.span(put),
            message: "the system message is put in the list here".to_owned(),
        });
    }
    finding.help = Some(
        "decision matrix, row `history over budget`: take the system message out first, cut what is left between turns, and put it back in front"
            .to_owned(),
    );
    finding.counterexample = Some(cut(Left::Pair));
    finding
}
