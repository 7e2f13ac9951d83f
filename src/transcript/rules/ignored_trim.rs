//! A shorter or reordered list returned to an id-merging reducer.

use std::sync::Arc;

use rustc_hash::FxHashSet;

use super::{StepRule, Symptom, count};
use crate::rule::IGNORED_TRIM;
use crate::transcript::markers::Origin;
use crate::transcript::step::{Step, Written};

/// Tells each node once.
#[derive(Default)]
pub(crate) struct IgnoredTrim {
    told: FxHashSet<Arc<str>>,
}

impl StepRule for IgnoredTrim {
    fn step(&mut self, step: &Step<'_>, symptoms: &mut Vec<Symptom>) {
        let from_nodes = step
            .writes
            .iter()
            .filter(|write| write.origin == Origin::Node && !write.resets && !write.removes);
        for write in from_nodes {
            if let Some(symptom) = trim(step, write).filter(|_| self.told.insert(write.node.clone())) {
                symptoms.push(symptom);
            }
        }
    }
}

/// A list that ends like the history, in which nothing is new behind what is known, and which leaves
/// something out or has another order; and nothing of that happened.
fn trim(step: &Step<'_>, write: &Written) -> Option<Symptom> {
    let before = step.change.before;
    let kept: Vec<usize> = write.messages.iter().filter_map(|message| message.was_at).collect();
    let unchanged = write
        .messages
        .iter()
        .all(|message| message.was_at.is_none() || message.unchanged);
    let ends_known = write.messages.last().is_some_and(|message| message.was_at.is_some());
    let untouched = step.change.removed.is_empty() && step.change.moved.is_empty();
    if kept.len() < 2 || !unchanged || !ends_known || !untouched {
        return None;
    }
    let in_order = kept.is_sorted();
    let shortens = in_order && kept.len() < before && kept.contains(&before.checked_sub(1)?);
    if !shortens && (in_order || kept.len() < before || !step.whole) {
        return None;
    }
    let what = if shortens {
        let left_out = count(before - kept.len(), "message", "messages");
        format!(
            "only {} of {before} messages, but the reducer removes nothing: the {left_out} left out still stand",
            kept.len()
        )
    } else {
        "the messages in another order, but the reducer moves nothing: they stand as before".to_owned()
    };
    let message = format!("`{}` returns {what}", write.node);
    let last = step.after.get(before - 1)?;
    let symptom = Symptom::new(
        &IGNORED_TRIM,
        &write.messages[0].live,
        "the list that was returned begins here",
        message,
    );
    let first = step.after.first().filter(|_| shortens);
    Some(match first {
        Some(first) => symptom.related(first, "still the first of the list"),
        None => symptom.related(last, "still the last of the list"),
    })
}
