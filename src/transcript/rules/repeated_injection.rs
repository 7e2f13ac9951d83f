//! The same reminder added again and again.

use rustc_hash::FxHashMap;

use super::families::{Families, Recount};
use super::{StepRule, Symptom, quote};
use crate::finding::Severity;
use crate::rule::REPEATED_INJECTION;
use crate::transcript::message::{Class, Live, Nature, hash_of};
use crate::transcript::step::{Scene, Step};

/// How many earlier copies are kept to be shown.
const SHOWN: usize = 8;

/// Tells each family of injections once, at the copy that is one too many. What a harness documents is told at the end,
/// with the most copies that stood at once.
#[derive(Default)]
pub(crate) struct RepeatedInjection {
    /// The copies of each text that stand, by the hash of its family and content; of a difference, those in a row.
    standing: FxHashMap<u64, Copies>,
    /// The content that a family of differences has told last.
    last: FxHashMap<Box<str>, u64>,
    seen: FxHashMap<Box<str>, Seen>,
    families: Families,
}

#[derive(Default)]
struct Copies {
    number: usize,
    /// The first of them.
    first: Vec<Live>,
}

struct Seen {
    /// The copy that was one too many, and those before it.
    last: Live,
    earlier: Vec<Live>,
    most: usize,
}

impl StepRule for RepeatedInjection {
    fn step(&mut self, step: &Step<'_>, symptoms: &mut Vec<Symptom>) {
        let mut arrivals = super::arrivals(step).peekable();
        let mut from = step.change.inserted.first().copied().unwrap_or(step.after.len());
        match self.families.follow(step, counts) {
            Recount::Nothing => {}
            Recount::Family(key) => {
                self.last.remove(&key);
                let members: Vec<usize> = self.families.of(&key).collect();
                let stand = members.iter().map(|&at| &step.after[at]);
                let stood = step.change.replaced.iter().map(|replaced| &replaced.old);
                for live in stand.chain(stood) {
                    self.standing.remove(&hash_of((&key, live.content)));
                }
                for at in members {
                    let arrives = step.change.replaced.iter().any(|replaced| replaced.at == at);
                    self.enter(&step.after[at], arrives, symptoms);
                }
            }
            Recount::Everything => {
                self.standing.clear();
                self.last.clear();
                self.families.clear();
                from = 0;
            }
        }
        while arrivals.next_if(|at| *at < from).is_some() {}
        for at in from..step.after.len() {
            let arrives = arrivals.next_if_eq(&at).is_some();
            if let Some(class) = step.after[at].class.as_deref().filter(|class| counts(class)) {
                self.families.add(class, at);
                self.enter(&step.after[at], arrives, symptoms);
            }
        }
    }

    fn end(&mut self, _scene: &Scene<'_>, symptoms: &mut Vec<Symptom>) {
        let is_mild = |seen: &Seen| seen.last.class.as_ref().is_some_and(|class| class.mild);
        let mut seen: Vec<Seen> = std::mem::take(&mut self.seen).into_values().filter(is_mild).collect();
        seen.sort_by_key(|seen| seen.last.place);
        symptoms.extend(seen.iter().map(|seen| told(seen, "").severity(Severity::Info).alone()));
    }
}

impl RepeatedInjection {
    /// Counts a message behind those that were counted.
    fn enter(&mut self, live: &Live, arrives: bool, symptoms: &mut Vec<Symptom>) {
        let Some(class) = live.class.as_deref() else { return };
        let Some(enough) = enough(class) else { return };
        let key = hash_of((&class.key, live.content));
        // What changed back is told again; what did not change is not.
        if class.nature == Nature::Difference && self.last.insert(class.key.clone(), live.content) != Some(live.content)
        {
            self.standing.remove(&key);
        }
        let copies = self.standing.entry(key).or_default();
        copies.number += 1;
        if arrives && copies.number >= enough {
            if let Some(seen) = self.seen.get_mut(&class.key) {
                seen.most = seen.most.max(copies.number);
            } else {
                let seen = Seen {
                    last: live.clone(),
                    earlier: copies.first.clone(),
                    most: copies.number,
                };
                if !class.mild {
                    symptoms.push(told(&seen, " now"));
                }
                self.seen.insert(class.key.clone(), seen);
            }
        }
        if copies.first.len() < SHOWN {
            copies.first.push(live.clone());
        }
    }
}

/// Whether copies of a family can be too many.
fn counts(class: &Class) -> bool {
    enough(class).is_some()
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
