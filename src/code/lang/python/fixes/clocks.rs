//! Clocks that tell the day.

use tree_sitter::Node;

use super::{called, method_name};
use crate::code::lang::spelling::{Edits, Parsed, children, day_format};
use crate::finding::Span;

/// What ends the name of a call that gives a point in time with a date.
const MOMENTS: &[&str] = &["datetime.now", "datetime.utcnow", "datetime.today"];

pub(super) fn coarse(parsed: Parsed<'_>, way: &[Span], from: usize) -> Option<Edits> {
    let clock = parsed.node(way.first()?)?;
    let (function, arguments) = called(parsed, clock)?;
    if function.ends_with("strftime") {
        return if from == 0 {
            formatted(parsed, *arguments.first()?)
        } else {
            None
        };
    }
    if !MOMENTS.iter().any(|moment| function.ends_with(moment)) {
        return None;
    }
    let mut is_moment = true;
    way.iter().enumerate().find_map(|(index, place)| {
        let form = parsed.node(place)?;
        is_moment = is_moment && (form == clock || stays_moment(parsed, form));
        let edits = by_format(parsed, form).or_else(|| by_day(parsed, form).filter(|_| is_moment));
        edits.filter(|_| index >= from)
    })
}

/// Whether the clock's value is still a moment in this form: under a name, or moved to a time zone.
fn stays_moment(parsed: Parsed<'_>, form: Node<'_>) -> bool {
    match called(parsed, form) {
        Some((function, _)) => matches!(method_name(function), Some("astimezone" | "replace")),
        None => matches!(form.kind(), "identifier" | "attribute" | "conditional_expression"),
    }
}

/// The edit of the format by which a value is made into text: what has one is a moment, whoever made it.
fn by_format(parsed: Parsed<'_>, value: Node<'_>) -> Option<Edits> {
    let parent = value.parent()?;
    match parent.kind() {
        "attribute" => {
            let (function, arguments) = called(parsed, parent.parent()?)?;
            let whole = parsed.text_of(parent) == function && method_name(function) == Some("strftime");
            whole.then(|| formatted(parsed, *arguments.first()?))?
        }
        "interpolation" => {
            let format = children(parent)
                .into_iter()
                .find(|child| child.kind() == "format_specifier")?;
            let day = day_format(parsed.text_of(format).strip_prefix(':')?)?;
            Some(vec![(format.start_byte() + 1..format.end_byte(), day)])
        }
        _ => None,
    }
}

/// The edit where a moment is made into text as it is.
fn by_day(parsed: Parsed<'_>, moment: Node<'_>) -> Option<Edits> {
    let parent = moment.parent().filter(|_| moment.kind() != "conditional_expression")?;
    let behind = moment.end_byte();
    match parent.kind() {
        "attribute" => {
            let call = parent
                .parent()
                .filter(|call| call.child_by_field_name("function") == Some(parent))?;
            let (function, _) = called(parsed, call)?;
            let text = method_name(function) == Some("isoformat");
            text.then(|| vec![(behind..call.end_byte(), ".date().isoformat()".to_owned())])
        }
        "interpolation" => {
            let plain = children(parent).iter().all(|child| *child == moment);
            plain.then(|| vec![(behind..behind, ".date()".to_owned())])
        }
        "argument_list" => {
            let (function, arguments) = called(parsed, parent.parent()?)?;
            (function == "str" && arguments.len() == 1).then(|| vec![(behind..behind, ".date()".to_owned())])
        }
        _ => None,
    }
}

/// A format without what is finer than a day.
fn formatted(parsed: Parsed<'_>, format: Node<'_>) -> Option<Edits> {
    let content = format.named_child(1).filter(|content| {
        format.kind() == "string" && format.named_child_count() == 3 && content.kind() == "string_content"
    })?;
    let plain = !parsed.text_of(content).contains('\\');
    let day = plain.then(|| day_format(parsed.text_of(content)))??;
    Some(vec![(content.byte_range(), day)])
}
