//! A compaction of what the record does not hold.

use super::{StepRule, Symptom};
use crate::rule::LOST_TAIL;
use crate::transcript::event::{Chain, CompactionClass};
use crate::transcript::message::{Kind, Live, Place, Role};
use crate::transcript::replay::Noted;
use crate::transcript::safe_text;
use crate::transcript::step::{Scene, Source, Step};

/// Follows the calls that the model waits for.
#[derive(Default)]
pub(crate) struct LostTail {
    /// Calls without a result behind which nothing but results came, each with its message.
    open: Vec<(Box<str>, Live)>,
    /// The compaction that was reported last.
    told: Option<Place>,
}

impl StepRule for LostTail {
    fn note(&mut self, scene: &Scene<'_>, noted: &Noted<'_>, symptoms: &mut Vec<Symptom>) {
        if let Noted::Chain(Chain::NoTail) = noted {
            self.told = Some(scene.spot.start());
            let message = "the message that this compaction names as the last before it is nowhere in the file";
            symptoms.push(self.lost(scene, message));
        }
    }

    fn step(&mut self, step: &Step<'_>, symptoms: &mut Vec<Symptom>) {
        let change = step.change;
        if let Source::Compaction(class) = step.source {
            let stays = |call: &str| {
                step.after
                    .iter()
                    .any(|live| live.calls.iter().any(|own| &**own == call))
            };
            self.open.retain(|(call, _)| !stays(call));
            let is_told = self.told == Some(step.spot.start());
            // The person may compact what was broken off.
            let at_work = matches!(class, CompactionClass::MidTurn | CompactionClass::Unknown);
            if !self.open.is_empty() && at_work && !is_told && step.whole {
                symptoms.push(self.lost(
                    &step.scene(),
                    "the history was compacted before the result was recorded",
                ));
            }
        }
        if change.only_appends() && !matches!(step.source, Source::Compaction(_)) {
            change.inserted.iter().for_each(|&at| self.enter(&step.after[at]));
        } else {
            self.open.clear();
            step.after.iter().for_each(|live| self.enter(live));
        }
    }
}

impl LostTail {
    /// Takes a message behind all others.
    fn enter(&mut self, live: &Live) {
        if live.role == Role::User && live.results.is_empty() || live.kind == Kind::Assistant && live.calls.is_empty() {
            self.open.clear();
        }
        self.open.retain(|(call, _)| !live.results.contains(call));
        let calls = live.calls.iter().map(|call| (call.clone(), live.clone()));
        self.open.extend(calls);
    }

    fn lost(&self, scene: &Scene<'_>, why: &str) -> Symptom {
        let open = self.open.first();
        let call = open.map_or(String::new(), |(call, _)| {
            format!("call `{}` has no result, and ", safe_text::excerpt(call, 40))
        });
        let message = format!("{call}{why}: the record cannot show what the model read when it summed up");
        let label = "what it summed up is not in the record";
        let symptom = Symptom::at_spot(&LOST_TAIL, scene.spot, scene.turn, label, label, message);
        match open {
            Some((_, live)) => symptom.related(live, "a call without its result"),
            None => symptom,
        }
    }
}
