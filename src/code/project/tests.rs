//! Names, imports, classes and calls of small projects.

mod classes;
mod languages;
mod names;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::{ClassKind, ExprRef, FuncRef, ModuleIx, Project, Target};
use crate::code::dump;
use crate::code::ir::{ExprId, ExprKind};
use crate::code::lang::Language;

/// A project of these files.
fn project(files: &[(&str, &str)]) -> Project {
    let modules = files.iter().map(|(path, text)| {
        Language::Python
            .lower(Path::new(path), text)
            .expect("the test's source is Python")
    });
    Project::new(modules.collect())
}

/// A project of these files, each in the language that its name says.
fn mixed(files: &[(&str, &str)]) -> Project {
    let modules = files.iter().map(|(path, text)| {
        let path = Path::new(path);
        let language = Language::of(path).expect("the test's file has a known extension");
        language
            .lower(path, text)
            .expect("the test's source is of its language")
    });
    Project::new(modules.collect())
}

/// A project of these files and of the manifests among them.
fn workspace(files: &[(&str, &str)]) -> Project {
    let manifest = |path: &PathBuf| {
        let text = files.iter().find(|(name, _)| path == Path::new(name))?.1;
        Language::Rust.package(path.parent()?, text)
    };
    let sources = files.iter().filter(|(path, _)| Language::of(Path::new(path)).is_some());
    let modules = sources.map(|(path, text)| {
        let path = Path::new(path);
        let mut module = Language::Rust.lower(path, text).expect("the test's source is Rust");
        module.package = Language::Rust.manifests(path).iter().find_map(manifest).map(Arc::new);
        module
    });
    Project::new(modules.collect())
}

/// The first call of the file that is written like this.
fn call(project: &Project, path: &str, written: &str) -> ExprRef {
    for (module, ir) in project.modules() {
        if ir.path != Path::new(path) {
            continue;
        }
        for index in 0..ir.exprs.len() {
            let expr = ExprId(index as u32);
            if matches!(ir.kind(expr), ExprKind::Call { .. }) && dump::expression(ir, expr) == written {
                return ExprRef { module, expr };
            }
        }
    }
    panic!("no call `{written}` in {path}");
}

/// What the callee of that call may mean, in words.
fn meanings(project: &Project, path: &str, written: &str) -> Vec<String> {
    let call = call(project, path, written);
    let ExprKind::Call { callee, .. } = project.module(call.module).kind(call.expr) else {
        unreachable!("only calls are found");
    };
    let targets = project.resolve_all(project.owner(call), *callee);
    targets.iter().map(|target| words(project, target)).collect()
}

fn words(project: &Project, target: &Target) -> String {
    match target {
        Target::Function(function) => format!("function {}", path_of(project, *function)),
        Target::Class(class) => {
            let module = &project.module(class.module).name;
            format!("class {module}.{}", project.class(*class).name)
        }
        Target::Module(module) => format!("module {}", project.module(*module).name),
        Target::External(path) => format!("external {path}"),
        Target::Unknown => "unknown".to_owned(),
    }
}

fn path_of(project: &Project, function: FuncRef) -> String {
    let module = project.module(function.module);
    let ir = module.function(function.function);
    match ir.class {
        Some(class) => format!("{}.{}.{}", module.name, module.class(class).name, ir.name),
        None => format!("{}.{}", module.name, ir.name),
    }
}

/// Parameters of the call's only callee with the arguments that bind them.
fn bound(project: &Project, path: &str, written: &str) -> Vec<String> {
    let call = call(project, path, written);
    let [callee] = *project.callees_of(call) else {
        panic!("`{written}` enters {} functions", project.callees_of(call).len());
    };
    let module = project.module(call.module);
    project
        .bind(call, callee)
        .into_iter()
        .map(|(index, value)| {
            let param = &project.function(callee).params[index].name;
            format!("{param}={}", dump::expression(module, value))
        })
        .collect()
}

fn function(project: &Project, path: &str) -> FuncRef {
    project
        .functions()
        .map(|(function, _)| function)
        .find(|&function| path_of(project, function) == path)
        .expect("the test names a function of its project")
}
