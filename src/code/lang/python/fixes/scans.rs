//! Searches that start at the other end.

use tree_sitter::Node;

use super::{called, is_builtin, method_name};
use crate::code::lang::spelling::{Body, Edits, Parsed, children, within};
use crate::finding::Span;

/// What the body of a loop may do and still be only a search.
const BODY: Body = Body {
    leaves: &["return_statement", "break_statement", "raise_statement"],
    quiet: &["pass_statement", "continue_statement"],
    holds: &[
        "if_statement",
        "elif_clause",
        "else_clause",
        "for_statement",
        "with_statement",
        "try_statement",
        "except_clause",
    ],
    blocks: &["block"],
};

pub(super) fn from_tail(parsed: Parsed<'_>, search: &Span, list: &Span) -> Option<Edits> {
    let search = parsed.node(search)?;
    if search.kind() == "subscript" {
        // `[m for m in xs if …][0]`: the last of the matches.
        let index = search.child_by_field_name("subscript")?;
        return (parsed.text_of(index) == "0").then(|| vec![(index.byte_range(), "-1".to_owned())]);
    }
    let list = parsed.node(list)?;
    let clause = Parsed::around(list, &["for_in_clause", "for_statement"])?;
    let right = clause.child_by_field_name("right")?;
    let inside = within(right, list);
    let is_async = clause.child(0).is_some_and(|first| first.kind() == "async");
    if !inside || is_async || !is_builtin(parsed, "reversed") {
        return None;
    }
    let ours = match clause.child_by_field_name("body") {
        Some(body) => within(body, search) && only_searches(body),
        None => within(search, clause),
    };
    let turned = ours.then(|| turned(parsed, right))??;
    Some(vec![(right.byte_range(), turned)])
}

/// The same items, from the last one to the first.
fn turned(parsed: Parsed<'_>, items: Node<'_>) -> Option<String> {
    let text = parsed.text_of(items);
    if text.contains("reversed") || text.contains("::-1") {
        return None;
    }
    let is_sequence = match called(parsed, items) {
        Some(("range" | "list" | "sorted", _)) => true,
        Some((function, _)) => method_name(function) == Some("get"),
        None => matches!(
            items.kind(),
            "identifier" | "attribute" | "subscript" | "boolean_operator" | "parenthesized_expression" | "list"
        ),
    };
    if is_sequence {
        Some(format!("reversed({text})"))
    } else {
        is_builtin(parsed, "list").then(|| format!("reversed(list({text}))"))
    }
}

/// Whether a loop only looks for something. A name for a part of the element is nothing that lasts.
fn only_searches(body: Node<'_>) -> bool {
    let named = |statement: &Node<'_>| {
        let inner = statement
            .named_child(0)
            .filter(|_| statement.kind() == "expression_statement");
        inner.is_some_and(|inner| {
            let left = inner.child_by_field_name("left");
            inner.kind() == "assignment" && left.is_some_and(|left| left.kind() == "identifier")
        })
    };
    let inner = children(body);
    // Whatever stands before the end of the first round runs once.
    inner.last().is_some_and(|last| BODY.leaves.contains(&last.kind()))
        || inner
            .iter()
            .all(|statement| named(statement) || BODY.only_searches(*statement))
}
