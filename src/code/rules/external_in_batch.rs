//! `external-in-batch`: text of a page, a search or a tool is said in the program's or the person's name.

use crate::code::facts::{ExternalText, Facts, Outside};
use crate::finding::{Confidence, Finding, Related, Witness};
use crate::rule;

/// Adds what it finds.
pub(super) fn check(facts: &Facts, findings: &mut Vec<Finding>) {
    findings.extend(facts.external_texts().iter().map(|one| report(facts, one)));
}

fn report(facts: &Facts, one: &ExternalText) -> Finding {
    let (what, gives) = match one.outside {
        Outside::Page => ("a page", "it is fetched here"),
        Outside::Search => ("hits of a search", "they are found here"),
        Outside::Tool => ("the result of a tool", "the tool is run here"),
        Outside::Result => ("the result of a tool", "it is found here"),
    };
    let name = if one.as_rule {
        "at system level"
    } else {
        "in the person's name"
    };
    let mut finding = Finding::at(
        &rule::EXTERNAL_IN_BATCH,
        Witness::Code,
        facts.span(one.said),
        format!(
            "{what} is said word for word {name}, and nothing marks it as a quotation: whoever wrote it instructs the model"
        ),
    );
    finding.confidence = Confidence::Medium;
    if one.source != one.said {
        finding.related.push(Related {
            span: facts.span(one.source),
            message: gives.to_owned(),
        });
    }
    finding.help = Some(
        "leave it in the result of the tool, or put it between tags that say it is text to read and not instructions"
            .to_owned(),
    );
    finding
}
