//! Slices: what they leave, and those that only look like cuts.

use super::{Finder, Keeps, Means, Seen, bounds};
use crate::code::facts::Facts;
use crate::code::flow::graph::Flow;
use crate::code::flow::iteration::integer;
use crate::code::flow::predicate::same_spelling;
use crate::code::flow::reach::{Direction, reach};
use crate::code::ir::{BinaryOp, ExprId, ExprKind, Intrinsic, StmtKind};
use crate::code::project::ExprRef;

impl Finder<'_, '_> {
    pub(super) fn slice(&mut self, expr: ExprRef, base: ExprId, start: Option<ExprId>, end: Option<ExprId>) {
        let facts = self.facts;
        let list = facts.beside(expr, base);
        if self.confidence(list).is_none() {
            return;
        }
        let module = facts.module(expr.module);
        let number = |bound: Option<ExprId>| bound.and_then(|bound| integer(module, bound));
        let deleted = self.is_deleted(expr);
        // A slice that only takes an end off, or one message, cuts nothing.
        let trivial = match (start, end) {
            (None, None) => true,
            (Some(start), None) => number(Some(start)).is_some_and(|from| (-1..=2).contains(&from)),
            (None, Some(end)) => number(Some(end)).is_some_and(|to| (-2..=1).contains(&to)),
            (Some(start), Some(end)) => {
                let (from, to) = (number(Some(start)), number(Some(end)));
                from.is_some_and(|from| (0..=2).contains(&from))
                    && to.is_some_and(|to| (-2..=3).contains(&to))
                    && !self.is_alone_with_ends(expr)
            }
        };
        let trivial = trivial || start.is_none() && end.is_some_and(|end| self.is_all_but_last(list, end));
        let removed = self.is_removed(expr);
        let only_taken = !deleted && !removed && (trivial || self.has_rest(expr) || self.is_head_beside_tail(expr));
        if only_taken || self.is_insertion(expr) || self.is_searched(expr) {
            return;
        }
        let has_pairs = self.has_pairs(list);
        let start_bound = start.map(|bound| bounds::judge(facts, expr, facts.beside(expr, bound), has_pairs));
        let end_bound = end.map(|bound| bounds::judge(facts, expr, facts.beside(expr, bound), has_pairs));
        let bound = match (start_bound, end_bound) {
            (Some(start), Some(end)) => {
                let start_counts = start.is_amount(facts) && number_of(facts, expr, true).is_none_or(|from| from > 2);
                if end.is_amount(facts) || !start_counts {
                    end
                } else {
                    start
                }
            }
            (Some(bound), None) | (None, Some(bound)) => bound,
            (None, None) => return,
        };
        if bound.length || !bound.is_amount(facts) {
            return;
        }
        let keeps = match (start.is_some(), end.is_some(), deleted || removed) {
            (true, false, false) | (false, true, true) => Keeps::Newest,
            (false, true, false) | (true, false, true) => Keeps::Oldest,
            _ => Keeps::Some,
        };
        let kept = if deleted {
            self.places(list)
        } else {
            vec![facts.node(expr)]
        };
        self.add(&Seen {
            site: expr,
            list,
            means: Means::Slice,
            keeps,
            bound,
            kept,
        });
    }

    /// `xs[:len(xs) - 1]`, under whatever names.
    fn is_all_but_last(&self, list: ExprRef, end: ExprId) -> bool {
        let facts = self.facts;
        let behind = reach(
            &facts.graph,
            facts.node(facts.beside(list, end)),
            Direction::Backward,
            |flow, _, held, _| held.is_empty() && flow == Flow::Same,
        );
        let mut ends = behind.iter().filter_map(|one| facts.graph.as_expr(one.node));
        ends.any(|expr| match facts.kind(expr) {
            ExprKind::Binary {
                op: BinaryOp::Sub,
                left,
                right,
            } => {
                let of_list = match facts.kind(facts.beside(expr, *left)) {
                    ExprKind::Call { idiom: Some(idiom), .. } if idiom.op == Intrinsic::Len => {
                        let of = idiom.operands.first().map(|of| facts.node(facts.beside(expr, *of)));
                        of.is_some_and(|of| facts.histories().same(of, facts.node(list)))
                    }
                    _ => false,
                };
                of_list && integer(facts.module(expr.module), *right).is_some_and(|number| (0..=2).contains(&number))
            }
            _ => false,
        })
    }

    /// Whether a loop over a slice looks for something in it, and is left when that is found.
    fn is_searched(&self, expr: ExprRef) -> bool {
        let facts = self.facts;
        let paths = facts.paths.function(facts.owner(expr));
        paths.stmt_of(expr.expr).is_some_and(|stmt| {
            let fills = || {
                let mut inside = paths.exprs_in(stmt).map(|inner| facts.kind(facts.beside(expr, inner)));
                inside.any(|kind| {
                    matches!(kind, ExprKind::Call { idiom: Some(idiom), .. }
                        if matches!(idiom.op, Intrinsic::Append | Intrinsic::Insert | Intrinsic::Extend))
                })
            };
            matches!(paths.stmt(stmt).kind, StmtKind::For { .. }) && !paths.early_exits(stmt).is_empty() && !fills()
        })
    }

    /// Whether the messages of a slice are marked for removal: `[RemoveMessage(id=m.id) for m in xs[:-n]]`.
    pub(super) fn is_removed(&self, expr: ExprRef) -> bool {
        let facts = self.facts;
        facts.graph.around(expr).is_some_and(|around| match facts.kind(around) {
            ExprKind::Comprehension { element, clauses, .. } => {
                clauses.iter().any(|clause| clause.iter == expr.expr)
                    && facts
                        .construction(facts.beside(around, *element))
                        .is_some_and(|made| made.removal)
            }
            _ => false,
        })
    }

