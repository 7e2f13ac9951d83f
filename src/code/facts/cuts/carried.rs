//! Calls that are carried over a cut: what is kept is asked for results, and the calls that they answer
//! are taken from what is cut off.

use super::Finder;
use crate::code::facts::Facts;
use crate::code::facts::fields::field_read;
use crate::code::flow::paths::own_exprs;
use crate::code::ir::{CompareOp, ExprKind, Literal, Name, StmtKind};
use crate::code::project::{ExprRef, FuncRef};
use crate::code::vocabulary::{Block, Field};

/// How deep helpers are read.
const HELPERS: usize = 2;

/// What is carried over a cut.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Carried {
    /// Nothing.
    #[default]
    Nothing,
    /// Calls, whichever they are.
    Calls,
    /// The calls that results among the kept messages name.
    Named,
}

/// What an expression and the helpers in it speak of.
#[derive(Clone, Copy, Debug, Default)]
struct Speaks {
    calls: bool,
    results: bool,
    /// An id is looked up.
    ids: bool,
}

impl Finder<'_, '_> {
    /// What the function that cuts carries over the cut.
    pub(super) fn carried(&self, site: ExprRef) -> Carried {
        let facts = self.facts;
        let function = facts.owner(site);
        let module = facts.module(site.module);
        let paths = facts.paths.function(function);
        if self.is_other_than_carrying(site) {
            return Carried::Calls;
        }
        let Some(kept) = paths.stmt_of(site.expr).and_then(|stmt| match &paths.stmt(stmt).kind {
            StmtKind::Assign { targets, value, .. } if *value == site.expr => match &targets[..] {
                [target] => match module.kind(*target) {
                    ExprKind::Name(name) => Some(name),
                    _ => None,
                },
                _ => None,
            },
            _ => None,
        }) else {
            return Carried::Nothing;
        };
        let mut asks_kept = false;
        let mut all = Speaks::default();
        let wholes = paths.stmts().flat_map(|stmt| paths.own_exprs_in(stmt));
        for expr in wholes.filter(|expr| {
            matches!(
                module.kind(*expr),
                ExprKind::Call { .. } | ExprKind::Comprehension { .. }
            )
        }) {
            let mut speaks = Speaks::default();
            read(facts, facts.beside(site, expr), HELPERS, &mut speaks);
            asks_kept |= speaks.results && mentions(facts, facts.beside(site, expr), kept);
            all.calls |= speaks.calls;
            all.ids |= speaks.ids;
        }
        match (asks_kept && all.calls, all.ids) {
            (false, _) => Carried::Nothing,
            (true, false) => Carried::Calls,
            (true, true) => Carried::Named,
        }
    }
}

impl Finder<'_, '_> {
    /// `native ? withCalls(xs) : xs.slice(-n)`: the code knows that calls have to be carried, and where
    /// they need not.
    fn is_other_than_carrying(&self, site: ExprRef) -> bool {
        let facts = self.facts;
        let mut at = site;
        while let Some(outer) = facts.graph.around(at) {
            if let ExprKind::Conditional { then, otherwise, .. } = facts.kind(outer) {
                let other = if *then == at.expr { *otherwise } else { *then };
                let mut speaks = Speaks::default();
                read(facts, facts.beside(site, other), HELPERS, &mut speaks);
                return speaks.calls && speaks.results;
            }
            at = outer;
        }
        false
    }
}

fn mentions(facts: &Facts, expr: ExprRef, name: &Name) -> bool {
    inside(facts, expr).any(|inner| matches!(facts.kind(inner), ExprKind::Name(other) if other == name))
}

fn inside<'a>(facts: &'a Facts, expr: ExprRef) -> impl Iterator<Item = ExprRef> + use<'a> {
    let module = facts.module(expr.module);
    module.inside(expr.expr).map(move |inner| facts.beside(expr, inner))
}

/// Reads an expression and the helpers of the project that it names.
fn read(facts: &Facts, expr: ExprRef, depth: usize, speaks: &mut Speaks) {
    for inner in inside(facts, expr) {
        match facts.kind(inner) {
            ExprKind::Literal(Literal::Str(text)) => match facts.vocabulary.block(text) {
                Some(Block::ToolCall) => speaks.calls = true,
                Some(Block::ToolResult) => speaks.results = true,
                None => {}
            },
            ExprKind::Compare {
                op: CompareOp::In,
                left,
                ..
            } => speaks.ids |= is_id(facts, facts.beside(inner, *left)),
            ExprKind::Lambda(function) => {
                let module = inner.module;
                let function = *function;
                body(facts, FuncRef { module, function }, depth, speaks);
            }
            ExprKind::Name(_) if depth > 0 => {
                for function in facts.project.functions_named_by(inner) {
                    body(facts, function, depth - 1, speaks);
                }
            }
            _ => {}
        }
    }
}

fn body(facts: &Facts, function: FuncRef, depth: usize, speaks: &mut Speaks) {
    let paths = facts.paths.function(function);
    for stmt in paths.stmts() {
        for expr in own_exprs(facts.module(function.module), &paths.stmt(stmt).kind) {
            let at = ExprRef {
                module: function.module,
                expr,
            };
            read(facts, at, depth, speaks);
        }
    }
}

/// Whether an expression reads the id of a call.
fn is_id(facts: &Facts, expr: ExprRef) -> bool {
    field_read(facts, expr)
        .is_some_and(|(_, name)| matches!(facts.vocabulary.field(&name), Some(Field::Id | Field::ToolResult)))
}
