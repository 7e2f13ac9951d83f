//! JSON taken apart one level at a time, borrowed from the record, so that every part knows its place.

use std::borrow::Cow;
use std::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;

use super::message::Place;
use super::reader::{self, Broken, Record};
use super::scan::{Marks, Node, Tape};

/// A value that was not looked into.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Raw<'r> {
    text: &'r str,
    /// Where it stands on the tape of its record. JSON inside of strings has none.
    place: Option<(&'r Tape, u32)>,
}

impl<'r> Raw<'r> {
    /// The value as it is written.
    pub(crate) fn get(self) -> &'r str {
        self.text
    }

    /// The value that `text` is, on its tape if it has one.
    pub(crate) fn of(text: &'r str, tape: Option<&'r Tape>) -> Option<Self> {
        let Some(tape) = tape else {
            return serde_json::from_str(text).ok();
        };
        let node = tape.node(0);
        Some(Self {
            text: &text[node.start as usize..node.end as usize],
            place: Some((tape, 0)),
        })
    }

    fn bare(text: &'r str) -> Self {
        Self { text, place: None }
    }

    /// The part of a list or object that stands at `at` on the tape, given the container's own beginning.
    fn part(self, tape: &'r Tape, from: u32, at: u32) -> Self {
        let node = tape.node(at);
        Self {
            text: self.within(node, from),
            place: Some((tape, at)),
        }
    }

    fn within(self, node: Node, from: u32) -> &'r str {
        &self.text[(node.start - from) as usize..(node.end - from) as usize]
    }

    /// Whether it is a string without escapes; unknown where there is no tape.
    pub(super) fn marks(self) -> Option<Marks> {
        self.place.map(|(tape, at)| tape.node(at).marks)
    }

    /// The elements of a list that is on a tape.
    pub(super) fn elements(self) -> Option<Elements<'r>> {
        let (tape, at) = self.place?;
        let node = tape.node(at);
        Some(Elements {
            list: self,
            tape,
            from: node.start,
            at: at + 1,
            end: node.next,
        })
    }

    /// The keys, as they are written in their quotes, and values of an object that is on a tape.
    pub(super) fn members(self) -> Option<impl Iterator<Item = (Raw<'r>, Raw<'r>)>> {
        let mut parts = self.elements()?;
        Some(std::iter::from_fn(move || Some((parts.next()?, parts.next()?))))
    }
}

/// Goes along the parts of a container.
pub(super) struct Elements<'r> {
    list: Raw<'r>,
    tape: &'r Tape,
    from: u32,
    at: u32,
    end: u32,
}

impl<'r> Iterator for Elements<'r> {
    type Item = Raw<'r>;

    fn next(&mut self) -> Option<Raw<'r>> {
        if self.at >= self.end {
            return None;
        }
        let part = self.list.part(self.tape, self.from, self.at);
        self.at = self.tape.node(self.at).next;
        Some(part)
    }
}

impl<'de: 'r, 'r> Deserialize<'de> for Raw<'r> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        <&RawValue>::deserialize(deserializer).map(|raw| Raw::bare(raw.get()))
    }
}

/// An object whose values were not looked into.
#[derive(Clone, Debug)]
pub(crate) struct Object<'r>(Members<'r>);

#[derive(Clone, Debug)]
enum Members<'r> {
    /// On a tape, and no key has escapes.
    Taped(Raw<'r>),
    Listed(Vec<(Cow<'r, str>, Raw<'r>)>),
}

impl Default for Object<'_> {
    fn default() -> Self {
        Self(Members::Listed(Vec::new()))
    }
}

impl<'r> Object<'r> {
    /// The object that `raw` is, if it is one.
    pub(crate) fn of(raw: Raw<'r>) -> Option<Self> {
        if !raw.text.starts_with('{') {
            return None;
        }
        if raw.marks().is_some_and(|marks| !marks.has(Marks::ODD_KEYS)) {
            return Some(Self(Members::Taped(raw)));
        }
        serde_json::from_str(raw.text).ok()
    }

    /// The object with one key that a `[key, value]` pair is.
    pub(crate) fn of_pair(raw: Raw<'r>) -> Option<Self> {
        let [key, value] = list(raw)?.try_into().ok()?;
        Some(Self::of_one(string(key)?, value))
    }

    /// An object with this one key.
    pub(crate) fn of_one(key: Cow<'r, str>, value: Raw<'r>) -> Self {
        Self(Members::Listed(vec![(key, value)]))
    }

