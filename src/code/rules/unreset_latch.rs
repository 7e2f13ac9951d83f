//! `unreset-latch`: a once-only flag stays set when the reminder it guards is cut away.

use crate::code::facts::Facts;
use crate::finding::{Confidence, Finding, Related, Witness};
use crate::rule;

/// Adds what it finds.
pub(super) fn check(facts: &Facts, findings: &mut Vec<Finding>) {
    for latch in facts.stuck_latches() {
        let mut finding = Finding::at(
            &rule::UNRESET_LATCH,
            Witness::Code,
            facts.span(latch.cut),
            "the history is replaced and a reminder with it, but the flag that lets it through once stays set",
        );
        finding.label = Some("the reminder never comes back".to_owned());
        finding.confidence = Confidence::Medium;
        finding.related.push(Related {
            span: facts.span(latch.reminder),
            message: "the reminder".to_owned(),
        });
        finding.related.push(Related {
            span: facts.span(latch.set),
            message: "the flag".to_owned(),
        });
        finding.help = Some(
            "reset the flag where the history is replaced; or look in the history for the reminder instead of keeping a \
             flag"
                .to_owned(),
        );
        findings.push(finding);
    }
}
