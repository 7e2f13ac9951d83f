//! Positions and lengths of a list that are used when the list has become another one.

mod anchors;
mod background;
mod lengths;
mod loops;
mod positions;

use super::Facts;
use super::edits::EditKind;
use crate::code::flow::paths::StmtId;
use crate::code::ir::{ExprId, ExprKind, Name, StmtKind};
use crate::code::project::{ExprRef, FuncRef};
use crate::finding::Confidence;

/// Why a position does not mean what it did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum StaleKind {
    /// Elements are taken out of the list that the loop runs over.
    Iterated,
    /// It was looked up before elements were taken out.
    Position,
    /// It is a length from before something ran that may shorten the list.
    Length,
    /// It is kept in a field beside the list, which is shortened without it.
    Anchor,
    /// The whole list is replaced by what was made of an earlier state of it.
    Replaced,
}

/// One use of a position that no longer means what it did.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stale {
    /// Why.
    pub(crate) kind: StaleKind,
    /// The use; for a loop the list that it runs over, for a field the place where the list alone is
    /// shortened.
    pub(crate) at: ExprRef,
    /// Where the position comes from: the look-up, the length, the use of the field; for a loop the removal.
    pub(crate) from: ExprRef,
    /// What changes the list in between; for a replaced list, where the worker is started.
    pub(crate) changed: Option<ExprRef>,
    /// How sure it is.
    pub(crate) confidence: Confidence,
}

impl Facts<'_> {
    /// All uses of positions that no longer mean what they did.
    pub(crate) fn stale_positions(&self) -> Vec<Stale> {
        let mut found = Vec::new();
        for (function, _) in self.project.functions() {
            self.removed_while_iterated(function, &mut found);
            self.used_behind_removal(function, &mut found);
            self.lengths_from_before(function, &mut found);
        }
        self.anchors_left_behind(&mut found);
        self.replaced_by_worker(&mut found);
        found
    }

    /// How sure it is that a list is a history, by what stands around it.
    pub(super) fn near_history(&self, list: ExprRef) -> Option<Confidence> {
        self.histories().confidence(self.node(list))?;
        let near = self.histories().near(&self.graph, self.node(list)).confidence;
        near.filter(|sure| *sure >= Confidence::Medium)
    }

    /// The statements of a function that give a variable a value.
    pub(super) fn definitions(&self, function: FuncRef, name: &Name) -> Vec<StmtId> {
        let paths = self.paths.function(function);
        let module = self.module(function.module);
        let binds = |target: &ExprId| match module.kind(*target) {
            ExprKind::Name(bound) => bound == name,
            ExprKind::List { items, .. } => items
                .iter()
                .any(|item| matches!(module.kind(item.value), ExprKind::Name(bound) if bound == name)),
            _ => false,
        };
        let defines = |stmt: &StmtId| match &paths.stmt(*stmt).kind {
            StmtKind::Assign { targets, .. } => targets.iter().any(binds),
            StmtKind::Update { target, .. } | StmtKind::For { target, .. } => binds(target),
            _ => false,
        };
        let binds_inside = |stmt: &StmtId| {
            paths
                .own_exprs_in(*stmt)
                .any(|expr| matches!(module.kind(expr), ExprKind::Bind { target, .. } if binds(target)))
        };
        paths
            .stmts()
            .filter(|stmt| defines(stmt) || binds_inside(stmt))
            .collect()
    }

    /// Whether an expression speaks of a variable.
    pub(super) fn mentions(&self, within: ExprRef, name: &Name) -> bool {
        let module = self.module(within.module);
        let mut open = vec![within.expr];
        while let Some(expr) = open.pop() {
            if matches!(module.kind(expr), ExprKind::Name(found) if found == name) {
                return true;
            }
            open.extend(module.children(expr));
        }
        false
    }
}
