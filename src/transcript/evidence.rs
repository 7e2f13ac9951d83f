//! From a symptom to a finding: where it is, what stands around it, what the model would read.

use std::ops::Range;
use std::path::{Path, PathBuf};

use rustc_hash::FxHashSet;

use super::message::{Kind, Live, Place};
use super::rules::Symptom;
use super::safe_text::{self, WIDTH};
use super::step::{Scene, Source, Step};
use crate::finding::{Counterexample, Excerpt, Finding, Mark, ModelRow, Position, Related, Span, Witness};
use crate::rule::{self, Rule};

/// The most messages that a counterexample shows; of longer lists it shows the ends and what matters.
const ROWS: usize = 24;

/// The finding for a symptom and those it explains.
///
/// What shows in a step is reported at the record that tells the step; what shows beside one, where the symptom says.
pub(crate) fn finding(
    paths: &[PathBuf],
    scene: &Scene<'_>,
    step: Option<&Step<'_>>,
    symptom: Symptom,
    others: Vec<Symptom>,
) -> Finding {
    let (file, record) = (scene.spot.file, scene.spot.line..=scene.spot.end_line);
    let mut related: Vec<(Place, String)> = Vec::new();
    // An event is reported where it is recorded, even if what it is about was recorded before.
    let at = if step.is_none() || symptom.at.file == file && record.contains(&symptom.at.line) {
        symptom.at
    } else {
        related.push((symptom.at, symptom.label.to_owned()));
        scene.spot.start()
    };
    let mut finding = Finding::at(
        symptom.rule,
        Witness::Transcript,
        span(paths, at),
        symptom.message.clone(),
    );
    finding.severity = others
        .iter()
        .map(|other| other.severity)
        .fold(symptom.severity, Ord::max);
    finding.confidence = symptom.confidence;
    finding.label = Some(symptom.label.to_owned());
    // In a list nothing happens at a certain time; what counts is when the message came.
    let happens = step.filter(|step| !matches!(step.source, Source::Append | Source::Beginning));
    let turn = happens.map_or(symptom.turn, |step| step.turn);
    finding.turn = (turn > 0).then_some(turn);
    finding.step = step.map(|step| step.node().unwrap_or_else(|| step.number.to_string()));
    finding.help = help(symptom.rule).map(str::to_owned);
    finding.about = Some(format!("{}\n{}", scene.thread, symptom.about));
    finding.excerpt = symptom
        .shows
        .then(|| excerpt(paths, scene, &symptom))
        .filter(|excerpt| step.is_some() || !excerpt.labels.is_empty());
    let folds = ["placement", "identity", "cuts"].contains(&symptom.rule.family());
    if let Some(step) = step.filter(|_| folds) {
        finding.counterexample = Some(counterexample(step, &symptom));
    }
    related.extend(symptom.related);
    for other in others {
        if !finding.also.contains(&other.rule) && other.rule != finding.rule() {
            finding.also.push(other.rule);
        }
        related.push((other.at, other.message));
        related.extend(other.related);
    }
    let mut seen: FxHashSet<Place> = [at].into_iter().collect();
    for (place, message) in related {
        if seen.insert(place) {
            finding.related.push(Related {
                span: span(paths, place),
                message,
            });
        }
    }
    finding
}

/// Names what came of a finding's event later.
pub(crate) fn join(finding: &mut Finding, paths: &[PathBuf], symptom: Symptom) {
    if !finding.also.contains(&symptom.rule) && symptom.rule != finding.rule() {
        finding.also.push(symptom.rule);
    }
    finding.severity = finding.severity.max(symptom.severity);
    finding.related.push(Related {
        span: span(paths, symptom.at),
        message: symptom.message,
    });
}

/// The file that a place is in.
fn file(paths: &[PathBuf], place: Place) -> &Path {
    paths.get(place.file as usize).map_or(Path::new(""), PathBuf::as_path)
}

/// A stretch of a file.
pub(crate) fn span(paths: &[PathBuf], place: Place) -> Span {
    Span {
        path: file(paths, place).to_owned(),
        start: Position {
            line: place.line,
            column: place.column,
        },
        end: Position {
            line: place.end_line,
            column: place.end_column,
        },
    }
}

