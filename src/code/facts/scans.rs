//! Searches over a history: what is looked for, from which end, and what the search yields.

use super::Facts;
use crate::code::flow::graph::{Flow, Node, Part};
use crate::code::flow::iteration::{integer, iteration};
use crate::code::flow::reach::{Direction, reach};
use crate::code::ir::{Clause, ExprId, ExprKind, Intrinsic, Name, Stmt, StmtKind};
use crate::code::project::{ExprRef, ModuleIx};
use crate::finding::Confidence;

/// Which match a search takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Pick {
    /// The oldest match.
    Oldest,
    /// The newest match.
    Newest,
    /// Whichever comes first in another order.
    Any,
}

/// What a search yields.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Yield {
    /// The message.
    Message,
    /// Its position.
    Position,
    /// Something read from it.
    Part,
}

/// One search.
#[derive(Clone, Debug)]
pub(crate) struct Scan {
    /// The history.
    pub(crate) list: ExprRef,
    /// The expression to point at.
    pub(crate) site: ExprRef,
    /// Which match it takes.
    pub(crate) pick: Pick,
    /// What it yields.
    pub(crate) yields: Yield,
    /// What a match must satisfy, all of them; each with whether it must hold.
    pub(crate) conditions: Vec<(ExprRef, bool)>,
    /// The variable that stands for the message in the conditions.
    pub(crate) subject: Option<Name>,
    /// A fixed position instead of a search.
    pub(crate) constant: Option<i64>,
    /// Where what was found is held.
    pub(crate) results: Vec<Node>,
    /// How sure it is that the list is a history.
    pub(crate) confidence: Confidence,
}

/// All searches over histories, in the order of the source.
pub(super) fn find(facts: &Facts) -> Vec<Scan> {
    let mut scans = Vec::new();
    for expr in facts.exprs() {
        match facts.kind(expr) {
            ExprKind::Call { idiom: Some(idiom), .. } if idiom.op == Intrinsic::First => {
                if let Some(source) = idiom.operands.first() {
                    scans.extend(first_of(facts, expr, facts.beside(expr, *source)));
                }
            }
            ExprKind::Index { base, index } => {
                if let Some(at) = integer(facts.module(expr.module), *index) {
                    scans.extend(indexed(facts, expr, facts.beside(expr, *base), at));
                }
            }
            _ => {}
        }
    }
    for (module_ix, module) in facts.project.modules() {
        for function in &module.functions {
            Loops {
                facts,
                module: module_ix,
                scans: &mut scans,
            }
            .block(&function.body);
        }
    }
    scans.sort_by_key(|scan| (scan.site.module, facts.span(scan.site).start, scan.site.expr));
    scans
}

/// `next(… for m in xs if …)`.
fn first_of(facts: &Facts, expr: ExprRef, source: ExprRef) -> Option<Scan> {
    let node = facts.node(expr);
    if let ExprKind::Comprehension { element, clauses, .. } = facts.kind(source) {
        let [clause] = &clauses[..] else { return None };
        let mut scan = of_clause(facts, expr, clause, facts.beside(expr, *element))?;
        scan.results = vec![node];
        return Some(scan);
    }
    let over = iteration(facts.module(expr.module), source.expr)?;
    let list = facts.beside(expr, over.list);
    let confidence = facts.histories().confidence(facts.node(list))?;
    Some(Scan {
        list,
        site: expr,
        pick: pick(over.backward, over.reordered),
        yields: if over.positions {
            Yield::Position
        } else {
            Yield::Message
        },
        conditions: Vec::new(),
        subject: None,
        constant: (!over.reordered).then_some(if over.backward { -1 } else { 0 }),
        results: vec![node],
        confidence,
    })
}

fn pick(backward: bool, reordered: bool) -> Pick {
    match (reordered, backward) {
        (true, _) => Pick::Any,
        (false, true) => Pick::Newest,
        (false, false) => Pick::Oldest,
    }
}

