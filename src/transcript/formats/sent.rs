//! What a provider reads of a value that is sent to it: the same text for the same value, whatever the order of keys,
//! and without what is said to the provider beside the prompt, such as where its cache is to be written.

use crate::transcript::canonical;
use crate::transcript::json::{self, Object, Raw};
use crate::transcript::message::hash_of;

/// Says where a prompt is to be cached, and moves with every call.
pub(super) const CACHE_MARK: &str = "cache_control";

/// The same text for the same value, whatever the order of its keys.
pub(super) fn canonical(raw: Raw<'_>) -> String {
    let mut out = String::new();
    canonical::write(raw, &mut out);
    out
}

/// What is read of a block of a message's content.
pub(super) fn block(raw: Raw<'_>) -> String {
    let mut out = String::new();
    write_block(raw, &mut out);
    out
}

/// Adds what is read of a block of a message's content. A result of one text may also be written as that text.
pub(super) fn write_block(raw: Raw<'_>, out: &mut String) {
    let holds = |word: &str| memchr::memmem::find(raw.get().as_bytes(), word.as_bytes()).is_some();
    if holds("tool_result") || holds(CACHE_MARK) {
        canonical::write_unmarked(raw, CACHE_MARK, out);
    } else {
        canonical::write(raw, out);
    }
}

/// Says behind how much text something stands that is no text.
pub(super) fn place(rest: &mut String, text: usize) {
    if text > 0 {
        rest.push('@');
        rest.push_str(&text.to_string());
        rest.push(' ');
    }
}

/// What is read of an item of the Responses API, which has an id and a state at home.
pub(super) fn item(raw: Raw<'_>) -> String {
    let mut out = String::new();
    canonical::write_without(raw, &["id", "status", "created_by"], &mut out);
    out
}

/// The arguments of a call: the same whether they are written as JSON or as JSON in a text.
pub(super) fn arguments(raw: Raw<'_>) -> String {
    let mut out = String::new();
    let is_packed = json::string(raw).is_some_and(|text| canonical::write_packed(&text, &mut out));
    if !is_packed {
        canonical::write(raw, &mut out);
    }
    out
}

/// What is read of a call in one of the lists of calls that stand beside a message's content.
pub(super) fn call(raw: Raw<'_>) -> String {
    let Some(call) = Object::of(raw) else {
        return String::new();
    };
    let inner = call.object("function").unwrap_or_else(|| call.clone());
    let name = ["name", "function"].iter().find_map(|key| inner.string(key));
    let arguments = ["args", "arguments", "input", "action", "operation"]
        .iter()
        .find_map(|key| inner.some(key));
    format!(
        "{}({})",
        name.unwrap_or_default(),
        arguments.map(self::arguments).unwrap_or_default()
    )
}

/// The hash of a list of tools. Their order counts.
pub(super) fn tools(list: Option<Raw<'_>>) -> u64 {
    let list = list.and_then(json::list).unwrap_or_default();
    hash_of(list.into_iter().map(block).collect::<Vec<_>>())
}

/// The hash of the tools that the body of a request offers; a body without any offers none.
pub(super) fn tools_of(body: &Object<'_>) -> u64 {
    tools(body.some("tools").or_else(|| body.some("functions")))
}

#[cfg(test)]
mod tests {
    use super::{arguments, block, call, item, tools};
    use crate::transcript::json::{Raw, value};
    use crate::transcript::reader::{Record, Spot};

    fn with<T>(text: &str, read: impl FnOnce(Raw<'_>) -> T) -> T {
        let spot = Spot::default();
        read(value(&Record { text, spot, tape: None }).expect("the text is JSON"))
    }

    #[test]
    fn marks_for_the_cache_are_not_read() {
        let marked = r#"{"type":"tool_result","tool_use_id":"c1","cache_control":{"type":"ephemeral"},
            "content":[{"type":"text","text":"r","cache_control":{"type":"ephemeral"}}]}"#;
        let bare = r#"{"content":"r","tool_use_id":"c1","type":"tool_result"}"#;
        assert_eq!(with(marked, block), with(bare, block));
        let other = r#"{"content":"s","tool_use_id":"c1","type":"tool_result"}"#;
        assert_ne!(with(other, block), with(bare, block));
        let input = r#"{"type":"tool_use","id":"c1","name":"f","input":{"cache_control":1}}"#;
        let without = r#"{"type":"tool_use","id":"c1","name":"f","input":{}}"#;
        assert_ne!(with(input, block), with(without, block), "an argument is no mark");
    }

    #[test]
    fn calls_read_the_same_in_every_dialect() {
        let ways = [
            r#"{"name":"f","args":{"a":1,"b":2},"id":"c1","type":"tool_call"}"#,
            r#"{"id":"c1","type":"function","function":{"name":"f","arguments":"{\"b\": 2, \"a\": 1}"}}"#,
            r#"{"id":"c1","function":"f","arguments":{"b":2,"a":1}}"#,
        ];
        for way in ways {
            assert_eq!(with(way, call), r#"f({"a":1,"b":2})"#, "{way}");
        }
        assert_eq!(with(r#""no JSON""#, arguments), r#""no JSON""#);
    }

    #[test]
    fn items_and_tools_are_read_without_what_the_provider_keeps() {
        let kept = r#"{"id":"rs_1","type":"reasoning","status":"completed","summary":[]}"#;
        assert_eq!(with(kept, item), with(r#"{"summary":[],"type":"reasoning"}"#, item));
        let hash = |text: &str| with(text, |raw| tools(Some(raw)));
        let one = r#"[{"name":"a","cache_control":{"type":"ephemeral"}},{"name":"b"}]"#;
        assert_eq!(hash(one), hash(r#"[{"name":"a"},{"name":"b"}]"#));
        assert_ne!(hash(one), hash(r#"[{"name":"b"},{"name":"a"}]"#), "their order counts");
        assert_eq!(hash("[]"), tools(None));
    }
}
