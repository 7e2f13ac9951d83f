//! The same reminder added again and again.

use rustc_hash::FxHashSet;

use super::{StepRule, Symptom, quote};
use crate::rule::REPEATED_INJECTION;
use crate::transcript::message::{Live, Nature};
use crate::transcript::step::Step;

/// Tells each family of injections once.
#[derive(Default)]
pub(crate) struct RepeatedInjection {
    told: FxHashSet<Box<str>>,
}

impl StepRule for RepeatedInjection {
    fn step(&mut self, step: &Step<'_>, symptoms: &mut Vec<Symptom>) {
        for at in super::arrivals(step) {
            let live = &step.after[at];
            let Some(class) = live.class.as_ref().filter(|class| !self.told.contains(&class.key)) else {
                continue;
            };
            let is_copy = |other: &&Live| other.class.as_ref() == Some(class) && other.content == live.content;
            let copies: Vec<&Live> = step.after[..=at].iter().filter(is_copy).collect();
            // A second notice of the same event may be a second event.
            let enough = if matches!(class.nature, Nature::State { .. }) {
                2
            } else {
                3
            };
            if copies.len() < enough {
                continue;
            }
            self.told.insert(class.key.clone());
            let message = format!(
                "{} stands in the history {} times now, word for word",
                quote(live),
                copies.len()
            );
            let mut symptom = Symptom::new(&REPEATED_INJECTION, live, "one more copy", message);
            for copy in &copies[..copies.len() - 1] {
                symptom = symptom.related(copy, "an earlier copy");
            }
            symptoms.push(symptom);
        }
    }
}
