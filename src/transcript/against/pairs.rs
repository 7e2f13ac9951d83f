//! Which session of the newer run is which of the older one.

use std::collections::BTreeMap;
use std::path::Path;

use super::history::Run;

/// The run, and the history in it.
type At = (usize, usize);

/// Two histories of one session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Pair {
    pub(super) old: At,
    pub(super) new: At,
}

/// Every session of both sides.
#[derive(Debug, Default)]
pub(super) struct Pairs {
    pub(super) both: Vec<Pair>,
    pub(super) only_old: Vec<At>,
    pub(super) only_new: Vec<At>,
}

impl Pairs {
    /// Pairs by id; of several with one id those whose files are called alike. A lone session of each side is paired
    /// whatever its id, and its subagents with it.
    pub(super) fn of(older: &[Run], newer: &[Run]) -> Self {
        let mut sides: BTreeMap<String, (Vec<At>, Vec<At>)> = BTreeMap::new();
        let lone = match (tops(older).as_slice(), tops(newer).as_slice()) {
            ([old], [new]) if old != new => Some(((*old).to_owned(), (*new).to_owned())),
            _ => None,
        };
        for at in all(older) {
            let id = &older[at.0].histories[at.1].session;
            let id = match &lone {
                Some((old, new)) => format!("{new}{}", &id[old.len()..]),
                None => id.clone(),
            };
            sides.entry(id).or_default().0.push(at);
        }
        for at in all(newer) {
            let id = &newer[at.0].histories[at.1].session;
            sides.entry(id.clone()).or_default().1.push(at);
        }
        let mut pairs = Self::default();
        for (mut olds, mut news) in sides.into_values() {
            let name = |runs: &[Run], at: &At| runs[at.0].path.file_name().map(Path::new).map(Path::to_owned);
            // Files that are called alike first.
            olds.retain(|old| {
                let alike = |new: &At| name(newer, new) == name(older, old);
                let Some(at) = news.iter().position(alike) else {
                    return true;
                };
                pairs.both.push(Pair {
                    old: *old,
                    new: news.remove(at),
                });
                false
            });
            let number = olds.len().min(news.len());
            let rest = olds.drain(..number).zip(news.drain(..number));
            pairs.both.extend(rest.map(|(old, new)| Pair { old, new }));
            pairs.only_old.extend(olds);
            pairs.only_new.extend(news);
        }
        pairs.both.sort_by_key(|pair| pair.new);
        pairs
    }
}

fn all(runs: &[Run]) -> impl Iterator<Item = At> + '_ {
    let of = |(at, run): (usize, &Run)| (0..run.histories.len()).map(move |history| (at, history));
    runs.iter().enumerate().flat_map(of)
}

/// The sessions that are nobody's subagent.
fn tops(runs: &[Run]) -> Vec<&str> {
    let session = |at: At| {
        let id = runs[at.0].histories[at.1].session.as_str();
        id.split_once('/').map_or(id, |(top, _)| top)
    };
    let mut tops: Vec<&str> = all(runs).map(session).collect();
    tops.sort_unstable();
    tops.dedup();
    tops
}
