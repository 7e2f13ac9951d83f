//! Values written so that equal ones read the same: keys in order, the last of two equal ones, nothing in between.
//!
//! What is written is what `serde_json` writes of a sorted [`serde_json::Value`], to the byte; values that are on a tape
//! are written without making one.

use std::borrow::Cow;
use std::cell::RefCell;

use serde_json::Value;

use super::json::{self, Object, Raw};
use super::scan::{Bounds, Marks, Tape};

/// The nesting at which `serde_json` gives up.
const DEPTH: usize = 128;

/// What stands for a value that `serde_json` does not hold: numbers out of range, halves of characters.
const UNHELD: &str = "null";

thread_local! {
    /// For JSON inside of strings.
    static PACKED: RefCell<Tape> = RefCell::default();
}

/// Says that `serde_json` would not hold the value.
struct Unheld;

/// Writes a value.
pub(crate) fn write(raw: Raw<'_>, out: &mut String) {
    whole(raw, out, |out| value(raw, 1, out), |_| {});
}

/// Writes an object without these keys; another value as it is.
pub(crate) fn write_without(raw: Raw<'_>, keys: &[&str], out: &mut String) {
    let bare = |value: &mut Value| {
        if let Some(object) = value.as_object_mut() {
            for key in keys {
                object.remove(*key);
            }
        }
    };
    let taped = |out: &mut String| match raw.get().as_bytes().first() {
        Some(b'{') => object(raw, 1, keys, out),
        _ => value(raw, 1, out),
    };
    whole(raw, out, taped, bare);
}

/// Writes a block of a message without the key that marks it, nor those of the blocks in it; a content of one text is
/// written as that text.
pub(crate) fn write_unmarked(raw: Raw<'_>, mark: &str, out: &mut String) {
    whole(raw, out, |out| unmarked(raw, 1, mark, out), |value| unmark(value, mark));
}

/// Writes the JSON in a text; false, with nothing written, if it is none.
pub(crate) fn write_packed(text: &str, out: &mut String) -> bool {
    let start = out.len();
    // A text that holds such a text is read with a tape of its own.
    let mut tape = PACKED.take();
    let taped = tape.scan(text, Bounds::NONE).is_ok().then_some(&tape);
    let written = match taped.and_then(|tape| Raw::of(text, Some(tape))) {
        Some(raw) => value(raw, 1, out).is_ok(),
        None => serde_json::from_str(text).is_ok_and(|value| {
            out.push_str(&of(value));
            true
        }),
    };
    PACKED.set(tape);
    if !written {
        out.truncate(start);
    }
    written
}

/// Writes along the tape, or by way of a value where there is none.
fn whole(
    raw: Raw<'_>,
    out: &mut String,
    taped: impl FnOnce(&mut String) -> Result<(), Unheld>,
    change: impl FnOnce(&mut Value),
) {
    let start = out.len();
    if raw.marks().is_none() {
        let mut value = serde_json::from_str(raw.get()).unwrap_or_default();
        change(&mut value);
        out.push_str(&of(value));
    } else if taped(out).is_err() {
        out.truncate(start);
        out.push_str(UNHELD);
    }
}

/// A value in this form.
pub(crate) fn of(mut value: Value) -> String {
    value.sort_all_objects();
    value.to_string()
}

/// Writes a value that is on a tape, with so many containers around its parts.
fn value(raw: Raw<'_>, depth: usize, out: &mut String) -> Result<(), Unheld> {
    match raw.get().as_bytes().first() {
        Some(b'{') => object(raw, depth, &[], out),
        Some(b'[') => list(raw, depth, out, value),
        Some(b'"') => string(raw, out),
        Some(b'-' | b'0'..=b'9') => number(raw.get(), out),
        _ => {
            out.push_str(raw.get());
            Ok(())
        }
    }
}

