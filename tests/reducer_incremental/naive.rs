//! The reducers without index, journal or deltas: every step makes a new list.

use crate::{FoldError, Line, Reducer, Removal, Write};

pub(crate) fn superstep(
    reducer: Reducer,
    before: &[Line],
    writes: &[Write<Line>],
    fresh: &mut u32,
) -> Result<Vec<Line>, FoldError<u32>> {
    match reducer {
        Reducer::LastValue => match writes {
            [Write::Update(lines) | Write::Overwrite(lines)] => Ok(lines.clone()),
            _ => Err(FoldError::NotOneValue),
        },
        Reducer::OperatorAdd | Reducer::Delta => {
            let overwrites: Vec<_> = writes
                .iter()
                .filter_map(|write| {
                    if let Write::Overwrite(lines) = write {
                        Some(lines)
                    } else {
                        None
                    }
                })
                .collect();
            match overwrites[..] {
                [_, _, ..] => Err(FoldError::TwoOverwrites),
                [lines] => Ok(lines.clone()),
                [] if reducer == Reducer::Delta => Ok(delta(before, &flat(writes))),
                [] => Ok([before, &flat(writes)].concat()),
            }
        }
        Reducer::AddMessages | Reducer::Channel | Reducer::Js => {
            let mut state = before.to_vec();
            let mut overwritten = false;
            for write in writes {
                match write {
                    Write::Overwrite(_) if overwritten => return Err(FoldError::TwoOverwrites),
                    Write::Overwrite(lines) => (state, overwritten) = (lines.clone(), true),
                    Write::Update(lines) if !overwritten => state = add_messages(&state, lines, fresh)?,
                    Write::Update(_) => {}
                }
            }
            Ok(state)
        }
    }
}

fn flat(writes: &[Write<Line>]) -> Vec<Line> {
    writes
        .iter()
        .flat_map(|(Write::Update(lines) | Write::Overwrite(lines))| lines.clone())
        .collect()
}

fn add_messages(left: &[Line], right: &[Line], fresh: &mut u32) -> Result<Vec<Line>, FoldError<u32>> {
    let mut named = |lines: &[Line]| -> Vec<Line> {
        let mut lines = lines.to_vec();
        for line in lines.iter_mut().filter(|line| line.id.is_none()) {
            line.id = Some(*fresh);
            *fresh += 1;
        }
        lines
    };
    let (mut merged, right) = (named(left), named(right));
    if let Some(at) = right.iter().rposition(|line| line.removal == Removal::All) {
        return Ok(right[at + 1..].to_vec());
    }
    let mut marked = Vec::new();
    for line in right {
        match (merged.iter().rposition(|other| other.id == line.id), line.removal) {
            (Some(at), Removal::No) => {
                marked.retain(|id| *id != line.id);
                merged[at] = line;
            }
            (Some(_), _) => marked.push(line.id),
            (None, Removal::No) => merged.push(line),
            (None, _) => return Err(FoldError::UnknownRemoval(line.id.expect("every line was named"))),
        }
    }
    merged.retain(|line| !marked.contains(&line.id));
    Ok(merged)
}

fn delta(state: &[Line], update: &[Line]) -> Vec<Line> {
    let reset = update.iter().rposition(|line| line.removal == Removal::All);
    let mut result: Vec<Option<Line>> = match reset {
        Some(_) => Vec::new(),
        None => state.iter().cloned().map(Some).collect(),
    };
    // An id is known by the last place it had at the start, or was appended to.
    let mut gone = Vec::new();
    for line in &update[reset.map_or(0, |at| at + 1)..] {
        let same = |other: &Option<Line>| {
            other
                .as_ref()
                .is_some_and(|other| other.id.is_some() && other.id == line.id)
        };
        let place = result.iter().rposition(same).filter(|_| !gone.contains(&line.id));
        match (place, line.removal) {
            (Some(at), Removal::No) => result[at] = Some(line.clone()),
            (Some(at), _) => {
                result[at] = None;
                gone.push(line.id);
            }
            (None, Removal::No) => {
                gone.retain(|id| *id != line.id);
                result.push(Some(line.clone()));
            }
            (None, _) => {}
        }
    }
    result.into_iter().flatten().collect()
}
