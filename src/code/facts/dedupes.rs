//! Lists of old and new items in which the older of two with one id is kept.

use super::edits::EditKind;
use super::fields::field_read;
use super::{Facts, Pick};
use crate::code::flow::graph::{Flow, Part};
use crate::code::flow::iteration::iteration;
use crate::code::flow::paths::{Paths, StmtId};
use crate::code::flow::predicate::same_spelling;
use crate::code::flow::reach::{Direction, reach};
use crate::code::ir::{BinaryOp, CompareOp, ExprId, ExprKind, Intrinsic, StmtKind};
use crate::code::project::{ExprRef, FuncRef};
use crate::code::vocabulary::Field;
use crate::finding::Confidence;

/// One such list.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OldestKept {
    /// What runs over the list, the oldest first.
    pub(crate) at: ExprRef,
    /// Where the newer item is passed over.
    pub(crate) passed: ExprRef,
    /// Where the old and the new are joined.
    pub(crate) joined: ExprRef,
    /// How sure it is that they are messages.
    pub(crate) confidence: Confidence,
}

impl Facts<'_> {
    /// All of a project.
    pub(crate) fn oldest_kept(&self) -> Vec<OldestKept> {
        let mut found = Vec::new();
        for (function, _) in self.project.functions() {
            if !self.project.is_test(function) {
                let paths = self.paths.function(function);
                found.extend(paths.stmts().filter_map(|stmt| self.kept_by_loop(function, stmt)));
            }
        }
        for at in self.exprs() {
            if !self.is_test(at) {
                found.extend(self.kept_by_filter(at).or_else(|| self.kept_by_set(at)));
            }
        }
        found
    }

    /// A loop from the oldest item on that passes over whatever has an id that was seen before.
    fn kept_by_loop(&self, function: FuncRef, around: StmtId) -> Option<OldestKept> {
        let paths = self.paths.function(function);
        let StmtKind::For { target, iter, .. } = &paths.stmt(around).kind else {
            return None;
        };
        // A loop around it goes from one record of the list to the next: they are all of the same age.
        if paths.enclosing_loops(around).any(|outer| outer != around) {
            return None;
        }
        let at = |expr| ExprRef {
            module: function.module,
            expr,
        };
        let over = iteration(self.module(function.module), *iter)?;
        if over.backward || over.reordered {
            return None;
        }
        let passed = self.passes_over(function, paths, around, *target)?;
        let (joined, confidence) = self.joined_list(at(over.list))?;
        Some(OldestKept {
            at: at(*iter),
            passed,
            joined,
            confidence,
        })
    }

    /// The test that passes over an item in a loop because its id is in a set that the loop fills, where
    /// the items that are not passed over are put in a list.
    fn passes_over(&self, function: FuncRef, paths: &Paths, around: StmtId, target: ExprId) -> Option<ExprRef> {
        let module = self.module(function.module);
        let at = |expr| ExprRef {
            module: function.module,
            expr,
        };
        let inside = || paths.stmts().filter(|stmt| paths.contains(around, *stmt));
        let keeps = self.edits_in(function).into_iter().any(|edit| {
            let here = paths
                .stmt_of(edit.site.expr)
                .is_some_and(|stmt| paths.contains(around, stmt));
            let item = edit
                .value
                .is_some_and(|value| same_spelling(module, self.behind_copy(value).expr, target));
            here && item && edit.kind == EditKind::Append
        });
        if !keeps {
            return None;
        }
        inside().find_map(|stmt| {
            let StmtKind::If { cond, then, otherwise } = &paths.stmt(stmt).kind else {
                return None;
            };
            let (op, key, set, notes) = self.membership(at(*cond))?;
            let skips = match op {
                CompareOp::In => then.iter().any(|inner| matches!(inner.kind, StmtKind::Continue)),
                CompareOp::NotIn => otherwise.is_empty(),
                _ => false,
            };
            // Only an id that is noted when it is first seen is one of the list's own.
            let noted = notes
                || inside().any(|other| {
                    paths.own_exprs_in(other).any(|expr| match module.kind(expr) {
                        ExprKind::Call { callee, args, .. } => {
                            let on_set = matches!(module.kind(*callee), ExprKind::Attribute { base, .. }
                            if same_spelling(module, *base, set.expr));
                            on_set && args.iter().any(|arg| self.is_made_of_id(at(arg.value)))
                        }
                        _ => false,
                    })
                });
            (skips && noted && self.is_made_of_id(key)).then(|| at(*cond))
        })
    }

    /// What a copy is made of.
    fn behind_copy(&self, value: ExprRef) -> ExprRef {
        match self.kind(value) {
            ExprKind::Call { idiom: Some(idiom), .. } if matches!(idiom.op, Intrinsic::Copy | Intrinsic::DeepCopy) => {
                let copied = idiom.operands.first();
                copied.map_or(value, |copied| self.beside(value, *copied))
            }
            _ => value,
        }
    }

    /// `key in seen`, written there or in a helper that is given the set: the key, the set, and whether the
    /// test itself puts the key there.
    fn membership(&self, cond: ExprRef) -> Option<(CompareOp, ExprRef, ExprRef, bool)> {
        match self.kind(cond) {
            ExprKind::Compare { op, left, right } => {
                Some((*op, self.beside(cond, *left), self.beside(cond, *right), false))
            }
            ExprKind::Not(inner) => {
                let (op, key, set, notes) = self.membership(self.beside(cond, *inner))?;
                let op = match op {
                    CompareOp::In => CompareOp::NotIn,
                    CompareOp::NotIn => CompareOp::In,
                    _ => return None,
                };
                Some((op, key, set, notes))
            }
            ExprKind::Call { idiom: Some(idiom), .. } if idiom.op == Intrinsic::AddNew => {
                let [set, key] = idiom.operands[..] else { return None };
                Some((CompareOp::NotIn, self.beside(cond, key), self.beside(cond, set), true))
            }
            ExprKind::Call { .. } => {
                let [helper] = self.project.callees_of(cond) else {
                    return None;
                };
                let paths = self.paths.function(*helper);
                let value = paths.stmts().find_map(|stmt| match &paths.stmt(stmt).kind {
                    StmtKind::Return(value) => *value,
                    _ => None,
                })?;
                let value = ExprRef {
                    module: helper.module,
                    expr: value,
                };
                let ExprKind::Compare { op, left, right } = self.kind(value) else {
                    return None;
                };
                let ExprKind::Name(set) = self.kind(self.beside(value, *right)) else {
                    return None;
                };
                let params = &self.project.function(*helper).params;
                let index = params.iter().position(|param| param.name == *set)?;
                let bound = self.project.bind(cond, *helper);
                let (_, given) = bound.iter().find(|(at, _)| *at == index)?;
                Some((*op, self.beside(value, *left), self.beside(cond, *given), false))
            }
            _ => None,
        }
    }

    /// Whether a value is made of the id of an item, or of the call that it belongs to.
    fn is_made_of_id(&self, key: ExprRef) -> bool {
        let reached = reach(&self.graph, self.node(key), Direction::Backward, |flow, _, _, _| {
            matches!(
                flow,
                Flow::Same
                    | Flow::Leave(_)
                    | Flow::Text
                    | Flow::Load(_)
                    | Flow::Opaque
                    | Flow::Part(Part::Copy | Part::DeepCopy)
            )
        });
        reached.iter().any(|one| {
            let at = self.graph.as_expr(one.node);
            let read = at.and_then(|at| field_read(self, at));
            read.is_some_and(|(_, name)| matches!(self.vocabulary.field(&name), Some(Field::Id | Field::ToolResult)))
        })
    }

    /// `items.filter(x => seen.insert(x.id))`, where that puts the id into the set and tells whether it is new.
    fn kept_by_set(&self, at: ExprRef) -> Option<OldestKept> {
        let ExprKind::Comprehension { clauses, .. } = self.kind(at) else {
            return None;
        };
        let [clause] = &clauses[..] else { return None };
        let over = iteration(self.module(at.module), clause.iter).filter(|over| !over.backward && !over.reordered)?;
        let passed = clause
            .conditions
            .iter()
            .map(|cond| self.beside(at, *cond))
            .find(|cond| {
                let test = self.membership(*cond);
                test.is_some_and(|(op, key, _, notes)| notes && op == CompareOp::NotIn && self.is_made_of_id(key))
            })?;
        let list = self.beside(at, over.list);
        let (joined, confidence) = self.joined_list(list).or_else(|| self.extended_list(list))?;
        Some(OldestKept {
            at,
            passed,
            joined,
            confidence,
        })
    }

    /// A history that what comes after it was put behind before: `history.extend(fresh)`.
    fn extended_list(&self, list: ExprRef) -> Option<(ExprRef, Confidence)> {
        let function = self.owner(list);
        let paths = self.paths.function(function);
        let here = paths.stmt_of(list.expr)?;
        let confidence = self.near_history(list).filter(|sure| *sure >= Confidence::Medium)?;
        let before = paths.preceding(here);
        let edits = self.edits_in(function).into_iter();
        let mut extended = edits.filter(|edit| {
            let stmt = paths.stmt_of(edit.site.expr);
            edit.kind == EditKind::Extend
                && same_spelling(self.module(list.module), edit.list.expr, list.expr)
                && stmt.is_some_and(|stmt| before.contains(&stmt))
        });
        Some((extended.next()?.site, confidence.min(Confidence::Medium)))
    }

    /// Where a list is put together of a history and what comes after it.
    fn joined_list(&self, list: ExprRef) -> Option<(ExprRef, Confidence)> {
        let reached = reach(&self.graph, self.node(list), Direction::Backward, |flow, _, held, _| {
            held.is_empty() && matches!(flow, Flow::Same | Flow::Enter(_) | Flow::Part(Part::Copy))
        });
        let (at, parts) = reached.iter().find_map(|one| {
            let at = self.graph.as_expr(one.node)?;
            Some((at, self.joined_parts(at)?))
        })?;
        let [old, .., new] = &parts[..] else { return None };
        let history = |part: &ExprRef| self.near_history(*part).is_some();
        let (first, last) = (self.words_of_history(*old), self.words_of_history(*new));
        let turned = last && !first;
        let joined = reached.iter().map(|one| one.node);
        let confidence = joined
            .chain([self.node(*old)])
            .filter_map(|node| self.histories().near(&self.graph, node).confidence)
            .max()?;
        let sure = confidence >= Confidence::Medium;
        (sure && !turned && (history(old) || first)).then_some((at, Confidence::Medium))
    }

    fn words_of_history(&self, part: ExprRef) -> bool {
        let path = self.path(part);
        let name = path.as_deref().map(crate::code::vocabulary::last_segment);
        name.is_some_and(|name| self.vocabulary.history_name(name).is_some())
    }

    /// The lists that a display or a sum joins, in order.
    fn joined_parts(&self, at: ExprRef) -> Option<Vec<ExprRef>> {
        let parts: Vec<ExprRef> = match self.kind(at) {
            ExprKind::List { items, .. } => items
                .iter()
                .filter(|item| item.spread)
                .map(|item| self.beside(at, item.value))
                .collect(),
            ExprKind::Binary {
                op: BinaryOp::Add,
                left,
                right,
            } => {
                let left = self.beside(at, *left);
                let mut parts = self.joined_parts(left).unwrap_or_else(|| vec![left]);
                parts.push(self.beside(at, *right));
                parts
            }
            ExprKind::Call { idiom: Some(idiom), .. } if idiom.op == Intrinsic::Chain => {
                idiom.operands.iter().map(|one| self.beside(at, *one)).collect()
            }
            _ => return None,
        };
        (parts.len() > 1).then_some(parts)
    }

    /// `items.filter((x, i) => items.findIndex((y) => y.id === x.id) === i)`
    fn kept_by_filter(&self, at: ExprRef) -> Option<OldestKept> {
        let ExprKind::Comprehension { clauses, .. } = self.kind(at) else {
            return None;
        };
        let [clause] = &clauses[..] else { return None };
        let [cond] = &clause.conditions[..] else { return None };
        let module = self.module(at.module);
        let over = iteration(module, clause.iter)?;
        let ExprKind::List { items, .. } = module.kind(clause.target) else {
            return None;
        };
        let ExprKind::Compare {
            op: CompareOp::Eq | CompareOp::Is,
            left,
            right,
        } = module.kind(*cond)
        else {
            return None;
        };
        let place = items.first().filter(|_| over.pairs && !over.backward)?.value;
        let is_place = |side: ExprId| same_spelling(module, side, place);
        let search = match (is_place(*left), is_place(*right)) {
            (true, false) => *right,
            (false, true) => *left,
            _ => return None,
        };
        let list = self.beside(at, over.list);
        let found = self.node(self.beside(at, search));
        let first = self.scans().iter().any(|scan| {
            scan.list.module == at.module
                && same_spelling(module, scan.list.expr, list.expr)
                && scan.pick == Pick::Oldest
                && scan.results.contains(&found)
        });
        let (joined, confidence) = self.joined_list(list).filter(|_| first)?;
        Some(OldestKept {
            at,
            passed: self.beside(at, *cond),
            joined,
            confidence,
        })
    }
}
