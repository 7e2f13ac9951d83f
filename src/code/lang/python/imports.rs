//! `import` and `from … import`.

use tree_sitter::Node;

use super::{Lowering, field_parts, parts};
use crate::code::ir::{Import, Name};

impl Lowering<'_> {
    pub(super) fn import(&mut self, node: Node<'_>) {
        for part in field_parts(node, "name") {
            let (path, alias) = self.imported(part);
            let (module, local) = match alias {
                Some(alias) => (path, alias),
                None => (path.clone(), first_component(&path)),
            };
            self.add_import(module, None, local);
        }
    }

    pub(super) fn import_from(&mut self, node: Node<'_>) {
        let module = match node.child_by_field_name("module_name") {
            Some(module) => self.dotted(module),
            // `from __future__ import …` binds nothing that matters.
            None => return,
        };
        for part in field_parts(node, "name") {
            let (symbol, alias) = self.imported(part);
            let local = alias.unwrap_or_else(|| symbol.clone());
            self.add_import(module.clone(), Some(symbol), local);
        }
        if parts(node).iter().any(|part| part.kind() == "wildcard_import") {
            let all = Name::from("*");
            self.add_import(module, Some(all.clone()), all);
        }
    }

    /// The dotted path and the alias of `a.b as c`.
    fn imported(&mut self, node: Node<'_>) -> (Name, Option<Name>) {
        if node.kind() != "aliased_import" {
            return (self.dotted(node), None);
        }
        let path = node
            .child_by_field_name("name")
            .map_or_else(|| Name::from(""), |name| self.dotted(name));
        let alias = node.child_by_field_name("alias").map(|alias| self.name(alias));
        (path, alias)
    }

    /// A dotted path without the white space that may stand in it.
    fn dotted(&mut self, node: Node<'_>) -> Name {
        if self.text_of(node).contains(|c: char| c.is_whitespace() || c == '\\') {
            let text: String = self
                .text_of(node)
                .chars()
                .filter(|c| !c.is_whitespace() && *c != '\\')
                .collect();
            return Name::from(text);
        }
        self.name(node)
    }

    fn add_import(&mut self, module: Name, symbol: Option<Name>, local: Name) {
        self.imports.push(Import {
            module,
            symbol,
            local,
            scope: self.here,
        });
    }
}

fn first_component(path: &Name) -> Name {
    match path.split_once('.') {
        Some((first, _)) => Name::from(first),
        None => path.clone(),
    }
}
