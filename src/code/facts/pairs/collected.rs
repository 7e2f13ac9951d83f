//! Results that are collected first: left out for a call, or put under the id of another one.

use super::{Addition, Search, Split, SplitAt, SplitKind};
use crate::code::facts::fields::field_read;
use crate::code::flow::paths::{ExitKind, StmtId};
use crate::code::flow::predicate::same_spelling;
use crate::code::ir::{CompareOp, ExprId, ExprKind, Intrinsic, Name, StmtKind};
use crate::code::vocabulary::{Field, Role};

impl Search<'_, '_> {
    /// A list of results that is filled in a loop over the calls, and goes into one message: a way
    /// through the loop that adds none.
    pub(super) fn skipped(&self) -> Vec<Split> {
        let mut found = Vec::new();
        for Addition {
            by,
            list,
            value,
            extends,
            ..
        } in self.additions()
        {
            let made = self.facts.construction(self.at(value));
            let results = match made {
                Some(made) if made.role == Some(Role::User) => made.content.map(|content| content.expr),
                None if extends => Some(value),
                _ => None,
            };
            let Some(results) = results else { continue };
            let ExprKind::Name(name) = self.kind(results) else {
                continue;
            };
            let Some(confidence) = self.sure(list) else {
                continue;
            };
            for stmt in self.paths.stmts() {
                if !matches!(self.paths.stmt(stmt).kind, StmtKind::For { .. }) {
                    continue;
                }
                if let Some(at) = self.skips(stmt, name) {
                    let at = SplitAt::Stmt(self.function, at);
                    let kind = SplitKind::Escape(ExitKind::Continue);
                    found.push(Split {
                        kind,
                        at,
                        because: self.at(by),
                        confidence,
                    });
                }
            }
        }
        found
    }

    /// The statement of a loop that leaves a call without its result in the list.
    pub(super) fn skips(&self, around: StmtId, results: &Name) -> Option<StmtId> {
        let inside = |stmt: &StmtId| *stmt != around && self.paths.contains(around, *stmt);
        let adds: Vec<StmtId> = self
            .paths
            .stmts()
            .filter(inside)
            .filter(|stmt| {
                self.paths.own_exprs_in(*stmt).any(|expr| match self.kind(expr) {
                    ExprKind::Call { idiom: Some(idiom), .. } if idiom.op == Intrinsic::Append => {
                        let [list, value] = idiom.operands[..] else {
                            return false;
                        };
                        matches!(self.kind(list), ExprKind::Name(other) if other == results)
                            && (self.mentions_result_block(value)
                                || self
                                    .facts
                                    .construction(self.at(value))
                                    .is_some_and(|made| made.is_tool_result(self.facts)))
                    }
                    _ => false,
                })
            })
            .collect();
        if adds.is_empty() {
            return None;
        }
        self.paths.stmts().filter(inside).find(|stmt| {
            let leaves = matches!(self.paths.stmt(*stmt).kind, StmtKind::Continue)
                && self.paths.enclosing_loops(*stmt).next() == Some(around);
            let answered = adds.iter().any(|add| self.paths.preceding(*stmt).contains(add));
            // What is no call needs no result.
            let of_kind = self.paths.guards_at(*stmt).iter().any(|guard| {
                self.paths
                    .stmt_of(guard.cond)
                    .is_some_and(|of| self.paths.contains(around, of))
                    && self.paths.contains(around, *stmt)
                    && self.decides_kind(guard.cond, guard.holds)
            });
            leaves && !answered && !of_kind
        })
    }

    /// Whether a condition that comes out so says that a block is no call.
    pub(super) fn decides_kind(&self, cond: ExprId, holds: bool) -> bool {
        let says_call = match self.kind(cond) {
            ExprKind::Compare { op, .. } => matches!(op, CompareOp::Eq | CompareOp::Is | CompareOp::In) == holds,
            _ => holds,
        };
        !says_call && self.mentions_call_block(cond)
            || matches!(self.kind(cond), ExprKind::Compare { .. } | ExprKind::TypeTest { .. })
                && !self.mentions_call_block(cond)
                && self.mentions_role_or_type(cond)
    }

    pub(super) fn mentions_role_or_type(&self, cond: ExprId) -> bool {
        self.inside(cond).any(|inner| {
            field_read(self.facts, self.at(inner))
                .is_some_and(|(_, name)| matches!(self.facts.vocabulary.field(&name), Some(Field::Role(_))))
        })
    }

    /// `for call, result in zip([call], results)`: one call, all results.
    pub(super) fn misaligned(&self) -> Vec<Split> {
        let mut found = Vec::new();
        for stmt in self.paths.stmts() {
            let StmtKind::For { iter, .. } = self.paths.stmt(stmt).kind else {
                continue;
            };
            let ExprKind::Call { idiom: Some(idiom), .. } = self.kind(iter) else {
                continue;
            };
            if idiom.op != Intrinsic::Zip || idiom.operands.len() != 2 {
                continue;
            }
            let single = |expr: ExprId| matches!(self.kind(expr), ExprKind::List { items, .. } if matches!(&items[..], [only] if !only.spread));
            let (one, many) = match idiom.operands[..] {
                [a, b] if single(a) => (a, b),
                [a, b] if single(b) => (b, a),
                _ => continue,
            };
            let outer = self
                .paths
                .enclosing_loops(stmt)
                .any(|around| match self.paths.stmt(around).kind {
                    StmtKind::For { iter, .. } => same_spelling(self.facts.module(self.function.module), iter, many),
                    _ => false,
                });
            let adds = self.additions().into_iter().find(|added| {
                self.paths.contains(stmt, added.stmt)
                    && self
                        .facts
                        .made_behind(self.at(added.value))
                        .is_some_and(|made| made.is_tool_result(self.facts))
            });
            if let Some(Addition { list, .. }) = adds
                && outer
                && let Some(confidence) = self.sure(list)
            {
                let at = SplitAt::Expr(self.at(iter));
                found.push(Split {
                    kind: SplitKind::Misaligned,
                    at,
                    because: self.at(one),
                    confidence,
                });
            }
        }
        found
    }
}
