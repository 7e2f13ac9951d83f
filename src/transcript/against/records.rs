//! Stores that only grow: every record of the older run has to be in the newer one, in its place.
//!
//! Only records that tell something are compared: what a store keeps beside them, and the half of a line that was
//! being written, may be anything. Two records are the same if their values are, however they are written.

use std::collections::VecDeque;
use std::io;
use std::path::Path;

use rustc_hash::{FxHashMap, FxHashSet};
use serde_json::Value;

use super::history::Run;
use crate::transcript::container::{self, Contents};
use crate::transcript::input::{Input, Part};
use crate::transcript::message::{Place, hash_of};
use crate::transcript::reader::Spot;
use crate::transcript::safe_text;

/// How the records of two runs relate.
#[derive(Debug)]
pub(super) enum Records {
    /// The newer ones go on behind the older ones.
    Extend {
        /// How many records of the older run there are.
        same: u64,
    },
    Part(Parting),
}

/// The first record that differs.
#[derive(Debug)]
pub(super) struct Parting {
    pub(super) old: Place,
    /// What stands in its place, if something does.
    pub(super) new: Option<Place>,
    /// Whether the newer record ends before it.
    pub(super) ends: bool,
    /// A clause whose subject is the older record.
    pub(super) what: String,
}

/// Compares the records of two runs in one form; nothing where they cannot be read twice.
pub(super) fn compare(old: &Run, new: &Run) -> io::Result<Option<Records>> {
    if [old, new].iter().any(|run| run.path.as_os_str() == "-") {
        return Ok(None);
    }
    let (Some(old_parts), Some(new_parts)) = (parts(old)?, parts(new)?) else {
        return Ok(None);
    };
    let alone = old_parts.len() == 1 && new_parts.len() == 1;
    let mut places: FxHashMap<String, (u32, Part)> = FxHashMap::default();
    for (at, part) in (0..).zip(new_parts) {
        let name = if alone { String::new() } else { name(new, &part.path) };
        places.insert(name, (at, part));
    }
    let mut same = 0;
    for (at, part) in (0..).zip(old_parts) {
        let name = if alone { String::new() } else { name(old, &part.path) };
        let spots = |run: &Run, file: u32| -> VecDeque<u64> {
            let of_file = run.told.iter().filter(|spot| spot.file == file);
            of_file.map(|spot| spot.offset).collect()
        };
        let mut old_records = Told::open(part, at, spots(old, at))?;
        let Some((new_at, part)) = places.remove(&name) else {
            // A session of an archive that is gone has no partner, which is told elsewhere.
            if let Some((spot, _)) = old_records.next()?.filter(|_| !old.members.is_empty()) {
                return Ok(Some(Records::Part(Parting {
                    old: spot.start(),
                    new: None,
                    ends: false,
                    what: "stands in a file that is missing".to_owned(),
                })));
            }
            continue;
        };
        let mut new_records = Told::open(part, new_at, spots(new, new_at))?;
        while let Some((spot, text)) = old_records.next()? {
            match new_records.find(&text)? {
                Found::Same => same += 1,
                Found::End => {
                    return Ok(Some(Records::Part(Parting {
                        old: spot.start(),
                        new: None,
                        ends: true,
                        what: "is missing: the newer record ends before it".to_owned(),
                    })));
                }
                Found::Other(new_spot, other) => {
                    let what = told_apart(&text, &other, &mut old_records, &mut new_records)?;
                    return Ok(Some(Records::Part(Parting {
                        old: spot.start(),
                        new: Some(new_spot.start()),
                        ends: false,
                        what,
                    })));
                }
            }
        }
    }
    Ok(Some(Records::Extend { same }))
}

fn parts(run: &Run) -> io::Result<Option<Vec<Part>>> {
    let alone = [run.path.clone()];
    let members = if run.members.is_empty() {
        &alone[..]
    } else {
        &run.members
    };
    Ok(match container::of(members)? {
        Contents::Parts { parts, format: None } => Some(parts),
        _ => None,
    })
}

/// What a part is called within its run, wherever the run lies.
fn name(run: &Run, part: &Path) -> String {
    let inside = part.strip_prefix(&run.path).ok().map(Path::as_os_str);
    let name = inside.or_else(|| part.file_name()).unwrap_or_default();
    name.to_string_lossy().into_owned()
}

/// The records of one part.
struct Told {
    input: Input,
    /// Which part of its run it is.
    file: u32,
    /// Where those begin that tell something.
    places: VecDeque<u64>,
}

/// What stands where a record is looked for.
enum Found {
    Same,
    Other(Spot, String),
    End,
}

