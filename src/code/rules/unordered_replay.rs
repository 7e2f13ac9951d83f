//! `unordered-replay`: stored messages are read without an order that is the one in which they were said.

use rustc_hash::FxHashSet;

use crate::code::facts::{Disorder, Facts, Replay};
use crate::code::project::ExprRef;
use crate::finding::{Confidence, Finding, Related, Witness};
use crate::rule;

/// Adds what it finds.
pub(super) fn check(facts: &Facts, findings: &mut Vec<Finding>) {
    let mut reported: FxHashSet<ExprRef> = FxHashSet::default();
    for replay in facts.replays() {
        if reported.insert(replay.because) {
            findings.push(report(facts, &replay));
        }
    }
}

fn report(facts: &Facts, replay: &Replay) -> Finding {
    let (message, label, help) = match replay.disorder {
        Disorder::None => (
            "stored messages are read without an order: the database gives them as it likes",
            "no order is asked for",
            "order by a sequence number, or by the time and a number that grows",
        ),
        Disorder::NewestFirst => (
            "messages are read newest first and nothing turns them round: the model reads the conversation backwards",
            "the newest comes first",
            "turn the list round before it becomes a history, or order it from the oldest on",
        ),
        Disorder::WholeSeconds => (
            "stored messages are ordered by a time of whole seconds: a question and its answer can swap",
            "nothing decides within a second",
            "add a number that grows to the order, such as the row's own",
        ),
        Disorder::SameTime => (
            "messages that are written together get the same time, and that time is all that orders them",
            "one time for all of them",
            "give each a number, or a time that grows with its place in the list",
        ),
        Disorder::Racing => (
            "messages are stored by tasks that do not wait for each other: they are kept in the order in which they finish",
            "stored in any order",
            "store one after the other, or store the place of each message with it",
        ),
    };
    let mut finding = Finding::at(&rule::UNORDERED_REPLAY, Witness::Code, facts.span(replay.at), message);
    finding.label = Some(label.to_owned());
    finding.confidence = match replay.disorder {
        Disorder::SameTime | Disorder::Racing | Disorder::WholeSeconds => Confidence::High,
        Disorder::None | Disorder::NewestFirst
            if replay.at != replay.because && facts.is_built_in_steps(replay.because) =>
        {
            Confidence::Low
        }
        Disorder::None | Disorder::NewestFirst => Confidence::Medium,
    };
    if facts.span(replay.because).start.line != facts.span(replay.at).start.line {
        finding.related.push(Related {
            span: facts.span(replay.because),
            message: "these".to_owned(),
        });
    }
    finding.help = Some(help.to_owned());
    finding
}
