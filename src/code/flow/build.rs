//! Builds the value-flow graph: one walk over every function with the definitions that reach each
//! use.

use rustc_hash::{FxHashMap, FxHashSet};

use super::graph::{Context, Flow, Graph, Node, Origin, Part, Site};
use super::iteration::{Iteration, iteration};
use crate::code::ir::{
    Arg, BinaryOp, Clause, ExprId, ExprKind, Function, Idiom, Intrinsic, ListKind, Literal, Module, Name, Param,
    Special, Stmt, StmtKind, TemplatePart,
};
use crate::code::project::{ClassRef, ExprRef, FuncRef, Project, Target};

/// The definitions of each variable that reach a point.
type Env = FxHashMap<Name, Vec<Node>>;

/// Builds the graph of a project.
pub(crate) fn build(project: &Project) -> Graph {
    let sizes: Vec<usize> = project.modules().map(|(_, module)| module.exprs.len()).collect();
    let mut graph = Graph::with_expressions(&sizes);
    let named = project
        .functions()
        .filter(|(function, _)| project.is_property(*function));
    let properties: FxHashSet<Name> = named.map(|(_, ir)| ir.name.clone()).collect();
    for (here, _) in project.functions() {
        let module = project.module(here.module);
        Builder {
            project,
            module,
            graph: &mut graph,
            here,
            properties: &properties,
            loops: Vec::new(),
            handlers: Vec::new(),
        }
        .function();
    }
    graph.finish();
    graph
}

struct Builder<'a> {
    project: &'a Project,
    module: &'a Module,
    graph: &'a mut Graph,
    here: FuncRef,
    /// The names of all properties of the project.
    properties: &'a FxHashSet<Name>,
    /// Environments at the `break` and `continue` statements of the loops around.
    loops: Vec<(Vec<Env>, Vec<Env>)>,
    /// Environments that may reach the handlers of the `try` statements around.
    handlers: Vec<Vec<Env>>,
}

impl<'a> Builder<'a> {
    fn function(&mut self) {
        let module = self.module;
        let function: &'a Function = module.function(self.here.function);
        let mut env = Env::default();
        for (index, param) in function.params.iter().enumerate() {
            let node = self.graph.node(Origin::Param(self.here, index as u32));
            self.define(&mut env, &param.name, node);
            self.default(param, node);
        }
        self.block(&function.body, &mut env);
    }

    /// A default is evaluated where the function is defined, but it flows into the parameter.
    fn default(&mut self, param: &Param, node: Node) {
        if let Some(default) = param.default {
            let mut outside = Env::default();
            let value = self.eval(default, Context::Stmt, &mut outside);
            self.graph.link(value, Flow::Same, node);
        }
    }

    fn at(&self, expr: ExprId) -> ExprRef {
        ExprRef {
            module: self.here.module,
            expr,
        }
    }

    fn node(&self, expr: ExprId) -> Node {
        self.graph.expr(self.at(expr))
    }

    fn define(&mut self, env: &mut Env, name: &Name, node: Node) {
        let variable = self.graph.node(Origin::Variable(self.scope_of(name), name.clone()));
        self.graph.link(node, Flow::Same, variable);
        env.insert(name.clone(), vec![node]);
    }

    /// The function whose variable a name is when it is assigned here.
    fn scope_of(&self, name: &Name) -> FuncRef {
        let mut function = self.here.function;
        while self.module.function(function).outer_names.contains(name) {
            match self.module.function(function).parent {
                Some(parent) => function = parent,
                None => break,
            }
        }
        FuncRef {
            module: self.here.module,
            function,
        }
    }

    // ---- statements ------------------------------------------------------------------------------

    /// Walks a block; `false` when its end is not reached.
    fn block(&mut self, block: &'a [Stmt], env: &mut Env) -> bool {
        for stmt in block {
            if !self.stmt(stmt, env) {
                return false;
            }
            if let Some(reaching) = self.handlers.last_mut() {
                reaching.push(env.clone());
            }
        }
        true
    }

