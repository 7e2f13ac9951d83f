//! `system-after-history`: a system message ends up behind messages of the conversation.

use super::matrix;
use crate::code::counterexample::{system_at_count, system_at_tail};
use crate::code::facts::{Facts, LateSystem};
use crate::finding::{Finding, Related, Witness};
use crate::rule;

/// Adds what it finds.
pub(super) fn check(facts: &Facts, findings: &mut Vec<Finding>) {
    findings.extend(facts.late_systems().iter().map(|late| report(facts, late)));
}

fn report(facts: &Facts, late: &LateSystem) -> Finding {
    let message = match late.counted {
        Some(_) => {
            "the number of system messages is taken for the place behind the leading ones: where another one stands \
             later, the message lands among the first turns"
        }
        None => {
            "a system message is appended to the history: providers that take it at the head only refuse the call or \
             drop the message"
        }
    };
    let mut finding = Finding::at(&rule::SYSTEM_AFTER_HISTORY, Witness::Code, facts.span(late.at), message);
    finding.confidence = late.confidence;
    finding.label = Some("stands behind what was said".to_owned());
    if let Some(counted) = late.counted {
        finding.related.push(Related {
            span: facts.span(counted.at),
            message: "counted over the whole list".to_owned(),
        });
        finding.help = Some("insert before the first message that is no system message".to_owned());
        finding.counterexample = Some(system_at_count());
    } else {
        finding.help = Some(format!(
            "{}; what must be said at system level belongs to the system prompt of the call",
            matrix::STATE
        ));
        finding.counterexample = Some(system_at_tail());
    }
    finding
}
