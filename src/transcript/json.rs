//! JSON taken apart one level at a time, borrowed from the record, so that every part knows its place.

use std::borrow::Cow;
use std::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;

use super::message::Place;
use super::reader::{self, Broken, Record};

/// A value that was not looked into.
pub(crate) type Raw<'r> = &'r RawValue;

/// An object whose values were not looked into.
#[derive(Clone, Debug, Default)]
pub(crate) struct Object<'r>(Vec<(Cow<'r, str>, Raw<'r>)>);

impl<'r> Object<'r> {
    /// The object that `raw` is, if it is one.
    pub(crate) fn of(raw: Raw<'r>) -> Option<Self> {
        raw.get()
            .starts_with('{')
            .then(|| serde_json::from_str(raw.get()).ok())?
    }

    /// The object with one key that a `[key, value]` pair is.
    pub(crate) fn of_pair(raw: Raw<'r>) -> Option<Self> {
        let [key, value] = list(raw)?.try_into().ok()?;
        Some(Self(vec![(string(key)?, value)]))
    }

    /// An object with this one key.
    pub(crate) fn of_one(key: Cow<'r, str>, value: Raw<'r>) -> Self {
        Self(vec![(key, value)])
    }

    pub(crate) fn get(&self, key: &str) -> Option<Raw<'r>> {
        self.0
            .iter()
            .rev()
            .find(|(name, _)| name == key)
            .map(|(_, value)| *value)
    }

    /// The value, unless it is missing or `null`.
    pub(crate) fn some(&self, key: &str) -> Option<Raw<'r>> {
        self.get(key).filter(|raw| !is_null(raw))
    }

    pub(crate) fn has(&self, key: &str) -> bool {
        self.get(key).is_some()
    }

    pub(crate) fn object(&self, key: &str) -> Option<Object<'r>> {
        Object::of(self.get(key)?)
    }

    pub(crate) fn list(&self, key: &str) -> Option<Vec<Raw<'r>>> {
        list(self.get(key)?)
    }

    pub(crate) fn string(&self, key: &str) -> Option<Cow<'r, str>> {
        string(self.get(key)?)
    }

    /// The whole number, also if it is written as a text; none if it is negative or has a fraction.
    pub(crate) fn number(&self, key: &str) -> Option<u64> {
        let raw = self.some(key)?;
        match string(raw) {
            Some(text) => text.trim().parse().ok(),
            None => raw.get().parse().ok(),
        }
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (&str, Raw<'r>)> {
        self.0.iter().map(|(key, value)| (key.as_ref(), *value))
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl<'de: 'r, 'r> Deserialize<'de> for Object<'r> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Pairs;

        impl<'de> Visitor<'de> for Pairs {
            type Value = Object<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<Object<'de>, M::Error> {
                let mut pairs = Vec::new();
                while let Some((Key(key), value)) = map.next_entry::<Key<'de>, &'de RawValue>()? {
                    pairs.push((key, value));
                }
                Ok(Object(pairs))
            }
        }

        deserializer.deserialize_map(Pairs)
    }
}

/// A key, borrowed where it has no escapes.
#[derive(serde::Deserialize)]
struct Key<'r>(#[serde(borrow)] Cow<'r, str>);

/// The whole record as a value, or what is wrong with it and where.
pub(crate) fn value<'r>(record: &Record<'r>) -> Result<Raw<'r>, Broken> {
    serde_json::from_str(record.text).map_err(|error| {
        let lines = record.text.split_inclusive('\n').take(error.line().saturating_sub(1));
        let at = lines.map(str::len).sum::<usize>() + error.column().saturating_sub(1);
        let before = &record.text.as_bytes()[..at.min(record.text.len())];
        let (line, column) = reader::position(record.spot, before);
        let reason = if error.is_eof() {
            "the record ends in the middle of a value".to_owned()
        } else {
            let what = error.to_string();
            format!(
                "not JSON: {}",
                what.split_once(" at line ").map_or(&*what, |(what, _)| what)
            )
        };
        let file = record.spot.file;
        Broken {
            file,
            line,
            column,
            reason,
        }
    })
}

