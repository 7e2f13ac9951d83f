//! Insertions at an index that moves on.

use super::{called, is_builtin};
use crate::code::lang::spelling::{Edits, Parsed, children, holds};
use crate::finding::Span;

/// `for at, x in enumerate(xs, 1): messages.insert(at, x)`.
pub(super) fn advanced(parsed: Parsed<'_>, insert: &Span, items: &Span) -> Option<Edits> {
    let insert = parsed.node(insert)?;
    let (function, arguments) = called(parsed, insert)?;
    let index = *arguments.first().filter(|_| function.ends_with(".insert"))?;
    let items = parsed.node(items)?;
    let around = items
        .parent()
        .filter(|around| around.kind() == "for_statement" && around.child_by_field_name("right") == Some(items))?;
    let body = around.child_by_field_name("body")?;
    let target = around.child_by_field_name("left")?;
    // An insertion that is left out in some rounds would leave gaps.
    let each_round = insert.parent()?.parent() == Some(body);
    let list = function.strip_suffix(".insert")?;
    let once = parsed.text_of(body).matches(list).count() == 1;
    if !each_round || !once || holds(body, "continue_statement") || !is_builtin(parsed, "enumerate") {
        return None;
    }
    let start = parsed.text_of(index);
    if let Some(("enumerate", inner)) = called(parsed, items) {
        let counted = children(target);
        let position = counted
            .first()
            .filter(|_| target.kind() == "pattern_list" && inner.len() == 1)?;
        let position = parsed.text_of(*position);
        let moved = if start == "0" {
            position.to_owned()
        } else {
            format!("{start} + {position}")
        };
        return Some(vec![(index.byte_range(), moved)]);
    }
    let at = parsed.fresh(&["at", "index", "position", "insert_at"])?;
    let element = match target.kind() {
        "pattern_list" => format!("({})", parsed.text_of(target)),
        _ => parsed.text_of(target).to_owned(),
    };
    let counted = match start {
        "0" => format!("enumerate({})", parsed.text_of(items)),
        _ => format!("enumerate({}, {start})", parsed.text_of(items)),
    };
    Some(vec![
        (target.byte_range(), format!("{at}, {element}")),
        (items.byte_range(), counted),
        (index.byte_range(), at.to_owned()),
    ])
}
