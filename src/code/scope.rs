//! Which names a function binds, and to what.

use rustc_hash::FxHashMap;

use super::ir::{ClassId, ExprId, ExprKind, FunctionId, Module, Name, Stmt, StmtKind};

/// One way in which a name gets its value in a scope.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Binding {
    /// A parameter, by its index.
    Param(usize),
    /// A definition.
    Function(FunctionId),
    /// A definition.
    Class(ClassId),
    /// An import, by its index in the module.
    Import(usize),
    /// An assignment of this value, or a context manager.
    Value(ExprId),
    /// The elements of this value, one after the other.
    Element(ExprId),
    /// An annotation beside an assignment, as written.
    Typed(Name),
    /// Something else: unpacking, a caught error.
    Unknown,
}

/// The names of every function of one module.
#[derive(Debug, Default)]
pub(crate) struct Scopes {
    names: Vec<FxHashMap<Name, Vec<Binding>>>,
}

impl Scopes {
    /// Collects the names of a module; bindings are in the order of the source, comprehensions last.
    pub(crate) fn of(module: &Module) -> Self {
        let mut scopes = Self {
            names: vec![FxHashMap::default(); module.functions.len()],
        };
        for (index, import) in module.imports.iter().enumerate() {
            scopes.add(module, import.scope, &import.local, Binding::Import(index));
        }
        for (index, function) in module.functions.iter().enumerate() {
            let id = FunctionId(index as u32);
            for (index, param) in function.params.iter().enumerate() {
                scopes.add(module, id, &param.name, Binding::Param(index));
            }
            scopes.block(module, id, &function.body);
        }
        for (index, expr) in module.exprs.iter().enumerate() {
            let owner = module.owner(ExprId(index as u32));
            match &expr.kind {
                ExprKind::Bind { target, value } => scopes.assign(module, owner, *target, Binding::Value(*value)),
                ExprKind::Comprehension { clauses, .. } => {
                    for clause in clauses {
                        scopes.assign(module, owner, clause.target, Binding::Element(clause.iter));
                    }
                }
                _ => {}
            }
        }
        scopes
    }

    /// The bindings that a name has where `function` reads it, with the function that holds them;
    /// `None` for a name that nothing in the module binds.
    pub(crate) fn lookup(&self, module: &Module, function: FunctionId, name: &str) -> Option<(FunctionId, &[Binding])> {
        let mut scope = Some(function);
        while let Some(id) = scope {
            if let Some(bindings) = self.own(id, name) {
                return Some((id, bindings));
            }
            scope = module.function(id).parent;
        }
        None
    }

    /// The bindings of a name in exactly this function.
    pub(crate) fn own(&self, function: FunctionId, name: &str) -> Option<&[Binding]> {
        self.names[function.0 as usize].get(name).map(Vec::as_slice)
    }

    fn add(&mut self, module: &Module, function: FunctionId, name: &Name, binding: Binding) {
        let mut scope = function;
        while module.function(scope).outer_names.contains(name) {
            match module.function(scope).parent {
                Some(parent) => scope = parent,
                None => break,
            }
        }
        self.names[scope.0 as usize]
            .entry(name.clone())
            .or_default()
            .push(binding);
    }

    fn assign(&mut self, module: &Module, function: FunctionId, target: ExprId, binding: Binding) {
        match module.kind(target) {
            ExprKind::Name(name) => self.add(module, function, name, binding),
            ExprKind::List { items, .. } => {
                for item in items {
                    self.assign(module, function, item.value, Binding::Unknown);
                }
            }
            _ => {}
        }
    }

    fn block(&mut self, module: &Module, function: FunctionId, block: &[Stmt]) {
        for stmt in block {
            match &stmt.kind {
                StmtKind::Assign {
                    targets,
                    value,
                    annotation,
                } => {
                    for &target in targets {
                        if let Some(annotation) = annotation {
                            self.assign(module, function, target, Binding::Typed(annotation.clone()));
                        }
                        self.assign(module, function, target, Binding::Value(*value));
                    }
                }
                StmtKind::Update { target, .. } => self.assign(module, function, *target, Binding::Unknown),
                StmtKind::For { target, iter, .. } => {
                    self.assign(module, function, *target, Binding::Element(*iter));
                }
                StmtKind::With { items, .. } => {
                    for &(value, target) in items {
                        if let Some(target) = target {
                            self.assign(module, function, target, Binding::Value(value));
                        }
                    }
                }
                StmtKind::Try { handlers, .. } => {
                    for name in handlers.iter().filter_map(|handler| handler.name.as_ref()) {
                        self.add(module, function, name, Binding::Unknown);
                    }
                }
                StmtKind::Function(id) => {
                    self.add(module, function, &module.function(*id).name, Binding::Function(*id));
                }
                StmtKind::Class(id) => self.add(module, function, &module.class(*id).name, Binding::Class(*id)),
                _ => {}
            }
            for inner in stmt.kind.blocks() {
                self.block(module, function, inner);
            }
        }
    }
}
