//! The lowered program of a file as text: what `ctxlint facts` prints, and what the front ends' tests
//! look at.

use std::fmt::Write as _;

use super::ir::{
    Arg, BinaryOp, Class, Clause, CompareOp, ExprId, ExprKind, Function, FunctionId, ListKind, Literal, Module, Param,
    ParamKind, Stmt, StmtKind, TemplatePart,
};

/// The longest literal that is shown in full.
const LONGEST_TEXT: usize = 60;

/// The whole module.
pub(crate) fn module(module: &Module) -> String {
    let mut dump = Dump::of(module);
    let _ = writeln!(dump.out, "{}", module.language);
    for import in &module.imports {
        let scope = import.scope.0;
        let _ = match &import.symbol {
            Some(symbol) => writeln!(
                dump.out,
                "import {} {symbol} as {}  in {scope}",
                import.module, import.local
            ),
            None => writeln!(dump.out, "import {} as {}  in {scope}", import.module, import.local),
        };
    }
    for class in &module.classes {
        dump.class(class);
    }
    for index in 0..module.functions.len() {
        dump.function(FunctionId(index as u32));
    }
    dump.out
}

/// Only the function around a line.
pub(crate) fn around(module: &Module, line: u32) -> String {
    let mut dump = Dump::of(module);
    let around = |&index: &usize| {
        let function = &module.functions[index];
        function.place.start.line <= line && last_line(&function.body).max(function.place.end.line) >= line
    };
    let innermost = (1..module.functions.len()).rev().find(around).unwrap_or(0);
    dump.function(FunctionId(innermost as u32));
    dump.out
}

fn last_line(body: &[Stmt]) -> u32 {
    let own = body.iter().map(|stmt| stmt.place.end.line);
    let inner = body.iter().flat_map(|stmt| stmt.kind.blocks()).map(last_line);
    own.chain(inner).max().unwrap_or(0)
}

struct Dump<'m> {
    module: &'m Module,
    out: String,
}

impl<'m> Dump<'m> {
    fn of(module: &'m Module) -> Self {
        Self {
            module,
            out: String::new(),
        }
    }

    fn class(&mut self, class: &Class) {
        let bases = self.list(&class.bases);
        let at = class.place.start;
        let _ = writeln!(self.out, "\nclass {}({bases})  {}:{}", class.name, at.line, at.column);
        for &decorator in &class.decorators {
            let decorator = self.expr(decorator);
            let _ = writeln!(self.out, "  @{decorator}");
        }
        for field in &class.fields {
            let _ = write!(self.out, "  field {}", field.name);
            if let Some(annotation) = &field.annotation {
                let _ = write!(self.out, ": {annotation}");
            }
            if let Some(value) = field.value {
                let value = self.expr(value);
                let _ = write!(self.out, " = {value}");
            }
            self.out.push('\n');
        }
        for (name, function) in &class.methods {
            let _ = writeln!(self.out, "  method {name} = function {}", function.0);
        }
    }

    fn function(&mut self, id: FunctionId) {
        let function = self.module.function(id);
        let at = function.place.start;
        let _ = write!(self.out, "\nfunction {} ", id.0);
        if let Some(class) = function.class {
            let _ = write!(self.out, "{}.", self.module.class(class).name);
        }
        let params: Vec<String> = function.params.iter().map(|param| self.param(param)).collect();
        let _ = write!(self.out, "{}({})", function.name, params.join(", "));
        if let Some(returns) = &function.returns {
            let _ = write!(self.out, " -> {returns}");
        }
        for flag in flags(function) {
            let _ = write!(self.out, " [{flag}]");
        }
        if let Some(parent) = function.parent.filter(|parent| parent.0 > 0) {
            let _ = write!(self.out, " in {}", parent.0);
        }
        let _ = writeln!(self.out, "  {}:{}", at.line, at.column);
        for &decorator in &function.decorators {
            let decorator = self.expr(decorator);
            let _ = writeln!(self.out, "  @{decorator}");
        }
        if let Some(doc) = &function.doc {
            let _ = writeln!(self.out, "  doc {}", quoted(doc));
        }
        if !function.outer_names.is_empty() {
            let _ = writeln!(self.out, "  outer {}", function.outer_names.join(", "));
        }
        self.block(&function.body, 1);
    }

    fn param(&self, param: &Param) -> String {
        let mut text = match param.kind {
            ParamKind::Plain => String::new(),
            ParamKind::Keyword => "name-only ".to_owned(),
            ParamKind::RestPositional => "*".to_owned(),
            ParamKind::RestKeyword => "**".to_owned(),
        };
        text.push_str(&param.name);
        if let Some(annotation) = &param.annotation {
            let _ = write!(text, ": {annotation}");
        }
        if let Some(default) = param.default {
            let _ = write!(text, " = {}", self.expr(default));
        }
        text
    }

    fn block(&mut self, block: &[Stmt], depth: usize) {
        for stmt in block {
            self.stmt(stmt, depth);
        }
    }

    /// A line with its place in front.
    fn line(&mut self, stmt: &Stmt, depth: usize, text: &str) {
        let at = stmt.place.start;
        let place = format!("{}:{}", at.line, at.column);
        let _ = writeln!(self.out, "{place:>8} {:width$}{text}", "", width = depth * 2);
    }

    /// A line without a place of its own, and a block under it.
    fn part(&mut self, depth: usize, text: &str, block: &[Stmt]) {
        if !block.is_empty() {
            let _ = writeln!(self.out, "{:8} {:width$}{text}", "", "", width = depth * 2);
            self.block(block, depth + 1);
        }
    }

