//! Which places call which functions, and which loops call a model that way.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::code::flow::paths::{AllPaths, StmtId};
use crate::code::ir::{ExprId, ExprKind, Intrinsic};
use crate::code::project::{ExprRef, FuncRef, Project};

/// The loops in which a model is called, by a call in them or by a function that they call.
pub(super) fn model_loops(
    project: &Project,
    paths: &AllPaths<'_>,
    model_calls: &FxHashSet<ExprRef>,
    sites: &[Site],
) -> FxHashSet<(FuncRef, StmtId)> {
    let mut by_callee: FxHashMap<FuncRef, Vec<ExprRef>> = FxHashMap::default();
    for site in sites {
        by_callee.entry(site.callee).or_default().push(site.at);
    }
    let mut loops = FxHashSet::default();
    let mut reached: FxHashSet<FuncRef> = FxHashSet::default();
    let mut open: Vec<ExprRef> = model_calls.iter().copied().collect();
    while let Some(call) = open.pop() {
        let function = project.owner(call);
        let here = paths.function(function);
        if let Some(stmt) = here.stmt_of(call.expr) {
            loops.extend(here.enclosing_loops(stmt).map(|found| (function, found)));
        }
        if reached.insert(function) {
            open.extend(by_callee.get(&function).into_iter().flatten());
        }
    }
    loops
}

/// A place that calls a function, or hands it to something that does at once.
#[derive(Debug)]
pub(super) struct Site {
    pub(super) at: ExprRef,
    pub(super) callee: FuncRef,
}

pub(super) fn call_sites(project: &Project) -> Vec<Site> {
    let mut sites = Vec::new();
    for (ix, module) in project.modules() {
        for (index, expr) in module.exprs.iter().enumerate() {
            let ExprKind::Call { idiom, .. } = &expr.kind else {
                continue;
            };
            let at = ExprRef {
                module: ix,
                expr: ExprId(index as u32),
            };
            sites.extend(project.callees_of(at).iter().map(|&callee| Site { at, callee }));
            if let Some(idiom) = idiom
                && matches!(idiom.op, Intrinsic::Run | Intrinsic::Map | Intrinsic::Filter)
                && let Some(&given) = idiom.operands.first()
            {
                let given = ExprRef {
                    module: ix,
                    expr: given,
                };
                let functions = project.functions_named_by(given);
                sites.extend(functions.into_iter().map(|callee| Site { at, callee }));
            }
        }
    }
    sites
}
