//! The order in which bases are searched, and what they make of a class.

use rustc_hash::FxHashMap;

use super::classes::ClassKind;
use super::{ClassRef, Project, Target};
use crate::code::ir::ExprKind;

/// The class and its bases, depth first; of one that is reached twice the last place counts, as in
/// `class D(B, C)` where `B` and `C` share a base.
pub(super) fn lineage(class: ClassRef, bases: &FxHashMap<ClassRef, Vec<Target>>) -> Vec<Target> {
    let mut order = Vec::new();
    let mut open = vec![Target::Class(class)];
    // A class among its own bases, or a tower of diamonds, must not keep this going.
    let mut left = 256;
    while let Some(next) = open.pop()
        && left > 0
    {
        left -= 1;
        if let Target::Class(next) = &next {
            let named = bases.get(next).map(Vec::as_slice).unwrap_or_default();
            open.extend(
                named
                    .iter()
                    .rev()
                    .filter(|base| **base != Target::Class(class))
                    .cloned(),
            );
        }
        order.push(next);
    }
    let mut seen = Vec::new();
    for target in order.into_iter().rev() {
        if !seen.contains(&target) {
            seen.push(target);
        }
    }
    seen.reverse();
    seen
}

/// What the fields mean, by decorators and bases.
pub(super) fn kind(project: &Project, class: ClassRef, lineage: &[Target]) -> ClassKind {
    let is = |target: &Target, names: &[&str]| match target {
        Target::External(path) => names.contains(&path.rsplit('.').next().unwrap_or(path)),
        _ => false,
    };
    if lineage.iter().any(|base| is(base, &["TypedDict"])) {
        return ClassKind::TypedDict;
    }
    if lineage
        .iter()
        .any(|base| is(base, &["BaseModel", "BaseSettings", "SQLModel"]))
    {
        return ClassKind::Model;
    }
    let ir = project.class(class);
    let scope = class.scope(project);
    let module = project.module(class.module);
    let decorated = ir.decorators.iter().any(|&decorator| {
        let callee = match module.kind(decorator) {
            ExprKind::Call { callee, .. } => *callee,
            _ => decorator,
        };
        project
            .resolve_all(scope, callee)
            .iter()
            .any(|target| is(target, &["dataclass", "define", "frozen", "attrs"]))
    });
    if decorated || ir.is_record || lineage.iter().any(|base| is(base, &["NamedTuple", "Struct"])) {
        ClassKind::Dataclass
    } else {
        ClassKind::Plain
    }
}
