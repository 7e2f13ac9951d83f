//! Where a statement writes: variables, attributes, items and parts of a target.

use super::{Builder, Env};
use crate::code::flow::graph::{Context, Flow, Node, Origin, Part, Symbol};
use crate::code::ir::{BinaryOp, ExprId, ExprKind, Intrinsic, Literal, Name};
use crate::code::project::returned;

impl Builder<'_> {
    pub(super) fn update(&mut self, target: ExprId, op: BinaryOp, value: ExprId, env: &mut Env) {
        let added = self.eval(value, Context::Stmt, env);
        self.eval(target, Context::Stmt, env);
        self.graph.mark_target(self.at(target));
        if op == BinaryOp::Add {
            // Lists grow in place, texts become new ones: both readings are kept.
            for place in self.places(target, env) {
                self.graph.link(added, Flow::Part(Part::Concat), place);
                self.graph.link(added, Flow::Text, place);
            }
        } else {
            for place in self.places(target, env) {
                self.graph.link(added, Flow::Text, place);
            }
        }
        // The target stands for a definition of its own, so that an order of updates can be seen.
        if let ExprKind::Name(name) = self.module.kind(target) {
            let node = self.node(target);
            self.graph.link(
                added,
                if op == BinaryOp::Add {
                    Flow::Part(Part::Concat)
                } else {
                    Flow::Text
                },
                node,
            );
            if op == BinaryOp::Add {
                self.graph.link(added, Flow::Text, node);
            }
            for before in env.get(name).cloned().unwrap_or_default() {
                self.graph.link(before, Flow::Same, node);
            }
            let name = name.clone();
            self.define(env, &name, node);
        }
    }

    pub(super) fn assign(
        &mut self,
        target: ExprId,
        context: Context,
        source: Option<ExprId>,
        value: Node,
        flow: Flow,
        env: &mut Env,
    ) {
        self.graph.place(self.at(target), context);
        self.graph.mark_target(self.at(target));
        match self.module.kind(target) {
            ExprKind::Name(name) => {
                let node = self.node(target);
                self.graph.link(value, flow, node);
                self.define(env, name, node);
            }
            ExprKind::Attribute { .. } => {
                self.eval_children(target, env);
                let node = self.node(target);
                self.graph.link(value, flow, node);
                for place in self.places(target, env) {
                    self.graph.link(node, Flow::Same, place);
                }
            }
            ExprKind::Index { base, index } => {
                let (base, index) = (*base, *index);
                self.eval_children(target, env);
                let node = self.node(target);
                self.graph.link(value, flow, node);
                if self.text_key(index).is_some() {
                    for place in self.places(target, env) {
                        self.graph.link(node, Flow::Same, place);
                    }
                } else {
                    for place in self.places(base, env) {
                        self.graph.link(node, Flow::Into, place);
                    }
                }
            }
            ExprKind::Slice { base, .. } => {
                let base = *base;
                self.eval_children(target, env);
                let node = self.node(target);
                self.graph.link(value, Flow::Part(Part::Concat), node);
                for place in self.places(base, env) {
                    self.graph.link(node, Flow::Part(Part::Concat), place);
                }
            }
            ExprKind::List { items, .. } => {
                let items = items.clone();
                let parts: Option<Vec<ExprId>> = source.and_then(|source| match self.module.kind(source) {
                    ExprKind::List { items: values, .. }
                        if values.len() == items.len() && values.iter().chain(&items).all(|item| !item.spread) =>
                    {
                        Some(values.iter().map(|item| item.value).collect())
                    }
                    _ => None,
                });
                let places_known = source.is_some_and(|source| self.is_row(source, items.len()));
                for (index, item) in items.iter().enumerate() {
                    match &parts {
                        Some(parts) => {
                            let node = self.node(parts[index]);
                            self.assign(
                                item.value,
                                Context::Expr(target),
                                Some(parts[index]),
                                node,
                                Flow::Same,
                                env,
                            );
                        }
                        None if item.spread => {
                            let flow = Flow::Part(Part::Slice);
                            self.assign(item.value, Context::Expr(target), None, value, flow, env);
                        }
                        None => {
                            let field = self.position(index);
                            self.assign(item.value, Context::Expr(target), None, value, field, env);
                            if !places_known {
                                let node = self.node(item.value);
                                self.graph.link(value, Flow::Element, node);
                            }
                        }
                    }
                }
            }
            _ => {
                self.eval_children(target, env);
            }
        }
    }

    /// Whether a value is always a row of so many parts that are written one by one, each with a place of
    /// its own: what a function of the project returns as `a, b`.
    fn is_row(&self, value: ExprId, parts: usize) -> bool {
        match self.module.kind(value) {
            ExprKind::Await(inner) => self.is_row(*inner, parts),
            ExprKind::Call { idiom: Some(idiom), .. } if idiom.op == Intrinsic::Pass => {
                idiom.operands.first().is_some_and(|inner| self.is_row(*inner, parts))
            }
            ExprKind::Call { .. } => {
                let callees = self.project.callees_of(self.at(value));
                !callees.is_empty()
                    && callees.iter().all(|callee| {
                        let module = self.project.module(callee.module);
                        let values = returned(&module.function(callee.function).body);
                        !values.is_empty()
                            && values.iter().all(|value| match module.kind(*value) {
                                ExprKind::List { items, .. } => {
                                    items.len() == parts && items.iter().all(|item| !item.spread)
                                }
                                _ => false,
                            })
                    })
            }
            _ => false,
        }
    }

    pub(super) fn position(&mut self, index: usize) -> Flow {
        Flow::Load(self.graph.intern(&Name::from(format!("#{index}"))))
    }

    pub(super) fn text_key(&self, index: ExprId) -> Option<Name> {
        match self.module.kind(index) {
            ExprKind::Literal(Literal::Str(text)) => Some(text.clone()),
            _ => None,
        }
    }

    /// The nodes that hold what an expression names: writes go there, reads come from there.
    pub(super) fn places(&mut self, expr: ExprId, env: &Env) -> Vec<Node> {
        match self.module.kind(expr) {
            ExprKind::Name(name) => match env.get(name) {
                Some(nodes) => nodes.clone(),
                None => self.outer(name).into_iter().collect(),
            },
            ExprKind::Attribute { base, name } => {
                let (base, name) = (*base, name.clone());
                let symbol = self.graph.intern(&name);
                if let Some(class) = self.project.class_of(self.at(base)) {
                    return vec![
                        self.graph
                            .node(Origin::Field(self.project.field_owner(class, &name), symbol)),
                    ];
                }
                self.slots(base, symbol, env)
            }
            ExprKind::Index { base, index } => match self.text_key(*index) {
                Some(key) => {
                    let base = *base;
                    let symbol = self.graph.intern(&key);
                    self.slots(base, symbol, env)
                }
                None => vec![self.node(expr)],
            },
            ExprKind::Await(value) => self.places(*value, env),
            _ => vec![self.node(expr)],
        }
    }

    /// Whether an expression is an object of a class of the project, and not the receiver itself.
    pub(super) fn is_instance(&self, base: ExprId) -> bool {
        let function = self.module.function(self.here.function);
        let receiver = function.params.first().filter(|_| function.has_receiver);
        let is_receiver =
            matches!(self.module.kind(base), ExprKind::Name(name) if receiver.is_some_and(|param| param.name == *name));
        !is_receiver && self.project.class_of(self.at(base)).is_some()
    }

    pub(super) fn slots(&mut self, base: ExprId, symbol: Symbol, env: &Env) -> Vec<Node> {
        let bases = self.places(base, env);
        bases
            .into_iter()
            .map(|holder| {
                let slot = self.graph.node(Origin::Slot(holder, symbol));
                self.graph.link(holder, Flow::Load(symbol), slot);
                self.graph.link(slot, Flow::Store(symbol), holder);
                slot
            })
            .collect()
    }

    /// A variable of a scope around this one, or of another module.
    pub(super) fn outer(&mut self, name: &Name) -> Option<Node> {
        let (scope, name) = self.project.variable(self.here, name)?;
        Some(self.graph.node(Origin::Variable(scope, name)))
    }
}
