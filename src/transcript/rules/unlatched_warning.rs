//! A warning about a limit that comes again at every call past it.

use rustc_hash::FxHashSet;

use super::{StepRule, Symptom, quote};
use crate::rule::UNLATCHED_WARNING;
use crate::transcript::message::{Class, Kind, Live, Nature};
use crate::transcript::step::Step;

/// At how many calls in a row a warning stands: two limits may be passed one behind the other.
const CALLS: usize = 3;

/// How many messages back the one before is looked for.
const FAR: usize = 200;

/// Tells each family of warnings once.
#[derive(Default)]
pub(crate) struct UnlatchedWarning {
    told: FxHashSet<Box<str>>,
}

impl StepRule for UnlatchedWarning {
    fn step(&mut self, step: &Step<'_>, symptoms: &mut Vec<Symptom>) {
        for at in super::arrivals(step) {
            let live = &step.after[at];
            let warns = |class: &&Class| class.nature == Nature::Warning;
            let Some(class) = live.class.as_deref().filter(warns) else {
                continue;
            };
            if self.told.contains(&class.key) {
                continue;
            }
            let row = in_a_row(&step.after[..=at], class);
            if row.len() < CALLS {
                continue;
            }
            self.told.insert(class.key.clone());
            let message = format!(
                "{} was written before each of the last {} calls: a limit that is passed once is told at every call",
                quote(live),
                row.len()
            );
            let mut symptom = Symptom::new(&UNLATCHED_WARNING, live, "the warning again", message);
            for earlier in &row[1..] {
                symptom = symptom.related(earlier, "the same warning, one call before");
            }
            symptoms.push(symptom);
        }
    }
}

/// The warnings of a family at the end of a list with exactly one call between any two, the newest first.
fn in_a_row<'l>(list: &'l [Live], class: &Class) -> Vec<&'l Live> {
    let mut row: Vec<&Live> = Vec::new();
    // How many times the model spoke since, and whether it is speaking.
    let (mut calls, mut speaks, mut far) = (0, false, 0);
    for live in list.iter().rev() {
        far += 1;
        match live.kind {
            _ if far > FAR => break,
            Kind::Summary => break,
            Kind::Assistant | Kind::ToolCall | Kind::Reasoning => {
                calls += usize::from(!speaks);
                speaks = true;
                if calls > 1 {
                    break;
                }
            }
            _ if live.class.as_deref() == Some(class) && (row.is_empty() || calls == 1) => {
                row.push(live);
                (calls, speaks, far) = (0, false, 0);
            }
            _ => speaks = false,
        }
    }
    row
}
