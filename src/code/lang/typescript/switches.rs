//! `switch`: each arm a branch, an arm that falls through inside the one below it.

use tree_sitter::Node;

use super::{Lowering, bare, field_parts, parts, stmt};
use crate::code::ir::{CompareOp, ExprId, ExprKind, Place, Stmt, StmtKind};

/// What a `switch` asks about.
#[derive(Clone, Copy)]
enum Subject<'t> {
    /// `switch (true)`: the cases are conditions.
    Truth,
    /// `switch (typeof value)`.
    TypeOf(Node<'t>),
    /// A value that is compared.
    Value(ExprId),
}

/// Cases that share an end: each falls through to the next.
struct Group<'t> {
    cases: Vec<Node<'t>>,
}

impl Lowering<'_> {
    pub(super) fn switch_statement(&mut self, node: Node<'_>, out: &mut Vec<Stmt>) {
        let (Some(value), Some(body)) = (node.child_by_field_name("value"), node.child_by_field_name("body")) else {
            return;
        };
        let value = bare(value);
        let subject = match (value.kind(), self.operator(value)) {
            ("true", _) => Subject::Truth,
            ("unary_expression", "typeof") => Subject::TypeOf(value),
            _ => {
                let value = self.condition(value, out);
                Subject::Value(self.once(value, out))
            }
        };
        let outer = std::mem::replace(&mut self.in_switch, true);
        let mut default = Vec::new();
        let mut branches = Vec::new();
        for group in groups(parts(body)) {
            let has_default = group.cases.iter().any(|case| case.kind() == "switch_default");
            let (cond, then) = self.group(&group, subject);
            if has_default {
                default = then;
            } else if let Some((cond, place)) = cond {
                branches.push((cond, then, place));
            }
        }
        self.in_switch = outer;
        let mut rest = default;
        for (cond, then, place) in branches.into_iter().rev() {
            let kind = StmtKind::If {
                cond,
                then,
                otherwise: rest,
            };
            rest = vec![stmt(kind, place)];
        }
        out.append(&mut rest);
    }

    /// The condition of a group and what it does: the body of each case but the last under the
    /// conditions of the cases so far.
    fn group(&mut self, group: &Group<'_>, subject: Subject<'_>) -> (Option<(ExprId, Place)>, Vec<Stmt>) {
        let mut body = Vec::new();
        let mut entered = Vec::new();
        let last = group.cases.len() - 1;
        for (at, &case) in group.cases.iter().enumerate() {
            entered.push(case);
            let mut then = Vec::new();
            for part in field_parts(case, "body") {
                self.statement(part, &mut then);
            }
            if at < last
                && !then.is_empty()
                && let Some((cond, place)) = self.any_case(&entered, subject)
            {
                let otherwise = Vec::new();
                body.push(stmt(StmtKind::If { cond, then, otherwise }, place));
            } else {
                body.append(&mut then);
            }
        }
        (self.any_case(&entered, subject), body)
    }

    /// That one of the cases holds; `None` with the default among them.
    fn any_case(&mut self, cases: &[Node<'_>], subject: Subject<'_>) -> Option<(ExprId, Place)> {
        let values: Option<Vec<Node<'_>>> = cases.iter().map(|case| case.child_by_field_name("value")).collect();
        let values = values?;
        let place = self.across(*values.first()?, *values.last()?);
        let mut conditions: Vec<ExprId> = values.into_iter().map(|value| self.case(value, subject)).collect();
        let cond = if conditions.len() == 1 {
            conditions.pop()?
        } else {
            let operands = conditions;
            self.push(ExprKind::Logic { all: false, operands }, place)
        };
        Some((cond, place))
    }

    fn case(&mut self, value: Node<'_>, subject: Subject<'_>) -> ExprId {
        match subject {
            Subject::Truth => self.expr(value),
            Subject::TypeOf(of) => {
                let place = self.place(value);
                self.comparison(CompareOp::Eq, of, value, place)
            }
            Subject::Value(subject) => self.is_case(subject, value),
        }
    }
}

fn groups(cases: Vec<Node<'_>>) -> Vec<Group<'_>> {
    let mut groups: Vec<Group<'_>> = Vec::new();
    let mut falls_through = false;
    for case in cases {
        if !matches!(case.kind(), "switch_case" | "switch_default") {
            continue;
        }
        match groups.last_mut() {
            Some(group) if falls_through => group.cases.push(case),
            _ => groups.push(Group { cases: vec![case] }),
        }
        falls_through = !leaves(&field_parts(case, "body"));
    }
    groups
}

/// Whether the statements end in one that goes elsewhere.
fn leaves(body: &[Node<'_>]) -> bool {
    let Some(last) = body.iter().rev().find(|part| part.kind() != "comment") else {
        return false;
    };
    match last.kind() {
        "break_statement" | "return_statement" | "throw_statement" | "continue_statement" => true,
        "statement_block" => leaves(&parts(*last)),
        _ => false,
    }
}
