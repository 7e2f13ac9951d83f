//! A message takes the id of another, whose content is emitted again under a derived or new id.

use rustc_hash::FxHashMap;

use super::{StepRule, Symptom, name, quote};
use crate::finding::{Confidence, Severity};
use crate::rule::ID_SWAP;
use crate::transcript::change::Replaced;
use crate::transcript::derived_from;
use crate::transcript::message::{Live, Role, hash_of};
use crate::transcript::step::{Source, Step, Written};

/// Sees swaps as they happen, and their traces in a list.
#[derive(Default)]
pub(crate) struct IdSwap {
    /// Where each id of a list stands, by its hash.
    places: FxHashMap<u64, usize>,
}

impl StepRule for IdSwap {
    fn step(&mut self, step: &Step<'_>, symptoms: &mut Vec<Symptom>) {
        if matches!(step.source, Source::Append | Source::Beginning) {
            symptoms.extend(step.change.inserted.iter().filter_map(|&at| self.trace(step, at)));
            return;
        }
        if matches!(step.source, Source::Compaction(_)) {
            // What is added from here on stands behind what was left.
            let ids = step.after.iter().enumerate();
            let ids = ids.filter_map(|(at, live)| Some((hash_of(live.recorded_id()?), at)));
            self.places = ids.collect();
        }
        // The first message that came with each content.
        let mut came: FxHashMap<(Role, u64), usize> = FxHashMap::default();
        for &at in step.change.inserted.iter().filter(|_| !step.change.replaced.is_empty()) {
            came.entry((step.after[at].role, step.after[at].content)).or_insert(at);
        }
        let swaps: Vec<Symptom> = step
            .change
            .replaced
            .iter()
            .filter_map(|replaced| swap(step, &came, replaced))
            .collect();
        if swaps.is_empty() && !step.whole {
            symptoms.extend(step.writes.iter().find_map(swap_of_unknown));
        }
        symptoms.extend(swaps);
    }
}

/// A message that was replaced while its content came back somewhere else.
fn swap(step: &Step<'_>, came: &FxHashMap<(Role, u64), usize>, replaced: &Replaced) -> Option<Symptom> {
    let taker = &step.after[replaced.at];
    let is_question = replaced.old.role == Role::User && !replaced.old.is_injected();
    let comes_back = came.get(&(replaced.old.role, replaced.old.content));
    let at = *comes_back.filter(|_| is_question)?;
    // Where the target was the last element, the new id lands where the old one stood.
    if replaced.was_at + 1 == step.change.before {
        return None;
    }
    let between = step.after.get(replaced.at + 1..at)?;
    let passed = step.outline.authored_before(at).filter(|passed| *passed > replaced.at);
    let passed = passed.map(|passed| &step.after[passed]);
    let passed = passed.or_else(|| between.iter().rev().find(|live| live.is_conversation()))?;
    let again = &step.after[at];
    let message = format!(
        "{} takes the id {} of {}, whose text comes back as {} behind {}: the model reads an old message as the newest",
        quote(taker),
        name(taker),
        quote(&replaced.old),
        name(again),
        quote(passed),
    );
    let symptom = Symptom::new(
        &ID_SWAP,
        again,
        "an old message, moved to the tail by its new id",
        message,
    )
    .related(&replaced.old, "where the message stood")
    .related(taker, "the message that took its id");
    Some(symptom)
}

/// The pattern in an update of which the target's place is not known.
fn swap_of_unknown(write: &Written) -> Option<Symptom> {
    let messages = &write.messages;
    let again = messages
        .iter()
        .rposition(|message| message.live.is_authored() && message.was_at.is_none())?;
    let id = messages[again].live.recorded_id()?;
    let position = |base: &str| {
        messages[..again]
            .iter()
            .position(|message| message.live.recorded_id() == Some(base))
    };
    let taker = &messages[derived_from(id, position)?];
    if taker.live.is_authored() || taker.was_at.is_some() {
        return None;
    }
    let message = format!(
        "{} takes the id {} and {} comes back as {}: if that id was not the last of the list, the model reads an old \
         message as the newest",
        quote(&taker.live),
        name(&taker.live),
        quote(&messages[again].live),
        name(&messages[again].live),
    );
    let symptom = Symptom::new(&ID_SWAP, &messages[again].live, "goes to the tail of the list", message)
        .severity(Severity::Warn)
        .confidence(Confidence::Medium)
        .related(&taker.live, "the message that took its id");
    Some(symptom)
}

impl IdSwap {
    /// A derived id that stands behind a later question than the message it was derived from.
    fn trace(&mut self, step: &Step<'_>, at: usize) -> Option<Symptom> {
        let again = &step.after[at];
        let id = again.recorded_id()?;
        self.places.insert(hash_of(id), at);
        if !again.is_authored() {
            return None;
        }
        let base = derived_from(id, |base| self.places.get(&hash_of(base)).copied()).filter(|base| *base < at)?;
        let taker: &Live = &step.after[base];
        if taker.is_authored() {
            return None;
        }
        let passed = step.outline.authored_before(at).filter(|passed| *passed > base)?;
        let passed = &step.after[passed];
        let message = format!(
            "{} has the id {}, and the text that was its own stands as {} behind {}: the model reads an old message as \
             the newest",
            quote(taker),
            name(taker),
            name(again),
            quote(passed),
        );
        let symptom = Symptom::new(
            &ID_SWAP,
            again,
            "an old message, moved to the tail by its new id",
            message,
        )
        .related(taker, "the message that took its id");
        Some(symptom)
    }
}
