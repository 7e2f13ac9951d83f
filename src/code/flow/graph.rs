//! The value-flow graph of a project: which value ends up where, and what was done to it on the way.

use rustc_hash::{FxHashMap, FxHashSet};

use super::dispatch::Dispatch;
use crate::code::ir::{ExprId, Name};
use crate::code::project::{ClassRef, ExprRef, FuncRef, ModuleIx};

/// A place that holds a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Node(pub(crate) u32);

/// An interned name of a field, key or attribute.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Symbol(u32);

/// What a node stands for.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Origin {
    /// The value of an expression; a name as a target stands for that definition of the variable.
    Expr(ExprRef),
    /// A parameter, by its index.
    Param(FuncRef, u32),
    /// What a function returns (or yields).
    Result(FuncRef),
    /// A variable as other scopes see it: every definition of it.
    Variable(FuncRef, Name),
    /// An attribute of all instances of a class.
    Field(ClassRef, Symbol),
    /// A field or string key of the value in another node.
    Slot(Node, Symbol),
}

/// What happens to a value on its way from one node to the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Flow {
    /// Nothing: the same value, under another name.
    Same,
    /// A list becomes one of its elements.
    Element,
    /// An element becomes part of a list: appended, inserted, displayed.
    Into,
    /// A list becomes another list with some or all of its elements.
    Part(Part),
    /// A value becomes the value of one of its fields or string keys.
    Load(Symbol),
    /// A value becomes a field of an object or a dictionary.
    Store(Symbol),
    /// A value becomes text or a number made from it.
    Text,
    /// A value decides a truth value.
    Test,
    /// A list becomes a position in it.
    Position,
    /// A position becomes the element or the part that it selects.
    Select,
    /// A list becomes its length.
    Length,
    /// An argument becomes a parameter; the call is named.
    Enter(Site),
    /// A result becomes the value of the call that is named.
    Leave(Site),
    /// An argument or receiver becomes whatever a call outside the project makes of it.
    Opaque,
}

/// How one list is made of another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Part {
    /// A stretch of it.
    Slice,
    /// All elements, in order, shared.
    Copy,
    /// All elements, shared with nothing.
    DeepCopy,
    /// All elements, last first.
    Reverse,
    /// All elements, in another order.
    Sort,
    /// The elements that satisfy a condition.
    Filter,
    /// All elements, among others.
    Concat,
    /// As many results as elements.
    Map,
}

/// A call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Site(pub(crate) u32);

/// One step of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Edge {
    /// The other end.
    pub(crate) node: Node,
    /// What happens.
    pub(crate) flow: Flow,
}

/// The edges of all nodes, one after the other.
#[derive(Debug, Default)]
struct Edges {
    edges: Vec<Edge>,
    /// Where those of each node begin, and where the last ones end.
    starts: Vec<u32>,
}

impl Edges {
    /// Of so many nodes; edges are ordered by the first of the pair.
    fn of(nodes: usize, found: &[(Node, Edge)]) -> Self {
        let mut starts = Vec::with_capacity(nodes + 1);
        for (at, (node, _)) in found.iter().enumerate() {
            while starts.len() <= node.0 as usize {
                starts.push(at as u32);
            }
        }
        starts.resize(nodes + 1, found.len() as u32);
        Self {
            edges: found.iter().map(|(_, edge)| *edge).collect(),
            starts,
        }
    }

    fn of_node(&self, node: Node) -> &[Edge] {
        let at = node.0 as usize;
        &self.edges[self.starts[at] as usize..self.starts[at + 1] as usize]
    }
}

/// Where an expression stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Context {
    /// Inside another expression.
    Expr(ExprId),
    /// Directly in a statement of a function.
    Stmt,
}

/// The graph.
#[derive(Debug, Default)]
pub(crate) struct Graph {
    origins: Vec<Origin>,
    index: FxHashMap<Origin, Node>,
    /// Edges as they are found, with where they begin.
    found: Vec<(Node, Edge)>,
    outgoing: Edges,
    incoming: Edges,
    bases: Vec<u32>,
    symbols: Vec<Name>,
    symbol_index: FxHashMap<Name, Symbol>,
    contexts: Vec<Vec<Context>>,
    targets: FxHashSet<ExprRef>,
    /// For each module, the package it is in; empty where there are not two.
    packages: Vec<Option<u32>>,
    pub(super) dispatch: Dispatch,
    /// Which expressions are parts of tests.
    tests: Vec<bool>,
}

impl Graph {
    /// A graph with one node for each expression of each module; `sizes` counts the expressions.
    pub(super) fn with_expressions(sizes: &[usize]) -> Self {
        let mut graph = Self::default();
        for (module, &size) in sizes.iter().enumerate() {
            let module = ModuleIx(module as u32);
            graph.bases.push(graph.origins.len() as u32);
            for expr in 0..size {
                graph.origins.push(Origin::Expr(ExprRef {
                    module,
                    expr: ExprId(expr as u32),
                }));
            }
            graph.contexts.push(vec![Context::Stmt; size]);
        }
        graph.tests = vec![false; graph.origins.len()];
        graph
    }

