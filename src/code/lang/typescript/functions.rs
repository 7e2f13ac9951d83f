//! Functions, arrow functions, methods and parameters.

use tree_sitter::Node;

use super::scopes::Names;
use super::{Lowering, assign, blank, field_parts, has_token, parts, stmt};
use crate::code::ir::{
    ClassId, ExprId, ExprKind, Function, FunctionId, Name, Param, ParamKind, Special, Stmt, StmtKind,
};

/// How a method is called.
pub(super) struct Method {
    pub(super) class: ClassId,
    pub(super) is_static: bool,
    pub(super) special: Option<Special>,
    pub(super) decorators: Vec<ExprId>,
}

/// What the parameters say, beyond their names.
#[derive(Default)]
struct Params<'t> {
    list: Vec<Param>,
    /// What is taken apart at the start of the body: the pattern, the parameter, its annotation.
    patterns: Vec<(Node<'t>, Name, Option<Node<'t>>)>,
    /// Parameters that are attributes of the object as well.
    kept: Vec<(Node<'t>, Name, Option<Name>)>,
}

pub(super) fn is_function(kind: &str) -> bool {
    matches!(kind, "arrow_function" | "function_expression" | "generator_function")
}

impl Lowering<'_> {
    /// Lowers a function of any form.
    pub(super) fn function(&mut self, node: Node<'_>, name: Name, method: Option<Method>) -> FunctionId {
        let params_node = node
            .child_by_field_name("parameters")
            .or_else(|| node.child_by_field_name("parameter"));
        let name_node = node.child_by_field_name("name");
        let returns = self.annotation(node, "return_type");
        let place = match (name_node, params_node) {
            (Some(first), last) => self.across(first, last.unwrap_or(first)),
            (None, Some(params)) => self.across(node, params),
            (None, None) => self.place(node),
        };
        let has_receiver = method.as_ref().is_some_and(|method| !method.is_static);
        let (class, special, decorators) = match method {
            Some(method) => (Some(method.class), method.special, method.decorators),
            None => (None, None, Vec::new()),
        };
        let id = FunctionId(self.functions.len() as u32);
        self.functions.push(Function {
            class,
            parent: Some(self.here),
            returns,
            decorators,
            is_async: has_token(node, "async"),
            is_generator: node.kind().starts_with("generator") || has_token(node, "*"),
            has_receiver,
            special,
            place,
            ..blank(name)
        });
        self.scopes.push(Names::default());
        // Defaults are evaluated where the function stands.
        let mut params = params_node.map(|params| self.params(params)).unwrap_or_default();
        if has_receiver {
            params.list.insert(0, plain(Name::from("this")));
        }
        let names: Vec<Name> = params.list.iter().map(|param| param.name.clone()).collect();
        self.function_mut(id).params = std::mem::take(&mut params.list);
        if let Some(body) = node.child_by_field_name("body") {
            let body = self.body_of_function(id, body, &params, &names);
            self.function_mut(id).body = body;
        }
        id
    }

    fn body_of_function(&mut self, id: FunctionId, body: Node<'_>, params: &Params<'_>, names: &[Name]) -> Vec<Stmt> {
        let outer = (
            std::mem::replace(&mut self.here, id),
            std::mem::take(&mut self.effects),
            std::mem::replace(&mut self.callbacks, 0),
            std::mem::replace(&mut self.in_switch, false),
        );
        let aliases = self.shadow(names);
        for name in names {
            self.declare(name.clone());
        }
        let mut out = Vec::new();
        for (pattern, root, annotation) in &params.patterns {
            self.declare_all(*pattern);
            self.destructure_name(*pattern, root, *annotation, &mut out);
        }
        for (pattern, name, annotation) in &params.kept {
            let place = self.place(*pattern);
            let base = self.push_name(&Name::from("this"), place);
            let target = self.push(
                ExprKind::Attribute {
                    base,
                    name: name.clone(),
                },
                place,
            );
            let value = self.push_name(name, place);
            let annotation = annotation.clone();
            let targets = vec![target];
            out.push(stmt(
                StmtKind::Assign {
                    targets,
                    value,
                    annotation,
                },
                place,
            ));
        }
        if body.kind() == "statement_block" {
            out.append(&mut self.block(body));
        } else {
            let value = self.expr(body);
            out.append(&mut self.effects);
            let place = self.place(body);
            out.push(stmt(StmtKind::Return(Some(value)), place));
        }
        self.aliases.truncate(aliases);
        (self.here, self.effects, self.callbacks, self.in_switch) = outer;
        out
    }

    fn params<'t>(&mut self, node: Node<'t>) -> Params<'t> {
        let mut found = Params::default();
        // `x => …`
        if node.kind() != "formal_parameters" {
            let name = self.name(node);
            found.list.push(plain(name));
            return found;
        }
        for part in parts(node) {
            let Some(pattern) = part.child_by_field_name("pattern") else {
                continue;
            };
            let type_node = part.child_by_field_name("type");
            let annotation = self.annotation(part, "type");
            let default = part.child_by_field_name("value").map(|value| self.expr(value));
            let (kind, pattern) = match pattern.kind() {
                // The type of the receiver, and no parameter.
                "this" => continue,
                "rest_pattern" => match parts(pattern).first() {
                    Some(&inner) => (ParamKind::RestPositional, inner),
                    None => continue,
                },
                _ => (ParamKind::Plain, pattern),
            };
            let name = if pattern.kind() == "identifier" {
                self.name(pattern)
            } else {
                let name = self.new_name();
                found.patterns.push((pattern, name.clone(), type_node));
                name
            };
            let is_kept =
                parts(part).iter().any(|part| part.kind() == "accessibility_modifier") || has_token(part, "readonly");
            if is_kept {
                found.kept.push((pattern, name.clone(), annotation.clone()));
            }
            found.list.push(Param {
                name,
                annotation,
                default,
                kind,
            });
        }
        found
    }

    /// The decorators of a node, as expressions.
    pub(super) fn decorators(&mut self, node: Node<'_>) -> Vec<ExprId> {
        field_parts(node, "decorator")
            .into_iter()
            .filter_map(|decorator| parts(decorator).first().map(|&value| self.expr(value)))
            .collect()
    }

    /// A function that is declared under a name, or given to a name that nothing else is given to.
    pub(super) fn named_function(&mut self, node: Node<'_>, name: Name, out: &mut Vec<Stmt>) {
        self.declare(name.clone());
        let id = self.function(node, name, None);
        let place = self.functions[id.0 as usize].place;
        out.push(stmt(StmtKind::Function(id), place));
    }

    /// What a module exports without a name.
    pub(super) fn export_default(&mut self, value: ExprId, out: &mut Vec<Stmt>) {
        let place = self.exprs[value.0 as usize].place;
        let target = self.push_name(&Name::from(crate::code::ir::DEFAULT_EXPORT), place);
        out.push(assign(target, value, place));
    }
}

fn plain(name: Name) -> Param {
    Param {
        name,
        annotation: None,
        default: None,
        kind: ParamKind::Plain,
    }
}
