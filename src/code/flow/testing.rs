//! What the tests of this folder share: small programs, and places in them by what is called there.

use std::path::Path;

use crate::code::ir::{ExprId, ExprKind, FunctionId, Module};
use crate::code::lang::Language;
use crate::code::project::{ExprRef, FuncRef, Project};

/// A module from Python source.
pub(crate) fn module(source: &str) -> Module {
    Language::Python
        .lower(Path::new("snippet.py"), source)
        .expect("the snippets of tests can be parsed")
}

/// A project of modules from Python source, by their paths.
pub(crate) fn project(files: &[(&str, &str)]) -> Project {
    let modules = files
        .iter()
        .map(|(path, source)| {
            let path = Path::new(path);
            let mut module = Language::Python
                .lower(path, source)
                .expect("the snippets of tests can be parsed");
            module.is_test = Language::Python.is_test(path);
            module
        })
        .collect();
    Project::new(modules)
}

/// The first call of the function of this name.
pub(crate) fn call(module: &Module, name: &str) -> ExprId {
    let found = module.exprs.iter().position(|expr| match &expr.kind {
        ExprKind::Call { callee, .. } => {
            matches!(module.kind(*callee), ExprKind::Name(found) if &**found == name)
        }
        _ => false,
    });
    ExprId(found.expect("the snippet calls the function") as u32)
}

/// The same in the module of a project that has such a call first.
pub(crate) fn call_in(project: &Project, name: &str) -> ExprRef {
    let calls = |module: &Module| {
        module.exprs.iter().any(|expr| match &expr.kind {
            ExprKind::Call { callee, .. } => {
                matches!(module.kind(*callee), ExprKind::Name(found) if &**found == name)
            }
            _ => false,
        })
    };
    let (module, found) = project
        .modules()
        .find(|(_, module)| calls(module))
        .expect("a snippet calls the function");
    ExprRef {
        module,
        expr: call(found, name),
    }
}

/// The function of this name.
pub(crate) fn function(module: &Module, name: &str) -> FunctionId {
    let found = module.functions.iter().position(|function| &*function.name == name);
    FunctionId(found.expect("the snippet defines the function") as u32)
}

/// The function of this name in the first module of the project that has one.
pub(crate) fn function_in(project: &Project, name: &str) -> FuncRef {
    project
        .functions()
        .find(|(_, function)| &*function.name == name)
        .expect("a snippet defines the function")
        .0
}

/// The source of an expression that stands on one line.
pub(crate) fn text<'s>(source: &'s str, module: &Module, expr: ExprId) -> &'s str {
    let place = module.expr(expr).place;
    let line = source
        .lines()
        .nth(place.start.line as usize - 1)
        .expect("places are inside the source");
    &line[place.start.column as usize - 1..place.end.column as usize - 1]
}
