//! A snapshot of current state, written into the durable history.

use rustc_hash::FxHashMap;

use super::{StepRule, Symptom, quote};
use crate::rule::PERSISTED_STATE;
use crate::transcript::markers;
use crate::transcript::message::{Live, Nature};
use crate::transcript::step::Step;

/// Tells each family of injections in the first two turns in which it is written: that it is stored, and
/// that it is stored again.
#[derive(Default)]
pub(crate) struct PersistedState {
    /// The turns in which a family was told.
    told: FxHashMap<Box<str>, Vec<u32>>,
}

impl StepRule for PersistedState {
    fn step(&mut self, step: &Step<'_>, symptoms: &mut Vec<Symptom>) {
        let mut snapshots: Vec<(&Live, bool)> = Vec::new();
        for at in super::arrivals(step) {
            let live = &step.after[at];
            let Some(class) = &live.class else { continue };
            let stands = matches!(class.nature, Nature::State { .. } | Nature::Snapshot);
            if !stands || class.mild || markers::supersedes(&live.head) {
                continue;
            }
            let turns = self.told.entry(class.key.clone()).or_default();
            if turns.len() < 2 && !turns.contains(&live.turn) {
                snapshots.push((live, !turns.is_empty()));
                turns.push(live.turn);
            }
        }
        let Some(&(first, again)) = snapshots.first() else {
            return;
        };
        let again = if again { "once more " } else { "" };
        let message = format!(
            "{} says how things stand now and is written {again}into the history, where it stays when it is no longer true",
            quote(first),
        );
        let mut symptom = Symptom::new(&PERSISTED_STATE, first, "current state in the durable history", message);
        for (other, _) in &snapshots[1..] {
            symptom = symptom.related(other, "so is this");
        }
        symptoms.push(symptom);
    }
}
