//! Expressions.

use super::{Builder, Env};
use crate::code::flow::graph::{Context, Flow, Node, Origin, Part, Site};
use crate::code::flow::iteration::{Iteration, integer, iteration};
use crate::code::ir::{BinaryOp, Clause, ExprId, ExprKind, ListKind, Literal, TemplatePart};

impl<'a> Builder<'a> {
    pub(super) fn eval(&mut self, expr: ExprId, context: Context, env: &mut Env) -> Node {
        let here = self.here;
        self.graph.place(self.at(expr), context);
        let node = self.node(expr);
        let inside = Context::Expr(expr);
        match self.module.kind(expr) {
            ExprKind::Name(_) => {
                for place in self.places(expr, env) {
                    self.graph.link(place, Flow::Same, node);
                }
            }
            ExprKind::Literal(_) => {}
            ExprKind::Attribute { base, name } => {
                let holder = self.eval(*base, inside, env);
                for place in self.places(expr, env) {
                    self.graph.link(place, Flow::Same, node);
                }
                if self.properties.contains(name)
                    && let Some(method) = self.project.property(self.at(expr))
                {
                    let receiver = self.graph.node(Origin::Param(method, 0));
                    self.graph.link(holder, Flow::Enter(Site(node.0)), receiver);
                    let result = self.graph.node(Origin::Result(method));
                    self.graph.link(result, Flow::Leave(Site(node.0)), node);
                }
                // The field of all instances does not say of which one it is read here.
                if self.is_instance(*base) {
                    let symbol = self.graph.intern(name);
                    self.graph.link(holder, Flow::Load(symbol), node);
                }
            }
            ExprKind::Index { base, index } => {
                let from = self.eval(*base, inside, env);
                let at = self.eval(*index, inside, env);
                if self.text_key(*index).is_some() {
                    for place in self.places(expr, env) {
                        self.graph.link(place, Flow::Same, node);
                    }
                } else {
                    self.graph.link(from, Flow::Element, node);
                    self.graph.link(at, Flow::Select, node);
                    if let ExprKind::Literal(Literal::Int(at)) = self.module.kind(*index)
                        && let Ok(at) = usize::try_from(*at)
                    {
                        let field = self.position(at);
                        self.graph.link(from, field, node);
                    }
                }
            }
            ExprKind::Slice { base, start, end, step } => {
                let from = self.eval(*base, inside, env);
                let turned =
                    start.is_none() && end.is_none() && step.is_some_and(|step| integer(self.module, step) == Some(-1));
                let part = if turned { Part::Reverse } else { Part::Slice };
                self.graph.link(from, Flow::Part(part), node);
                for bound in [start, end, step].into_iter().flatten() {
                    let at = self.eval(*bound, inside, env);
                    self.graph.link(at, Flow::Select, node);
                }
            }
            ExprKind::Call { callee, args, idiom } => self.call(expr, *callee, args, idiom.as_ref(), env),
            ExprKind::List { items, .. } => {
                for (index, item) in items.iter().enumerate() {
                    let value = self.eval(item.value, inside, env);
                    if item.spread {
                        self.graph.link(value, Flow::Part(Part::Concat), node);
                    } else {
                        self.graph.link(value, Flow::Into, node);
                        let Flow::Load(symbol) = self.position(index) else {
                            continue;
                        };
                        self.graph.link(value, Flow::Store(symbol), node);
                    }
                }
            }
            ExprKind::Dict(entries) => self.entries(expr, entries, inside, env),
            ExprKind::Comprehension {
                kind,
                element,
                value,
                clauses,
            } => {
                self.comprehension(expr, *kind, *element, *value, clauses, env);
            }
            ExprKind::Binary { op, left, right } => {
                for operand in [*left, *right] {
                    let from = self.eval(operand, inside, env);
                    if matches!(op, BinaryOp::Add | BinaryOp::Or) {
                        self.graph.link(from, Flow::Part(Part::Concat), node);
                    }
                    self.graph.link(from, Flow::Text, node);
                }
            }
            ExprKind::Logic { operands, .. } => {
                for operand in operands {
                    let from = self.eval(*operand, inside, env);
                    self.graph.link(from, Flow::Same, node);
                }
            }
            ExprKind::Not(value) => {
                let from = self.eval(*value, inside, env);
                self.graph.link(from, Flow::Test, node);
            }
            ExprKind::Compare { left, right, .. } => {
                for operand in [*left, *right] {
                    let from = self.eval(operand, inside, env);
                    self.graph.link(from, Flow::Test, node);
                }
            }
            ExprKind::TypeTest { value, types } => {
                let from = self.eval(*value, inside, env);
                self.graph.link(from, Flow::Test, node);
                for one in types {
                    self.eval(*one, inside, env);
                }
            }
            ExprKind::Conditional { cond, then, otherwise } => {
                self.eval(*cond, inside, env);
                for branch in [*then, *otherwise] {
                    let from = self.eval(branch, inside, env);
                    self.graph.link(from, Flow::Same, node);
                }
            }
            ExprKind::Template(parts) => {
                for part in parts {
                    if let TemplatePart::Value { value, .. } = part {
                        let from = self.eval(*value, inside, env);
                        self.graph.link(from, Flow::Text, node);
                        self.shown(*value, node);
                    }
                }
            }
            ExprKind::Await(value) => {
                let from = self.eval(*value, inside, env);
                self.graph.link(from, Flow::Same, node);
            }
            ExprKind::Yield(value) => {
                if let Some(value) = value {
                    let from = self.eval(*value, inside, env);
                    let result = self.graph.node(Origin::Result(here));
                    self.graph.link(from, Flow::Into, result);
                }
            }
            ExprKind::Bind { target, value } => {
                let from = self.eval(*value, inside, env);
                self.assign(*target, inside, Some(*value), from, Flow::Same, env);
                self.graph.link(from, Flow::Same, node);
            }
            ExprKind::Lambda(_) => {}
            ExprKind::Other(children) => {
                for child in children {
                    let from = self.eval(*child, inside, env);
                    self.graph.link(from, Flow::Opaque, node);
                }
            }
        }
        node
    }

