//! Clocks that tell the day.

use tree_sitter::Node;

use super::method;
use crate::code::lang::spelling::{Edits, Parsed, children};
use crate::finding::Span;

pub(super) fn coarse(parsed: Parsed<'_>, way: &[Span], from: usize) -> Option<Edits> {
    let clock = parsed.node(way.first()?)?;
    // `new Date()`, and no date that is given; a front end may point at the text that is made of it.
    let made = |node: Node<'_>| {
        let text = parsed.text_of(node);
        node.kind() == "new_expression" && matches!(text, "new Date()" | "new Date")
    };
    let clock = match method(clock) {
        Some(called) if made(called.object) => called.object,
        _ => Some(clock).filter(|clock| made(*clock))?,
    };
    // Under a name it is still a moment.
    let named = |node: &Node<'_>| matches!(node.kind(), "identifier" | "member_expression" | "ternary_expression");
    let behind = way[1..].iter().map_while(|place| parsed.node(place)).take_while(named);
    let mut forms = std::iter::once(clock).chain(behind).skip(from);
    forms.find_map(|moment| at(parsed, moment))
}

/// The edit where a moment is made into text.
fn at(parsed: Parsed<'_>, moment: Node<'_>) -> Option<Edits> {
    let parent = moment.parent().filter(|_| moment.kind() != "ternary_expression")?;
    let behind = moment.end_byte();
    match parent.kind() {
        "member_expression" => {
            let call = parent.parent()?;
            let called = method(call).filter(|called| called.object == moment)?;
            // What is cut out of the text already is somebody's own form of it.
            let goes_on = call
                .parent()
                .is_some_and(|next| matches!(next.kind(), "member_expression" | "subscript_expression"));
            let local = || {
                let finer = ["hour", "minute", "second", "Style", "..."];
                let choices = called.arguments.iter().map(|argument| parsed.text_of(*argument));
                let mut choices = choices.filter(|text| finer.iter().any(|word| text.contains(word)));
                let plain = called
                    .arguments
                    .iter()
                    .skip(1)
                    .all(|argument| argument.kind() == "object");
                plain && choices.next().is_none()
            };
            let renamed = |name: &str| Some(vec![(called.name.byte_range(), name.to_owned())]);
            let cut = || Some(vec![(call.end_byte()..call.end_byte(), ".slice(0, 10)".to_owned())]);
            match parsed.text_of(called.name) {
                "toISOString" | "toJSON" if !goes_on => cut(),
                "toLocaleString" | "toLocaleTimeString" if !goes_on && local() => renamed("toLocaleDateString"),
                "toString" | "toTimeString" if !goes_on => renamed("toDateString"),
                "toUTCString" | "toGMTString" if !goes_on => Some(vec![(
                    called.name.start_byte()..call.end_byte(),
                    "toISOString().slice(0, 10)".to_owned(),
                )]),
                _ => None,
            }
        }
        "template_substitution" => Some(vec![(behind..behind, ".toDateString()".to_owned())]),
        "arguments" => {
            let call = parent.parent()?;
            let function = call.child_by_field_name("function")?;
            let text = parsed.text_of(function) == "String" && children(parent).len() == 1;
            text.then(|| vec![(behind..behind, ".toDateString()".to_owned())])
        }
        _ => None,
    }
}
