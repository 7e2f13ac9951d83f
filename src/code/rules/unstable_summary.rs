//! `unstable-summary`: a summary is written for one call and thrown away.

use crate::code::facts::{Facts, LostSummary};
use crate::finding::{Confidence, Finding, Related, Witness};
use crate::rule;

/// Adds what it finds.
pub(super) fn check(facts: &Facts, findings: &mut Vec<Finding>) {
    findings.extend(facts.lost_summaries().iter().map(|one| report(facts, one)));
}

fn report(facts: &Facts, lost: &LostSummary) -> Finding {
    let mut finding = Finding::at(
        &rule::UNSTABLE_SUMMARY,
        Witness::Code,
        facts.span(lost.at),
        "a summary is put in a list that is sent and thrown away: the next call has it written again, in other words",
    );
    finding.confidence = Confidence::Medium;
    finding.related.push(Related {
        span: facts.span(lost.summary),
        message: "the summary is written here".to_owned(),
    });
    finding.help =
        Some("store the summary in the place of what it stands for, or keep it by what it was made of".to_owned());
    finding
}
