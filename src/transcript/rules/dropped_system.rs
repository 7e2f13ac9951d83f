//! A cut that loses the leading system message.

use super::{StepRule, Symptom, quote};
use crate::rule::DROPPED_SYSTEM;
use crate::transcript::message::{Kind, Role};
use crate::transcript::step::{Source, Step};

pub(crate) struct DroppedSystem;

impl StepRule for DroppedSystem {
    fn step(&mut self, step: &Step<'_>, symptoms: &mut Vec<Symptom>) {
        if matches!(step.source, Source::Append | Source::Beginning) {
            return;
        }
        let lost = step
            .change
            .removed
            .iter()
            .find(|removed| removed.was_at == 0 && removed.old.kind == Kind::System);
        let Some(lost) = lost else { return };
        let first = step.after.first();
        let replaced = first.is_some_and(|live| live.role == Role::System && live.kind != Kind::Summary);
        let stays = step.after.iter().find(|live| live.is_conversation());
        let (false, Some(stays)) = (replaced, stays) else {
            return;
        };
        let message = format!(
            "the cut loses the system message {}: the model no longer reads its instructions",
            quote(&lost.old)
        );
        let symptom = Symptom::new(&DROPPED_SYSTEM, stays, "the list has no system message now", message);
        symptoms.push(symptom.related(&lost.old, "the system message that was lost"));
    }
}
