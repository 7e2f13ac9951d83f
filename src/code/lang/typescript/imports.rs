//! `import`, `export` and `require`.

use tree_sitter::Node;

use super::{Lowering, assign, bare, parts};
use crate::code::ir::{DEFAULT_EXPORT, Import, Name, Stmt};

impl Lowering<'_> {
    pub(super) fn import(&mut self, node: Node<'_>) {
        let Some(module) = self.source(node) else {
            // `import x = require("module")`
            for clause in parts(node) {
                if let (Some(module), Some(&name)) = (self.source(clause), parts(clause).first()) {
                    let local = self.name(name);
                    self.add_import(module, None, local);
                }
            }
            return;
        };
        let clause = parts(node).into_iter().find(|part| part.kind() == "import_clause");
        let Some(clause) = clause else {
            // For its effects alone: it tells what the file is about.
            self.add_import(module, None, Name::from(""));
            return;
        };
        for part in parts(clause) {
            match part.kind() {
                "identifier" => {
                    let local = self.name(part);
                    self.add_import(module.clone(), Some(Name::from(DEFAULT_EXPORT)), local);
                }
                "namespace_import" => {
                    if let Some(&name) = parts(part).first() {
                        let local = self.name(name);
                        self.add_import(module.clone(), None, local);
                    }
                }
                "named_imports" => {
                    for specifier in parts(part) {
                        if let Some((symbol, local)) = self.specifier(specifier) {
                            self.add_import(module.clone(), Some(symbol), local);
                        }
                    }
                }
                _ => {}
            }
        }
    }

    pub(super) fn export(&mut self, node: Node<'_>, out: &mut Vec<Stmt>) {
        if let Some(module) = self.source(node) {
            return self.export_from(node, &module);
        }
        let is_default = super::has_token(node, "default");
        if let Some(declaration) = node.child_by_field_name("declaration") {
            self.statement(declaration, out);
            if is_default && let Some(name) = declaration.child_by_field_name("name") {
                let place = self.place(name);
                let name = self.name(name);
                let value = self.push_name(&name, place);
                self.export_default(value, out);
            }
            return;
        }
        if let Some(value) = node.child_by_field_name("value") {
            let name = Name::from(DEFAULT_EXPORT);
            if super::functions::is_function(bare(value).kind()) {
                return self.named_function(bare(value), name, out);
            }
            let value = self.expr(value);
            out.append(&mut self.effects);
            return self.export_default(value, out);
        }
        for part in parts(node) {
            match part.kind() {
                "export_clause" => {
                    for specifier in parts(part) {
                        self.renamed_export(specifier, out);
                    }
                }
                // `export default function () {}`
                "function_declaration" | "generator_function_declaration" | "class_declaration" => {
                    self.statement(part, out);
                }
                // `export = value`
                "identifier" => {
                    let value = self.expr(part);
                    self.export_default(value, out);
                }
                _ => {}
            }
        }
    }

    /// `export … from "module"`: an import whose local name is the exported one.
    fn export_from(&mut self, node: Node<'_>, module: &Name) {
        for part in parts(node) {
            match part.kind() {
                "export_clause" => {
                    for specifier in parts(part) {
                        if let Some((symbol, local)) = self.specifier(specifier) {
                            self.add_import(module.clone(), Some(symbol), local);
                        }
                    }
                }
                "namespace_export" => {
                    if let Some(&name) = parts(part).first() {
                        let local = self.name(name);
                        self.add_import(module.clone(), None, local);
                    }
                }
                _ => {}
            }
        }
        if super::has_token(node, "*") {
            let all = Name::from("*");
            self.add_import(module.clone(), Some(all.clone()), all);
        }
    }

    /// `export { name as other }`.
    fn renamed_export(&mut self, specifier: Node<'_>, out: &mut Vec<Stmt>) {
        let (Some(name), Some(alias)) = (
            specifier.child_by_field_name("name"),
            specifier.child_by_field_name("alias"),
        ) else {
            return;
        };
        let place = self.place(specifier);
        let value = self.expr(name);
        let alias = self.name(alias);
        let target = self.push_name(&alias, place);
        out.push(assign(target, value, place));
    }

    /// The symbol and the local name of `name as alias`.
    fn specifier(&mut self, node: Node<'_>) -> Option<(Name, Name)> {
        let name = node.child_by_field_name("name")?;
        let alias = node.child_by_field_name("alias").unwrap_or(name);
        let symbol = self.name(name);
        Some((symbol, self.name(alias)))
    }

    /// `const x = require("module")`, `const { a, b: c } = require("module")`.
    pub(super) fn require(&mut self, pattern: Node<'_>, value: Node<'_>) -> bool {
        let Some(module) = self.required(bare(value)) else {
            return false;
        };
        match pattern.kind() {
            "identifier" => {
                let local = self.name(pattern);
                self.add_import(module, None, local);
                true
            }
            "object_pattern" => {
                for part in parts(pattern) {
                    let (key, local) = match (part.child_by_field_name("key"), part.child_by_field_name("value")) {
                        (Some(key), Some(local)) => (key, local),
                        _ => (part, part),
                    };
                    let symbol = self.name(key);
                    let local = self.name(local);
                    self.add_import(module.clone(), Some(symbol), local);
                }
                true
            }
            _ => false,
        }
    }

    fn required(&mut self, call: Node<'_>) -> Option<Name> {
        let mut call = call;
        if call.kind() == "await_expression" {
            call = *parts(call).first()?;
        }
        let function = call.child_by_field_name("function")?;
        let arguments = call.child_by_field_name("arguments")?;
        match *parts(arguments) {
            [module] if module.kind() == "string" && matches!(self.text_of(function), "require" | "import") => {
                Some(self.string(module))
            }
            _ => None,
        }
    }

    /// The name under which an assignment to `exports.name` or `module.exports` exports.
    pub(super) fn exported(&mut self, target: Node<'_>) -> Option<Name> {
        let object = target.child_by_field_name("object")?;
        let property = target.child_by_field_name("property")?;
        match (self.text_of(object), self.text_of(property)) {
            ("module", "exports") => Some(Name::from(DEFAULT_EXPORT)),
            ("exports" | "module.exports", _) => Some(self.name(property)),
            _ => None,
        }
    }

    fn source(&mut self, node: Node<'_>) -> Option<Name> {
        let source = node.child_by_field_name("source")?;
        Some(self.string(source))
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
