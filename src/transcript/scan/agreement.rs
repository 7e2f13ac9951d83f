//! That the scanner and `serde_json` agree on every part of a text, for tests and fuzz targets.

use serde_json::value::RawValue;

use super::{Bounds, Tape};
use crate::transcript::json::{self, Object, Raw};

/// Whether the walk along the tape finds what `serde_json` finds; both take the text, or neither does.
pub(in crate::transcript) fn agree(text: &str, tape: &mut Tape) -> bool {
    let scanned = tape.scan(text, Bounds::NONE).is_ok();
    let bare = serde_json::from_str::<&RawValue>(text).ok();
    assert_eq!(scanned, bare.is_some(), "{text:?}");
    if scanned {
        let taped = Raw::of(text, Some(tape)).expect("it was scanned");
        same(taped, Raw::of(text, None).expect("serde_json takes it"));
    }
    scanned
}

fn same(taped: Raw<'_>, bare: Raw<'_>) {
    assert_eq!(taped.get(), bare.get());
    assert_eq!(json::string(taped), json::string(bare), "{}", bare.get());
    let lists = (json::list(taped), json::list(bare));
    if let (Some(taped), Some(bare)) = &lists {
        assert_eq!(taped.len(), bare.len());
        taped.iter().zip(bare).for_each(|(taped, bare)| same(*taped, *bare));
    }
    assert_eq!(lists.0.is_some(), lists.1.is_some());
    let objects = (Object::of(taped), Object::of(bare));
    if let (Some(taped), Some(bare)) = &objects {
        assert_eq!(taped.is_empty(), bare.is_empty());
        assert_eq!(taped.iter().count(), bare.iter().count());
        for ((key, value), (bare_key, bare_value)) in taped.iter().zip(bare.iter()) {
            assert_eq!(key, bare_key);
            same(value, bare_value);
            assert_eq!(taped.get(key).map(Raw::get), bare.get(key).map(Raw::get), "{key}");
            assert_eq!(taped.number(key), bare.number(key), "{key}");
        }
        assert_eq!(taped.has("no such key"), bare.has("no such key"));
    }
    assert_eq!(objects.0.is_some(), objects.1.is_some(), "{}", bare.get());
}