    /// The entries of a dictionary, whose values stand in `context`.
    pub(super) fn entries(
        &mut self,
        dict: ExprId,
        entries: &[(Option<ExprId>, ExprId)],
        context: Context,
        env: &mut Env,
    ) {
        let node = self.node(dict);
        for (key, value) in entries {
            let from = self.eval(*value, context, env);
            match key {
                None => self.graph.link(from, Flow::Same, node),
                Some(key) => {
                    let key_node = self.eval(*key, Context::Expr(dict), env);
                    if let Some(key) = self.text_key(*key) {
                        let symbol = self.graph.intern(&key);
                        self.graph.link(from, Flow::Store(symbol), node);
                    } else {
                        self.graph.link(from, Flow::Into, node);
                        self.graph.link(key_node, Flow::Text, node);
                    }
                }
            }
        }
    }

    /// Evaluates what a target is made of, without reading the target.
    pub(super) fn eval_children(&mut self, target: ExprId, env: &mut Env) {
        let inside = Context::Expr(target);
        match self.module.kind(target) {
            ExprKind::Attribute { base, .. } => {
                self.eval(*base, inside, env);
            }
            ExprKind::Index { base, index } => {
                self.eval(*base, inside, env);
                self.eval(*index, inside, env);
            }
            ExprKind::Slice { base, start, end, step } => {
                self.eval(*base, inside, env);
                for bound in [start, end, step].into_iter().flatten() {
                    self.eval(*bound, inside, env);
                }
            }
            _ => {
                self.eval(target, Context::Stmt, env);
            }
        }
    }

    pub(super) fn comprehension(
        &mut self,
        expr: ExprId,
        kind: ListKind,
        element: ExprId,
        value: Option<ExprId>,
        clauses: &'a [Clause],
        env: &Env,
    ) {
        let inside = Context::Expr(expr);
        let node = self.node(expr);
        let mut inner = env.clone();
        for clause in clauses {
            self.eval(clause.iter, inside, &mut inner);
            self.iterate(clause.target, clause.iter, inside, &mut inner);
            for condition in &clause.conditions {
                self.eval(*condition, inside, &mut inner);
            }
        }
        let from = self.eval(element, inside, &mut inner);
        if kind == ListKind::Dict {
            let held = value.map(|value| self.eval(value, inside, &mut inner));
            self.graph.link(from, Flow::Text, node);
            if let Some(held) = held {
                self.graph.link(held, Flow::Into, node);
            }
            return;
        }
        self.graph.link(from, Flow::Into, node);
        // `[m for m in xs if …]` is a part of `xs`, `[f(m) for m in xs]` a list of the same length.
        if let [clause] = clauses {
            let source = iteration(self.module, clause.iter).map_or(clause.iter, |iteration| iteration.list);
            let list = self.node(source);
            let same = self.binds_same(clause.target, element);
            let part = match (same, clause.conditions.is_empty()) {
                (true, false) => Part::Filter,
                (true, true) => Part::Copy,
                (false, _) => Part::Map,
            };
            self.graph.link(list, Flow::Part(part), node);
        }
    }

    /// Whether the element of a comprehension is just (one of) its loop variables.
    pub(super) fn binds_same(&self, target: ExprId, element: ExprId) -> bool {
        let ExprKind::Name(name) = self.module.kind(element) else {
            return false;
        };
        match self.module.kind(target) {
            ExprKind::Name(bound) => bound == name,
            ExprKind::List { items, .. } => items
                .last()
                .is_some_and(|item| matches!(self.module.kind(item.value), ExprKind::Name(bound) if bound == name)),
            _ => false,
        }
    }

    /// Binds a loop's target to the elements (and positions) of what it runs over.
    pub(super) fn iterate(&mut self, target: ExprId, iter: ExprId, context: Context, env: &mut Env) {
        let Some(over) = iteration(self.module, iter) else {
            let from = self.node(iter);
            return self.assign(target, context, None, from, Flow::Element, env);
        };
        let Iteration {
            list, pairs, positions, ..
        } = over;
        let list = self.node(list);
        if positions {
            return self.assign(target, context, None, list, Flow::Position, env);
        }
        match self.module.kind(target) {
            ExprKind::List { items, .. } if pairs && items.len() == 2 => {
                let (at, element) = (items[0].value, items[1].value);
                self.graph.place(self.at(target), context);
                let inside = Context::Expr(target);
                self.assign(at, inside, None, list, Flow::Position, env);
                self.assign(element, inside, None, list, Flow::Element, env);
            }
            ExprKind::List { items, .. } if !over.zipped.is_empty() && items.len() == over.zipped.len() => {
                self.graph.place(self.at(target), context);
                let inside = Context::Expr(target);
                for (item, source) in items.clone().iter().zip(&over.zipped) {
                    let from = self.node(*source);
                    self.assign(item.value, inside, None, from, Flow::Element, env);
                }
            }
            _ => self.assign(target, context, None, list, Flow::Element, env),
        }
    }
}
