//! Cuts that go on although the summary of what they take away could not be made.

use super::Facts;
use crate::code::flow::paths::{Paths, Slot, StmtId, When};
use crate::code::ir::{BinaryOp, ExprId, ExprKind, Name, StmtKind};
use crate::code::project::{ExprRef, FuncRef};
use crate::code::vocabulary::Purpose;

/// One such cut.
#[derive(Clone, Copy, Debug)]
pub(crate) struct UncoveredCut {
    /// What cuts.
    pub(crate) at: ExprRef,
    /// The summary that may fail.
    pub(crate) summary: ExprRef,
}

impl Facts<'_> {
    /// All of a project.
    pub(crate) fn uncovered_cuts(&self) -> Vec<UncoveredCut> {
        let mut found: Vec<UncoveredCut> = Vec::new();
        for (function, _) in self.project.functions() {
            if self.project.is_test(function) {
                continue;
            }
            let paths = self.paths.function(function);
            for stmt in paths.stmts() {
                let Some((summary, decided)) = self.summary_that_may_fail(function, paths, stmt) else {
                    continue;
                };
                let cut = self
                    .cut_sites(function)
                    .into_iter()
                    .find(|site| self.goes_on(*site, stmt, &decided));
                let Some(at) = cut else { continue };
                if found.iter().all(|known| known.at != at) {
                    found.push(UncoveredCut { at, summary });
                }
            }
        }
        found
    }

    /// The call that makes a summary in a statement, where the function goes on when it fails, and the
    /// variables that tell whether it did.
    fn summary_that_may_fail(&self, function: FuncRef, paths: &Paths, stmt: StmtId) -> Option<(ExprRef, Vec<Name>)> {
        let at = |expr| ExprRef {
            module: function.module,
            expr,
        };
        match &paths.stmt(stmt).kind {
            StmtKind::Try { handlers, .. } => {
                let tried = paths.stmts().filter(|inner| {
                    let in_try = |&(parent, slot): &(StmtId, Slot)| parent == stmt && slot == Slot::Try;
                    paths.parents(*inner).any(|around| in_try(&around))
                });
                let mut calls = tried.flat_map(|inner| paths.own_exprs_in(inner));
                let summary = calls.find(|expr| self.makes_summary(at(*expr)))?;
                let passive = (0..handlers.len()).any(|number| {
                    let block = paths.block(stmt, Slot::Handler(number));
                    paths.completes(block) && block.iter().all(|inner| self.is_passive(function, paths, *inner))
                });
                passive.then(|| (at(summary), self.bound_in(function, paths, stmt)))
            }
            // `summarise(xs) or ""`
            StmtKind::Assign { targets, value, .. } => {
                let ExprKind::Logic { all: false, operands } = self.kind(at(*value)) else {
                    return None;
                };
                let [asked, otherwise] = &operands[..] else { return None };
                let written = matches!(self.kind(at(*otherwise)), ExprKind::Literal(_));
                let summary = self.first_summary(at(*asked)).filter(|_| written)?;
                let names = targets.iter().filter_map(|target| match self.kind(at(*target)) {
                    ExprKind::Name(name) => Some(name.clone()),
                    _ => None,
                });
                Some((summary, names.collect()))
            }
            _ => None,
        }
    }

    fn first_summary(&self, expr: ExprRef) -> Option<ExprRef> {
        let mut open = vec![expr];
        while let Some(at) = open.pop() {
            if self.makes_summary(at) {
                return Some(at);
            }
            let children = self.module(at.module).children(at.expr);
            open.extend(children.into_iter().map(|child| self.beside(at, child)));
        }
        None
    }

    /// Whether a call makes or stores a summary, by the name of what is called.
    pub(super) fn makes_summary(&self, call: ExprRef) -> bool {
        let ExprKind::Call {
            callee,
            args,
            idiom: None,
        } = self.kind(call)
        else {
            return false;
        };
        if args.is_empty() || self.construction(call).is_some() {
            return false;
        }
        let (ExprKind::Name(name) | ExprKind::Attribute { name, .. }) = self.kind(self.beside(call, *callee)) else {
            return false;
        };
        // A type that is made is no work that may fail.
        let works = !name.starts_with(char::is_uppercase) && !self.vocabulary.only_looks(name);
        works && self.vocabulary.purposes(name).contains(&Purpose::Summary)
    }

    /// Whether a statement does nothing about what went wrong but to note it or to name a value in its
    /// place.
    fn is_passive(&self, function: FuncRef, paths: &Paths, stmt: StmtId) -> bool {
        let at = |expr| ExprRef {
            module: function.module,
            expr,
        };
        match &paths.stmt(stmt).kind {
            StmtKind::Assign { value, .. } => {
                let empty = matches!(self.kind(at(*value)), ExprKind::Call { args, .. } if args.is_empty())
                    && self.project.callees_of(at(*value)).is_empty();
                empty || self.is_written_value(at(*value))
            }
            StmtKind::Expr(value) => match self.kind(at(*value)) {
                ExprKind::Call { callee, .. } => self
                    .path(at(*callee))
                    .is_some_and(|path| self.vocabulary.is_display_call(&path)),
                _ => true,
            },
            StmtKind::Nothing => true,
            _ => false,
        }
    }

    /// Whether a value is made of nothing but what is written in the program.
    fn is_written_value(&self, value: ExprRef) -> bool {
        let children = self.module(value.module).children(value.expr);
        match self.kind(value) {
            ExprKind::Template(_) => true,
            ExprKind::Name(_) => self.project.constant(value).is_some(),
            ExprKind::Literal(_) | ExprKind::List { .. } | ExprKind::Dict(_) | ExprKind::Binary { .. } => {
                let mut children = children.into_iter();
                children.all(|child| self.is_written_value(self.beside(value, child)))
            }
            _ => false,
        }
    }

    /// The variables that a statement and its blocks give a value.
    fn bound_in(&self, function: FuncRef, paths: &Paths, around: StmtId) -> Vec<Name> {
        let module = self.module(function.module);
        let inside = paths.stmts().filter(|stmt| paths.contains(around, *stmt));
        let targets = inside.flat_map(|stmt| match &paths.stmt(stmt).kind {
            StmtKind::Assign { targets, .. } => targets.clone(),
            StmtKind::Update { target, .. } => vec![*target],
            _ => Vec::new(),
        });
        targets
            .filter_map(|target| match module.kind(target) {
                ExprKind::Name(name) | ExprKind::Attribute { name, .. } => Some(name.clone()),
                _ => None,
            })
            .collect()
    }

    /// What shortens a history in a function: the cuts that are known, and methods that are called so.
    fn cut_sites(&self, function: FuncRef) -> Vec<ExprRef> {
        let known = self.cuts().iter().map(|cut| cut.site);
        let mut sites: Vec<ExprRef> = known.filter(|site| self.owner(*site) == function).collect();
        let paths = self.paths.function(function);
        for expr in paths.stmts().flat_map(|stmt| paths.own_exprs_in(stmt)) {
            let at = ExprRef {
                module: function.module,
                expr,
            };
            if self.is_rest(at) && !sites.contains(&at) {
                sites.push(at);
            }
            if let ExprKind::Call { callee, .. } = self.kind(at)
                && let ExprKind::Attribute { name, .. } = self.kind(self.beside(at, *callee))
                && self.vocabulary.names_cut(name)
                && !sites.contains(&at)
            {
                sites.push(at);
            }
        }
        sites
    }

    /// Whether an expression is the newer part of a history, joined with something else.
    fn is_rest(&self, at: ExprRef) -> bool {
        let ExprKind::Slice {
            base, start: Some(_), ..
        } = self.kind(at)
        else {
            return false;
        };
        let joined = self.graph.around(at).is_some_and(|outer| {
            matches!(
                self.kind(outer),
                ExprKind::List { .. } | ExprKind::Binary { op: BinaryOp::Add, .. }
            )
        });
        joined && self.near_history(self.beside(at, *base)).is_some()
    }

    /// Whether a cut runs behind a statement, whatever came of that.
    fn goes_on(&self, site: ExprRef, stmt: StmtId, decided: &[Name]) -> bool {
        let paths = self.paths.function(self.owner(site));
        let Some(here) = paths.stmt_of(site.expr) else {
            return false;
        };
        let behind = paths.stmt_order(stmt, here).when == When::Before && !paths.contains(stmt, here);
        // A cut is what is left afterwards, not what is summarised.
        let given = std::iter::successors(Some(site.expr), |inner| paths.around(*inner))
            .any(|outer| self.makes_summary(self.beside(site, outer)));
        let asked = |expr: ExprId| {
            let mut open = vec![expr];
            let module = self.module(site.module);
            let mut found = false;
            while let Some(at) = open.pop() {
                found |= match module.kind(at) {
                    ExprKind::Name(name) | ExprKind::Attribute { name, .. } => decided.contains(name),
                    _ => false,
                };
                open.extend(module.children(at));
            }
            found
        };
        behind && !given && !paths.guards(site.expr).iter().any(|guard| asked(guard.cond))
    }
}
