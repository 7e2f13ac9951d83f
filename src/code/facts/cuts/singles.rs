//! Messages that are taken from a list one by one.

use super::{Finder, Keeps, Means, Safety, Seen, boundary, bounds};
use crate::code::facts::UseKind;
use crate::code::flow::graph::{Flow, Node};
use crate::code::flow::iteration::integer;
use crate::code::flow::paths::StmtId;
use crate::code::flow::predicate::{Kinds, same_spelling};
use crate::code::ir::{BinaryOp, ExprId, ExprKind, Intrinsic, StmtKind};
use crate::code::project::{ExprRef, FuncRef};

/// How many variables a measure goes through: `size = f(x)`, `total -= size`.
const MEASURES: usize = 2;

impl Finder<'_, '_> {
    /// `xs.pop(0)` in a loop, or under a test of the length.
    pub(super) fn popped(&mut self, expr: ExprRef, list: ExprId, index: Option<ExprId>) {
        let facts = self.facts;
        let list = facts.beside(expr, list);
        if self.confidence(list).is_none() {
            return;
        }
        let index = index.map(|index| facts.beside(expr, index));
        let number = index.and_then(|index| integer(facts.module(index.module), index.expr));
        if number.is_some_and(|number| number < 0) || index.is_some_and(|index| facts.text(index).is_some()) {
            return;
        }
        let first =
            matches!(facts.kind(expr), ExprKind::Call { idiom: Some(idiom), .. } if idiom.op == Intrinsic::PopFirst);
        let keeps = match (index, first) {
            (None, false) => Keeps::Oldest,
            (Some(_), _) | (None, true) => Keeps::Newest,
        };
        self.taken(expr, list, index.filter(|_| number.is_none()), keeps);
    }

    pub(super) fn taken(&mut self, expr: ExprRef, list: ExprRef, index: Option<ExprRef>, keeps: Keeps) {
        let facts = self.facts;
        let function = facts.owner(expr);
        let paths = facts.paths.function(function);
        let Some(stmt) = paths.stmt_of(expr.expr) else { return };
        let partner = self
            .partner_removed(expr, list, stmt)
            .filter(|_| keeps == Keeps::Newest);
        // What is taken out is looked at, not thrown away.
        let thrown = match &paths.stmt(stmt).kind {
            StmtKind::Expr(value) => *value == expr.expr,
            StmtKind::Assign { targets, value, .. } => {
                *value == expr.expr
                    && keeps == Keeps::Newest
                    && targets.iter().all(|target| self.is_unread(facts.beside(expr, *target)))
            }
            StmtKind::Delete(_) => true,
            _ => false,
        } || partner.is_some();
        let subjects = boundary::loop_subjects(facts, function, stmt);
        let guards = paths.guards_at(stmt);
        let in_loop = paths.enclosing_loops(stmt).next().is_some();
        let compared = guards
            .iter()
            .any(|guard| bounds::has_order(facts, facts.beside(expr, guard.cond)));
        let in_while = paths
            .enclosing_loops(stmt)
            .next()
            .is_some_and(|around| matches!(paths.stmt(around).kind, StmtKind::While { .. }));
        let repeated = compared || in_while || partner.is_some() && self.is_called_in_loop(function);
        if !thrown || !repeated || keeps == Keeps::Oldest && !in_loop {
            return;
        }
        let of_list = |subject: ExprRef| {
            matches!(facts.kind(subject), ExprKind::Index { base, .. }
                if facts.histories().same(facts.node(facts.beside(subject, *base)), facts.node(list)))
        };
        // `last = xs[-1]`, tested before the last one is taken.
        let named = |subject: ExprRef| match facts.kind(subject) {
            ExprKind::Name(name) => facts.project.only_value(function, name).is_some_and(of_list),
            _ => false,
        };
        let tests = guards.iter().flat_map(|guard| {
            let cond = facts.beside(expr, guard.cond);
            boundary::tests(facts, cond, guard.holds, &subjects)
        });
        let tests: Vec<_> = tests
            .filter(|test| of_list(test.subject) || named(test.subject))
            .collect();
        // To spare the system's messages is to know nothing of turns.
        let spares_system = |test: &boundary::Test| test.predicate.accepts == !Kinds::SYSTEM;
        let by_id = || {
            guards
                .iter()
                .any(|guard| boundary::looks_up_id(facts, facts.beside(expr, guard.cond)))
        };
        if tests.iter().any(|test| !spares_system(test)) || by_id() {
            return;
        }
        let has_pairs = self.has_pairs(list);
        let mut bound = index
            .map(|index| bounds::judge(facts, expr, index, has_pairs))
            .unwrap_or_default();
        bound.measured = true;
        bound.decided = None;
        if !tests.is_empty() {
            bound.safety = Safety::Nothing;
        }
        if partner.is_some() {
            bound.safety = bound.safety.max(Safety::Pairs);
            bound.with_partner = true;
        }
        let kept = self.places(list);
        self.add(&Seen {
            site: expr,
            list,
            means: Means::Pop,
            keeps,
            bound,
            kept,
        });
    }