    fn stmt(&mut self, stmt: &Stmt, depth: usize) {
        match &stmt.kind {
            StmtKind::Assign {
                targets,
                value,
                annotation,
            } => {
                let targets: Vec<String> = targets.iter().map(|&target| self.expr(target)).collect();
                let annotation = annotation.as_ref().map(|text| format!(": {text}")).unwrap_or_default();
                let text = format!("{}{annotation} = {}", targets.join(" = "), self.expr(*value));
                self.line(stmt, depth, &text);
            }
            StmtKind::Update { target, op, value } => {
                let text = format!("{} {}= {}", self.expr(*target), binary(*op), self.expr(*value));
                self.line(stmt, depth, &text);
            }
            StmtKind::Expr(value) => {
                let text = self.expr(*value);
                self.line(stmt, depth, &text);
            }
            StmtKind::If { cond, then, otherwise } => {
                let text = format!("if {}", self.expr(*cond));
                self.line(stmt, depth, &text);
                self.block(then, depth + 1);
                self.part(depth, "else", otherwise);
            }
            StmtKind::For {
                target,
                iter,
                body,
                otherwise,
                is_async,
            } => {
                let prefix = if *is_async { "async " } else { "" };
                let text = format!("{prefix}for {} in {}", self.expr(*target), self.expr(*iter));
                self.line(stmt, depth, &text);
                self.block(body, depth + 1);
                self.part(depth, "else", otherwise);
            }
            StmtKind::While { cond, body, otherwise } => {
                let text = format!("while {}", self.expr(*cond));
                self.line(stmt, depth, &text);
                self.block(body, depth + 1);
                self.part(depth, "else", otherwise);
            }
            StmtKind::Try {
                body,
                handlers,
                otherwise,
                finally,
            } => {
                self.line(stmt, depth, "try");
                self.block(body, depth + 1);
                for handler in handlers {
                    let name = handler
                        .name
                        .as_ref()
                        .map(|name| format!(" as {name}"))
                        .unwrap_or_default();
                    let text = format!("except {}{name}", handler.catches.join(", "));
                    self.part(depth, text.trim_end(), &handler.body);
                }
                self.part(depth, "else", otherwise);
                self.part(depth, "finally", finally);
            }
            StmtKind::With { items, body } => {
                let items: Vec<String> = items
                    .iter()
                    .map(|&(value, target)| match target {
                        Some(target) => format!("{} as {}", self.expr(value), self.expr(target)),
                        None => self.expr(value),
                    })
                    .collect();
                self.line(stmt, depth, &format!("with {}", items.join(", ")));
                self.block(body, depth + 1);
            }
            StmtKind::Return(value) => self.keyword(stmt, depth, "return", *value),
            StmtKind::Raise(value) => self.keyword(stmt, depth, "raise", *value),
            StmtKind::Break => self.line(stmt, depth, "break"),
            StmtKind::Continue => self.line(stmt, depth, "continue"),
            StmtKind::Delete(targets) => {
                let text = format!("delete {}", self.list(targets));
                self.line(stmt, depth, &text);
            }
            StmtKind::Assert { cond } => self.keyword(stmt, depth, "assert", Some(*cond)),
            StmtKind::Function(id) => self.line(stmt, depth, &format!("define function {}", id.0)),
            StmtKind::Class(id) => {
                let text = format!("define class {}", self.module.class(*id).name);
                self.line(stmt, depth, &text);
            }
            StmtKind::Nothing => self.line(stmt, depth, "nothing"),
        }
    }

    fn keyword(&mut self, stmt: &Stmt, depth: usize, keyword: &str, value: Option<ExprId>) {
        let text = match value {
            Some(value) => format!("{keyword} {}", self.expr(value)),
            None => keyword.to_owned(),
        };
        self.line(stmt, depth, &text);
    }

    fn list(&self, exprs: &[ExprId]) -> String {
        let exprs: Vec<String> = exprs.iter().map(|&expr| self.expr(expr)).collect();
        exprs.join(", ")
    }

    fn expr(&self, id: ExprId) -> String {
        match self.module.kind(id) {
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
            ExprKind::Call { idiom: Some(idiom), .. } => format!("#{:?}({})", idiom.op, self.list(&idiom.operands)),
            ExprKind::Call { callee, args, .. } => {
                let args: Vec<String> = args.iter().map(|arg| self.arg(arg)).collect();
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

    fn arg(&self, arg: &Arg) -> String {
        let value = self.expr(arg.value);
        match (&arg.name, arg.spread) {
            (None, false) => value,
            (None, true) => format!("*{value}"),
            (Some(_), true) => format!("**{value}"),
            (Some(name), false) => format!("{name}={value}"),
        }
    }

    fn clause(&self, clause: &Clause) -> String {
        let mut text = format!(" for {} in {}", self.expr(clause.target), self.expr(clause.iter));
        for &condition in &clause.conditions {
            let _ = write!(text, " if {}", self.expr(condition));
        }
        text
    }

    fn template(&self, parts: &[TemplatePart]) -> String {
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

fn flags(function: &Function) -> impl Iterator<Item = &'static str> {
    [
        (function.is_async, "async"),
        (function.is_generator, "generator"),
        (function.has_receiver, "receiver"),
    ]
    .into_iter()
    .filter_map(|(is_set, flag)| is_set.then_some(flag))
}

fn quoted(text: &str) -> String {
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

fn binary(op: BinaryOp) -> &'static str {
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
