//! All modules of one run: who imports whom, which name means what, who calls whom.

mod annotations;
mod calls;
mod classes;
mod imports;
mod lineage;
mod modules;
mod names;
mod packages;
mod resolve;
#[cfg(test)]
mod tests;
mod types;

use std::sync::Arc;

use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};

pub(crate) use calls::CallSite;
pub(crate) use classes::{ClassFacts, ClassKind};
pub(crate) use imports::Imports;
pub(crate) use types::returned;

use super::ir::{Class, ClassId, ExprId, Function, FunctionId, Module, Name, Special};
use super::memo::Memo;
use super::scope::Scopes;
use calls::Calls;
use classes::ClassTable;
use modules::ModuleMap;
use resolve::Search;

/// A module of the run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct ModuleIx(pub(crate) u32);

/// A function of the run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct FuncRef {
    pub(crate) module: ModuleIx,
    pub(crate) function: FunctionId,
}

/// A class of the run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct ClassRef {
    pub(crate) module: ModuleIx,
    pub(crate) class: ClassId,
}

/// An expression of the run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct ExprRef {
    pub(crate) module: ModuleIx,
    pub(crate) expr: ExprId,
}

/// What a name or an attribute means.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Target {
    /// A function of the run.
    Function(FuncRef),
    /// A class of the run.
    Class(ClassRef),
    /// A module of the run.
    Module(ModuleIx),
    /// Something outside the run, by its dotted path: `langchain_core.messages.HumanMessage`,
    /// `openai.OpenAI.chat.completions.create` for a method of an instance, `a.f().m` for a method of
    /// what the function `a.f` returns, and the bare name for a built-in or a name nothing binds.
    External(Name),
    /// Not known.
    Unknown,
}

/// Every module of one run, with what they mean to each other.
#[derive(Debug)]
pub(crate) struct Project {
    modules: Vec<Module>,
    scopes: Vec<Scopes>,
    map: ModuleMap,
    classes: ClassTable,
    calls: Calls,
    answers: Answers,
}

/// What was answered before, once the classes are linked.
#[derive(Debug, Default)]
struct Answers {
    /// Whether answers are final.
    settled: bool,
    targets: Memo<ExprRef, Arc<[Target]>>,
    types: Memo<ExprRef, Arc<[Target]>>,
    paths: Memo<ExprRef, Option<Name>>,
}

impl Project {
    /// Links the modules, which are expected in a fixed order; gives each its name.
    pub(crate) fn new(mut modules: Vec<Module>) -> Self {
        let map = ModuleMap::of(&mut modules);
        let scopes = modules.par_iter().map(Scopes::of).collect();
        let classes = ClassTable::members(&modules);
        let mut project = Self {
            modules,
            scopes,
            map,
            classes,
            calls: Calls::default(),
            answers: Answers::default(),
        };
        ClassTable::link(&mut project);
        project.answers.settled = true;
        project.calls = Calls::of(&project);
        project
    }

    /// Every module, in order.
    pub(crate) fn modules(&self) -> impl Iterator<Item = (ModuleIx, &Module)> {
        self.modules
            .iter()
            .enumerate()
            .map(|(index, module)| (ModuleIx(index as u32), module))
    }

    /// Every function, the bodies of modules and lambdas included, in order.
    pub(crate) fn functions(&self) -> impl Iterator<Item = (FuncRef, &Function)> {
        self.modules().flat_map(|(module, ir)| {
            ir.functions.iter().enumerate().map(move |(index, function)| {
                let function_id = FunctionId(index as u32);
                (
                    FuncRef {
                        module,
                        function: function_id,
                    },
                    function,
                )
            })
        })
    }

    /// The module.
    pub(crate) fn module(&self, module: ModuleIx) -> &Module {
        &self.modules[module.0 as usize]
    }

    /// The function.
    pub(crate) fn function(&self, function: FuncRef) -> &Function {
        self.module(function.module).function(function.function)
    }

    /// The class.
    pub(crate) fn class(&self, class: ClassRef) -> &Class {
        self.module(class.module).class(class.class)
    }

    /// The package that a module is in, by its number.
    pub(crate) fn package_of(&self, module: ModuleIx) -> Option<u32> {
        self.map.package_of(module)
    }

    /// Which names the module's functions bind.
    pub(crate) fn scopes(&self, module: ModuleIx) -> &Scopes {
        &self.scopes[module.0 as usize]
    }

    /// What an expression, read where `function` stands, most likely means.
    pub(crate) fn resolve(&self, function: FuncRef, expr: ExprId) -> Target {
        let targets = self.targets(function, expr);
        targets.first().cloned().unwrap_or(Target::Unknown)
    }

