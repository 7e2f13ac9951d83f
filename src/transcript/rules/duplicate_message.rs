//! One message added twice.

use std::num::NonZeroU32;

use rustc_hash::{FxHashMap, FxHashSet};

use super::{StepRule, Symptom, count, name};
use crate::finding::Confidence;
use crate::rule::DUPLICATE_MESSAGE;
use crate::transcript::message::{Kind, Live, Role, hash_of};
use crate::transcript::step::{Source, Step};

/// Bytes of a message that nobody says twice in a row by chance.
const SPOKEN: usize = 24;

/// Knows what a history held.
pub(crate) struct DuplicateMessage {
    /// How many messages in a row have to be said again.
    repeats: usize,
    /// Hashes of the ids.
    ids: FxHashSet<u64>,
    /// Contents of the results of each call, by the hash of its id.
    results: FxHashMap<u64, u64>,
    /// Where two messages stood in a row for the first time.
    neighbours: FxHashMap<(u64, u64), usize>,
    /// How many messages at the end of the list repeat earlier ones, and where the last of those stands.
    run: usize,
    run_at: usize,
    /// Whether the model or a tool speaks among them: commands and their echoes are typed again.
    answered: bool,
    told: bool,
    /// How many messages say the same, from where that was asked for on.
    prints: Option<FxHashMap<u64, u32>>,
}

impl StepRule for DuplicateMessage {
    fn step(&mut self, step: &Step<'_>, symptoms: &mut Vec<Symptom>) {
        if self.told {
            return;
        }
        if !step.is_next {
            self.prints = None;
        }
        if !step.change.only_appends() {
            let found = if self.edit(step) {
                step.change
                    .inserted
                    .iter()
                    .filter_map(|&at| self.enter(step.after, at))
                    .last()
            } else {
                *self = Self::of(self.repeats);
                self.prints = Some(FxHashMap::default());
                (0..step.after.len()).filter_map(|at| self.enter(step.after, at)).last()
            };
            let found = found.or_else(|| sent_twice(step));
            symptoms.extend(found.filter(|_| !std::mem::replace(&mut self.told, true)));
            return;
        }
        let mut found = None;
        for &at in &step.change.inserted {
            found = found.or(self.enter(step.after, at));
        }
        found = found.or_else(|| self.passed_again(step)).or_else(|| sent_twice(step));
        symptoms.extend(found.filter(|_| !std::mem::replace(&mut self.told, true)));
    }
}

impl DuplicateMessage {
    /// Knows nothing yet.
    pub(crate) fn new(repeats: NonZeroU32) -> Self {
        Self::of(repeats.get() as usize)
    }

    fn of(repeats: usize) -> Self {
        Self {
            repeats,
            ids: FxHashSet::default(),
            results: FxHashMap::default(),
            neighbours: FxHashMap::default(),
            run: 0,
            run_at: 0,
            answered: false,
            told: false,
            prints: None,
        }
    }

    /// Follows edits of messages that say what no other message says, before and after; false where the list has to be
    /// read anew.
    fn edit(&mut self, step: &Step<'_>) -> bool {
        let (change, list) = (step.change, step.after);
        let Some(prints) = self.prints.as_mut().filter(|_| change.keeps_places()) else {
            return false;
        };
        let neighbours = change.replaced.windows(2).any(|pair| pair[1].at <= pair[0].at + 1);
        let pairs = |live: &Live| !live.results.is_empty();
        for replaced in change.replaced.iter().filter(|_| !neighbours) {
            let (at, old, new) = (replaced.at, &replaced.old, &list[replaced.at]);
            let is_single = prints.remove(&old.print) == Some(1) && prints.insert(new.print, 1).is_none();
            if !is_single || pairs(old) || pairs(new) || old.recorded_id() != new.recorded_id() {
                return false;
            }
            if let Some(before) = at.checked_sub(1).map(|before| list[before].print) {
                self.neighbours.remove(&(before, old.print));
                self.neighbours.insert((before, new.print), at);
            }
            if let Some(behind) = list[..change.before].get(at + 1).map(|behind| behind.print) {
                self.neighbours.remove(&(old.print, behind));
                self.neighbours.insert((new.print, behind), at + 1);
            }
        }
        !neighbours
    }

