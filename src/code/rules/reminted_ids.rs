//! `reminted-ids`: messages that are kept come back under new ids.

use crate::code::counterexample::again_under_new_ids;
use crate::code::facts::{Facts, RemintKind, Reminted};
use crate::finding::{Finding, Related, Witness};
use crate::rule;

/// Adds what it finds.
pub(super) fn check(facts: &Facts, findings: &mut Vec<Finding>) {
    findings.extend(facts.reminted_ids().iter().map(|one| report(facts, one)));
}

fn report(facts: &Facts, reminted: &Reminted) -> Finding {
    let (message, help) = match reminted.kind {
        RemintKind::Fresh => (
            "a message that is rebuilt from what is kept gets a new random id each time",
            "keep the id of what it is made of, or derive one from that",
        ),
        RemintKind::Positional => (
            "a message without an id is named after its place in the list that was given: another stretch of the same \
             history gives the same name again",
            "count from the start of the whole history, and look whether a message has the id already",
        ),
        RemintKind::ByCall => (
            "an item that is sent back is named after its call: the provider gave the item an id of its own",
            "keep both ids of what the provider sent, and send them back as they were",
        ),
        RemintKind::Rewrapped => (
            "what is kept of the history becomes messages again, each under a new random id: whoever knew them by their \
             ids takes all of them for new",
            "shorten the list of messages, not that of their contents, so that those that stay keep their ids",
        ),
        RemintKind::Unwrapped => (
            "contents that were taken out of the messages of this history are put back into it, each under a new random \
             id: whoever knew them by their ids takes all of them for new",
            "hand on the messages themselves where the history is masked or shortened, and give ids only to what never had \
             one",
        ),
    };
    let mut finding = Finding::at(&rule::REMINTED_IDS, Witness::Code, facts.span(reminted.at), message);
    finding.confidence = reminted.confidence;
    if let Some(of) = reminted.of {
        finding.related.push(Related {
            span: facts.span(of),
            message: related(reminted.kind).to_owned(),
        });
    }
    finding.help = Some(help.to_owned());
    if !matches!(reminted.kind, RemintKind::Positional | RemintKind::ByCall) {
        finding.counterexample = Some(again_under_new_ids());
    }
    finding
}

fn related(kind: RemintKind) -> &'static str {
    match kind {
        RemintKind::Rewrapped => "this is what is kept",
        RemintKind::Unwrapped => "the content is taken out of its message here, and the id is left behind",
        _ => "this has an id",
    }
}
