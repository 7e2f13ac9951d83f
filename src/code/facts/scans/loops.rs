//! Searches that loops make: a variable that keeps a match, a `return` of one, a block that acts on
//! one and leaves the loop.

use super::{Facts, Scan, Yield, loop_names, pick, yields};
use crate::code::flow::graph::Node;
use crate::code::flow::iteration::{integer, iteration};
use crate::code::flow::paths::own_exprs;
use crate::code::ir::{CompareOp, ExprId, ExprKind, Name, Stmt, StmtKind};
use crate::code::project::{ExprRef, ModuleIx};
use crate::finding::Confidence;

/// Adds the searches of all loops.
pub(super) fn find(facts: &Facts, scans: &mut Vec<Scan>) {
    for (module_ix, module) in facts.project.modules() {
        for function in &module.functions {
            let mut loops = Loops {
                facts,
                module: module_ix,
                scans,
            };
            loops.block(&function.body);
        }
    }
}

/// Searches that loops make.
struct Loops<'a, 'p> {
    facts: &'a Facts<'p>,
    module: ModuleIx,
    scans: &'a mut Vec<Scan>,
}

/// A loop over a history.
struct Over {
    list: ExprRef,
    backward: bool,
    reordered: bool,
    position: Option<Name>,
    subject: Option<Name>,
    confidence: Confidence,
}

impl Loops<'_, '_> {
    fn at(&self, expr: ExprId) -> ExprRef {
        ExprRef {
            module: self.module,
            expr,
        }
    }

    fn block(&mut self, block: &[Stmt]) {
        for stmt in block {
            if let StmtKind::For { target, iter, body, .. } = &stmt.kind {
                self.over(*target, *iter, body);
            }
            if let StmtKind::Assign { targets, value, .. } = &stmt.kind {
                for target in targets {
                    self.unpacked(*target, *value);
                }
            }
            for inner in stmt.kind.blocks() {
                self.block(inner);
            }
        }
    }

    /// `first, *rest = xs`.
    fn unpacked(&mut self, target: ExprId, value: ExprId) {
        let ExprKind::List { items, .. } = self.facts.kind(self.at(target)) else {
            return;
        };
        let list = self.at(value);
        let Some(confidence) = self.facts.histories().confidence(self.facts.node(list)) else {
            return;
        };
        let Some(first) = items
            .first()
            .filter(|first| !first.spread && items.iter().any(|item| item.spread))
        else {
            return;
        };
        let site = self.at(first.value);
        self.scans.push(Scan {
            constant: Some(0),
            results: vec![self.facts.node(site)],
            ..Scan::over(list, site, confidence)
        });
    }

    fn over(&mut self, target: ExprId, iter: ExprId, body: &[Stmt]) {
        let module = self.facts.module(self.module);
        let Some(way) = iteration(module, iter) else { return };
        let list = self.at(way.list);
        let Some(confidence) = self.facts.histories().confidence(self.facts.node(list)) else {
            return;
        };
        let (position, subject) = loop_names(self.facts, self.module, target, &way);
        let over = Over {
            list,
            backward: way.backward,
            reordered: way.reordered,
            position,
            subject,
            confidence,
        };
        self.body(&over, body, &mut Vec::new());
    }

    /// Finds the statements that keep (a part of) the element, with the conditions they stand under.
    fn body(&mut self, over: &Over, block: &[Stmt], guards: &mut Vec<(ExprRef, bool)>) {
        let depth = guards.len();
        self.acted(over, block, guards);
        for (index, stmt) in block.iter().enumerate() {
            match &stmt.kind {
                StmtKind::Assign { targets, value, .. } => {
                    let rest = &block[index + 1..];
                    // From the newest end, what may leave behind the first match keeps that one.
                    let leaves = leaves(rest) || over.backward && may_leave(rest);
                    for target in targets {
                        self.kept(over, *target, *value, leaves, guards);
                    }
                }
                StmtKind::Return(Some(value)) => self.returned(over, *value, guards),
                StmtKind::If { cond, then, otherwise } => {
                    guards.push((self.at(*cond), true));
                    self.body(over, then, guards);
                    guards.pop();
                    guards.push((self.at(*cond), false));
                    self.body(over, otherwise, guards);
                    guards.pop();
                    // `if not …: continue` holds for the rest of the block.
                    if otherwise.is_empty() && ends(then) {
                        guards.push((self.at(*cond), false));
                    }
                }
                StmtKind::With { body, .. } | StmtKind::Try { body, .. } => self.body(over, body, guards),
                StmtKind::For { body, .. } => self.inner(over, body, guards),
                _ => {}
            }
        }
        guards.truncate(depth);
    }

    /// A loop inside the loop, over parts of the element: a `return` there ends the search as well.
    fn inner(&mut self, over: &Over, block: &[Stmt], guards: &mut Vec<(ExprRef, bool)>) {
        let depth = guards.len();
        for stmt in block {
            match &stmt.kind {
                StmtKind::Return(Some(value)) => self.returned(over, *value, guards),
                StmtKind::If { cond, then, otherwise } => {
                    for (holds, block) in [(true, then), (false, otherwise)] {
                        guards.push((self.at(*cond), holds));
                        self.inner(over, block, guards);
                        guards.pop();
                    }
                    if otherwise.is_empty() && ends(then) {
                        guards.push((self.at(*cond), false));
                    }
                }
                _ => {}
            }
        }
        guards.truncate(depth);
    }

