//! How Python writes values: its error messages quote what they refuse.

use std::fmt::Write as _;

use serde_json::{Number, Value};

/// The name of the class of a value.
pub(in crate::history) fn type_name(value: &Value) -> &'static str {
    match value {
        Value::Null => "NoneType",
        Value::Bool(_) => "bool",
        Value::Number(number) if number.is_f64() => "float",
        Value::Number(_) => "int",
        Value::String(_) => "str",
        Value::Array(_) => "list",
        Value::Object(_) => "dict",
    }
}

/// Whether a value counts as true.
pub(in crate::history) fn is_truthy(value: &Value) -> bool {
    match value {
        Value::Null => false,
        Value::Bool(truth) => *truth,
        Value::Number(number) => number.as_f64() != Some(0.0),
        Value::String(text) => !text.is_empty(),
        Value::Array(items) => !items.is_empty(),
        Value::Object(fields) => !fields.is_empty(),
    }
}

/// `str(value)`.
pub(super) fn text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => repr(other),
    }
}

/// `repr(value)`.
pub(in crate::history) fn repr(value: &Value) -> String {
    let mut out = String::new();
    write_repr(value, &mut out);
    out
}

fn write_repr(value: &Value, out: &mut String) {
    match value {
        Value::Null => out.push_str("None"),
        Value::Bool(true) => out.push_str("True"),
        Value::Bool(false) => out.push_str("False"),
        Value::Number(value) => out.push_str(&number(value)),
        Value::String(text) => write_str(text, out),
        Value::Array(items) => {
            out.push('[');
            for (at, item) in items.iter().enumerate() {
                out.push_str(if at == 0 { "" } else { ", " });
                write_repr(item, out);
            }
            out.push(']');
        }
        Value::Object(fields) => {
            out.push('{');
            for (at, (key, field)) in fields.iter().enumerate() {
                out.push_str(if at == 0 { "" } else { ", " });
                write_str(key, out);
                out.push_str(": ");
                write_repr(field, out);
            }
            out.push('}');
        }
    }
}

fn write_str(text: &str, out: &mut String) {
    let quote = if text.contains('\'') && !text.contains('"') {
        '"'
    } else {
        '\''
    };
    out.push(quote);
    for c in text.chars() {
        match c {
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            c if c == quote => {
                out.push('\\');
                out.push(c);
            }
            c if is_printable(c) => out.push(c),
            c => write_escape(c, out),
        }
    }
    out.push(quote);
}

fn write_escape(c: char, out: &mut String) {
    let code = u32::from(c);
    let written = match code {
        0..=0xff => write!(out, "\\x{code:02x}"),
        0x100..=0xffff => write!(out, "\\u{code:04x}"),
        _ => write!(out, "\\U{code:08x}"),
    };
    debug_assert!(written.is_ok(), "writing into a string cannot fail");
}

/// Whether Python shows a character as itself. Separators, format characters, private use and
/// noncharacters it does not; unassigned code points, which differ between versions, count as shown.
fn is_printable(c: char) -> bool {
    !matches!(
        u32::from(c),
        0x00..=0x1f
            | 0x7f..=0xa0
            | 0xad
            | 0x600..=0x605
            | 0x61c
            | 0x6dd
            | 0x70f
            | 0x1680
            | 0x180e
            | 0x2000..=0x200f
            | 0x2028..=0x202f
            | 0x205f..=0x206f
            | 0x3000
            | 0xe000..=0xf8ff
            | 0xfeff
            | 0xfff0..=0xfffb
            | 0xfffe..=0xffff
            | 0xe0000..=0xe007f
            | 0xf0000..=0x0010_ffff
    )
}

/// `repr` of a number.
pub(super) fn number(number: &Number) -> String {
    match number.as_f64() {
        Some(float) if number.is_f64() => float_repr(float),
        _ => number.to_string(),
    }
}

/// The shortest digits that read back as the same float, with an exponent where Python writes one.
fn float_repr(float: f64) -> String {
    let scientific = format!("{float:e}");
    let Some((mantissa, exponent)) = scientific.split_once('e') else {
        return scientific;
    };
    let exponent: i32 = exponent.parse().unwrap_or_default();
    if (-4..16).contains(&exponent) {
        let plain = format!("{float}");
        return if plain.contains('.') { plain } else { plain + ".0" };
    }
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{mantissa}e{sign}{:02}", exponent.unsigned_abs())
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::repr;

    #[test]
    fn values_are_written_as_python_writes_them() {
        let value =
            json!({"a": [null, true, 1, 1.0, 1e22, 1.5e-7, 0.0001, 123.25], "b\n": "it's", "c": "\"'\u{200b}é"});
        assert_eq!(
            repr(&value),
            r#"{'a': [None, True, 1, 1.0, 1e+22, 1.5e-07, 0.0001, 123.25], 'b\n': "it's", 'c': '"\'\u200bé'}"#
        );
        assert_eq!(repr(&Value::from(-0.0)), "-0.0");
    }
}