fn list(
    raw: Raw<'_>,
    depth: usize,
    out: &mut String,
    write: impl Fn(Raw<'_>, usize, &mut String) -> Result<(), Unheld>,
) -> Result<(), Unheld> {
    if depth >= DEPTH {
        return Err(Unheld);
    }
    out.push('[');
    for (at, element) in raw.elements().into_iter().flatten().enumerate() {
        if at > 0 {
            out.push(',');
        }
        write(element, depth + 1, out)?;
    }
    out.push(']');
    Ok(())
}

/// Writes an object in the order of its keys, without some of them.
fn object(raw: Raw<'_>, depth: usize, without: &[&str], out: &mut String) -> Result<(), Unheld> {
    members(raw, depth, without, out, |_, member, out| value(member, depth + 1, out))
}

fn members(
    raw: Raw<'_>,
    depth: usize,
    without: &[&str],
    out: &mut String,
    write: impl Fn(&str, Raw<'_>, &mut String) -> Result<(), Unheld>,
) -> Result<(), Unheld> {
    if depth >= DEPTH {
        return Err(Unheld);
    }
    let mut members: Vec<(Cow<'_, str>, Raw<'_>, Raw<'_>)> = Vec::new();
    for (name, member) in raw.members().into_iter().flatten() {
        members.push((json::string(name).ok_or(Unheld)?, name, member));
    }
    // The order of equal keys stays.
    members.sort_by(|one, other| one.0.cmp(&other.0));
    out.push('{');
    let begin = out.len();
    for (at, (key, name, member)) in members.iter().enumerate() {
        let start = out.len();
        if start > begin {
            out.push(',');
        }
        string(*name, out)?;
        out.push(':');
        write(key, *member, out)?;
        let is_last = members.get(at + 1).is_none_or(|(next, ..)| next != key);
        if !is_last || without.contains(&&**key) {
            // It was written to see whether it would be held.
            out.truncate(start);
        }
    }
    out.push('}');
    Ok(())
}

fn string(raw: Raw<'_>, out: &mut String) -> Result<(), Unheld> {
    if raw.marks().is_some_and(|marks| !marks.has(Marks::UNUSUAL)) {
        out.push_str(raw.get());
        return Ok(());
    }
    let text = json::string(raw).ok_or(Unheld)?;
    out.push_str(&serde_json::to_string(&text).map_err(|_| Unheld)?);
    Ok(())
}

fn number(text: &str, out: &mut String) -> Result<(), Unheld> {
    let digits = text.strip_prefix('-').unwrap_or(text);
    if digits.len() <= 18 && digits.bytes().all(|byte| byte.is_ascii_digit()) && text != "-0" {
        out.push_str(text);
        return Ok(());
    }
    let number: Value = serde_json::from_str(text).map_err(|_| Unheld)?;
    out.push_str(&number.to_string());
    Ok(())
}

fn unmarked(raw: Raw<'_>, depth: usize, mark: &str, out: &mut String) -> Result<(), Unheld> {
    if !raw.get().starts_with('{') {
        return value(raw, depth, out);
    }
    members(raw, depth, &[mark], out, |key, member, out| {
        if key != "content" || !member.get().starts_with('[') {
            return value(member, depth + 1, out);
        }
        let start = out.len();
        list(member, depth + 1, out, |block, depth, out| {
            unmarked(block, depth, mark, out)
        })?;
        let mut blocks = member.elements().into_iter().flatten();
        if let (Some(only), None) = (blocks.next().and_then(Object::of), blocks.next())
            && only.string("type").is_some_and(|kind| kind == "text")
        {
            out.truncate(start);
            match only.get("text") {
                Some(text) => value(text, depth + 1, out)?,
                None => out.push_str("null"),
            }
        }
        Ok(())
    })
}

/// Takes the marks off a block, and off the blocks in it.
fn unmark(block: &mut Value, mark: &str) {
    let Some(block) = block.as_object_mut() else { return };
    block.remove(mark);
    let Some(content) = block.get_mut("content") else {
        return;
    };
    if let Value::Array(inner) = content {
        for block in inner.iter_mut() {
            unmark(block, mark);
        }
        if let [only] = inner.as_slice()
            && only["type"] == "text"
        {
            *content = only["text"].clone();
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::{of, unmark, write, write_packed, write_unmarked, write_without};
    use crate::transcript::json::Raw;
    use crate::transcript::scan::tests::Dice;
    use crate::transcript::scan::{Bounds, Tape};

    /// What is written of a text, on a tape and without one, after it was made sure that it is the same.
    fn written(text: &str, tape: &mut Tape, write: impl Fn(Raw<'_>, &mut String)) -> String {
        let mut outs = [String::from("before "), String::from("before ")];
        tape.scan(text, Bounds::NONE).expect("it is JSON");
        write(Raw::of(text, Some(tape)).expect("it was scanned"), &mut outs[0]);
        write(Raw::of(text, None).expect("it is JSON"), &mut outs[1]);
        assert_eq!(outs[0], outs[1], "{text}");
        outs[0]["before ".len()..].to_owned()
    }

    #[test]
    fn what_is_written_is_what_serde_json_writes() {
        let mut dice = Dice(20_260_302);
        let mut tape = Tape::default();
        let mut held = 0;
        for _ in 0..4000 {
            let mut text = String::new();
            dice.value(0, &mut text);
            let value: Option<Value> = serde_json::from_str(&text).ok();
            held += usize::from(value.is_some());
            let expected = of(value.clone().unwrap_or_default());
            assert_eq!(written(&text, &mut tape, write), expected, "{text}");
            written(&text, &mut tape, |raw, out| write_without(raw, &["key", "a", ""], out));
            written(&text, &mut tape, |raw, out| write_unmarked(raw, "key", out));
            let mut packed = String::new();
            assert_eq!(write_packed(&text, &mut packed), value.is_some(), "{text}");
            assert_eq!(packed, value.map(of).unwrap_or_default());
        }
        assert!(held > 1000, "{held} held");
        let mut packed = String::from("x");
        assert!(!write_packed("{\"a\":1} and more", &mut packed) && packed == "x");
    }

    #[test]
    fn marks_are_left_out_as_they_are_of_a_value() {
        let blocks = [
            r#"{"type":"text","text":"t","m":{"a":1}}"#,
            r#"{"type":"text","m":1}"#,
            r#"{"text":"t","type":"\u0074ext"}"#,
            r#"{"type":"image","content":[{"m":2,"type":"text","text":[1]}]}"#,
            r#"{"type":"text","text":"t","content":[{"m":1},{"type":"text","text":"u"}]}"#,
            r#"{"content":{"m":1},"m":1e999}"#,
            r#"{"type":"text","text":"\ud800"}"#,
            "7",
        ];
        let mut tape = Tape::default();
        for one in blocks {
            for other in blocks {
                for text in [
                    format!(r#"{{"content":[{one}],"z":{other},"m":0}}"#),
                    format!(r#"{{"content":[{one},{other}],"m":0}}"#),
                    format!(r#"{{"m":{one},"content":{other},"content":[{one}]}}"#),
                ] {
                    let mut value: Value = serde_json::from_str(&text).unwrap_or_default();
                    unmark(&mut value, "m");
                    let found = written(&text, &mut tape, |raw, out| write_unmarked(raw, "m", out));
                    assert_eq!(found, of(value), "{text}");
                }
            }
        }
    }

    #[test]
    fn what_is_nested_too_deeply_for_serde_json_is_not_held() {
        let mut tape = Tape::default();
        for depth in [126, 127, 128, 129] {
            for (open, close) in [("[", "]"), ("{\"a\":", "}")] {
                let text = format!("{}1{}", open.repeat(depth), close.repeat(depth));
                let value: Option<Value> = serde_json::from_str(&text).ok();
                let expected = of(value.unwrap_or_default());
                assert_eq!(written(&text, &mut tape, write), expected, "{depth}");
            }
        }
    }
}
