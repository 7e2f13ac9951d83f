//! A summary that does not stay what it is.

use rustc_hash::FxHashSet;

use super::{StepRule, Symptom, quote};
use crate::rule::UNSTABLE_SUMMARY;
use crate::transcript::event::Chain;
use crate::transcript::message::{Kind, Live, Place};
use crate::transcript::replay::Noted;
use crate::transcript::step::{Scene, Source, Step};

/// Follows the summary of a history, and that of what is sent.
#[derive(Default)]
pub(crate) struct UnstableSummary {
    /// The summary that the last call sent and the history does not hold, with everything else that it sent.
    sent: Option<(Live, FxHashSet<u64>)>,
    told: bool,
}

impl StepRule for UnstableSummary {
    fn step(&mut self, step: &Step<'_>, symptoms: &mut Vec<Symptom>) {
        if !matches!(step.source, Source::Update | Source::State | Source::Input) || self.told {
            return;
        }
        if let Some(symptom) = changed(step) {
            self.told = true;
            symptoms.push(symptom);
        }
    }

    fn note(&mut self, scene: &Scene<'_>, noted: &Noted<'_>, symptoms: &mut Vec<Symptom>) {
        if let Noted::Chain(Chain::OtherSummary { first }) = noted {
            symptoms.push(other(scene, *first));
        }
        let Noted::Prompt(prompted) = noted else { return };
        let stored = |live: &Live| scene.list.iter().any(|other| other.print == live.print);
        let is_copy = |live: &&Live| live.kind == Kind::Summary && !prompted.is_history && !stored(live);
        let Some(summary) = prompted.list.iter().find(is_copy) else {
            self.sent = None;
            return;
        };
        let said: FxHashSet<u64> = (prompted.list.iter())
            .filter(|live| live.is_conversation())
            .map(|live| live.print)
            .collect();
        let before = self.sent.replace((summary.clone(), said));
        let Some((old, said_before)) = before else { return };
        // A summary of more stands for messages that are not sent any more.
        let is_anew =
            old.content != summary.content && self.sent.as_ref().is_some_and(|(_, said)| said_before.is_subset(said));
        if is_anew && !std::mem::replace(&mut self.told, true) {
            let message = format!(
                "the summary {} is written anew for each call and not stored: it was {} in the call before, and stood \
                 for the same messages",
                quote(summary),
                quote(&old),
            );
            let symptom = Symptom::new(
                &UNSTABLE_SUMMARY,
                summary,
                "a summary that is kept on a copy only",
                message,
            );
            symptoms.push(symptom.related(&old, "what it was in the call before"));
        }
    }
}

/// The product of one compaction, twice and not the same.
fn other(scene: &Scene<'_>, first: Place) -> Symptom {
    let message =
        "this compaction stands in the record before, and left something else there: whoever replays it reads \
                   another past than the one the model went on with"
            .to_owned();
    let label = "another product of the same compaction";
    let mut symptom = Symptom::at_spot(&UNSTABLE_SUMMARY, scene.spot, scene.turn, label, label, message);
    symptom.related.push((first, "what it left the first time".to_owned()));
    symptom
}

/// A summary that says something else, or is gone, although no message was cut that it could stand for.
fn changed(step: &Step<'_>) -> Option<Symptom> {
    let change = step.change;
    let is_cut = change.removed.iter().any(|removed| removed.old.is_conversation());
    let goes_back = change.removes_only_the_tail() && change.replaced.is_empty();
    if is_cut || goes_back {
        return None;
    }
    let edited = change.replaced.iter().map(|replaced| (replaced.at, &replaced.old));
    let gone = change.removed.iter().map(|removed| (removed.was_at, &removed.old));
    let (place, old) = edited.chain(gone).find(|(_, old)| old.kind == Kind::Summary)?;
    let places = change.replaced.iter().map(|replaced| replaced.at);
    let mut new = places.chain(change.inserted.iter().copied()).map(|at| &step.after[at]);
    match new.find(|live| live.kind == Kind::Summary) {
        Some(new) if new.content != old.content => {
            let message = format!(
                "the summary {} is written anew as {} although it stands for the same messages",
                quote(old),
                quote(new),
            );
            let symptom = Symptom::new(&UNSTABLE_SUMMARY, new, "the summary, written anew", message);
            Some(symptom.related(old, "what it was"))
        }
        Some(_) => None,
        None => thrown_away(step, place, old),
    }
}

/// A summary that stood at `place` is gone, and what it stood for does not come back.
fn thrown_away(step: &Step<'_>, place: usize, old: &Live) -> Option<Symptom> {
    let stays = |at: &usize| step.change.inserted.binary_search(at).is_err();
    let last = (0..step.after.len()).rev().find(stays)?;
    // What comes back stands before what stayed.
    let comes_back = |at: &usize| *at < last && step.after[*at].is_conversation();
    if step.change.inserted.iter().any(comes_back) {
        return None;
    }
    let message = format!(
        "the summary {} is gone, and the messages that it stood for do not come back: the model has forgotten them",
        quote(old)
    );
    let there = &step.after[place.min(last)];
    let symptom = Symptom::new(&UNSTABLE_SUMMARY, there, "stands where the summary stood", message);
    Some(symptom.related(old, "the summary that is gone"))
}
