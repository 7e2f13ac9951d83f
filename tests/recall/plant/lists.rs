//! Defects of lists that are written anew.

use super::{Expected, Spot, behind, goes_on, is_reordered, pick, shown, spots};
use crate::clean::{Family, Maker};
use crate::model::{Does, Message, What, is_whole, places};
use crate::write::Traits;

fn newest_question(list: &[Message]) -> Option<usize> {
    places(list, What::Question).next_back()
}

/// The system prompt, if one leads the list, and what stands from `from` on.
fn cut(list: &[Message], from: usize) -> Vec<Message> {
    let system = list.first().filter(|first| first.what == What::System && from > 0);
    system.into_iter().chain(&list[from..]).cloned().collect()
}

pub(super) fn swap(maker: &mut Maker<'_>, traits: &Traits) -> Option<Expected> {
    let fits = |(at, list): Spot| -> Vec<(usize, usize, Vec<Message>)> {
        let questions = places(&list, What::Question).filter(|&at| at + 1 < list.len());
        questions.map(|question| (at, question, list.clone())).collect()
    };
    let all = spots(maker).into_iter().flat_map(fits).collect();
    let (at, question, mut list) = pick(maker, all)?;
    let mut taker = maker.injection(Family::Event);
    taker.id.clone_from(&list[question].id);
    let mut again = list[question].clone();
    again.uid = maker.timeline.uid();
    again.id.push_str("__user");
    list[question] = taker;
    list.push(again.clone());
    let shown = shown(maker, traits, at);
    if !is_reordered(&shown, &list) || !goes_on(&shown, &list) {
        return None;
    }
    let step = behind(maker, at, Does::Set(list));
    // Without ids it is seen that the question went to the tail.
    let rule = if traits.ids { "id-swap" } else { "reordered-history" };
    Some(Expected::new(rule, step, &again))
}

pub(super) fn moved(maker: &mut Maker<'_>, traits: &Traits) -> Option<Expected> {
    let fits = |(_, list): &Spot| places(list, What::Question).count() > 1;
    let all = spots(maker).into_iter().filter(fits).collect();
    let (at, mut list) = pick(maker, all)?;
    let questions: Vec<usize> = places(&list, What::Question).collect();
    let number = maker.random.below(questions.len() - 1);
    let (from, to) = (questions[number], questions[number + 1]);
    let moved = list[from].clone();
    match maker.random.below(3) {
        // An old question goes to the tail.
        0 => list[from..].rotate_left(1),
        // A whole turn goes to the tail.
        1 => list[from..].rotate_left(to - from),
        // The newest question goes to the head.
        _ => {
            let newest = questions[questions.len() - 1];
            list[questions[0]..=newest].rotate_right(1);
        }
    }
    let shown = shown(maker, traits, at);
    if !is_reordered(&shown, &list) || !goes_on(&shown, &list) {
        return None;
    }
    let step = behind(maker, at, Does::Set(list));
    Some(Expected::new("reordered-history", step, &moved))
}

pub(super) fn reemission(maker: &mut Maker<'_>) -> Option<Expected> {
    let fits = |(at, list): Spot| -> Vec<(usize, Vec<Message>, usize)> {
        let newest = newest_question(&list).unwrap_or(0);
        let old = places(&list[..newest], What::Question);
        old.map(|old| (at, list.clone(), old)).collect()
    };
    let all = spots(maker).into_iter().flat_map(fits).collect();
    let (at, list, old) = pick(maker, all)?;
    let again = maker.timeline.copy(&list[old]);
    let step = behind(maker, at, Does::Append(vec![again.clone()]));
    Some(Expected::new("reordered-history", step, &again))
}

pub(super) fn split_pair(maker: &mut Maker<'_>) -> Option<Expected> {
    let fits = |(at, list): Spot| -> Vec<(usize, Vec<Message>, usize, usize)> {
        let calls = places(&list, What::Call);
        let all = calls.flat_map(|call| {
            // The call, or one of its results where the model went on behind it.
            let results = (call + 1..list.len()).filter(|&at| {
                list[at].is_result_of(&list[call].calls) && list[at..].iter().any(|live| live.what == What::Answer)
            });
            let results: Vec<usize> = results.chain([call]).collect();
            results.into_iter().map(move |gone| (call, gone))
        });
        let all: Vec<(usize, usize)> = all.collect();
        all.into_iter()
            .map(|(call, gone)| (at, list.clone(), call, gone))
            .collect()
    };
    let all = spots(maker).into_iter().flat_map(fits).collect();
    let (at, mut list, call, gone) = pick(maker, all)?;
    let left = if gone == call {
        list[call + 1].clone()
    } else {
        list[call].clone()
    };
    list.remove(gone);
    let step = behind(maker, at, Does::Set(list));
    Some(Expected::new("split-tool-pair", step, &left))
}

pub(super) fn mid_turn_cut(maker: &mut Maker<'_>, traits: &Traits) -> Option<Expected> {
    let fits = |(at, list): Spot| -> Vec<(usize, Vec<Message>, usize)> {
        let inside = |from: &usize| {
            let begins = matches!(list[*from].what, What::Call | What::Answer);
            begins && is_whole(&list[*from..]) && places(&list[..*from], What::Question).next().is_some()
        };
        let from: Vec<usize> = (0..list.len()).filter(inside).collect();
        from.into_iter().map(|from| (at, list.clone(), from)).collect()
    };
    let all = spots(maker).into_iter().flat_map(fits).collect();
    let (at, list, from) = pick(maker, all)?;
    let first = list[from].clone();
    let left = cut(&list, from);
    if !goes_on(&shown(maker, traits, at), &left) {
        return None;
    }
    let step = behind(maker, at, Does::Set(left));
    Some(Expected::new("mid-turn-cut", step, &first))
}