impl Told {
    fn open(part: Part, file: u32, places: VecDeque<u64>) -> io::Result<Self> {
        Ok(Self {
            input: Input::open(vec![part])?,
            file,
            places,
        })
    }

    /// The next record, and whether it tells something.
    fn any(&mut self) -> io::Result<Option<(Spot, String, bool)>> {
        while let Some(next) = self.input.next()? {
            let Ok(record) = next else { continue };
            let spot = Spot {
                file: self.file,
                ..record.spot
            };
            while self.places.front().is_some_and(|&told| told < spot.offset) {
                self.places.pop_front();
            }
            let tells = self.places.front() == Some(&spot.offset);
            return Ok(Some((spot, record.text.trim().to_owned(), tells)));
        }
        Ok(None)
    }

    /// The next record that tells something.
    fn next(&mut self) -> io::Result<Option<(Spot, String)>> {
        while let Some((spot, text, tells)) = self.any()? {
            if tells {
                return Ok(Some((spot, text)));
            }
        }
        Ok(None)
    }

    /// Goes on to the record with this text, or to the first other one that tells something.
    fn find(&mut self, text: &str) -> io::Result<Found> {
        while let Some((spot, other, tells)) = self.any()? {
            if text == other || tells && is_same(text, &other) {
                return Ok(Found::Same);
            }
            if tells {
                return Ok(Found::Other(spot, other));
            }
        }
        Ok(Found::End)
    }

    /// Whether this text comes further on.
    fn comes(&mut self, text: &str) -> io::Result<bool> {
        let mut hashes = FxHashSet::default();
        while let Some((_, other, _)) = self.any()? {
            hashes.insert(hash_of(&other));
        }
        Ok(hashes.contains(&hash_of(text)))
    }
}

/// Whether two records have the same value, however they are written.
fn is_same(one: &str, other: &str) -> bool {
    let value = |text| serde_json::from_str::<Value>(text).ok();
    value(one).is_some_and(|one| value(other) == Some(one))
}

/// What became of an older record in whose place another one stands.
fn told_apart(old: &str, new: &str, rest_of_old: &mut Told, rest_of_new: &mut Told) -> io::Result<String> {
    if rest_of_old.comes(new)? {
        return Ok("is missing: a later record stands in its place".to_owned());
    }
    if rest_of_new.comes(old)? {
        return Ok("comes later: records were put in before it".to_owned());
    }
    let (Ok(old), Ok(new)) = (serde_json::from_str(old), serde_json::from_str(new)) else {
        return Ok("was replaced by another record".to_owned());
    };
    Ok(difference(&old, &new, "").unwrap_or_else(|| "was written anew".to_owned()))
}

/// The first value that two records do not share.
fn difference(old: &Value, new: &Value, path: &str) -> Option<String> {
    let below = |key: &str| {
        let key = safe_text::excerpt(key, 30);
        if path.is_empty() { key } else { format!("{path}.{key}") }
    };
    match (old, new) {
        _ if old == new => None,
        (Value::Object(old), Value::Object(new)) => {
            let added = || new.keys().find(|key| !old.contains_key(*key));
            let changed = old.iter().find_map(|(key, value)| match new.get(key) {
                Some(other) => difference(value, other, &below(key)),
                None => Some(format!("was changed: its `{}` is gone", below(key))),
            });
            changed.or_else(|| added().map(|key| format!("was changed: `{}` was put in", below(key))))
        }
        (Value::Array(old), Value::Array(new)) if old.len() == new.len() => old
            .iter()
            .zip(new)
            .enumerate()
            .find_map(|(at, (old, new))| difference(old, new, &format!("{path}[{at}]"))),
        _ => {
            let said = |value: &Value| safe_text::excerpt(&value.to_string(), 30);
            Some(format!(
                "was changed: its `{path}` was {} and is {}",
                said(old),
                said(new)
            ))
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::difference;

    #[test]
    fn the_first_difference_is_named_by_its_path() {
        let old = json!({"a": 1, "b": {"c": [1, 2]}});
        let cases = [
            (json!({"b": {"c": [1, 2]}}), "was changed: its `a` is gone"),
            (
                json!({"a": 1, "b": {"c": [1, 3]}}),
                "was changed: its `b.c[1]` was 2 and is 3",
            ),
            (
                json!({"a": 1, "b": {"c": [1]}}),
                "was changed: its `b.c` was [1,2] and is [1]",
            ),
            (
                json!({"a": 1, "b": {"c": [1, 2], "d": 0}}),
                "was changed: `b.d` was put in",
            ),
        ];
        for (new, expected) in cases {
            assert_eq!(difference(&old, &new, "").as_deref(), Some(expected));
        }
        assert_eq!(difference(&old, &old, ""), None);
    }
}
