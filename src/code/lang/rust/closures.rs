//! Closures. One whose body is a plain expression is put in place of its call; any other is a lambda.

use tree_sitter::Node;

use super::blocks::Dest;
use super::expressions::{only_value, plain};
use super::items::function;
use super::patterns::{Pattern, pattern_parts};
use super::{Lowering, parts};
use crate::code::ir::{ExprId, ExprKind, FunctionId, Name, Param, ParamKind, Stmt};

impl Lowering<'_> {
    /// A closure as a value.
    pub(super) fn closure(&mut self, node: Node<'_>) -> ExprKind {
        let place = self.place(node);
        let id = FunctionId(self.functions.len() as u32);
        self.functions
            .push(function(Name::from("<lambda>"), Some(self.here), place));
        let outer = self.enter(id, Dest::Return);
        let hidden = self.stands_for.len();
        let mut body: Vec<Stmt> = Vec::new();
        for (index, param) in params(node).into_iter().enumerate() {
            let (pattern, annotation) = match param.kind() {
                "parameter" => (
                    param.child_by_field_name("pattern").unwrap_or(param),
                    param.child_by_field_name("type").map(|kind| self.annotation(kind)),
                ),
                _ => (param, None),
            };
            let name = self.bound_name(pattern, index, &mut body);
            self.stands_for.push((name.clone(), None));
            self.function_mut(id).params.push(Param {
                name,
                annotation,
                default: None,
                kind: ParamKind::Plain,
            });
        }
        if let Some(value) = node.child_by_field_name("body") {
            self.value(value, &Dest::Return, &mut body);
        }
        self.stands_for.truncate(hidden);
        self.leave(outer);
        self.function_mut(id).body = body;
        ExprKind::Lambda(id)
    }

    /// What a function that is passed on gives for these arguments.
    pub(super) fn apply(&mut self, function: Node<'_>, args: &[ExprId]) -> ExprId {
        if let Some(body) = plain_body(function) {
            let mut pattern = Pattern::default();
            for (param, &arg) in params(function).into_iter().zip(args) {
                self.pattern(param_pattern(param), arg, &mut pattern);
            }
            return self.standing_for(&pattern.bindings, |lowering| lowering.expr(body));
        }
        let place = self.place(function);
        let callee = self.expr(function);
        // `Some` and `Into::into` give what they are given.
        if let (ExprKind::Name(name) | ExprKind::Attribute { name, .. }, [arg]) = (self.kind_of(callee), args)
            && super::methods::PASSES.contains(&&**name)
            && !self.is_conversion_of_another(callee)
        {
            return *arg;
        }
        // A method that is named by its type alone: `str::trim`.
        if let (ExprKind::Attribute { base, name }, [arg]) = (self.kind_of(callee), args)
            && let ExprKind::Name(kind) = self.kind_of(*base)
            && matches!(
                &**kind,
                "str" | "String" | "Vec" | "ToString" | "ToOwned" | "Clone" | "Option" | "AsRef"
            )
        {
            let name = name.clone();
            return self.method(*arg, &name, &[], place);
        }
        self.push(
            ExprKind::Call {
                callee,
                args: args.iter().map(|&arg| plain(arg)).collect(),
                idiom: None,
            },
            place,
        )
    }

    /// Whether a function is called as the library's conversion is but belongs to something else:
    /// `Note::into` is what notes become.
    fn is_conversion_of_another(&self, callee: ExprId) -> bool {
        match self.kind_of(callee) {
            ExprKind::Attribute { base, name } if &**name == "into" => {
                let (ExprKind::Name(owner) | ExprKind::Attribute { name: owner, .. }) = self.kind_of(*base) else {
                    return false;
                };
                &**owner != "Into"
            }
            _ => false,
        }
    }
}

/// The parameters of a closure.
pub(super) fn params(closure: Node<'_>) -> Vec<Node<'_>> {
    let list = closure.child_by_field_name("parameters");
    list.map(pattern_parts).unwrap_or_default()
}

pub(super) fn param_pattern(param: Node<'_>) -> Node<'_> {
    match param.kind() {
        "parameter" => param.child_by_field_name("pattern").unwrap_or(param),
        _ => param,
    }
}

/// The body of a closure that is a plain expression: nothing in it is a statement.
pub(super) fn plain_body(closure: Node<'_>) -> Option<Node<'_>> {
    if closure.kind() != "closure_expression" {
        return None;
    }
    let body = closure.child_by_field_name("body")?;
    let body = match body.kind() {
        "block" => only_value(body)?,
        _ => body,
    };
    is_plain(body, 0).then_some(body)
}

fn is_plain(node: Node<'_>, depth: usize) -> bool {
    // A deeper one gets a function of its own.
    if depth > 40 {
        return false;
    }
    match node.kind() {
        "block"
        | "unsafe_block"
        | "if_expression"
        | "match_expression"
        | "loop_expression"
        | "while_expression"
        | "for_expression"
        | "return_expression"
        | "break_expression"
        | "continue_expression"
        | "async_block"
        | "assignment_expression"
        | "compound_assignment_expr"
        | "let_condition"
        | "let_chain" => false,
        "closure_expression" => plain_body(node).is_some(),
        _ => parts(node).into_iter().all(|part| is_plain(part, depth + 1)),
    }
}