pub(super) fn displaced_question(maker: &mut Maker<'_>, traits: &Traits) -> Option<Expected> {
    // A turn that is over has no current question.
    let at_work = |(_, list): &Spot| list.last().is_some_and(|last| last.what == What::Result);
    let all = spots(maker).into_iter().filter(at_work).collect();
    let (at, list) = pick(maker, all)?;
    let question = newest_question(&list)?;
    let mut left = list[..question].to_vec();
    left.push(maker.injection(Family::Event));
    let shown = shown(maker, traits, at);
    // Where only calls are recorded, one of them has shown the question.
    if !goes_on(&shown, &left) || !shown.contains(&list[question]) {
        return None;
    }
    let read = left[newest_question(&left).unwrap_or(left.len() - 1)].clone();
    let step = behind(maker, at, Does::Set(left));
    Some(Expected::new("displaced-question", step, &read))
}

pub(super) fn reminted_ids(maker: &mut Maker<'_>) -> Option<Expected> {
    let fits = |(_, list): &Spot| list.len() > 3;
    let all = spots(maker).into_iter().filter(fits).collect();
    let (at, mut list) = pick(maker, all)?;
    // All, or some in the middle: a tail that is said again is another try.
    let (from, to) = if maker.one_in(2) {
        (0, list.len())
    } else {
        let from = maker.random.below(list.len() - 2);
        (from, from + 1 + maker.random.below(list.len() - 1 - from))
    };
    let conversation = |message: &Message| !matches!(message.what, What::System | What::Injection | What::Summary);
    let last = (from..to).rev().find(|&at| conversation(&list[at]))?;
    for message in &mut list[from..to] {
        *message = maker.timeline.copy(message);
    }
    let last = list[last].clone();
    let step = behind(maker, at, Does::Set(list));
    Some(Expected::new("reminted-ids", step, &last))
}

pub(super) fn dropped_system(maker: &mut Maker<'_>, traits: &Traits) -> Option<Expected> {
    let fits = |(at, list): Spot| -> Vec<(usize, Vec<Message>, usize)> {
        let led = list.first().is_some_and(|first| first.what == What::System);
        let turns: Vec<usize> = places(&list, What::Question).filter(|_| led).collect();
        turns.into_iter().map(|from| (at, list.clone(), from)).collect()
    };
    let all = spots(maker).into_iter().flat_map(fits).collect();
    let (at, list, from) = pick(maker, all)?;
    let first = list[from].clone();
    let summary = list[..from].iter().filter(|message| message.what == What::Summary);
    let left: Vec<Message> = summary.chain(&list[from..]).cloned().collect();
    if !goes_on(&shown(maker, traits, at), &left) {
        return None;
    }
    let step = behind(maker, at, Does::Set(left));
    Some(Expected::new("dropped-system", step, &first))
}

pub(super) fn regenerated_summary(maker: &mut Maker<'_>, traits: &Traits) -> Option<Expected> {
    let fits = |(at, list): Spot| {
        let summary = places(&list, What::Summary).next()?;
        Some((at, list, summary))
    };
    let all = spots(maker).into_iter().filter_map(fits).collect();
    let (at, mut list, summary) = pick(maker, all)?;
    let shown = shown(maker, traits, at);
    if !shown.contains(&list[summary]) {
        return None;
    }
    let mut anew = maker.summary();
    if maker.one_in(2) {
        anew.id.clone_from(&list[summary].id);
    }
    list[summary] = anew.clone();
    if !goes_on(&shown, &list) {
        return None;
    }
    let step = behind(maker, at, Does::Set(list));
    Some(Expected::new("unstable-summary", step, &anew))
}

pub(super) fn changed_prefix(maker: &mut Maker<'_>, traits: &Traits) -> Option<Expected> {
    let all = spots(maker);
    let (at, mut list) = pick(maker, all)?;
    let shown = shown(maker, traits, at);
    // Providers do not cache short prompts.
    let bytes = |list: &[Message]| list.iter().map(|message| message.text.len()).sum::<usize>();
    // Of a summary it is told by the rule of summaries.
    let old = |at: &usize| {
        let message = &list[*at];
        shown.contains(message)
            && message.what != What::Summary
            && !message.text.is_empty()
            && 9 * bytes(&list[*at..]) > bytes(&list)
    };
    let places = (0..list.len()).filter(old).collect();
    let place = pick(maker, places)?;
    if bytes(&shown) < 5_000 {
        return None;
    }
    let changed = &mut list[place];
    changed.uid = maker.timeline.uid();
    // The last letter: a full stop, or a word that gets one more letter.
    match changed.text.pop() {
        Some('.') => changed.text.push('!'),
        last => changed.text.extend(last.into_iter().chain(['s'])),
    }
    let changed = changed.clone();
    let step = behind(maker, at, Does::Set(list));
    Some(Expected::new("cache-break", step, &changed))
}