/// The search that the first item of a comprehension is.
fn of_clause(facts: &Facts, site: ExprRef, clause: &Clause, element: ExprRef) -> Option<Scan> {
    let module = facts.module(site.module);
    let over = iteration(module, clause.iter)?;
    let list = facts.beside(site, over.list);
    let confidence = facts.histories().confidence(facts.node(list))?;
    let (position, subject) = loop_names(facts, site.module, clause.target, &over);
    Some(Scan {
        list,
        site,
        pick: pick(over.backward, over.reordered),
        yields: yields(facts, element, position.as_ref(), subject.as_ref())?,
        conditions: clause
            .conditions
            .iter()
            .map(|cond| (facts.beside(site, *cond), true))
            .collect(),
        subject: subject.or(position),
        constant: None,
        results: Vec::new(),
        confidence,
    })
}

/// The names of the position and of the message that a loop binds.
fn loop_names(
    facts: &Facts,
    module: ModuleIx,
    target: ExprId,
    over: &crate::code::flow::iteration::Iteration,
) -> (Option<Name>, Option<Name>) {
    let name = |expr: ExprId| match facts.module(module).kind(expr) {
        ExprKind::Name(name) => Some(name.clone()),
        _ => None,
    };
    match facts.module(module).kind(target) {
        ExprKind::List { items, .. } if over.pairs && items.len() == 2 => (name(items[0].value), name(items[1].value)),
        ExprKind::List { items, .. } if !over.zipped.is_empty() => {
            let at = over.zipped.iter().position(|list| *list == over.list);
            (None, at.and_then(|at| items.get(at)).and_then(|item| name(item.value)))
        }
        _ if over.positions => (name(target), None),
        _ => (None, name(target)),
    }
}

/// What an expression over a loop's variables is: the message, its position, or a part of it.
fn yields(facts: &Facts, value: ExprRef, position: Option<&Name>, subject: Option<&Name>) -> Option<Yield> {
    if let ExprKind::Name(name) = facts.kind(value) {
        if Some(name) == subject {
            return Some(Yield::Message);
        }
        if Some(name) == position {
            return Some(Yield::Position);
        }
        return None;
    }
    if let ExprKind::Index { base, index } = facts.kind(value)
        && let ExprKind::Name(name) = facts.kind(facts.beside(value, *index))
        && Some(name) == position
        && facts
            .histories()
            .confidence(facts.node(facts.beside(value, *base)))
            .is_some()
    {
        return Some(Yield::Message);
    }
    // `i + 1` is a position, `m["content"]` a part.
    let mut about = (false, false);
    mentions(facts, value, &mut |name| {
        about.0 |= Some(name) == position;
        about.1 |= Some(name) == subject;
    });
    match (about, facts.kind(value)) {
        ((true, false), ExprKind::Binary { .. }) => Some(Yield::Position),
        ((true, _), ExprKind::Index { .. } | ExprKind::Attribute { .. }) => Some(Yield::Part),
        ((_, true), _) => Some(Yield::Part),
        _ => None,
    }
}

/// Calls `note` with every name inside an expression.
fn mentions(facts: &Facts, expr: ExprRef, note: &mut dyn FnMut(&Name)) {
    if let ExprKind::Name(name) = facts.kind(expr) {
        note(name);
    }
    for child in facts.module(expr.module).children(expr.expr) {
        mentions(facts, facts.beside(expr, child), note);
    }
}

/// `xs[0]`, `[m for m in xs if …][0]`, `[i for i, m in enumerate(xs) if …][-1]`.
fn indexed(facts: &Facts, expr: ExprRef, base: ExprRef, at: i64) -> Option<Scan> {
    let node = facts.node(expr);
    if let Some((source, element, clause)) = comprehension_behind(facts, base) {
        let mut scan = of_clause(facts, source, clause, element)?;
        if matches!(scan.yields, Yield::Part) {
            return None;
        }
        scan.site = expr;
        scan.results = vec![node];
        if !clause.conditions.is_empty() {
            match at {
                0 => {}
                _ if at < 0 => {
                    scan.pick = match scan.pick {
                        Pick::Oldest => Pick::Newest,
                        Pick::Newest => Pick::Oldest,
                        Pick::Any => Pick::Any,
                    };
                }
                _ => scan.pick = Pick::Any,
            }
            return Some(scan);
        }
    }
    let confidence = facts.histories().confidence(facts.node(base))?;
    Some(Scan {
        list: base,
        site: expr,
        pick: match at {
            0 => Pick::Oldest,
            _ if at < 0 => Pick::Newest,
            _ => Pick::Any,
        },
        yields: Yield::Message,
        conditions: Vec::new(),
        subject: None,
        constant: Some(at),
        results: vec![node],
        confidence,
    })
}

