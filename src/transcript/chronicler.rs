//! Writes down how the histories of a file come about, for reports that draw them.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::message::Live;
use super::outline::Outline;
use super::replay::{Judge, Noted};
use super::safe_text;
use super::step::{Scene, Source, Step};
use super::usage::Compared;
use crate::chronicle::{CALL, Chronicle, PaidAgain, Placed, Shift, ShownCall, ShownMessage, ShownStep, Swapped};

/// The most messages that are kept of a history; what comes later is counted.
const MESSAGES: usize = 50_000;

/// Columns of an excerpt that is shown on demand.
const TEXT: usize = 240;
/// Columns of an id or a name.
const NAME: usize = 80;

/// Keeps the chronicles of one file.
#[derive(Debug, Default)]
pub(super) struct Chronicler {
    path: PathBuf,
    parts: Vec<PathBuf>,
    tapes: Vec<Tape>,
    places: FxHashMap<String, usize>,
}

/// A chronicle under way.
#[derive(Debug, Default)]
struct Tape {
    thread: String,
    chronicle: Chronicle,
    /// The list as it stands: indices of messages.
    list: Vec<u32>,
    /// What each message says, to find it again where a list is recorded anew.
    prints: Vec<u64>,
    pairs: FxHashMap<Box<str>, u32>,
    /// Calls by the provider's ids of their responses.
    responses: FxHashMap<Arc<str>, usize>,
    /// Whether the history got too long.
    full: bool,
}

impl Chronicler {
    pub(super) fn of(path: &Path, parts: &[PathBuf]) -> Self {
        Self {
            path: path.to_owned(),
            parts: parts.to_vec(),
            ..Self::default()
        }
    }

    fn tape(&mut self, thread: &str) -> &mut Tape {
        let known = self.places.get(thread).copied();
        let at = known.unwrap_or_else(|| {
            self.tapes.push(Tape {
                thread: thread.to_owned(),
                ..Tape::default()
            });
            self.places.insert(thread.to_owned(), self.tapes.len() - 1);
            self.tapes.len() - 1
        });
        &mut self.tapes[at]
    }

    /// The chronicles, in the order in which they began. `id` tells what a thread is called in reports.
    pub(super) fn into_chronicles(self, id: impl Fn(&str) -> String) -> Vec<Chronicle> {
        let (path, parts) = (self.path, self.parts);
        let finished = self.tapes.into_iter().map(|mut tape| {
            tape.place_calls();
            Chronicle {
                path: path.clone(),
                parts: parts.clone(),
                session: id(&tape.thread),
                ..tape.chronicle
            }
        });
        finished.collect()
    }
}

impl Judge for Chronicler {
    fn judge(&mut self, step: &Step<'_>) {
        self.tape(step.thread).step(step);
    }

    fn note(&mut self, scene: &Scene<'_>, noted: &Noted<'_>) {
        match noted {
            Noted::Call(call) => {
                let shown = ShownCall {
                    step: scene.number,
                    part: scene.spot.file,
                    line: scene.spot.line,
                    model: call.model.as_deref().map(name),
                    input: call.input,
                    read: call.read,
                    written: call.written,
                    output: call.output,
                    again: None,
                };
                self.tape(scene.thread).call(call.response.as_ref(), shown);
            }
            Noted::Prompt(prompted) if !prompted.is_history => self.tape(scene.thread).sent(scene, prompted.list),
            Noted::Usage(compared) => self.tape(scene.thread).usage(compared),
            _ => {}
        }
    }
}

impl Tape {
    fn step(&mut self, step: &Step<'_>) {
        self.full |= self.chronicle.messages.len() > MESSAGES;
        if self.full {
            self.chronicle.more_steps += 1;
            return;
        }
        let change = step.change;
        let before = if step.is_next && self.list.len() == change.before {
            None
        } else {
            self.list_before(step)
        };
        if let Some(before) = &before {
            self.list.clone_from(before);
        }
        let mut shown = ShownStep {
            number: step.number,
            turn: step.turn,
            part: step.spot.file,
            line: step.spot.line,
            source: step.source.as_str(),
            by: by(step),
            before,
            question: step.question_at().map(small),
            taken: step.taken_for_current().map(small),
            ..ShownStep::default()
        };
        shown.removed = change
            .removed
            .iter()
            .filter_map(|removed| self.placed(removed.was_at))
            .collect();
        shown.moved = change.moved.iter().map(|moved| shift(moved.was_at, moved.at)).collect();
        let old: Vec<Option<u32>> = change
            .replaced
            .iter()
            .map(|replaced| self.list.get(replaced.was_at).copied())
            .collect();
        self.fold(step, &mut shown);
        let mut inserted: FxHashMap<u64, usize> = FxHashMap::default();
        if !change.replaced.is_empty() {
            for &at in change.inserted.iter().rev() {
                inserted.insert(step.after[at].content, at);
            }
        }
        for (replaced, old) in change.replaced.iter().zip(old) {
            let new = self.add(&step.after[replaced.at]);
            if let Some(place) = self.list.get_mut(replaced.at) {
                *place = new;
            }
            shown.replaced.push(Swapped {
                at: small(replaced.at),
                old: old.unwrap_or(new),
                new,
            });
            let comes_back = inserted.get(&replaced.old.content);
            shown.back.extend(comes_back.map(|&at| shift(replaced.at, at)));
        }
        self.chronicle.steps.push(shown);
    }

