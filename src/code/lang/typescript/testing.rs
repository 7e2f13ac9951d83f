//! Tests as the usual runners know them: `describe` and `it` as functions, `expect` as assertions.

use tree_sitter::Node;

use super::{Lowering, bare, parts, stmt};
use crate::code::ir::{CompareOp, ExprId, ExprKind, Intrinsic, Name, Place, Stmt, StmtKind};

impl Lowering<'_> {
    /// `it("does …", () => { … })` is a function that is a test, `describe(…)` one around tests.
    pub(super) fn test_block(&mut self, call: Node<'_>, out: &mut Vec<Stmt>) -> bool {
        let (Some(function), Some(arguments)) = (
            call.child_by_field_name("function"),
            call.child_by_field_name("arguments"),
        ) else {
            return false;
        };
        let mut called = bare(function);
        // `it.only(…)`, `it.each(…)(…)`
        while let Some(inner) = called
            .child_by_field_name("object")
            .or_else(|| called.child_by_field_name("function"))
        {
            called = inner;
        }
        let word = match self.text_of(called) {
            "it" | "test" => "test",
            "describe" | "suite" => "describe",
            _ => return false,
        };
        let given = parts(arguments);
        let body = given
            .iter()
            .map(|part| bare(*part))
            .find(|part| super::functions::is_function(part.kind()));
        let (Some(title), Some(body)) = (given.first(), body) else {
            return false;
        };
        let title = match title.kind() {
            "string" => self.string(*title).to_string(),
            _ => self.text_of(*title).to_owned(),
        };
        let name = Name::from(format!("{word} {title}"));
        let id = self.function(body, name, None);
        let place = self.across(call, *given.first().unwrap_or(&call));
        self.function_mut(id).place = place;
        out.push(stmt(StmtKind::Function(id), place));
        true
    }

    /// `expect(x).toBe(y)`, `assert.equal(x, y)`.
    pub(super) fn assertion(&mut self, call: Node<'_>, out: &mut Vec<Stmt>) -> bool {
        let place = self.place(call);
        let Some(cond) = self.expected(call, place).or_else(|| self.asserted(call, place)) else {
            return false;
        };
        out.append(&mut self.effects);
        out.push(stmt(StmtKind::Assert { cond }, place));
        true
    }

    fn expected(&mut self, call: Node<'_>, place: Place) -> Option<ExprId> {
        let called = bare(call.child_by_field_name("function")?);
        let given = parts(call.child_by_field_name("arguments")?);
        let matcher = self.text_of(called.child_by_field_name("property")?);
        let mut subject = bare(called.child_by_field_name("object")?);
        let mut negated = false;
        while let Some(property) = subject.child_by_field_name("property") {
            negated |= self.text_of(property) == "not";
            subject = bare(subject.child_by_field_name("object")?);
        }
        if self.text_of(subject.child_by_field_name("function")?) != "expect" {
            return None;
        }
        let value = *parts(subject.child_by_field_name("arguments")?).first()?;
        let value = self.expr(value);
        let cond = match (matcher, &*given) {
            ("toHaveLength", &[length]) => {
                let left = self.apply(Intrinsic::Len, vec![value], place);
                let right = self.expr(length);
                self.compared(CompareOp::Eq, left, right, place)
            }
            ("toContain" | "toContainEqual", &[item]) => {
                let left = self.expr(item);
                self.compared(CompareOp::In, left, value, place)
            }
            (_, &[other, ..]) => {
                let right = self.expr(other);
                self.compared(CompareOp::Eq, value, right, place)
            }
            _ => value,
        };
        Some(if negated {
            self.push(ExprKind::Not(cond), place)
        } else {
            cond
        })
    }

    fn asserted(&mut self, call: Node<'_>, place: Place) -> Option<ExprId> {
        let called = bare(call.child_by_field_name("function")?);
        let given = parts(call.child_by_field_name("arguments")?);
        let (root, method) = match (
            called.child_by_field_name("object"),
            called.child_by_field_name("property"),
        ) {
            (Some(object), Some(property)) => (self.text_of(object), self.text_of(property)),
            _ => (self.text_of(called), "ok"),
        };
        if root != "assert" {
            return None;
        }
        match (method, &*given) {
            ("ok", &[cond, ..]) => Some(self.expr(cond)),
            (
                "equal" | "strictEqual" | "deepEqual" | "deepStrictEqual" | "notEqual" | "notStrictEqual"
                | "notDeepEqual" | "notDeepStrictEqual",
                &[left, right, ..],
            ) => {
                let op = if method.starts_with("not") {
                    CompareOp::NotEq
                } else {
                    CompareOp::Eq
                };
                Some(self.comparison(op, left, right, place))
            }
            _ => None,
        }
    }
}
