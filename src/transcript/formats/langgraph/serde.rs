//! What LangGraph's serialiser writes: `MessagePack` with objects as extensions, turned into the JSON that the
//! same values have elsewhere.
//!
//! Source: `langgraph/checkpoint/serde/jsonplus.py` of langchain-ai/langgraph, langgraph-checkpoint 4.3.2.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use rmpv::Value as Packed;
use serde_json::{Map, Value};

use super::super::{Adapter, Detected, Sample, Sink, form};
use super::LangGraph;
use crate::transcript::event::Fate;
use crate::transcript::json::{Object, Raw};
use crate::transcript::reader::Record;

/// The deepest nesting that is followed; what lies deeper is left out.
const DEPTH: usize = 64;

/// A value by the name of how it was written; none if it cannot be read.
pub(super) fn decode(kind: &str, bytes: &[u8]) -> Option<Value> {
    match kind {
        "msgpack" => unpack(bytes, DEPTH),
        "json" => serde_json::from_slice(bytes).ok(),
        "null" | "empty" => Some(Value::Null),
        // Channels of bytes hold no messages.
        "bytes" | "bytearray" | "pickle" => Some(Value::Null),
        _ => serde_json::from_slice(bytes).ok().or_else(|| unpack(bytes, DEPTH)),
    }
}

/// Bytes as a dump writes them: `\x…` or bare hex, or base64.
pub(super) fn bytes(text: &str) -> Option<Vec<u8>> {
    if let Some(digits) = text.strip_prefix("\\x") {
        return hex(digits);
    }
    STANDARD.decode(text).ok()
}

pub(super) fn hex(digits: &str) -> Option<Vec<u8>> {
    let pairs = digits.as_bytes().chunks(2);
    pairs
        .map(|pair| u8::from_str_radix(std::str::from_utf8(pair).ok().filter(|pair| pair.len() == 2)?, 16).ok())
        .collect()
}

fn unpack(mut bytes: &[u8], depth: usize) -> Option<Value> {
    let packed = rmpv::decode::read_value_with_max_depth(&mut bytes, DEPTH).ok()?;
    Some(plain(packed, depth))
}

fn plain(packed: Packed, depth: usize) -> Value {
    let Some(deeper) = depth.checked_sub(1) else {
        return Value::Null;
    };
    match packed {
        Packed::Nil => Value::Null,
        Packed::Boolean(value) => Value::from(value),
        Packed::Integer(number) => match (number.as_u64(), number.as_i64()) {
            (Some(number), _) => Value::from(number),
            (None, Some(number)) => Value::from(number),
            (None, None) => Value::Null,
        },
        Packed::F32(number) => Value::from(number),
        Packed::F64(number) => Value::from(number),
        Packed::String(text) => Value::from(String::from_utf8_lossy(text.as_bytes()).into_owned()),
        Packed::Binary(bytes) => Value::from(STANDARD.encode(bytes)),
        Packed::Array(items) => items.into_iter().map(|item| plain(item, deeper)).collect(),
        Packed::Map(pairs) => {
            let pairs = pairs.into_iter().map(|(key, value)| {
                let key = match plain(key, 1) {
                    Value::String(key) => key,
                    other => other.to_string(),
                };
                (key, plain(value, deeper))
            });
            Value::Object(pairs.collect::<Map<_, _>>())
        }
        Packed::Ext(kind, bytes) => extension(kind, &bytes, deeper),
    }
}

/// An object of Python: `[module, class, argument or arguments, …]`. Its arguments are what it dumps.
fn extension(kind: i8, bytes: &[u8], depth: usize) -> Value {
    let inner = unpack(bytes, depth).unwrap_or_default();
    if !(0..=5).contains(&kind) {
        return inner;
    }
    let Value::Array(mut parts) = inner else {
        return Value::Null;
    };
    if parts.len() < 3 {
        return Value::Null;
    }
    let value = parts.swap_remove(2);
    // An order to the reducer, as the tool's own JSON writes it.
    if parts[1] == "Overwrite" {
        let wrapped = value.get("value").cloned().unwrap_or(value);
        return Value::Object(Map::from_iter([("__overwrite__".to_owned(), wrapped)]));
    }
    value
}

pub(super) fn detect(sample: &Sample<'_>) -> Option<Detected> {
    let is_packed =
        |record: &Object<'_>| record.string("type").is_some_and(|kind| kind == "msgpack") && packed(record).is_some();
    sample
        .first()
        .is_some_and(is_packed)
        .then(|| Detected::new(&form::SERIALISED, Serialised(LangGraph::new(None, None))))
}

fn packed(record: &Object<'_>) -> Option<Vec<u8>> {
    match record.string("hex") {
        Some(digits) => hex(&digits),
        None => ["value", "blob", "base64"]
            .iter()
            .find_map(|key| bytes(&record.string(key)?)),
    }
}

/// Reads values that were dumped as they were packed.
struct Serialised(LangGraph);

impl Adapter for Serialised {
    fn read<'r>(&mut self, record: Record<'r>, raw: Raw<'r>, sink: &mut Sink<'_, 'r>) -> Fate {
        let object = Object::of(raw).unwrap_or_default();
        let Some(bytes) = packed(&object) else {
            return Fate::Malformed("it has no packed bytes".to_owned());
        };
        let kind = object.string("type").unwrap_or_default();
        match decode(&kind, &bytes) {
            Some(Value::Array(list)) => {
                let state = serde_json::json!({ "messages": list });
                self.0.read_made(&state.to_string(), record.spot, sink.events)
            }
            Some(value) if value.get("content").is_some() => {
                let update = serde_json::json!({ "value": { "messages": [value] } });
                self.0.read_made(&update.to_string(), record.spot, sink.events)
            }
            Some(value) => self.0.read_made(&value.to_string(), record.spot, sink.events),
            None => Fate::Malformed("its bytes cannot be unpacked".to_owned()),
        }
    }
}

#[cfg(test)]
mod tests {
    use rmpv::Value as Packed;
    use serde_json::json;

    use super::{bytes, decode};

    fn pack(value: &Packed) -> Vec<u8> {
        let mut bytes = Vec::new();
        rmpv::encode::write_value(&mut bytes, value).expect("a vector grows");
        bytes
    }

    fn object(kind: i8, class: &str, argument: Packed) -> Packed {
        Packed::Ext(
            kind,
            pack(&Packed::Array(vec!["m".into(), class.into(), argument, "f".into()])),
        )
    }

    #[test]
    fn objects_become_what_they_dump() {
        let message = Packed::Map(vec![("type".into(), "human".into()), ("content".into(), "hi".into())]);
        let list = Packed::Array(vec![object(5, "HumanMessage", message)]);
        let expected = json!([{"type": "human", "content": "hi"}]);
        assert_eq!(decode("msgpack", &pack(&list)), Some(expected.clone()));
        let overwrite = object(2, "Overwrite", Packed::Map(vec![("value".into(), list)]));
        assert_eq!(
            decode("msgpack", &pack(&overwrite)),
            Some(json!({"__overwrite__": expected}))
        );
    }

    #[test]
    fn bytes_are_read_as_dumps_write_them() {
        assert_eq!(bytes("\\x00ff"), Some(vec![0, 255]));
        assert_eq!(bytes("AP8="), Some(vec![0, 255]));
        assert_eq!(bytes("\\x0"), None);
    }

    #[test]
    fn nesting_without_end_is_cut_off() {
        let mut value = Packed::Nil;
        for _ in 0..300 {
            value = object(3, "x", value);
        }
        assert!(decode("msgpack", &pack(&value)).is_some());
    }
}
