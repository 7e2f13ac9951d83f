//! `head-window`: the oldest messages are read where the newest are meant.

use crate::code::counterexample::{Left, cut};
use crate::code::facts::{Facts, OldestRows};
use crate::finding::{Confidence, Finding, Related, Witness};
use crate::rule;

/// Adds what it finds.
pub(super) fn check(facts: &Facts, findings: &mut Vec<Finding>) {
    findings.extend(facts.oldest_rows().iter().map(|read| report(facts, read)));
}

fn report(facts: &Facts, read: &OldestRows) -> Finding {
    let message = "ascending order with a limit reads the oldest messages: from some length on the current question is \
                   not among them";
    let mut finding = Finding::at(&rule::HEAD_WINDOW, Witness::Code, facts.span(read.at), message);
    finding.confidence = if read.list.is_some() && facts.is_built_in_steps(read.query) {
        Confidence::Low
    } else {
        Confidence::Medium
    };
    finding.label = Some("the first rows, not the last".to_owned());
    if let Some(list) = read
        .list
        .filter(|list| facts.span(*list).start.line != facts.span(read.at).start.line)
    {
        finding.related.push(Related {
            span: facts.span(list),
            message: "the rows become messages here".to_owned(),
        });
    }
    finding.help =
        Some("decision matrix, row `history over budget`: read in descending order, and turn the rows round before they are used".to_owned());
    finding.counterexample = Some(cut(Left::Oldest));
    finding
}
