//! The lowered program of a file as text: what `ctxlint facts` prints, and what the front ends' tests
//! look at.

mod expressions;

use std::fmt::Write as _;

use super::ir::{Class, ExprId, Function, FunctionId, Module, Param, ParamKind, Stmt, StmtKind};
use expressions::{Expressions, binary, quoted};

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

/// One expression.
pub(crate) fn expression(module: &Module, expr: ExprId) -> String {
    Expressions(module).expr(expr)
}

fn last_line(body: &[Stmt]) -> u32 {
    let own = body.iter().map(|stmt| stmt.place.end.line);
    let inner = body.iter().flat_map(|stmt| stmt.kind.blocks()).map(last_line);
    own.chain(inner).max().unwrap_or(0)
}

struct Dump<'m> {
    module: &'m Module,
    exprs: Expressions<'m>,
    out: String,
}

impl<'m> Dump<'m> {
    fn of(module: &'m Module) -> Self {
        Self {
            module,
            exprs: Expressions(module),
            out: String::new(),
        }
    }

    fn class(&mut self, class: &Class) {
        let bases = self.exprs.list(&class.bases);
        let at = class.place.start;
        let _ = write!(self.out, "\nclass {}({bases})", class.name);
        if let Some(outer) = class.outer {
            let _ = write!(self.out, " in {}", self.module.class(outer).name);
        }
        if let Some(whole) = class.extends {
            let whole = self.exprs.expr(whole);
            let _ = write!(self.out, " part of {whole}");
        }
        let _ = writeln!(self.out, "  {}:{}", at.line, at.column);
        for &decorator in &class.decorators {
            let decorator = self.exprs.expr(decorator);
            let _ = writeln!(self.out, "  @{decorator}");
        }
        for field in &class.fields {
            let _ = write!(self.out, "  field {}", field.name);
            if let Some(annotation) = &field.annotation {
                let _ = write!(self.out, ": {annotation}");
            }
            if let Some(value) = field.value {
                let value = self.exprs.expr(value);
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
            let decorator = self.exprs.expr(decorator);
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
            let _ = write!(text, " = {}", self.exprs.expr(default));
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
                let targets: Vec<String> = targets.iter().map(|&target| self.exprs.expr(target)).collect();
                let annotation = annotation.as_ref().map(|text| format!(": {text}")).unwrap_or_default();
                let text = format!("{}{annotation} = {}", targets.join(" = "), self.exprs.expr(*value));
                self.line(stmt, depth, &text);
            }
            StmtKind::Update { target, op, value } => {
                let text = format!(
                    "{} {}= {}",
                    self.exprs.expr(*target),
                    binary(*op),
                    self.exprs.expr(*value)
                );
                self.line(stmt, depth, &text);
            }
            StmtKind::Expr(value) => {
                let text = self.exprs.expr(*value);
                self.line(stmt, depth, &text);
            }
            StmtKind::If { cond, then, otherwise } => {
                let text = format!("if {}", self.exprs.expr(*cond));
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
                let text = format!("{prefix}for {} in {}", self.exprs.expr(*target), self.exprs.expr(*iter));
                self.line(stmt, depth, &text);
                self.block(body, depth + 1);
                self.part(depth, "else", otherwise);
            }
            StmtKind::While { cond, body, otherwise } => {
                let text = format!("while {}", self.exprs.expr(*cond));
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
                        Some(target) => format!("{} as {}", self.exprs.expr(value), self.exprs.expr(target)),
                        None => self.exprs.expr(value),
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
                let text = format!("delete {}", self.exprs.list(targets));
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
            Some(value) => format!("{keyword} {}", self.exprs.expr(value)),
            None => keyword.to_owned(),
        };
        self.line(stmt, depth, &text);
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
