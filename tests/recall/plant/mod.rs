//! Defects, planted into clean sessions: what is done to the session, and what has to be found where.

mod added;
mod lists;

use crate::clean::Maker;
use crate::model::{Does, How, Message, Step, is_whole};
use crate::write::{Shows, Traits};

/// What goes wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Defect {
    /// An injection takes the id of an older message, which is written again under a derived one.
    Swap,
    /// Messages change places.
    Move,
    /// An old question is written again under a new id, while the first copy stands.
    Reemission,
    /// A call without its result, or a result without its call.
    SplitPair,
    /// A cut inside a turn that leaves its pairs whole.
    MidTurnCut,
    /// The current question is gone, with everything that was done for it.
    DisplacedQuestion,
    /// Two versions of one injection.
    StaleInjection,
    /// The same injection, word for word.
    RepeatedInjection,
    /// Messages that stand in the list are added once more.
    Duplicate,
    /// Messages that stay get new ids.
    RemintedIds,
    /// A cut at a boundary that loses the system prompt.
    DroppedSystem,
    /// A summary is written again in other words, for the same messages.
    RegeneratedSummary,
    /// A record names a parent that is nowhere.
    BrokenChain,
    /// A byte of what was sent before is another, or nothing of it is read from the cache.
    ChangedPrefix,
}

impl Defect {
    pub(crate) const ALL: [Self; 14] = [
        Self::Swap,
        Self::Move,
        Self::Reemission,
        Self::SplitPair,
        Self::MidTurnCut,
        Self::DisplacedQuestion,
        Self::StaleInjection,
        Self::RepeatedInjection,
        Self::Duplicate,
        Self::RemintedIds,
        Self::DroppedSystem,
        Self::RegeneratedSummary,
        Self::BrokenChain,
        Self::ChangedPrefix,
    ];

    /// The word in the table.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Swap => "swap",
            Self::Move => "move",
            Self::Reemission => "re-emission",
            Self::SplitPair => "split-pair",
            Self::MidTurnCut => "mid-turn-cut",
            Self::DisplacedQuestion => "displaced-question",
            Self::StaleInjection => "stale-injection",
            Self::RepeatedInjection => "repeated-injection",
            Self::Duplicate => "duplicate",
            Self::RemintedIds => "reminted-ids",
            Self::DroppedSystem => "dropped-system",
            Self::RegeneratedSummary => "regenerated-summary",
            Self::BrokenChain => "broken-chain",
            Self::ChangedPrefix => "changed-prefix",
        }
    }
}

/// A message at the end of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    pub(crate) step: usize,
    pub(crate) uid: usize,
}

/// What has to be found.
#[derive(Clone, Debug)]
pub(crate) struct Expected {
    pub(crate) rule: &'static str,
    pub(crate) at: Place,
    /// What is true, too, and may be found where it stands.
    pub(crate) besides: Vec<(&'static str, Place)>,
}

impl Expected {
    fn new(rule: &'static str, step: usize, message: &Message) -> Self {
        let uid = message.uid;
        Self {
            rule,
            at: Place { step, uid },
            besides: Vec::new(),
        }
    }
}

/// Plants a defect into a clean session, at a random place; none if there is no room for it.
pub(crate) fn plant(defect: Defect, maker: &mut Maker<'_>, traits: &Traits) -> Option<Expected> {
    let rewrites = matches!(traits.shows, Shows::Updates | Shows::States | Shows::Requests);
    match (defect, rewrites) {
        (Defect::Swap, true) => lists::swap(maker, traits),
        (Defect::Swap, false) => added::swap(maker),
        (Defect::Move, _) => lists::moved(maker, traits),
        (Defect::Reemission, _) => lists::reemission(maker),
        (Defect::SplitPair, true) if maker.one_in(2) => lists::split_pair(maker),
        (Defect::SplitPair, _) => added::split_pair(maker, traits),
        (Defect::MidTurnCut, _) => lists::mid_turn_cut(maker, traits),
        (Defect::DisplacedQuestion, _) => lists::displaced_question(maker, traits),
        (Defect::StaleInjection, _) => added::stale_injection(maker, traits),
        (Defect::RepeatedInjection, _) => added::repeated_injection(maker),
        (Defect::Duplicate, _) => added::duplicate(maker, traits),
        (Defect::RemintedIds, _) => lists::reminted_ids(maker),
        (Defect::RegeneratedSummary, _) => lists::regenerated_summary(maker, traits),
        (Defect::BrokenChain, _) => added::broken_chain(maker),
        (Defect::ChangedPrefix, true) => lists::changed_prefix(maker, traits),
        (Defect::ChangedPrefix, false) => added::missed_cache(maker),
        (Defect::DroppedSystem, _) => lists::dropped_system(maker, traits),
    }
}

/// Picks one of the places that fit.
fn pick<T>(maker: &mut Maker<'_>, places: Vec<T>) -> Option<T> {
    let at = maker.random.below(places.len());
    places.into_iter().nth(at)
}

/// A step behind which the model is called with a list, and that list.
type Spot = (usize, Vec<Message>);

/// The steps behind which something may be written: the list is whole there, and the model reads it later. What a
/// compaction makes of a defect is another matter, so the last one is over, and the model has read what it left.
fn spots(maker: &Maker<'_>) -> Vec<Spot> {
    let steps = &maker.timeline.steps;
    let compacted = steps.iter().rposition(|step| step.how == How::Compaction).unwrap_or(0);
    let read = (compacted..steps.len()).find(|&at| steps[at].how == How::Model);
    let fits = |(at, list): &Spot| {
        read.is_some_and(|read| read <= *at) && is_whole(list) && maker.timeline.call_behind(*at).is_some()
    };
    maker.timeline.lists().into_iter().enumerate().filter(fits).collect()
}

/// What the record has shown of the history before anything is written behind step `at`.
fn shown(maker: &Maker<'_>, traits: &Traits, at: usize) -> Vec<Message> {
    let timeline = &maker.timeline;
    let call = (1..=at).rev().find(|&at| timeline.steps[at].how == How::Model);
    let last = match (traits.shows, call) {
        (Shows::Requests, Some(call)) if traits.answers => call,
        (Shows::Requests, Some(call)) => call - 1,
        (Shows::Requests, None) => return Vec::new(),
        _ => at,
    };
    timeline.lists().swap_remove(last)
}

/// Whether a reader of both lists can tell that they are of one conversation: two messages of the older one stand
/// in a row in the newer one, too.
fn goes_on(older: &[Message], newer: &[Message]) -> bool {
    older.windows(2).any(|two| {
        newer
            .windows(2)
            .any(|other| two[0].text == other[0].text && two[1].text == other[1].text)
    })
}

/// Whether messages that both lists show stand in another order, told apart by what they say.
fn is_reordered(older: &[Message], newer: &[Message]) -> bool {
    let place = |message: &Message| {
        newer.iter().position(|other| {
            (&other.text, &other.calls, &other.answers) == (&message.text, &message.calls, &message.answers)
        })
    };
    !older.iter().filter_map(place).is_sorted()
}

/// Puts a step behind step `at`; its number.
fn behind(maker: &mut Maker<'_>, at: usize, does: Does) -> usize {
    let name = maker.one_of(&["shorten", "arrange", "prepare"]).to_owned();
    let how = How::Node(match name.as_str() {
        "shorten" => "shorten",
        "arrange" => "arrange",
        _ => "prepare",
    });
    maker.timeline.steps.insert(at + 1, Step { how, does });
    at + 1
}
