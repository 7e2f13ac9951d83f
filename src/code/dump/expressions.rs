//! Expressions as text.

use std::fmt::Write as _;

use crate::code::ir::{
    Arg, BinaryOp, Clause, CompareOp, ExprId, ExprKind, Intrinsic, ListKind, Literal, Module, TemplatePart, written,
};

/// The longest literal that is shown in full.
const LONGEST_TEXT: usize = 60;

/// Writes the expressions of one module.
#[derive(Clone, Copy)]
pub(super) struct Expressions<'m>(pub(super) &'m Module);

impl Expressions<'_> {
    pub(super) fn list(self, exprs: &[ExprId]) -> String {
        let exprs: Vec<String> = exprs.iter().map(|&expr| self.expr(expr)).collect();
        exprs.join(", ")
    }

    pub(super) fn expr(self, id: ExprId) -> String {
        match self.0.kind(id) {
            ExprKind::Name(name) => name.to_string(),
            ExprKind::Literal(literal) => match literal {
                Literal::Str(text) => quoted(text),
                Literal::Int(number) => number.to_string(),
                Literal::Float => "float".to_owned(),
                Literal::Bool(value) => value.to_string(),
                Literal::None => "none".to_owned(),
            },
            ExprKind::Template(parts) => self.template(parts),
            ExprKind::Attribute { base, name } => format!("{}.{name}", self.expr(*base)),
            ExprKind::Index { base, index } => format!("{}[{}]", self.expr(*base), self.expr(*index)),
            ExprKind::Slice { base, start, end, step } => {
                let bound = |bound: &Option<ExprId>| bound.map(|bound| self.expr(bound)).unwrap_or_default();
                let step = step.map(|step| format!(":{}", self.expr(step))).unwrap_or_default();
                format!("{}[{}:{}{step}]", self.expr(*base), bound(start), bound(end))
            }
            ExprKind::Call { idiom: Some(idiom), .. } if idiom.op != Intrinsic::Record => {
                format!("#{:?}({})", idiom.op, self.list(&idiom.operands))
            }
            ExprKind::Call { callee, args, .. } => {
                let args: Vec<String> = written(args).map(|arg| self.arg(arg)).collect();
                format!("{}({})", self.expr(*callee), args.join(", "))
            }
            ExprKind::List { kind, items } => {
                let items: Vec<String> = items
                    .iter()
                    .map(|item| format!("{}{}", if item.spread { "*" } else { "" }, self.expr(item.value)))
                    .collect();
                bracketed(*kind, &items.join(", "))
            }
            ExprKind::Dict(entries) => {
                let entries: Vec<String> = entries
                    .iter()
                    .map(|(key, value)| match key {
                        Some(key) => format!("{}: {}", self.expr(*key), self.expr(*value)),
                        None => format!("**{}", self.expr(*value)),
                    })
                    .collect();
                bracketed(ListKind::Dict, &entries.join(", "))
            }
            ExprKind::Comprehension {
                kind,
                element,
                value,
                clauses,
            } => {
                let mut text = self.expr(*element);
                if let Some(value) = value {
                    let _ = write!(text, ": {}", self.expr(*value));
                }
                for clause in clauses {
                    text.push_str(&self.clause(clause));
                }
                bracketed(*kind, &text)
            }
            ExprKind::Binary { op, left, right } => {
                format!("({} {} {})", self.expr(*left), binary(*op), self.expr(*right))
            }
            ExprKind::Logic { all, operands } => {
                let operands: Vec<String> = operands.iter().map(|&operand| self.expr(operand)).collect();
                format!("({})", operands.join(if *all { " and " } else { " or " }))
            }
            ExprKind::Not(value) => format!("not {}", self.expr(*value)),
            ExprKind::Compare { op, left, right } => {
                format!("({} {} {})", self.expr(*left), compare(*op), self.expr(*right))
            }
            ExprKind::TypeTest { value, types } => {
                let types: Vec<String> = types.iter().map(|&class| self.expr(class)).collect();
                format!("({} of-type {})", self.expr(*value), types.join(" | "))
            }
            ExprKind::Conditional { cond, then, otherwise } => format!(
                "({} if {} else {})",
                self.expr(*then),
                self.expr(*cond),
                self.expr(*otherwise)
            ),
            ExprKind::Lambda(function) => format!("function {}", function.0),
            ExprKind::Await(value) => format!("await {}", self.expr(*value)),
            ExprKind::Yield(value) => match value {
                Some(value) => format!("yield {}", self.expr(*value)),
                None => "yield".to_owned(),
            },
            ExprKind::Bind { target, value } => format!("({} := {})", self.expr(*target), self.expr(*value)),
            ExprKind::Other(inside) => format!("other({})", self.list(inside)),
        }
    }

    fn arg(self, arg: &Arg) -> String {
        let value = self.expr(arg.value);
        match (&arg.name, arg.spread) {
            (None, false) => value,
            (None, true) => format!("*{value}"),
            (Some(_), true) => format!("**{value}"),
            (Some(name), false) => format!("{name}={value}"),
        }
    }

    fn clause(self, clause: &Clause) -> String {
        let mut text = format!(" for {} in {}", self.expr(clause.target), self.expr(clause.iter));
        for &condition in &clause.conditions {
            let _ = write!(text, " if {}", self.expr(condition));
        }
        text
    }

    fn template(self, parts: &[TemplatePart]) -> String {
        let mut text = String::from("text<");
        for part in parts {
            match part {
                TemplatePart::Text(part) => text.push_str(&shortened(part).escape_debug().to_string()),
                TemplatePart::Value { value, format } => {
                    let format = format.as_ref().map(|format| format!(":{format}")).unwrap_or_default();
                    let _ = write!(text, "{{{}{format}}}", self.expr(*value));
                }
            }
        }
        text.push('>');
        text
    }
}

pub(super) fn quoted(text: &str) -> String {
    format!("{:?}", shortened(text))
}

fn shortened(text: &str) -> String {
    match text.char_indices().nth(LONGEST_TEXT) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

fn bracketed(kind: ListKind, inside: &str) -> String {
    match kind {
        ListKind::List => format!("[{inside}]"),
        ListKind::Tuple => format!("tuple({inside})"),
        ListKind::Set => format!("set({inside})"),
        ListKind::Dict => format!("{{{inside}}}"),
        ListKind::Generator => format!("each({inside})"),
    }
}

pub(super) fn binary(op: BinaryOp) -> &'static str {
    match op {
        BinaryOp::Add => "+",
        BinaryOp::Sub => "-",
        BinaryOp::Mul => "*",
        BinaryOp::Div => "/",
        BinaryOp::Rem => "%",
        BinaryOp::Or => "|",
        BinaryOp::Other => "op",
    }
}

fn compare(op: CompareOp) -> &'static str {
    match op {
        CompareOp::Eq => "==",
        CompareOp::NotEq => "!=",
        CompareOp::Less => "<",
        CompareOp::LessEq => "<=",
        CompareOp::Greater => ">",
        CompareOp::GreaterEq => ">=",
        CompareOp::Is => "is",
        CompareOp::IsNot => "is not",
        CompareOp::In => "in",
        CompareOp::NotIn => "not in",
    }
}
