//! Attributes as single names with plain values, whichever way they were exported.

use serde_json::{Map, Value};

use crate::transcript::formats::time;
use crate::transcript::json::{self, Object, Raw};

/// How deep values are followed.
const DEPTH: usize = 32;

/// Attributes by name: an object, or the list of pairs of the OTLP, or a value of it.
pub(super) fn flat(raw: Raw<'_>) -> Map<String, Value> {
    let value: Value = serde_json::from_str(raw.get()).unwrap_or_default();
    match plain(value, DEPTH) {
        Value::Object(map) => map,
        Value::String(text) => match serde_json::from_str(&text) {
            Ok(Value::Object(map)) => map,
            _ => Map::from_iter([("content".to_owned(), Value::String(text))]),
        },
        _ => Map::new(),
    }
}

/// A value without the wrappers of the OTLP.
fn plain(value: Value, depth: usize) -> Value {
    let Some(deeper) = depth.checked_sub(1) else {
        return Value::Null;
    };
    match value {
        Value::Array(items) if is_pairs(&items) => {
            let pairs = items.into_iter().filter_map(|item| match item {
                Value::Object(mut pair) => {
                    let value = pair.remove("value").unwrap_or_default();
                    Some((pair.get("key")?.as_str()?.to_owned(), plain(value, deeper)))
                }
                _ => None,
            });
            Value::Object(pairs.collect())
        }
        Value::Array(items) => items.into_iter().map(|item| plain(item, deeper)).collect(),
        Value::Object(mut map) => {
            // A later version may say more of a value than its type.
            if map.len() <= 2 {
                for key in ["stringValue", "intValue", "doubleValue", "boolValue", "bytesValue"] {
                    if let Some(value) = map.remove(key) {
                        return value;
                    }
                }
                for key in ["arrayValue", "kvlistValue"] {
                    if let Some(Value::Object(mut inner)) = map.remove(key) {
                        let values = inner.remove("values").unwrap_or_else(|| Value::Array(Vec::new()));
                        return match (key, plain(values, deeper)) {
                            ("kvlistValue", Value::Array(empty)) if empty.is_empty() => Value::Object(Map::new()),
                            (_, value) => value,
                        };
                    }
                }
            }
            let pairs = map.into_iter().map(|(key, value)| (key, plain(value, deeper)));
            Value::Object(pairs.collect())
        }
        other => other,
    }
}

fn is_pairs(items: &[Value]) -> bool {
    let is_pair = |item: &Value| {
        item.as_object()
            .is_some_and(|pair| pair.len() <= 3 && pair.contains_key("key") && pair.contains_key("value"))
    };
    !items.is_empty() && items.iter().all(is_pair)
}

/// A count, also if it is written as a text.
pub(super) fn tokens(value: &Value) -> Option<u64> {
    match value {
        Value::String(text) => text.parse().ok(),
        other => other.as_u64(),
    }
}

/// When a span began or an event came, in microseconds since 1970.
pub(super) fn start(span: &Object<'_>) -> i64 {
    let nano = [
        "startTimeUnixNano",
        "start_time_unix_nano",
        "timeUnixNano",
        "observedTimeUnixNano",
    ];
    if let Some(nano) = nano.iter().find_map(|key| span.number(key)) {
        return i64::try_from(nano / 1000).unwrap_or_default();
    }
    let text = ["start_time", "startTime", "timestamp", "observed_timestamp"];
    let Some(raw) = text.iter().find_map(|key| span.some(key)) else {
        return 0;
    };
    match json::string(raw) {
        Some(text) => time::parse(&text).unwrap_or_default() * 1000,
        None => raw.get().parse::<i64>().map_or(0, |nano| nano / 1000),
    }
}
