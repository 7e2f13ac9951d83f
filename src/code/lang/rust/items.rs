//! Items: functions, types, traits, `impl` blocks, modules, constants.

use tree_sitter::Node;

use super::blocks::Dest;
use super::{Lowering, assign, has_token, parts, stmt};
use crate::code::ir::{
    Class, ClassId, ExprId, ExprKind, Field, Function, FunctionId, Name, Param, ParamKind, Place, Special, Stmt,
    StmtKind,
};

/// A function of which nothing is known yet.
pub(super) fn function(name: Name, parent: Option<FunctionId>, place: Place) -> Function {
    Function {
        name,
        class: None,
        parent,
        params: Vec::new(),
        returns: None,
        decorators: Vec::new(),
        is_async: false,
        is_generator: false,
        has_receiver: false,
        special: None,
        outer_names: Vec::new(),
        doc: None,
        body: Vec::new(),
        place,
    }
}

/// What stands before an item.
#[derive(Default)]
struct Attributes<'t> {
    nodes: Vec<Node<'t>>,
    doc: Option<Name>,
}

impl Lowering<'_> {
    /// The items of a file, of an inline module, or among the statements of a block.
    pub(super) fn items(&mut self, node: Node<'_>) -> Vec<Stmt> {
        self.declare(node);
        let mut out = Vec::new();
        for part in parts(node) {
            if part.kind() == "ERROR" {
                out.extend(self.items(part));
            } else {
                self.item(part, &mut out);
            }
        }
        out
    }

    /// Makes the types and modules of a block known, since items may be used before they are defined.
    pub(super) fn declare(&mut self, node: Node<'_>) {
        for part in parts(node) {
            match part.kind() {
                "struct_item" | "enum_item" | "trait_item" | "union_item" => {
                    let Some(name_node) = part.child_by_field_name("name") else {
                        continue;
                    };
                    let name = self.name(name_node);
                    let id = ClassId(self.classes.len() as u32);
                    self.classes.push(Class {
                        name: name.clone(),
                        bases: Vec::new(),
                        methods: Vec::new(),
                        fields: Vec::new(),
                        decorators: Vec::new(),
                        scope: self.here,
                        outer: None,
                        extends: None,
                        is_record: part.kind() != "trait_item",
                        place: self.across(part, name_node),
                    });
                    self.types.insert(name, id);
                }
                "mod_item" => {
                    if let Some(name) = part.child_by_field_name("name") {
                        let name = self.name(name);
                        self.children.insert(name);
                    }
                }
                _ => {}
            }
        }
    }

    /// Lowers an item; whether the node is one.
    pub(super) fn item(&mut self, node: Node<'_>, out: &mut Vec<Stmt>) -> bool {
        let generics = self.generics.len();
        match node.kind() {
            "function_item" => {
                let id = self.function(node, None);
                let place = self.functions[id.0 as usize].place;
                out.push(stmt(StmtKind::Function(id), place));
            }
            "struct_item" | "union_item" => self.structure(node, out),
            "enum_item" => self.enumeration(node, out),
            "trait_item" => self.interface(node, out),
            "impl_item" => self.implementation(node),
            "mod_item" => self.inline_module(node, out),
            "use_declaration" => self.use_declaration(node),
            "const_item" | "static_item" => self.constant(node, out),
            "function_signature_item"
            | "foreign_mod_item"
            | "macro_definition"
            | "type_item"
            | "extern_crate_declaration"
            | "attribute_item"
            | "inner_attribute_item"
            | "associated_type" => {}
            _ => return false,
        }
        self.generics.truncate(generics);
        true
    }

    fn constant(&mut self, node: Node<'_>, out: &mut Vec<Stmt>) {
        let (Some(name), Some(value)) = (node.child_by_field_name("name"), node.child_by_field_name("value")) else {
            return;
        };
        let place = self.place(node);
        let target = self.expr(name);
        let value = self.hoisting(out, |lowering| lowering.expr(value));
        let annotation = node.child_by_field_name("type").map(|kind| self.annotation(kind));
        out.push(stmt(
            StmtKind::Assign {
                targets: vec![target],
                value,
                annotation,
            },
            place,
        ));
    }

    /// Lowers a function or a method.
    pub(super) fn function(&mut self, node: Node<'_>, class: Option<ClassId>) -> FunctionId {
        self.open_generics(node);
        let attributes = self.attributes(node);
        let name_node = node.child_by_field_name("name");
        let params_node = node.child_by_field_name("parameters");
        let name = name_node.map_or_else(|| Name::from(""), |name| self.name(name));
        let place = self.across(name_node.unwrap_or(node), params_node.or(name_node).unwrap_or(node));
        self.note_tests(node, &attributes);
        let decorators = self.decorators(&attributes);
        let modifiers = parts(node).into_iter().find(|part| part.kind() == "function_modifiers");
        let returns = node
            .child_by_field_name("return_type")
            .map(|kind| self.annotation(kind));
        let id = FunctionId(self.functions.len() as u32);
        let mut lowered = function(name, Some(self.here), place);
        lowered.class = class;
        lowered.is_async = modifiers.is_some_and(|modifiers| has_token(modifiers, "async"));
        lowered.decorators = decorators;
        lowered.doc = attributes.doc;
        let gives = returns.as_deref().is_some_and(|returns| returns != "None");
        lowered.returns = returns.filter(|returns| &**returns != "None");
        self.functions.push(lowered);

        let outer = self.enter(id, if gives { Dest::Return } else { Dest::Discard });
        let mut body = Vec::new();
        let params = params_node.map(parts).unwrap_or_default();
        for (index, param) in params.into_iter().enumerate() {
            let Some(lowered) = self.param(param, index, class.is_some(), &mut body) else {
                continue;
            };
            let receives =
                class.is_some() && self.functions[id.0 as usize].params.is_empty() && &*lowered.name == "self";
            let function = self.function_mut(id);
            function.has_receiver |= receives;
            function.params.push(lowered);
        }
        // What makes a value of its own type runs while an object is made.
        let made = self.own_type.as_deref();
        let function = &mut self.functions[id.0 as usize];
        let gives_own = function.returns.as_deref().zip(made).is_some_and(|(returns, made)| {
            let inner = returns.strip_prefix("Result[").or(returns.strip_prefix("Option["));
            inner.unwrap_or(returns).split(['[', ',', ']']).next() == Some(made)
        });
        if class.is_some() && !function.has_receiver && gives_own {
            function.special = Some(Special::Preparation);
        }
        let formatter = (self.shows && class.is_some()).then(|| function.params.get(1).map(|param| param.name.clone()));
        let formatter = formatter.flatten();
        if formatter.is_some() {
            function.special = Some(Special::Text);
        }
        let outer_formatter = std::mem::replace(&mut self.formatter, formatter);
        if let Some(block) = node.child_by_field_name("body") {
            let dest = self.result.clone();
            self.block(block, &dest, &mut body);
        }
        self.formatter = outer_formatter;
        self.leave(outer);
        self.function_mut(id).body = body;
        id
    }

    /// Starts the body of a function; gives what has to come back after it.
    pub(super) fn enter(&mut self, id: FunctionId, result: Dest) -> Outer {
        Outer {
            here: std::mem::replace(&mut self.here, id),
            result: std::mem::replace(&mut self.result, result),
            loops: std::mem::take(&mut self.loops),
            before: std::mem::take(&mut self.before),
        }
    }

    pub(super) fn leave(&mut self, outer: Outer) {
        self.here = outer.here;
        self.result = outer.result;
        self.loops = outer.loops;
        self.before = outer.before;
    }

    fn param(&mut self, node: Node<'_>, index: usize, in_class: bool, body: &mut Vec<Stmt>) -> Option<Param> {
        let plain = |name: Name, annotation: Option<Name>| Param {
            name,
            annotation,
            default: None,
            kind: ParamKind::Plain,
        };
        match node.kind() {
            "self_parameter" => Some(plain(Name::from("self"), None)),
            "parameter" => {
                let annotation = node.child_by_field_name("type").map(|kind| self.annotation(kind));
                let pattern = node.child_by_field_name("pattern")?;
                if pattern.kind() == "self" && in_class {
                    return Some(plain(Name::from("self"), None));
                }
                let name = self.bound_name(pattern, index, body);
                Some(plain(name, annotation))
            }
            _ => None,
        }
    }

    /// The name that a parameter's pattern binds; one with several is taken apart at the start of the body.
    pub(super) fn bound_name(&mut self, pattern: Node<'_>, index: usize, body: &mut Vec<Stmt>) -> Name {
        let pattern = super::patterns::bare(pattern);
        if pattern.kind() == "identifier" {
            return self.name(pattern);
        }
        let name = Name::from(format!("<parameter {index}>"));
        if pattern.kind() != "_" {
            let place = self.place(pattern);
            let value = self.named(&name, place);
            self.bind_pattern(pattern, value, body);
        }
        name
    }

    fn structure(&mut self, node: Node<'_>, out: &mut Vec<Stmt>) {
        self.open_generics(node);
        let Some(id) = self.declared(node) else { return };
        if let Some(body) = node.child_by_field_name("body") {
            let fields = self.fields(body);
            self.class_mut(id).fields = fields;
        }
        let place = self.class_mut(id).place;
        out.push(stmt(StmtKind::Class(id), place));
    }

    fn fields(&mut self, body: Node<'_>) -> Vec<Field> {
        let mut fields = Vec::new();
        for part in parts(body) {
            let field = match part.kind() {
                "field_declaration" => {
                    let Some(name) = part.child_by_field_name("name") else {
                        continue;
                    };
                    let name = self.name(name);
                    (name, part.child_by_field_name("type"))
                }
                "visibility_modifier" => continue,
                // A field without a name is called by its number.
                _ => (Name::from(fields.len().to_string()), Some(part)),
            };
            fields.push(Field {
                name: field.0,
                annotation: field.1.map(|kind| self.annotation(kind)),
                value: None,
            });
        }
        fields
    }

    /// An `enum` is a class; variants with fields are classes in it, others are fields.
    fn enumeration(&mut self, node: Node<'_>, out: &mut Vec<Stmt>) {
        self.open_generics(node);
        let Some(id) = self.declared(node) else { return };
        let place = self.class_mut(id).place;
        let variants = node.child_by_field_name("body").map(parts).unwrap_or_default();
        for variant in variants {
            let Some(name_node) = variant.child_by_field_name("name") else {
                continue;
            };
            let name = self.name(name_node);
            let Some(body) = variant.child_by_field_name("body") else {
                let field = Field {
                    name,
                    annotation: None,
                    value: None,
                };
                self.class_mut(id).fields.push(field);
                continue;
            };
            let fields = self.fields(body);
            let place = self.place(name_node);
            self.classes.push(Class {
                name,
                bases: Vec::new(),
                methods: Vec::new(),
                fields,
                decorators: Vec::new(),
                scope: self.here,
                outer: Some(id),
                extends: None,
                is_record: true,
                place,
            });
        }
        out.push(stmt(StmtKind::Class(id), place));
    }

    fn interface(&mut self, node: Node<'_>, out: &mut Vec<Stmt>) {
        self.open_generics(node);
        let Some(id) = self.declared(node) else { return };
        if let Some(body) = node.child_by_field_name("body") {
            self.members(id, body);
        }
        let place = self.class_mut(id).place;
        out.push(stmt(StmtKind::Class(id), place));
    }

    fn declared(&mut self, node: Node<'_>) -> Option<ClassId> {
        let name = self.name(node.child_by_field_name("name")?);
        self.types.get(&name).copied()
    }

    /// The members go to the type where the file defines it, and else to a part of it.
    fn implementation(&mut self, node: Node<'_>) {
        self.open_generics(node);
        let (Some(type_node), Some(body)) = (node.child_by_field_name("type"), node.child_by_field_name("body")) else {
            return;
        };
        let own = Name::from(self.path_text(type_node));
        let id = match self.types.get(&own).copied() {
            Some(known) => known,
            None => self.part_of(type_node),
        };
        if let Some(interface) = node.child_by_field_name("trait") {
            let base = self.path(interface);
            self.class_mut(id).bases.push(base);
        }
        let shows = node
            .child_by_field_name("trait")
            .is_some_and(|interface| self.words(interface).last().is_some_and(|name| name == "Display"));
        let outer = self.own_type.replace(own);
        let shown = std::mem::replace(&mut self.shows, shows);
        self.members(id, body);
        self.shows = shown;
        self.own_type = outer;
    }

    /// A part of a class that another file defines.
    fn part_of(&mut self, type_node: Node<'_>) -> ClassId {
        let id = ClassId(self.classes.len() as u32);
        let extends = Some(self.path(type_node));
        let place = self.place(type_node);
        let name = self.words(type_node).pop().unwrap_or_default();
        self.classes.push(Class {
            name: Name::from(name),
            bases: Vec::new(),
            methods: Vec::new(),
            fields: Vec::new(),
            decorators: Vec::new(),
            scope: self.here,
            outer: None,
            extends,
            is_record: false,
            place,
        });
        id
    }

    fn members(&mut self, class: ClassId, body: Node<'_>) {
        let outer = match &self.own_type {
            Some(own) => Some(own.clone()),
            None => self.own_type.replace(self.classes[class.0 as usize].name.clone()),
        };
        for part in parts(body) {
            let generics = self.generics.len();
            match part.kind() {
                // What a trait only asks for is nobody's code.
                "function_item" => {
                    let method = self.function(part, Some(class));
                    let name = self.functions[method.0 as usize].name.clone();
                    self.class_mut(class).methods.push((name, method));
                }
                "const_item" => {
                    if let (Some(name), Some(value)) =
                        (part.child_by_field_name("name"), part.child_by_field_name("value"))
                    {
                        let mut before = Vec::new();
                        let field = Field {
                            name: self.name(name),
                            annotation: part.child_by_field_name("type").map(|kind| self.annotation(kind)),
                            value: Some(self.hoisting(&mut before, |lowering| lowering.expr(value))),
                        };
                        self.class_mut(class).fields.push(field);
                    }
                }
                _ => {}
            }
            self.generics.truncate(generics);
        }
        self.own_type = outer;
    }

    /// An inline module is a scope of its own, which sees the one around it.
    fn inline_module(&mut self, node: Node<'_>, out: &mut Vec<Stmt>) {
        let Some(body) = node.child_by_field_name("body") else {
            return;
        };
        let attributes = self.attributes(node);
        self.note_tests(node, &attributes);
        let name_node = node.child_by_field_name("name").unwrap_or(node);
        let place = self.place(name_node);
        let name = self.name(name_node);
        let id = FunctionId(self.functions.len() as u32);
        self.functions.push(function(name, Some(self.here), place));
        let outer = self.enter(id, Dest::Discard);
        let types = self.types.clone();
        self.inline += 1;
        let body = self.items(body);
        self.inline -= 1;
        self.types = types;
        self.leave(outer);
        self.function_mut(id).body = body;
        out.push(stmt(StmtKind::Function(id), place));
    }

    /// The attributes and the documentation right before an item.
    fn attributes<'t>(&mut self, node: Node<'t>) -> Attributes<'t> {
        let mut found = Attributes::default();
        let mut lines = Vec::new();
        let mut before = node.prev_sibling();
        while let Some(sibling) = before {
            match sibling.kind() {
                "attribute_item" => found.nodes.push(sibling),
                "line_comment" => {
                    if let Some(doc) = sibling.child_by_field_name("doc") {
                        lines.push(self.text_of(doc).trim().to_owned());
                    }
                }
                "block_comment" => {}
                _ => break,
            }
            before = sibling.prev_sibling();
        }
        found.nodes.reverse();
        lines.reverse();
        let first: Vec<&str> = lines
            .iter()
            .map(String::as_str)
            .take_while(|line| !line.is_empty())
            .collect();
        if !first.is_empty() {
            found.doc = Some(Name::from(first.join(" ")));
        }
        found
    }

    /// `#[tool]` and `#[tokio::test]` as decorators.
    fn decorators(&mut self, attributes: &Attributes<'_>) -> Vec<ExprId> {
        let mut decorators = Vec::new();
        for attribute in attributes.nodes.iter().flat_map(|node| parts(*node)) {
            if let Some(&path) = parts(attribute).first() {
                decorators.push(self.path(path));
            }
        }
        decorators
    }

    /// Notes the item as a test where an attribute says so: `#[test]`, `#[tokio::test]`, `#[cfg(test)]`.
    fn note_tests(&mut self, node: Node<'_>, attributes: &Attributes<'_>) {
        let is_test = attributes.nodes.iter().any(|attribute| {
            let text = self.text_of(*attribute).replace(char::is_whitespace, "");
            let inside = text.trim_start_matches("#[").trim_end_matches(']');
            let head = inside.split('(').next().unwrap_or_default();
            match head {
                "cfg" => {
                    inside == "cfg(test)" || inside.starts_with("cfg(all(test,") || inside.starts_with("cfg(any(test,")
                }
                _ => matches!(
                    head.rsplit("::").next(),
                    Some("test" | "rstest" | "test_case" | "bench")
                ),
            }
        });
        if is_test {
            let place = self.place(node);
            self.test_parts.push(place);
        }
    }
}

/// What the lowering of a function's body leaves as it was.
pub(super) struct Outer {
    here: FunctionId,
    result: Dest,
    loops: Vec<Dest>,
    before: Vec<Stmt>,
}

impl Lowering<'_> {
    /// A function around the value of a block that runs later: `async { … }`.
    pub(super) fn deferred(&mut self, block: Node<'_>) -> ExprKind {
        let place = self.place(block);
        let id = FunctionId(self.functions.len() as u32);
        let mut lowered = function(Name::from("<lambda>"), Some(self.here), place);
        lowered.is_async = true;
        self.functions.push(lowered);
        let outer = self.enter(id, Dest::Return);
        let mut body = Vec::new();
        self.block(block, &Dest::Return, &mut body);
        self.leave(outer);
        self.function_mut(id).body = body;
        ExprKind::Lambda(id)
    }

    /// `name = value` before the statement at hand; gives the name.
    pub(super) fn kept(&mut self, value: ExprId) -> ExprId {
        let place = self.place_of(value);
        let name = self.made_up();
        let target = self.named(&name, place);
        self.before.push(assign(target, value, place));
        self.named(&name, place)
    }
}
