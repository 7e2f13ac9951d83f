//! Functions as predicates.

use super::denote::element;
use super::truth::Reading;
use super::{Asks, Kinds, Predicate};
use crate::code::ir::{ExprId, Stmt, StmtKind};

impl Reading<'_, '_> {
    /// What the function says by the truth of what it returns.
    pub(super) fn returned(&self) -> Predicate {
        let mut verdict = Verdict::default();
        let all = Predicate::constant(true);
        let rest = self.block(&self.module.function(self.function.function).body, all, &mut verdict);
        // The end of a function gives nothing.
        verdict.rejects = verdict.rejects | rest.accepts;
        Predicate {
            accepts: verdict.accepts,
            rejects: verdict.rejects,
            asks: verdict.asks | rest.asks,
        }
    }

    /// The values that the function returns, in order.
    pub(super) fn returned_values(&self) -> Vec<ExprId> {
        let mut found = Vec::new();
        let mut open: Vec<&Stmt> = self.module.function(self.function.function).body.iter().rev().collect();
        while let Some(stmt) = open.pop() {
            if let StmtKind::Return(Some(value)) = stmt.kind {
                found.push(value);
            }
            open.extend(stmt.kind.blocks().into_iter().flatten().rev());
        }
        found
    }

    /// Walks a block for the messages that reach it, and gives those that reach its end.
    fn block(&self, block: &[Stmt], reaching: Predicate, verdict: &mut Verdict) -> Predicate {
        let mut here = reaching;
        for stmt in block {
            match &stmt.kind {
                StmtKind::Return(value) => {
                    let value = value.map_or(Predicate::constant(false), |value| self.truth(value));
                    verdict.add(here.and(value), here.and(value.negated()));
                    return nobody(here);
                }
                StmtKind::Raise(_) | StmtKind::Break | StmtKind::Continue => return nobody(here),
                StmtKind::If { cond, then, otherwise } => {
                    let cond = self.truth(*cond);
                    let then = self.block(then, here.and(cond), verdict);
                    let otherwise = self.block(otherwise, here.and(cond.negated()), verdict);
                    here = both(then, otherwise);
                }
                StmtKind::For {
                    target,
                    iter,
                    body,
                    otherwise,
                    ..
                } => {
                    let of = self.denotes(*iter).and_then(element);
                    let inner = self.with(*target, of);
                    let after = inner.block(body, here, verdict);
                    // A loop over the blocks of the message that finds nothing has asked them all.
                    here = if of.is_some() {
                        skipped(body, after, here)
                    } else {
                        both(after, here)
                    };
                    here = self.block(otherwise, here, verdict);
                }
                StmtKind::While { body, otherwise, .. } => {
                    here = both(self.block(body, here, verdict), here);
                    here = self.block(otherwise, here, verdict);
                }
                StmtKind::Try {
                    body,
                    handlers,
                    otherwise,
                    finally,
                } => {
                    let tried = self.block(body, here, verdict);
                    let tried = self.block(otherwise, tried, verdict);
                    let handled = handlers.iter().map(|handler| self.block(&handler.body, here, verdict));
                    let after = handled.fold(tried, both);
                    here = self.block(finally, after, verdict);
                }
                StmtKind::With { body, .. } => here = self.block(body, here, verdict),
                _ => {}
            }
        }
        here
    }
}

/// What a function returns.
#[derive(Default)]
struct Verdict {
    accepts: Kinds,
    rejects: Kinds,
    asks: Asks,
}

impl Verdict {
    fn add(&mut self, holds: Predicate, fails: Predicate) {
        self.accepts = self.accepts | holds.accepts;
        self.rejects = self.rejects | fails.accepts;
        self.asks = self.asks | holds.asks | fails.asks;
    }
}

/// No message, after what was asked.
fn nobody(reaching: Predicate) -> Predicate {
    Predicate {
        accepts: Kinds::NONE,
        ..reaching
    }
}

/// The messages of either way.
fn both(a: Predicate, b: Predicate) -> Predicate {
    Predicate {
        accepts: a.accepts | b.accepts,
        rejects: a.rejects | b.rejects,
        asks: a.asks | b.asks,
    }
}

/// Behind a loop over blocks whose body only looks for something to return.
fn skipped(body: &[Stmt], after: Predicate, before: Predicate) -> Predicate {
    if leaves_early(body) { both(after, before) } else { after }
}

fn leaves_early(block: &[Stmt]) -> bool {
    block.iter().any(|stmt| {
        matches!(stmt.kind, StmtKind::Break | StmtKind::Continue) || stmt.kind.blocks().into_iter().any(leaves_early)
    })
}