    /// An input that holds the history it is added to.
    fn passed_again(&mut self, step: &Step<'_>) -> Option<Symptom> {
        let inserted = &step.change.inserted;
        let first = *inserted
            .first()
            .filter(|_| step.source == Source::Input && inserted.len() > 1)?;
        let count = |list: &[Live]| {
            let mut prints: FxHashMap<u64, u32> = FxHashMap::default();
            for live in list {
                *prints.entry(live.print).or_default() += 1;
            }
            prints
        };
        let all = self.prints.get_or_insert_with(|| count(step.after));
        let new = count(&step.after[first..]);
        let print = |at: usize| step.after[at].print;
        let again = inserted
            .iter()
            .copied()
            .filter(|&at| all.get(&print(at)) > new.get(&print(at)));
        let again: Vec<usize> = again.collect();
        let answered = again.iter().any(|&at| answers(&step.after[at]));
        let (&first_again, true) = (again.first()?, again.len() > 1 && answered) else {
            return None;
        };
        let live = &step.after[first_again];
        let copy = step.after[..first].iter().find(|copy| copy.print == live.print)?;
        Some(repeated_run(copy, live, again.len()))
    }

    /// Enters the message at `at`, behind all that were entered before.
    fn enter(&mut self, list: &[Live], at: usize) -> Option<Symptom> {
        let live = &list[at];
        if let Some(prints) = &mut self.prints {
            *prints.entry(live.print).or_default() += 1;
        }
        let same_id = live.recorded_id().is_some_and(|id| !self.ids.insert(hash_of(id)));
        let mut same_result = false;
        for key in live.results.iter().filter(|_| live.kind == Kind::ToolResult) {
            same_result |= self.results.insert(hash_of(key), live.content) == Some(live.content);
        }
        let first = at.checked_sub(1).map(|before| (list[before].print, live.print));
        let first = first
            .map(|pair| *self.neighbours.entry(pair).or_insert(at))
            .filter(|first| *first < at);
        self.run = match first {
            Some(first) if self.run > 0 && first == self.run_at + 1 => self.run + 1,
            // Two in a row that stood in a row before.
            Some(_) => 2,
            None => 0,
        };
        self.run_at = first.unwrap_or(0);
        let was_answered = self.answered;
        self.answered = match self.run {
            0 => false,
            2 => answers(live) || at.checked_sub(1).is_some_and(|before| answers(&list[before])),
            _ => self.answered || answers(live),
        };
        if same_id {
            let message = format!(
                "{} stands in the list twice under one id: an update reaches only one of the copies",
                name(live)
            );
            return Some(symptom(live, message));
        }
        if same_result {
            return Some(symptom(live, format!("the result {} was added twice", name(live))));
        }
        let begins = self.run == self.repeats || self.run > self.repeats && !was_answered;
        (begins && self.answered).then(|| repeated_run(&list[self.run_at], live, self.run))
    }
}

/// Whether a message is the model's or a tool's.
fn answers(live: &Live) -> bool {
    matches!(live.kind, Kind::Assistant | Kind::ToolCall | Kind::ToolResult)
}

/// The newest question, put twice into one call.
fn sent_twice(step: &Step<'_>) -> Option<Symptom> {
    let is_call = matches!(step.source, Source::Beginning | Source::State | Source::Input);
    let at = step.taken_for_current().filter(|_| is_call)?;
    let (first, again) = (&step.after[at.checked_sub(1)?], &step.after[at]);
    let both_new = [at - 1, at].iter().all(|at| step.change.inserted.contains(at));
    let same = first.is_authored() && first.role == Role::User && first.print == again.print;
    if !both_new || !same || again.length < SPOKEN {
        return None;
    }
    let message = format!(
        "{} stands twice in a row in one call: the newest message was put beside the list that ends with it",
        name(again)
    );
    let symptom = symptom(again, message).confidence(Confidence::Medium);
    Some(symptom.related(first, "the same message"))
}

fn repeated_run(first: &Live, again: &Live, length: usize) -> Symptom {
    let message = format!(
        "{} again, under other ids: the history was passed where only new messages belong",
        count(
            length,
            "message that stands in the list is added",
            "messages that stand in the list are added"
        ),
    );
    symptom(again, message).related(first, "where it stood first")
}

fn symptom(live: &Live, message: String) -> Symptom {
    Symptom::new(&DUPLICATE_MESSAGE, live, "a second copy", message)
}