    /// Whether this slice and the one that goes on where it ends stand in one list: `xs[:i] + [x] + xs[i:]`
    /// cuts nothing.
    pub(super) fn is_insertion(&self, expr: ExprRef) -> bool {
        let facts = self.facts;
        let mut top = expr;
        while let Some(around) = facts.graph.around(top) {
            let joins = match facts.kind(around) {
                ExprKind::Binary { .. } => true,
                ExprKind::List { items, .. } => items.iter().any(|item| item.spread && item.value == top.expr),
                _ => false,
            };
            if !joins {
                break;
            }
            top = around;
        }
        let module = facts.module(expr.module);
        let mut open = vec![top.expr];
        let mut heads = Vec::new();
        let mut tails = Vec::new();
        while let Some(inner) = open.pop() {
            match module.kind(inner) {
                ExprKind::Slice {
                    base,
                    start: None,
                    end: Some(end),
                    ..
                } => heads.push((*base, *end)),
                ExprKind::Slice {
                    base,
                    start: Some(start),
                    end: None,
                    ..
                } => tails.push((*base, *start)),
                _ => open.extend(module.children(inner)),
            }
        }
        heads.iter().any(|(base, end)| {
            tails
                .iter()
                .any(|(list, start)| same_spelling(module, *base, *list) && same_spelling(module, *end, *start))
        })
    }

    /// Whether what this slice leaves out is another slice of the same function: the cut is there.
    pub(super) fn has_rest(&self, expr: ExprRef) -> bool {
        let facts = self.facts;
        let ExprKind::Slice {
            base, end: Some(end), ..
        } = facts.kind(expr)
        else {
            return false;
        };
        let module = facts.module(expr.module);
        let paths = facts.paths.function(facts.owner(expr));
        paths
            .stmts()
            .flat_map(|stmt| paths.own_exprs_in(stmt))
            .any(|other| match module.kind(other) {
                ExprKind::Slice {
                    base: list,
                    start: Some(start),
                    end: None,
                    ..
                } => {
                    same_spelling(module, *base, *list)
                        && (same_spelling(module, *start, *end)
                            || integer(module, *start).is_some_and(|from| integer(module, *end) == Some(from)))
                }
                _ => false,
            })
    }

    /// Whether a fixed number of messages at the head is kept beside a stretch of the tail: the cut is
    /// where that begins.
    fn is_head_beside_tail(&self, expr: ExprRef) -> bool {
        let facts = self.facts;
        let ExprKind::Slice {
            base,
            end: Some(end),
            start: None,
            ..
        } = facts.kind(expr)
        else {
            return false;
        };
        let module = facts.module(expr.module);
        let paths = facts.paths.function(facts.owner(expr));
        integer(module, *end).is_some_and(|end| end > 0)
            && paths.stmts().flat_map(|stmt| paths.own_exprs_in(stmt)).any(|other| {
                matches!(module.kind(other), ExprKind::Slice { base: list, start: Some(_), end: None, .. }
                    if same_spelling(module, *base, *list))
            })
    }

    /// Whether single messages from the end are all that is kept beside a slice of the middle.
    pub(super) fn is_alone_with_ends(&self, expr: ExprRef) -> bool {
        let facts = self.facts;
        let ExprKind::Slice {
            base, end: Some(end), ..
        } = facts.kind(expr)
        else {
            return false;
        };
        let module = facts.module(expr.module);
        let Some(end) = integer(module, *end).filter(|end| *end < 0) else {
            return false;
        };
        let paths = facts.paths.function(facts.owner(expr));
        paths
            .stmts()
            .flat_map(|stmt| paths.own_exprs_in(stmt))
            .any(|other| match module.kind(other) {
                ExprKind::List { items, .. } => items.iter().any(|item| match module.kind(item.value) {
                    ExprKind::Index { base: list, index } => {
                        same_spelling(module, *base, *list) && integer(module, *index) == Some(end)
                    }
                    _ => false,
                }),
                _ => false,
            })
    }

    pub(super) fn is_deleted(&self, expr: ExprRef) -> bool {
        let paths = self.facts.paths.function(self.facts.owner(expr));
        paths.stmt_of(expr.expr).is_some_and(
            |stmt| matches!(&paths.stmt(stmt).kind, StmtKind::Delete(targets) if targets.contains(&expr.expr)),
        )
    }

    /// Whether a slice replaces the whole list where it is: `xs[:] = xs[-n:]`.
    pub(super) fn is_put_back(&self, expr: ExprRef) -> bool {
        let facts = self.facts;
        let paths = facts.paths.function(facts.owner(expr));
        paths
            .stmt_of(expr.expr)
            .is_some_and(|stmt| match &paths.stmt(stmt).kind {
                StmtKind::Assign { targets, .. } => targets.iter().any(|target| {
                    matches!(
                        facts.kind(facts.beside(expr, *target)),
                        ExprKind::Slice {
                            start: None,
                            end: None,
                            ..
                        }
                    )
                }),
                _ => false,
            })
    }
}

/// The number that a slice starts (or ends) with.
fn number_of(facts: &Facts, slice: ExprRef, first: bool) -> Option<i64> {
    let ExprKind::Slice { start, end, .. } = facts.kind(slice) else {
        return None;
    };
    integer(facts.module(slice.module), if first { (*start)? } else { (*end)? })
}
