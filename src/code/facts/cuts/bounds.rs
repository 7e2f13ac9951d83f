//! Where the bound of a cut comes from: a number, a length, tokens, or a search for a boundary.

use rustc_hash::FxHashSet;

use super::Safety;
use super::boundary::{self, Test};
use super::noted;
use crate::code::facts::Facts;
use crate::code::flow::graph::{Flow, Origin};
use crate::code::flow::iteration::integer;
use crate::code::flow::paths::{Slot, StmtId};
use crate::code::flow::predicate::Kinds;
use crate::code::flow::reach::{Direction, reach};
use crate::code::ir::{BinaryOp, ExprId, ExprKind, Intrinsic, Literal, Name, StmtKind};
use crate::code::project::{ExprRef, FuncRef};

/// What is known of a bound.
#[derive(Clone, Debug, Default)]
pub(super) struct Bound {
    /// It is a number of messages, or a position computed from one.
    pub(super) counted: bool,
    /// It is computed from sizes.
    pub(super) measured: bool,
    /// It is the length of a list, as it was at some moment.
    pub(super) length: bool,
    /// It is a parameter that nothing in the project gives.
    pub(super) free: Vec<Name>,
    /// How safe the tests on the way to it make the cut.
    pub(super) safety: Safety,
    /// What belongs to each message that goes is taken out with it, wherever the cut falls.
    pub(super) with_partner: bool,
    /// The search for it stops at messages of the model only.
    pub(super) at_answer: bool,
    /// The statement of a helper that decides it.
    pub(super) decided: Option<ExprRef>,
}

impl Bound {
    /// Whether it is a count or a size that nobody moved to a boundary.
    pub(super) fn is_amount(&self, facts: &Facts) -> bool {
        let named = self.free.iter().any(|name| facts.vocabulary.is_count_name(name));
        self.counted || self.measured || named
    }
}

/// Judges a bound; `from_end` is whether it counts from the newest end.
pub(super) fn judge(facts: &Facts, site: ExprRef, bound: ExprRef, has_pairs: bool) -> Bound {
    let mut found = Bound::default();
    if is_negative(facts, bound) {
        found.counted = true;
    }
    let mut lengths = false;
    let mut positions = false;
    let of_test = |node| {
        let expr = facts.graph.as_expr(node);
        expr.is_some_and(|expr| facts.module(expr.module).is_test)
    };
    let in_test = facts.module(site.module).is_test;
    let reached = reach(
        &facts.graph,
        facts.node(bound),
        Direction::Backward,
        |flow, _, held, next| {
            // The numbers that tests give are no bounds of the program.
            if !in_test && of_test(next) {
                return false;
            }
            match flow {
                Flow::Length => {
                    lengths = true;
                    false
                }
                Flow::Opaque => {
                    // `int(n)` is made of a number; what is made of a history is not known.
                    facts.histories().confidence(next).is_none()
                }
                Flow::Position => {
                    positions = true;
                    false
                }
                Flow::Test | Flow::Select => false,
                Flow::Part(_) | Flow::Into => held.len() < 3,
                _ => true,
            }
        },
    );
    let mut arithmetic = false;
    let mut stmts: FxHashSet<(FuncRef, StmtId)> = FxHashSet::default();
    let mut names: FxHashSet<(FuncRef, Name)> = FxHashSet::default();
    let mut comprehensions: Vec<ExprRef> = Vec::new();
    let mut literals = false;
    let mut told = Vec::new();
    for one in &reached {
        match facts.graph.origin(one.node) {
            Origin::Expr(expr) => {
                let expr = *expr;
                let function = facts.owner(expr);
                match facts.kind(expr) {
                    ExprKind::Name(name) => {
                        names.insert((function, name.clone()));
                    }
                    ExprKind::Literal(Literal::Int(value)) => literals |= *value != 0 && !noted::is_step(facts, expr),
                    ExprKind::Literal(Literal::Float) => literals = true,
                    ExprKind::Binary { op, .. } => {
                        arithmetic |= matches!(op, BinaryOp::Sub | BinaryOp::Mul | BinaryOp::Div | BinaryOp::Other);
                    }
                    ExprKind::Attribute { .. } => {
                        let from_elsewhere = facts
                            .graph
                            .incoming(one.node)
                            .iter()
                            .all(|edge| !matches!(facts.graph.origin(edge.node), Origin::Expr(_)));
                        literals = literals || from_elsewhere && !noted::is_length(facts, expr);
                    }
                    ExprKind::Comprehension { .. } => comprehensions.push(expr),
                    ExprKind::Call { idiom: Some(idiom), .. } if idiom.op == Intrinsic::Sum => found.measured = true,
                    _ => {}
                }
                if let Some(stmt) = facts.paths.function(function).stmt_of(expr.expr) {
                    stmts.insert((function, stmt));
                }
            }
            Origin::Param(function, index) => {
                let given = facts
                    .graph
                    .incoming(one.node)
                    .iter()
                    .any(|edge| matches!(edge.flow, Flow::Enter(_)));
                let name = &facts.project.function(*function).params[*index as usize].name;
                if !given {
                    found.free.push(name.clone());
                } else if facts.owner(site) == *function
                    && matches!(facts.kind(bound), ExprKind::Name(bound) if bound == name)
                {
                    told.push(name.clone());
                }
            }
            _ => {}
        }
    }
    found.length = lengths && !arithmetic && !literals && !positions;
    // A position that was searched for is no amount, whatever it is counted from.
    let named_position = match facts.kind(bound) {
        ExprKind::Name(name) | ExprKind::Attribute { name, .. } => facts.vocabulary.is_position_name(name),
        _ => false,
    };
    found.counted |= !positions && (lengths && arithmetic || literals && !found.length && !named_position);
    let mut judge = Judge {
        facts,
        names,
        has_pairs,
        bound,
        best: Safety::Nothing,
        refuted: false,
        amounts: false,
        beside: false,
        at_answer: false,
    };
    for comprehension in &comprehensions {
        judge.comprehension(*comprehension);
    }
    let mut stmts: Vec<(FuncRef, StmtId)> = stmts.into_iter().collect();
    stmts.sort_unstable();
    for (function, stmt) in stmts {
        judge.stmt(function, stmt, facts.owner(site) != function);
    }
    found.measured |= judge.amounts;
    // What is cut by a number that the caller gives asks nothing; where that comes from is not known.
    if !positions && !lengths && judge.best == Safety::Nothing {
        found.free.append(&mut told);
    }
    found.at_answer = judge.at_answer;
    found.safety = if judge.refuted { Safety::Nothing } else { judge.best };
    found.decided = decided(facts, site, bound).or_else(|| counted_up(facts, bound));
    found
}

