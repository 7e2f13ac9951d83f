//! Structured control flow of one function: what holds where, what runs before what, and which ways
//! lead past a statement.

mod escapes;
mod guards;
mod order;

pub(crate) use escapes::{Detour, ExitKind};
pub(crate) use guards::{Guard, conjuncts};
pub(crate) use order::When;

use rayon::prelude::*;

use crate::code::ir::{ExprId, ExprKind, FunctionId, Handler, Intrinsic, Literal, Module, Stmt, StmtKind};
use crate::code::project::{FuncRef, Project};

/// A statement of one function, numbered in the order of the source.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct StmtId(pub(crate) u32);

/// Which block of a compound statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Slot {
    /// Where the condition holds.
    Then,
    /// Where it does not.
    Otherwise,
    /// The body of a loop.
    Loop,
    /// Behind a loop that was not left by `break`.
    LoopElse,
    /// What is tried.
    Try,
    /// A handler, by its number.
    Handler(usize),
    /// Behind what was tried without an error.
    NoError,
    /// What always runs.
    Finally,
    /// The body of a `with`.
    With,
}

/// The control flow of one function.
#[derive(Debug)]
pub(crate) struct Paths<'m> {
    module: &'m Module,
    nodes: Vec<Node<'m>>,
    body: Vec<StmtId>,
    stmts: ByExpr,
    around: ByExpr,
}

/// A number for each expression of a function. They stand close together, so that a list takes less than a map.
#[derive(Debug, Default)]
struct ByExpr {
    first: u32,
    numbers: Vec<u32>,
}

impl ByExpr {
    /// Stands for no number.
    const NONE: u32 = u32::MAX;

    /// Of two numbers for one expression the last counts.
    fn of(pairs: &[(ExprId, u32)]) -> Self {
        let exprs = || pairs.iter().map(|(expr, _)| expr.0);
        let (Some(first), Some(last)) = (exprs().min(), exprs().max()) else {
            return Self::default();
        };
        let mut numbers = vec![Self::NONE; (last - first) as usize + 1];
        for (expr, number) in pairs {
            numbers[(expr.0 - first) as usize] = *number;
        }
        Self { first, numbers }
    }

    fn get(&self, expr: ExprId) -> Option<u32> {
        let at = expr.0.checked_sub(self.first)?;
        self.numbers
            .get(at as usize)
            .copied()
            .filter(|number| *number != Self::NONE)
    }
}

/// What is read of a function before it is put in order.
#[derive(Default)]
struct Read {
    stmts: Vec<(ExprId, u32)>,
    around: Vec<(ExprId, u32)>,
}

/// The control flow of every function of a project.
#[derive(Debug)]
pub(crate) struct AllPaths<'p> {
    functions: Vec<Vec<Paths<'p>>>,
}

impl<'p> AllPaths<'p> {
    /// Reads every function.
    pub(crate) fn of(project: &'p Project) -> Self {
        let modules: Vec<&Module> = project.modules().map(|(_, module)| module).collect();
        let functions = modules
            .par_iter()
            .map(|module| {
                let numbers = 0..module.functions.len() as u32;
                numbers.map(|number| Paths::of(module, FunctionId(number))).collect()
            })
            .collect();
        Self { functions }
    }

    /// The control flow of one function.
    pub(crate) fn function(&self, function: FuncRef) -> &Paths<'p> {
        &self.functions[function.module.0 as usize][function.function.0 as usize]
    }
}

#[derive(Debug)]
struct Node<'m> {
    stmt: &'m Stmt,
    parent: Option<(StmtId, Slot)>,
    /// The place in its block.
    index: usize,
    blocks: Vec<(Slot, Vec<StmtId>)>,
}

impl<'m> Paths<'m> {
    /// Reads one function.
    pub(crate) fn of(module: &'m Module, function: FunctionId) -> Self {
        let mut paths = Self {
            module,
            nodes: Vec::new(),
            body: Vec::new(),
            stmts: ByExpr::default(),
            around: ByExpr::default(),
        };
        let mut read = Read::default();
        paths.body = paths.read(&module.function(function).body, None, &mut read);
        paths.stmts = ByExpr::of(&read.stmts);
        paths.around = ByExpr::of(&read.around);
        paths
    }

    fn read(&mut self, block: &'m [Stmt], parent: Option<(StmtId, Slot)>, read: &mut Read) -> Vec<StmtId> {
        let mut ids = Vec::with_capacity(block.len());
        for (index, stmt) in block.iter().enumerate() {
            let id = StmtId(self.nodes.len() as u32);
            self.nodes.push(Node {
                stmt,
                parent,
                index,
                blocks: Vec::new(),
            });
            ids.push(id);
            for expr in own_exprs(self.module, &stmt.kind) {
                self.place(expr, id, read);
            }
            let blocks = blocks(&stmt.kind)
                .into_iter()
                .map(|(slot, block)| (slot, self.read(block, Some((id, slot)), read)))
                .collect();
            self.nodes[id.0 as usize].blocks = blocks;
        }
        ids
    }

