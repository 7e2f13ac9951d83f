//! Which names a function declares, and which it takes from around it by assigning to them.

use rustc_hash::FxHashSet;
use tree_sitter::Node;

use super::{Lowering, parts};
use crate::code::ir::{FunctionId, Name};

/// The names of one function.
#[derive(Default)]
pub(super) struct Names {
    declared: FxHashSet<Name>,
    assigned: Vec<Name>,
}

impl Lowering<'_> {
    /// Notes that the present function declares a name.
    pub(super) fn declare(&mut self, name: Name) {
        self.scopes[self.here.0 as usize].declared.insert(name);
    }

    /// Notes that the present function declares the names of a pattern.
    pub(super) fn declare_all(&mut self, pattern: Node<'_>) {
        for name in self.names_in(pattern) {
            self.declare(name);
        }
    }

    /// Notes that the present function assigns to the names of a pattern.
    pub(super) fn assign_all(&mut self, pattern: Node<'_>) {
        let names = self.names_in(pattern);
        self.scopes[self.here.0 as usize].assigned.extend(names);
    }

    fn names_in(&mut self, pattern: Node<'_>) -> Vec<Name> {
        let mut names = Vec::new();
        let mut open = vec![pattern];
        while let Some(node) = open.pop() {
            match node.kind() {
                "identifier" | "shorthand_property_identifier_pattern" => names.push(self.name(node)),
                "object_pattern" | "array_pattern" | "rest_pattern" => open.extend(parts(node)),
                "pair_pattern" => open.extend(node.child_by_field_name("value")),
                "assignment_pattern" | "object_assignment_pattern" => open.extend(node.child_by_field_name("left")),
                _ => {}
            }
        }
        names
    }

    /// Gives every function the names that it assigns to without declaring them; so do the functions
    /// between it and the one that declares them.
    pub(super) fn take_from_around(&mut self) {
        for index in 0..self.functions.len() {
            for name in std::mem::take(&mut self.scopes[index].assigned) {
                let mut at = FunctionId(index as u32);
                while let Some(parent) = self.functions[at.0 as usize].parent
                    && !self.scopes[at.0 as usize].declared.contains(&name)
                {
                    let outer = &mut self.functions[at.0 as usize].outer_names;
                    if !outer.contains(&name) {
                        outer.push(name.clone());
                    }
                    at = parent;
                }
            }
        }
    }
}