/// What the project's decision matrix says about the case.
fn help(rule: &Rule) -> Option<&'static str> {
    let all = [
        (
            &rule::UNLATCHED_WARNING,
            "state: send it with each call past the limit, or store it once and forget that when a compaction removes it",
        ),
        (
            &rule::UNMARKED_INJECTION,
            "give it a name, a flag or a tag, and let every search for the person's words skip what is marked",
        ),
        (
            &rule::SYSTEM_AFTER_HISTORY,
            "state: put it into the system prompt of the call, in front of the conversation",
        ),
        (
            &rule::MERGED_INJECTION,
            "state: send the block as a message of its own behind the history, or store the message as it was sent",
        ),
        (
            &rule::EXTERNAL_IN_BATCH,
            "leave the text in the result of the tool, or put it between tags that say it is text to read",
        ),
        (
            &rule::SILENT_STOP,
            "let the message ask for what is left undone, in a form that the caller can test for",
        ),
        (&rule::VISIBLE_INJECTOR, "say what holds, not who says it"),
        (
            &rule::MISPLACED_BREAKPOINT,
            "mark the last block that stays the same and the last message, and no more than the provider takes",
        ),
        (
            &rule::ID_SWAP,
            "state: rebuild it for each call and keep it out of the history; never give a stored message another's id",
        ),
        (
            &rule::REMINTED_IDS,
            "correction: update messages in place, under the ids they have",
        ),
        (
            &rule::MID_TURN_CUT,
            "over budget: cut at the beginning of a turn; in the middle of one, keep the current question",
        ),
        (
            &rule::SPLIT_TOOL_PAIR,
            "over budget: cut where every call stands with its results, or drop both halves",
        ),
        (
            &rule::REORDERED_HISTORY,
            "correction: change content in place; what is added under a new id goes to the tail",
        ),
        (
            &rule::DISPLACED_QUESTION,
            "keep the newest question the last that the model reads",
        ),
        (
            &rule::DUPLICATE_MESSAGE,
            "pass only what is new; the history is already stored",
        ),
        (
            &rule::DROPPED_SYSTEM,
            "keep the system message outside the list, or put it back at its head after the cut",
        ),
        (
            &rule::IGNORED_INSERT,
            "state: put it into the call instead; a stored list changes its order only by removing all and writing it anew",
        ),
        (
            &rule::IGNORED_TRIM,
            "over budget: remove messages with orders to remove, or hand the shorter list to the call only",
        ),
        (
            &rule::STALE_INJECTION,
            "state: rebuild it for each call at the tail and keep it out of the history",
        ),
        (
            &rule::PERSISTED_STATE,
            "state: rebuild it for each call at the tail and keep it out of the history",
        ),
        (
            &rule::REPEATED_INJECTION,
            "look for the copy that stands in the history before adding another",
        ),
        (
            &rule::CACHE_BREAK,
            "keep what was sent as it was sent; put what changes behind it, at the tail of the call",
        ),
        (
            &rule::UNORDERED_REPLAY,
            "store a number that rises with each message, and read the history back by it",
        ),
        (
            &rule::UNSTABLE_SUMMARY,
            "store a summary once, under an id of its own, and send the same bytes until the next cut",
        ),
        (
            &rule::BROKEN_CHAIN,
            "write a record before anything names it as its parent, and walk the links again before resuming",
        ),
        (
            &rule::LOST_TAIL,
            "write what came in before it is summed up: a record that is written later, or never, cannot be replayed",
        ),
        (
            &rule::COMPACTION_LOOP,
            "over budget: measure what stays after a compaction, and stop where that is still too much",
        ),
        (
            &rule::SKIPPED_INJECTION,
            "do not take \"nothing injected yet\" for \"first turn\": look at the history's length",
        ),
    ];
    all.into_iter().find(|(known, _)| *known == rule).map(|(_, help)| help)
}

