//! `if`, `if let`, `let … else` and `match`.

use tree_sitter::Node;

use super::blocks::Dest;
use super::patterns::{Pattern, bare, pattern_parts};
use super::{Lowering, assign, parts, stmt};
use crate::code::ir::{CompareOp, ExprId, ExprKind, Handler, Literal, Name, Place, Stmt, StmtKind};

/// A condition, with what its patterns bind where it holds.
pub(super) struct Condition {
    pub(super) test: ExprId,
    pub(super) bindings: Vec<(Name, Place, ExprId)>,
}

impl Lowering<'_> {
    pub(super) fn if_expression(&mut self, node: Node<'_>, dest: &Dest, out: &mut Vec<Stmt>) {
        let (Some(condition), Some(consequence)) = (
            node.child_by_field_name("condition"),
            node.child_by_field_name("consequence"),
        ) else {
            return;
        };
        let place = self.across(node, condition);
        if let Some((pattern, value, outcome)) = self.asks_outcome(condition) {
            return self.if_outcome(node, pattern, value, outcome, dest, out);
        }
        let condition = self.hoisting(out, |lowering| lowering.condition(condition));
        let mut then = Vec::new();
        let hidden = self.stands_for.len();
        self.bind(condition.bindings, &mut then);
        self.block(consequence, dest, &mut then);
        self.stands_for.truncate(hidden);
        let mut otherwise = Vec::new();
        self.alternative(node, dest, &mut otherwise);
        out.push(stmt(
            StmtKind::If {
                cond: condition.test,
                then,
                otherwise,
            },
            place,
        ));
    }

    fn alternative(&mut self, node: Node<'_>, dest: &Dest, out: &mut Vec<Stmt>) {
        if let Some(clause) = node.child_by_field_name("alternative")
            && let Some(&inner) = parts(clause).first()
        {
            self.value(inner, dest, out);
        }
    }

    /// The pattern, the call and the wrapper of `let Ok(p) = f()`, `let Err(e) = f()`.
    pub(super) fn asks_outcome<'t>(&self, condition: Node<'t>) -> Option<(Node<'t>, Node<'t>, &'static str)> {
        if condition.kind() != "let_condition" {
            return None;
        }
        let value = condition.child_by_field_name("value")?;
        let (pattern, outcome) = self.outcome(condition.child_by_field_name("pattern")?)?;
        calls(value).then_some((pattern, value, outcome))
    }

    /// The `p` of `Ok(p)` and `Err(p)`, and which of them it is.
    fn outcome<'t>(&self, pattern: Node<'t>) -> Option<(Node<'t>, &'static str)> {
        let pattern = bare(pattern);
        if pattern.kind() != "tuple_struct_pattern" {
            return None;
        }
        let kind = pattern.child_by_field_name("type")?;
        let outcome = match self.text_of(kind) {
            "Ok" => "Ok",
            "Err" => "Err",
            _ => return None,
        };
        let inner = pattern_parts(pattern).into_iter().find(|part| *part != kind)?;
        Some((inner, outcome))
    }

    fn if_outcome(
        &mut self,
        node: Node<'_>,
        pattern: Node<'_>,
        value: Node<'_>,
        outcome: &str,
        dest: &Dest,
        out: &mut Vec<Stmt>,
    ) {
        let place = self.place(value);
        let mut attempt = Attempt::default();
        let result = self.attempted(value, &mut attempt.body, out);
        let mut holds = Vec::new();
        let hidden = self.stands_for.len();
        if outcome == "Ok" {
            self.bind_pattern(pattern, result, &mut holds);
        } else {
            attempt.caught = self.caught(pattern);
        }
        if let Some(consequence) = node.child_by_field_name("consequence") {
            self.block(consequence, dest, &mut holds);
        }
        self.stands_for.truncate(hidden);
        let mut otherwise = Vec::new();
        self.alternative(node, dest, &mut otherwise);
        (attempt.succeeded, attempt.failed) = match outcome {
            "Ok" => (holds, otherwise),
            _ => (otherwise, holds),
        };
        out.push(attempt.into_stmt(place));
    }

    /// The value of a call that may fail, assigned in the body of a `try`.
    pub(super) fn attempted(&mut self, value: Node<'_>, body: &mut Vec<Stmt>, out: &mut Vec<Stmt>) -> ExprId {
        let place = self.place(value);
        let value = self.hoisting(out, |lowering| lowering.expr(value));
        let name = self.made_up();
        let target = self.named(&name, place);
        body.push(assign(target, value, place));
        self.named(&name, place)
    }

    /// The name of a caught error.
    fn caught(&mut self, pattern: Node<'_>) -> Option<Name> {
        let pattern = bare(pattern);
        (pattern.kind() == "identifier").then(|| self.name(pattern))
    }

    pub(super) fn condition(&mut self, node: Node<'_>) -> Condition {
        let place = self.place(node);
        let mut tests = Vec::new();
        let mut bindings = Vec::new();
        self.conditions(node, &mut tests, &mut bindings);
        let test = match self.all(tests, place) {
            Some(test) => test,
            None => self.push(ExprKind::Literal(Literal::Bool(true)), place),
        };
        Condition { test, bindings }
    }

    fn conditions(&mut self, node: Node<'_>, tests: &mut Vec<ExprId>, bindings: &mut Vec<(Name, Place, ExprId)>) {
        match node.kind() {
            "let_chain" => {
                for part in parts(node) {
                    self.conditions(part, tests, bindings);
                }
            }
            "let_condition" => {
                let (Some(pattern), Some(value)) =
                    (node.child_by_field_name("pattern"), node.child_by_field_name("value"))
                else {
                    return;
                };
                let known = bindings.clone();
                let value = self.standing_for(&known, |lowering| lowering.expr(value));
                self.matched(pattern, value, tests, bindings);
            }
            _ => {
                let known = bindings.clone();
                let test = self.standing_for(&known, |lowering| lowering.expr(node));
                tests.push(test);
            }
        }
    }

    /// Asks whether a value matches. What has effects is evaluated once: by the test itself where the
    /// pattern is `Some(name)`, and before it otherwise.
    fn matched(
        &mut self,
        pattern: Node<'_>,
        value: ExprId,
        tests: &mut Vec<ExprId>,
        bindings: &mut Vec<(Name, Place, ExprId)>,
    ) {
        let place = self.place_of(value);
        if !self.is_still(value)
            && let Some(name) = self.some_name(pattern)
        {
            let target = self.named(&name, place);
            let left = self.push(ExprKind::Bind { target, value }, place);
            let right = self.none(place);
            let op = CompareOp::IsNot;
            tests.push(self.push(ExprKind::Compare { op, left, right }, place));
            return;
        }
        let value = if self.is_still(value) { value } else { self.kept(value) };
        let mut found = Pattern::default();
        self.pattern(pattern, value, &mut found);
        tests.append(&mut found.tests);
        bindings.append(&mut found.bindings);
    }

    /// The `x` of `Some(x)`.
    fn some_name(&mut self, pattern: Node<'_>) -> Option<Name> {
        let pattern = bare(pattern);
        let kind = pattern.child_by_field_name("type")?;
        if pattern.kind() != "tuple_struct_pattern" || self.text_of(kind) != "Some" {
            return None;
        }
        let inner = bare(pattern_parts(pattern).into_iter().find(|part| *part != kind)?);
        let is_name = inner.kind() == "identifier" && !self.text_of(inner).starts_with(char::is_uppercase);
        (is_name && self.text_of(inner) != "_").then(|| self.name(inner))
    }

    /// `let p = value else { … }`.
    pub(super) fn let_else(&mut self, pattern: Node<'_>, value: Node<'_>, alternative: Node<'_>, out: &mut Vec<Stmt>) {
        let place = self.place(value);
        let mut otherwise = Vec::new();
        if let Some((inner, "Ok")) = self.outcome(pattern)
            && calls(value)
        {
            let mut attempt = Attempt::default();
            let result = self.attempted(value, &mut attempt.body, out);
            self.block(alternative, &Dest::Discard, &mut attempt.failed);
            out.push(attempt.into_stmt(place));
            return self.bind_pattern(inner, result, out);
        }
        let value = self.hoisting(out, |lowering| lowering.expr(value));
        let value = match self.some_name(pattern) {
            Some(name) => {
                let target = self.named(&name, place);
                out.push(assign(target, value, place));
                self.unhide(&name);
                self.named(&name, place)
            }
            None => self.once(value, out),
        };
        let mut found = Pattern::default();
        self.pattern(pattern, value, &mut found);
        self.block(alternative, &Dest::Discard, &mut otherwise);
        if let Some(test) = self.all(found.tests, place) {
            let cond = self.negated(test, place);
            out.push(stmt(
                StmtKind::If {
                    cond,
                    then: otherwise,
                    otherwise: Vec::new(),
                },
                place,
            ));
        }
        self.bind(found.bindings, out);
    }

    /// The opposite of a condition; of `x is not None`, the plain one.
    pub(super) fn negated(&mut self, test: ExprId, place: Place) -> ExprId {
        let kind = match *self.kind_of(test) {
            ExprKind::Compare {
                op: CompareOp::IsNot,
                left,
                right,
            } => ExprKind::Compare {
                op: CompareOp::Is,
                left,
                right,
            },
            _ => ExprKind::Not(test),
        };
        self.push(kind, place)
    }

    pub(super) fn match_expression(&mut self, node: Node<'_>, dest: &Dest, out: &mut Vec<Stmt>) {
        let Some(value) = node.child_by_field_name("value") else {
            return;
        };
        let body = node.child_by_field_name("body").map(parts).unwrap_or_default();
        let arms: Vec<Node<'_>> = body.into_iter().filter(|part| part.kind() == "match_arm").collect();
        let fails = |arm: &&Node<'_>| {
            let pattern = arm.child_by_field_name("pattern");
            pattern.is_some_and(|pattern| matches!(self.outcome(pattern), Some((_, "Err"))))
        };
        if calls(value) && arms.iter().any(|arm| fails(&arm)) {
            return self.match_outcome(value, &arms, dest, out);
        }
        let subject = self.hoisting(out, |lowering| lowering.expr(value));
        let subject = self.once(subject, out);
        self.arms(&arms, subject, dest, out, |_, pattern| Some(pattern));
    }

    /// A `match` on what a call gives: the arms of `Err` handle its error.
    fn match_outcome(&mut self, value: Node<'_>, arms: &[Node<'_>], dest: &Dest, out: &mut Vec<Stmt>) {
        let place = self.place(value);
        let mut attempt = Attempt::default();
        let result = self.attempted(value, &mut attempt.body, out);
        let error = arms.iter().find_map(|arm| {
            let (pattern, outcome) = self.outcome(arm.child_by_field_name("pattern")?)?;
            (outcome == "Err").then_some(pattern)
        });
        let caught = error
            .and_then(|pattern| self.caught(pattern))
            .unwrap_or_else(|| self.made_up());
        let failure = self.named(&caught, place);
        attempt.caught = Some(caught);
        let of = |wanted: &'static str| {
            move |lowering: &Self, pattern| match lowering.outcome(pattern) {
                Some((inner, outcome)) => (outcome == wanted).then_some(inner),
                // `_` stands for both.
                None => Some(pattern),
            }
        };
        self.arms(arms, result, dest, &mut attempt.succeeded, of("Ok"));
        self.arms(arms, failure, dest, &mut attempt.failed, of("Err"));
        out.push(attempt.into_stmt(place));
    }

    /// The arms whose pattern is asked for, as branches inside each other from the last one back.
    fn arms<'t>(
        &mut self,
        arms: &[Node<'t>],
        subject: ExprId,
        dest: &Dest,
        out: &mut Vec<Stmt>,
        wanted: impl Fn(&Self, Node<'t>) -> Option<Node<'t>>,
    ) {
        let mut lowered = Vec::new();
        for arm in arms {
            let Some(match_pattern) = arm.child_by_field_name("pattern") else {
                continue;
            };
            let pattern = pattern_parts(match_pattern).first().copied().unwrap_or(match_pattern);
            let Some(pattern) = wanted(self, pattern) else { continue };
            let guard = match_pattern.child_by_field_name("condition");
            lowered.push(self.arm(*arm, pattern, guard, subject, dest));
        }
        let mut rest = Vec::new();
        for mut arm in lowered.into_iter().rev() {
            if let Some(Stmt {
                kind: StmtKind::If { otherwise, .. },
                ..
            }) = arm.last_mut()
                && otherwise.is_empty()
            {
                *otherwise = rest;
            }
            rest = arm;
        }
        out.append(&mut rest);
    }

    /// One arm: an `If` as the last statement, or just its body where it always matches.
    fn arm(
        &mut self,
        arm: Node<'_>,
        pattern: Node<'_>,
        guard: Option<Node<'_>>,
        subject: ExprId,
        dest: &Dest,
    ) -> Vec<Stmt> {
        let place = self.place(pattern);
        let mut found = Pattern::default();
        self.pattern(pattern, subject, &mut found);
        let mut before = Vec::new();
        if let Some(guard) = guard {
            let bindings = found.bindings.clone();
            let guarded = self.hoisting(&mut before, |lowering| {
                lowering.standing_for(&bindings, |lowering| lowering.condition(guard))
            });
            found.tests.push(guarded.test);
            found.bindings.extend(guarded.bindings);
        }
        let mut body = Vec::new();
        let hidden = self.stands_for.len();
        self.bind(found.bindings, &mut body);
        if let Some(value) = arm.child_by_field_name("value") {
            self.value(value, dest, &mut body);
        }
        self.stands_for.truncate(hidden);
        let Some(cond) = self.all(found.tests, place) else {
            before.append(&mut body);
            return before;
        };
        before.push(stmt(
            StmtKind::If {
                cond,
                then: body,
                otherwise: Vec::new(),
            },
            place,
        ));
        before
    }
}

/// A call whose error is looked at.
#[derive(Default)]
pub(super) struct Attempt {
    pub(super) body: Vec<Stmt>,
    caught: Option<Name>,
    succeeded: Vec<Stmt>,
    pub(super) failed: Vec<Stmt>,
}

impl Attempt {
    pub(super) fn into_stmt(self, mut place: Place) -> Stmt {
        place.end = place.start;
        let handler = Handler {
            catches: Vec::new(),
            name: self.caught,
            body: self.failed,
        };
        stmt(
            StmtKind::Try {
                body: self.body,
                handlers: vec![handler],
                otherwise: self.succeeded,
                finally: Vec::new(),
            },
            place,
        )
    }
}

/// Whether evaluating an expression calls something.
pub(super) fn calls(node: Node<'_>) -> bool {
    match node.kind() {
        "call_expression" | "await_expression" | "macro_invocation" => true,
        "reference_expression"
        | "parenthesized_expression"
        | "try_expression"
        | "field_expression"
        | "index_expression"
        | "unary_expression" => parts(node).first().is_some_and(|inner| calls(*inner)),
        "match_expression" | "block" | "unsafe_block" | "if_expression" => true,
        _ => false,
    }
}
