//! Notices about how far a run has come: the last steps, the limit that is reached.

use super::emission::CALLERS;
use super::{Cause, Construction, Facts, Snapshot, SnapshotOf};
use crate::code::flow::paths::StmtId;
use crate::code::ir::{CompareOp, ExprKind, StmtKind, TemplatePart};
use crate::code::project::{ExprRef, FuncRef};
use crate::code::vocabulary::{Granularity, Role, Runs};

impl Facts<'_> {
    /// What a message of the program's own words tells by when it is written: that a loop which calls
    /// the model has run out, or how often it ran.
    pub(crate) fn limit_notice(&self, made: &Construction) -> Option<Snapshot> {
        let content = made.content?;
        let is_plain = made.base.is_none() && !made.removal && !made.is_tool_result(self);
        let by_program = matches!(made.role, Some(Role::System | Role::User)) && self.is_written_here(content);
        if !is_plain || !by_program {
            return None;
        }
        let by_guard = self.counted_guard(made.expr).filter(|_| !self.ends_loop(made.expr));
        let at = by_guard.or_else(|| self.loop_run_out(made.expr))?;
        Some(Snapshot {
            of: SnapshotOf::Volatile(Cause::Counter, Granularity::Exact),
            at,
            sure: false,
            runs: self.runs(made.expr),
        })
    }

    /// Whether a text stands in the program, word for word.
    fn is_written_here(&self, content: ExprRef) -> bool {
        match self.kind(content) {
            ExprKind::Template(parts) => parts
                .iter()
                .any(|part| matches!(part, TemplatePart::Text(text) if text.split_whitespace().count() > 3)),
            ExprKind::List { items, .. } => items
                .iter()
                .all(|item| self.is_written_here(self.beside(content, item.value))),
            ExprKind::Dict(entries) => entries
                .iter()
                .any(|(_, value)| self.is_written_here(self.beside(content, *value))),
            _ => self
                .project
                .constant(content)
                .is_some_and(|text| text.split_whitespace().count() > 3),
        }
    }

    /// The condition on the way to an expression that compares a count of calls with a limit.
    fn counted_guard(&self, expr: ExprRef) -> Option<ExprRef> {
        self.guards_around(expr, CALLERS).into_iter().find_map(|(at, guard)| {
            let cond = self.beside(at, guard.cond);
            let ExprKind::Compare { op, left, right } = self.kind(cond) else {
                return None;
            };
            let orders = matches!(
                op,
                CompareOp::Eq | CompareOp::Less | CompareOp::LessEq | CompareOp::Greater | CompareOp::GreaterEq
            );
            let pairs = [(*left, *right), (*right, *left)];
            let counts = pairs
                .into_iter()
                .any(|(count, limit)| self.is_count_near_limit(self.beside(cond, count), self.beside(cond, limit)));
            (orders && counts).then_some(cond)
        })
    }

    /// Whether the loop around an expression is left right behind it, and nobody calls the model before: what
    /// is said there is how the run ended.
    fn ends_loop(&self, expr: ExprRef) -> bool {
        let owner = self.owner(expr);
        let paths = self.paths.function(owner);
        let Some(here) = paths.stmt_of(expr.expr) else {
            return false;
        };
        let behind = paths.following(here);
        let leaves = behind
            .last()
            .is_some_and(|last| matches!(paths.stmt(*last).kind, StmtKind::Break));
        leaves && !behind.iter().any(|stmt| self.calls_model_in(owner, *stmt))
    }

    /// A count that is compared with a limit, or that falls to a number; `attempt > 0` is no limit.
    fn is_count_near_limit(&self, count: ExprRef, limit: ExprRef) -> bool {
        let number = matches!(self.kind(limit), ExprKind::Literal(_));
        let mut sources = self.volatile_sources(self.node(count)).into_iter();
        sources.any(|source| source.cause == Cause::Counter && (!number || self.counts_down(source.at)))
    }

    /// `range(limit, 0, -1)`
    fn counts_down(&self, range: ExprRef) -> bool {
        match self.kind(range) {
            ExprKind::Call { idiom: Some(idiom), .. } => idiom.operands.get(2).is_some_and(|step| {
                crate::code::flow::iteration::integer(self.module(range.module), *step).is_some_and(|step| step < 0)
            }),
            _ => false,
        }
    }

    /// The head of a loop that calls the model and was left by nothing, where the model is called once
    /// more behind the expression.
    pub(crate) fn loop_run_out(&self, expr: ExprRef) -> Option<ExprRef> {
        let owner = self.owner(expr);
        let paths = self.paths.function(owner);
        let here = paths.stmt_of(expr.expr)?;
        if paths.enclosing_loops(here).next().is_some() {
            return None;
        }
        let before = std::iter::once(here).chain(paths.parents(here).map(|(parent, _)| parent));
        let run_out = before
            .flat_map(|stmt| paths.preceding(stmt))
            .find(|stmt| self.frequencies.calls_model(owner, **stmt) && !paths.early_exits(**stmt).is_empty())?;
        let again = paths
            .following(here)
            .iter()
            .any(|stmt| self.calls_model_in(owner, *stmt));
        let head = match &paths.stmt(*run_out).kind {
            StmtKind::For { iter, .. } => *iter,
            StmtKind::While { cond, .. } => *cond,
            _ => return None,
        };
        again.then(|| self.beside(expr, head))
    }

    /// Whether a statement calls the model, itself or by a function.
    fn calls_model_in(&self, owner: FuncRef, stmt: StmtId) -> bool {
        self.paths.function(owner).exprs_in(stmt).any(|expr| {
            let call = ExprRef {
                module: owner.module,
                expr,
            };
            let by_function = || {
                let mut called = self.project.callees_of(call).iter();
                called.any(|function| {
                    self.frequencies
                        .function(*function)
                        .is_some_and(|found| found.runs >= Runs::Call)
                })
            };
            self.runs_model(call) || by_function()
        })
    }
}
