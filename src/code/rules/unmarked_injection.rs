//! `unmarked-injection`: text of the program is stored as words of the person.

use rustc_hash::FxHashSet;

use super::matrix;
use crate::code::facts::Facts;
use crate::code::project::ExprRef;
use crate::finding::{Confidence, Finding, Related, Witness};
use crate::rule;

/// Adds what it finds.
pub(super) fn check(facts: &Facts, findings: &mut Vec<Finding>) {
    let mut reported: FxHashSet<ExprRef> = FxHashSet::default();
    let written = facts.unmarked_injections().into_iter().map(|found| {
        (
            found,
            "a text that the program wrote is stored as a message of the person, with nothing that tells it from one",
            "reads as if the person had said it",
        )
    });
    let quoted = facts.unmarked_quotes().into_iter().map(|found| {
        (
            found,
            "a text from elsewhere is stored as it is, with none of the marks that its interface asks for",
            "nothing can tell it apart, replace it or leave it out later",
        )
    });
    for ((at, made), message, label) in written.chain(quoted) {
        if !reported.insert(at) {
            continue;
        }
        let mut finding = Finding::at(&rule::UNMARKED_INJECTION, Witness::Code, facts.span(at), message);
        finding.label = Some(label.to_owned());
        finding.confidence = Confidence::Medium;
        if facts.span(made).start.line != facts.span(at).start.line {
            finding.related.push(Related {
                span: facts.span(made),
                message: "the message".to_owned(),
            });
        }
        finding.help = Some(format!(
            "mark it (a name, a flag in its metadata, a tag around the text), and let whatever looks for the person's \
             words skip what is marked; {}",
            matrix::STATE
        ));
        findings.push(finding);
    }
}
