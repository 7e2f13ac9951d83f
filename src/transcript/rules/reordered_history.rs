//! Two messages that stay have swapped order, or an old message comes back under another id.

use super::{StepRule, Symptom, count, name, quote};
use crate::finding::{Confidence, Severity};
use crate::rule::REORDERED_HISTORY;
use crate::transcript::change::Moved;
use crate::transcript::event::Chain;
use crate::transcript::markers::Origin;
use crate::transcript::message::Kind;
use crate::transcript::replay::Noted;
use crate::transcript::step::{Scene, Source, Step};

pub(crate) struct ReorderedHistory;

impl StepRule for ReorderedHistory {
    fn step(&mut self, step: &Step<'_>, symptoms: &mut Vec<Symptom>) {
        // A compaction puts context before the question it keeps; whether the question is still the newest,
        // `displaced-question` sees.
        if matches!(step.source, Source::Append | Source::Beginning | Source::Compaction(_)) {
            return;
        }
        symptoms.extend(moved(step).or_else(|| comes_back(step)));
    }

    fn note(&mut self, scene: &Scene<'_>, noted: &Noted<'_>, symptoms: &mut Vec<Symptom>) {
        if let Noted::Chain(fault) = *noted {
            symptoms.extend(linked(scene, fault));
        }
    }
}

/// Links that make another order than the one in which the messages were written.
fn linked(scene: &Scene<'_>, fault: Chain) -> Option<Symptom> {
    let (label, message, other) = match fault {
        Chain::Again { first, hides } => {
            let message = format!(
                "this answer is written once more, and the copy has no parent: whoever goes back from the end of the \
                 conversation begins with it and does not read the {} before it",
                count(hides, "message", "messages"),
            );
            (
                "an answer to nothing",
                message,
                (first, "the same answer, with its parent"),
            )
        }
        Chain::Inverted { parent, times } => {
            let more = match times {
                1 => String::new(),
                times => format!(", as {} more in this history do", times - 1),
            };
            let message = format!(
                "this message goes back to one that was written after it{more}: the model reads it behind what came \
                 later"
            );
            (
                "read behind what came later",
                message,
                (parent, "written later, and read first"),
            )
        }
        Chain::LastFirst { asked } => (
            "asked last, and read first",
            "the question that was asked last stands first, where the first one stood: whoever learns from this record \
             reads the answer to another question behind it"
                .to_owned(),
            (asked, "where it was asked"),
        ),
        _ => return None,
    };
    let symptom = Symptom::at_spot(&REORDERED_HISTORY, scene.spot, scene.turn, label, label, message);
    let mut symptom = symptom.severity(Severity::Warn);
    if matches!(fault, Chain::LastFirst { .. }) {
        // A person may have asked the same twice.
        symptom = symptom.confidence(Confidence::Medium);
    }
    symptom.related.push((other.0, other.1.to_owned()));
    Some(symptom)
}

fn moved(step: &Step<'_>) -> Option<Symptom> {
    let strays = |moved: &&Moved| step.after[moved.at].is_conversation() && !stays_with_its_call(step, moved.at);
    let moved = step.change.moved.iter().rfind(strays)?;
    let live = &step.after[moved.at];
    let neighbour = step.after[..moved.at].iter().rev().find(|live| live.is_conversation());
    let behind = neighbour.map_or("the head of the list".to_owned(), |live| quote(live));
    let message = format!(
        "{} stood at place {} and stands behind {behind} now",
        quote(live),
        moved.was_at + 1
    );
    Some(Symptom::new(
        &REORDERED_HISTORY,
        live,
        "stood elsewhere before",
        message,
    ))
}

/// Whether a tool result is still among the results of the message that called for it.
fn stays_with_its_call(step: &Step<'_>, at: usize) -> bool {
    let live = &step.after[at];
    let caller = step.after[..at].iter().rev().find(|live| live.kind != Kind::ToolResult);
    live.kind == Kind::ToolResult
        && caller.is_some_and(|caller| live.results.iter().all(|key| caller.calls.contains(key)))
}

/// An old question that a node emits once more while the first copy stands.
fn comes_back(step: &Step<'_>) -> Option<Symptom> {
    let from_node = step.writes.iter().any(|write| write.origin == Origin::Node);
    let is_current = |at: usize| step.question.is_none_or(|question| question.is(&step.after[at]));
    let emitted = step
        .change
        .inserted
        .iter()
        .copied()
        .filter(|&at| step.after[at].is_authored() && !is_current(at));
    let again = emitted.filter(|_| from_node && !step.asks).find_map(|at| {
        let first = step.outline.first_asked(step.after[at].content)?;
        (first < at).then(|| (&step.after[first], &step.after[at]))
    });
    let (first, again) = again?;
    let message = format!(
        "{} comes back as {} while {} still stands: the model reads an old message as the newest",
        quote(first),
        name(again),
        name(first),
    );
    let symptom = Symptom::new(&REORDERED_HISTORY, again, "an old message, once more", message);
    Some(symptom.related(first, "the first copy"))
}
