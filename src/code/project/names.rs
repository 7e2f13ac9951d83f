//! Names and types as flow and facts ask for them, on top of the project's resolution.

use super::{ClassKind, ClassRef, ExprRef, FuncRef, ModuleIx, Project, Target};
use crate::code::ir::{ClassId, ExprId, ExprKind, FunctionId, Literal, Name, Special};
use crate::code::scope::Binding;

/// How far a constant is followed through names and imports.
const HOPS: usize = 8;

impl Project {
    /// Everything that a call may enter.
    pub(crate) fn targets_of_call(&self, call: ExprRef) -> Vec<Target> {
        match self.module(call.module).kind(call.expr) {
            ExprKind::Call { callee, .. } => self.resolve_all(self.owner(call), *callee),
            _ => Vec::new(),
        }
    }

    /// The functions of the run that an expression names.
    pub(crate) fn functions_named_by(&self, expr: ExprRef) -> Vec<FuncRef> {
        self.targets(self.owner(expr), expr.expr)
            .iter()
            .filter_map(|target| match target {
                Target::Function(function) => Some(*function),
                _ => None,
            })
            .collect()
    }

    /// The class of the run that the value of an expression is an instance of.
    pub(crate) fn class_of(&self, expr: ExprRef) -> Option<ClassRef> {
        self.types_of(self.owner(expr), expr.expr)
            .into_iter()
            .find_map(|target| match target {
                Target::Class(class) => Some(class),
                _ => None,
            })
    }

    /// The method that runs when an attribute is read.
    pub(crate) fn property(&self, read: ExprRef) -> Option<FuncRef> {
        let ExprKind::Attribute { base, name } = self.module(read.module).kind(read.expr) else {
            return None;
        };
        let base = ExprRef {
            module: read.module,
            expr: *base,
        };
        let method = self.method(self.class_of(base)?, name)?;
        self.is_property(method).then_some(method)
    }

    /// Whether a method runs when an attribute is read.
    pub(crate) fn is_property(&self, method: FuncRef) -> bool {
        let module = self.module(method.module);
        let mut decorators = self.function(method).decorators.iter();
        decorators.any(|decorator| match module.kind(*decorator) {
            ExprKind::Name(name) | ExprKind::Attribute { name, .. } => name.ends_with("property"),
            _ => false,
        })
    }

    /// The class that an attribute belongs to: the furthest base in the run that assigns or declares
    /// it, so that a class and its subclasses share it.
    pub(crate) fn field_owner(&self, class: ClassRef, name: &str) -> ClassRef {
        let mut owner = class;
        for base in &self.class_facts(class).lineage {
            if let Target::Class(base) = base
                && (self.class(*base).fields.iter().any(|field| &*field.name == name)
                    || !self.attribute_values(*base, name).is_empty())
            {
                owner = *base;
            }
        }
        owner
    }

    /// The names that positional arguments of a class's constructor have, in order.
    pub(crate) fn parameters(&self, class: ClassRef) -> Vec<Name> {
        if let Some(init) = self.special(class, Special::Constructor) {
            return self
                .function(init)
                .params
                .iter()
                .skip(1)
                .map(|param| param.name.clone())
                .collect();
        }
        let facts = self.class_facts(class);
        if facts.kind == ClassKind::Plain && facts.lineage.len() < 2 {
            return Vec::new();
        }
        let mut names: Vec<Name> = Vec::new();
        for base in facts.lineage.iter().rev() {
            if let Target::Class(base) = base {
                for field in &self.class(*base).fields {
                    if !names.contains(&field.name) {
                        names.push(field.name.clone());
                    }
                }
            }
        }
        names
    }

    /// The dotted paths of a class's bases, nearest first, the class itself left out.
    pub(crate) fn bases(&self, class: ClassRef) -> Vec<Name> {
        self.class_facts(class)
            .lineage
            .iter()
            .filter_map(|base| match base {
                Target::Class(base) if *base != class => Some(self.class(*base).name.clone()),
                Target::External(path) => Some(path.clone()),
                _ => None,
            })
            .collect()
    }

