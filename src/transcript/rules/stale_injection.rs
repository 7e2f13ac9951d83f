//! Two live copies of one injection that say different things.

use rustc_hash::{FxHashMap, FxHashSet};

use super::{StepRule, Symptom, count, quote};
use crate::finding::{Confidence, Severity};
use crate::rule::STALE_INJECTION;
use crate::transcript::markers;
use crate::transcript::message::{Class, Live, Nature};
use crate::transcript::step::Step;

/// Tells each family of injections once.
#[derive(Default)]
pub(crate) struct StaleInjection {
    /// What the first member that stands of each family says.
    standing: FxHashMap<Box<str>, u64>,
    /// Families of which members that stand say different things.
    differ: FxHashSet<Box<str>>,
    told: FxHashSet<Box<str>>,
}

impl StepRule for StaleInjection {
    fn step(&mut self, step: &Step<'_>, symptoms: &mut Vec<Symptom>) {
        let mut arrivals = super::arrivals(step).peekable();
        let mut from = arrivals.peek().copied().unwrap_or(step.after.len());
        if !step.change.only_appends() {
            self.standing.clear();
            self.differ.clear();
            from = 0;
        }
        for at in from..step.after.len() {
            let arrives = arrivals.next_if_eq(&at).is_some();
            let live = &step.after[at];
            let Some(class) = live.class.as_ref().filter(|class| contradicts(class)) else {
                continue;
            };
            if self.told.contains(&class.key) {
                continue;
            }
            let alike = match self.standing.get(&class.key) {
                Some(content) => *content == live.content,
                None => self.standing.insert(class.key.clone(), live.content).is_none(),
            };
            // Where one differed before, those behind it may, too, whatever the first says.
            if alike && !self.differ.contains(&class.key) {
                continue;
            }
            self.differ.insert(class.key.clone());
            if arrives
                && !markers::supersedes(&live.head)
                && let Some(symptom) = stale(step, class, at)
            {
                self.told.insert(class.key.clone());
                symptoms.push(symptom);
            }
        }
    }
}

/// Whether two members of a family cannot both be true. What happened stays true.
fn contradicts(class: &Class) -> bool {
    match class.nature {
        Nature::State { .. } | Nature::Snapshot => true,
        Nature::Difference | Nature::Reminder | Nature::Warning | Nature::Event { .. } => false,
        // What only begins alike may be about different things.
        Nature::Unclear => !class.mild && !class.key.starts_with("text "),
    }
}

fn stale(step: &Step<'_>, class: &Class, at: usize) -> Option<Symptom> {
    let live = &step.after[at];
    let is_stale = |other: &&Live| other.class.as_deref() == Some(class) && other.content != live.content;
    let stale: Vec<&Live> = step.after[..at].iter().filter(is_stale).collect();
    let older = *stale.last()?;
    let message = format!(
        "{} stands in the history while {} of it still {}, such as {}: the model cannot tell which holds now",
        quote(live),
        count(stale.len(), "older version", "older versions"),
        if stale.len() == 1 { "stands" } else { "stand" },
        quote(older),
    );
    let mut symptom = Symptom::new(&STALE_INJECTION, live, "the newest version", message);
    if class.nature == Nature::Unclear {
        symptom = symptom.confidence(Confidence::Medium);
    }
    if class.mild {
        symptom = symptom.severity(Severity::Warn);
    }
    for older in stale.iter().rev().take(5) {
        symptom = symptom.related(older, "an older version that still stands");
    }
    Some(symptom)
}
