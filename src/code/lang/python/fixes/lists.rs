//! Items in an order, lists that replace a history, and arguments of calls.

use super::{called, imports, is_builtin, method_name};
use crate::code::lang::spelling::{Edits, Parsed, Spelled, children};
use crate::finding::Span;
use crate::mend::Applicability;

/// `for x in sorted(xs)`, `", ".join(sorted(xs))`.
pub(super) fn sorted(parsed: Parsed<'_>, items: &Span, names: bool) -> Option<Spelled> {
    let items = parsed.node(items)?;
    let parent = Parsed::parent(items)?;
    let text = parsed.text_of(items);
    if !is_builtin(parsed, "sorted") || text.contains("sorted(") {
        return None;
    }
    let spelled = |texts: bool, range: std::ops::Range<usize>, text: String| Spelled {
        // Text can be sorted; what else is in a set may not.
        applicability: if texts {
            Applicability::Safe
        } else {
            Applicability::Unsafe
        },
        edits: vec![(range, text)],
    };
    match parent.kind() {
        "for_statement" | "for_in_clause" => {
            let is_iterated = parent.child_by_field_name("right") == Some(items);
            let is_async = parent.child(0).is_some_and(|first| first.kind() == "async");
            (is_iterated && !is_async).then(|| spelled(names, items.byte_range(), format!("sorted({text})")))
        }
        "argument_list" => {
            let call = parent.parent()?;
            let (function, arguments) = called(parsed, call)?;
            match function {
                "list" if arguments.len() == 1 => {
                    is_builtin(parsed, "list").then(|| spelled(names, call.byte_range(), format!("sorted({text})")))
                }
                "enumerate" | "tuple" => Some(spelled(names, items.byte_range(), format!("sorted({text})"))),
                _ if method_name(function) == Some("join") && arguments.len() == 1 => {
                    Some(spelled(true, items.byte_range(), format!("sorted({text})")))
                }
                _ => None,
            }
        }
        "list_splat" => Some(spelled(names, items.byte_range(), format!("sorted({text})"))),
        _ => None,
    }
}

/// `[RemoveMessage(id=REMOVE_ALL_MESSAGES), *xs]`.
pub(super) fn replacing(parsed: Parsed<'_>, list: &Span) -> Option<Edits> {
    const CLEAR: &str = "RemoveMessage(id=REMOVE_ALL_MESSAGES)";
    let list = parsed.node(list)?;
    let text = parsed.text_of(list);
    let edit = match list.kind() {
        "list" => {
            let first = list.named_child(0)?;
            (first.start_byte()..first.start_byte(), format!("{CLEAR}, "))
        }
        "identifier" | "attribute" | "subscript" | "call" | "list_comprehension" => {
            (list.byte_range(), format!("[{CLEAR}, *{text}]"))
        }
        _ => (list.byte_range(), format!("[{CLEAR}, *({text})]")),
    };
    let mut edits = imports::missing(
        parsed,
        &[
            ("langchain_core.messages", "RemoveMessage"),
            ("langgraph.graph.message", "REMOVE_ALL_MESSAGES"),
        ],
    )?;
    edits.push(edit);
    Some(edits)
}

/// A call with one more argument, behind the others.
pub(super) fn argument(parsed: Parsed<'_>, call: &Span, name: &str, value: &str) -> Option<Edits> {
    let call = parsed.node(call)?;
    let (_, arguments) = called(parsed, call)?;
    let last = arguments.last()?;
    let spread = arguments.iter().any(|argument| argument.kind() == "dictionary_splat");
    let keyword = |wanted: &str| {
        arguments.iter().find(|argument| {
            let name = argument.child_by_field_name("name");
            argument.kind() == "keyword_argument" && name.is_some_and(|name| parsed.text_of(name) == wanted)
        })
    };
    // Of the oldest messages none can be chosen to start with.
    let from_head = keyword("strategy").is_some_and(|strategy| {
        let value = children(*strategy);
        value
            .last()
            .is_none_or(|value| !matches!(parsed.text_of(*value), "\"last\"" | "'last'"))
    });
    if spread || from_head || keyword(name).is_some() || last.kind() == "generator_expression" {
        return None;
    }
    let behind = last.end_byte();
    Some(vec![(behind..behind, format!(", {name}=\"{value}\""))])
}
