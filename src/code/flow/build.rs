//! Builds the value-flow graph: one walk over every function with the definitions that reach each
//! use.

mod calls;
mod expressions;
mod idioms;
mod targets;

use rustc_hash::{FxHashMap, FxHashSet};

use super::graph::{Context, Flow, Graph, Node, Origin};
use crate::code::ir::{ExprId, Function, Module, Name, Param, Special, Stmt, StmtKind};
use crate::code::project::{ExprRef, FuncRef, Project};

/// The definitions of each variable that reach a point.
type Env = FxHashMap<Name, Vec<Node>>;

/// Builds the graph of a project.
pub(crate) fn build(project: &Project) -> Graph {
    let sizes: Vec<usize> = project.modules().map(|(_, module)| module.exprs.len()).collect();
    let mut graph = Graph::with_expressions(&sizes);
    graph.divide(
        project
            .modules()
            .map(|(module, _)| project.package_of(module))
            .collect(),
    );
    mark_tests(project, &mut graph);
    let named = project
        .functions()
        .filter(|(function, _)| project.is_property(*function));
    let properties: FxHashSet<Name> = named.map(|(_, ir)| ir.name.clone()).collect();
    let shows_objects = project.functions().any(|(_, ir)| ir.special == Some(Special::Text));
    for (here, _) in project.functions() {
        let module = project.module(here.module);
        Builder {
            project,
            module,
            graph: &mut graph,
            here,
            properties: &properties,
            shows_objects,
            loops: Vec::new(),
            handlers: Vec::new(),
        }
        .function();
    }
    graph.finish();
    graph
}

/// Marks the expressions of tests.
fn mark_tests(project: &Project, graph: &mut Graph) {
    for (module, ir) in project.modules().filter(|(_, ir)| ir.has_tests()) {
        let exprs = (0..ir.exprs.len() as u32).map(ExprId);
        for expr in exprs.filter(|expr| ir.is_test_at(ir.expr(*expr).place.start)) {
            graph.mark_test(ExprRef { module, expr });
        }
    }
}

struct Builder<'a> {
    project: &'a Project,
    module: &'a Module,
    graph: &'a mut Graph,
    here: FuncRef,
    /// The names of all properties of the project.
    properties: &'a FxHashSet<Name>,
    /// Whether any class of the project says how it is shown as text.
    shows_objects: bool,
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
        let mut exhausted = Env::default();
        let mut is_left = false;
        // Deeply nested loops would double the work at every level.
        let rounds = if self.loops.len() < 4 { 2 } else { 1 };
        for _ in 0..rounds {
            head(self, env);
            merge(&mut exhausted, env.clone());
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
            is_left |= !breaks.is_empty();
            for one in breaks {
                merge(&mut after, one);
            }
        }
        merge(env, exhausted);
        // `for … break … else: raise` goes on where the `break` leaves it.
        let ends = self.block(otherwise, env);
        if ends {
            merge(&mut after, std::mem::take(env));
        }
        *env = after;
        ends || is_left
    }

    // ---- targets ---------------------------------------------------------------------------------

    // ---- expressions -----------------------------------------------------------------------------
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
