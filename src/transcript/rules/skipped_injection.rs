//! Several turns before the first injection of what should have been known from the first turn on.

use std::num::NonZeroU32;
use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::{StepRule, Symptom, quote};
use crate::finding::Confidence;
use crate::rule::SKIPPED_INJECTION;
use crate::transcript::markers::Origin;
use crate::transcript::message::Nature;
use crate::transcript::step::{Source, Step};

/// Knows what was injected, and which nodes ran without writing.
pub(crate) struct SkippedInjection {
    /// The first turn in which an injection that starts now was missed rather than new.
    from_turn: u32,
    seen: FxHashSet<Box<str>>,
    /// For each node, how many turns it ran in without writing, and the last of them.
    idle: FxHashMap<Arc<str>, (u32, u32)>,
}

impl SkippedInjection {
    /// Knows nothing yet.
    pub(crate) fn new(from_turn: NonZeroU32) -> Self {
        Self {
            from_turn: from_turn.get(),
            seen: FxHashSet::default(),
            idle: FxHashMap::default(),
        }
    }
}

impl StepRule for SkippedInjection {
    fn step(&mut self, step: &Step<'_>, symptoms: &mut Vec<Symptom>) {
        for at in super::arrivals(step) {
            let live = &step.after[at];
            let Some(class) = &live.class else { continue };
            let is_first = self.seen.insert(class.key.clone());
            let standing = class.nature == Nature::State { standing: true };
            let observed = matches!(step.source, Source::Update | Source::State);
            if !is_first || !standing || !observed || step.turn < self.from_turn {
                continue;
            }
            let skipped = step.turn - 1;
            let ran = step
                .writes
                .iter()
                .find_map(|write| Some((&write.node, self.idle.get(&write.node)?.0)));
            // Where it is known which node injects, it must have had its chances.
            if !step.writes.is_empty() && ran.is_none_or(|(_, turns)| turns + 1 < self.from_turn) {
                continue;
            }
            let message = match ran {
                Some((node, turns)) => format!(
                    "`{node}` injects {} for the first time in turn {}: it ran in {turns} turns before and wrote nothing",
                    quote(live),
                    step.turn,
                ),
                None => format!(
                    "{} is injected for the first time in turn {}: {skipped} turns went without it",
                    quote(live),
                    step.turn
                ),
            };
            let symptom = Symptom::new(&SKIPPED_INJECTION, live, "the first injection", message);
            symptoms.push(if ran.is_some() {
                symptom
            } else {
                symptom.confidence(Confidence::Medium)
            });
        }
        for write in step.writes {
            if write.origin == Origin::Node && write.messages.is_empty() {
                let idle = self.idle.entry(write.node.clone()).or_default();
                if idle.1 != step.turn || idle.0 == 0 {
                    *idle = (idle.0 + 1, step.turn);
                }
            }
        }
    }
}
