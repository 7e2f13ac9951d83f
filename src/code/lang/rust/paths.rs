//! Paths: `crate::a::b`, `super::c`, `Self::new`, and where a file stands in its crate.

use std::path::{Component, Path};

use tree_sitter::Node;

use super::{Lowering, parts};
use crate::code::ir::{ExprId, ExprKind, Import, Name};

/// Where a file stands in its crate.
pub(super) struct Home {
    /// Whether its name stands for its folder: `mod.rs`, `lib.rs`, `main.rs`.
    pub(super) stands_for_folder: bool,
    /// The name of the module, where that is the name of the file.
    stem: String,
    /// How many folders up, with the file's own as the first, the root of the crate is.
    depth: usize,
}

impl Home {
    pub(super) fn of(path: &Path) -> Self {
        let stem = path
            .file_stem()
            .map(|stem| stem.to_string_lossy().into_owned())
            .unwrap_or_default();
        let folders: Vec<&std::ffi::OsStr> = path
            .parent()
            .into_iter()
            .flat_map(Path::components)
            .filter_map(|part| match part {
                Component::Normal(part) => Some(part),
                _ => None,
            })
            .collect();
        let depth = folders
            .iter()
            .rev()
            .position(|folder| *folder == "src")
            .map_or(1, |inside| inside + 1);
        Self {
            stands_for_folder: super::FOLDER_STEMS.contains(&&*stem),
            stem,
            depth,
        }
    }

    /// The module that a path starts in, by its first words; how many of them say so. With dots, as
    /// relative imports are written.
    pub(super) fn start(&self, words: &[String], inline: usize) -> Option<(String, usize)> {
        let supers = words.iter().take_while(|word| *word == "super").count();
        match words.first()?.as_str() {
            "crate" => Some((".".repeat(self.depth), 1)),
            "self" => Some((self.own(), 1)),
            "super" => {
                // The first steps may only lead out of inline modules.
                let up = supers.saturating_sub(inline);
                let module = match up {
                    0 => self.own(),
                    _ => ".".repeat(up + usize::from(self.stands_for_folder)),
                };
                Some((module, supers))
            }
            _ => None,
        }
    }

    /// The file's own module.
    pub(super) fn own(&self) -> String {
        if self.stands_for_folder {
            ".".to_owned()
        } else {
            format!(".{}", self.stem)
        }
    }
}

/// `module.name`, where the module may be dots alone.
pub(super) fn join(module: &str, name: &str) -> String {
    if module.is_empty() || module.ends_with('.') {
        format!("{module}{name}")
    } else {
        format!("{module}.{name}")
    }
}

impl Lowering<'_> {
    /// The words of a path, without its type arguments.
    pub(super) fn words(&self, node: Node<'_>) -> Vec<String> {
        let mut words = Vec::new();
        let mut rest = Some(node);
        while let Some(node) = rest.take() {
            match node.kind() {
                "scoped_identifier" | "scoped_type_identifier" => {
                    if let Some(name) = node.child_by_field_name("name") {
                        words.push(self.text_of(name).trim_start_matches("r#").to_owned());
                    }
                    rest = node.child_by_field_name("path");
                }
                "generic_type" | "generic_type_with_turbofish" | "reference_type" | "qualified_type" => {
                    rest = node.child_by_field_name("type");
                }
                "generic_function" => rest = node.child_by_field_name("function"),
                "bracketed_type" | "generic_pattern" => rest = parts(node).first().copied(),
                _ => words.push(self.text_of(node).trim_start_matches("r#").to_owned()),
            }
        }
        words.reverse();
        words
    }

    /// A path with dots, `Self` replaced by what it stands for.
    pub(super) fn path_text(&mut self, node: Node<'_>) -> String {
        let mut words = self.words(node);
        if let (Some(first), Some(own)) = (words.first_mut(), &self.own_type)
            && first == "Self"
        {
            *first = own.to_string();
        }
        self.root(&mut words);
        words.join(".")
    }

    /// Replaces `crate::a`, `super::a` at the start of a path by one name that an import binds.
    fn root(&mut self, words: &mut Vec<String>) {
        let Some((module, used)) = self.home.start(words, self.inline) else {
            return;
        };
        let Some(symbol) = words.get(used).cloned() else {
            return;
        };
        let local = Name::from(words[..=used].join("::"));
        if self.rooted.insert(local.clone()) {
            self.imports.push(Import {
                module: Name::from(module),
                symbol: Some(Name::from(symbol)),
                local: local.clone(),
                scope: crate::code::ir::FunctionId(0),
            });
        }
        words.splice(..=used, [local.to_string()]);
    }

    /// A path as an expression: attribute access from its first name.
    pub(super) fn path(&mut self, node: Node<'_>) -> ExprId {
        let place = self.place(node);
        let text = self.path_text(node);
        let mut words = text.split('.');
        let first = self.intern(words.next().unwrap_or_default());
        let mut expr = self.named(&first, place);
        for word in words {
            let name = self.intern(word);
            expr = self.push(ExprKind::Attribute { base: expr, name }, place);
        }
        expr
    }
}
