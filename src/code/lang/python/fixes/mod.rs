//! Python's words for what would mend a finding.

mod clocks;
mod imports;
mod inserts;
mod lists;
mod scans;
#[cfg(test)]
mod tests;

use tree_sitter::Node;

use crate::code::lang::spelling::{Parsed, Spelled, spell_each};
use crate::mend::Mend;

/// The edits for each of these mends of one file.
pub(in crate::code::lang) fn spell(text: &str, mends: &[&Mend]) -> Option<Vec<Option<Spelled>>> {
    let tree = super::parse(text)?;
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

/// Whether a built-in function is what its name says: nothing in the file gives it another meaning.
fn is_builtin(parsed: Parsed<'_>, name: &str) -> bool {
    let mut open = vec![parsed.root];
    while let Some(node) = open.pop() {
        if node.kind() == "identifier" && parsed.text_of(node) == name {
            let called = node
                .parent()
                .is_some_and(|parent| parent.kind() == "call" && parent.child_by_field_name("function") == Some(node));
            if !called {
                return false;
            }
        }
        let mut cursor = node.walk();
        open.extend(node.named_children(&mut cursor));
    }
    true
}

/// The name of a call's function and its arguments.
fn called<'t>(parsed: Parsed<'t>, node: Node<'t>) -> Option<(&'t str, Vec<Node<'t>>)> {
    if node.kind() != "call" {
        return None;
    }
    let function = node.child_by_field_name("function")?;
    let arguments = node.child_by_field_name("arguments")?;
    (arguments.kind() == "argument_list").then(|| {
        (
            parsed.text_of(function),
            crate::code::lang::spelling::children(arguments),
        )
    })
}

/// What a function is called behind the object that it is a method of.
fn method_name(function: &str) -> Option<&str> {
    function.rsplit_once('.').map(|(_, name)| name)
}
