//! Stored messages that nothing puts in an order.

use rustc_hash::{FxHashMap, FxHashSet};

use super::{StepRule, Symptom, count};
use crate::finding::Confidence;
use crate::rule::UNORDERED_REPLAY;
use crate::transcript::event::Chain;
use crate::transcript::message::{Live, hash_of};
use crate::transcript::reader::Spot;
use crate::transcript::replay::Noted;
use crate::transcript::safe_text;
use crate::transcript::step::{Scene, Source, Step};

/// Counts messages of one moment, and waits for calls that stand behind their results.
#[derive(Default)]
pub(crate) struct UnorderedReplay {
    /// The first message that came at the same time as the one before it, and how many did.
    tie: Option<(Spot, u32)>,
    ties: usize,
    /// Hashes of the ids of all calls.
    calls: FxHashSet<u64>,
    /// Results that no call stands before, and the steps they came in.
    early: FxHashMap<Box<str>, (Live, u32)>,
    /// Those of them whose call came behind them, with the call.
    late: Vec<Option<(Box<str>, Live)>>,
    late_places: FxHashMap<Box<str>, usize>,
}

impl StepRule for UnorderedReplay {
    fn note(&mut self, scene: &Scene<'_>, noted: &Noted<'_>, _symptoms: &mut Vec<Symptom>) {
        if let Noted::Chain(Chain::Tie) = noted {
            self.tie.get_or_insert((scene.spot, scene.turn));
            self.ties += 1;
        }
    }

    fn step(&mut self, step: &Step<'_>, _symptoms: &mut Vec<Symptom>) {
        if !matches!(step.source, Source::Append | Source::Beginning) {
            self.early.clear();
            self.late.clear();
            self.late_places.clear();
            return;
        }
        for &at in &step.change.inserted {
            self.enter(&step.after[at], step.number);
        }
    }

    fn end(&mut self, _scene: &Scene<'_>, symptoms: &mut Vec<Symptom>) {
        if let Some((spot, turn)) = self.tie {
            let which = match self.ties {
                1 => "this message and the one before it have".to_owned(),
                ties => format!("{} have", count(ties + 1, "message", "messages")),
            };
            let message = format!(
                "{which} one time, and random ids: whoever reads the history back by time gets them in any order"
            );
            let label = "as old as the message before it";
            let symptom = Symptom::at_spot(&UNORDERED_REPLAY, spot, turn, label, label, message);
            symptoms.push(symptom.confidence(Confidence::Medium));
        }
        let Some((key, call)) = self.late.iter().flatten().next() else {
            return;
        };
        let Some((result, step)) = self.early.get(key) else {
            return;
        };
        let message = format!(
            "the result of call `{}` stands before the call: the history was stored or read without the order in which \
             it was said",
            safe_text::excerpt(key, 40)
        );
        let symptom = Symptom::new(&UNORDERED_REPLAY, result, "a result before its call", message);
        let mut symptom = symptom.related(call, "the call");
        symptom.because_of = Some(*step);
        symptoms.push(symptom);
    }
}

impl UnorderedReplay {
    /// Takes a message behind all others.
    fn enter(&mut self, live: &Live, step: u32) {
        for key in &live.results {
            if !self.calls.contains(&hash_of(key)) {
                self.early.entry(key.clone()).or_insert_with(|| (live.clone(), step));
            }
            // A call that has a result behind it, too, is another one with the same id.
            if let Some(late) = self.late_places.remove(key) {
                self.late[late] = None;
            }
        }
        for key in &live.calls {
            if self.calls.insert(hash_of(key)) && self.early.contains_key(key) {
                self.late_places.insert(key.clone(), self.late.len());
                self.late.push(Some((key.clone(), live.clone())));
            }
        }
    }
}
