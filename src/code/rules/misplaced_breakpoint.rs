//! `misplaced-breakpoint`: a marker of the provider's cache stands where it keeps nothing.

use rustc_hash::FxHashSet;

use crate::code::facts::{Facts, Misplaced, MisplacedWhy};
use crate::code::project::ExprRef;
use crate::finding::{Confidence, Finding, Related, Witness};
use crate::rule;

/// Adds what it finds.
pub(super) fn check(facts: &Facts, findings: &mut Vec<Finding>) {
    let mut reported: FxHashSet<ExprRef> = FxHashSet::default();
    for misplaced in facts.misplaced_markers() {
        if reported.insert(misplaced.at) {
            findings.push(report(facts, &misplaced));
        }
    }
}

fn report(facts: &Facts, misplaced: &Misplaced) -> Finding {
    let (message, label, because, help) = match misplaced.why {
        MisplacedWhy::Unbounded => (
            "a cache marker is set on every message that matches, however many there are; a provider takes only a few",
            "one for each message",
            "the loop runs over all of them",
            "mark the last message, and at most one or two fixed places before it",
        ),
        MisplacedWhy::BeforeNewest => (
            "the cache marker is set on the model's last message, so the newest turn with its results is never kept",
            "what stands behind it is billed in full",
            "the place is sought here",
            "mark the last message of the list, whoever wrote it",
        ),
        MisplacedWhy::SecondToLast => (
            "the only cache marker is set on the last message but one, and on nothing where there is only one",
            "nothing is marked in the first turn",
            "only the last but one is left",
            "mark the last message as well",
        ),
        MisplacedWhy::Rebuilt => (
            "cache markers are set on messages that are then made anew without them",
            "marked here",
            "made anew here",
            "make the messages for the request first, and mark those",
        ),
        MisplacedWhy::Volatile => (
            "a cache marker is set on a text that differs at every call, so what is kept is never found again",
            "differs each time",
            "because of this",
            "mark the last block that stays the same, and put what changes behind it",
        ),
    };
    let mut finding = Finding::at(
        &rule::MISPLACED_BREAKPOINT,
        Witness::Code,
        facts.span(misplaced.at),
        message,
    );
    finding.label = Some(label.to_owned());
    finding.confidence = match misplaced.why {
        MisplacedWhy::Unbounded | MisplacedWhy::Volatile => Confidence::High,
        _ => Confidence::Medium,
    };
    if facts.span(misplaced.because).start.line != facts.span(misplaced.at).start.line {
        finding.related.push(Related {
            span: facts.span(misplaced.because),
            message: because.to_owned(),
        });
    }
    finding.help = Some(help.to_owned());
    finding
}
