//! Rust's words for what would mend a finding.

mod clocks;
mod inserts;
mod scans;
#[cfg(test)]
mod tests;

use tree_sitter::Node;

use crate::code::lang::rust::tokens;
use crate::code::lang::spelling::{Parsed, Spelled, children, spell_each};
use crate::code::lang::survey;
use crate::mend::Mend;

/// The edits for each of these mends of one file.
pub(in crate::code::lang) fn spell(text: &str, mends: &[&Mend]) -> Option<Vec<Option<Spelled>>> {
    let prepared = tokens::prepare(text, survey::MAX_DEPTH).ok()?;
    let tree = super::parse(&prepared)?;
    Some(spell_each(text, tree.root_node(), mends, one))
}

fn one(parsed: Parsed<'_>, mend: &Mend) -> Option<Spelled> {
    match mend {
        Mend::SearchFromTail { search, list } => scans::from_tail(parsed, search, list).map(Spelled::unsafe_),
        Mend::AdvanceIndex { insert, items } => inserts::advanced(parsed, insert, items).map(Spelled::unsafe_),
        Mend::CoarsenClock { way, from } => clocks::coarse(parsed, way, *from).map(Spelled::unsafe_),
        // To sort what a map gives takes more than one expression, and no crate has the other two.
        Mend::Sort { .. } | Mend::ReplaceAll { .. } | Mend::NameArgument { .. } => None,
    }
}

/// A call of a method: the receiver, the name of the method and the arguments.
struct Method<'t> {
    receiver: Node<'t>,
    name: Node<'t>,
    arguments: Vec<Node<'t>>,
}

fn method(call: Node<'_>) -> Option<Method<'_>> {
    if call.kind() != "call_expression" {
        return None;
    }
    let mut function = call.child_by_field_name("function")?;
    if function.kind() == "generic_function" {
        function = function.child_by_field_name("function")?;
    }
    if function.kind() != "field_expression" {
        return None;
    }
    Some(Method {
        receiver: function.child_by_field_name("value")?,
        name: function.child_by_field_name("field")?,
        arguments: children(call.child_by_field_name("arguments")?),
    })
}
