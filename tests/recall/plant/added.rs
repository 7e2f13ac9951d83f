//! Defects that need nothing but more messages, or fewer.

use super::{Expected, Place, Spot, behind, pick, spots};
use crate::clean::{Family, Maker};
use crate::model::{Does, How, Message, What, places};
use crate::write::{Shows, Traits};

/// An injection stands where a question stood, under its id; the question stands behind a later one.
pub(super) fn swap(maker: &mut Maker<'_>) -> Option<Expected> {
    let fits = |(at, list): Spot| -> Vec<(usize, Message)> {
        let newest = places(&list, What::Question).next_back().unwrap_or(0);
        let old = places(&list[..newest], What::Question);
        old.map(|old| (at, list[old].clone())).collect()
    };
    let all = spots(maker).into_iter().flat_map(fits).collect();
    let (at, question) = pick(maker, all)?;
    // What a compaction kept would be another list without the question.
    let compacted = maker
        .timeline
        .steps
        .iter()
        .rposition(|step| step.how == How::Compaction);
    if compacted.is_some_and(|at| maker.timeline.lists()[at].contains(&question)) {
        return None;
    }
    let mut taker = maker.injection(Family::Event);
    taker.id.clone_from(&question.id);
    for step in &mut maker.timeline.steps {
        let Does::Append(messages) = &mut step.does else {
            continue;
        };
        let found = messages.iter_mut().find(|message| message.uid == question.uid);
        if let Some(found) = found {
            *found = taker.clone();
        }
    }
    let mut again = question;
    again.uid = maker.timeline.uid();
    again.id.push_str("__user");
    let step = behind(maker, at, Does::Append(vec![again.clone()]));
    Some(Expected::new("id-swap", step, &again))
}

/// A result that never came, or a call that was never written.
pub(super) fn split_pair(maker: &mut Maker<'_>, traits: &Traits) -> Option<Expected> {
    let tools = (0..maker.timeline.steps.len()).filter(|&at| maker.timeline.steps[at].how == How::Tools);
    let tools = tools.collect();
    let at: usize = pick(maker, tools)?;
    let Does::Append(said) = &maker.timeline.steps[at - 1].does else {
        return None;
    };
    let calls = said
        .iter()
        .enumerate()
        .filter(|(_, message)| message.what == What::Call);
    let calls: Vec<(usize, Message)> = calls.map(|(at, message)| (at, message.clone())).collect();
    let (place, call) = pick(maker, calls)?;
    // Where a call is left out, the log has lost it; a program that writes lists cannot.
    if is_log(traits) && traits.pairs && traits.orphans && maker.one_in(2) {
        let Does::Append(results) = &maker.timeline.steps[at].does else {
            return None;
        };
        let first = results.iter().find(|result| result.is_result_of(&call.calls))?.clone();
        if let Does::Append(said) = &mut maker.timeline.steps[at - 1].does {
            said.remove(place);
        }
        return Some(Expected::new("split-tool-pair", at, &first));
    }
    let gone = call.calls[maker.random.below(call.calls.len())].clone();
    let Does::Append(results) = &mut maker.timeline.steps[at].does else {
        return None;
    };
    results.retain(|result| result.answers.as_ref() != Some(&gone));
    let answered = !results.is_empty();
    // It shows when the model goes on; calls alone may have been made at the same time.
    let (step, message) = no_longer_waits(maker, at, answered, traits)?;
    if traits.shows == Shows::List && traits.whole {
        // Some forms end before the last answer.
        let goes_on = maker.timeline.call_behind(step).is_some();
        return goes_on.then(|| Expected::new("split-tool-pair", step, &call));
    }
    if traits.shows == Shows::Requests && !traits.answers {
        // The next call sends it, unless it was cut away.
        let sent = maker.timeline.call_behind(step)? - 1;
        let sent = maker.timeline.lists().swap_remove(sent);
        sent.contains(&message).then_some(())?;
    }
    Some(Expected::new("split-tool-pair", step, &message))
}

fn is_log(traits: &Traits) -> bool {
    matches!(traits.shows, Shows::Log | Shows::List)
}

/// The first message behind step `at` that shows that the model no longer waits.
fn no_longer_waits(maker: &Maker<'_>, at: usize, mut answered: bool, traits: &Traits) -> Option<(usize, Message)> {
    for (at, step) in maker.timeline.steps.iter().enumerate().skip(at + 1) {
        let Does::Append(messages) = &step.does else {
            return None;
        };
        for message in messages {
            match message.what {
                What::Answer | What::Remark => return Some((at, message.clone())),
                What::Call if answered && !is_log(traits) && !traits.answers => return Some((at, message.clone())),
                What::Result => answered = true,
                _ => {}
            }
        }
    }
    None
}

/// Steps with no compaction between the first and the last, in order.
fn several(maker: &mut Maker<'_>, many: usize) -> Option<Vec<usize>> {
    let all: Vec<usize> = spots(maker).into_iter().map(|(at, _)| at).collect();
    let mut at: Vec<usize> = (0..many).filter_map(|_| pick(maker, all.clone())).collect();
    at.sort_unstable();
    let (first, last) = (*at.first()?, *at.last()?);
    let between = &maker.timeline.steps[first + 1..=last];
    let cut = between.iter().any(|step| step.how == How::Compaction);
    (!cut).then_some(at)
}

