//! A message takes the id of another, whose content is emitted again under a derived or a new id.

use super::matrix;
use crate::code::counterexample::{Target, swapped};
use crate::code::facts::{Facts, Fate, Found, Pick, Swap, Update};
use crate::code::project::ExprRef;
use crate::code::vocabulary::Role;
use crate::finding::{Confidence, Finding, Related, Severity, Witness};
use crate::mend::Mend;
use crate::rule;

/// Reports every id-swap that goes to a reducer that merges by id.
pub(super) fn check(facts: &Facts, findings: &mut Vec<Finding>) {
    let mut seen = Vec::new();
    for swap in facts.swaps() {
        let known_fate = matches!(swap.fate, Fate::Merged | Fate::Unknown);
        if !known_fate || facts.is_test(swap.taker) || seen.contains(&swap.taker) {
            continue;
        }
        if facts.is_swap_at_tail(swap) || update(facts, swap).is_some_and(|update| facts.clears_first(update)) {
            continue;
        }
        seen.push(swap.taker);
        findings.push(report(facts, swap, &facts.found_by(swap)));
    }
}

fn report(facts: &Facts, swap: &Swap, found: &[Found]) -> Finding {
    let open: Vec<&Found> = found
        .iter()
        .filter(|found| !found.is_last && !facts.is_only_match(found.scan))
        .collect();
    let from_tail = !open.is_empty() && open.iter().all(|found| found.scan.pick == Pick::Newest);
    let message = if from_tail {
        "a message takes the id of the newest question, which is emitted again under another id: where tool results \
         stand behind it, the model will believe that the question came after them"
    } else {
        "a message takes the id of another, which is emitted again under another id: a reducer that merges by id puts it \
         behind the current question, and the model will believe that the old one is asked now"
    };
    let mut finding = Finding::at(&rule::ID_SWAP, Witness::Code, facts.span(swap.taker), message);
    if from_tail {
        finding.severity = Severity::Warn;
    }
    if swap.fate == Fate::Unknown {
        finding.confidence = Confidence::Medium;
    }
    finding.label = Some("takes the id of an existing message".to_owned());
    finding.related.push(related(
        facts,
        swap.again,
        "its content is emitted again here, under another id",
    ));
    for found in &open {
        let text = match found.scan.pick {
            Pick::Oldest => "the message is found from the oldest end",
            Pick::Newest => "the message is found from the newest end, and need not be the last one",
            Pick::Any => "the message is taken from here",
        };
        finding.related.push(related(facts, found.scan.site, text));
    }
    if let Some(returned) = swap.returned {
        finding.related.push(related(facts, returned, "both are returned here"));
    }
    finding.help = Some(format!(
        "{}; a swap is safe only where the target is tested to be the last element of the list",
        matrix::STATE
    ));
    finding.mend = update(facts, swap)
        .filter(|update| facts.could_replace_all(update))
        .map(|update| Mend::ReplaceAll {
            list: facts.span(update.messages),
        });
    let role = facts
        .construction(swap.taker)
        .and_then(|made| made.role)
        .unwrap_or(Role::User);
    let target = if from_tail { Target::Newest } else { Target::Oldest };
    finding.counterexample = Some(swapped(target, role, swap.suffix.as_deref().unwrap_or("__again")));
    finding
}

/// The update that both messages go into.
fn update<'f>(facts: &'f Facts, swap: &Swap) -> Option<&'f Update> {
    let returned = swap.returned?;
    facts.updates().iter().find(|update| update.expr == returned)
}

fn related(facts: &Facts, at: ExprRef, message: &str) -> Related {
    Related {
        span: facts.span(at),
        message: message.to_owned(),
    }
}
