//! Insertions at an index that moves on.

use super::method;
use crate::code::lang::spelling::{Edits, Parsed, holds};
use crate::finding::Span;

/// `for (const [at, x] of [...xs].entries()) messages.splice(1 + at, 0, x)`.
pub(super) fn advanced(parsed: Parsed<'_>, insert: &Span, items: &Span) -> Option<Edits> {
    let insert = parsed.node(insert)?;
    let called = method(insert)?;
    let index = *called.arguments.first()?;
    let one_more = parsed.text_of(called.name) == "splice"
        && called.arguments.len() == 3
        && parsed.text_of(called.arguments[1]) == "0"
        && called.arguments[2].kind() != "spread_element";
    let items = parsed.node(items)?;
    let around = items
        .parent()
        .filter(|around| around.kind() == "for_in_statement" && around.child_by_field_name("right") == Some(items))?;
    let body = around.child_by_field_name("body")?;
    let target = around.child_by_field_name("left")?;
    let is_of = around
        .child_by_field_name("operator")
        .is_some_and(|operator| operator.kind() == "of");
    // An insertion that is left out in some rounds would leave gaps.
    let statement = insert.parent()?;
    let each_round = statement == body || statement.parent() == Some(body);
    let list = parsed.text_of(called.object);
    let once = parsed.text_of(body).matches(list).count() == 1;
    let declared = around.child_by_field_name("kind").is_some();
    if !one_more || !is_of || !declared || !each_round || !once || holds(body, "continue_statement") {
        return None;
    }
    let at = parsed.fresh(&["at", "index", "position", "insertAt"])?;
    let moved = match parsed.text_of(index) {
        "0" => at.to_owned(),
        start => format!("{start} + {at}"),
    };
    Some(vec![
        (target.byte_range(), format!("[{at}, {}]", parsed.text_of(target))),
        (items.byte_range(), format!("[...{}].entries()", parsed.text_of(items))),
        (index.byte_range(), moved),
    ])
}
