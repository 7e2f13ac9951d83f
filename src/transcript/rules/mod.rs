//! Rules over the steps of a replayed run. A rule knows steps, never a format.

mod broken_chain;
mod cache_break;
mod compaction_loop;
mod displaced_question;
mod dropped_system;
mod duplicate_message;
mod families;
mod id_swap;
mod ignored_insert;
mod ignored_trim;
mod lost_tail;
mod mid_turn_cut;
mod persisted_state;
mod reminted_ids;
mod reordered_history;
mod repeated_injection;
mod skipped_injection;
mod split_tool_pair;
mod stale_injection;
mod unordered_replay;
mod unstable_summary;

mod external_in_batch;
mod merged_injection;
mod misplaced_breakpoint;
mod silent_stop;
mod system_after_history;
mod unlatched_warning;
mod unmarked_injection;
mod visible_injector;
use std::num::NonZeroU32;

use super::formats::form::{Form, Verdict};
use super::message::{Live, Message, Place};
use super::prices::Prices;
use super::reader::Spot;
use super::replay::Noted;
use super::step::{Scene, Step};
use crate::finding::{Confidence, Severity};
use crate::rule::Rule;

/// What a rule saw in a step.
pub(crate) struct Symptom {
    pub(crate) rule: &'static Rule,
    pub(crate) severity: Severity,
    pub(crate) confidence: Confidence,
    /// What the model believes and what is true, one sentence without a stop.
    pub(crate) message: String,
    /// The message at which the finding stands.
    pub(crate) at: Place,
    /// The turn it came in.
    pub(crate) turn: u32,
    /// What to write under it.
    pub(crate) label: &'static str,
    /// Other messages that explain it.
    pub(crate) related: Vec<(Place, String)>,
    /// What tells the message from others, wherever it stands; see [`about`].
    pub(crate) about: String,
    /// Whether messages of the history explain it, which are shown then.
    pub(crate) shows: bool,
    /// The step that brought it about, where it shows later: what is reported of that step is the cause.
    pub(crate) because_of: Option<u32>,
    /// Whether it is an event of its own, whatever else shows at the same moment.
    pub(crate) alone: bool,
}

impl Symptom {
    pub(crate) fn new(rule: &'static Rule, at: &Live, label: &'static str, message: String) -> Self {
        Self {
            rule,
            severity: rule.severity(),
            confidence: rule.confidence(),
            message,
            at: at.place,
            turn: at.turn,
            label,
            related: Vec::new(),
            about: about(at),
            shows: true,
            because_of: None,
            alone: false,
        }
    }

    /// At a record instead of a message. `about` is what tells the finding from others of its rule when records are
    /// added around it.
    pub(crate) fn at_spot(
        rule: &'static Rule,
        spot: Spot,
        turn: u32,
        label: &'static str,
        about: impl Into<String>,
        message: String,
    ) -> Self {
        Self {
            rule,
            severity: rule.severity(),
            confidence: rule.confidence(),
            message,
            at: spot.start(),
            turn,
            label,
            related: Vec::new(),
            about: about.into(),
            shows: false,
            because_of: None,
            alone: false,
        }
    }

    /// An event of its own: what is told at the end of a history happened at different times.
    pub(crate) fn alone(mut self) -> Self {
        self.alone = true;
        self
    }

    pub(crate) fn severity(mut self, severity: Severity) -> Self {
        self.severity = severity;
        self
    }

    pub(crate) fn confidence(mut self, confidence: Confidence) -> Self {
        self.confidence = confidence;
        self
    }

    pub(crate) fn related(mut self, message: &Live, what: impl Into<String>) -> Self {
        self.related.push((message.place, what.into()));
        self.shows = true;
        self
    }
}

/// What tells a message from others, wherever it stands: its id, or else its turn and how its text begins.
pub(crate) fn about(live: &Live) -> String {
    match live.recorded_id() {
        Some(id) => id.to_owned(),
        None => format!("turn {}\n{}", live.turn, live.summary()),
    }
}

