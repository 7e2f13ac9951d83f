//! Files that a store keeps one conversation in, put together by their paths alone.
//!
//! A store is one line in [`STORES`]: a function that tells of a path where it belongs.

use std::path::{Path, PathBuf};

use rustc_hash::FxHashMap;

use crate::transcript::walk::Candidate;

/// Where a file of a store belongs.
#[derive(Debug, PartialEq, Eq)]
struct Seat {
    /// The key of what it belongs to. Two stores never share one: it begins with the folder of the store.
    group: PathBuf,
    /// The key of what belongs to it, for files that others are found by.
    names: Option<PathBuf>,
    /// Its place among what belongs to the same key, as text.
    order: String,
}

/// The stores of several files a conversation.
static STORES: &[fn(&Path) -> Option<Seat>] = &[opencode, openhands_events, openhands_calls, tasks];

/// The deepest that keys lead to keys: session, message, part.
const DEPTH: usize = 4;

/// Puts the files together that a store keeps one conversation in: one candidate, in the place of the first of
/// them, named as the file that the others belong to.
pub(crate) fn gathered(candidates: Vec<Candidate>) -> Vec<Candidate> {
    let seats: Vec<Option<Seat>> = candidates.iter().map(|candidate| seat(&candidate.path)).collect();
    let named_by = |(at, seat): (usize, &Option<Seat>)| Some((seat.as_ref()?.names.clone()?, at));
    let named_by: FxHashMap<PathBuf, usize> = seats.iter().enumerate().filter_map(named_by).collect();
    let mut groups: FxHashMap<PathBuf, Vec<(Vec<&str>, usize)>> = FxHashMap::default();
    for (at, seat) in seats.iter().enumerate() {
        let Some(mut seat) = seat.as_ref() else { continue };
        let mut order = vec![seat.order.as_str()];
        for _ in 0..DEPTH {
            let above = named_by.get(&seat.group).and_then(|&at| seats[at].as_ref());
            let Some(above) = above.filter(|above| !std::ptr::eq(*above, seat)) else {
                break;
            };
            seat = above;
            order.push(&seat.order);
        }
        order.reverse();
        groups.entry(seat.group.clone()).or_default().push((order, at));
    }
    // A file alone is what it is.
    groups.retain(|_, members| members.len() > 1);
    let mut placed: FxHashMap<usize, Candidate> = FxHashMap::default();
    let mut taken = vec![false; candidates.len()];
    for mut members in groups.into_values() {
        members.sort();
        members.dedup_by(|a, b| candidates[a.1].path == candidates[b.1].path);
        let path = |at: usize| candidates[at].path.clone();
        let place = members.iter().map(|(_, at)| *at).min();
        for (_, at) in &members {
            taken[*at] = true;
        }
        if let Some(place) = place {
            let gathered = Candidate {
                path: path(members[0].1),
                members: members.iter().map(|(_, at)| path(*at)).collect(),
                named: members.iter().any(|(_, at)| candidates[*at].named),
            };
            placed.insert(place, gathered);
        }
    }
    let kept = candidates.into_iter().enumerate().filter_map(|(at, candidate)| {
        let alone = (!taken[at]).then_some(candidate);
        placed.remove(&at).or(alone)
    });
    kept.collect()
}

fn seat(path: &Path) -> Option<Seat> {
    STORES.iter().find_map(|seat| seat(path))
}

/// `session/<project>/<ses_…>.json`, `message/<session>/<msg_…>.json` and `part/<message>/<prt_…>.json`.
fn opencode(path: &Path) -> Option<Seat> {
    let (store, [kind, above, id]) = last_names(path)?;
    let key = |kind: &str, id: &str| store.join(kind).join(id);
    let known = |prefix: &str| id.starts_with(prefix);
    let (group, names) = match kind {
        "session" if known("ses_") => (key("session", id), Some(key("session", id))),
        "message" if known("msg_") && above.starts_with("ses_") => (key("session", above), Some(key("message", id))),
        "part" if known("prt_") && above.starts_with("msg_") => (key("message", above), None),
        _ => return None,
    };
    // The session stands before its messages, a message before its parts.
    let order = if kind == "session" { "" } else { id };
    Some(Seat {
        group,
        names,
        order: order.to_owned(),
    })
}

/// `<conversation>/events/event-<number>-<id>.json`.
fn openhands_events(path: &Path) -> Option<Seat> {
    let (above, [conversation, events, name]) = last_names(path)?;
    let number = name.strip_prefix("event-")?.split('-').next()?;
    let is_event = events == "events" && number.parse::<u64>().is_ok();
    is_event.then(|| Seat {
        group: above.join(conversation).join(events),
        names: None,
        order: format!("{number:0>20}"),
    })
}