/// The list that `raw` is, if it is one.
pub(crate) fn list(raw: Raw<'_>) -> Option<Vec<Raw<'_>>> {
    raw.get()
        .starts_with('[')
        .then(|| serde_json::from_str(raw.get()).ok())?
}

/// The string that `raw` is, if it is one.
pub(crate) fn string(raw: Raw<'_>) -> Option<Cow<'_, str>> {
    let Key(text) = raw
        .get()
        .starts_with('"')
        .then(|| serde_json::from_str(raw.get()).ok())??;
    Some(text)
}

pub(crate) fn is_null(raw: &RawValue) -> bool {
    raw.get() == "null"
}

/// Finds the places of parts of a record. Cheap when asked in the order of the text, for the same part again, and
/// for parts of the part that was asked for last.
#[derive(Debug)]
pub(crate) struct Locator<'r> {
    record: Record<'r>,
    at: usize,
    line: u32,
    column: u32,
    /// Where the part began that was asked for last: byte, line and column.
    anchor: (usize, u32, u32),
}

impl<'r> Locator<'r> {
    pub(crate) fn new(record: Record<'r>) -> Self {
        let (line, column) = (record.spot.line, record.spot.column);
        Self {
            record,
            at: 0,
            line,
            column,
            anchor: (0, line, column),
        }
    }

    /// The place of `part`, which was borrowed from the record.
    pub(crate) fn place(&mut self, part: Raw<'r>) -> Place {
        let start = (part.get().as_ptr() as usize).wrapping_sub(self.record.text.as_ptr() as usize);
        let end = start.wrapping_add(part.get().len());
        if start > end || end > self.record.text.len() {
            return Place {
                file: self.record.spot.file,
                line: self.line,
                column: self.column,
                end_line: self.line,
                end_column: self.column,
            };
        }
        let (line, column) = self.go_to(start);
        self.anchor = (start, line, column);
        let (end_line, end_column) = self.go_to(end);
        Place {
            file: self.record.spot.file,
            line,
            column,
            end_line,
            end_column,
        }
    }

    fn go_to(&mut self, target: usize) -> (u32, u32) {
        if target < self.at && target >= self.anchor.0 {
            (self.at, self.line, self.column) = self.anchor;
        } else if target < self.at {
            *self = Self::new(self.record);
        }
        let bytes = &self.record.text.as_bytes()[self.at..target];
        let newlines = memchr::memchr_iter(b'\n', bytes).count();
        let last_line = memchr::memrchr(b'\n', bytes).map_or(bytes, |at| &bytes[at + 1..]);
        let characters = last_line.iter().filter(|&&byte| byte & 0xc0 != 0x80).count();
        if newlines > 0 {
            self.line += newlines as u32;
            self.column = 1;
        }
        self.column += characters as u32;
        self.at = target;
        (self.line, self.column)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::value::RawValue;

    use super::{Locator, Object, list, value};
    use crate::transcript::message::Place;
    use crate::transcript::reader::{Record, Spot};

    #[test]
    fn parts_know_their_place() {
        let text = "{\"é\": [1,\n  {\"b\": 2}, \"x\"]}";
        let record = Record {
            text,
            spot: Spot {
                file: 0,
                line: 4,
                column: 3,
                end_line: 9,
                offset: 0,
                len: text.len() as u64,
            },
        };
        let mut locator = Locator::new(record);
        let object = Object::of(value(&record).expect("the text is JSON")).expect("it is an object");
        let parts = list(object.get("é").expect("the key is there")).expect("it is a list");
        let spans = [(4, 10, 4, 11), (5, 3, 5, 11), (5, 13, 5, 16), (4, 10, 4, 11)];
        let places = spans.map(|(line, column, end_line, end_column)| Place {
            file: 0,
            line,
            column,
            end_line,
            end_column,
        });
        let asked = [parts[0], parts[1], parts[2], parts[0]];
        assert_eq!(asked.map(|part| locator.place(part)), places);
    }

    #[test]
    fn keys_with_escapes_are_found_and_the_last_of_two_counts() {
        let record_text = r#"{"a\nb": 1, "c": 1, "c": 2}"#;
        let object: Object<'_> = serde_json::from_str(record_text).expect("the text is JSON");
        assert_eq!(object.get("a\nb").map(RawValue::get), Some("1"));
        assert_eq!(object.get("c").map(RawValue::get), Some("2"));
    }
}