/// Puts these messages behind the steps; the numbers of their own.
fn put(maker: &mut Maker<'_>, at: Vec<usize>, messages: &[Message]) -> Vec<usize> {
    let mut steps = Vec::new();
    for (number, (at, message)) in at.into_iter().zip(messages).enumerate() {
        // Those before have moved it.
        steps.push(behind(maker, at + number, Does::Append(vec![message.clone()])));
    }
    steps
}

/// A name of a family that no injection of the session has.
fn unused(maker: &mut Maker<'_>, family: Family) -> Option<&'static str> {
    let lists = maker.timeline.lists();
    let names = family.names().iter().copied();
    let names = names.filter(|name| {
        let tag = format!("<{name}>");
        !lists.iter().flatten().any(|message| message.text.contains(&tag))
    });
    let names = names.collect();
    pick(maker, names)
}

pub(super) fn stale_injection(maker: &mut Maker<'_>, traits: &Traits) -> Option<Expected> {
    let family = if traits.mild || maker.one_in(2) {
        Family::State
    } else {
        Family::Standing
    };
    let name = unused(maker, family)?;
    let at = several(maker, 2)?;
    let bodies = [maker.body(), maker.body()];
    let messages = bodies.map(|body| maker.injection_named(name, &body));
    let steps = put(maker, at, &messages);
    let mut expected = Expected::new("stale-injection", steps[1], &messages[1]);
    if family == Family::State {
        expected
            .besides
            .push(("persisted-state", place(steps[0], &messages[0])));
    }
    Some(expected)
}

pub(super) fn repeated_injection(maker: &mut Maker<'_>) -> Option<Expected> {
    let families = [Family::State, Family::Event, Family::Standing];
    let family = families[maker.random.below(3)];
    let name = unused(maker, family)?;
    // What happened may happen twice.
    let many = if family == Family::State { 2 } else { 3 };
    let at = several(maker, many)?;
    let body = maker.body();
    let messages: Vec<Message> = (0..many).map(|_| maker.injection_named(name, &body)).collect();
    let steps = put(maker, at, &messages);
    let mut expected = Expected::new("repeated-injection", steps[many - 1], &messages[many - 1]);
    if family == Family::State {
        expected
            .besides
            .push(("persisted-state", place(steps[0], &messages[0])));
    }
    Some(expected)
}

const fn place(step: usize, message: &Message) -> Place {
    Place { step, uid: message.uid }
}

pub(super) fn duplicate(maker: &mut Maker<'_>, traits: &Traits) -> Option<Expected> {
    let fits = |(_, list): &Spot| list.len() > 4;
    let all = spots(maker).into_iter().filter(fits).collect();
    let (at, list) = pick(maker, all)?;
    // Who merges by id takes no second copy under one.
    let keeps_ids = traits.doubles && maker.one_in(2);
    // A result among others of one message is not a message of its own.
    let alone = |result: &&Message| {
        let callers = list.iter().find(|caller| result.is_result_of(&caller.calls));
        result.what == What::Result && !(traits.together && callers.is_some_and(|caller| caller.calls.len() > 1))
    };
    let result = list.iter().rfind(alone);
    let again: Vec<Message> = match result {
        Some(result) if traits.pairs && maker.one_in(3) => vec![result.clone()],
        _ => {
            let summary = places(&list, What::Summary).next_back();
            let begins = |at: &usize| {
                let first = &list[*at];
                !matches!(first.what, What::System | What::Result) && summary.is_none_or(|summary| summary < *at)
            };
            let from = pick(maker, (0..list.len() - 3).filter(begins).collect())?;
            list[from..].to_vec()
        }
    };
    let copies: Vec<Message> = again
        .iter()
        .map(|message| {
            let copy = maker.timeline.copy(message);
            if keeps_ids {
                Message {
                    uid: copy.uid,
                    ..message.clone()
                }
            } else {
                copy
            }
        })
        .collect();
    let first = if keeps_ids {
        0
    } else {
        // A result that is there twice, or the fourth message in a row.
        let result = copies
            .iter()
            .position(|message| traits.pairs && message.what == What::Result);
        result.unwrap_or(3).min(3)
    };
    let found = copies.get(first)?.clone();
    let step = behind(maker, at, Does::Append(copies));
    Some(Expected::new("duplicate-message", step, &found))
}

pub(super) fn broken_chain(maker: &mut Maker<'_>) -> Option<Expected> {
    let all = spots(maker);
    let (at, _) = pick(maker, all)?;
    let Does::Append(messages) = &maker.timeline.steps[at + 1].does else {
        return None;
    };
    let first = messages.first()?.clone();
    maker.timeline.severed = Some(first.uid);
    Some(Expected::new("broken-chain", at + 1, &first))
}

/// A call that reads nothing from the cache although the one before left much there.
pub(super) fn missed_cache(maker: &mut Maker<'_>) -> Option<Expected> {
    let all = spots(maker);
    let (at, _) = pick(maker, all)?;
    let at = maker.timeline.call_behind(at)?;
    let Does::Append(messages) = &maker.timeline.steps[at].does else {
        return None;
    };
    let first = messages.first()?.clone();
    maker.timeline.missed = Some(at);
    Some(Expected::new("cache-break", at, &first))
}