    /// Notes the statement of an expression and of all inside it.
    fn place(&self, expr: ExprId, stmt: StmtId, read: &mut Read) {
        let mut open = vec![expr];
        while let Some(expr) = open.pop() {
            read.stmts.push((expr, stmt.0));
            for inner in self.module.children(expr) {
                read.around.push((inner, expr.0));
                open.push(inner);
            }
        }
    }

    fn node(&self, stmt: StmtId) -> &Node<'m> {
        &self.nodes[stmt.0 as usize]
    }

    /// The statement.
    pub(crate) fn stmt(&self, id: StmtId) -> &'m Stmt {
        self.node(id).stmt
    }

    /// All statements, in the order of the source.
    pub(crate) fn stmts(&self) -> impl Iterator<Item = StmtId> + use<'m> {
        (0..self.nodes.len() as u32).map(StmtId)
    }

    /// Every expression that a statement evaluates itself, without those of its blocks.
    pub(crate) fn own_exprs_in(&self, stmt: StmtId) -> impl Iterator<Item = ExprId> + use<'m> {
        let module = self.module;
        let mut open = own_exprs(module, &self.stmt(stmt).kind);
        std::iter::from_fn(move || {
            let expr = open.pop()?;
            open.extend(module.children(expr));
            Some(expr)
        })
    }

    /// Every expression of a statement and of its blocks.
    pub(crate) fn exprs_in(&self, stmt: StmtId) -> impl Iterator<Item = ExprId> + '_ {
        self.stmts()
            .filter(move |&inner| self.contains(stmt, inner))
            .flat_map(|inner| self.own_exprs_in(inner))
    }

    /// The statement that evaluates an expression; `None` for one of another function.
    pub(crate) fn stmt_of(&self, expr: ExprId) -> Option<StmtId> {
        self.stmts.get(expr).map(StmtId)
    }

    /// The expression around an expression.
    pub(crate) fn around(&self, expr: ExprId) -> Option<ExprId> {
        self.around.get(expr).map(ExprId)
    }

    /// The compound statement around a statement, and the block of it.
    pub(crate) fn parent(&self, stmt: StmtId) -> Option<(StmtId, Slot)> {
        self.node(stmt).parent
    }

    /// The compound statements around a statement, innermost first.
    pub(crate) fn parents(&self, stmt: StmtId) -> impl Iterator<Item = (StmtId, Slot)> + '_ {
        std::iter::successors(self.parent(stmt), |&(parent, _)| self.parent(parent))
    }

    /// The statements of a block.
    pub(crate) fn block(&self, stmt: StmtId, slot: Slot) -> &[StmtId] {
        let mut blocks = self.node(stmt).blocks.iter();
        blocks
            .find(|(found, _)| *found == slot)
            .map_or(&[], |(_, block)| block.as_slice())
    }

    /// The block that a statement stands in.
    pub(crate) fn siblings(&self, stmt: StmtId) -> &[StmtId] {
        match self.parent(stmt) {
            Some((parent, slot)) => self.block(parent, slot),
            None => &self.body,
        }
    }

    /// The statements behind a statement in its block.
    pub(crate) fn following(&self, stmt: StmtId) -> &[StmtId] {
        &self.siblings(stmt)[self.node(stmt).index + 1..]
    }

    /// The statements before a statement in its block.
    pub(crate) fn preceding(&self, stmt: StmtId) -> &[StmtId] {
        &self.siblings(stmt)[..self.node(stmt).index]
    }

    /// Whether `inner` is `outer` or stands in it.
    pub(crate) fn contains(&self, outer: StmtId, inner: StmtId) -> bool {
        outer == inner || self.parents(inner).any(|(parent, _)| parent == outer)
    }

    /// The loops whose body a statement stands in, innermost first.
    pub(crate) fn enclosing_loops(&self, stmt: StmtId) -> impl Iterator<Item = StmtId> + '_ {
        self.parents(stmt)
            .filter(|&(_, slot)| slot == Slot::Loop)
            .map(|(parent, _)| parent)
    }

    /// The innermost loop whose body both statements stand in.
    pub(crate) fn same_loop(&self, a: StmtId, b: StmtId) -> Option<StmtId> {
        self.enclosing_loops(a)
            .find(|&found| self.enclosing_loops(b).any(|other| other == found))
    }

    /// Whether evaluating the statement itself, without its blocks, may raise an error.
    pub(crate) fn may_raise(&self, stmt: StmtId) -> bool {
        self.own_exprs_in(stmt).any(|expr| raises(self.module.kind(expr)))
    }

    /// Whether the end of a block is reached on any way.
    pub(crate) fn completes(&self, block: &[StmtId]) -> bool {
        block.iter().all(|&stmt| self.passes(stmt))
    }

    /// Whether what stands behind a statement is reached on any way.
    fn passes(&self, stmt: StmtId) -> bool {
        let block = |slot| self.completes(self.block(stmt, slot));
        match &self.stmt(stmt).kind {
            StmtKind::Return(_) | StmtKind::Raise(_) | StmtKind::Break | StmtKind::Continue => false,
            StmtKind::If { .. } => block(Slot::Then) || block(Slot::Otherwise),
            StmtKind::While { cond, .. } => self.breaks(stmt) || (!self.is_always_true(*cond) && block(Slot::LoopElse)),
            StmtKind::For { .. } => self.breaks(stmt) || block(Slot::LoopElse),
            StmtKind::Try { handlers, .. } => {
                let tried = block(Slot::Try) && block(Slot::NoError);
                let handled = (0..handlers.len()).any(|number| block(Slot::Handler(number)));
                (tried || handled) && block(Slot::Finally)
            }
            StmtKind::With { .. } => block(Slot::With),
            _ => true,
        }
    }

    /// Whether a `break` leaves this loop.
    pub(crate) fn breaks(&self, of: StmtId) -> bool {
        self.stmts().any(|stmt| {
            matches!(self.stmt(stmt).kind, StmtKind::Break) && self.enclosing_loops(stmt).next() == Some(of)
        })
    }

    fn is_always_true(&self, cond: ExprId) -> bool {
        matches!(
            self.module.kind(cond),
            ExprKind::Literal(Literal::Bool(true) | Literal::Int(1))
        )
    }
}

