//! The same reminder added again and again.

use rustc_hash::FxHashMap;

use super::{StepRule, Symptom, quote};
use crate::finding::Severity;
use crate::rule::REPEATED_INJECTION;
use crate::transcript::message::{Class, Live, Nature};
use crate::transcript::step::{Scene, Step};

/// Tells each family of injections once, at the copy that is one too many. What a harness documents is told at the end,
/// with the most copies that stood at once.
#[derive(Default)]
pub(crate) struct RepeatedInjection {
    seen: FxHashMap<Box<str>, Seen>,
}

struct Seen {
    /// The copy that was one too many, and those before it.
    last: Live,
    earlier: Vec<Live>,
    most: usize,
}

impl StepRule for RepeatedInjection {
    fn step(&mut self, step: &Step<'_>, symptoms: &mut Vec<Symptom>) {
        for at in super::arrivals(step) {
            let live = &step.after[at];
            let Some(class) = live.class.as_deref() else { continue };
            let Some(enough) = enough(class) else { continue };
            let is_copy = |other: &&Live| other.class.as_deref() == Some(class) && other.content == live.content;
            let mut copies: Vec<&Live> = step.after[..=at].iter().filter(is_copy).collect();
            if class.nature == Nature::Difference {
                // What changed back is told again; what did not change is not.
                let members = step.after[..=at].iter().rev();
                let members = members.filter(|other| other.class.as_deref() == Some(class));
                let in_a_row = members.take_while(|other| other.content == live.content).count();
                copies.drain(..copies.len() - in_a_row);
            }
            if copies.len() < enough {
                continue;
            }
            if let Some(seen) = self.seen.get_mut(&class.key) {
                seen.most = seen.most.max(copies.len());
                continue;
            }
            let earlier = copies[..copies.len() - 1].iter().map(|copy| (*copy).clone());
            let seen = Seen {
                last: live.clone(),
                earlier: earlier.collect(),
                most: copies.len(),
            };
            if !class.mild {
                symptoms.push(told(&seen, " now"));
            }
            self.seen.insert(class.key.clone(), seen);
        }
    }

    fn end(&mut self, _scene: &Scene<'_>, symptoms: &mut Vec<Symptom>) {
        let is_mild = |seen: &Seen| seen.last.class.as_ref().is_some_and(|class| class.mild);
        let mut seen: Vec<Seen> = std::mem::take(&mut self.seen).into_values().filter(is_mild).collect();
        seen.sort_by_key(|seen| seen.last.place);
        symptoms.extend(seen.iter().map(|seen| told(seen, "").severity(Severity::Info).alone()));
    }
}

/// How many copies are too many; none if each is right.
fn enough(class: &Class) -> Option<usize> {
    match class.nature {
        Nature::State { .. } | Nature::Snapshot | Nature::Difference => Some(2),
        // A second notice of the same event may be a second event.
        Nature::Unclear | Nature::Reminder | Nature::Event { told: false } => Some(3),
        // Warnings have a rule of their own.
        Nature::Event { told: true } | Nature::Warning => None,
    }
}

fn told(seen: &Seen, when: &str) -> Symptom {
    let message = format!(
        "{} stands in the history {} times{when}, word for word",
        quote(&seen.last),
        seen.most
    );
    let mut symptom = Symptom::new(&REPEATED_INJECTION, &seen.last, "one more copy", message);
    for copy in &seen.earlier {
        symptom = symptom.related(copy, "an earlier copy");
    }
    symptom
}
