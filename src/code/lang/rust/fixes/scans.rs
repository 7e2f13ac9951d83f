//! Searches that start at the other end.

use tree_sitter::Node;

use super::method;
use crate::code::lang::spelling::{Body, Edits, Parsed, children, within};
use crate::finding::Span;

/// What the body of a loop may do and still be only a search.
const BODY: Body = Body {
    leaves: &["return_expression", "break_expression"],
    quiet: &["continue_expression", "empty_statement"],
    holds: &["if_expression", "else_clause", "for_expression", "expression_statement"],
    blocks: &["block"],
};

/// Adapters of iterators that can be run through from both ends.
const BOTH_ENDS: &[&str] = &[
    "iter",
    "iter_mut",
    "into_iter",
    "enumerate",
    "filter",
    "map",
    "filter_map",
    "copied",
    "cloned",
    "skip",
];

/// Methods of an iterator that stop at the first match.
const STOPS: &[&str] = &["find", "find_map"];

pub(super) fn from_tail(parsed: Parsed<'_>, search: &Span, list: &Span) -> Option<Edits> {
    let search = parsed.node(search)?;
    if let Some(called) = method(search) {
        let name = parsed.text_of(called.name);
        if !has_both_ends(parsed, called.receiver) {
            return None;
        }
        let behind = called.receiver.end_byte();
        return match name {
            _ if STOPS.contains(&name) => Some(vec![(behind..behind, ".rev()".to_owned())]),
            "position" => Some(vec![(called.name.byte_range(), "rposition".to_owned())]),
            "next" => Some(vec![(called.name.byte_range(), "next_back".to_owned())]),
            _ => None,
        };
    }
    let list = parsed.node(list)?;
    let around = Parsed::around(list, &["for_expression"])?;
    let items = around.child_by_field_name("value")?;
    let body = around.child_by_field_name("body")?;
    if !within(items, list) || !within(body, search) || !only_searches(body) {
        return None;
    }
    let turned = match items.kind() {
        "reference_expression" => {
            let value = items.child_by_field_name("value")?;
            let iter = if has_token(items, "mutable_specifier") {
                "iter_mut"
            } else {
                "iter"
            };
            format!("{}.{iter}().rev()", parsed.text_of(value))
        }
        "identifier" | "field_expression" => format!("{}.into_iter().rev()", parsed.text_of(items)),
        _ if has_both_ends(parsed, items) => format!("{}.rev()", parsed.text_of(items)),
        _ => return None,
    };
    Some(vec![(items.byte_range(), turned)])
}

/// Whether an expression is an iterator over a list that has two ends and a known length.
fn has_both_ends(parsed: Parsed<'_>, iterator: Node<'_>) -> bool {
    let Some(called) = method(iterator) else { return false };
    let name = parsed.text_of(called.name);
    match name {
        "iter" | "iter_mut" | "into_iter" => true,
        _ => BOTH_ENDS.contains(&name) && has_both_ends(parsed, called.receiver),
    }
}

/// Whether a loop only looks for something. A name for a part of the element is nothing that lasts.
fn only_searches(body: Node<'_>) -> bool {
    let inner = children(body);
    let leaves = |node: &Node<'_>| {
        let inner = if node.kind() == "expression_statement" {
            node.named_child(0)
        } else {
            None
        };
        BODY.leaves.contains(&inner.unwrap_or(*node).kind())
    };
    // Whatever stands before the end of the first round runs once.
    inner.last().is_some_and(leaves)
        || inner
            .iter()
            .all(|statement| statement.kind() == "let_declaration" || BODY.only_searches(*statement))
}

fn has_token(node: Node<'_>, kind: &str) -> bool {
    let mut cursor = node.walk();
    node.children(&mut cursor).any(|child| child.kind() == kind)
}
