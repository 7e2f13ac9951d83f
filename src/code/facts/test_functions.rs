//! Tests that look at a returned update: what they call, what they assert of it, whether they fold it.

use std::cell::LazyCell;

use rustc_hash::FxHashSet;

use super::Facts;
use crate::code::flow::graph::{Flow, Node};
use crate::code::flow::paths::own_exprs;
use crate::code::flow::reach::{Direction, reach};
use crate::code::ir::{ExprKind, FunctionId, Intrinsic, Literal, Name, StmtKind, TemplatePart};
use crate::code::project::{ExprRef, FuncRef, ModuleIx};
use crate::code::vocabulary::{Field, Strength};
use crate::finding::Span;

/// How many calls deep a unit and a fold are looked for.
const DEPTH: usize = 4;

/// A test that asserts something of an update and does not fold it.
#[derive(Clone, Debug)]
pub(crate) struct ShapeTest {
    /// The test.
    pub(crate) function: FuncRef,
    /// The call that returns the update.
    pub(crate) call: ExprRef,
    /// What is asserted, in order.
    pub(crate) asserted: Vec<Asserted>,
    /// The functions of the project that the call runs.
    pub(crate) runs: Vec<FuncRef>,
}

/// One assertion about an update's messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Asserted {
    /// What is asserted.
    pub(crate) what: Shape,
    /// Where.
    pub(crate) at: ExprRef,
}

/// What of an update's shape is asserted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Shape {
    /// An id that is made of another id of the test.
    DerivedId,
    /// An id.
    Id,
    /// What stands at a position.
    Position,
    /// How many messages there are.
    Length,
}