/// `-n`.
fn is_negative(facts: &Facts, expr: ExprRef) -> bool {
    match facts.kind(expr) {
        ExprKind::Binary {
            op: BinaryOp::Sub,
            left,
            right,
        } => {
            let zero = matches!(
                facts.kind(facts.beside(expr, *left)),
                ExprKind::Literal(Literal::Int(0))
            );
            let counts = !matches!(
                facts.kind(facts.beside(expr, *right)),
                ExprKind::Index { .. } | ExprKind::Call { idiom: Some(_), .. }
            );
            zero && counts
        }
        _ => false,
    }
}

/// The returned expression of the helper that a bound comes from.
fn decided(facts: &Facts, site: ExprRef, bound: ExprRef) -> Option<ExprRef> {
    let here = facts.owner(site);
    let behind = reach(
        &facts.graph,
        facts.node(bound),
        Direction::Backward,
        |flow, _, held, _| held.is_empty() && matches!(flow, Flow::Same | Flow::Leave(_)),
    );
    behind.iter().find_map(|one| {
        let expr = facts.graph.as_expr(one.node)?;
        let function = facts.owner(expr);
        if function == here || matches!(facts.kind(expr), ExprKind::Literal(_)) {
            return None;
        }
        let paths = facts.paths.function(function);
        let stmt = paths.stmt_of(expr.expr)?;
        let returned = matches!(paths.stmt(stmt).kind, StmtKind::Return(Some(value)) if value == expr.expr);
        let tells = matches!(facts.kind(expr), ExprKind::Name(_) | ExprKind::Binary { .. });
        (returned && tells).then_some(expr)
    })
}

/// Where a loop counts a bound up until the rest fits: `while size(xs[n:]) > limit: n += 1`.
fn counted_up(facts: &Facts, bound: ExprRef) -> Option<ExprRef> {
    let ExprKind::Name(name) = facts.kind(bound) else {
        return None;
    };
    let paths = facts.paths.function(facts.owner(bound));
    paths.stmts().find_map(|stmt| {
        let StmtKind::Update { target, .. } = paths.stmt(stmt).kind else {
            return None;
        };
        let counts = matches!(facts.kind(facts.beside(bound, target)), ExprKind::Name(other) if other == name);
        let around = paths.enclosing_loops(stmt).next().filter(|_| counts)?;
        match paths.stmt(around).kind {
            StmtKind::While { cond, .. } => {
                has_order(facts, facts.beside(bound, cond)).then(|| facts.beside(bound, target))
            }
            _ => None,
        }
    })
}

