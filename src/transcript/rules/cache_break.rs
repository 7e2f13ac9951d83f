//! A call whose prefix stops matching the call before, with nothing that explains it.

use std::collections::BTreeSet;

use super::{StepRule, Symptom, count, quote};
use crate::finding::{Confidence, Severity};
use crate::rule::CACHE_BREAK;
use crate::transcript::callview::{Break, How};
use crate::transcript::cost::{self, dollars, grouped};
use crate::transcript::event::Caching;
use crate::transcript::message::Role;
use crate::transcript::prices::Prices;
use crate::transcript::replay::Noted;
use crate::transcript::step::Scene;
use crate::transcript::usage::{Cause, Drop};

/// How often a cache that promises nothing has to fall back to one floor before the prompt is suspected.
const BEST_EFFORT_FLOORS: usize = 3;

/// Tells every drop that nothing explains, with its price.
pub(crate) struct CacheBreak {
    prices: Prices,
}

impl CacheBreak {
    pub(crate) fn new(prices: Prices) -> Self {
        Self { prices }
    }
}

impl StepRule for CacheBreak {
    fn note(&mut self, scene: &Scene<'_>, noted: &Noted<'_>, symptoms: &mut Vec<Symptom>) {
        let Noted::Usage(compared) = noted else { return };
        // Floors of what was told, where the provider promised nothing or its numbers are not known: the same place
        // in a hundred calls is one fault.
        let mut floors: BTreeSet<u64> = BTreeSet::new();
        let mut turns: Vec<((u32, u32), u32)> = scene
            .list
            .iter()
            .map(|live| ((live.place.file, live.place.line), live.turn))
            .collect();
        turns.sort_unstable();
        for drop in compared.drops.iter().filter(|drop| drop.cause == Cause::Unexplained) {
            let promised = drop.caching == Caching::Explicit;
            if !promised && drop.same_floor > 1 {
                let near = drop.after / 100;
                let near = drop.after - near..=drop.after.saturating_add(near);
                if floors.range(near).next().is_some() {
                    continue;
                }
                floors.insert(drop.after);
            }
            symptoms.push(self.symptom(&turns, drop));
        }
    }
}

impl CacheBreak {
    fn symptom(&self, turns: &[((u32, u32), u32)], drop: &Drop) -> Symptom {
        let about = if drop.estimated { "about " } else { "" };
        let what = match &drop.broken {
            Some(broken) => changed(broken),
            None => unseen(drop).to_owned(),
        };
        let price = cost::price(drop, &self.prices).map(|price| format!(", {}", dollars(price)));
        let price = price.unwrap_or_default();
        let again = match drop.same_floor {
            0 | 1 => String::new(),
            times => format!(
                "; {} of this history fall back to this place",
                count(times, "call", "calls")
            ),
        };
        let message = format!(
            "the prefix matches for {about}{} of {} tokens: {what}; {} are paid again{price}{again}",
            grouped(drop.after),
            grouped(drop.before),
            grouped(drop.again),
        );
        let repeats = drop.same_floor > 1;
        let (severity, confidence) = match drop.caching {
            Caching::Explicit if repeats => (Severity::Error, Confidence::High),
            Caching::Explicit => (Severity::Warn, Confidence::High),
            Caching::Unknown if repeats => (Severity::Error, Confidence::Medium),
            Caching::Unknown => (Severity::Warn, Confidence::Medium),
            // What was sent is seen to differ, whatever the provider promises.
            Caching::BestEffort if drop.broken.is_some() && repeats => (Severity::Error, Confidence::High),
            Caching::BestEffort if drop.broken.is_some() => (Severity::Warn, Confidence::High),
            // Nobody promised that the cache would hold.
            Caching::BestEffort if drop.same_floor >= BEST_EFFORT_FLOORS => (Severity::Info, Confidence::Medium),
            Caching::BestEffort => (Severity::Info, Confidence::Low),
        };
        let turn = match &drop.broken {
            Some(broken) => broken.turn,
            None => turn_of(turns, (drop.spot.file, drop.spot.line)),
        };
        let about = format!("{} of {}", drop.after, drop.before);
        let mut symptom = Symptom::at_spot(
            &CACHE_BREAK,
            drop.spot,
            turn,
            "this call pays for it again",
            about,
            message,
        )
        .severity(severity)
        .confidence(confidence);
        symptom.because_of = drop.broken.as_ref().and_then(|broken| broken.step);
        symptom
            .related
            .push((drop.previous.start(), "the call before".to_owned()));
        match &drop.broken {
            Some(broken) => symptom.related(&broken.message, "the first message that differs"),
            None => symptom,
        }
    }
}

/// The turn of the last message up to a line.
fn turn_of(turns: &[((u32, u32), u32)], line: (u32, u32)) -> u32 {
    let behind = turns.partition_point(|(at, _)| *at <= line);
    behind.checked_sub(1).map_or(0, |at| turns[at].1)
}

/// What must have changed where nothing that is recorded did.
fn unseen(drop: &Drop) -> &'static str {
    match drop.caching {
        _ if drop.unchanged => {
            "all that was sent before is sent again: the tools, the settings or the provider changed"
        }
        Caching::BestEffort => {
            "nothing that is recorded changed: the system prompt or the tools did, or the cache was lost"
        }
        _ => "nothing that is recorded changed, so what changed stands before it: the system prompt or the tools",
    }
}

fn changed(broken: &Break) -> String {
    let message = &broken.message;
    let what = if message.role == Role::System && broken.at == 0 {
        "the system prompt".to_owned()
    } else {
        format!(
            "message {}, {} {}",
            broken.at + 1,
            message.role.as_str(),
            quote(message)
        )
    };
    let how = match broken.how {
        How::Rewritten => "says something else than in the call before",
        How::Removed => "is gone",
        How::Inserted => "was put before what had been sent",
        How::Moved => "stood elsewhere in the call before",
    };
    format!("{what}, {how}")
}