    /// The call, right behind a statement that takes a message out of a list, that is given both: it takes
    /// out what belongs to the message.
    fn partner_removed(&self, expr: ExprRef, list: ExprRef, stmt: StmtId) -> Option<ExprRef> {
        let facts = self.facts;
        let module = facts.module(expr.module);
        let paths = facts.paths.function(facts.owner(expr));
        let StmtKind::Assign { targets, value, .. } = &paths.stmt(stmt).kind else {
            return None;
        };
        let [target] = targets[..] else { return None };
        if *value != expr.expr {
            return None;
        }
        let next = *paths.following(stmt).first()?;
        let StmtKind::Expr(call) = paths.stmt(next).kind else {
            return None;
        };
        let call = facts.beside(expr, call);
        let (_, args) = facts.call(call)?;
        let given = |wanted: ExprId| args.iter().any(|arg| same_spelling(module, arg.value, wanted));
        (given(list.expr) && given(target)).then_some(call)
    }

    /// Whether a function is called in a loop: what it does once is done until something holds.
    fn is_called_in_loop(&self, function: FuncRef) -> bool {
        let facts = self.facts;
        let mut sites = facts.project.callers_of(function).iter();
        sites.any(|site| {
            let paths = facts.paths.function(site.caller);
            !facts.project.is_test(site.caller)
                && paths
                    .stmt_of(site.call)
                    .is_some_and(|stmt| paths.enclosing_loops(stmt).next().is_some())
        })
    }

    /// Whether a variable is looked at in conditions at most, or only measured.
    pub(super) fn is_unread(&self, target: ExprRef) -> bool {
        let facts = self.facts;
        matches!(facts.kind(target), ExprKind::Name(_))
            && (facts
                .uses(facts.node(target))
                .iter()
                .all(|one| matches!(one.kind, UseKind::Condition))
                || self.is_measured(target, MEASURES))
    }

    /// Whether all that becomes of a variable is a number that is taken from a sum: `total -= size(x)`.
    fn is_measured(&self, target: ExprRef, depth: usize) -> bool {
        let facts = self.facts;
        let module = facts.module(target.module);
        let ExprKind::Name(name) = module.kind(target.expr) else {
            return false;
        };
        let paths = facts.paths.function(facts.owner(target));
        let mut mentions = paths
            .stmts()
            .flat_map(|stmt| paths.own_exprs_in(stmt))
            .filter(|expr| *expr != target.expr && matches!(module.kind(*expr), ExprKind::Name(other) if other == name))
            .map(|expr| facts.beside(target, expr))
            .peekable();
        mentions.peek().is_some() && mentions.all(|mention| self.is_taken_off(mention, depth))
    }

    /// Whether an expression stands in what a number loses, or in a comparison of numbers.
    fn is_taken_off(&self, expr: ExprRef, depth: usize) -> bool {
        let facts = self.facts;
        let module = facts.module(expr.module);
        let mut at = expr;
        while let Some(outer) = facts.graph.around(at) {
            match module.kind(outer.expr) {
                ExprKind::Binary {
                    op: BinaryOp::Sub,
                    right,
                    ..
                } if *right == at.expr => return true,
                ExprKind::Compare { .. } => return true,
                ExprKind::Call { callee, .. } if *callee == at.expr => return false,
                ExprKind::Call { .. }
                | ExprKind::Attribute { .. }
                | ExprKind::Index { .. }
                | ExprKind::Logic { .. }
                | ExprKind::Await(_)
                | ExprKind::Binary { .. } => at = outer,
                _ => return false,
            }
        }
        let paths = facts.paths.function(facts.owner(expr));
        let Some(stmt) = paths.stmt_of(expr.expr) else {
            return false;
        };
        match &paths.stmt(stmt).kind {
            StmtKind::Update {
                op: BinaryOp::Sub,
                value,
                ..
            } => *value == at.expr,
            StmtKind::Assign { targets, value, .. } => {
                *value == at.expr
                    && at != expr
                    && depth > 0
                    && targets
                        .iter()
                        .all(|target| self.is_measured(facts.beside(expr, *target), depth - 1))
            }
            _ => false,
        }
    }

    /// The places that hold a list that is changed where it is.
    pub(super) fn places(&self, list: ExprRef) -> Vec<Node> {
        let node = self.facts.node(list);
        let edges = self.facts.graph.incoming(node).iter();
        let mut places: Vec<Node> = edges
            .filter(|edge| edge.flow == Flow::Same)
            .map(|edge| edge.node)
            .collect();
        places.push(node);
        places
    }
}