#[allow(clippy::struct_excessive_bools, reason = "four answers of one walk")]
struct Judge<'a, 'p> {
    facts: &'a Facts<'p>,
    /// The variables on the way to the bound.
    names: FxHashSet<(FuncRef, Name)>,
    has_pairs: bool,
    bound: ExprRef,
    best: Safety,
    /// A loop on the way can be left without any test of a message.
    refuted: bool,
    /// A loop on the way is left by a number.
    amounts: bool,
    /// The search stops right before the cut, on a message that may have calls.
    beside: bool,
    /// The search stops at the first kept message, which is one of the model.
    at_answer: bool,
}

impl Judge<'_, '_> {
    fn take(&mut self, test: &Test, searches: bool) {
        let safety = self.weigh(test, searches);
        self.best = self.best.max(safety);
    }

    /// `[i for i, m in enumerate(xs) if …]`, `next(i for i in … if …)`.
    fn comprehension(&mut self, at: ExprRef) {
        let facts = self.facts;
        let ExprKind::Comprehension { clauses, .. } = facts.kind(at) else {
            return;
        };
        let function = facts.owner(at);
        let mut subjects = Vec::new();
        for clause in clauses {
            let (message, position) = boundary::subject_of(facts, function, clause.target, clause.iter);
            if let Some(position) = position {
                self.names.insert((function, position));
            }
            subjects.extend(message);
        }
        for cond in clauses.iter().flat_map(|clause| &clause.conditions) {
            for test in boundary::tests(facts, facts.beside(at, *cond), true, &subjects) {
                self.take(&test, true);
            }
        }
    }

    /// What the way to a statement tests.
    fn stmt(&mut self, function: FuncRef, stmt: StmtId, elsewhere: bool) {
        let facts = self.facts;
        let paths = facts.paths.function(function);
        let at = |expr: ExprId| ExprRef {
            module: function.module,
            expr,
        };
        let subjects = boundary::loop_subjects(facts, function, stmt);
        let moves = matches!(paths.stmt(stmt).kind, StmtKind::Update { .. });
        for (parent, slot) in paths.parents(stmt) {
            if slot != Slot::Loop {
                continue;
            }
            if let StmtKind::For { target, iter, .. } = paths.stmt(parent).kind
                && let (_, Some(position)) = boundary::subject_of(facts, function, target, iter)
            {
                self.names.insert((function, position));
            }
        }
        let around = paths.enclosing_loops(stmt).next();
        for guard in paths.guards_at(stmt) {
            let inside = around.is_some_and(|around| {
                paths
                    .stmt_of(guard.cond)
                    .is_some_and(|of| of != around && paths.contains(around, of))
            });
            self.amounts |= inside && has_order(facts, at(guard.cond));
            let loop_head = paths
                .stmt_of(guard.cond)
                .is_some_and(|of| matches!(paths.stmt(of).kind, StmtKind::While { .. }) && paths.contains(of, stmt));
            // What keeps a search going says nothing about where it ends.
            if loop_head || moves {
                continue;
            }
            for test in boundary::tests(facts, at(guard.cond), guard.holds, &subjects) {
                if self.is_relevant(function, stmt, &test) {
                    self.take(&test, false);
                }
            }
        }
        let defines = matches!(paths.stmt(stmt).kind, StmtKind::Assign { .. } | StmtKind::Update { .. });
        if defines && let Some(around) = paths.enclosing_loops(stmt).next() {
            self.exits(function, around, stmt, elsewhere);
        }
        if elsewhere
            && !self.beside
            && self.best == Safety::Nothing
            && matches!(paths.stmt(stmt).kind, StmtKind::Return(_))
        {
            self.helper(function);
        }
    }

