//! Variables that hold a list, and what is done to the list in place.

use super::{Appended, Composer, Segment, Ways, alternatives, joined, shorten};
use crate::code::flow::graph::{Flow, Node, Origin};
use crate::code::flow::iteration::iteration;
use crate::code::flow::paths::When;
use crate::code::flow::predicate::same_spelling;
use crate::code::ir::{ExprId, ExprKind, Intrinsic, StmtKind};
use crate::code::project::{ExprRef, FuncRef};

impl Composer<'_, '_> {
    pub(super) fn variable(&mut self, expr: ExprRef) -> Ways {
        let facts = self.facts;
        let mut ways = Ways::new();
        for edge in facts.graph.incoming(facts.node(expr)) {
            if edge.flow != Flow::Same {
                continue;
            }
            let next = match facts.graph.origin(edge.node) {
                Origin::Param(function, index) => self.argument(*function, *index as usize),
                Origin::Expr(target) if facts.graph.is_target(*target) => self.definition(*target),
                _ => vec![vec![Segment::Unknown]],
            };
            let next = self.changed(expr, edge.node, next);
            ways = alternatives(ways, next);
        }
        if ways.is_empty() {
            vec![vec![Segment::Unknown]]
        } else {
            ways
        }
    }

    /// What the caller gave for a parameter.
    pub(super) fn argument(&mut self, function: FuncRef, index: usize) -> Ways {
        let Some(&(call, entered)) = self.calls.last() else {
            return vec![vec![Segment::Unknown]];
        };
        let given = self.facts.project.bind(call, function);
        let Some((_, value)) = given
            .into_iter()
            .find(|(param, _)| *param == index && entered == function)
        else {
            return vec![vec![Segment::Unknown]];
        };
        let frame = self.calls.pop();
        let ways = self.list(ExprRef {
            module: call.module,
            expr: value,
        });
        self.calls.extend(frame);
        ways
    }

    pub(super) fn definition(&mut self, target: ExprRef) -> Ways {
        let facts = self.facts;
        let paths = facts.paths.function(facts.owner(target));
        let Some(stmt) = paths.stmt_of(target.expr) else {
            return vec![vec![Segment::Unknown]];
        };
        match &paths.stmt(stmt).kind {
            StmtKind::Assign { targets, value, .. } if targets.contains(&target.expr) => {
                self.list(facts.beside(target, *value))
            }
            StmtKind::Update { value, .. } => {
                let before = self.variable(target);
                let added = self.list(facts.beside(target, *value));
                joined(&before, &added)
            }
            _ => vec![vec![Segment::Unknown]],
        }
    }

    /// Applies what is done to the list in place between its definition and its use.
    pub(super) fn changed(&mut self, used: ExprRef, defined: Node, ways: Ways) -> Ways {
        let facts = self.facts;
        let ExprKind::Name(name) = facts.kind(used) else {
            return ways;
        };
        let function = facts.owner(used);
        let module = facts.module(function.module);
        let paths = facts.paths.function(function);
        let definition = facts.graph.as_expr(defined).map(|expr| expr.expr);
        let runs_between = |expr: ExprId| {
            let before = |a, b| paths.order(a, b).is_some_and(|order| order.when == When::Before);
            before(expr, used.expr) && definition.is_none_or(|definition| before(definition, expr))
        };
        let mut ways = ways;
        for stmt in paths.stmts() {
            if let StmtKind::Delete(targets) = &paths.stmt(stmt).kind {
                for target in targets {
                    let (ExprKind::Index { base, .. } | ExprKind::Slice { base, .. }) = module.kind(*target) else {
                        continue;
                    };
                    if matches!(module.kind(*base), ExprKind::Name(other) if other == name) && runs_between(*target) {
                        shorten(&mut ways, facts.beside(used, *target));
                    }
                }
            }
            let mut own: Vec<ExprId> = paths.own_exprs_in(stmt).collect();
            own.sort_unstable();
            for expr in own {
                let ExprKind::Call { idiom: Some(idiom), .. } = module.kind(expr) else {
                    continue;
                };
                let Some(list) = idiom.operands.first() else { continue };
                if matches!(module.kind(*list), ExprKind::Name(other) if other == name) && runs_between(expr) {
                    let operands: Vec<ExprRef> = idiom
                        .operands
                        .iter()
                        .map(|operand| facts.beside(used, *operand))
                        .collect();
                    self.apply(idiom.op, facts.beside(used, expr), &operands, &mut ways);
                }
            }
        }
        ways
    }