    fn stmt(&mut self, stmt: &'a Stmt, env: &mut Env) -> bool {
        match &stmt.kind {
            StmtKind::Assign { targets, value, .. } => {
                let node = self.eval(*value, Context::Stmt, env);
                for target in targets {
                    self.assign(*target, Context::Stmt, Some(*value), node, Flow::Same, env);
                }
            }
            StmtKind::Update { target, op, value } => self.update(*target, *op, *value, env),
            StmtKind::Expr(value) => {
                self.eval(*value, Context::Stmt, env);
            }
            StmtKind::If { cond, then, otherwise } => {
                self.eval(*cond, Context::Stmt, env);
                let mut other = env.clone();
                let first = self.block(then, env);
                let second = self.block(otherwise, &mut other);
                match (first, second) {
                    (true, true) => merge(env, other),
                    (false, true) => *env = other,
                    (true, false) => {}
                    (false, false) => return false,
                }
            }
            StmtKind::For {
                target,
                iter,
                body,
                otherwise,
                ..
            } => {
                self.eval(*iter, Context::Stmt, env);
                return self.looping(env, body, otherwise, |this, env| {
                    this.iterate(*target, *iter, Context::Stmt, env)
                });
            }
            StmtKind::While { cond, body, otherwise } => {
                return self.looping(env, body, otherwise, |this, env| {
                    this.eval(*cond, Context::Stmt, env);
                });
            }
            StmtKind::Try {
                body,
                handlers,
                otherwise,
                finally,
            } => {
                self.handlers.push(vec![env.clone()]);
                let mut ends = self.block(body, env);
                let reaching = self.handlers.pop().unwrap_or_default();
                ends = ends && self.block(otherwise, env);
                let mut joined: Option<Env> = ends.then(|| env.clone());
                for handler in handlers {
                    let mut inside = Env::default();
                    for one in &reaching {
                        merge(&mut inside, one.clone());
                    }
                    if self.block(&handler.body, &mut inside) {
                        match &mut joined {
                            Some(joined) => merge(joined, inside),
                            None => joined = Some(inside),
                        }
                    }
                }
                let reached = joined.is_some();
                *env = joined.unwrap_or_else(|| reaching.into_iter().next().unwrap_or_default());
                return self.block(finally, env) && reached;
            }
            StmtKind::With { items, body } => {
                for (value, target) in items {
                    let node = self.eval(*value, Context::Stmt, env);
                    if let Some(target) = target {
                        self.assign(*target, Context::Stmt, None, node, Flow::Same, env);
                    }
                }
                return self.block(body, env);
            }
            StmtKind::Return(value) => {
                if let Some(value) = value {
                    let node = self.eval(*value, Context::Stmt, env);
                    let result = self.graph.node(Origin::Result(self.here));
                    self.graph.link(node, Flow::Same, result);
                }
                return false;
            }
            StmtKind::Raise(value) => {
                if let Some(value) = value {
                    self.eval(*value, Context::Stmt, env);
                }
                return false;
            }
            StmtKind::Break => {
                if let Some((breaks, _)) = self.loops.last_mut() {
                    breaks.push(env.clone());
                }
                return false;
            }
            StmtKind::Continue => {
                if let Some((_, continues)) = self.loops.last_mut() {
                    continues.push(env.clone());
                }
                return false;
            }
            StmtKind::Delete(targets) => {
                for target in targets {
                    self.eval(*target, Context::Stmt, env);
                }
            }
            StmtKind::Assert { cond } => {
                self.eval(*cond, Context::Stmt, env);
            }
            StmtKind::Function(_) | StmtKind::Class(_) | StmtKind::Nothing => {}
        }
        true
    }

    /// Walks a loop's head and body twice, so that definitions of one round reach the next.
    fn looping(
        &mut self,
        env: &mut Env,
        body: &'a [Stmt],
        otherwise: &'a [Stmt],
        mut head: impl FnMut(&mut Self, &mut Env),
    ) -> bool {
        let mut after = Env::default();
        // Deeply nested loops would double the work at every level.
        let rounds = if self.loops.len() < 4 { 2 } else { 1 };
        for _ in 0..rounds {
            head(self, env);
            merge(&mut after, env.clone());
            let mut inside = env.clone();
            self.loops.push((Vec::new(), Vec::new()));
            let ends = self.block(body, &mut inside);
            let (breaks, continues) = self.loops.pop().unwrap_or_default();
            if ends {
                merge(env, inside);
            }
            for one in continues {
                merge(env, one);
            }
            for one in breaks {
                merge(&mut after, one);
            }
        }
        let ends = self.block(otherwise, env);
        merge(&mut after, env.clone());
        *env = after;
        ends || otherwise.is_empty()
    }

