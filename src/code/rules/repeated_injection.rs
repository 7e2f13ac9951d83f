//! `repeated-injection`: the same reminder is added to a history again and again.

use super::matrix;
use crate::code::facts::{Facts, Reminder, Repeats};
use crate::code::vocabulary::Runs;
use crate::finding::{Confidence, Finding, Related, Witness};
use crate::rule;

/// Adds what it finds.
pub(super) fn check(facts: &Facts, findings: &mut Vec<Finding>) {
    let reminders = facts.reminders();
    findings.extend(reminders.iter().map(|one| report(facts, one)));
    let stored = facts.stored_with_system();
    findings.extend(stored.iter().map(|one| report(facts, one)));
    let forgotten = facts.short_latches();
    findings.extend(forgotten.iter().map(|one| report(facts, one)));
    let grown = facts.grown_messages();
    findings.extend(grown.iter().map(|one| report(facts, one)));
}

fn report(facts: &Facts, reminder: &Reminder) -> Finding {
    let (message, label) = match reminder.repeats {
        Repeats::Runs(Runs::Turn) => (
            "the same text is added to the history in every turn, and nothing looks whether it is there already",
            "one more copy each turn",
        ),
        Repeats::Runs(_) => (
            "the same text is added to the history at every call, and nothing looks whether it is there already",
            "one more copy each call",
        ),
        Repeats::Returns => (
            "a message is put beside a list that has been through here before and has it already",
            "the list comes back with the message in it",
        ),
        Repeats::Forgotten => (
            "what was injected is remembered for one request only, while the history keeps it: the next request \
             injects it again",
            "one more copy each request",
        ),
        Repeats::Message => (
            "the same text is added to a stored message again and again, and nothing looks whether it is there already",
            "the message grows by one copy each time",
        ),
    };
    let mut finding = Finding::at(
        &rule::REPEATED_INJECTION,
        Witness::Code,
        facts.span(reminder.at),
        message,
    );
    finding.label = Some(label.to_owned());
    finding.confidence = match reminder.repeats {
        Repeats::Runs(_) => Confidence::High,
        Repeats::Returns | Repeats::Message | Repeats::Forgotten => Confidence::Medium,
    };
    if facts.span(reminder.made).start.line != facts.span(reminder.at).start.line {
        finding.related.push(Related {
            span: facts.span(reminder.made),
            message: "the text".to_owned(),
        });
    }
    finding.help = Some(format!(
        "{}; or store it once, and look for it in the history before adding it",
        matrix::STATE
    ));
    finding
}
