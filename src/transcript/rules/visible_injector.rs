//! An injection in the first person that names who put it there.

use std::sync::LazyLock;

use regex::Regex;
use rustc_hash::FxHashSet;

use super::{StepRule, Symptom, quote};
use crate::rule::VISIBLE_INJECTOR;
use crate::transcript::message::Kind;
use crate::transcript::step::Step;

/// Somebody who says who it is, and is a part of the program.
static AUTHOR: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"(?ix)^ [\W_]* (?:<[^>]{1,60}>\s*)? (?:i\ am|i'm|this\ is|hello,?\ i\ am|hi,?\ i'm)\s+ (?:the|your|a|an)\s+
        (?:[\w-]+\s+){0,3}?
        (?:middleware|hook|injector|plugin|extension|watchdog|monitor|guard|guardian|supervisor|harness|memory|reminder|
           scheduler|planner|orchestrator|daemon|budget|context\ manager|module|node|component|service)\b",
    )
    .expect("a literal pattern")
});

/// Tells each family of injections once.
#[derive(Default)]
pub(crate) struct VisibleInjector {
    told: FxHashSet<Box<str>>,
}

impl StepRule for VisibleInjector {
    fn step(&mut self, step: &Step<'_>, symptoms: &mut Vec<Symptom>) {
        for at in super::arrivals(step) {
            let live = &step.after[at];
            let Some(class) = live.class.as_deref().filter(|_| live.kind == Kind::Injected) else {
                continue;
            };
            if !AUTHOR.is_match(&live.head) || !self.told.insert(class.key.clone()) {
                continue;
            }
            let message = format!(
                "{} speaks in the first person and names the part of the program that wrote it: the model takes it for one more party to the conversation",
                quote(live)
            );
            symptoms.push(Symptom::new(&VISIBLE_INJECTOR, live, "names its author", message));
        }
    }
}