    /// Takes away what left, and puts what came where it stands.
    fn fold(&mut self, step: &Step<'_>, shown: &mut ShownStep) {
        let change = step.change;
        let goes_on = change.removed.is_empty() && change.moved.is_empty();
        let mut inserted = Vec::with_capacity(change.inserted.len());
        for &at in &change.inserted {
            let message = self.add(&step.after[at]);
            inserted.push(Placed { at: small(at), message });
        }
        if goes_on && change.inserted.first().is_none_or(|&first| first >= self.list.len()) {
            self.list.extend(inserted.iter().map(|placed| placed.message));
        } else {
            let mut places: Vec<Option<u32>> = vec![None; step.after.len()];
            let mut stays = vec![true; self.list.len()];
            for placed in &inserted {
                places[placed.at as usize] = Some(placed.message);
            }
            for removed in &change.removed {
                stays[removed.was_at] = false;
            }
            for moved in &change.moved {
                stays[moved.was_at] = false;
                places[moved.at] = Some(self.list[moved.was_at]);
            }
            let mut kept = self.list.iter().zip(&stays).filter(|(_, stays)| **stays);
            for place in places.iter_mut().filter(|place| place.is_none()) {
                *place = kept.next().map(|(message, _)| *message);
            }
            self.list = places.into_iter().flatten().collect();
        }
        shown.inserted = inserted;
    }

    /// Writes down what a call sent, if that is not the history as it stands.
    fn sent(&mut self, scene: &Scene<'_>, list: &[Live]) {
        if self.full {
            return;
        }
        let mut stand: FxHashMap<u64, Vec<usize>> = FxHashMap::default();
        for (at, &message) in self.list.iter().enumerate().rev() {
            stand.entry(self.prints[message as usize]).or_default().push(at);
        }
        let mut shown = ShownStep {
            number: scene.number,
            turn: scene.turn,
            part: scene.spot.file,
            line: scene.spot.line,
            source: CALL,
            ..ShownStep::default()
        };
        let mut stays = vec![false; self.list.len()];
        let mut next = 0;
        for (at, live) in list.iter().enumerate() {
            let places = stand.entry(live.print).or_default();
            // What stands before a message that was sent already was moved: it counts as left out and sent anew.
            while places.last().is_some_and(|&place| place < next) {
                places.pop();
            }
            if let Some(place) = places.pop() {
                stays[place] = true;
                next = place + 1;
            } else {
                let message = self.add(live);
                shown.inserted.push(Placed { at: small(at), message });
            }
        }
        let left = (0..stays.len()).filter(|&at| !stays[at]);
        shown.removed = left.filter_map(|at| self.placed(at)).collect();
        if shown.inserted.is_empty() && shown.removed.is_empty() {
            return;
        }
        let asks = |live: &Live| scene.question.is_some_and(|question| question.is(live));
        shown.question = list.iter().rposition(asks).map(small);
        shown.taken = Outline::of(list).taken_for_current().map(small);
        self.chronicle.steps.push(shown);
    }

    fn placed(&self, at: usize) -> Option<Placed> {
        Some(Placed {
            at: small(at),
            message: *self.list.get(at)?,
        })
    }

