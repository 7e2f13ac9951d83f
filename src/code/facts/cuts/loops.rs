//! Lists that are filled with a part of the messages: under a budget, or by a condition on each message.

use super::{Finder, Keeps, Means, Seen, boundary, bounds};
use crate::code::flow::iteration::iteration;
use crate::code::flow::paths::{ExitKind, StmtId};
use crate::code::flow::predicate::{Kinds, Subject};
use crate::code::ir::{ExprId, ExprKind, Intrinsic, Name};
use crate::code::project::{ExprRef, FuncRef};

impl Finder<'_, '_> {
    /// A list that is filled with the messages of another one until a budget is used up, or without
    /// those that a condition drops.
    pub(super) fn rebuilt(&mut self, function: FuncRef, stmt: StmtId, target: ExprId, iter: ExprId) {
        let facts = self.facts;
        let module = facts.module(function.module);
        let paths = facts.paths.function(function);
        let Some(over) = iteration(module, iter) else { return };
        let at = |expr: ExprId| ExprRef {
            module: function.module,
            expr,
        };
        let list = at(over.list);
        if self.confidence(list).is_none() {
            return;
        }
        let (subject, _) = boundary::subject_of(facts, function, target, iter);
        let Some(subject) = subject else { return };
        let mut kept = None;
        let mut added_at = None;
        for inner in paths
            .stmts()
            .filter(|&inner| inner != stmt && paths.contains(stmt, inner))
        {
            for expr in paths.own_exprs_in(inner) {
                if let ExprKind::Call { idiom: Some(idiom), .. } = module.kind(expr)
                    && let (Intrinsic::Append | Intrinsic::Insert, [into, .., value]) = (idiom.op, &idiom.operands[..])
                    && matches!(module.kind(*value), ExprKind::Name(name) if *name == subject)
                {
                    kept = Some(at(*into));
                    added_at = Some(inner);
                }
            }
        }
        let (Some(kept), Some(added_at)) = (kept, added_at) else {
            return;
        };
        let subjects = vec![subject.clone()];
        let has_pairs = self.has_pairs(list) || self.has_pairs(kept);
        let guards_inside = |stmt_at: StmtId| {
            paths.guards_at(stmt_at).into_iter().filter(|guard| {
                paths
                    .stmt_of(guard.cond)
                    .is_some_and(|of| of != stmt && paths.contains(stmt, of))
            })
        };
        let tested = |cond: ExprId| !boundary::tests(facts, at(cond), true, &subjects).is_empty();
        let breaks = paths
            .early_exits(stmt)
            .into_iter()
            .filter(|exit| exit.kind == ExitKind::Break);
        for exit in breaks {
            let Some(leaves) = exit.at else { continue };
            let guards: Vec<_> = guards_inside(leaves).collect();
            if guards.iter().any(|guard| tested(guard.cond)) {
                continue;
            }
            if let Some(guard) = guards.iter().find(|guard| bounds::has_order(facts, at(guard.cond))) {
                let bound = bounds::Bound {
                    measured: true,
                    ..bounds::Bound::default()
                };
                let keeps = if over.backward { Keeps::Newest } else { Keeps::Oldest };
                let kept = self.places(kept);
                self.add(&Seen {
                    site: at(guard.cond),
                    list,
                    means: Means::Rebuild,
                    keeps,
                    bound,
                    kept,
                });
                return;
            }
        }
        // Messages that are dropped one by one.
        let guards: Vec<_> = guards_inside(added_at).collect();
        let dropping = guards.iter().find(|guard| bounds::has_order(facts, at(guard.cond)));
        if let Some(guard) = dropping
            && has_pairs
            && !guards.iter().any(|guard| tested(guard.cond))
        {
            let bound = bounds::Bound {
                measured: true,
                ..bounds::Bound::default()
            };
            let kept = self.places(kept);
            self.add(&Seen {
                site: at(guard.cond),
                list,
                means: Means::Filter,
                keeps: Keeps::Some,
                bound,
                kept,
            });
        }
    }

    /// `[m for m in xs if m.sent > since]`.
    pub(super) fn filter(&mut self, expr: ExprRef) {
        let facts = self.facts;
        let ExprKind::Comprehension { element, clauses, .. } = facts.kind(expr) else {
            return;
        };
        let [clause] = &clauses[..] else { return };
        let Some(over) = iteration(facts.module(expr.module), clause.iter) else {
            return;
        };
        let list = facts.beside(expr, over.list);
        let has_pairs = self.has_pairs(list);
        if self.confidence(list).is_none()
            || !has_pairs
            || !matches!(facts.kind(facts.beside(expr, *element)), ExprKind::Name(_))
        {
            return;
        }
        let (subject, position) = boundary::subject_of(facts, facts.owner(expr), clause.target, clause.iter);
        let subjects: Vec<_> = subject.into_iter().collect();
        let tested = clause
            .conditions
            .iter()
            .any(|cond| !boundary::tests(facts, facts.beside(expr, *cond), true, &subjects).is_empty());
        if let Some(cond) = clause
            .conditions
            .iter()
            .find(|cond| self.drops_results(facts.beside(expr, **cond), &subjects))
        {
            let bound = bounds::Bound {
                counted: true,
                ..bounds::Bound::default()
            };
            self.add(&Seen {
                site: facts.beside(expr, *cond),
                list,
                means: Means::Half,
                keeps: Keeps::Some,
                bound,
                kept: vec![facts.node(expr)],
            });
            return;
        }
        let ordered = clause
            .conditions
            .iter()
            .find(|cond| bounds::has_order(facts, facts.beside(expr, **cond)));
        let Some(cond) = ordered.filter(|_| !tested) else {
            return;
        };
        let at = facts.beside(expr, *cond);
        let bound = match position.filter(|_| over.pairs || over.positions) {
            Some(_) => bounds::judge(facts, expr, at, has_pairs),
            None => bounds::Bound {
                measured: true,
                ..bounds::Bound::default()
            },
        };
        let bound = bounds::Bound {
            measured: true,
            ..bound
        };
        self.add(&Seen {
            site: at,
            list,
            means: Means::Filter,
            keeps: Keeps::Some,
            bound,
            kept: vec![facts.node(expr)],
        });
    }

    /// Whether a condition drops every result of a tool and keeps the calls.
    pub(super) fn drops_results(&self, cond: ExprRef, subjects: &[Name]) -> bool {
        let tests = boundary::tests(self.facts, cond, true, subjects);
        let drops = |accepts: Kinds| accepts.has(Kinds::ASSISTANT) && !accepts.meets(Kinds::RESULTS);
        // The whole condition counts: one that drops some of the results has a reason.
        let whole = subjects.iter().all(|subject| {
            let predicate = self.facts.predicates.of(cond, &Subject::named(subject.clone()));
            !predicate.accepts.meets(Kinds::RESULTS)
        });
        matches!(&tests[..], [only] if drops(only.predicate.accepts)) && whole
    }
}
