//! Events to steps: folds what was written, compares with the states that were recorded, and keeps the
//! histories of a file apart.

mod arrival;
mod compaction;
mod held;
pub(crate) use self::arrival::derived_from;
mod list;
mod state;
mod update;

use std::collections::BTreeMap;
use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use self::held::Held;
use super::callview::{CallView, first_change};
use super::change::Change;
use super::event::{About, Call, Chain, CompactionClass, Event, Prompt, What};
use super::markers::{Markers, Origin};
use super::message::{Draft, Live, Role, hash_of};
use super::outline::Before;
use super::reader::Spot;
use super::step::{Question, Scene, Source, Step, Written};
use super::usage::{Compared, Usage};
use crate::history::reducer::Reducer;

/// Is told every step, in the order of time.
pub(crate) trait Judge {
    fn judge(&mut self, step: &Step<'_>);

    /// Is told what happened beside the messages of a history.
    fn note(&mut self, _scene: &Scene<'_>, _noted: &Noted<'_>) {}

    /// Is told each history as it is at the end.
    fn end(&mut self, _scene: &Scene<'_>) {}
}

/// What happened beside the messages of a history.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Noted<'n> {
    Compaction {
        class: CompactionClass,
        /// How many items the record says it kept, or how many of the messages before it stayed.
        kept: usize,
        /// How many messages the history held before and after.
        messages: [usize; 2],
        /// Tokens of the context before and after, as far as the record says.
        tokens: [Option<u64>; 2],
    },
    /// What a call sent.
    Prompt(&'n Prompted<'n>),
    Call(&'n Call),
    Note,
    Chain(Chain),
    About(&'n About),
    /// The session says that it went on from another one.
    Forked,
    /// At the end of a history: what its calls came to.
    Usage(&'n Compared),
}

/// What a call sent.
#[derive(Debug)]
pub(crate) struct Prompted<'n> {
    pub(crate) list: &'n [Live],
    /// Whether it is the history as it stands.
    pub(crate) is_history: bool,
}

/// The histories of one file.
#[derive(Default)]
pub(crate) struct Replay {
    threads: FxHashMap<Arc<str>, Thread>,
    /// In the order in which they began.
    order: BTreeMap<u64, Arc<str>>,
    begun: u64,
    live: usize,
    markers: Markers,
    /// Whether messages keep what tools gave.
    keeps_given: bool,
    /// Responses of which it was told what they cost, and whether by a message: messages stand in several states and
    /// histories.
    billed: FxHashMap<u64, bool>,
}

impl Replay {
    /// No history yet.
    pub(crate) fn new(markers: Markers, keeps_given: bool) -> Self {
        Self {
            markers,
            keeps_given,
            ..Self::default()
        }
    }

    /// Takes one event and tells the steps that are complete with it.
    pub(crate) fn take(&mut self, mut event: Event, judge: &mut dyn Judge) {
        if matches!(event.what, What::End) {
            self.end(&event.thread, judge);
            return;
        }
        let thread = self.threads.entry(event.thread.clone()).or_insert_with(|| {
            self.begun += 1;
            self.order.insert(self.begun, event.thread.clone());
            Thread {
                keeps_given: self.keeps_given,
                ..Thread::new(event.thread, self.begun, self.markers.clone())
            }
        });
        let before = thread.history.entries().len();
        let spot = event.spot;
        if !matches!(
            event.what,
            What::Call(_) | What::Note(_) | What::Chain(_) | What::About(_) | What::Forked
        ) {
            thread.last = Some(spot);
        }
        let spent = event.what.spent();
        match event.what {
            What::TurnStart => {
                thread.flush(judge);
                thread.has_inputs = true;
                thread.expects_input = true;
                thread.interrupted = false;
            }
            What::Interrupt => thread.interrupted = true,
            What::Append(drafts) => thread.append(event.spot, drafts, judge),
            What::Update(writes) => {
                thread.flush(judge);
                thread.update(event.spot, writes);
            }
            What::Snapshot { messages, branches } => thread.snapshot(event.spot, messages, branches, judge),
            What::Compact(compaction) => thread.compact(event.spot, compaction, judge),
            What::Rewind(id) => thread.rewind(id.as_ref(), judge),
            What::Prompt(prompt) => thread.prompt(spot, prompt, judge),
            What::Call(call) => {
                let by_message = |id| *self.billed.entry(hash_of(id)).or_insert(false);
                if !call.response.as_ref().is_some_and(by_message) {
                    thread.usage.call(spot, &call);
                    judge.note(&thread.scene(spot), &Noted::Call(&call));
                }
            }
            What::Note(note) => {
                thread.usage.note(spot, note);
                judge.note(&thread.scene(spot), &Noted::Note);
            }
            What::Chain(chain) => judge.note(&thread.scene(spot), &Noted::Chain(chain)),
            What::About(about) => judge.note(&thread.scene(spot), &Noted::About(&about)),
            What::Forked => judge.note(&thread.scene(spot), &Noted::Forked),
            What::End => {}
        }
        for call in spent {
            let is_new = match &call.response {
                Some(id) => self.billed.insert(hash_of(id), true).is_none(),
                None => true,
            };
            if is_new {
                thread.usage.call(spot, &call);
                judge.note(&thread.scene(spot), &Noted::Call(&call));
            }
        }
        self.live = self.live + thread.history.entries().len() - before;
    }

    /// How many messages are held.
    pub(crate) fn live(&self) -> usize {
        self.live
    }

    fn end(&mut self, name: &Arc<str>, judge: &mut dyn Judge) {
        let Some(mut thread) = self.threads.remove(name) else {
            return;
        };
        self.order.remove(&thread.begun);
        self.live -= thread.history.entries().len();
        thread.flush(judge);
        let last = thread.last.unwrap_or_default();
        if let Some(compared) = std::mem::take(&mut thread.usage).compare() {
            judge.note(&thread.scene(last), &Noted::Usage(&compared));
        }
        judge.end(&thread.scene(last));
    }

    /// Tells the steps that waited for more.
    pub(crate) fn finish(&mut self, judge: &mut dyn Judge) {
        for name in std::mem::take(&mut self.order).into_values() {
            self.end(&name, judge);
        }
    }
}

/// One history under way.
struct Thread {
    name: Arc<str>,
    /// Its number among those of the file.
    begun: u64,
    /// What tells whose a message is.
    markers: Markers,
    keeps_given: bool,
    history: Held,
    /// How many messages at its head stand where the last step that was told left them.
    untouched: usize,
    /// How many messages there were then.
    told: usize,
    known: Known,
    turn: u32,
    steps: u32,
    question: Option<Question>,
    /// Whether inputs are recorded; if not, turns are told apart by the node that begins them.
    has_inputs: bool,
    first_node: Option<Arc<str>>,
    expects_input: bool,
    interrupted: bool,
    /// Contents of everything the person said.
    authored: FxHashSet<u64>,
    /// The step at which a state was recorded last: what came later has no settled order yet.
    settled: u32,
    made_up_ids: u64,
    /// A folded update that a recorded state may still confirm or correct.
    pending: Option<Pending>,
    /// The last record that told something of the history.
    last: Option<Spot>,
    /// What calls sent, and what they cost.
    calls: CallView,
    usage: Usage,
}

/// How much of a history is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Known {
    Nothing,
    /// What the nodes wrote, not what came in.
    Part,
    Whole,
}

/// A step that was not told yet.
struct Pending {
    spot: Spot,
    source: Source,
    writes: Vec<Written>,
    change: Change,
    /// The list before, where the change alone does not lead back to it.
    before: Option<Vec<Live>>,
    asks: bool,
}

impl Pending {
    /// Whether a node returned anything.
    fn wrote(&self) -> bool {
        let says_something = |write: &Written| write.resets || write.removes || !write.messages.is_empty();
        self.writes.iter().any(says_something)
    }

    fn new(spot: Spot, source: Source, change: Change, asks: bool) -> Self {
        Self {
            spot,
            source,
            writes: Vec::new(),
            change,
            before: None,
            asks,
        }
    }
}

impl Thread {
    fn new(name: Arc<str>, begun: u64, markers: Markers) -> Self {
        Self {
            name,
            begun,
            markers,
            keeps_given: false,
            history: Held::new(Reducer::AddMessages),
            untouched: 0,
            told: 0,
            known: Known::Nothing,
            turn: 0,
            steps: 0,
            question: None,
            has_inputs: false,
            first_node: None,
            expects_input: false,
            interrupted: false,
            authored: FxHashSet::default(),
            settled: 0,
            made_up_ids: 0,
            pending: None,
            last: None,
            calls: CallView::default(),
            usage: Usage::default(),
        }
    }

    /// The history as it stands.
    fn scene(&self, spot: Spot) -> Scene<'_> {
        Scene {
            thread: &self.name,
            number: self.steps,
            turn: self.turn,
            spot,
            list: self.history.entries(),
            outline: self.history.outline(),
            question: self.question.as_ref(),
        }
    }

    /// Takes what a call sends.
    fn prompt(&mut self, spot: Spot, prompt: Prompt, judge: &mut dyn Judge) {
        self.flush(judge);
        let is_history = prompt.messages.is_none();
        let list = match prompt.messages {
            None => self.history.entries().to_vec(),
            Some(drafts) => self.sent(drafts),
        };
        let mut prefix = self.calls.send(list, prompt.tools, prompt.sender, self.turn);
        prefix.model = prompt.model;
        if let Some(broken) = prefix.broken.as_mut().filter(|_| is_history) {
            broken.step = Some(self.steps);
        }
        let prompted = Prompted {
            list: self.calls.last(),
            is_history,
        };
        judge.note(&self.scene(spot), &Noted::Prompt(&prompted));
        self.usage.prompt(spot, prefix);
    }

    /// The messages that a call sent. What stands in the history is what it is there.
    fn sent(&mut self, drafts: Vec<Arc<Draft>>) -> Vec<Live> {
        let mut list: Vec<Live> = Vec::with_capacity(drafts.len());
        let mut before = Before::first();
        for draft in drafts {
            let print = draft.print();
            let entries = self.history.entries();
            let stands = entries.get(list.len()).is_some_and(|live| live.print == print);
            // Most calls send the history as it stands: only what stands elsewhere is looked for.
            let found = if stands {
                Some(list.len())
            } else {
                self.history.outline().with_print(entries, print)
            };
            if let Some(at) = found {
                let known = entries[at].clone();
                before.add(&known);
                list.push(Live {
                    place: draft.place,
                    breakpoints: draft.breakpoints,
                    ..known
                });
                continue;
            }
            let mut setting = self.setting(before, Origin::Node, draft.content);
            if setting.leads && draft.role == Role::System {
                // The system prompt of the call.
                setting.origin = Origin::Unknown;
            }
            let turn = self.turn;
            let live = self.live(Arc::unwrap_or_clone(draft), setting, turn);
            before.add(&live);
            list.push(live);
        }
        list
    }

    /// Tells the update that waited for a state.
    fn flush(&mut self, judge: &mut dyn Judge) {
        if let Some(pending) = self.pending.take() {
            self.tell(&pending, judge);
        }
    }

    fn tell(&mut self, pending: &Pending, judge: &mut dyn Judge) {
        let length = self.history.entries().len();
        let untouched = std::mem::replace(&mut self.untouched, length);
        let told = std::mem::replace(&mut self.told, length);
        if let Some(change) = first_change(&pending.change, self.history.entries(), self.steps, self.turn) {
            self.usage.change(pending.spot, change);
        }
        judge.judge(&Step {
            thread: &self.name,
            number: self.steps,
            turn: self.turn,
            spot: pending.spot,
            source: pending.source,
            writes: &pending.writes,
            change: &pending.change,
            untouched: untouched.min(pending.change.before),
            is_next: untouched == told && told == pending.change.before,
            after: self.history.entries(),
            outline: self.history.outline(),
            whole: self.known == Known::Whole,
            question: self.question.as_ref(),
            asks: pending.asks,
        });
    }
}