/// The comprehension with one clause that a list comes from, with its element and its clause.
fn comprehension_behind<'p>(facts: &Facts<'p>, list: ExprRef) -> Option<(ExprRef, ExprRef, &'p Clause)> {
    let behind = reach(
        &facts.graph,
        facts.node(list),
        Direction::Backward,
        |flow, _, held, _| held.is_empty() && matches!(flow, Flow::Same | Flow::Leave(_) | Flow::Part(Part::Copy)),
    );
    let mut found = behind.iter().filter_map(|reached| {
        let expr = facts.graph.as_expr(reached.node)?;
        match facts.kind(expr) {
            ExprKind::Comprehension { element, clauses, .. } => match &clauses[..] {
                [clause] => Some((expr, facts.beside(expr, *element), clause)),
                _ => None,
            },
            _ => None,
        }
    });
    let first = found.next()?;
    found.next().is_none().then_some(first)
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
            list,
            site,
            pick: Pick::Oldest,
            yields: Yield::Message,
            conditions: Vec::new(),
            subject: None,
            constant: Some(0),
            results: vec![self.facts.node(site)],
            confidence,
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
        for (index, stmt) in block.iter().enumerate() {
            match &stmt.kind {
                StmtKind::Assign { targets, value, .. } => {
                    let leaves = leaves(&block[index + 1..]);
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
                StmtKind::With { body, .. } => self.body(over, body, guards),
                StmtKind::Try { body, .. } => self.body(over, body, guards),
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
        let mut scan = self.scan(over, value, yields, guards, takes_first);
        scan.results = vec![self.facts.node(self.at(target))];
        self.scans.push(scan);
    }

    fn returned(&mut self, over: &Over, value: ExprId, guards: &[(ExprRef, bool)]) {
        let value = self.at(value);
        let Some(yields) = yields(self.facts, value, over.position.as_ref(), over.subject.as_ref()) else {
            return;
        };
        let mut scan = self.scan(over, value, yields, guards, true);
        scan.results = vec![self.facts.node(value)];
        self.scans.push(scan);
    }

    fn scan(&self, over: &Over, site: ExprRef, yields: Yield, guards: &[(ExprRef, bool)], takes_first: bool) -> Scan {
        Scan {
            list: over.list,
            site,
            pick: pick(over.backward == takes_first, over.reordered),
            yields,
            conditions: guards.to_vec(),
            subject: over.subject.clone().or_else(|| over.position.clone()),
            constant: None,
            results: Vec::new(),
            confidence: over.confidence,
        }
    }
}

/// `name is None`, `not name`: that nothing was found yet.
fn unset_test(facts: &Facts, cond: ExprRef, holds: bool, name: &Name) -> bool {
    let is_name = |expr: ExprId| matches!(facts.kind(facts.beside(cond, expr)), ExprKind::Name(other) if other == name);
    match facts.kind(cond) {
        ExprKind::Not(inner) => is_name(*inner) && holds,
        ExprKind::Name(other) => other == name && !holds,
        ExprKind::Compare { op, left, .. } => {
            use crate::code::ir::CompareOp;
            is_name(*left)
                && (matches!(op, CompareOp::Is | CompareOp::Eq) && holds
                    || matches!(op, CompareOp::IsNot | CompareOp::NotEq) && !holds)
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

/// Whether the end of a block is never reached.
fn ends(block: &[Stmt]) -> bool {
    block.last().is_some_and(|stmt| {
        matches!(
            stmt.kind,
            StmtKind::Continue | StmtKind::Break | StmtKind::Return(_) | StmtKind::Raise(_)
        )
    })
}
