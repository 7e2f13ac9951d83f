//! Items in an order, lists that replace a history, and arguments of calls.

use super::imports;
use crate::code::lang::spelling::{Edits, Parsed, Spelled, children};
use crate::finding::Span;
use crate::mend::Applicability;

/// `for (const name of [...names].sort())`.
pub(super) fn sorted(parsed: Parsed<'_>, items: &Span, names: bool) -> Option<Spelled> {
    let items = parsed.node(items)?;
    let text = parsed.text_of(items);
    let parent = Parsed::parent(items)?;
    // Entries with types are no texts, and `sort` compares texts.
    let sortable = names && !text.contains("withFileTypes") && !text.contains("sort(");
    let awaited = parent.kind() == "await_expression";
    let made_here = items.kind() == "call_expression" && !awaited;
    let (range, replacement) = match parent.kind() {
        _ if made_here => (items.byte_range(), format!("{text}.sort()")),
        "await_expression" => {
            let behind = Parsed::parent(parent)?;
            let replacement = format!("({}).sort()", parsed.text_of(parent));
            match behind.kind() {
                "parenthesized_expression" => (behind.end_byte()..behind.end_byte(), ".sort()".to_owned()),
                _ => (parent.byte_range(), replacement),
            }
        }
        "for_in_statement" | "member_expression" | "spread_element" => {
            (items.byte_range(), format!("[...{text}].sort()"))
        }
        _ => return None,
    };
    sortable.then(|| Spelled {
        applicability: if made_here || awaited {
            Applicability::Safe
        } else {
            Applicability::Unsafe
        },
        edits: vec![(range, replacement)],
    })
}

/// `[new RemoveMessage({ id: REMOVE_ALL_MESSAGES }), ...messages]`.
pub(super) fn replacing(parsed: Parsed<'_>, list: &Span) -> Option<Edits> {
    const CLEAR: &str = "new RemoveMessage({ id: REMOVE_ALL_MESSAGES })";
    let list = parsed.node(list)?;
    let text = parsed.text_of(list);
    let edit = match list.kind() {
        "array" => {
            let first = list.named_child(0)?;
            (first.start_byte()..first.start_byte(), format!("{CLEAR}, "))
        }
        "shorthand_property_identifier" => (list.byte_range(), format!("{text}: [{CLEAR}, ...{text}]")),
        "identifier" | "member_expression" | "call_expression" | "subscript_expression" => {
            (list.byte_range(), format!("[{CLEAR}, ...{text}]"))
        }
        _ => (list.byte_range(), format!("[{CLEAR}, ...({text})]")),
    };
    let mut edits = imports::missing(
        parsed,
        &[
            ("@langchain/core/messages", "RemoveMessage"),
            ("@langchain/langgraph", "REMOVE_ALL_MESSAGES"),
        ],
    )?;
    edits.push(edit);
    Some(edits)
}

/// A call whose options have one more entry, behind the others. JavaScript writes `startOn` where Python
/// writes `start_on`.
pub(super) fn argument(parsed: Parsed<'_>, call: &Span, name: &str, value: &str) -> Option<Edits> {
    let call = parsed.node(call)?;
    let arguments = children(call.child_by_field_name("arguments")?);
    let options = *arguments.last().filter(|options| options.kind() == "object")?;
    let name = camel_case(name);
    let entries = children(options);
    let last = entries.last()?;
    let entry = |wanted: &str| {
        entries.iter().find(|entry| {
            let key = entry.child_by_field_name("key").unwrap_or(**entry);
            parsed.text_of(key) == wanted
        })
    };
    let spread = entries.iter().any(|entry| entry.kind() == "spread_element");
    // Of the oldest messages none can be chosen to start with.
    let from_head = entry("strategy").is_some_and(|strategy| {
        let value = strategy.child_by_field_name("value");
        value.is_none_or(|value| !matches!(parsed.text_of(value), "\"last\"" | "'last'"))
    });
    if spread || from_head || entry(&name).is_some() {
        return None;
    }
    let behind = last.end_byte();
    Some(vec![(behind..behind, format!(", {name}: \"{value}\""))])
}

fn camel_case(name: &str) -> String {
    let mut parts = name.split('_');
    let mut made = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let mut letters = part.chars();
        made.extend(letters.next().map(|first| first.to_ascii_uppercase()));
        made.push_str(letters.as_str());
    }
    made
}