    fn kept(&mut self, over: &Over, target: ExprId, value: ExprId, leaves: bool, guards: &[(ExprRef, bool)]) {
        let ExprKind::Name(name) = self.facts.kind(self.at(target)) else {
            return;
        };
        let value = self.at(value);
        let Some(yields) = yields(self.facts, value, over.position.as_ref(), over.subject.as_ref()) else {
            return;
        };
        // `if found is None: found = m` takes the first as well.
        let first_only = guards
            .iter()
            .any(|(cond, holds)| unset_test(self.facts, *cond, *holds, name));
        let takes_first = leaves || first_only;
        let mut scan = scan(over, value, yields, guards, takes_first);
        scan.results = vec![self.facts.node(self.at(target))];
        self.scans.push(scan);
    }

    fn returned(&mut self, over: &Over, value: ExprId, guards: &[(ExprRef, bool)]) {
        let value = self.at(value);
        let Some(yields) = yields(self.facts, value, over.position.as_ref(), over.subject.as_ref()) else {
            return;
        };
        let mut scan = scan(over, value, yields, guards, true);
        scan.results = vec![self.facts.node(value)];
        self.scans.push(scan);
    }

    /// A block that does something with the element or its position, and leaves the loop.
    fn acted(&mut self, over: &Over, block: &[Stmt], guards: &[(ExprRef, bool)]) {
        let facts = self.facts;
        let last = block.last().map(|stmt| &stmt.kind);
        if !matches!(last, Some(StmtKind::Break | StmtKind::Return(_))) {
            return;
        }
        let mut guards = guards.to_vec();
        let mut results: Vec<Node> = Vec::new();
        let mut first = None;
        for stmt in block {
            if let StmtKind::If { cond, then, otherwise } = &stmt.kind
                && otherwise.is_empty()
                && ends(then)
            {
                guards.push((self.at(*cond), false));
                continue;
            }
            // What is kept in a variable, or returned as it is, is a search of its own.
            let value = match &stmt.kind {
                StmtKind::Assign { targets, value, .. }
                    if targets
                        .iter()
                        .all(|target| matches!(facts.kind(self.at(*target)), ExprKind::Name(_))) =>
                {
                    Some(*value)
                }
                StmtKind::Return(value) => *value,
                _ => None,
            };
            let position = over.position.as_ref();
            if value.is_some_and(|value| yields(facts, self.at(value), position, over.subject.as_ref()).is_some()) {
                continue;
            }
            let before = results.len();
            self.mentioned(over, stmt, &mut results);
            if first.is_none() && results.len() > before {
                first = own_exprs(facts.module(self.module), &stmt.kind).first().copied();
            }
        }
        if let Some(first) = first {
            let mut scan = scan(over, self.at(first), Yield::Message, &guards, true);
            scan.results = results;
            self.scans.push(scan);
        }
    }

    /// The places in a statement and its blocks that name the element or its position.
    fn mentioned(&self, over: &Over, stmt: &Stmt, results: &mut Vec<Node>) {
        let module = self.facts.module(self.module);
        let mut open = own_exprs(module, &stmt.kind);
        while let Some(expr) = open.pop() {
            if let ExprKind::Name(name) = module.kind(expr)
                && (Some(name) == over.subject.as_ref() || Some(name) == over.position.as_ref())
            {
                results.push(self.facts.node(self.at(expr)));
            }
            open.extend(module.children(expr));
        }
        for block in stmt.kind.blocks() {
            for stmt in block {
                self.mentioned(over, stmt, results);
            }
        }
    }
}

/// The search of a loop that stops at `site`, or goes on to the last match.
fn scan(over: &Over, site: ExprRef, yields: Yield, guards: &[(ExprRef, bool)], takes_first: bool) -> Scan {
    Scan {
        pick: pick(over.backward == takes_first, over.reordered),
        yields,
        conditions: guards.to_vec(),
        subject: over.subject.clone(),
        position: over.position.clone(),
        ..Scan::over(over.list, site, over.confidence)
    }
}

/// `name is None`, `not name`, `name < 0`: that nothing was found yet.
fn unset_test(facts: &Facts, cond: ExprRef, holds: bool, name: &Name) -> bool {
    let is_name = |expr: ExprId| matches!(facts.kind(facts.beside(cond, expr)), ExprKind::Name(other) if other == name);
    match facts.kind(cond) {
        ExprKind::Not(inner) => is_name(*inner) && holds,
        ExprKind::Name(other) => other == name && !holds,
        ExprKind::Compare { op, left, right } => {
            let below = *op == CompareOp::Less && integer(facts.module(cond.module), *right) == Some(0);
            let unset = below || matches!(op, CompareOp::Is | CompareOp::Eq);
            is_name(*left) && (unset && holds || matches!(op, CompareOp::IsNot | CompareOp::NotEq) && !holds)
        }
        ExprKind::Logic { all: true, operands } if holds => operands
            .iter()
            .any(|operand| unset_test(facts, facts.beside(cond, *operand), true, name)),
        _ => false,
    }
}

/// Whether the loop is left after these statements.
fn leaves(rest: &[Stmt]) -> bool {
    rest.iter()
        .any(|stmt| matches!(stmt.kind, StmtKind::Break | StmtKind::Return(_) | StmtKind::Raise(_)))
}

/// Whether a loop may be left by one of these statements.
fn may_leave(rest: &[Stmt]) -> bool {
    rest.iter().any(|stmt| match &stmt.kind {
        StmtKind::Break | StmtKind::Return(_) | StmtKind::Raise(_) => true,
        StmtKind::If { then, otherwise, .. } => may_leave(then) || may_leave(otherwise),
        _ => false,
    })
}

/// Whether the end of a block is never reached.
fn ends(block: &[Stmt]) -> bool {
    block.last().is_some_and(|stmt| {
        matches!(
            stmt.kind,
            StmtKind::Continue | StmtKind::Break | StmtKind::Return(_) | StmtKind::Raise(_)
        )
    })
}
