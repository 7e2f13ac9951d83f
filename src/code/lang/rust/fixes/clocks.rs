//! Clocks that tell the day. Some stand inside macros that have no syntax tree: what follows a clock is
//! read as text.

use std::ops::Range;

use crate::code::lang::spelling::{Edits, Parsed, day_format};
use crate::finding::Span;

/// What a clock of the `chrono` crate ends with.
const CLOCKS: &[&str] = &["Utc::now()", "Local::now()"];

/// Macros that make text of whatever they are given.
const SHOWS: &[&str] = &["format!", "format_args!", "write!", "writeln!", "print!", "println!"];

pub(super) fn coarse(parsed: Parsed<'_>, way: &[Span], from: usize) -> Option<Edits> {
    let clock = parsed.range(way.first()?)?;
    if !CLOCKS.iter().any(|known| parsed.text[clock.clone()].ends_with(known)) {
        return None;
    }
    let behind = way[1..].iter().map_while(|place| parsed.range(place));
    // Under a name it is still a moment, and in another time zone.
    let is_moment = |range: &Range<usize>| {
        let text = &parsed.text[range.clone()];
        let zoned = text
            .rsplit_once(".with_timezone(")
            .is_some_and(|(_, zone)| !zone.contains(")."));
        zoned || text.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '.'))
    };
    let behind = behind.take_while(is_moment);
    let mut forms = std::iter::once(clock).chain(behind).skip(from);
    forms.find_map(|moment| at(parsed, moment.start, moment.end))
}

/// The edit where a moment is made into text.
fn at(parsed: Parsed<'_>, start: usize, end: usize) -> Option<Edits> {
    let rest = &parsed.text[end..];
    let shown = is_shown(parsed, start, end);
    for made in [".to_rfc3339()", ".to_rfc2822()", ".to_string()"] {
        if let Some(behind) = rest.strip_prefix(made) {
            // The arguments of a macro for texts need not be texts.
            let shown = shown && behind.trim_start().starts_with([')', ',']);
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
    (argument && shown).then(|| vec![(end..end, ".date_naive()".to_owned())])
}

/// Whether an expression is an argument of a macro that makes text of what it is given. The front end makes
/// calls of the macros that it knows, for the parser.
fn is_shown(parsed: Parsed<'_>, start: usize, end: usize) -> bool {
    let around = parsed.root.descendant_for_byte_range(start, end);
    let arguments = around.and_then(|node| Parsed::around(node, &["arguments"]));
    let call = arguments.and_then(|arguments| arguments.parent());
    let function = call.and_then(|call| call.child_by_field_name("function"));
    function.is_some_and(|function| SHOWS.contains(&parsed.text_of(function)))
}
