//! The rows that show what a step did to a list, and the arrows between them.

use crate::drawing::Arrow;
use crate::transcript::message::Live;
use crate::transcript::step::Step;

/// One line of a list.
pub(super) enum Row<'s> {
    /// A message that stands in the list.
    Stands { at: usize, live: &'s Live, mark: Mark },
    /// A message that stood here.
    Gone { live: &'s Live },
    /// What stood here under the id of the row above.
    Was { live: &'s Live },
    /// Where a message stood that stands elsewhere now.
    Left { live: &'s Live },
    /// So many messages that nothing happened to.
    Gap(usize),
    /// So many messages that stood here, of a cut that takes more than a few.
    Cut(usize),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mark {
    None,
    Inserted,
    Replaced,
    Moved,
}

/// How many unchanged messages are shown beside a changed one.
const CONTEXT: usize = 1;

/// More messages than this that are gone together are a cut, which is told by its number.
const CUT: usize = 3;

/// The rows of a step, and the moves between them.
pub(super) fn rows<'s>(step: &'s Step<'_>) -> (Vec<Row<'s>>, Vec<Arrow>) {
    let change = step.change;
    let mut all: Vec<Row<'s>> = Vec::new();
    // Row of what left its place, with the place where it stands now.
    let mut departures: Vec<(usize, usize)> = Vec::new();
    let mut kept = kept_places(step);
    let mut gone = change.removed.iter().peekable();
    let mut left = change.moved.clone();
    left.sort_unstable_by_key(|moved| moved.was_at);
    let mut left = left.into_iter().peekable();
    for (at, live) in step.after.iter().enumerate() {
        let was_at = kept.next_if(|(place, _)| *place == at).map(|(_, was_at)| was_at);
        while let Some(removed) = gone.next_if(|removed| was_at.is_some_and(|was_at| removed.was_at < was_at)) {
            all.push(Row::Gone { live: &removed.old });
        }
        while let Some(moved) = left.next_if(|moved| was_at.is_some_and(|was_at| moved.was_at < was_at)) {
            departures.push((all.len(), moved.at));
            all.push(Row::Left {
                live: &step.after[moved.at],
            });
        }
        let replaced = change.replaced.iter().find(|replaced| replaced.at == at);
        let mark = if change.inserted.binary_search(&at).is_ok() {
            Mark::Inserted
        } else if replaced.is_some() {
            Mark::Replaced
        } else if change.moved.iter().any(|moved| moved.at == at) {
            Mark::Moved
        } else {
            Mark::None
        };
        all.push(Row::Stands { at, live, mark });
        if let Some(replaced) = replaced {
            let comes_back = change
                .inserted
                .iter()
                .find(|at| step.after[**at].content == replaced.old.content);
            if let Some(&at) = comes_back {
                departures.push((all.len(), at));
            }
            all.push(Row::Was { live: &replaced.old });
        }
    }
    all.extend(gone.map(|removed| Row::Gone { live: &removed.old }));
    for moved in left {
        departures.push((all.len(), moved.at));
        all.push(Row::Left {
            live: &step.after[moved.at],
        });
    }
    let arrivals: Vec<Arrow> = departures
        .into_iter()
        .filter_map(|(from, at)| {
            let to = all
                .iter()
                .position(|row| matches!(row, Row::Stands { at: place, .. } if *place == at))?;
            Some(Arrow { from, to })
        })
        .collect();
    fold(all, &arrivals, [step.taken_for_current(), step.question_at()])
}

/// For the messages that stayed in their order, where they stand and where they stood.
fn kept_places(step: &Step<'_>) -> std::iter::Peekable<impl Iterator<Item = (usize, usize)>> {
    let change = step.change;
    let gone = |place: &usize| {
        change
            .removed
            .binary_search_by_key(place, |removed| removed.was_at)
            .is_ok()
            || change.moved.iter().any(|moved| moved.was_at == *place)
    };
    let new = |place: &usize| {
        change.inserted.binary_search(place).is_ok() || change.moved.iter().any(|moved| moved.at == *place)
    };
    let before: Vec<usize> = (0..change.before).filter(|place| !gone(place)).collect();
    let after: Vec<usize> = (0..step.after.len()).filter(|place| !new(place)).collect();
    after.into_iter().zip(before).peekable()
}

/// Leaves out what nothing happened to and nothing is near to, and counts what is gone.
fn fold<'s>(all: Vec<Row<'s>>, arrows: &[Arrow], marked: [Option<usize>; 2]) -> (Vec<Row<'s>>, Vec<Arrow>) {
    let changed = |row: &Row<'_>| match row {
        Row::Stands { at, mark, .. } => *mark != Mark::None || marked.contains(&Some(*at)),
        _ => true,
    };
    let mut shown = vec![false; all.len()];
    for (place, _) in all.iter().enumerate().filter(|(_, row)| changed(row)) {
        shown[place.saturating_sub(CONTEXT)..(place + CONTEXT + 1).min(all.len())].fill(true);
    }
    // For each row how many rows are gone together with it.
    let mut gone = vec![0; all.len()];
    let mut from = 0;
    while from < all.len() {
        let run = all[from..]
            .iter()
            .take_while(|row| matches!(row, Row::Gone { .. }))
            .count();
        gone[from..from + run].fill(run);
        from += run.max(1);
    }
    let mut new_places = vec![0; all.len()];
    let mut rows: Vec<Row<'s>> = Vec::new();
    for (place, row) in all.into_iter().enumerate() {
        if gone[place] > CUT {
            if let Some(Row::Cut(count)) = rows.last_mut() {
                *count += 1;
            } else {
                rows.push(Row::Cut(1));
            }
        } else if shown[place] {
            new_places[place] = rows.len();
            rows.push(row);
        } else if let Some(Row::Gap(count)) = rows.last_mut() {
            *count += 1;
        } else {
            rows.push(Row::Gap(1));
        }
    }
    let arrows = arrows.iter().map(|arrow| Arrow {
        from: new_places[arrow.from],
        to: new_places[arrow.to],
    });
    (rows, arrows.collect())
}