    /// How the loop that moves a position is left.
    fn exits(&mut self, function: FuncRef, around: StmtId, stmt: StmtId, elsewhere: bool) {
        let facts = self.facts;
        let paths = facts.paths.function(function);
        let at = |expr: ExprId| ExprRef {
            module: function.module,
            expr,
        };
        let subjects = boundary::loop_subjects(facts, function, stmt);
        let mut untested = 0;
        let mut tested = 0;
        let mut conditions: Vec<Vec<(ExprRef, bool)>> = Vec::new();
        if let StmtKind::While { cond, .. } = paths.stmt(around).kind
            && !matches!(facts.kind(at(cond)), ExprKind::Literal(_))
        {
            conditions.push(vec![(at(cond), false)]);
        }
        for exit in paths.early_exits(around) {
            let Some(leaves) = exit.at else { continue };
            let inside = paths.guards_at(leaves).into_iter().filter(|guard| {
                paths
                    .stmt_of(guard.cond)
                    .is_some_and(|of| of != around && paths.contains(around, of))
            });
            conditions.push(inside.map(|guard| (at(guard.cond), guard.holds)).collect());
        }
        let mut safest = Safety::Nothing;
        for exit in &conditions {
            let mut here = Safety::Nothing;
            for (cond, holds) in exit {
                for test in boundary::tests(facts, *cond, *holds, &subjects) {
                    here = here.max(self.weigh(&test, true));
                }
                self.amounts |= has_order(facts, *cond);
            }
            let limit = exit.iter().all(|(cond, _)| is_limit(facts, *cond));
            if here == Safety::Nothing {
                // The end of the list is no place that the search chose.
                untested += usize::from(!limit);
            } else {
                tested += 1;
            }
            safest = safest.max(here);
        }
        if tested > 0 && untested == 0 {
            self.best = self.best.max(safest);
        } else if untested > 0 && tested > 0 && elsewhere {
            // One way out of the search of a helper is a boundary, another one is not.
            self.refuted = !self.moved_after(function, around);
        }
    }

    /// Whether another loop behind this one moves the position on to a boundary.
    fn moved_after(&mut self, function: FuncRef, around: StmtId) -> bool {
        let facts = self.facts;
        let paths = facts.paths.function(function);
        let later: Vec<StmtId> = paths.following(around).to_vec();
        later.iter().any(|&stmt| {
            let StmtKind::While { cond, .. } = paths.stmt(stmt).kind else {
                return false;
            };
            let subjects = boundary::loop_subjects(facts, function, stmt);
            let at = ExprRef {
                module: function.module,
                expr: cond,
            };
            boundary::tests(facts, at, false, &subjects)
                .iter()
                .any(|test| self.weigh(test, true) > Safety::Nothing)
        })
    }

    /// A helper that looks at the kinds of messages to find positions.
    fn helper(&mut self, function: FuncRef) {
        let facts = self.facts;
        let paths = facts.paths.function(function);
        for stmt in paths.stmts() {
            let subjects = boundary::loop_subjects(facts, function, stmt);
            let StmtKind::If { cond, .. } = paths.stmt(stmt).kind else {
                continue;
            };
            let at = ExprRef {
                module: function.module,
                expr: cond,
            };
            let looks = paths.enclosing_loops(stmt).next().is_some();
            if looks && !boundary::tests(facts, at, true, &subjects).is_empty() {
                self.best = self.best.max(Safety::Pairs);
            }
        }
    }

    /// Whether the tested message stands where the bound points to.
    fn is_relevant(&self, function: FuncRef, stmt: StmtId, test: &Test) -> bool {
        let facts = self.facts;
        match facts.kind(test.subject) {
            ExprKind::Name(name) => {
                // A loop's message, for a position that the same loop gives; or an element by name.
                let paths = facts.paths.function(function);
                paths.enclosing_loops(stmt).next().is_some() || self.names_message(function, name)
            }
            ExprKind::Index { index, .. } => {
                let index = facts.beside(test.subject, *index);
                if let Some(number) = integer(facts.module(index.module), index.expr) {
                    let bound = integer(facts.module(self.bound.module), self.bound.expr);
                    return bound.is_some_and(|bound| bound == number || bound == number + 1);
                }
                let mut open = vec![index.expr];
                while let Some(expr) = open.pop() {
                    if let ExprKind::Name(name) = facts.kind(facts.beside(index, expr))
                        && self.names.contains(&(function, name.clone()))
                    {
                        return true;
                    }
                    open.extend(facts.module(index.module).children(expr));
                }
                false
            }
            _ => false,
        }
    }