    pub(super) fn apply(&mut self, op: Intrinsic, call: ExprRef, operands: &[ExprRef], ways: &mut Ways) {
        match (op, operands) {
            (Intrinsic::Append, [_, value]) => {
                let segments = self.appended(call, *value);
                for way in ways.iter_mut() {
                    match segments {
                        Appended::Tail(segment) => way.push(segment),
                        Appended::Between(segment) => way.insert(way.len().saturating_sub(1), segment),
                    }
                }
            }
            (Intrinsic::Extend, [_, list]) => *ways = joined(ways, &self.list(*list)),
            (Intrinsic::Insert, [_, value]) => {
                let segment = self.element(*value);
                for way in ways.iter_mut() {
                    way.insert(0, segment);
                }
            }
            (Intrinsic::Insert, [_, _, value])
                if matches!(
                    self.appended(call, *value),
                    Appended::Tail(Segment::Part(_) | Segment::Whole)
                ) =>
            {
                for way in ways.iter_mut() {
                    way.push(Segment::Part(call));
                }
            }
            (Intrinsic::Insert, [list, at, value]) => {
                let segment = match self.element(*value) {
                    Segment::New(_) => Segment::New(call),
                    other => other,
                };
                let at_end = self.is_length_of(*at, *list);
                for way in ways.iter_mut() {
                    way.insert(if at_end { way.len() } else { 0 }, segment);
                }
            }
            (
                Intrinsic::Pop
                | Intrinsic::PopFirst
                | Intrinsic::RemoveValue
                | Intrinsic::ReverseInPlace
                | Intrinsic::SortInPlace,
                _,
            ) => shorten(ways, call),
            (Intrinsic::Clear, _) => ways.iter_mut().for_each(Vec::clear),
            _ => {}
        }
    }

    pub(super) fn is_length_of(&self, at: ExprRef, list: ExprRef) -> bool {
        match self.facts.kind(at) {
            ExprKind::Call { idiom: Some(idiom), .. } if idiom.op == Intrinsic::Len => idiom
                .operands
                .first()
                .is_some_and(|operand| same_spelling(self.facts.module(at.module), *operand, list.expr)),
            _ => false,
        }
    }

    /// What an `append` adds: the elements of a history that a loop runs over, or one message.
    pub(super) fn appended(&mut self, call: ExprRef, value: ExprRef) -> Appended {
        let facts = self.facts;
        let function = facts.owner(call);
        let paths = facts.paths.function(function);
        let of_loop = paths.stmt_of(call.expr).and_then(|stmt| {
            paths
                .enclosing_loops(stmt)
                .find_map(|around| match &paths.stmt(around).kind {
                    StmtKind::For { target, iter, .. } => {
                        let over = iteration(facts.module(call.module), *iter)?;
                        facts
                            .histories()
                            .confidence(facts.node(facts.beside(call, over.list)))?;
                        Some((around, *target, over))
                    }
                    _ => None,
                })
        });
        let Some((around, target, over)) = of_loop else {
            return Appended::Tail(self.element(value));
        };
        let subject = match facts.kind(facts.beside(call, target)) {
            ExprKind::List { items, .. } => items.last().map_or(target, |item| item.value),
            _ => target,
        };
        if same_spelling(facts.module(call.module), subject, value.expr) {
            let guards = paths.guards(call.expr);
            let inside = guards
                .iter()
                .any(|guard| paths.stmt_of(guard.cond).is_some_and(|at| paths.contains(around, at)));
            let whole = !inside && !over.backward && !paths.breaks(around) && over.from.is_none();
            let source = self.list(facts.beside(call, over.list));
            let of_history = source.iter().any(|way| way.iter().any(Segment::is_list));
            return Appended::Tail(match (of_history, whole) {
                (true, true) => Segment::Whole,
                (true, false) => Segment::Part(call),
                (false, _) => Segment::Unknown,
            });
        }
        Appended::Between(self.element(value))
    }
}
