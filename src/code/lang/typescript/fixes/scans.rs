//! Searches that start at the other end.

use tree_sitter::Node;

use super::method;
use crate::code::lang::spelling::{Body, Edits, Parsed, children, within};
use crate::finding::Span;

/// What the body of a loop may do and still be only a search.
const BODY: Body = Body {
    leaves: &["return_statement", "break_statement", "throw_statement"],
    quiet: &["continue_statement", "empty_statement"],
    holds: &[
        "if_statement",
        "else_clause",
        "for_in_statement",
        "try_statement",
        "catch_clause",
    ],
    blocks: &["statement_block"],
};

/// Methods that search, and the ones that do so from the other end.
const METHODS: &[(&str, &str)] = &[
    ("find", "findLast"),
    ("findIndex", "findLastIndex"),
    ("indexOf", "lastIndexOf"),
];

pub(super) fn from_tail(parsed: Parsed<'_>, search: &Span, list: &Span) -> Option<Edits> {
    let search = parsed.node(search)?;
    if let Some(called) = method(search) {
        let name = parsed.text_of(called.name);
        let (_, last) = METHODS.iter().find(|(first, _)| *first == name)?;
        return Some(vec![(called.name.byte_range(), (*last).to_owned())]);
    }
    if search.kind() == "subscript_expression" {
        // `xs.filter(…)[0]`: the last of the matches.
        let index = search.child_by_field_name("index")?;
        let object = search.child_by_field_name("object")?;
        return (parsed.text_of(index) == "0")
            .then(|| vec![(object.end_byte()..search.end_byte(), ".at(-1)".to_owned())]);
    }
    let list = parsed.node(list)?;
    let around = Parsed::around(list, &["for_in_statement", "for_statement"])?;
    let body = around.child_by_field_name("body")?;
    if !within(body, search) || !only_searches(body) {
        return None;
    }
    match around.kind() {
        "for_in_statement" => {
            let right = around.child_by_field_name("right")?;
            let text = parsed.text_of(right);
            let whole = within(right, list);
            let plain = !text.contains("everse") && !text.contains("await");
            let is_async = parsed.text[around.start_byte()..right.start_byte()].contains("await");
            (whole && plain && !is_async).then(|| vec![(right.byte_range(), format!("[...{text}].reverse()"))])
        }
        _ => counted(parsed, around),
    }
}

/// `for (let i = xs.length - 1; i >= 0; i--)`.
fn counted(parsed: Parsed<'_>, around: Node<'_>) -> Option<Edits> {
    let start = around.child_by_field_name("initializer")?;
    let condition = around.child_by_field_name("condition")?;
    let step = around.child_by_field_name("increment")?;
    let declared = children(start);
    let [declared] = declared[..] else { return None };
    let name = parsed.text_of(declared.child_by_field_name("name")?);
    let first = declared.child_by_field_name("value")?;
    // Some versions of the grammar wrap the condition in a statement.
    let condition = match condition.kind() {
        "expression_statement" => condition.named_child(0)?,
        _ => condition,
    };
    let left = condition.child_by_field_name("left")?;
    let right = condition.child_by_field_name("right")?;
    let operator = parsed.text_of(condition.child_by_field_name("operator")?);
    let length = parsed.text_of(right);
    let steps = [format!("{name}++"), format!("++{name}"), format!("{name} += 1")];
    let forward = parsed.text_of(left) == name
        && operator == "<"
        && length.ends_with(".length")
        && parsed.text_of(first) == "0"
        && steps.iter().any(|known| known == parsed.text_of(step));
    forward.then(|| {
        vec![
            (first.byte_range(), format!("{length} - 1")),
            (condition.byte_range(), format!("{name} >= 0")),
            (step.byte_range(), format!("{name}--")),
        ]
    })
}

/// Whether a loop only looks for something. A constant for a part of the element is nothing that lasts.
fn only_searches(body: Node<'_>) -> bool {
    if body.kind() != "statement_block" {
        return BODY.only_searches(body);
    }
    let inner = children(body);
    // Whatever stands before the end of the first round runs once.
    inner.last().is_some_and(|last| BODY.leaves.contains(&last.kind()))
        || inner
            .iter()
            .all(|statement| statement.kind() == "lexical_declaration" || BODY.only_searches(*statement))
}