    /// The list before a step, if it is not the one that is known: what is known again keeps its number.
    fn list_before(&mut self, step: &Step<'_>) -> Option<Vec<u32>> {
        let change = step.change;
        let mut places: Vec<Option<&Live>> = vec![None; change.before];
        let mut is_new = vec![false; step.after.len()];
        for &at in &change.inserted {
            is_new[at] = true;
        }
        for removed in &change.removed {
            places[removed.was_at] = Some(&removed.old);
        }
        for moved in &change.moved {
            is_new[moved.at] = true;
            places[moved.was_at] = step.after.get(moved.at);
        }
        let mut kept = step.after.iter().zip(&is_new).filter(|(_, is_new)| !**is_new);
        for place in places.iter_mut().filter(|place| place.is_none()) {
            *place = kept.next().map(|(live, _)| live);
        }
        for replaced in &change.replaced {
            if let Some(place) = places.get_mut(replaced.was_at) {
                *place = Some(&replaced.old);
            }
        }
        let prints = |list: &[u32]| -> Vec<u64> { list.iter().map(|&at| self.prints[at as usize]).collect() };
        if places.iter().flatten().map(|live| live.print).eq(prints(&self.list)) {
            return None;
        }
        let mut known: FxHashMap<u64, Vec<u32>> = FxHashMap::default();
        for &message in self.list.iter().rev() {
            known.entry(self.prints[message as usize]).or_default().push(message);
        }
        let numbered = places.into_iter().flatten().map(|live| {
            let again = known.get_mut(&live.print).and_then(Vec::pop);
            again.unwrap_or_else(|| self.add(live))
        });
        Some(numbered.collect())
    }

    fn add(&mut self, live: &Live) -> u32 {
        let number = small(self.chronicle.messages.len());
        let calls = live.calls.iter().map(|id| self.pair(id)).collect();
        let results = live.results.iter().map(|id| self.pair(id)).collect();
        self.chronicle.messages.push(ShownMessage {
            kind: live.kind.as_str(),
            role: live.role.as_str(),
            id: live.recorded_id().map(name),
            text: match &*live.given {
                "" => safe_text::excerpt(&live.summary(), TEXT),
                given => safe_text::excerpt(given, TEXT),
            },
            length: u64::from(live.bytes),
            turn: live.turn,
            part: live.place.file,
            line: live.place.line,
            calls,
            results,
        });
        self.prints.push(live.print);
        number
    }

    fn pair(&mut self, id: &str) -> u32 {
        let next = small(self.pairs.len());
        *self.pairs.entry(id.into()).or_insert(next)
    }

    fn call(&mut self, response: Option<&Arc<str>>, shown: ShownCall) {
        let calls = &mut self.chronicle.calls;
        if self.full {
            return;
        }
        let at = response.map(|id| *self.responses.entry(id.clone()).or_insert(calls.len()));
        match at.and_then(|at| calls.get_mut(at)) {
            // Later records of a response know more of what it cost, the first one stands where it began.
            Some(known) => {
                *known = ShownCall {
                    step: known.step,
                    part: known.part,
                    line: known.line,
                    ..shown
                }
            }
            None => calls.push(shown),
        }
    }

    /// Puts each call to the step that tells its answer: some forms tell what calls cost before their messages.
    fn place_calls(&mut self) {
        let mut steps: Vec<(u32, u32, u32)> = self
            .chronicle
            .steps
            .iter()
            .map(|step| (step.part, step.line, step.number))
            .collect();
        steps.sort_unstable();
        for call in &mut self.chronicle.calls {
            let from = steps.partition_point(|&(part, line, _)| (part, line) < (call.part, call.line));
            let told = steps
                .get(from)
                .filter(|&&(part, line, _)| (part, line) == (call.part, call.line));
            // Nothing was replayed yet: by its line it stands behind the steps before it.
            let behind = from
                .checked_sub(1)
                .and_then(|at| steps.get(at))
                .filter(|_| call.step == 0);
            call.step = told.or(behind).map_or(call.step, |&(_, _, number)| number);
        }
    }

    fn usage(&mut self, compared: &Compared) {
        let mut by_line: FxHashMap<u32, usize> = FxHashMap::default();
        for (at, call) in self.chronicle.calls.iter().enumerate() {
            by_line.entry(call.line).or_insert(at);
        }
        for drop in &compared.drops {
            if let Some(&at) = by_line.get(&drop.spot.line) {
                self.chronicle.calls[at].again = Some(PaidAgain {
                    tokens: drop.again,
                    cause: drop.cause.as_str(),
                    estimated: drop.estimated,
                });
            }
        }
    }
}

/// Indices fit: no more than [`MESSAGES`] and one step's worth are kept, and a file has fewer than four thousand
/// million messages.
fn small(index: usize) -> u32 {
    u32::try_from(index).unwrap_or(u32::MAX)
}

fn shift(was: usize, at: usize) -> Shift {
    Shift {
        was: small(was),
        at: small(at),
    }
}

fn name(text: &str) -> String {
    safe_text::excerpt(text, NAME)
}

fn by(step: &Step<'_>) -> Vec<String> {
    if let Source::Compaction(class) = step.source {
        return vec![class.as_str().to_owned()];
    }
    step.nodes().into_iter().map(name).collect()
}