    /// Everything that an expression may mean, the likeliest first: several assignments, overriding
    /// methods. Empty where nothing is known.
    pub(crate) fn resolve_all(&self, function: FuncRef, expr: ExprId) -> Vec<Target> {
        self.targets(function, expr).to_vec()
    }

    fn targets(&self, function: FuncRef, expr: ExprId) -> Arc<[Target]> {
        let answer = || Search::new(self).targets(function, expr).into();
        self.answered(&self.answers.targets, function, expr, answer)
    }

    /// An answer about an expression, kept where it is read in its own function.
    fn answered<V: Clone>(
        &self,
        known: &Memo<ExprRef, V>,
        function: FuncRef,
        expr: ExprId,
        answer: impl FnOnce() -> V,
    ) -> V {
        let at = ExprRef {
            module: function.module,
            expr,
        };
        if self.answers.settled && self.owner(at) == function {
            known.of(&at, || at, answer)
        } else {
            answer()
        }
    }

    /// The classes that the value of an expression may be an instance of: [`Target::Class`] and
    /// [`Target::External`] only. Empty where nothing is known.
    pub(crate) fn types_of(&self, function: FuncRef, expr: ExprId) -> Vec<Target> {
        let answer = || Search::new(self).types(function, expr).into();
        self.answered(&self.answers.types, function, expr, answer).to_vec()
    }

    /// The classes that an annotation names, read where `function` stands.
    pub(crate) fn annotated(&self, function: FuncRef, annotation: &str) -> Vec<Target> {
        Search::new(self).annotation(function, annotation)
    }

    /// Bases, subclasses and kind of a class.
    pub(crate) fn class_facts(&self, class: ClassRef) -> &ClassFacts {
        self.classes.facts(class)
    }

    /// A class, those of the run that it is made of, and those that are made of it.
    pub(crate) fn kin(&self, class: ClassRef) -> FxHashSet<ClassRef> {
        let mut found: FxHashSet<ClassRef> = self.classes.ancestors(class).collect();
        found.insert(class);
        let mut open = vec![class];
        while let Some(base) = open.pop() {
            let subclasses = &self.class_facts(base).subclasses;
            open.extend(subclasses.iter().filter(|subclass| found.insert(**subclass)));
        }
        found
    }

    /// The method that a class has under this name, its own or inherited from a class of the run.
    pub(crate) fn method(&self, class: ClassRef, name: &str) -> Option<FuncRef> {
        self.classes.method(self, class, name)
    }

    /// The method of the class, or of the nearest base in the run, that the language runs for a purpose.
    pub(crate) fn special(&self, class: ClassRef, purpose: Special) -> Option<FuncRef> {
        self.classes.special(self, class, purpose)
    }

    /// Whether a name is what a method, or the one around a function, calls its own object.
    pub(crate) fn is_receiver(&self, function: FuncRef, name: &str) -> bool {
        let module = self.module(function.module);
        let mut around = Some(function.function);
        while let Some(function) = around.map(|function| module.function(function)) {
            if let Some(at) = function.params.iter().position(|param| &*param.name == name) {
                return function.has_receiver && at == 0;
            }
            around = function.parent;
        }
        false
    }

    /// The values that methods of the class, or of a base in the run, assign to an attribute of the
    /// receiver; the function is the method.
    pub(crate) fn attribute_values(&self, class: ClassRef, name: &str) -> Vec<(FuncRef, ExprId)> {
        self.classes.attribute_values(self, class, name)
    }

    /// The calls that reach a function, in order.
    pub(crate) fn callers_of(&self, function: FuncRef) -> &[CallSite] {
        self.calls.callers_of(function)
    }

    /// The functions of the run that a call may enter; a call of a class enters its constructor.
    pub(crate) fn callees_of(&self, call: ExprRef) -> &[FuncRef] {
        self.calls.callees_of(call)
    }

    /// Which argument of the call binds which parameter of the function, by the parameter's index. The
    /// receiver of a method call binds the first one. Parameters that are left out have their default;
    /// what a `*spread` binds is not known and not listed.
    pub(crate) fn bind(&self, call: ExprRef, target: FuncRef) -> Vec<(usize, ExprId)> {
        calls::bind(self, call, target)
    }

    /// Whether a function is part of a test.
    pub(crate) fn is_test(&self, function: FuncRef) -> bool {
        let module = self.module(function.module);
        module.is_test_at(module.function(function.function).place.start)
    }

    /// The function whose names the expression sees.
    pub(crate) fn owner(&self, expr: ExprRef) -> FuncRef {
        FuncRef {
            module: expr.module,
            function: self.module(expr.module).owner(expr.expr),
        }
    }
}

/// A map from names.
type ByName<T> = FxHashMap<Name, T>;
