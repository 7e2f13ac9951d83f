//! `cut-without-summary`: the history is cut although its summary failed.

use crate::code::counterexample::cut_unsummarized;
use crate::code::facts::{Facts, UncoveredCut};
use crate::finding::{Confidence, Finding, Related, Witness};
use crate::rule;

/// Adds what it finds.
pub(super) fn check(facts: &Facts, findings: &mut Vec<Finding>) {
    findings.extend(facts.uncovered_cuts().iter().map(|one| report(facts, one)));
}

fn report(facts: &Facts, cut: &UncoveredCut) -> Finding {
    let mut finding = Finding::at(
        &rule::CUT_WITHOUT_SUMMARY,
        Witness::Code,
        facts.span(cut.at),
        "the history is cut here even when its summary could not be made or stored",
    );
    finding.label = Some("what is cut is nowhere then".to_owned());
    finding.confidence = Confidence::Medium;
    finding.related.push(Related {
        span: facts.span(cut.summary),
        message: "this may fail, and the function goes on".to_owned(),
    });
    finding.help = Some("cut only when the summary is there, and leave the history as it is otherwise".to_owned());
    finding.counterexample = Some(cut_unsummarized());
    finding
}
