//! Methods that change their receiver in a way that is a statement of the IR.

use tree_sitter::Node;

use super::blocks::Dest;
use super::closures::plain_body;
use super::{Lowering, assign, stmt};
use crate::code::ir::{BinaryOp, Clause, ExprId, ExprKind, Idiom, Intrinsic, ListKind, Name, Place, Stmt, StmtKind};

impl Lowering<'_> {
    /// `name.append(value)`.
    pub(super) fn append(&mut self, name: &Name, value: ExprId, place: Place) -> ExprId {
        let base = self.named(name, place);
        let append = self.intern("append");
        let callee = self.push(ExprKind::Attribute { base, name: append }, place);
        let idiom = Some(Idiom {
            op: Intrinsic::Append,
            operands: vec![base, value],
        });
        let args = vec![super::expressions::plain(value)];
        self.push(ExprKind::Call { callee, args, idiom }, place)
    }

    /// Lowers a change that stands as a statement; whether the node is one.
    pub(super) fn mutation(&mut self, node: Node<'_>, dest: &Dest, out: &mut Vec<Stmt>) -> bool {
        if node.kind() != "call_expression" {
            return false;
        }
        let place = self.place(node);
        let Some((receiver, name)) = self
            .method_parts(node)
            .map(|(receiver, name)| (receiver, name.to_owned()))
        else {
            return false;
        };
        if receiver.kind() == "self" {
            return false;
        }
        let args = super::arguments(node);
        match (&*name, &args[..]) {
            ("truncate", &[length]) => {
                let (base, start) = self.hoisting(out, |lowering| (lowering.expr(receiver), lowering.expr(length)));
                let cut = self.slice(base, Some(start), None, place);
                out.push(stmt(StmtKind::Delete(vec![cut]), place));
            }
            ("drain" | "split_off", &[_]) => {
                // Their value is not used here.
                let taken = self.hoisting(out, |lowering| {
                    let base = lowering.expr(receiver);
                    lowering.range_of(base, &name, &args)
                });
                let cut = self.cut(taken, place);
                out.push(cut);
            }
            ("retain" | "retain_mut", &[predicate]) => {
                let (base, kept) = self.hoisting(out, |lowering| {
                    let base = lowering.expr(receiver);
                    (base, lowering.retained(base, predicate, place))
                });
                let all = self.slice(base, None, None, place);
                out.push(assign(all, kept, place));
            }
            ("splice", &[range, items]) => {
                let assigned = self.hoisting(out, |lowering| {
                    let base = lowering.expr(receiver);
                    let (start, end) = lowering.bounds(range)?;
                    let target = lowering.slice(base, start, end, place);
                    Some((target, lowering.iterated(items)))
                });
                out.extend(assigned.map(|(target, items)| assign(target, items, place)));
            }
            ("push_str", &[text]) => {
                let (target, value) = self.hoisting(out, |lowering| (lowering.expr(receiver), lowering.expr(text)));
                let op = BinaryOp::Add;
                out.push(stmt(StmtKind::Update { target, op, value }, place));
            }
            ("write_str" | "write_char", &[text]) if self.formatter.is_some() => {
                let (target, value) = self.hoisting(out, |lowering| (lowering.expr(receiver), lowering.expr(text)));
                self.write_to(target, value, dest, place, out);
            }
            ("push", &[text]) if text.kind() == "char_literal" => {
                let (target, value) = self.hoisting(out, |lowering| (lowering.expr(receiver), lowering.expr(text)));
                let op = BinaryOp::Add;
                out.push(stmt(StmtKind::Update { target, op, value }, place));
            }
            _ => return false,
        }
        true
    }

    /// What a predicate keeps of a list.
    fn retained(&mut self, list: ExprId, predicate: Node<'_>, place: Place) -> ExprId {
        if plain_body(predicate).is_none() && predicate.kind() == "closure_expression" {
            let predicate = self.expr(predicate);
            return self.intrinsic(Intrinsic::Filter, vec![predicate, list], place);
        }
        let params = super::closures::params(predicate);
        let name = params
            .first()
            .map(|param| super::patterns::bare(super::closures::param_pattern(*param)));
        let name = match name {
            Some(name) if name.kind() == "identifier" => self.name(name),
            _ => self.made_up(),
        };
        let target = self.named(&name, place);
        let element = self.named(&name, place);
        let cond = self.apply(predicate, &[element]);
        let clauses = vec![Clause {
            target,
            iter: list,
            conditions: vec![cond],
        }];
        let kind = ExprKind::Comprehension {
            kind: ListKind::List,
            element,
            value: None,
            clauses,
        };
        self.push(kind, place)
    }

    /// What a method takes out of its receiver, before the statement at hand; its value is what was taken.
    pub(super) fn taken(&mut self, base: ExprId, name: &str, args: &[Node<'_>], place: Place) -> Option<ExprId> {
        match (name, args) {
            ("drain" | "split_off", [_]) => {
                let taken = self.range_of(base, name, args);
                let held = self.intrinsic(Intrinsic::Copy, vec![taken], place);
                let held = self.kept(held);
                let cut = self.cut(taken, place);
                self.before.push(cut);
                Some(held)
            }
            // Of an `Option`: nothing is left.
            ("take", []) if self.is_still(base) => {
                let held = self.kept(base);
                let none = self.none(place);
                self.before.push(assign(base, none, place));
                Some(held)
            }
            _ => None,
        }
    }

    /// The part of a list that `drain(range)` and `split_off(start)` take; the list itself for all of it.
    fn range_of(&mut self, base: ExprId, name: &str, args: &[Node<'_>]) -> ExprId {
        let Some(&range) = args.first() else { return base };
        let place = self.place(range);
        let (start, end) = match name {
            "split_off" => (Some(self.expr(range)), None),
            _ => self.bounds(range).unwrap_or_default(),
        };
        if start.is_none() && end.is_none() {
            return base;
        }
        self.slice(base, start, end, place)
    }

    /// Takes a part of a list out of it, or all.
    fn cut(&mut self, taken: ExprId, place: Place) -> Stmt {
        if matches!(self.kind_of(taken), ExprKind::Slice { .. }) {
            return stmt(StmtKind::Delete(vec![taken]), place);
        }
        let cleared = self.intrinsic(Intrinsic::Clear, vec![taken], place);
        stmt(StmtKind::Expr(cleared), place)
    }
}
