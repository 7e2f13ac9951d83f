//! Random damage to a file: bytes, lines, and values of JSON. The same number, the same damage.

use serde_json::{Value, json};

use super::random::Random;

/// Inputs over this many bytes are not made longer.
const LARGE: usize = 128 << 10;

pub(crate) struct Mutator(Random);

impl Mutator {
    pub(crate) fn new(number: u64) -> Self {
        Self(Random::new(number))
    }

    /// A number under `end`.
    pub(crate) fn below(&mut self, end: usize) -> usize {
        self.0.below(end)
    }

    /// A damaged copy; lines of `other` may get into it.
    pub(crate) fn mutated(&mut self, bytes: &[u8], other: &[u8]) -> Vec<u8> {
        let mut bytes = bytes.to_vec();
        for _ in 0..=self.below(4) {
            // What was repeated is not repeated once more.
            if bytes.len() > LARGE {
                break;
            }
            bytes = match self.below(8) {
                0 => self.flipped(bytes),
                1 => self.cut(&bytes),
                2 => self.lines(&bytes, other),
                _ => self.values(&bytes),
            };
        }
        bytes
    }

    /// Some bytes are others.
    fn flipped(&mut self, mut bytes: Vec<u8>) -> Vec<u8> {
        const BYTES: &[u8] = b"\0\n\r\t \"\\{}[]:,0-eE.\x1b\x80\xc3\xff";
        for _ in 0..=self.below(6) {
            let at = self.below(bytes.len());
            let new = BYTES[self.below(BYTES.len())];
            if let Some(byte) = bytes.get_mut(at) {
                *byte = new;
            }
        }
        bytes
    }

    /// A stretch is missing, or stands twice.
    fn cut(&mut self, bytes: &[u8]) -> Vec<u8> {
        let (a, b) = (self.below(bytes.len() + 1), self.below(bytes.len() + 1));
        let (from, to) = (a.min(b), a.max(b));
        match self.below(3) {
            0 => bytes[..from].to_vec(),
            1 => [&bytes[..from], &bytes[to..]].concat(),
            _ => [&bytes[..to], &bytes[from..]].concat(),
        }
    }

    /// Lines are missing, stand twice, elsewhere, or come from somewhere else.
    fn lines(&mut self, bytes: &[u8], other: &[u8]) -> Vec<u8> {
        let mut lines: Vec<&[u8]> = bytes.split_inclusive(|&byte| byte == b'\n').collect();
        let foreign: Vec<&[u8]> = other.split_inclusive(|&byte| byte == b'\n').collect();
        for _ in 0..=self.below(4) {
            let (a, b) = (self.below(lines.len()), self.below(lines.len() + 1));
            match self.below(4) {
                0 if !lines.is_empty() => drop(lines.remove(a)),
                1 if !lines.is_empty() => lines.insert(b, lines[a]),
                2 if b < lines.len() => lines.swap(a, b),
                _ if !foreign.is_empty() => lines.insert(b, foreign[self.below(foreign.len())]),
                _ => {}
            }
        }
        lines.concat()
    }

    /// Values of JSON are others, in one line or in the whole.
    fn values(&mut self, bytes: &[u8]) -> Vec<u8> {
        if let Ok(mut value) = serde_json::from_slice::<Value>(bytes) {
            self.value(&mut value, 0);
            return value.to_string().into_bytes();
        }
        let mut lines: Vec<Vec<u8>> = bytes.split(|&byte| byte == b'\n').map(<[u8]>::to_vec).collect();
        for _ in 0..3 {
            let at = self.below(lines.len());
            if let Ok(mut value) = serde_json::from_slice::<Value>(&lines[at]) {
                self.value(&mut value, 0);
                lines[at] = value.to_string().into_bytes();
            }
        }
        lines.join(&b'\n')
    }

    fn value(&mut self, value: &mut Value, depth: usize) {
        let goes_on = depth < 24 && self.below(6) > 0;
        match value {
            Value::Array(list) if goes_on && !list.is_empty() => {
                let at = self.below(list.len());
                match self.below(8) {
                    0 => drop(list.remove(at)),
                    1 => {
                        let copy = list[at].clone();
                        list.push(copy);
                    }
                    2 => list.reverse(),
                    _ => self.value(&mut list[at], depth + 1),
                }
            }
            Value::Object(object) if goes_on && !object.is_empty() => {
                let at = self.below(object.len());
                let key = object.keys().nth(at).cloned().unwrap_or_default();
                match self.below(8) {
                    0 => drop(object.remove(&key)),
                    1 => {
                        // The value of one key under the name of another.
                        let other = object.keys().nth(self.below(object.len())).cloned().unwrap_or_default();
                        let moved = object.remove(&key).unwrap_or_default();
                        object.insert(other, moved);
                    }
                    _ => {
                        if let Some(inner) = object.get_mut(&key) {
                            self.value(inner, depth + 1);
                        }
                    }
                }
            }
            other => *other = self.anything(other),
        }
    }

    fn anything(&mut self, was: &Value) -> Value {
        match self.below(14) {
            0 => Value::Null,
            1 => json!(true),
            2 => json!(0),
            3 => json!(-1),
            4 => json!(u64::MAX),
            5 => json!(1e308),
            6 => json!(""),
            7 => json!("\u{202e}\u{1b}[31m\u{0}"),
            8 => json!([]),
            9 => json!({}),
            10 => json!([was.clone(), was.clone()]),
            11 => json!({"type": was.clone(), "role": was.clone(), "id": was.clone()}),
            12 => (0..self.below(140)).fold(was.clone(), |inner, _| json!([inner])),
            _ => {
                let text = was.to_string();
                json!(text.repeat((1 + self.below(40)).min(1 + LARGE / text.len().max(1))))
            }
        }
    }
}
