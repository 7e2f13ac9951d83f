//! What tests of messages say about the place where a list is cut.

use crate::code::facts::Facts;
use crate::code::flow::iteration::iteration;
use crate::code::flow::paths::StmtId;
use crate::code::flow::predicate::{Asks, Kinds, Predicate, Subject};
use crate::code::ir::{BinaryOp, ExprId, ExprKind, Literal, Name, StmtKind};
use crate::code::project::{ExprRef, FuncRef};

use super::Safety;

/// A test of the message at (or beside) a place of a list.
#[derive(Clone, Debug)]
pub(super) struct Test {
    /// What must hold there.
    pub(super) predicate: Predicate,
    /// The message that is tested: a loop's variable, or an element by its position.
    pub(super) subject: ExprRef,
    /// Whether it tests a type or a mark that stands for no known role.
    pub(super) is_type: bool,
}

/// One condition, taken apart at `and`, `or` and `not`.
pub(super) fn atoms(facts: &Facts, cond: ExprRef, holds: bool) -> Vec<(ExprRef, bool)> {
    let mut found = Vec::new();
    let mut open = vec![(cond, holds)];
    while let Some((at, holds)) = open.pop() {
        match facts.kind(at) {
            ExprKind::Not(inner) => open.push((facts.beside(at, *inner), !holds)),
            ExprKind::Logic { operands, .. } => {
                open.extend(operands.iter().map(|operand| (facts.beside(at, *operand), holds)));
            }
            _ => found.push((at, holds)),
        }
    }
    found
}

/// The tests of messages in a condition. `subjects` are the loop variables that stand for a message
/// there.
pub(super) fn tests(facts: &Facts, cond: ExprRef, holds: bool, subjects: &[Name]) -> Vec<Test> {
    let mut found = Vec::new();
    for (atom, holds) in atoms(facts, cond, holds) {
        for subject in candidates(facts, atom, subjects) {
            let module = facts.module(atom.module);
            let predicate = facts.predicates.of(atom, &Subject::spelled(module, subject.expr));
            let predicate = if holds { predicate } else { predicate.negated() };
            // A type or a mark that stands for no known role, but for a kind of messages.
            let is_type = matches!(facts.kind(atom), ExprKind::TypeTest { value, .. } if *value == subject.expr)
                || !tells_kinds(predicate) && names_half(facts, atom);
            if is_type || tells_kinds(predicate) {
                found.push(Test {
                    predicate,
                    subject,
                    is_type,
                });
            }
        }
    }
    found
}

/// Whether a condition looks for messages by their own ids: they are replaced, not cut.
pub(super) fn looks_up_id(facts: &Facts, cond: ExprRef) -> bool {
    atoms(facts, cond, true).into_iter().any(|(atom, _)| {
        candidates(facts, atom, &[]).into_iter().any(|subject| {
            let module = facts.module(atom.module);
            facts
                .predicates
                .of(atom, &Subject::spelled(module, subject.expr))
                .is_by_id()
        })
    })
}

/// Whether a condition compares with the word for a call or a result of a tool.
fn names_half(facts: &Facts, atom: ExprRef) -> bool {
    let mut open = vec![atom.expr];
    while let Some(expr) = open.pop() {
        let at = facts.beside(atom, expr);
        if facts
            .text(at)
            .is_some_and(|text| facts.vocabulary.block(text).is_some())
        {
            return true;
        }
        open.extend(facts.module(atom.module).children(expr));
    }
    false
}

/// Whether a predicate tells kinds of messages apart by more than a mark.
pub(super) fn tells_kinds(predicate: Predicate) -> bool {
    predicate.asks.meets(Asks::ROLE | Asks::TOOL | Asks::CALL_ID)
}

fn is_history(facts: &Facts, expr: ExprRef) -> bool {
    facts.histories().confidence(facts.node(expr)).is_some()
}

/// The messages that an expression speaks of.
fn candidates(facts: &Facts, within: ExprRef, subjects: &[Name]) -> Vec<ExprRef> {
    let mut found = Vec::new();
    let mut open = vec![within.expr];
    while let Some(expr) = open.pop() {
        let at = facts.beside(within, expr);
        match facts.kind(at) {
            ExprKind::Index { base, index }
                if facts.text(facts.beside(at, *index)).is_none() && is_history(facts, facts.beside(at, *base)) =>
            {
                found.push(at);
                continue;
            }
            ExprKind::Name(name) if subjects.contains(name) => found.push(at),
            _ => {}
        }
        open.extend(facts.module(within.module).children(expr));
    }
    found
}

/// The variables that stand for a message in the loops around a statement.
pub(super) fn loop_subjects(facts: &Facts, function: FuncRef, stmt: StmtId) -> Vec<Name> {
    let paths = facts.paths.function(function);
    let module = facts.module(function.module);
    let mut names = Vec::new();
    let around = paths.enclosing_loops(stmt).chain(std::iter::once(stmt));
    for at in around {
        if let StmtKind::For { target, iter, .. } = &paths.stmt(at).kind {
            names.extend(subject_of(facts, function, *target, *iter).0);
        }
    }
    // `m = xs[i]` stands for the message as well.
    for other in paths.stmts() {
        for (target, value) in assigned(facts, function, other) {
            let at = |expr: ExprId| {
                facts.node(ExprRef {
                    module: function.module,
                    expr,
                })
            };
            let ExprKind::Name(name) = module.kind(target) else {
                continue;
            };
            let element = match module.kind(value) {
                ExprKind::Index { base, index } => {
                    !matches!(module.kind(*index), ExprKind::Literal(Literal::Str(_)))
                        && facts.histories().confidence(at(*base)).is_some()
                }
                ExprKind::Call { .. } => facts.histories().message(at(target)).is_some(),
                _ => false,
            };
            if element {
                names.push(name.clone());
            }
        }
    }
    names
}