/// A rule at work on one history.
pub(crate) trait StepRule {
    /// Sees what the history has become.
    fn step(&mut self, _step: &Step<'_>, _symptoms: &mut Vec<Symptom>) {}

    /// Sees what happened beside its messages.
    fn note(&mut self, _scene: &Scene<'_>, _noted: &Noted<'_>, _symptoms: &mut Vec<Symptom>) {}

    /// Sees the history as it is at the end.
    fn end(&mut self, _scene: &Scene<'_>, _symptoms: &mut Vec<Symptom>) {}
}

/// What a project may set of single rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RuleOptions {
    /// `duplicate-message`: how many messages in a row have to be said again. People and models repeat short
    /// exchanges.
    pub repeats: NonZeroU32,
    /// `skipped-injection`: the first turn in which an injection that starts now was missed rather than new.
    pub from_turn: NonZeroU32,
}

impl Default for RuleOptions {
    fn default() -> Self {
        const FOUR: NonZeroU32 = NonZeroU32::new(4).expect("four is not zero");
        const THREE: NonZeroU32 = NonZeroU32::new(3).expect("three is not zero");
        Self {
            repeats: FOUR,
            from_turn: THREE,
        }
    }
}

/// The rules that can judge a form, each with nothing seen yet.
pub(crate) fn for_form(form: &Form, options: RuleOptions, prices: &Prices) -> Vec<Box<dyn StepRule>> {
    let rules: Vec<(&'static Rule, Box<dyn StepRule>)> = vec![
        (&crate::rule::ID_SWAP, Box::<id_swap::IdSwap>::default()),
        (&crate::rule::REMINTED_IDS, Box::new(reminted_ids::RemintedIds)),
        (&crate::rule::MID_TURN_CUT, Box::new(mid_turn_cut::MidTurnCut)),
        (
            &crate::rule::SPLIT_TOOL_PAIR,
            Box::<split_tool_pair::SplitToolPair>::default(),
        ),
        (
            &crate::rule::REORDERED_HISTORY,
            Box::new(reordered_history::ReorderedHistory),
        ),
        (
            &crate::rule::DISPLACED_QUESTION,
            Box::<displaced_question::DisplacedQuestion>::default(),
        ),
        (
            &crate::rule::DUPLICATE_MESSAGE,
            Box::new(duplicate_message::DuplicateMessage::new(options.repeats)),
        ),
        (&crate::rule::DROPPED_SYSTEM, Box::new(dropped_system::DroppedSystem)),
        (
            &crate::rule::IGNORED_INSERT,
            Box::<ignored_insert::IgnoredInsert>::default(),
        ),
        (&crate::rule::IGNORED_TRIM, Box::<ignored_trim::IgnoredTrim>::default()),
        (
            &crate::rule::STALE_INJECTION,
            Box::<stale_injection::StaleInjection>::default(),
        ),
        (
            &crate::rule::PERSISTED_STATE,
            Box::<persisted_state::PersistedState>::default(),
        ),
        (
            &crate::rule::REPEATED_INJECTION,
            Box::<repeated_injection::RepeatedInjection>::default(),
        ),
        (
            &crate::rule::SKIPPED_INJECTION,
            Box::new(skipped_injection::SkippedInjection::new(options.from_turn)),
        ),
        (
            &crate::rule::CACHE_BREAK,
            Box::new(cache_break::CacheBreak::new(prices.clone())),
        ),
        (&crate::rule::BROKEN_CHAIN, Box::new(broken_chain::BrokenChain)),
        (
            &crate::rule::UNORDERED_REPLAY,
            Box::<unordered_replay::UnorderedReplay>::default(),
        ),
        (
            &crate::rule::UNSTABLE_SUMMARY,
            Box::<unstable_summary::UnstableSummary>::default(),
        ),
        (&crate::rule::LOST_TAIL, Box::<lost_tail::LostTail>::default()),
        (
            &crate::rule::COMPACTION_LOOP,
            Box::<compaction_loop::CompactionLoop>::default(),
        ),
        (
            &crate::rule::UNLATCHED_WARNING,
            Box::<unlatched_warning::UnlatchedWarning>::default(),
        ),
        (
            &crate::rule::UNMARKED_INJECTION,
            Box::<unmarked_injection::UnmarkedInjection>::default(),
        ),
        (
            &crate::rule::SYSTEM_AFTER_HISTORY,
            Box::new(system_after_history::SystemAfterHistory::new(form.system_comes_first())),
        ),
        (
            &crate::rule::MERGED_INJECTION,
            Box::new(merged_injection::MergedInjection::new(form.shows_requests())),
        ),
        (
            &crate::rule::EXTERNAL_IN_BATCH,
            Box::<external_in_batch::ExternalInBatch>::default(),
        ),
        (&crate::rule::SILENT_STOP, Box::<silent_stop::SilentStop>::default()),
        (
            &crate::rule::VISIBLE_INJECTOR,
            Box::<visible_injector::VisibleInjector>::default(),
        ),
        (
            &crate::rule::MISPLACED_BREAKPOINT,
            Box::new(misplaced_breakpoint::MisplacedBreakpoint::new(form.shows_requests())),
        ),
    ];
    let judges = |rule: &Rule| !matches!(form.verdict(rule), Verdict::No(_));
    rules
        .into_iter()
        .filter(|(rule, _)| judges(rule))
        .map(|(_, judge)| judge)
        .collect()
}

/// Families of symptoms that one event shows, most telling first: the first seen is the finding, the
/// others are named with it.
const ONE_EVENT: [&[&Rule]; 3] = [
    &[
        &crate::rule::ID_SWAP,
        &crate::rule::REMINTED_IDS,
        &crate::rule::MID_TURN_CUT,
        &crate::rule::SPLIT_TOOL_PAIR,
        // A stretch of the history that is said again holds old questions.
        &crate::rule::DUPLICATE_MESSAGE,
        &crate::rule::REORDERED_HISTORY,
        &crate::rule::DISPLACED_QUESTION,
    ],
    &[&crate::rule::IGNORED_INSERT, &crate::rule::IGNORED_TRIM],
    &[
        &crate::rule::STALE_INJECTION,
        &crate::rule::REPEATED_INJECTION,
        &crate::rule::PERSISTED_STATE,
        &crate::rule::UNMARKED_INJECTION,
    ],
];

/// The symptoms of one step by event: each the one to report, with those that it explains.
pub(crate) fn by_event(symptoms: Vec<Symptom>) -> Vec<(Symptom, Vec<Symptom>)> {
    let family = |rule: &Rule| ONE_EVENT.iter().position(|family| family.contains(&rule));
    let rank = |rule: &Rule| {
        ONE_EVENT
            .iter()
            .flat_map(|family| family.iter())
            .position(|other| *other == rule)
    };
    let mut symptoms = symptoms;
    // What a harness does in its documented way is no cause of what went wrong with it.
    let remark = |symptom: &Symptom| symptom.severity == Severity::Info;
    symptoms.sort_by_key(|symptom| rank(symptom.rule).map_or((1, false, 0), |rank| (0, remark(symptom), rank)));
    let mut events: Vec<(Symptom, Vec<Symptom>)> = Vec::new();
    // The event that each family has shown.
    let mut shown = [None; ONE_EVENT.len()];
    for symptom in symptoms {
        let same = family(symptom.rule).filter(|_| !symptom.alone);
        if let Some(event) = same.and_then(|family| shown[family]) {
            let (_, others): &mut (Symptom, Vec<Symptom>) = &mut events[event];
            others.push(symptom);
            continue;
        }
        if let Some(family) = same {
            shown[family] = Some(events.len());
        }
        events.push((symptom, Vec::new()));
    }
    events
}

/// Where messages stand that came with the step: new ones, and new contents under old ids.
fn arrivals(step: &Step<'_>) -> impl Iterator<Item = usize> {
    let mut places = step.change.inserted.clone();
    places.extend(step.change.replaced.iter().map(|replaced| replaced.at));
    places.sort_unstable();
    places.into_iter()
}

/// A message as a sentence names it: its id, or how it begins.
pub(crate) fn name(live: &Live) -> String {
    match live.recorded_id() {
        Some(id) => format!("`{}`", super::safe_text::excerpt(id, 40)),
        None => quote(live),
    }
}

/// How a message begins, in quotes.
pub(crate) fn quote(message: &Message) -> String {
    match &message.class {
        Some(class) if message.head.trim().is_empty() => format!("`{}`", super::safe_text::excerpt(class.label(), 40)),
        _ => format!("\"{}\"", super::safe_text::excerpt(&message.head, 40)),
    }
}

/// How many of something.
pub(crate) fn count(number: usize, one: &str, many: &str) -> String {
    match number {
        1 => format!("1 {one}"),
        number => format!("{number} {many}"),
    }
}