/// `llm_completions/<…>/<model>-<seconds since 1970>.<milliseconds>.json`, also with `-<id>` behind the time.
fn openhands_calls(path: &Path) -> Option<Seat> {
    let folder = path.parent()?;
    let name = path.file_name()?.to_str()?.strip_suffix(".json")?;
    let holds_calls = |name: &str| name.contains("completion") || name.contains("llm");
    let mut folders = folder.iter().rev().take(2).filter_map(|name| name.to_str());
    if !name.starts_with("llm_log") && !folders.any(holds_calls) {
        return None;
    }
    let is_time = |text: &str| {
        let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        text.split_once('.')
            .is_some_and(|(seconds, rest)| seconds.len() >= 10 && digits(seconds) && digits(rest))
    };
    let time = name.rsplit(['-', '_']).take(2).find(|text| is_time(text))?;
    Some(Seat {
        group: folder.join("completions"),
        names: None,
        order: format!("{time:0>24}"),
    })
}

/// `tasks/<id>/api_conversation_history.json` with the `ui_messages.json` beside it, which says what was cut.
fn tasks(path: &Path) -> Option<Seat> {
    let order = match path.file_name()?.to_str()? {
        "api_conversation_history.json" => "0",
        "ui_messages.json" => "1",
        _ => return None,
    };
    Some(Seat {
        group: path.parent()?.to_owned(),
        names: None,
        order: order.to_owned(),
    })
}

/// The last names of a path, the file's without its endings, and what stands before them.
fn last_names<const N: usize>(path: &Path) -> Option<(&Path, [&str; N])> {
    let mut names = [""; N];
    let mut at = path;
    for name in names.iter_mut().rev() {
        *name = at.file_name()?.to_str()?;
        at = at.parent()?;
    }
    if let Some(file) = names.last_mut() {
        *file = file.split('.').next()?;
    }
    Some((at, names))
}

#[cfg(test)]
mod tests {
    use super::{Candidate, gathered};

    fn gather(paths: &[&str]) -> Vec<(String, Vec<String>)> {
        let text = |path: &std::path::PathBuf| path.display().to_string();
        let candidates = paths.iter().map(|path| Candidate {
            path: path.into(),
            members: Vec::new(),
            named: false,
        });
        let gathered = gathered(candidates.collect());
        let told = gathered
            .iter()
            .map(|candidate| (text(&candidate.path), candidate.members.iter().map(text).collect()));
        told.collect()
    }

    #[test]
    fn a_session_has_its_messages_and_their_parts() {
        let found = gather(&[
            "a.jsonl",
            "s/message/ses_1/msg_1.json",
            "s/message/ses_1/msg_2.json",
            "s/message/ses_2/msg_3.json",
            "s/part/msg_1/prt_2.json",
            "s/part/msg_1/prt_3.json",
            "s/part/msg_2/prt_1.json",
            "s/part/msg_3/prt_4.json",
            "s/session/p/ses_1.json",
            "s/session/p/ses_2.json",
            "t/session/p/ses_1.json",
            "z.jsonl",
        ]);
        let all = |names: &[&str]| names.iter().map(|name| format!("s/{name}")).collect::<Vec<_>>();
        let first = all(&[
            "session/p/ses_1.json",
            "message/ses_1/msg_1.json",
            "part/msg_1/prt_2.json",
            "part/msg_1/prt_3.json",
            "message/ses_1/msg_2.json",
            "part/msg_2/prt_1.json",
        ]);
        let second = all(&[
            "session/p/ses_2.json",
            "message/ses_2/msg_3.json",
            "part/msg_3/prt_4.json",
        ]);
        let alone = |path: &str| (path.to_owned(), Vec::new());
        assert_eq!(
            found,
            [
                alone("a.jsonl"),
                (first[0].clone(), first),
                (second[0].clone(), second),
                alone("t/session/p/ses_1.json"),
                alone("z.jsonl"),
            ]
        );
    }

    #[test]
    fn events_and_calls_stand_in_the_order_of_time() {
        let found = gather(&[
            "c/events/event-00010-a.json",
            "c/events/event-00002-b.json",
            "d/events/event-00001-b.json",
            "llm_completions/x/some__model-1757015029.090-1a2b.json",
            "llm_completions/x/some__model-1757015025.972.json",
            "other/chat-1757015025.972.json",
            "other/chat-1757015026.972.json",
        ]);
        let members: Vec<_> = found.iter().map(|(_, members)| members.len()).collect();
        assert_eq!(members, [2, 0, 2, 0, 0], "{found:?}");
        assert_eq!(found[0].0, "c/events/event-00002-b.json");
        assert_eq!(found[2].0, "llm_completions/x/some__model-1757015025.972.json");
    }

    #[test]
    fn files_that_only_look_alike_stay_alone() {
        let paths = [
            "message/a/b.json",
            "part/a/c.json",
            "session/p/a.json",
            "x/session/p/notes.json",
        ];
        assert!(gather(&paths).iter().all(|(_, members)| members.is_empty()));
    }
}
