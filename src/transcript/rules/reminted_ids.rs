//! Messages that are kept get new ids.

use std::collections::VecDeque;

use rustc_hash::FxHashMap;

use super::{StepRule, Symptom, count, name};
use crate::rule::REMINTED_IDS;
use crate::transcript::message::Live;
use crate::transcript::step::{Source, Step};

pub(crate) struct RemintedIds;

impl StepRule for RemintedIds {
    fn step(&mut self, step: &Step<'_>, symptoms: &mut Vec<Symptom>) {
        let change = step.change;
        let observed = matches!(step.source, Source::Update | Source::State);
        // A tail that is taken back and said again is another try, not a message that was kept.
        let keeps_a_beginning = change.removed.len() < change.before;
        if !observed || change.inserted.is_empty() || (keeps_a_beginning && change.removes_only_the_tail()) {
            return;
        }
        let mut gone: FxHashMap<u64, VecDeque<&Live>> = FxHashMap::default();
        for removed in &change.removed {
            if removed.old.recorded_id().is_some() && removed.old.is_conversation() {
                gone.entry(removed.old.print).or_default().push_back(&removed.old);
            }
        }
        let mut pairs = Vec::new();
        for &at in &change.inserted {
            let new = &step.after[at];
            if new.recorded_id().is_none() {
                continue;
            }
            if let Some(old) = gone.get_mut(&new.print).and_then(VecDeque::pop_front) {
                pairs.push((old, new));
            }
        }
        let Some(&(old, new)) = pairs.last() else { return };
        if pairs.len() == 1 && !keeps_a_beginning && new.is_authored() {
            return;
        }
        let message = format!(
            "{} under a new id ({} is now {}): whoever merges by id takes {} for another message",
            count(
                pairs.len(),
                "message that stays comes back",
                "messages that stay come back"
            ),
            name(old),
            name(new),
            if pairs.len() == 1 { "it" } else { "each" },
        );
        let symptom = Symptom::new(&REMINTED_IDS, new, "the same message under a new id", message);
        symptoms.push(symptom.related(old, "the message with its old id"));
    }
}
