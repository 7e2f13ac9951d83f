//! A message put before others in a list that an id-merging reducer appends.

use std::sync::Arc;

use rustc_hash::FxHashSet;

use super::{StepRule, Symptom, quote};
use crate::rule::IGNORED_INSERT;
use crate::transcript::markers::Origin;
use crate::transcript::step::{Step, Written};

/// Tells each node once.
#[derive(Default)]
pub(crate) struct IgnoredInsert {
    told: FxHashSet<Arc<str>>,
}

impl StepRule for IgnoredInsert {
    fn step(&mut self, step: &Step<'_>, symptoms: &mut Vec<Symptom>) {
        let from_nodes = step
            .writes
            .iter()
            .filter(|write| write.origin == Origin::Node && !write.resets);
        for write in from_nodes {
            if self.told.contains(&write.node) {
                continue;
            }
            if let Some(symptom) = insert(step, write) {
                self.told.insert(write.node.clone());
                symptoms.push(symptom);
            }
        }
    }
}

fn insert(step: &Step<'_>, write: &Written) -> Option<Symptom> {
    let new = write.messages.iter().position(|message| message.was_at.is_none())?;
    let known = write.messages[new..].iter().find(|message| message.was_at.is_some())?;
    let place = |print: u64, id: Option<&str>| {
        step.after
            .iter()
            .rposition(|live| live.print == print && (id.is_none() || live.recorded_id() == id))
    };
    let inserted = &write.messages[new].live;
    let landed = place(inserted.print, inserted.recorded_id())?;
    let stands = place(known.live.print, known.live.recorded_id())?;
    if landed < stands {
        return None;
    }
    let message = format!(
        "`{}` returns {} in front of {}, but the reducer appends what is new: it lands behind it, at place {} of {}",
        write.node,
        quote(inserted),
        quote(&known.live),
        landed + 1,
        step.after.len(),
    );
    let symptom = Symptom::new(
        &IGNORED_INSERT,
        &step.after[landed],
        "landed behind what it was put in front of",
        message,
    );
    Some(symptom.related(&known.live, "what it was put in front of"))
}
