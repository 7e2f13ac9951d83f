//! Positions that are numbers of messages: how many of a kind a history holds, wherever they stand.

use super::Facts;
use crate::code::flow::graph::{Flow, Origin};
use crate::code::flow::iteration::{Iteration, iteration};
use crate::code::flow::paths::ExitKind;
use crate::code::flow::predicate::{Kinds, Predicate, Subject};
use crate::code::flow::reach::{Direction, reach};
use crate::code::ir::{BinaryOp, Clause, ExprId, ExprKind, Intrinsic, Name, StmtKind};
use crate::code::project::{ExprRef, FuncRef};

/// A number of messages.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Counted {
    /// The expression that counts.
    pub(crate) at: ExprRef,
    /// The list.
    pub(crate) list: ExprRef,
    /// What is counted.
    pub(crate) predicate: Predicate,
}

impl Counted {
    /// Whether messages of the system alone are counted.
    pub(crate) fn is_of_system(&self) -> bool {
        let accepts = self.predicate.accepts;
        accepts.meets(Kinds::SYSTEM) && !accepts.meets(Kinds::USER | Kinds::ASSISTANT | Kinds::RESULTS)
    }
}

impl Facts<'_> {
    /// The count of messages of one kind in the whole of a list that a number is.
    pub(crate) fn counted(&self, number: ExprRef) -> Option<Counted> {
        let behind = reach(
            &self.graph,
            self.node(number),
            Direction::Backward,
            |flow, _, held, _| held.is_empty() && matches!(flow, Flow::Same | Flow::Enter(_) | Flow::Leave(_)),
        );
        behind.iter().find_map(|one| match self.graph.origin(one.node) {
            Origin::Expr(expr) => match self.kind(*expr) {
                ExprKind::Name(name) => self.counted_by_loop(*expr, name),
                _ => self.counted_by_call(*expr),
            },
            _ => None,
        })
    }

    /// `sum(1 for m in xs if …)`, `len([m for m in xs if …])`.
    fn counted_by_call(&self, call: ExprRef) -> Option<Counted> {
        let ExprKind::Call { idiom: Some(idiom), .. } = self.kind(call) else {
            return None;
        };
        let [source] = idiom.operands[..] else { return None };
        let source = match idiom.op {
            Intrinsic::Sum => self.beside(call, source),
            Intrinsic::Len => self.made_by(self.beside(call, source)),
            _ => return None,
        };
        let ExprKind::Comprehension { element, clauses, .. } = self.kind(source) else {
            return None;
        };
        let [clause] = &clauses[..] else { return None };
        let over = iteration(self.module(source.module), clause.iter).filter(|over| !over.positions)?;
        let subject = self.subject_in(source, clause, &over)?;
        let truth = match (&clause.conditions[..], idiom.op) {
            ([], Intrinsic::Sum) => *element,
            ([only], _) => *only,
            _ => return None,
        };
        Some(Counted {
            at: call,
            list: self.beside(source, over.list),
            predicate: self.predicates.of(self.beside(source, truth), &subject),
        })
    }

    /// The display or comprehension that a name stands for.
    fn made_by(&self, list: ExprRef) -> ExprRef {
        match self.kind(list) {
            ExprKind::Name(name) => self.project.only_value(self.owner(list), name).unwrap_or(list),
            _ => list,
        }
    }

    fn subject_in(&self, at: ExprRef, clause: &Clause, over: &Iteration) -> Option<Subject> {
        let module = self.module(at.module);
        let target = match module.kind(clause.target) {
            ExprKind::List { items, .. } if over.pairs && items.len() == 2 => items[1].value,
            _ => clause.target,
        };
        match module.kind(target) {
            ExprKind::Name(name) => Some(Subject::named(name.clone())),
            _ => None,
        }
    }

    /// A variable that a loop over the whole list counts up.
    fn counted_by_loop(&self, read: ExprRef, name: &Name) -> Option<Counted> {
        let function = self.owner(read);
        let paths = self.paths.function(function);
        let module = self.module(read.module);
        let counting = paths.stmts().find(|stmt| match &paths.stmt(*stmt).kind {
            StmtKind::Update { target, op, .. } => {
                *op == BinaryOp::Add && matches!(module.kind(*target), ExprKind::Name(counter) if counter == name)
            }
            _ => false,
        })?;
        let around = paths.enclosing_loops(counting).next()?;
        let StmtKind::For { target, iter, .. } = &paths.stmt(around).kind else {
            return None;
        };
        let leaves = |kind| matches!(kind, ExitKind::Break | ExitKind::Return);
        if paths.early_exits(around).into_iter().any(|exit| leaves(exit.kind)) {
            return None;
        }
        let over = iteration(module, *iter).filter(|over| !over.positions)?;
        let subject = self.loop_subject(function, *target, &over)?;
        let guard = paths
            .guards_at(counting)
            .into_iter()
            .find(|guard| paths.stmt_of(guard.cond).is_some_and(|of| paths.contains(around, of)))?;
        let predicate = self.predicates.of(self.beside(read, guard.cond), &subject);
        Some(Counted {
            at: self.beside(read, *iter),
            list: self.beside(read, over.list),
            predicate: if guard.holds { predicate } else { predicate.negated() },
        })
    }

    fn loop_subject(&self, function: FuncRef, target: ExprId, over: &Iteration) -> Option<Subject> {
        let module = self.module(function.module);
        let target = match module.kind(target) {
            ExprKind::List { items, .. } if over.pairs && items.len() == 2 => items[1].value,
            _ => target,
        };
        match module.kind(target) {
            ExprKind::Name(name) => Some(Subject::named(name.clone())),
            _ => None,
        }
    }
}