    /// The dotted path of what an expression names: resolved where it lies outside the run, by module
    /// and name inside it, and as written otherwise.
    pub(crate) fn dotted(&self, expr: ExprRef) -> Option<Name> {
        self.answers.paths.of(&expr, || expr, || self.path_of(expr))
    }

    fn path_of(&self, expr: ExprRef) -> Option<Name> {
        match self.targets(self.owner(expr), expr.expr).first().cloned() {
            Some(Target::External(path)) => Some(path),
            Some(Target::Class(class)) => Some(self.dotted_class(class.module, Some(class.class)).into()),
            Some(Target::Function(function)) => {
                let named = self.function(function);
                let owner = self.dotted_class(function.module, named.class);
                Some(format!("{owner}.{}", named.name).into())
            }
            _ => self.written(expr).map(Name::from),
        }
    }

    /// The dotted path of a class, with the classes around it, or of the module for none.
    fn dotted_class(&self, module: ModuleIx, class: Option<ClassId>) -> String {
        let ir = self.module(module);
        let around = std::iter::successors(class, |class| ir.class(*class).outer);
        let mut words: Vec<&str> = around.map(|class| &*ir.class(class).name).collect();
        words.push(&ir.name);
        words.reverse();
        words.join(".")
    }

    /// A chain of names as written: `self.client.chat`, calls and indices left out.
    fn written(&self, expr: ExprRef) -> Option<String> {
        let at = |expr: ExprId, module| ExprRef { module, expr };
        match self.module(expr.module).kind(expr.expr) {
            ExprKind::Name(name) => Some(name.to_string()),
            ExprKind::Attribute { base, name } => Some(match self.written(at(*base, expr.module)) {
                Some(base) => format!("{base}.{name}"),
                None => format!("?.{name}"),
            }),
            ExprKind::Call { callee: inner, .. } | ExprKind::Index { base: inner, .. } | ExprKind::Await(inner) => {
                self.written(at(*inner, expr.module))
            }
            _ => None,
        }
    }

    /// The text of a literal, or of the constant that a name stands for.
    pub(crate) fn constant(&self, expr: ExprRef) -> Option<Name> {
        let mut at = expr;
        for _ in 0..HOPS {
            match self.module(at.module).kind(at.expr) {
                ExprKind::Literal(Literal::Str(text)) => return Some(text.clone()),
                ExprKind::Name(name) => at = self.only_value(self.owner(at), name)?,
                _ => return None,
            }
        }
        None
    }

    /// The one value that a name is given, in whichever scope or module that is.
    pub(crate) fn only_value(&self, function: FuncRef, name: &Name) -> Option<ExprRef> {
        let (scope, name) = self.variable(function, name)?;
        match self.scopes(scope.module).own(scope.function, &name)? {
            [Binding::Value(value)] => Some(ExprRef {
                module: scope.module,
                expr: *value,
            }),
            _ => None,
        }
    }

    /// The scope and the name of a variable that is read where `function` stands.
    pub(crate) fn variable(&self, function: FuncRef, name: &Name) -> Option<(FuncRef, Name)> {
        let module = self.module(function.module);
        let (scope, bindings) = self.scopes(function.module).lookup(module, function.function, name)?;
        let mut found = (
            FuncRef {
                module: function.module,
                function: scope,
            },
            name.clone(),
        );
        let mut bindings = bindings;
        for _ in 0..HOPS {
            let [Binding::Import(import)] = bindings else { break };
            let Some(next) = self.imported(found.0.module, *import) else {
                break;
            };
            let Some(there) = self.scopes(next.0.module).own(next.0.function, &next.1) else {
                break;
            };
            (found, bindings) = (next, there);
        }
        Some(found)
    }

    /// The module and the name that an import binds, where the module is one of the run.
    fn imported(&self, from: ModuleIx, import: usize) -> Option<(FuncRef, Name)> {
        let import = &self.module(from).imports[import];
        let module = self.map.find(from, &import.module)?;
        Some((
            FuncRef {
                module,
                function: FunctionId(0),
            },
            import.symbol.clone()?,
        ))
    }
}
