//! `wrong-queue`: a person's words go with one call and are gone, or a state goes where those words go.

use crate::code::facts::{Facts, WrongQueue};
use crate::finding::{Confidence, Finding, Related, Witness};
use crate::rule;

/// Adds what it finds.
pub(super) fn check(facts: &Facts, findings: &mut Vec<Finding>) {
    findings.extend(facts.wrong_queues().iter().map(|one| report(facts, one)));
}

fn report(facts: &Facts, one: &WrongQueue) -> Finding {
    let (at, message, other, told, help) = match one {
        WrongQueue::Forgotten { sent, waits } => (
            *sent,
            "what the person says to the agent goes with this call only: the next one does not know of it",
            *waits,
            "it is taken away here",
            "decision matrix, row `correction`: append it to the history as a message of the person",
        ),
        WrongQueue::Kept { given, read } => (
            *given,
            "a state of the moment is handed in as the person's words are: it stays in the history when it is not true any more",
            *read,
            "read here",
            "decision matrix, row `state`: rebuild it for every call and send it with that call only",
        ),
    };
    let mut finding = Finding::at(&rule::WRONG_QUEUE, Witness::Code, facts.span(at), message.to_owned());
    finding.confidence = Confidence::Medium;
    if other != at {
        finding.related.push(Related {
            span: facts.span(other),
            message: told.to_owned(),
        });
    }
    finding.help = Some(help.to_owned());
    finding
}