    /// The node of an expression.
    pub(crate) fn expr(&self, expr: ExprRef) -> Node {
        Node(self.bases[expr.module.0 as usize] + expr.expr.0)
    }

    /// The expression that a node stands for.
    pub(crate) fn as_expr(&self, node: Node) -> Option<ExprRef> {
        match self.origin(node) {
            Origin::Expr(expr) => Some(*expr),
            _ => None,
        }
    }

    /// What a node stands for.
    pub(crate) fn origin(&self, node: Node) -> &Origin {
        &self.origins[node.0 as usize]
    }

    /// The node of an origin, if any edge mentions it.
    pub(crate) fn find(&self, origin: &Origin) -> Option<Node> {
        match origin {
            Origin::Expr(expr) => Some(self.expr(*expr)),
            _ => self.index.get(origin).copied(),
        }
    }

    /// How many nodes there are.
    pub(crate) fn len(&self) -> usize {
        self.origins.len()
    }

    /// Where values of this node go.
    pub(crate) fn outgoing(&self, node: Node) -> &[Edge] {
        self.outgoing.of_node(node)
    }

    /// Where values of this node come from.
    pub(crate) fn incoming(&self, node: Node) -> &[Edge] {
        self.incoming.of_node(node)
    }

    /// The symbol of a name, if the project has a field, key or attribute of that name.
    pub(crate) fn symbol(&self, name: &str) -> Option<Symbol> {
        self.symbol_index.get(name).copied()
    }

    /// The name of a symbol.
    pub(crate) fn symbol_name(&self, symbol: Symbol) -> &str {
        &self.symbols[symbol.0 as usize]
    }

    /// The expression around this one, `None` where it stands directly in a statement.
    pub(crate) fn around(&self, expr: ExprRef) -> Option<ExprRef> {
        match self.contexts[expr.module.0 as usize][expr.expr.0 as usize] {
            Context::Expr(outer) => Some(ExprRef {
                module: expr.module,
                expr: outer,
            }),
            Context::Stmt => None,
        }
    }

    /// Whether an expression is assigned to.
    pub(crate) fn is_target(&self, expr: ExprRef) -> bool {
        self.targets.contains(&expr)
    }

    /// Whether a step leads from one package into another.
    pub(crate) fn crosses(&self, from: Node, to: Node) -> bool {
        !self.packages.is_empty()
            && match (self.package(from), self.package(to)) {
                (Some(from), Some(to)) => from != to,
                _ => false,
            }
    }

    fn package(&self, node: Node) -> Option<u32> {
        let module = match self.origin(node) {
            Origin::Expr(expr) => expr.module,
            Origin::Param(function, _) | Origin::Result(function) | Origin::Variable(function, _) => function.module,
            Origin::Field(class, _) => class.module,
            Origin::Slot(owner, _) => return self.package(*owner),
        };
        self.packages[module.0 as usize]
    }

    pub(super) fn divide(&mut self, packages: Vec<Option<u32>>) {
        let mut known = packages.iter().flatten();
        if known.next().is_some_and(|first| known.any(|other| other != first)) {
            self.packages = packages;
        }
    }

    /// Whether an expression is part of a test.
    pub(crate) fn is_of_test(&self, node: Node) -> bool {
        self.tests.get(node.0 as usize).is_some_and(|of_test| *of_test)
    }

    pub(super) fn mark_test(&mut self, expr: ExprRef) {
        let node = self.expr(expr);
        self.tests[node.0 as usize] = true;
    }

    pub(super) fn node(&mut self, origin: Origin) -> Node {
        if let Origin::Expr(expr) = origin {
            return self.expr(expr);
        }
        if let Some(node) = self.index.get(&origin) {
            return *node;
        }
        let node = Node(self.origins.len() as u32);
        self.origins.push(origin.clone());
        self.index.insert(origin, node);
        node
    }

    pub(super) fn intern(&mut self, name: &Name) -> Symbol {
        if let Some(symbol) = self.symbol_index.get(name) {
            return *symbol;
        }
        let symbol = Symbol(self.symbols.len() as u32);
        self.symbols.push(name.clone());
        self.symbol_index.insert(name.clone(), symbol);
        symbol
    }

    pub(super) fn place(&mut self, expr: ExprRef, context: Context) {
        self.contexts[expr.module.0 as usize][expr.expr.0 as usize] = context;
    }

    pub(super) fn mark_target(&mut self, expr: ExprRef) {
        self.targets.insert(expr);
    }

    pub(super) fn link(&mut self, from: Node, flow: Flow, to: Node) {
        if from != to {
            self.found.push((from, Edge { node: to, flow }));
        }
    }

    /// Sorts the edges, drops repeated ones and makes the reverse direction.
    pub(super) fn finish(&mut self) {
        let mut found = std::mem::take(&mut self.found);
        found.sort_unstable();
        found.dedup();
        self.outgoing = Edges::of(self.origins.len(), &found);
        for (from, edge) in &mut found {
            std::mem::swap(from, &mut edge.node);
        }
        // By where they end, and there in the order that they have as outgoing ones.
        found.sort_by_key(|(to, _)| *to);
        self.incoming = Edges::of(self.origins.len(), &found);
    }
}