    pub(crate) fn get(&self, key: &str) -> Option<Raw<'r>> {
        let object = match &self.0 {
            Members::Taped(object) => *object,
            Members::Listed(pairs) => {
                let found = pairs.iter().rev().find(|(name, _)| name == key);
                return found.map(|(_, value)| *value);
            }
        };
        let (tape, at) = object.place?;
        let whole = tape.node(at);
        let (mut at, mut found) = (at + 1, None);
        while at < whole.next {
            let node = tape.node(at);
            // The last of two equal keys counts.
            if (node.end - node.start) as usize == key.len() + 2
                && object.text.as_bytes()[(node.start - whole.start) as usize + 1..].starts_with(key.as_bytes())
            {
                found = Some(at + 1);
            }
            at = tape.node(at + 1).next;
        }
        found.map(|at| object.part(tape, whole.start, at))
    }

    /// The value, unless it is missing or `null`.
    pub(crate) fn some(&self, key: &str) -> Option<Raw<'r>> {
        self.get(key).filter(|raw| !is_null(*raw))
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
        let (taped, listed) = match &self.0 {
            Members::Taped(object) => (object.members(), &[][..]),
            Members::Listed(pairs) => (None, pairs.as_slice()),
        };
        let taped = taped.into_iter().flatten();
        taped
            .map(|(key, value)| (&key.text[1..key.text.len() - 1], value))
            .chain(listed.iter().map(|(key, value)| (key.as_ref(), *value)))
    }

    pub(crate) fn is_empty(&self) -> bool {
        match &self.0 {
            Members::Taped(object) => object.members().is_none_or(|mut members| members.next().is_none()),
            Members::Listed(pairs) => pairs.is_empty(),
        }
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
                while let Some((Key(key), value)) = map.next_entry::<Key<'de>, Raw<'de>>()? {
                    pairs.push((key, value));
                }
                Ok(Object(Members::Listed(pairs)))
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
    if let Some(raw) = record.tape.and_then(|tape| Raw::of(record.text, Some(tape))) {
        return Ok(raw);
    }
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
    if !raw.text.starts_with('[') {
        return None;
    }
    match raw.elements() {
        Some(elements) => Some(elements.collect()),
        None => serde_json::from_str(raw.text).ok(),
    }
}

/// The string that `raw` is, if it is one.
pub(crate) fn string(raw: Raw<'_>) -> Option<Cow<'_, str>> {
    if !raw.text.starts_with('"') {
        return None;
    }
    match raw.marks() {
        Some(marks) if !marks.has(Marks::ESCAPES) => Some(Cow::Borrowed(&raw.text[1..raw.text.len() - 1])),
        marks => {
            let said = marks.and_then(|_| unescaped(&raw.text[1..raw.text.len() - 1], usize::MAX));
            match said {
                Some(said) => Some(Cow::Owned(said)),
                None => serde_json::from_str(raw.text).ok().map(|Key(text)| text),
            }
        }
    }
}

/// The string that `raw` is, if it is one, or at least so many bytes of its beginning.
pub(crate) fn beginning(raw: Raw<'_>, least: usize) -> Option<Cow<'_, str>> {
    match raw.marks() {
        Some(marks) if marks.has(Marks::ESCAPES) && !marks.has(Marks::UNUSUAL) => {
            unescaped(&raw.text[1..raw.text.len() - 1], least).map(Cow::Owned)
        }
        _ => string(raw),
    }
}

/// At least so many bytes of what a string with sound escapes says, or all of it; none if it has characters in two
/// halves.
fn unescaped(inner: &str, least: usize) -> Option<String> {
    let mut said = String::with_capacity(inner.len().min(least));
    let mut rest = inner;
    while said.len() < least
        && let Some(at) = memchr::memchr(b'\\', rest.as_bytes())
    {
        said.push_str(&rest[..at]);
        let mut end = at + 2;
        said.push(match rest.as_bytes().get(at + 1) {
            Some(b'b') => '\u{8}',
            Some(b'f') => '\u{c}',
            Some(b'n') => '\n',
            Some(b'r') => '\r',
            Some(b't') => '\t',
            Some(b'u') => {
                end = at + 6;
                char::from_u32(u32::from_str_radix(rest.get(at + 2..end)?, 16).ok()?)?
            }
            Some(&byte) => char::from(byte),
            None => return None,
        });
        rest = &rest[end..];
    }
    if said.len() < least {
        said.push_str(rest);
    }
    Some(said)
}

pub(crate) fn is_null(raw: Raw<'_>) -> bool {
    raw.text == "null"
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
        let characters = self.record.text[target - last_line.len()..target].chars().count();
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
    use super::{Locator, Object, Raw, list, value};
    use crate::transcript::message::Place;
    use crate::transcript::reader::{Record, Spot};

    #[test]
    fn parts_know_their_place() {
        let text = "{\"é\": [1,\n  {\"b\": 2}, \"x\"]}";
        let record = Record {
            text,
            tape: None,
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
        assert_eq!(object.get("a\nb").map(Raw::get), Some("1"));
        assert_eq!(object.get("c").map(Raw::get), Some("2"));
    }
}
