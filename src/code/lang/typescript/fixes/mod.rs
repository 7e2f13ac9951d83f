//! TypeScript's words for what would mend a finding.

mod clocks;
mod imports;
mod inserts;
mod lists;
mod scans;
#[cfg(test)]
mod tests;

use std::path::Path;

use tree_sitter::Node;

use crate::code::lang::spelling::{Parsed, Spelled, children, spell_each};
use crate::mend::Mend;

/// The edits for each of these mends of one file.
pub(in crate::code::lang) fn spell(path: &Path, text: &str, mends: &[&Mend]) -> Option<Vec<Option<Spelled>>> {
    let tree = super::parse(path, text)?;
    Some(spell_each(text, tree.root_node(), mends, one))
}

fn one(parsed: Parsed<'_>, mend: &Mend) -> Option<Spelled> {
    match mend {
        Mend::SearchFromTail { search, list } => scans::from_tail(parsed, search, list).map(Spelled::unsafe_),
        Mend::Sort { items, names } => lists::sorted(parsed, items, *names),
        Mend::ReplaceAll { list } => lists::replacing(parsed, list).map(Spelled::unsafe_),
        Mend::NameArgument { call, name, value } => lists::argument(parsed, call, name, value).map(Spelled::unsafe_),
        Mend::AdvanceIndex { insert, items } => inserts::advanced(parsed, insert, items).map(Spelled::unsafe_),
        Mend::CoarsenClock { way, from } => clocks::coarse(parsed, way, *from).map(Spelled::unsafe_),
    }
}

/// A call of a method: the object, the name of the method and the arguments.
struct Method<'t> {
    object: Node<'t>,
    name: Node<'t>,
    arguments: Vec<Node<'t>>,
}

fn method(call: Node<'_>) -> Option<Method<'_>> {
    if call.kind() != "call_expression" {
        return None;
    }
    let function = call.child_by_field_name("function")?;
    if function.kind() != "member_expression" {
        return None;
    }
    Some(Method {
        object: function.child_by_field_name("object")?,
        name: function.child_by_field_name("property")?,
        arguments: children(call.child_by_field_name("arguments")?),
    })
}