/// The messages around the event, one short line each.
fn excerpt(paths: &[PathBuf], scene: &Scene<'_>, symptom: &Symptom) -> Excerpt {
    let name = file(paths, symptom.at)
        .file_name()
        .map_or_else(|| "standard input".into(), |name| name.to_string_lossy());
    let name = safe_text::excerpt(&name, WIDTH);
    let turn = if scene.turn > 0 {
        format!(", turn {}", scene.turn)
    } else {
        String::new()
    };
    let name = format!("{name}{turn}, step {}", scene.number);
    let mut text = String::new();
    let mut labels: Vec<(Range<usize>, String)> = Vec::new();
    let mut previous = None;
    for at in shown(scene, symptom) {
        if previous.is_some_and(|previous| previous + 1 != at) {
            text.push_str("…\n");
        }
        previous = Some(at);
        let live = &scene.list[at];
        let start = text.len();
        text.push_str(&line(live));
        let range = start..text.len();
        text.push('\n');
        if live.place == symptom.at {
            labels.insert(0, (range, symptom.label.to_owned()));
        } else if let Some((_, what)) = symptom.related.iter().find(|(place, _)| *place == live.place) {
            labels.push((range, what.clone()));
        }
    }
    Excerpt { name, text, labels }
}

/// Positions to show: what the symptom is about, its neighbours and the end of the list.
fn shown(scene: &Scene<'_>, symptom: &Symptom) -> Vec<usize> {
    let related = symptom.related.iter().map(|(place, _)| *place);
    let wanted: FxHashSet<Place> = related.chain([symptom.at]).collect();
    let len = scene.list.len();
    let parts = scene.outline.at_places(scene.list, &wanted);
    let near = parts.iter().rev().take(6);
    let mut shown: Vec<usize> = near.flat_map(|&at| at.saturating_sub(1)..(at + 2).min(len)).collect();
    shown.extend(len.saturating_sub(2)..len);
    shown.sort_unstable();
    shown.dedup();
    shown
}

/// `role  id  text`
pub(crate) fn line(live: &Live) -> String {
    let id = safe_text::excerpt(live.recorded_id().unwrap_or("-"), 16);
    let start = format!("{:<9} {id:<16} ", live.role.as_str());
    let room = WIDTH.saturating_sub(start.chars().count());
    start + &safe_text::excerpt(&live.summary(), room)
}

/// The list as the model would read it.
fn counterexample(step: &Step<'_>, symptom: &Symptom) -> Counterexample {
    let question = step.question_at();
    let taken = step.taken_for_current();
    let len = step.after.len();
    let mut wanted: Vec<usize> = if len > ROWS {
        let ends = (0..2).chain(len - ROWS / 2..len);
        ends.chain(shown(&step.scene(), symptom)).collect()
    } else {
        (0..len).collect()
    };
    wanted.sort_unstable();
    wanted.dedup();
    let moved: FxHashSet<usize> = step.change.moved.iter().map(|moved| moved.at).collect();
    let mut rows = Vec::new();
    for at in wanted {
        let live = &step.after[at];
        let mark = if Some(at) == question {
            Some(Mark::Current)
        } else if Some(at) == taken {
            Some(Mark::TakenForCurrent)
        } else if moved.contains(&at) {
            Some(Mark::Moved)
        } else if matches!(live.kind, Kind::Injected | Kind::Summary) {
            Some(Mark::Injected)
        } else {
            None
        };
        rows.push(row(live, mark));
    }
    let lost = step
        .change
        .removed
        .iter()
        .filter(|removed| removed.old.is_conversation());
    let lost: Vec<_> = lost.rev().take(ROWS / 2).collect();
    // In order, so that each finds those that stood before it.
    for removed in lost.into_iter().rev() {
        let place = removed.was_at.min(rows.len());
        rows.insert(place, row(&removed.old, Some(Mark::Lost)));
    }
    Counterexample { rows }
}

/// One message of a list.
pub(crate) fn row(live: &Live, mark: Option<Mark>) -> ModelRow {
    ModelRow {
        id: live.recorded_id().map(|id| safe_text::excerpt(id, WIDTH)),
        role: live.role.as_str().to_owned(),
        text: safe_text::excerpt(&live.summary(), WIDTH),
        mark,
    }
}