/// The targets of an assignment with their values: `a, b = x, y` has two.
pub(super) fn assigned(facts: &Facts, function: FuncRef, stmt: StmtId) -> Vec<(ExprId, ExprId)> {
    let module = facts.module(function.module);
    let StmtKind::Assign { targets, value, .. } = &facts.paths.function(function).stmt(stmt).kind else {
        return Vec::new();
    };
    let mut found = Vec::new();
    for target in targets {
        match (module.kind(*target), module.kind(*value)) {
            (ExprKind::List { items, .. }, ExprKind::List { items: values, .. }) if items.len() == values.len() => {
                found.extend(items.iter().zip(values).map(|(item, value)| (item.value, value.value)));
            }
            _ => found.push((*target, *value)),
        }
    }
    found
}

/// The variables of a loop over a history: the message and its position.
pub(super) fn subject_of(
    facts: &Facts,
    function: FuncRef,
    target: ExprId,
    iter: ExprId,
) -> (Option<Name>, Option<Name>) {
    let module = facts.module(function.module);
    let Some(over) = iteration(module, iter) else {
        return (None, None);
    };
    let list = ExprRef {
        module: function.module,
        expr: over.list,
    };
    if facts.histories().confidence(facts.node(list)).is_none() {
        return (None, None);
    }
    let name = |expr: ExprId| match module.kind(expr) {
        ExprKind::Name(name) => Some(name.clone()),
        _ => None,
    };
    match module.kind(target) {
        ExprKind::List { items, .. } if over.pairs && items.len() == 2 => {
            let element = match module.kind(items[1].value) {
                // `for i, (m, size) in enumerate(zip(xs, sizes))`
                ExprKind::List { items, .. } => items.first().and_then(|item| name(item.value)),
                _ => name(items[1].value),
            };
            (element, name(items[0].value))
        }
        ExprKind::List { items, .. } => (items.first().and_then(|item| name(item.value)), None),
        _ if over.positions => (None, name(target)),
        _ => (name(target), None),
    }
}

/// How safe a cut is whose first kept message passes a test, where the tested message stands `behind`
/// places before the first kept one; `searches` is whether the test decides how far a search goes.
pub(super) fn safety(facts: &Facts, test: &Test, behind: i64, list_has_pairs: bool, searches: bool) -> Safety {
    let predicate = test.predicate;
    if behind > 0 {
        // The message before the cut: nothing may be open behind it.
        let open = predicate.accepts.meets(Kinds::CALLS) || !tells_kinds(predicate);
        return if open { Safety::Nothing } else { Safety::Pairs };
    }
    let carried = carries_results(facts, test.subject);
    if predicate.is_turn_start() || predicate.is_user() && !carried {
        return Safety::Turns;
    }
    if predicate.is_user() {
        return Safety::Nothing;
    }
    let on_result = predicate.accepts.meets(Kinds::RESULTS) || carried && predicate.accepts.meets(Kinds::USER_RESULTS);
    // A test that is not understood counts where it decides how far a search goes.
    let understood = predicate.accepts != Kinds::ALL;
    let tells = if understood {
        tells_kinds(predicate) && (!on_result || !list_has_pairs)
    } else {
        searches
    };
    if tells || test.is_type && searches {
        Safety::Pairs
    } else {
        Safety::Nothing
    }
}

/// Whether results of tools stand in the person's name in this file.
fn carries_results(facts: &Facts, at: ExprRef) -> bool {
    facts.has_user_results(at.module)
}

/// A variable with a number added: `cut + 1`.
pub(super) fn offset(facts: &Facts, expr: ExprRef) -> (Option<Name>, i64) {
    match facts.kind(expr) {
        ExprKind::Name(name) => (Some(name.clone()), 0),
        ExprKind::Binary {
            op: op @ (BinaryOp::Add | BinaryOp::Sub),
            left,
            right,
        } => {
            let module = facts.module(expr.module);
            let literal = |expr: ExprId| match module.kind(expr) {
                ExprKind::Literal(Literal::Int(value)) => Some(*value),
                _ => None,
            };
            match (literal(*left), literal(*right)) {
                (None, Some(value)) => {
                    let (name, inner) = offset(facts, facts.beside(expr, *left));
                    (
                        name,
                        if *op == BinaryOp::Add {
                            inner + value
                        } else {
                            inner - value
                        },
                    )
                }
                (Some(value), None) if *op == BinaryOp::Add => {
                    let (name, inner) = offset(facts, facts.beside(expr, *right));
                    (name, inner + value)
                }
                _ => (None, 0),
            }
        }
        _ => (None, 0),
    }
}
