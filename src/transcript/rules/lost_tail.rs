//! A compaction of what the record does not hold.

use rustc_hash::FxHashMap;

use super::{StepRule, Symptom};
use crate::rule::LOST_TAIL;
use crate::transcript::event::{Chain, CompactionClass};
use crate::transcript::message::{Kind, Live, Place, Role};
use crate::transcript::replay::Noted;
use crate::transcript::safe_text;
use crate::transcript::step::{Scene, Source, Step};

/// Follows the calls that the model waits for.
#[derive(Default)]
pub(crate) struct LostTail {
    open: Open,
    /// The compaction that was reported last.
    told: Option<Place>,
    /// Whether the list changed beside its steps since it was last read as a whole.
    is_behind: bool,
}

/// Calls without a result behind which nothing but results came, in order, each with its message.
#[derive(Default)]
struct Open {
    /// What was answered leaves its place empty.
    calls: Vec<Option<(Box<str>, Live)>>,
    places: FxHashMap<Box<str>, Vec<usize>>,
}

impl StepRule for LostTail {
    fn note(&mut self, scene: &Scene<'_>, noted: &Noted<'_>, symptoms: &mut Vec<Symptom>) {
        if let Noted::Chain(Chain::NoTail) = noted {
            self.told = Some(scene.spot.start());
            let message = "the message that this compaction names as the last before it is nowhere in the file";
            symptoms.push(self.lost(scene, message));
        }
    }

    fn step(&mut self, step: &Step<'_>, symptoms: &mut Vec<Symptom>) {
        let change = step.change;
        if let Source::Compaction(class) = step.source {
            let stays = step.after.iter().flat_map(|live| &live.calls);
            stays.for_each(|call| self.open.close(call));
            let is_told = self.told == Some(step.spot.start());
            // The person may compact what was broken off.
            let at_work = matches!(class, CompactionClass::MidTurn | CompactionClass::Unknown);
            if !self.open.is_empty() && at_work && !is_told && step.whole {
                symptoms.push(self.lost(
                    &step.scene(),
                    "the history was compacted before the result was recorded",
                ));
            }
        }
        self.is_behind |= !step.is_next;
        // Of what is edited in place only the calls matter.
        let calls_stay = || {
            let mut again = step.writes.iter().flat_map(|write| &write.messages);
            let mut replaced = change.replaced.iter();
            matches!(step.source, Source::Update | Source::Input)
                && !self.is_behind
                && change.keeps_places()
                && again.all(|message| message.was_at.is_none() || message.live.calls.is_empty())
                && replaced.all(|replaced| means_the_same(&replaced.old, &step.after[replaced.at]))
        };
        if (change.only_appends() || calls_stay()) && !matches!(step.source, Source::Compaction(_)) {
            change.inserted.iter().for_each(|&at| self.enter(&step.after[at]));
        } else {
            self.is_behind = false;
            self.open.clear();
            step.after.iter().for_each(|live| self.enter(live));
        }
    }
}

/// Whether neither calls, and both end or leave open what is waited for.
fn means_the_same(old: &Live, new: &Live) -> bool {
    let pairs = [old, new]
        .iter()
        .all(|live| live.calls.is_empty() && live.results.is_empty());
    let answers = |live: &Live| live.kind == Kind::Assistant;
    pairs && old.role == new.role && answers(old) == answers(new)
}

impl Open {
    fn add(&mut self, call: &str, live: &Live) {
        self.places.entry(call.into()).or_default().push(self.calls.len());
        self.calls.push(Some((call.into(), live.clone())));
    }

    fn close(&mut self, call: &str) {
        for at in self.places.remove(call).into_iter().flatten() {
            self.calls[at] = None;
        }
        if self.places.is_empty() {
            self.calls.clear();
        }
    }

    fn clear(&mut self) {
        self.calls.clear();
        self.places.clear();
    }

    fn is_empty(&self) -> bool {
        self.places.is_empty()
    }

    fn first(&self) -> Option<&(Box<str>, Live)> {
        self.calls.iter().flatten().next()
    }
}

impl LostTail {
    /// Takes a message behind all others.
    fn enter(&mut self, live: &Live) {
        if live.role == Role::User && live.results.is_empty() || live.kind == Kind::Assistant && live.calls.is_empty() {
            self.open.clear();
        }
        live.results.iter().for_each(|call| self.open.close(call));
        live.calls.iter().for_each(|call| self.open.add(call, live));
    }

    fn lost(&self, scene: &Scene<'_>, why: &str) -> Symptom {
        let open = self.open.first();
        let call = open.map_or(String::new(), |(call, _)| {
            format!("call `{}` has no result, and ", safe_text::excerpt(call, 40))
        });
        let message = format!("{call}{why}: the record cannot show what the model read when it summed up");
        let label = "what it summed up is not in the record";
        let symptom = Symptom::at_spot(&LOST_TAIL, scene.spot, scene.turn, label, label, message);
        match open {
            Some((_, live)) => symptom.related(live, "a call without its result"),
            None => symptom,
        }
    }
}
