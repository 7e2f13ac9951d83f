//! `use` declarations.

use tree_sitter::Node;

use super::paths::join;
use super::{Lowering, parts};
use crate::code::ir::{Import, Name};

impl Lowering<'_> {
    pub(super) fn use_declaration(&mut self, node: Node<'_>) {
        if let Some(argument) = node.child_by_field_name("argument") {
            self.use_tree(argument, &[]);
        }
    }

    fn use_tree(&mut self, node: Node<'_>, prefix: &[String]) {
        let joined = |words: Vec<String>| [prefix, &words].concat();
        match node.kind() {
            "use_list" => {
                for part in parts(node) {
                    self.use_tree(part, prefix);
                }
            }
            "scoped_use_list" => {
                let path = node.child_by_field_name("path").map(|path| self.words(path));
                let path = joined(path.unwrap_or_default());
                if let Some(list) = node.child_by_field_name("list") {
                    self.use_tree(list, &path);
                }
            }
            "use_wildcard" => {
                let path = parts(node).first().map(|&path| self.words(path));
                self.import(&joined(path.unwrap_or_default()), Some("*".to_owned()), None);
            }
            "use_as_clause" => {
                let path = node.child_by_field_name("path").map(|path| self.words(path));
                let alias = node
                    .child_by_field_name("alias")
                    .map(|alias| self.text_of(alias).to_owned());
                self.import(&joined(path.unwrap_or_default()), None, alias);
            }
            // `use a::b::{self}`.
            "self" if !prefix.is_empty() => self.import(prefix, None, None),
            _ => {
                let words = joined(self.words(node));
                self.import(&words, None, None);
            }
        }
    }

    /// Binds what a whole path names, or everything in it.
    fn import(&mut self, words: &[String], all: Option<String>, alias: Option<String>) {
        let mut words = words.to_vec();
        if words.len() > 1 && words.last().is_some_and(|last| last == "self") {
            words.pop();
        }
        // What an inline module takes from the file around it, it sees anyway.
        let outwards = words.iter().take_while(|word| *word == "super").count();
        if outwards > 0 && outwards <= self.inline && (all.is_some() || alias.is_none()) {
            return;
        }
        let (mut module, used) = match self.home.start(&words, self.inline) {
            Some(start) => start,
            // A module that the file declares itself.
            None if words
                .first()
                .is_some_and(|first| self.children.contains(first.as_str())) =>
            {
                (self.home.own(), 0)
            }
            None => (String::new(), 0),
        };
        let mut rest = words.split_off(used);
        let symbol = match all {
            Some(all) => Some(all),
            None => rest.pop(),
        };
        let Some(symbol) = symbol else { return };
        for word in &rest {
            module = join(&module, word);
        }
        let local = match alias {
            Some(alias) => alias,
            None => symbol.clone(),
        };
        if local == "_" {
            return;
        }
        let (module, symbol) = if module.is_empty() {
            (symbol, None)
        } else {
            (module, Some(Name::from(symbol)))
        };
        self.imports.push(Import {
            module: Name::from(module),
            symbol,
            local: Name::from(local),
            scope: self.here,
        });
    }
}