    /// `before = xs[-2]`, with the bound beside it.
    fn names_message(&self, function: FuncRef, name: &Name) -> bool {
        let facts = self.facts;
        let Some(bound) = integer(facts.module(self.bound.module), self.bound.expr) else {
            return false;
        };
        let module = facts.module(function.module);
        let mut assigned = facts
            .paths
            .function(function)
            .stmts()
            .flat_map(|stmt| boundary::assigned(facts, function, stmt));
        assigned.any(|(target, value)| {
            let named = matches!(module.kind(target), ExprKind::Name(other) if other == name);
            let index = match module.kind(value) {
                ExprKind::Index { index, .. } => integer(module, *index),
                _ => None,
            };
            named && index.is_some_and(|index| index == bound || index == bound - 1)
        })
    }

    /// How many places before the bound the tested message stands.
    fn behind(&self, test: &Test) -> i64 {
        let facts = self.facts;
        let decided = decided(facts, self.bound, self.bound).unwrap_or(self.bound);
        let (bound_name, bound_plus) = boundary::offset(facts, decided);
        if bound_name.is_none() {
            return 0;
        }
        match facts.kind(test.subject) {
            ExprKind::Index { index, .. } => {
                let (name, plus) = boundary::offset(facts, facts.beside(test.subject, *index));
                // The variable of a search, `next(i for i in … if xs[i]…)`, is the bound under another name.
                let function = facts.owner(test.subject);
                let same = name == bound_name || name.is_some_and(|name| self.names.contains(&(function, name)));
                if same { bound_plus - plus } else { 0 }
            }
            _ => bound_plus,
        }
    }

    /// How safe a test makes the cut; `searches` is whether it decides how far a search goes.
    fn weigh(&mut self, test: &Test, searches: bool) -> Safety {
        let behind = self.behind(test);
        let safety = boundary::safety(self.facts, test, behind, self.has_pairs, searches);
        self.beside |= behind > 0 && safety == Safety::Nothing;
        let accepts = test.predicate.accepts;
        let of_model = accepts != Kinds::NONE && Kinds::ASSISTANT.has(accepts);
        self.at_answer |= searches && behind == 0 && safety == Safety::Pairs && of_model;
        safety
    }
}

/// Whether a condition only keeps a position inside the list or on one side of another position:
/// `i > 0`, `i < len(xs)`, `i > first_idx`.
fn is_limit(facts: &Facts, cond: ExprRef) -> bool {
    boundary::atoms(facts, cond, true)
        .iter()
        .all(|(atom, _)| match facts.kind(*atom) {
            ExprKind::Compare { left, right, .. } => {
                let position = |side: ExprId| boundary::offset(facts, facts.beside(*atom, side)).0.is_some();
                let end = |side: ExprId| {
                    let module = facts.module(atom.module);
                    let number = integer(module, side).is_some_and(|number| (-1..=1).contains(&number));
                    number
                        || has_length(facts, facts.beside(*atom, side))
                        || is_position(facts, facts.beside(*atom, side))
                };
                position(*left) && end(*right) || position(*right) && end(*left)
            }
            _ => false,
        })
}

/// Whether a variable is a place in a list by its name.
fn is_position(facts: &Facts, expr: ExprRef) -> bool {
    matches!(facts.kind(expr), ExprKind::Name(name) if facts.vocabulary.is_position_name(name))
}

/// `len(xs)`, `len(xs) - 1`.
fn has_length(facts: &Facts, expr: ExprRef) -> bool {
    match facts.kind(expr) {
        ExprKind::Call { idiom: Some(idiom), .. } => idiom.op == Intrinsic::Len,
        ExprKind::Binary { left, right, .. } => {
            integer(facts.module(expr.module), *right).is_some() && has_length(facts, facts.beside(expr, *left))
        }
        _ => false,
    }
}

/// Whether a condition compares amounts.
pub(super) fn has_order(facts: &Facts, cond: ExprRef) -> bool {
    boundary::atoms(facts, cond, true).iter().any(|(atom, _)| {
        let cond = facts.answer_of_helper(*atom).unwrap_or(*atom);
        let parts = boundary::atoms(facts, cond, true);
        parts.iter().any(|(part, _)| compares_amounts(facts, *part))
    })
}

fn compares_amounts(facts: &Facts, atom: ExprRef) -> bool {
    use crate::code::ir::CompareOp;
    !is_limit(facts, atom)
        && matches!(
            facts.kind(atom),
            ExprKind::Compare {
                op: CompareOp::Less | CompareOp::LessEq | CompareOp::Greater | CompareOp::GreaterEq,
                ..
            }
        )
}
