//! `duplicate-message`: one message stands twice in what the model reads.

use crate::code::counterexample::{all_again, question_again};
use crate::code::facts::{Duplicate, DuplicateKind, Facts};
use crate::finding::{Finding, Related, Witness};
use crate::rule;

/// Adds what it finds.
pub(super) fn check(facts: &Facts, findings: &mut Vec<Finding>) {
    findings.extend(facts.duplicates().iter().map(|duplicate| report(facts, duplicate)));
}

fn report(facts: &Facts, duplicate: &Duplicate) -> Finding {
    let (message, first, help) = texts(duplicate.kind);
    let mut finding = Finding::at(
        &rule::DUPLICATE_MESSAGE,
        Witness::Code,
        facts.span(duplicate.at),
        message,
    );
    finding.confidence = duplicate.confidence;
    finding.label = Some("the second copy".to_owned());
    finding.related.push(Related {
        span: facts.span(duplicate.first),
        message: first.to_owned(),
    });
    finding.help = Some(format!("decision matrix, row `event`: {help}"));
    finding.counterexample = Some(match duplicate.kind {
        DuplicateKind::Beside | DuplicateKind::Twice | DuplicateKind::Recalled => question_again(),
        DuplicateKind::AsText | DuplicateKind::Whole | DuplicateKind::Resumed => all_again(),
    });
    finding
}

/// What is reported, what stands at the first copy, and how to mend it.
fn texts(kind: DuplicateKind) -> (&'static str, &'static str, &'static str) {
    match kind {
        DuplicateKind::Beside => (
            "the newest message is asked beside the list that holds it: the model reads it twice",
            "the newest message is in the list",
            "pass the list without its last message, or the list alone",
        ),
        DuplicateKind::AsText => (
            "the history is sent as messages and as text of the same call: the model reads it twice",
            "the history becomes text here",
            "send the history once, as messages or as text",
        ),
        DuplicateKind::Twice => (
            "a message is put in a list that holds it already: the model reads it twice",
            "put in here first",
            "write a message once, where it arises",
        ),
        DuplicateKind::Recalled => (
            "what was just stored is looked up by itself: the model reads the question and finds it once more as a memory",
            "it is stored here",
            "look up first, and store what was asked behind that",
        ),
        DuplicateKind::Whole => (
            "messages that the history holds already are added to it again: all of them stand there twice",
            "these are in it already",
            "pass on only what is new",
        ),
        DuplicateKind::Resumed => (
            "all messages are sent although the call continues from an answer that the provider keeps: it reads the \
             earlier ones twice",
            "the call continues from here",
            "send what came after that answer, or everything and no earlier answer",
        ),
    }
}
