//! What is done to every message of a request because of the one that a search found.

use super::{Facts, Scan, Yield};
use crate::code::flow::graph::Flow;
use crate::code::flow::iteration::iteration;
use crate::code::flow::paths::{Slot, StmtId};
use crate::code::flow::reach::{Direction, reach};
use crate::code::ir::{ExprId, ExprKind, StmtKind};
use crate::code::project::{ExprRef, FuncRef};
use crate::code::vocabulary::Field;

impl Facts<'_> {
    /// Where all messages of the list are changed alike, or the request that holds the list is, for what
    /// one field of the match says. Whether there is a match at all decides nothing of the kind.
    pub(crate) fn setting_decided_by(&self, scan: &Scan) -> Option<ExprRef> {
        if scan.conditions.is_empty() {
            return None;
        }
        let owner = self.owner(scan.site);
        let asked = self.conditions_on_part(scan, owner);
        if asked.is_empty() {
            return None;
        }
        let paths = self.paths.function(owner);
        paths.stmts().find_map(|stmt| {
            let written = self.is_for_all(scan, owner, stmt)?;
            let decided = paths.guards_at(stmt).iter().any(|guard| asked.contains(&guard.cond));
            decided.then_some(self.beside(scan.site, written))
        })
    }

    /// The conditions of the function around a search that ask for a part of the match.
    fn conditions_on_part(&self, scan: &Scan, owner: FuncRef) -> Vec<ExprId> {
        let mut conditions = Vec::new();
        for result in &scan.results {
            let reached = reach(&self.graph, *result, Direction::Forward, |flow, _, held, _| {
                held.is_empty() && matches!(flow, Flow::Same | Flow::Load(_) | Flow::Test | Flow::Opaque)
            });
            for one in &reached {
                let says_part = match one.via.load {
                    Some(field) => !matches!(
                        self.vocabulary.field(self.graph.symbol_name(field)),
                        Some(Field::Role(_) | Field::Id | Field::Content)
                    ),
                    None => scan.yields == Yield::Part,
                };
                let Some(expr) = self.graph.as_expr(one.node).filter(|_| says_part) else {
                    continue;
                };
                if self.owner(expr) == owner {
                    conditions.push(expr.expr);
                }
            }
        }
        conditions
    }

    /// What a statement writes, where that is the same field of all messages of the list, or a field of
    /// what holds the list.
    fn is_for_all(&self, scan: &Scan, owner: FuncRef, stmt: StmtId) -> Option<ExprId> {
        let paths = self.paths.function(owner);
        let list = self.path(scan.list)?;
        let written = |stmt: StmtId| match &paths.stmt(stmt).kind {
            StmtKind::Assign { targets, .. } | StmtKind::Delete(targets) => targets.first().copied(),
            _ => None,
        };
        if let StmtKind::For { iter, .. } = &paths.stmt(stmt).kind {
            let over = iteration(self.module(owner.module), *iter)?;
            if self.path(self.beside(scan.site, over.list))? != list {
                return None;
            }
            let inside = |id: &StmtId| {
                paths
                    .parents(*id)
                    .any(|(outer, slot)| outer == stmt && slot == Slot::Loop)
            };
            return paths
                .stmts()
                .filter(inside)
                .filter_map(written)
                .find(|target| self.is_part_of_other(scan, *target));
        }
        let target = written(stmt)?;
        let ExprKind::Attribute { base, .. } = self.kind(self.beside(scan.site, target)) else {
            return None;
        };
        let holder = self.path(self.beside(scan.site, *base))?;
        let is_holder = list.strip_prefix(&*holder).is_some_and(|rest| rest.starts_with('.'));
        let of_receiver = self.project.function(owner).has_receiver
            && self
                .project
                .function(owner)
                .params
                .first()
                .is_some_and(|own| own.name == holder);
        let whole_list = self
            .path(self.beside(scan.site, target))
            .is_some_and(|path| path == list);
        (is_holder && !of_receiver && !whole_list).then_some(target)
    }

    /// Whether a target is a field of something else than the list.
    fn is_part_of_other(&self, scan: &Scan, target: ExprId) -> bool {
        match self.kind(self.beside(scan.site, target)) {
            ExprKind::Attribute { .. } => true,
            ExprKind::Index { index, .. } => self.text(self.beside(scan.site, *index)).is_some(),
            _ => false,
        }
    }
}
