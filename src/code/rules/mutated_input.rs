//! `mutated-input`: messages of a caller are changed in place while a call is built.

use crate::code::counterexample::{changed_by_call, heads_left_by_calls};
use crate::code::facts::{Facts, InputChange};
use crate::finding::{Finding, Related, Span, Witness};
use crate::rule;

/// Adds what it finds.
pub(super) fn check(facts: &Facts, findings: &mut Vec<Finding>) {
    findings.extend(facts.input_changes().iter().map(|change| report(facts, change)));
}

fn report(facts: &Facts, change: &InputChange) -> Finding {
    let message = if change.of_message {
        "a message of the caller's list is changed in place: the caller's history keeps what was meant for this call"
    } else {
        "the caller's list is changed in place: what was put there for this call is there in the next one as well"
    };
    let mut finding = Finding::at(&rule::MUTATED_INPUT, Witness::Code, facts.span(change.at), message);
    finding.confidence = change.confidence;
    let (function, index) = change.param;
    let place = facts.project.function(function).place;
    let name = &facts.project.function(function).params[index as usize].name;
    finding.related.push(Related {
        span: Span {
            path: facts.module(function.module).path.clone(),
            start: place.start,
            end: place.end,
        },
        message: format!("the caller gives `{name}`"),
    });
    finding.help = Some("copy the message before it is changed: a copy of the list shares its messages".to_owned());
    finding.counterexample = Some(if change.of_message {
        changed_by_call()
    } else {
        heads_left_by_calls()
    });
    finding
}
