//! Forms that are recognised and not read, with the reason.

use crate::transcript::json::{self, Object, Raw};

/// A form that is not read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Refusal {
    /// What it is.
    pub(crate) name: &'static str,
    /// Why it is not read, or what to dump instead.
    pub(crate) reason: &'static str,
}

const fn refusal(name: &'static str, reason: &'static str) -> Refusal {
    Refusal { name, reason }
}

/// By the first bytes of a file.
pub(crate) fn by_magic(bytes: &[u8]) -> Option<Refusal> {
    bytes
        .starts_with(b"PAR1")
        .then(|| refusal("a Parquet file", "export the same runs as JSON, a line each"))
}

/// By the beginning of a text that is not JSON.
pub(crate) fn by_text(text: &str) -> Option<Refusal> {
    let lines = || text.lines().filter(|line| !line.is_empty()).take(20);
    let speaks = |line: &str| {
        let speaker = line.split_once(": ").map(|(speaker, _)| speaker);
        matches!(speaker, Some("Human" | "AI" | "System" | "Tool" | "Function"))
    };
    if text.trim_start().starts_with("<message type=") {
        return Some(refusal(
            "buffer text as XML",
            "it has no ids, no tool calls and no order of updates",
        ));
    }
    if lines().next().is_some_and(speaks) {
        return Some(refusal(
            "buffer text",
            "it has no ids, no tool calls and no order of updates",
        ));
    }
    None
}

/// By the shape of a record.
pub(crate) fn by_record(raw: Raw<'_>) -> Option<Refusal> {
    let object = Object::of(raw)?;
    let has_repr = |update: Object<'_>| {
        update
            .list("messages")
            .is_some_and(|list| list.iter().any(|raw| is_repr(*raw)))
    };
    let in_update = object.iter().filter_map(|(_, value)| Object::of(value)).any(has_repr);
    if in_update || has_repr(object) {
        return Some(refusal(
            "messages as Python repr strings",
            "`default=str` lost their fields; dump them with `model_dump()` or `langchain_core.load.dumps`",
        ));
    }
    None
}

/// `content='…' …`, as Python prints a message.
fn is_repr(raw: Raw<'_>) -> bool {
    json::string(raw).is_some_and(|text| text.starts_with("content='") || text.starts_with("content=\""))
}

#[cfg(test)]
mod tests {
    use super::{by_magic, by_record, by_text};

    #[test]
    fn forms_without_the_facts_are_named() {
        let text = |text| by_text(text).map(|refusal| refusal.name);
        assert_eq!(text("Human: hi\nAI: hello\n"), Some("buffer text"));
        assert_eq!(text("<message type=\"human\">hi</message>"), Some("buffer text as XML"));
        assert_eq!(text("# Notes\nHuman: hi\n"), None);
        assert_eq!(by_magic(b"PAR1...").map(|refusal| refusal.name), Some("a Parquet file"));
    }

    #[test]
    fn records_of_other_stores_are_named() {
        let name = |text| by_record(serde_json::from_str(text).expect("the text is JSON")).map(|refusal| refusal.name);
        assert_eq!(
            name(r#"{"m":{"messages":["content='x' id='1'"]}}"#),
            Some("messages as Python repr strings")
        );
        assert_eq!(name(r#"{"m":{"messages":[]}}"#), None);
    }
}
