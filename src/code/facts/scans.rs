//! Searches over a history: what is looked for, from which end, and what the search yields.

mod loops;

use super::Facts;
use crate::code::flow::graph::{Flow, Node, Part};
use crate::code::flow::iteration::{integer, iteration};
use crate::code::flow::reach::{Direction, reach};
use crate::code::ir::{Clause, ExprId, ExprKind, Intrinsic, Name};
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
    /// What takes the message and says whether it is a match.
    pub(crate) accepts: Option<ExprRef>,
    /// The variable that stands for the message in the conditions.
    pub(crate) subject: Option<Name>,
    /// The variable that stands for its position.
    pub(crate) position: Option<Name>,
    /// A fixed position instead of a search.
    pub(crate) constant: Option<i64>,
    /// Where what was found is held.
    pub(crate) results: Vec<Node>,
    /// How sure it is that the list is a history.
    pub(crate) confidence: Confidence,
}

impl Scan {
    /// The oldest message of a list, whatever it is.
    fn over(list: ExprRef, site: ExprRef, confidence: Confidence) -> Self {
        Self {
            list,
            site,
            pick: Pick::Oldest,
            yields: Yield::Message,
            conditions: Vec::new(),
            accepts: None,
            subject: None,
            position: None,
            constant: None,
            results: Vec::new(),
            confidence,
        }
    }
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
    loops::find(facts, &mut scans);
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
    let (filter, source) = filtered(facts, source);
    let over = iteration(facts.module(expr.module), source.expr)?;
    let list = facts.beside(expr, over.list);
    let confidence = facts.histories().confidence(facts.node(list))?;
    let end = if over.backward { -1 } else { 0 };
    Some(Scan {
        pick: pick(over.backward, over.reordered),
        yields: if over.positions {
            Yield::Position
        } else {
            Yield::Message
        },
        accepts: filter,
        constant: (!over.reordered && filter.is_none()).then_some(end),
        results: vec![node],
        ..Scan::over(list, expr, confidence)
    })
}

/// The predicate and the list behind `filter(predicate, xs)`.
fn filtered(facts: &Facts, source: ExprRef) -> (Option<ExprRef>, ExprRef) {
    if let ExprKind::Call { idiom: Some(idiom), .. } = facts.kind(source)
        && let (Intrinsic::Filter, [predicate, list]) = (idiom.op, &idiom.operands[..])
    {
        return (Some(facts.beside(source, *predicate)), facts.beside(source, *list));
    }
    (None, source)
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
        pick: pick(over.backward, over.reordered),
        yields: yields(facts, element, position.as_ref(), subject.as_ref())?,
        conditions: clause
            .conditions
            .iter()
            .map(|cond| (facts.beside(site, *cond), true))
            .collect(),
        subject,
        position,
        ..Scan::over(list, site, confidence)
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
        // A new message or a new list is no part of the old one.
        ((_, true), ExprKind::List { .. } | ExprKind::Dict(_)) => None,
        ((_, true), _) if facts.construction(value).is_some() => None,
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
    let end = match at {
        0 => Pick::Oldest,
        _ if at < 0 => Pick::Newest,
        _ => Pick::Any,
    };
    if let Some((filter, list)) = filter_behind(facts, base) {
        let confidence = facts.histories().confidence(facts.node(list))?;
        return Some(Scan {
            pick: end,
            accepts: Some(filter),
            results: vec![node],
            ..Scan::over(list, expr, confidence)
        });
    }
    let confidence = facts.histories().confidence(facts.node(base))?;
    Some(Scan {
        pick: end,
        constant: Some(at),
        results: vec![node],
        ..Scan::over(base, expr, confidence)
    })
}

/// The one `filter(predicate, xs)` that a list comes from.
fn filter_behind(facts: &Facts, list: ExprRef) -> Option<(ExprRef, ExprRef)> {
    let behind = behind(facts, list);
    let mut found = behind.into_iter().filter_map(|expr| match filtered(facts, expr) {
        (Some(filter), list) => Some((filter, list)),
        _ => None,
    });
    let first = found.next()?;
    found.next().is_none().then_some(first)
}

/// The expressions that make a list, followed through names, copies and results of functions.
fn behind(facts: &Facts, list: ExprRef) -> Vec<ExprRef> {
    let behind = reach(
        &facts.graph,
        facts.node(list),
        Direction::Backward,
        |flow, _, held, _| held.is_empty() && matches!(flow, Flow::Same | Flow::Leave(_) | Flow::Part(Part::Copy)),
    );
    behind
        .iter()
        .filter_map(|reached| facts.graph.as_expr(reached.node))
        .collect()
}

/// The comprehension with one clause that a list comes from, with its element and its clause.
fn comprehension_behind<'p>(facts: &Facts<'p>, list: ExprRef) -> Option<(ExprRef, ExprRef, &'p Clause)> {
    let mut found = behind(facts, list)
        .into_iter()
        .filter_map(|expr| match facts.kind(expr) {
            ExprKind::Comprehension { element, clauses, .. } => match &clauses[..] {
                [clause] => Some((expr, facts.beside(expr, *element), clause)),
                _ => None,
            },
            _ => None,
        });
    let first = found.next()?;
    found.next().is_none().then_some(first)
}
