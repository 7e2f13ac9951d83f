//! `displaced-question`: an older message goes in the place of the newest question.

use crate::code::counterexample::older_removed;
use crate::code::facts::{Facts, LeftOut, Moved};
use crate::finding::{Confidence, Finding, Related, Witness};
use crate::rule;

/// Adds what it finds.
pub(super) fn check(facts: &Facts, findings: &mut Vec<Finding>) {
    findings.extend(facts.moved_by_value().iter().map(|moved| report(facts, moved)));
    findings.extend(facts.left_out().iter().map(|left| left_out(facts, left)));
}

fn left_out(facts: &Facts, left: &LeftOut) -> Finding {
    let message = "the newest stored message is left out for a question that was stored after the list was read: the last \
                   answer is missing from what the model reads";
    let mut finding = Finding::at(&rule::DISPLACED_QUESTION, Witness::Code, facts.span(left.at), message);
    finding.confidence = Confidence::Medium;
    finding.label = Some("leaves out the last answer".to_owned());
    for (at, message) in [
        (left.read, "the list is read here"),
        (left.stored, "the question is stored here"),
    ] {
        finding.related.push(Related {
            span: facts.span(at),
            message: message.to_owned(),
        });
    }
    finding.help = Some("take the list as it was read, and put the question behind it once".to_owned());
    finding
}

fn report(facts: &Facts, moved: &Moved) -> Finding {
    let message = "the newest question is removed by what it says: where an older message says the same, that one goes, \
                   and the question stands there twice";
    let mut finding = Finding::at(
        &rule::DISPLACED_QUESTION,
        Witness::Code,
        facts.span(moved.removed),
        message,
    );
    finding.confidence = moved.confidence;
    finding.label = Some("removes the first message that is equal".to_owned());
    finding.related.push(Related {
        span: facts.span(moved.found),
        message: "the newest one is found here".to_owned(),
    });
    finding.related.push(Related {
        span: facts.span(moved.again),
        message: "and put back at the end here".to_owned(),
    });
    finding.help = Some("keep the position where the question was found, and take out what stands there".to_owned());
    finding.counterexample = Some(older_removed());
    finding
}
