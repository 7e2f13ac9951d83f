//! Methods that change a list in place: what a call does becomes a statement where the language-neutral
//! program has one for it.

use tree_sitter::Node;

use super::idioms::{is_simple, item, spread};
use super::{Lowering, assign, parts, stmt};
use crate::code::ir::{BinaryOp, ExprId, ExprKind, Idiom, Intrinsic, ListKind, Literal, Place, StmtKind};

impl Lowering<'_> {
    /// `push`, `unshift` and `splice` for their value.
    pub(super) fn mutation(
        &mut self,
        called: Node<'_>,
        receiver: Node<'_>,
        method: &str,
        given: &[Node<'_>],
        place: Place,
    ) -> Option<ExprId> {
        match (method, given) {
            ("push", &[one]) if one.kind() != "spread_element" => {
                let list = self.expr(receiver);
                let value = self.expr(one);
                Some(self.method(called, Intrinsic::Append, list, value, place))
            }
            ("push", [_, ..]) => {
                let list = self.expr(receiver);
                let values = self.items(given, place);
                Some(self.method(called, Intrinsic::Extend, list, values, place))
            }
            ("unshift", &[one]) if one.kind() != "spread_element" => {
                let list = self.expr(receiver);
                let value = self.expr(one);
                Some(self.method(called, Intrinsic::Insert, list, value, place))
            }
            ("unshift", [_, ..]) => {
                let start = self.push_int(0, place);
                let end = self.push_int(0, place);
                let target = self.stretch(receiver, Some(start), Some(end), place);
                let values = self.items(given, place);
                self.effects.push(assign(target, values, place));
                Some(self.push(ExprKind::Other(Vec::new()), place))
            }
            // What was taken out, alone in a list.
            ("splice", &[at, count]) if self.text_of(count) == "1" => {
                let taken = self.taken_out(receiver, at, place);
                let items = vec![item(taken)];
                let kind = ListKind::List;
                Some(self.push(ExprKind::List { kind, items }, place))
            }
            ("splice", [_, ..]) if is_simple(receiver) && given.iter().take(2).all(|&bound| is_simple(bound)) => {
                let (start, end) = self.spliced(receiver, given, place);
                let removed = self.stretch(receiver, start, end, place);
                self.splice(receiver, given, place);
                Some(removed)
            }
            _ => None,
        }
    }

    /// A method's call that stays a call, so that a method of the project goes first.
    fn method(&mut self, called: Node<'_>, op: Intrinsic, list: ExprId, value: ExprId, place: Place) -> ExprId {
        let callee = match called.child_by_field_name("property") {
            Some(property) => {
                let name = self.name(property);
                let place = self.place(called);
                self.push(ExprKind::Attribute { base: list, name }, place)
            }
            None => self.push(ExprKind::Other(Vec::new()), place),
        };
        let args = vec![super::calls::argument(value)];
        let idiom = Some(Idiom {
            op,
            operands: vec![list, value],
        });
        self.push(ExprKind::Call { callee, args, idiom }, place)
    }

    /// Several arguments as one list; a single `...xs` is that list.
    fn items(&mut self, given: &[Node<'_>], place: Place) -> ExprId {
        if let &[only] = given
            && only.kind() == "spread_element"
        {
            return self.expr(only);
        }
        let items = given
            .iter()
            .map(|&part| {
                let value = self.expr(part);
                if part.kind() == "spread_element" {
                    spread(value)
                } else {
                    item(value)
                }
            })
            .collect();
        let kind = ListKind::List;
        self.push(ExprKind::List { kind, items }, place)
    }

    /// What `xs.splice(start, count, ...items)` does, without its value.
    pub(super) fn splice(&mut self, receiver: Node<'_>, given: &[Node<'_>], place: Place) {
        let count = given.get(1).map(|count| self.text_of(*count));
        let items = given.get(2..).unwrap_or_default();
        let effect = match (count, items) {
            (Some("1"), []) => {
                let taken = self.taken_out(receiver, given[0], place);
                stmt(StmtKind::Expr(taken), place)
            }
            (_, []) => {
                let (start, end) = self.spliced(receiver, given, place);
                let target = self.stretch(receiver, start, end, place);
                stmt(StmtKind::Delete(vec![target]), place)
            }
            (Some("0"), &[one]) if one.kind() != "spread_element" => {
                let list = self.expr(receiver);
                let at = self.index_of(receiver, given[0]);
                let value = self.expr(one);
                let insert = self.apply(Intrinsic::Insert, vec![list, at, value], place);
                stmt(StmtKind::Expr(insert), place)
            }
            (Some("1"), &[one]) if one.kind() != "spread_element" => {
                let target = self.element(receiver, given[0], place);
                let value = self.expr(one);
                assign(target, value, place)
            }
            _ => {
                let (start, end) = self.spliced(receiver, given, place);
                let target = self.stretch(receiver, start, end, place);
                let values = self.items(items, place);
                assign(target, values, place)
            }
        };
        self.effects.push(effect);
    }

    /// The element that a list loses.
    fn taken_out(&mut self, list: Node<'_>, at: Node<'_>, place: Place) -> ExprId {
        let operands = vec![self.expr(list), self.index_of(list, at)];
        self.apply(Intrinsic::Pop, operands, place)
    }

    fn element(&mut self, list: Node<'_>, index: Node<'_>, place: Place) -> ExprId {
        let base = self.expr(list);
        let index = self.index_of(list, index);
        self.push(ExprKind::Index { base, index }, place)
    }

    /// The bounds of the stretch that `splice` replaces. All of a list has none.
    fn spliced(&mut self, list: Node<'_>, given: &[Node<'_>], place: Place) -> (Option<ExprId>, Option<ExprId>) {
        let start_text = self.text_of(given[0]).to_owned();
        let count = given.get(1).copied();
        let to_the_end =
            count.is_none_or(|count| self.is_length_of(super::bare(count), list) || self.text_of(count) == "Infinity");
        if to_the_end {
            return (self.start_of_slice(list, given[0]), None);
        }
        let Some(count) = count else { return (None, None) };
        let start = self.index_of(list, given[0]);
        if start_text == "0" {
            let end = self.expr(count);
            // What is put before all others stands at `[0:0]`; what is removed there needs no start.
            let start = (self.text_of(count) == "0").then_some(start);
            return (start, Some(end));
        }
        let (from, number) = (self.integer(start), self.text_of(count).parse::<i64>().ok());
        let end = match (from, number) {
            (Some(from), Some(number)) if from < 0 && from + number >= 0 => None,
            (Some(from), Some(number)) => Some(self.push_int(from + number, place)),
            (None, Some(0)) => Some(self.index_of(list, given[0])),
            _ => {
                let left = self.index_of(list, given[0]);
                let right = self.expr(count);
                let op = BinaryOp::Add;
                Some(self.push(ExprKind::Binary { op, left, right }, place))
            }
        };
        (Some(start), end)
    }

    fn integer(&self, expr: ExprId) -> Option<i64> {
        match self.kind_of(expr) {
            ExprKind::Literal(Literal::Int(value)) => Some(*value),
            _ => None,
        }
    }

    /// A whole statement that is one call: what it does, without a value. `false` where it is nothing of
    /// that kind.
    pub(super) fn mutates(&mut self, call: Node<'_>, place: Place) -> bool {
        let (Some(called), Some(arguments)) = (
            call.child_by_field_name("function").map(super::bare),
            call.child_by_field_name("arguments"),
        ) else {
            return false;
        };
        let (Some(receiver), Some(method)) = (
            called.child_by_field_name("object"),
            called.child_by_field_name("property"),
        ) else {
            return false;
        };
        let given = parts(arguments);
        let op = match (self.text_of(method), &*given) {
            ("splice", [_, ..]) if given[0].kind() != "spread_element" && is_simple(receiver) => {
                if !is_simple(given[0]) {
                    return false;
                }
                self.splice(receiver, &given, place);
                return true;
            }
            ("reverse", []) => Intrinsic::ReverseInPlace,
            ("sort", [] | [_]) => Intrinsic::SortInPlace,
            _ => return false,
        };
        let list = self.expr(receiver);
        let call = self.apply(op, vec![list], place);
        self.effects.push(stmt(StmtKind::Expr(call), place));
        true
    }
}
