//! A call without its result, or a result without its call.

use rustc_hash::{FxHashMap, FxHashSet};

use super::{StepRule, Symptom, quote};
use crate::history::pairs::ToolPairs;
use crate::rule::SPLIT_TOOL_PAIR;
use crate::transcript::change::{Removed, Replaced};
use crate::transcript::message::{Kind, Live, hash_of};
use crate::transcript::step::{Source, Step};

/// Follows the open calls of a history.
#[derive(Default)]
pub(crate) struct SplitToolPair {
    /// Hashes of the ids of all calls.
    calls: FxHashSet<u64>,
    /// Calls that were not answered yet, with the message that made them.
    open: FxHashMap<Box<str>, Live>,
    told: FxHashSet<Box<str>>,
    /// Whether a result came since the first of the open calls was made, and whether the person spoke.
    answered: bool,
    interrupted: bool,
    /// Whether the message at the end is a result without its call: one cut orphans all that follow it.
    ends_orphaned: bool,
    /// Whether something came since the last survey that the next one has to see: a half of a pair, or an id that two
    /// calls share.
    is_torn: bool,
    /// Whether nothing came since the last survey.
    is_surveyed: bool,
    /// Whether the last survey saw calls without results.
    has_unanswered: bool,
}

impl StepRule for SplitToolPair {
    fn step(&mut self, step: &Step<'_>, symptoms: &mut Vec<Symptom>) {
        let change = step.change;
        if !step.is_next {
            self.is_torn = true;
        }
        if change.only_appends() && step.source != Source::Beginning {
            for &at in &change.inserted {
                symptoms.extend(self.append(step, &step.after[at]));
            }
        } else if !change.is_empty() && !self.stays_as_it_is(step) {
            symptoms.extend(self.survey(step));
        }
    }
}

impl SplitToolPair {
    /// Whether another survey would find what the last one found: contents are edited, and either every pair is whole
    /// and what comes neither calls nor answers, or nothing came at all.
    fn stays_as_it_is(&self, step: &Step<'_>) -> bool {
        let change = step.change;
        let pairs = |replaced: &Replaced| {
            let (old, new) = (&replaced.old, &step.after[replaced.at]);
            old.calls == new.calls && old.results == new.results
        };
        let edits = matches!(step.source, Source::Update | Source::Input) && change.keeps_places();
        if !edits || self.is_torn || !change.replaced.iter().all(pairs) {
            return false;
        }
        let same_kinds = || {
            let mut replaced = change.replaced.iter();
            replaced.all(|replaced| replaced.old.kind == step.after[replaced.at].kind)
        };
        let is_plain = |live: &Live| live.calls.is_empty() && live.results.is_empty();
        if self.open.is_empty() {
            // Whether a call without a result was left behind hangs on who spoke since.
            let mut inserted = change.inserted.iter();
            return inserted.all(|&at| is_plain(&step.after[at])) && (!self.has_unanswered || same_kinds());
        }
        let mut written = step.writes.iter().flat_map(|write| &write.messages);
        self.is_surveyed && change.inserted.is_empty() && written.all(|message| is_plain(&message.live)) && same_kinds()
    }

    /// A message behind all others.
    fn append(&mut self, step: &Step<'_>, live: &Live) -> Option<Symptom> {
        let orphan = live
            .results
            .iter()
            .find(|key| !self.calls.contains(&hash_of(key)) && step.whole);
        self.is_torn |= orphan.is_some();
        self.is_surveyed = false;
        let goes_on = std::mem::replace(&mut self.ends_orphaned, orphan.is_some());
        let orphan = orphan
            .filter(|key| self.told.insert((*key).clone()))
            .filter(|_| !goes_on)
            .map(|key| result_alone(live, key, false));
        live.results.iter().for_each(|key| drop(self.open.remove(key)));
        self.answered |= !live.results.is_empty();
        // What the person says does not go on yet: a placeholder may be put in before the model is asked.
        self.interrupted |= live.is_authored();
        let goes_on = match live.kind {
            Kind::Assistant => true,
            // Calls made at the same time may be messages of their own, and a log writes their results as they
            // come in.
            Kind::ToolCall => self.interrupted || self.answered && step.source != Source::Append,
            _ => false,
        };
        let unanswered = if goes_on {
            self.open.drain().min_by(|a, b| a.0.cmp(&b.0))
        } else {
            None
        };
        if self.open.is_empty() {
            self.answered = false;
            self.interrupted = false;
        }
        for key in &live.calls {
            self.is_torn |= !self.calls.insert(hash_of(key));
            self.open.insert(key.clone(), live.clone());
        }
        self.is_torn |= unanswered.is_some();
        let unanswered = unanswered.filter(|(key, _)| self.told.insert(key.clone()));
        orphan.or_else(|| unanswered.map(|(key, caller)| call_alone(&caller, &key, live)))
    }