    fn update(&mut self, target: ExprId, op: BinaryOp, value: ExprId, env: &mut Env) {
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

    // ---- targets ---------------------------------------------------------------------------------

    fn assign(
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
                            let node = self.node(item.value);
                            self.graph.link(value, Flow::Element, node);
                        }
                    }
                }
            }
            _ => {
                self.eval_children(target, env);
            }
        }
    }

    fn position(&mut self, index: usize) -> Flow {
        Flow::Load(self.graph.intern(&Name::from(format!("#{index}"))))
    }

    fn text_key(&self, index: ExprId) -> Option<Name> {
        match self.module.kind(index) {
            ExprKind::Literal(Literal::Str(text)) => Some(text.clone()),
            _ => None,
        }
    }

    /// The nodes that hold what an expression names: writes go there, reads come from there.
    fn places(&mut self, expr: ExprId, env: &Env) -> Vec<Node> {
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
    fn is_instance(&self, base: ExprId) -> bool {
        let function = self.module.function(self.here.function);
        let receiver = function.params.first().filter(|_| function.has_receiver);
        let is_receiver =
            matches!(self.module.kind(base), ExprKind::Name(name) if receiver.is_some_and(|param| param.name == *name));
        !is_receiver && self.project.class_of(self.at(base)).is_some()
    }

    fn slots(&mut self, base: ExprId, symbol: super::graph::Symbol, env: &Env) -> Vec<Node> {
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
    fn outer(&mut self, name: &Name) -> Option<Node> {
        let (scope, name) = self.project.variable(self.here, name)?;
        Some(self.graph.node(Origin::Variable(scope, name)))
    }

    // ---- expressions -----------------------------------------------------------------------------

    fn eval(&mut self, expr: ExprId, context: Context, env: &mut Env) -> Node {
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
                self.graph.link(from, Flow::Part(Part::Slice), node);
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
            ExprKind::Dict(entries) => {
                for (key, value) in entries {
                    let from = self.eval(*value, inside, env);
                    match key {
                        None => self.graph.link(from, Flow::Same, node),
                        Some(key) => {
                            let key_node = self.eval(*key, inside, env);
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

    /// Evaluates what a target is made of, without reading the target.
    fn eval_children(&mut self, target: ExprId, env: &mut Env) {
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

    fn comprehension(
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
    fn binds_same(&self, target: ExprId, element: ExprId) -> bool {
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
    fn iterate(&mut self, target: ExprId, iter: ExprId, context: Context, env: &mut Env) {
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

    fn call(&mut self, expr: ExprId, callee: ExprId, args: &'a [Arg], idiom: Option<&'a Idiom>, env: &mut Env) {
        let inside = Context::Expr(expr);
        let node = self.node(expr);
        let site = Site(node.0);
        self.eval(callee, inside, env);
        for arg in args {
            self.eval(arg.value, inside, env);
        }
        let targets = self.project.targets_of_call(self.at(expr));
        let mut inside_project = false;
        for target in &targets {
            match target {
                Target::Function(function) => {
                    inside_project = true;
                    for (param, value) in self.project.bind(self.at(expr), *function) {
                        let param = self.graph.node(Origin::Param(*function, param as u32));
                        let value_node = self.node(value);
                        self.graph.link(value_node, Flow::Enter(site), param);
                        // What the callee changes in place, the caller sees.
                        for place in self.places(value, env) {
                            if place != value_node {
                                self.graph.link(param, Flow::Leave(site), place);
                            }
                        }
                    }
                    let result = self.graph.node(Origin::Result(*function));
                    self.graph.link(result, Flow::Leave(site), node);
                }
                Target::Class(class) => {
                    inside_project = true;
                    if let Some(init) = self.project.special(*class, Special::Constructor) {
                        for (param, value) in self.project.bind(self.at(expr), init) {
                            let param = self.graph.node(Origin::Param(init, param as u32));
                            let value = self.node(value);
                            self.graph.link(value, Flow::Enter(site), param);
                        }
                    } else {
                        self.fields(*class, args);
                    }
                    self.construct(node, args, &self.project.parameters(*class));
                }
                Target::External(_) | Target::Module(_) | Target::Unknown => {}
            }
        }
        if inside_project {
            return;
        }
        if let Some(idiom) = idiom {
            return self.idiom(node, idiom, args, env);
        }
        if let ExprKind::Attribute { base, .. } = self.module.kind(callee) {
            let receiver = self.node(*base);
            self.graph.link(receiver, Flow::Opaque, node);
        }
        for arg in args {
            let from = self.node(arg.value);
            self.graph.link(from, Flow::Opaque, node);
        }
        let called = match self.module.kind(callee) {
            ExprKind::Name(name) | ExprKind::Attribute { name, .. } => name.clone(),
            _ => return,
        };
        if called.trim_start_matches('_').starts_with(char::is_uppercase) {
            self.construct(node, args, &[Name::from("content")]);
        }
    }

    /// The arguments of a class without a constructor of its own are the attributes that its methods
    /// and users read.
    fn fields(&mut self, class: ClassRef, args: &[Arg]) {
        let parameters = self.project.parameters(class);
        let mut positional = parameters.iter();
        for arg in args.iter().filter(|arg| !arg.spread) {
            let name = match &arg.name {
                Some(name) => Some(name),
                None => positional.next(),
            };
            if let Some(name) = name.filter(|name| parameters.contains(name)) {
                let symbol = self.graph.intern(name);
                let owner = self.project.field_owner(class, name);
                let field = self.graph.node(Origin::Field(owner, symbol));
                let value = self.node(arg.value);
                self.graph.link(value, Flow::Same, field);
            }
        }
    }

    /// Arguments become the fields of a new object.
    fn construct(&mut self, node: Node, args: &[Arg], positional: &[Name]) {
        let mut position = 0;
        for arg in args {
            let from = self.node(arg.value);
            if arg.spread {
                self.graph.link(from, Flow::Same, node);
                continue;
            }
            let field = if let Some(name) = &arg.name {
                Some(name.clone())
            } else {
                position += 1;
                positional.get(position - 1).cloned()
            };
            if let Some(field) = field {
                let symbol = self.graph.intern(&field);
                self.graph.link(from, Flow::Store(symbol), node);
            }
        }
    }

    fn idiom(&mut self, node: Node, idiom: &'a Idiom, args: &'a [Arg], env: &mut Env) {
        let operands = &idiom.operands;
        let operand = |at: usize| operands.get(at).copied();
        let Some(first) = operand(0) else { return };
        let from = self.node(first);
        match idiom.op {
            Intrinsic::Append => self.mutate(first, operand(1), Flow::Into, env),
            Intrinsic::Insert => {
                self.mutate(first, operand(2).or(operand(1)), Flow::Into, env);
            }
            Intrinsic::Extend => self.mutate(first, operand(1), Flow::Part(Part::Concat), env),
            Intrinsic::Merge => self.mutate(first, operand(1), Flow::Same, env),
            Intrinsic::Pop | Intrinsic::PopFirst => {
                match operand(1).and_then(|key| self.text_key(key)) {
                    Some(key) => self.load_key(first, &key, node, env),
                    None => self.graph.link(from, Flow::Element, node),
                }
                if let Some(default) = operand(2) {
                    let default = self.node(default);
                    self.graph.link(default, Flow::Same, node);
                }
            }
            Intrinsic::Get | Intrinsic::SetDefault | Intrinsic::GetAttribute => {
                match operand(1).and_then(|key| self.text_key(key)) {
                    Some(key) => self.load_key(first, &key, node, env),
                    None => self.graph.link(from, Flow::Element, node),
                }
                if let Some(default) = operand(2) {
                    let default_node = self.node(default);
                    self.graph.link(default_node, Flow::Same, node);
                }
            }
            Intrinsic::SetAttribute => {
                if let (Some(key), Some(value)) = (operand(1).and_then(|key| self.text_key(key)), operand(2)) {
                    let symbol = self.graph.intern(&key);
                    let value = self.node(value);
                    for slot in self.slots(first, symbol, env) {
                        self.graph.link(value, Flow::Same, slot);
                    }
                }
            }
            Intrinsic::RemoveValue | Intrinsic::Clear | Intrinsic::ReverseInPlace | Intrinsic::SortInPlace => {}
            Intrinsic::Copy => self.graph.link(from, Flow::Part(Part::Copy), node),
            Intrinsic::DeepCopy => self.graph.link(from, Flow::Part(Part::DeepCopy), node),
            Intrinsic::Reversed => self.graph.link(from, Flow::Part(Part::Reverse), node),
            Intrinsic::Sorted => self.graph.link(from, Flow::Part(Part::Sort), node),
            Intrinsic::ToSet => self.graph.link(from, Flow::Part(Part::Sort), node),
            Intrinsic::Take => self.graph.link(from, Flow::Part(Part::Slice), node),
            Intrinsic::Enumerate | Intrinsic::Values | Intrinsic::Items => {
                self.graph.link(from, Flow::Part(Part::Copy), node);
            }
            Intrinsic::Chain | Intrinsic::Zip => {
                for one in operands {
                    let one = self.node(*one);
                    self.graph.link(one, Flow::Part(Part::Concat), node);
                }
            }
            Intrinsic::Range => {
                for one in operands {
                    let one = self.node(*one);
                    self.graph.link(one, Flow::Text, node);
                }
            }
            Intrinsic::Len => self.graph.link(from, Flow::Length, node),
            Intrinsic::First => {
                self.graph.link(from, Flow::Element, node);
                if let Some(default) = operand(1) {
                    let default = self.node(default);
                    self.graph.link(default, Flow::Same, node);
                }
            }
            Intrinsic::Any | Intrinsic::All => self.graph.link(from, Flow::Test, node),
            Intrinsic::IndexOf => {
                self.graph.link(from, Flow::Position, node);
                if let Some(item) = operand(1) {
                    let item = self.node(item);
                    self.graph.link(item, Flow::Test, node);
                }
            }
            Intrinsic::Filter => {
                if let Some(list) = operand(1) {
                    let list = self.node(list);
                    self.graph.link(list, Flow::Part(Part::Filter), node);
                    self.apply(first, &[(list, Flow::Element)], None, node, env);
                }
            }
            Intrinsic::Map => {
                if let Some(list) = operand(1) {
                    let list = self.node(list);
                    self.graph.link(list, Flow::Part(Part::Map), node);
                    self.apply(first, &[(list, Flow::Element)], Some(Flow::Into), node, env);
                }
            }
            Intrinsic::Min | Intrinsic::Max => {
                for one in operands {
                    let one = self.node(*one);
                    self.graph
                        .link(one, if operands.len() == 1 { Flow::Element } else { Flow::Same }, node);
                }
            }
            Intrinsic::Sum => {
                self.graph.link(from, Flow::Text, node);
                self.graph.link(from, Flow::Part(Part::Concat), node);
            }
            Intrinsic::ToText | Intrinsic::TextOp => self.graph.link(from, Flow::Text, node),
            Intrinsic::Join | Intrinsic::ReplaceText => {
                for one in operands {
                    let one = self.node(*one);
                    self.graph.link(one, Flow::Text, node);
                }
            }
            Intrinsic::Format => {
                for value in operands.iter().copied().chain(args.iter().map(|arg| arg.value)) {
                    let value = self.node(value);
                    self.graph.link(value, Flow::Text, node);
                }
            }
            Intrinsic::Run => {
                let given: Vec<(Node, Flow)> = operands[1..]
                    .iter()
                    .map(|value| (self.node(*value), Flow::Same))
                    .collect();
                self.apply(first, &given, Some(Flow::Same), node, env);
                for value in operands {
                    let value = self.node(*value);
                    self.graph.link(value, Flow::Same, node);
                }
            }
            Intrinsic::Pass => self.graph.link(from, Flow::Same, node),
        }
    }

    fn load_key(&mut self, base: ExprId, key: &Name, node: Node, env: &Env) {
        let symbol = self.graph.intern(key);
        let class = self.project.class_of(self.at(base));
        let places = match class {
            Some(class) => vec![
                self.graph
                    .node(Origin::Field(self.project.field_owner(class, key), symbol)),
            ],
            None => self.slots(base, symbol, env),
        };
        for place in places {
            self.graph.link(place, Flow::Same, node);
        }
    }

    /// Something is put into a list in place: every place that holds the list sees it.
    fn mutate(&mut self, list: ExprId, value: Option<ExprId>, flow: Flow, env: &mut Env) {
        let Some(value) = value else { return };
        let value = self.node(value);
        for place in self.places(list, env) {
            self.graph.link(value, flow, place);
        }
    }

    /// Calls a function value of the project with these arguments.
    fn apply(&mut self, function: ExprId, given: &[(Node, Flow)], result: Option<Flow>, node: Node, env: &mut Env) {
        let _ = env;
        let called: Vec<FuncRef> = match self.module.kind(function) {
            ExprKind::Lambda(id) => vec![FuncRef {
                module: self.here.module,
                function: *id,
            }],
            _ => self.project.functions_named_by(self.at(function)),
        };
        for function in called {
            let skipped = u32::from(self.project.function(function).has_receiver);
            for (index, (from, flow)) in given.iter().enumerate() {
                let param = self.graph.node(Origin::Param(function, index as u32 + skipped));
                match flow {
                    Flow::Same => self.graph.link(*from, Flow::Enter(Site(node.0)), param),
                    other => self.graph.link(*from, *other, param),
                }
            }
            if let Some(flow) = result {
                let value = self.graph.node(Origin::Result(function));
                match flow {
                    Flow::Same => self.graph.link(value, Flow::Leave(Site(node.0)), node),
                    other => self.graph.link(value, other, node),
                }
            }
        }
    }
}

/// Adds the definitions of `other` to those of `env`.
fn merge(env: &mut Env, other: Env) {
    for (name, nodes) in other {
        let reaching = env.entry(name).or_default();
        for node in nodes {
            if !reaching.contains(&node) {
                reaching.push(node);
            }
        }
    }
}