impl Facts<'_> {
    /// All such tests of a project.
    pub(crate) fn shape_tests(&self) -> Vec<ShapeTest> {
        let mut tests = Vec::new();
        for (module, ir) in self.project.modules() {
            let ids = LazyCell::new(|| self.ids_given(module));
            for (number, function) in ir.functions.iter().enumerate() {
                let test = FuncRef {
                    module,
                    function: FunctionId(number as u32),
                };
                if function.name.starts_with("test") {
                    tests.extend(self.shape_test(test, &ids));
                }
            }
        }
        tests
    }

    fn shape_test(
        &self,
        function: FuncRef,
        ids: &LazyCell<FxHashSet<Name>, impl FnOnce() -> FxHashSet<Name>>,
    ) -> Option<ShapeTest> {
        let asserts = self.assertions(function);
        if asserts.is_empty() || self.folds(function, DEPTH) {
            return None;
        }
        for call in self.calls_in(function) {
            let runs = self.run_by(call);
            let update = self.update_values(call);
            let mut asserted: Vec<Asserted> = asserts
                .iter()
                .flat_map(|cond| self.asserted(*cond, &update, ids))
                .collect();
            asserted.dedup();
            if !asserted.is_empty() {
                return Some(ShapeTest {
                    function,
                    call,
                    asserted,
                    runs,
                });
            }
        }
        None
    }

    /// Where a test stands: its header.
    pub(crate) fn header(&self, function: FuncRef) -> Span {
        let module = self.module(function.module);
        let place = self.project.function(function).place;
        Span {
            path: module.path.clone(),
            start: place.start,
            end: place.end,
        }
    }

    /// The ids that a test module gives to messages, as literals.
    fn ids_given(&self, module: ModuleIx) -> FxHashSet<Name> {
        let constructions = self.constructions().iter().filter(|made| made.expr.module == module);
        constructions
            .filter_map(|made| self.text(made.id?).cloned())
            .filter(|id| !id.is_empty())
            .collect()
    }

    /// The calls of a function, in the order of its expressions.
    fn calls_in(&self, function: FuncRef) -> Vec<ExprRef> {
        let paths = self.paths.function(function);
        let mut calls: Vec<ExprRef> = paths
            .stmts()
            .flat_map(|stmt| paths.own_exprs_in(stmt))
            .map(|expr| ExprRef {
                module: function.module,
                expr,
            })
            .filter(|expr| matches!(self.kind(*expr), ExprKind::Call { .. }))
            .collect();
        calls.sort_unstable();
        calls
    }

    /// What the assertions of a function look at.
    fn assertions(&self, function: FuncRef) -> Vec<ExprRef> {
        let paths = self.paths.function(function);
        let module = self.module(function.module);
        let at = |expr| ExprRef {
            module: function.module,
            expr,
        };
        let mut found = Vec::new();
        for stmt in paths.stmts() {
            match &paths.stmt(stmt).kind {
                StmtKind::Assert { cond } => found.push(at(*cond)),
                kind @ StmtKind::Expr(_) => found.extend(own_exprs(module, kind).into_iter().map(at).filter(|expr| {
                    let called = self.call(*expr).and_then(|(callee, _)| self.path(callee));
                    called.is_some_and(|path| crate::code::vocabulary::last_segment(&path).starts_with("assert"))
                })),
                _ => {}
            }
        }
        found
    }

    /// Whether a function folds, or runs a graph, itself or in what it calls.
    fn folds(&self, function: FuncRef, depth: usize) -> bool {
        let here = self.frameworks(function.module);
        self.calls_in(function).into_iter().any(|call| {
            let by_name = self
                .call(call)
                .and_then(|(callee, _)| self.path(callee))
                .is_some_and(|path| self.vocabulary.folds(&path, here));
            by_name
                || depth > 0
                    && self.project.callees_of(call).iter().any(|callee| {
                        let helper = self.project.is_test(*callee) || callee.module == function.module;
                        helper && *callee != function && self.folds(*callee, depth - 1)
                    })
        })
    }

    /// The functions that a call runs, callees of callees included.
    fn run_by(&self, call: ExprRef) -> Vec<FuncRef> {
        let mut found: Vec<FuncRef> = self.project.callees_of(call).to_vec();
        let mut level = 0;
        for _ in 0..DEPTH {
            let until = found.len();
            for at in level..until {
                for inner in self.calls_in(found[at]) {
                    for callee in self.project.callees_of(inner) {
                        if !found.contains(callee) {
                            found.push(*callee);
                        }
                    }
                }
            }
            level = until;
        }
        found
    }

    /// The nodes that hold the messages of an update, or parts of them.
    fn update_values(&self, call: ExprRef) -> FxHashSet<Node> {
        let reached = reach(
            &self.graph,
            self.node(call),
            Direction::Forward,
            |flow, via, held, _| match flow {
                Flow::Into | Flow::Store(_) | Flow::Enter(_) | Flow::Test | Flow::Opaque => false,
                Flow::Load(symbol) => held.is_empty() && (via.load.is_some() || self.is_history_key(symbol)),
                _ => true,
            },
        );
        // A value is an update's messages only behind the key of a history.
        reached
            .into_iter()
            .filter(|one| one.via.load.is_some())
            .map(|one| one.node)
            .collect()
    }

    fn is_history_key(&self, symbol: crate::code::flow::graph::Symbol) -> bool {
        self.vocabulary.history_name(self.graph.symbol_name(symbol)) == Some(Strength::Strong)
    }

    /// What an assertion says about an update.
    fn asserted(&self, cond: ExprRef, update: &FxHashSet<Node>, ids: &FxHashSet<Name>) -> Vec<Asserted> {
        let module = self.module(cond.module);
        let mut all = vec![cond];
        let mut at = 0;
        while at < all.len() {
            let inner = module
                .children(all[at].expr)
                .into_iter()
                .map(|expr| self.beside(cond, expr));
            all.extend(inner.collect::<Vec<_>>());
            at += 1;
        }
        let about = |expr: &ExprRef| update.contains(&self.node(*expr));
        if !all.iter().any(about) {
            return Vec::new();
        }
        let mut found = Vec::new();
        let mut note = |what: Shape| found.push(Asserted { what, at: cond });
        let reads_id = all.iter().any(|expr| match super::fields::field_read(self, *expr) {
            Some((base, name)) => self.vocabulary.field(&name) == Some(Field::Id) && about(&base),
            None => false,
        });
        if reads_id {
            let derived = all.iter().any(|expr| self.is_derived(*expr, ids));
            note(if derived { Shape::DerivedId } else { Shape::Id });
        }
        for expr in &all {
            match self.kind(*expr) {
                ExprKind::Index { base, index } => {
                    let number = matches!(module.kind(*index), ExprKind::Literal(Literal::Int(at)) if *at > 0);
                    if number && about(&self.beside(cond, *base)) {
                        note(Shape::Position);
                    }
                }
                ExprKind::Call { idiom: Some(idiom), .. }
                    if idiom.op == Intrinsic::Len && about(&self.beside(cond, idiom.operands[0])) =>
                {
                    note(Shape::Length);
                }
                _ => {}
            }
        }
        found.sort_by_key(|asserted| asserted.what);
        found
    }

    /// Whether an expression is an id made of another: `"q1__user"` where the test has a `"q1"`, or a
    /// text with one in it.
    fn is_derived(&self, expr: ExprRef, ids: &FxHashSet<Name>) -> bool {
        match self.kind(expr) {
            ExprKind::Literal(Literal::Str(text)) => !ids.contains(text) && ids.iter().any(|id| is_made_of(text, id)),
            ExprKind::Template(parts) => parts.iter().any(|part| match part {
                TemplatePart::Text(text) => ids.iter().any(|id| **text == **id),
                TemplatePart::Value { value, .. } => {
                    let read = super::fields::field_read(self, self.beside(expr, *value));
                    read.is_some_and(|(_, name)| self.vocabulary.field(&name) == Some(Field::Id))
                }
            }),
            _ => false,
        }
    }
}

/// Whether a text is an id with something before or behind it that is set off from it.
fn is_made_of(text: &str, id: &str) -> bool {
    let set_off = |c: Option<char>| c.is_some_and(|c| !c.is_alphanumeric());
    text.strip_prefix(id).is_some_and(|rest| set_off(rest.chars().next()))
        || text
            .strip_suffix(id)
            .is_some_and(|rest| set_off(rest.chars().next_back()))
}
