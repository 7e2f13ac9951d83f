//! Clocks that tell the day. Many stand inside macros that have no syntax tree: what follows a clock is
//! read as text.

use std::ops::Range;

use crate::code::lang::spelling::{Edits, Parsed, day_format};
use crate::finding::Span;

/// What a clock of the `chrono` crate ends with.
const CLOCKS: &[&str] = &["Utc::now()", "Local::now()"];

pub(super) fn coarse(parsed: Parsed<'_>, way: &[Span]) -> Option<Edits> {
    let clock = parsed.range(way.first()?)?;
    if !CLOCKS.iter().any(|known| parsed.text[clock.clone()].ends_with(known)) {
        return None;
    }
    let behind = way[1..].iter().map_while(|place| parsed.range(place));
    // Under a name it is still a moment, and in another time zone.
    let is_moment = |range: &Range<usize>| {
        let text = &parsed.text[range.clone()];
        text.contains(".with_timezone(") || text.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '.'))
    };
    let behind = behind.take_while(is_moment);
    std::iter::once(clock)
        .chain(behind)
        .find_map(|moment| at(parsed, moment.start, moment.end))
}

/// The edit where a moment is made into text.
fn at(parsed: Parsed<'_>, start: usize, end: usize) -> Option<Edits> {
    let rest = &parsed.text[end..];
    let in_macro = is_in_macro(parsed, start, end);
    for made in [".to_rfc3339()", ".to_rfc2822()", ".to_string()"] {
        if let Some(behind) = rest.strip_prefix(made) {
            // The arguments of a macro for texts need not be texts.
            let shown = in_macro && behind.trim_start().starts_with([')', ',']);
            let day = if shown {
                ".date_naive()"
            } else {
                ".date_naive().to_string()"
            };
            return Some(vec![(end..end + made.len(), day.to_owned())]);
        }
    }
    if let Some(format) = rest.strip_prefix(".format(\"") {
        let length = format.find('"')?;
        let day = day_format(&format[..length]).filter(|_| !format[..length].contains('\\'))?;
        let from = end + ".format(\"".len();
        return Some(vec![(from..from + length, day)]);
    }
    // `format!("{}", now)`
    let argument = rest.trim_start().starts_with([')', ',']) && parsed.text[..start].trim_end().ends_with(',');
    (argument && in_macro).then(|| vec![(end..end, ".date_naive()".to_owned())])
}

/// Whether an expression stands in the arguments of a macro, which the front end makes those of a call for
/// the parser if it knows the macro.
fn is_in_macro(parsed: Parsed<'_>, start: usize, end: usize) -> bool {
    let mut at = parsed.root.descendant_for_byte_range(start, end);
    while let Some(node) = at {
        let of_macro = match node.kind() {
            "token_tree" => true,
            "arguments" => {
                let call = node.parent().and_then(|call| call.child_by_field_name("function"));
                call.is_some_and(|function| parsed.text_of(function).ends_with('!'))
            }
            _ => false,
        };
        if of_macro {
            return true;
        }
        at = node.parent().filter(|_| node.kind() != "arguments");
    }
    false
}
