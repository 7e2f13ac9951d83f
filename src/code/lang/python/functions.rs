//! Functions, lambdas, parameters and decorators.

use tree_sitter::Node;

use super::{Lowering, field_parts, has_token, parts, stmt};
use crate::code::ir::{
    ClassId, ExprId, ExprKind, Function, FunctionId, Name, Param, ParamKind, Place, Special, Stmt, StmtKind,
};

impl Lowering<'_> {
    /// Lowers a `def`; its decorators are already lowered, since they belong to the scope around it.
    pub(super) fn function(&mut self, node: Node<'_>, class: Option<ClassId>, decorators: Vec<ExprId>) -> FunctionId {
        let name_node = node.child_by_field_name("name");
        let name = name_node.map_or_else(|| Name::from(""), |name| self.name(name));
        let params_node = node.child_by_field_name("parameters");
        let params = params_node.map(|params| self.params(params)).unwrap_or_default();
        let returns = node
            .child_by_field_name("return_type")
            .map(|returns| self.annotation(returns));
        let is_static = decorators
            .iter()
            .any(|&decorator| self.is_name(decorator, "staticmethod"));
        let place = self.across(name_node.unwrap_or(node), params_node.or(name_node).unwrap_or(node));
        let special = class.and_then(|_| self.special(&name, &decorators));
        let id = self.open(Function {
            name,
            class,
            parent: Some(self.here),
            has_receiver: class.is_some() && !is_static && !params.is_empty(),
            special,
            params,
            returns,
            decorators,
            is_async: has_token(node, "async"),
            is_generator: false,
            outer_names: Vec::new(),
            doc: None,
            body: Vec::new(),
            place,
        });
        if let Some(body) = node.child_by_field_name("body") {
            let outer = std::mem::replace(&mut self.here, id);
            let (doc, body) = self.documented_block(body);
            self.here = outer;
            let function = self.function_mut(id);
            function.doc = doc;
            function.body = body;
        }
        id
    }

    pub(super) fn lambda(&mut self, node: Node<'_>) -> ExprKind {
        let params = node
            .child_by_field_name("parameters")
            .map(|params| self.params(params))
            .unwrap_or_default();
        let id = self.open(Function {
            name: Name::from("<lambda>"),
            class: None,
            parent: Some(self.here),
            params,
            returns: None,
            decorators: Vec::new(),
            is_async: false,
            is_generator: false,
            has_receiver: false,
            special: None,
            outer_names: Vec::new(),
            doc: None,
            body: Vec::new(),
            place: self.place(node),
        });
        if let Some(body) = node.child_by_field_name("body") {
            let outer = std::mem::replace(&mut self.here, id);
            let value = self.expr(body);
            self.here = outer;
            let place = self.place(body);
            self.function_mut(id).body = vec![stmt(StmtKind::Return(Some(value)), place)];
        }
        ExprKind::Lambda(id)
    }

    /// Lowers what stands under its decorators.
    pub(super) fn decorated(&mut self, node: Node<'_>, class: Option<ClassId>) -> Decorated {
        let decorators = parts(node)
            .into_iter()
            .filter(|part| part.kind() == "decorator")
            .filter_map(|decorator| parts(decorator).first().map(|&value| self.expr(value)))
            .collect();
        match node.child_by_field_name("definition") {
            Some(definition) if definition.kind() == "class_definition" => {
                Decorated::Class(self.class(definition, class, decorators))
            }
            Some(definition) => {
                let id = self.function(definition, class, decorators);
                Decorated::Function(id)
            }
            None => Decorated::Neither,
        }
    }

    fn open(&mut self, function: Function) -> FunctionId {
        let id = FunctionId(self.functions.len() as u32);
        self.functions.push(function);
        id
    }

    fn is_name(&self, expr: ExprId, name: &str) -> bool {
        matches!(&self.exprs[expr.0 as usize].kind, ExprKind::Name(found) if &**found == name)
    }

    fn special(&self, name: &str, decorators: &[ExprId]) -> Option<Special> {
        let sets = |decorator: &ExprId| {
            let decorator = &self.exprs[decorator.0 as usize].kind;
            matches!(decorator, ExprKind::Attribute { name, .. } if matches!(&**name, "setter" | "deleter"))
        };
        match name {
            "__init__" => Some(Special::Constructor),
            "__new__" | "__post_init__" | "model_post_init" => Some(Special::Preparation),
            "__call__" => Some(Special::Call),
            _ => decorators.iter().any(sets).then_some(Special::Setter),
        }
    }

    fn params(&mut self, node: Node<'_>) -> Vec<Param> {
        let mut params = Vec::new();
        let mut by_name_only = false;
        for part in parts(node) {
            match part.kind() {
                "keyword_separator" => by_name_only = true,
                "positional_separator" => {}
                _ => {
                    let Some(mut param) = self.param(part) else { continue };
                    match param.kind {
                        ParamKind::Plain if by_name_only => param.kind = ParamKind::Keyword,
                        ParamKind::RestPositional => by_name_only = true,
                        _ => {}
                    }
                    params.push(param);
                }
            }
        }
        params
    }

    fn param(&mut self, node: Node<'_>) -> Option<Param> {
        let bare = match node.kind() {
            "default_parameter" | "typed_default_parameter" => node.child_by_field_name("name")?,
            "typed_parameter" => *parts(node).first()?,
            _ => node,
        };
        let (kind, name) = match bare.kind() {
            "list_splat_pattern" => (ParamKind::RestPositional, *parts(bare).first()?),
            "dictionary_splat_pattern" => (ParamKind::RestKeyword, *parts(bare).first()?),
            _ => (ParamKind::Plain, bare),
        };
        Some(Param {
            name: self.name(name),
            annotation: node.child_by_field_name("type").map(|text| self.annotation(text)),
            default: node.child_by_field_name("value").map(|value| self.expr(value)),
            kind,
        })
    }

    /// An annotation's text, without the quotes of one that is a string.
    pub(super) fn annotation(&mut self, node: Node<'_>) -> Name {
        let text = self.text_of(node);
        for quote in ['"', '\''] {
            if let Some(inner) = text.strip_prefix(quote).and_then(|text| text.strip_suffix(quote))
                && !inner.contains(quote)
            {
                return Name::from(inner);
            }
        }
        self.name(node)
    }

    /// Names that a `global` or `nonlocal` takes from outside.
    pub(super) fn outer_names(&mut self, node: Node<'_>) {
        for part in parts(node) {
            let name = self.name(part);
            let here = self.here;
            self.function_mut(here).outer_names.push(name);
        }
    }
}

/// What stood under decorators.
pub(super) enum Decorated {
    Function(FunctionId),
    Class(ClassId),
    Neither,
}

impl Decorated {
    pub(super) fn into_stmt(self, place: Place) -> Stmt {
        match self {
            Self::Function(id) => stmt(StmtKind::Function(id), place),
            Self::Class(id) => stmt(StmtKind::Class(id), place),
            Self::Neither => stmt(StmtKind::Nothing, place),
        }
    }
}

/// The header of a definition, without its body.
pub(super) fn header(node: Node<'_>) -> (Node<'_>, Node<'_>) {
    let definition = node.child_by_field_name("definition").unwrap_or(node);
    let first = definition.child_by_field_name("name").unwrap_or(definition);
    let last = ["superclasses", "parameters", "name"]
        .into_iter()
        .find_map(|field| field_parts(definition, field).pop())
        .unwrap_or(first);
    (first, last)
}
