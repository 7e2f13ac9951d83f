//! Insertions at an index that moves on.

use super::method;
use crate::code::lang::spelling::{Edits, Parsed, holds, within};
use crate::finding::Span;

/// `for (at, x) in xs.iter().enumerate() { messages.insert(1 + at, x); }`.
pub(super) fn advanced(parsed: Parsed<'_>, insert: &Span, items: &Span) -> Option<Edits> {
    let insert = parsed.node(insert)?;
    let called = method(insert)?;
    let index = *called
        .arguments
        .first()
        .filter(|_| parsed.text_of(called.name) == "insert")?;
    let items = parsed.node(items)?;
    let around = Parsed::around(items, &["for_expression"])?;
    let iterated = around.child_by_field_name("value")?;
    let body = around.child_by_field_name("body")?;
    let target = around.child_by_field_name("pattern")?;
    let ours = within(iterated, items);
    // An insertion that is left out in some rounds would leave gaps.
    let each_round = insert.parent()?.parent() == Some(body);
    let list = parsed.text_of(called.receiver);
    let once = parsed.text_of(body).matches(list).count() == 1;
    if !ours || !each_round || !once || holds(body, "continue_expression") {
        return None;
    }
    let text = parsed.text_of(iterated);
    let iterator = match iterated.kind() {
        "reference_expression" => {
            let value = iterated.child_by_field_name("value")?;
            let iter = if text.starts_with("&mut ") { "iter_mut" } else { "iter" };
            format!("{}.{iter}()", parsed.text_of(value))
        }
        "call_expression" => {
            let last = method(iterated)?;
            if parsed.text_of(last.name) == "enumerate" {
                return None;
            }
            text.to_owned()
        }
        "identifier" | "field_expression" => format!("{text}.into_iter()"),
        _ => return None,
    };
    let at = parsed.fresh(&["at", "index", "position", "insert_at"])?;
    let moved = match parsed.text_of(index) {
        "0" => at.to_owned(),
        start => format!("{start} + {at}"),
    };
    // A call need not give an iterator, but what a loop runs over can be made into one.
    let given = match method(iterated).map(|last| parsed.text_of(last.name)) {
        None | Some("iter" | "iter_mut" | "into_iter" | "drain" | "values" | "map" | "filter" | "cloned") => iterator,
        Some(_) => format!("{iterator}.into_iter()"),
    };
    Some(vec![
        (target.byte_range(), format!("({at}, {})", parsed.text_of(target))),
        (iterated.byte_range(), format!("{given}.enumerate()")),
        (index.byte_range(), moved),
    ])
}
