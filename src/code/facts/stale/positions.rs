//! Positions that were looked up before elements were taken out of the list, and used after.

use super::{Stale, StaleKind};
use crate::code::facts::Facts;
use crate::code::facts::edits::{Edit, EditKind};
use crate::code::flow::graph::Flow;
use crate::code::flow::paths::{StmtId, When};
use crate::code::flow::predicate::same_spelling;
use crate::code::flow::reach::{Direction, reach};
use crate::code::ir::{ExprId, ExprKind, Intrinsic, Name, StmtKind};
use crate::code::project::{ExprRef, FuncRef};

impl Facts<'_> {
    pub(super) fn used_behind_removal(&self, function: FuncRef, found: &mut Vec<Stale>) {
        let removals: Vec<Edit> = self
            .edits_in(function)
            .into_iter()
            .filter(|edit| {
                let by_place = matches!(edit.kind, EditKind::Pop | EditKind::Delete) && edit.index.is_some();
                by_place || edit.kind == EditKind::RemoveValue
            })
            .collect();
        if removals.is_empty() {
            return;
        }
        let paths = self.paths.function(function);
        let module = self.module(function.module);
        for stmt in paths.stmts() {
            for expr in paths.own_exprs_in(stmt) {
                let ExprKind::Index { base, index } = module.kind(expr) else {
                    continue;
                };
                let ExprKind::Name(position) = module.kind(*index) else {
                    continue;
                };
                let at = |expr: ExprId| ExprRef {
                    module: function.module,
                    expr,
                };
                let removal = removals.iter().find(|removal| {
                    same_spelling(module, removal.list.expr, *base)
                        && removal.site.expr != expr
                        && !self.is_place_of_removed(function, position, stmt, removal)
                        && self.is_from_before(function, position, stmt, removal)
                });
                let Some(removal) = removal else { continue };
                let Some(confidence) = self.near_history(at(*base)) else {
                    continue;
                };
                let Some(looked_up) = self.looked_up(at(*index), at(*base)) else {
                    continue;
                };
                if !found.iter().any(|one| one.changed == Some(removal.site)) {
                    found.push(Stale {
                        kind: StaleKind::Position,
                        at: at(expr),
                        from: looked_up,
                        changed: Some(removal.site),
                        confidence,
                    });
                }
            }
        }
    }

    /// Whether a variable still names the place where something was taken out: what is put there takes
    /// its place.
    fn is_place_of_removed(&self, function: FuncRef, name: &Name, read: StmtId, removal: &Edit) -> bool {
        let paths = self.paths.function(function);
        let module = self.module(function.module);
        let is_place = removal
            .index
            .is_some_and(|gone| matches!(module.kind(gone.expr), ExprKind::Name(place) if place == name));
        let Some(removed) = paths.stmt_of(removal.site.expr) else {
            return false;
        };
        is_place
            && self.definitions(function, name).iter().all(|definition| {
                let renewed = paths.stmt_order(removed, *definition).when == When::Before;
                let of_loop = paths.contains(*definition, removed) && !paths.contains(*definition, read);
                !renewed && !of_loop
            })
    }

    /// Whether a variable got its value before a removal and is read behind it.
    fn is_from_before(&self, function: FuncRef, name: &Name, read: StmtId, removal: &Edit) -> bool {
        let paths = self.paths.function(function);
        let Some(removed) = paths.stmt_of(removal.site.expr) else {
            return false;
        };
        let behind = |a: StmtId, b: StmtId| paths.stmt_order(a, b).when == When::Before;
        if !behind(removed, read) || paths.same_loop(removed, read).is_some() {
            return false;
        }
        // A loop over a list of positions: what counts is when that list was made.
        let source = paths
            .enclosing_loops(read)
            .chain([read])
            .find_map(|around| self.positions_behind(function, around, name));
        let name = source.as_ref().unwrap_or(name);
        let definitions = self.definitions(function, name);
        !definitions.is_empty()
            && definitions
                .iter()
                .all(|definition| behind(*definition, removed) && !behind(removed, *definition))
            && definitions.iter().all(|definition| !paths.contains(*definition, read))
    }

    /// The variable with the positions that a loop gives to `name` one by one.
    fn positions_behind(&self, function: FuncRef, around: StmtId, name: &Name) -> Option<Name> {
        let paths = self.paths.function(function);
        let module = self.module(function.module);
        let StmtKind::For { target, iter, .. } = &paths.stmt(around).kind else {
            return None;
        };
        let target = ExprRef {
            module: function.module,
            expr: *target,
        };
        if !self.mentions(target, name) {
            return None;
        }
        let mut source = *iter;
        while let ExprKind::Call { idiom: Some(idiom), .. } = module.kind(source) {
            let orders = matches!(
                idiom.op,
                Intrinsic::Reversed | Intrinsic::Sorted | Intrinsic::Copy | Intrinsic::ToSet | Intrinsic::Pass
            );
            source = *idiom.operands.first().filter(|_| orders)?;
        }
        match module.kind(source) {
            ExprKind::Name(source) => Some(source.clone()),
            _ => None,
        }
    }

    /// Where a position in a list was looked up, if that is what a value is.
    fn looked_up(&self, position: ExprRef, list: ExprRef) -> Option<ExprRef> {
        let mut from = None;
        let histories = self.histories();
        let _ = reach(
            &self.graph,
            self.node(position),
            Direction::Backward,
            |flow, _, held, next| {
                if flow == Flow::Position {
                    if from.is_none() && histories.same(next, self.node(list)) {
                        from = self.graph.as_expr(next);
                    }
                    return false;
                }
                held.len() < 3
                    && matches!(
                        flow,
                        Flow::Same
                            | Flow::Enter(_)
                            | Flow::Leave(_)
                            | Flow::Element
                            | Flow::Into
                            | Flow::Part(_)
                            | Flow::Load(_)
                            | Flow::Store(_)
                    )
            },
        );
        from
    }
}