/// Whether a handler catches every ordinary error.
pub(crate) fn catches_all(handler: &Handler) -> bool {
    handler.catches.is_empty()
        || handler
            .catches
            .iter()
            .any(|name| matches!(&**name, "Exception" | "BaseException"))
}

/// The expressions that a statement evaluates itself, without those of its blocks.
pub(crate) fn own_exprs(module: &Module, kind: &StmtKind) -> Vec<ExprId> {
    match kind {
        StmtKind::Assign { targets, value, .. } => std::iter::once(*value).chain(targets.iter().copied()).collect(),
        StmtKind::Update { target, value, .. } => vec![*value, *target],
        StmtKind::Expr(value) => vec![*value],
        StmtKind::If { cond, .. } | StmtKind::While { cond, .. } | StmtKind::Assert { cond } => vec![*cond],
        StmtKind::For { target, iter, .. } => vec![*iter, *target],
        StmtKind::With { items, .. } => items
            .iter()
            .flat_map(|(value, target)| std::iter::once(*value).chain(*target))
            .collect(),
        StmtKind::Return(value) | StmtKind::Raise(value) => value.iter().copied().collect(),
        StmtKind::Delete(targets) => targets.clone(),
        StmtKind::Function(id) => {
            let function = module.function(*id);
            let defaults = function.params.iter().filter_map(|param| param.default);
            function.decorators.iter().copied().chain(defaults).collect()
        }
        StmtKind::Class(id) => {
            let class = module.class(*id);
            let values = class.fields.iter().filter_map(|field| field.value);
            let bases = class.bases.iter().copied();
            class.decorators.iter().copied().chain(bases).chain(values).collect()
        }
        StmtKind::Try { .. } | StmtKind::Break | StmtKind::Continue | StmtKind::Nothing => Vec::new(),
    }
}

fn blocks(kind: &StmtKind) -> Vec<(Slot, &[Stmt])> {
    match kind {
        StmtKind::If { then, otherwise, .. } => vec![(Slot::Then, then), (Slot::Otherwise, otherwise)],
        StmtKind::For { body, otherwise, .. } | StmtKind::While { body, otherwise, .. } => {
            vec![(Slot::Loop, body), (Slot::LoopElse, otherwise)]
        }
        StmtKind::Try {
            body,
            handlers,
            otherwise,
            finally,
        } => {
            let handlers = handlers
                .iter()
                .enumerate()
                .map(|(number, handler)| (Slot::Handler(number), handler.body.as_slice()));
            std::iter::once((Slot::Try, body.as_slice()))
                .chain(handlers)
                .chain([
                    (Slot::NoError, otherwise.as_slice()),
                    (Slot::Finally, finally.as_slice()),
                ])
                .collect()
        }
        StmtKind::With { body, .. } => vec![(Slot::With, body)],
        _ => Vec::new(),
    }
}

/// Whether the expression itself may raise: a call of something unknown, a look-up by key, waiting.
fn raises(kind: &ExprKind) -> bool {
    match kind {
        ExprKind::Call { idiom: None, .. } | ExprKind::Index { .. } | ExprKind::Await(_) | ExprKind::Yield(_) => true,
        ExprKind::Call { idiom: Some(idiom), .. } => matches!(
            idiom.op,
            Intrinsic::Run
                | Intrinsic::Map
                | Intrinsic::Filter
                | Intrinsic::First
                | Intrinsic::IndexOf
                | Intrinsic::RemoveValue
                | Intrinsic::Pop
                | Intrinsic::PopFirst
        ),
        _ => false,
    }
}
