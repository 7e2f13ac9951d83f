//! A history that is compacted again before anything came of it.

use super::{StepRule, Symptom};
use crate::rule::COMPACTION_LOOP;
use crate::transcript::event::CompactionClass;
use crate::transcript::message::{Kind, Place};
use crate::transcript::replay::Noted;
use crate::transcript::step::{Scene, Source, Step};

/// How many compactions of one turn in a row, with hardly anything between them, are a loop.
const IN_A_ROW: u32 = 3;

/// Counts what comes between compactions.
#[derive(Default)]
pub(crate) struct CompactionLoop {
    /// Where the last one stands, and in which turn.
    last: Option<(Place, u32)>,
    /// What the model said since, and how many results it got.
    said: u32,
    results: u32,
    /// How many in a row had hardly anything between them.
    row: u32,
}

impl StepRule for CompactionLoop {
    fn step(&mut self, step: &Step<'_>, _symptoms: &mut Vec<Symptom>) {
        if matches!(step.source, Source::Compaction(_) | Source::Beginning) {
            return;
        }
        for &at in &step.change.inserted {
            match step.after[at].kind {
                Kind::Assistant | Kind::Reasoning | Kind::ToolCall => self.said += 1,
                Kind::ToolResult => self.results += 1,
                _ => {}
            }
        }
    }

    fn note(&mut self, scene: &Scene<'_>, noted: &Noted<'_>, symptoms: &mut Vec<Symptom>) {
        let Noted::Compaction { class, .. } = *noted else {
            return;
        };
        if class == CompactionClass::Micro {
            return;
        }
        let here = (scene.spot.start(), scene.turn);
        let last = self.last.replace(here);
        let (said, results) = (std::mem::take(&mut self.said), std::mem::take(&mut self.results));
        let Some((place, turn)) = last else { return };
        // The person may compact as often as they like.
        let asked_for = class == CompactionClass::Manual;
        self.row = if turn == scene.turn && results <= 1 && !asked_for {
            self.row + 1
        } else {
            0
        };
        let message = if said == 0 && results == 0 && !asked_for {
            "the history is compacted again before the model was called: what the summary stands for is summed up twice"
                .to_owned()
        } else if self.row + 1 == IN_A_ROW {
            "the history is compacted for the third time in this turn, with at most one tool result between two: what \
             stays after a compaction nearly fills the window"
                .to_owned()
        } else {
            return;
        };
        let label = "compacted again";
        let mut symptom = Symptom::at_spot(&COMPACTION_LOOP, scene.spot, scene.turn, label, label, message);
        symptom.related.push((place, "the compaction before it".to_owned()));
        symptoms.push(symptom);
    }
}