    /// A list that changed in other ways: all its pairs.
    fn survey(&mut self, step: &Step<'_>) -> Option<Symptom> {
        let pairs = ToolPairs::of(step.after);
        let behind = went_on(step.after);
        let known = |key: &str| step.whole || self.calls.contains(&hash_of(key));
        let orphans: Vec<_> = pairs
            .orphans
            .iter()
            .filter(|loose| known(loose.key) && !self.told.contains(loose.key))
            .collect();
        let left = |at: usize| behind[at].is_some();
        let mut unanswered = pairs
            .unanswered
            .iter()
            .filter(|loose| left(loose.at) && !self.told.contains(loose.key));
        let symptom = match (orphans.first(), unanswered.next()) {
            (Some(loose), _) => {
                let is_caller = |removed: &&Removed| removed.old.calls.contains(loose.key);
                let caller = step.change.removed.iter().find(is_caller);
                let mut symptom = result_alone(&step.after[loose.at], loose.key, caller.is_some());
                for other in &orphans[1..] {
                    symptom = symptom.related(&step.after[other.at], "another result without its call");
                }
                Some(match caller {
                    Some(caller) => symptom.related(&caller.old, "the message that called"),
                    None => symptom,
                })
            }
            (None, Some(loose)) => {
                let behind = &step.after[behind[loose.at].unwrap_or(loose.at)];
                Some(call_alone(&step.after[loose.at], loose.key, behind))
            }
            (None, None) => None,
        };
        self.told.extend(pairs.orphans.iter().map(|loose| loose.key.clone()));
        self.told.extend(
            pairs
                .unanswered
                .iter()
                .filter(|loose| left(loose.at))
                .map(|loose| loose.key.clone()),
        );
        self.calls = step
            .after
            .iter()
            .flat_map(|live| live.calls.iter().map(hash_of))
            .collect();
        let open = pairs
            .in_flight
            .iter()
            .chain(pairs.unanswered.iter().filter(|loose| !left(loose.at)));
        self.is_torn = false;
        self.has_unanswered = !pairs.unanswered.is_empty();
        self.is_surveyed = true;
        self.open = open
            .map(|loose| (loose.key.clone(), step.after[loose.at].clone()))
            .collect();
        symptom
    }
}

/// For each place of a list, the message behind it that shows that the conversation went on without waiting for
/// results of a call made there: an answer, or a call that was made when other results or a question had come.
fn went_on(list: &[Live]) -> Vec<Option<usize>> {
    let mut behind = vec![None; list.len()];
    let (mut spoken, mut call, mut call_after_result) = (None, None, None);
    for (at, live) in list.iter().enumerate().rev() {
        behind[at] = [spoken, call_after_result].into_iter().flatten().min();
        match live.kind {
            Kind::Assistant => spoken = Some(at),
            Kind::ToolCall => call = Some(at),
            _ => {}
        }
        if !live.results.is_empty() || live.is_authored() {
            call_after_result = call;
        }
    }
    behind
}

fn result_alone(result: &Live, key: &str, cut: bool) -> Symptom {
    let key = crate::transcript::safe_text::excerpt(key, 40);
    let message = if cut {
        format!(
            "the result of call `{key}` stays, the message that called it is cut away: a provider refuses the request"
        )
    } else {
        format!("the result of call `{key}` has no call before it: a provider refuses the request")
    };
    Symptom::new(&SPLIT_TOOL_PAIR, result, "a result without its call", message)
}

fn call_alone(caller: &Live, key: &str, behind: &Live) -> Symptom {
    let key = crate::transcript::safe_text::excerpt(key, 40);
    let message = format!(
        "call `{key}` has no result, and the model went on with {}",
        quote(behind)
    );
    Symptom::new(&SPLIT_TOOL_PAIR, caller, "a call without its result", message).related(behind, "what follows")
}
