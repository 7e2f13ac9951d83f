//! Two live copies of one injection that say different things.

use rustc_hash::{FxHashMap, FxHashSet};

use super::families::{Families, Recount};
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
    families: Families,
}

impl StepRule for StaleInjection {
    fn step(&mut self, step: &Step<'_>, symptoms: &mut Vec<Symptom>) {
        let mut arrivals = super::arrivals(step).peekable();
        let mut from = step.change.inserted.first().copied().unwrap_or(step.after.len());
        match self.families.follow(step, contradicts) {
            Recount::Nothing => {}
            // Told once, it is told.
            Recount::Family(key) if self.told.contains(&key) => {}
            Recount::Family(key) => {
                self.standing.remove(&key);
                self.differ.remove(&key);
                let members: Vec<usize> = self.families.of(&key).collect();
                for at in members {
                    let arrives = step.change.replaced.iter().any(|replaced| replaced.at == at);
                    self.enter(step, at, arrives, symptoms);
                }
            }
            Recount::Everything => {
                self.standing.clear();
                self.differ.clear();
                self.families.clear();
                from = 0;
            }
        }
        while arrivals.next_if(|at| *at < from).is_some() {}
        for at in from..step.after.len() {
            let arrives = arrivals.next_if_eq(&at).is_some();
            if let Some(class) = step.after[at].class.as_deref().filter(|class| contradicts(class)) {
                self.families.add(class, at);
                self.enter(step, at, arrives, symptoms);
            }
        }
    }
}

impl StaleInjection {
    /// Takes a member of a family behind those that stand before it.
    fn enter(&mut self, step: &Step<'_>, at: usize, arrives: bool, symptoms: &mut Vec<Symptom>) {
        let live = &step.after[at];
        let Some(class) = live.class.as_deref().filter(|class| !self.told.contains(&class.key)) else {
            return;
        };
        let alike = match self.standing.get(&class.key) {
            Some(content) => *content == live.content,
            None => self.standing.insert(class.key.clone(), live.content).is_none(),
        };
        // Where one differed before, those behind it may, too, whatever the first says.
        if alike && !self.differ.contains(&class.key) {
            return;
        }
        self.differ.insert(class.key.clone());
        if arrives
            && !markers::supersedes(&live.head)
            && let Some(symptom) = self.stale(step, class, at)
        {
            self.told.insert(class.key.clone());
            symptoms.push(symptom);
        }
    }

    fn stale(&self, step: &Step<'_>, class: &Class, at: usize) -> Option<Symptom> {
        let live = &step.after[at];
        let is_stale = |other: &&Live| other.class.as_deref() == Some(class) && other.content != live.content;
        let members = self.families.of(&class.key).take_while(|member| *member < at);
        let stale: Vec<&Live> = members.map(|member| &step.after[member]).filter(is_stale).collect();
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
