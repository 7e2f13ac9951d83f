//! What ends a chain of iterators: a search, a question to all items, a list.

use tree_sitter::Node;

use super::Lowering;
use super::blocks::Dest;
use super::closures::{param_pattern, params, plain_body};
use super::iterators::{ALSO_OTHERS, Mapped, ONLY_ITERATORS, Seq};
use super::patterns::bare;
use crate::code::ir::{ExprId, ExprKind, Intrinsic, Item, ListKind, Name};

impl Lowering<'_> {
    /// What the end of a chain gives; none for a method that ends no chain.
    pub(super) fn chain_end(&mut self, node: Node<'_>, receiver: Node<'_>, name: &str) -> Option<ExprId> {
        let place = self.place(node);
        let args = super::arguments(node);
        let on_iterator = self.is_iterator(receiver);
        let closure = args.last().copied();
        Some(match (name, closure) {
            ("collect" | "collect_vec" | "to_vec", None) if on_iterator => {
                let seq = self.seq(receiver);
                let text = self.text_of(node);
                let is_text = text.ends_with("collect::<String>()");
                let is_set = text.ends_with("Set<_>>()");
                let list = self.settled(seq, ListKind::List, place);
                if is_text {
                    let empty = self.push(ExprKind::Literal(crate::code::ir::Literal::Str(Name::from(""))), place);
                    return Some(self.intrinsic(Intrinsic::Join, vec![empty, list], place));
                }
                if is_set {
                    return Some(self.intrinsic(Intrinsic::ToSet, vec![list], place));
                }
                match self.kind_of(list) {
                    ExprKind::Comprehension { .. } => list,
                    _ => self.intrinsic(Intrinsic::Copy, vec![list], place),
                }
            }
            ("next", None) if on_iterator => {
                let seq = self.seq(receiver);
                let source = self.settled(seq, ListKind::Generator, place);
                self.intrinsic(Intrinsic::First, vec![source], place)
            }
            ("last" | "next_back", None) if on_iterator => {
                let seq = self.seq(receiver);
                let base = self.settled(seq, ListKind::List, place);
                let index = self.int(-1, place);
                self.push(ExprKind::Index { base, index }, place)
            }
            ("nth", Some(index)) if on_iterator => {
                let seq = self.seq(receiver);
                let base = self.settled(seq, ListKind::List, place);
                let index = self.expr(index);
                self.push(ExprKind::Index { base, index }, place)
            }
            ("find" | "rfind", Some(predicate)) if on_iterator => {
                let mut seq = self.seq(receiver);
                if name == "rfind" {
                    seq = self.reversed(seq, place);
                }
                let seq = self.filtered_seq(seq, predicate, place);
                let source = self.settled(seq, ListKind::Generator, place);
                self.intrinsic(Intrinsic::First, vec![source], place)
            }
            ("find_map", Some(function)) => {
                if function.kind() == "closure_expression" && plain_body(function).is_none() {
                    let seq = self.seq(receiver);
                    let name = self.made_up();
                    let none = self.none(place);
                    self.looped(seq, function, none, &Dest::Found(name.clone()), &name, place);
                    return Some(self.named(&name, place));
                }
                let seq = self.filter_mapped(receiver, function, place);
                let source = self.settled(seq, ListKind::Generator, place);
                self.intrinsic(Intrinsic::First, vec![source], place)
            }
            ("position" | "rposition", Some(predicate)) => {
                let seq = self.seq(receiver);
                let pairs = self.pairs(seq, predicate, name == "rposition", place);
                let cond = self.apply(predicate, &[pairs.element]);
                self.first_position(pairs, cond, place)
            }
            ("any" | "all", Some(predicate)) if on_iterator => {
                let op = if name == "any" { Intrinsic::Any } else { Intrinsic::All };
                let seq = self.seq(receiver);
                let mut mapped = self.per_item(seq, predicate, place);
                mapped.element = self.apply(predicate, &[mapped.element]);
                let source = self.settled(Seq::Mapped(mapped), ListKind::Generator, place);
                self.intrinsic(op, vec![source], place)
            }
            ("count", None) if on_iterator => {
                let seq = self.seq(receiver);
                let list = self.settled(seq, ListKind::List, place);
                self.intrinsic(Intrinsic::Len, vec![list], place)
            }
            ("sum" | "max" | "min", None) if on_iterator => {
                let op = match name {
                    "sum" => Intrinsic::Sum,
                    "max" => Intrinsic::Max,
                    _ => Intrinsic::Min,
                };
                let seq = self.seq(receiver);
                let source = self.settled(seq, ListKind::Generator, place);
                self.intrinsic(op, vec![source], place)
            }
            ("max_by_key" | "max_by" | "min_by_key" | "min_by", Some(_)) if on_iterator => {
                let op = if name.starts_with("max") {
                    Intrinsic::Max
                } else {
                    Intrinsic::Min
                };
                let seq = self.seq(receiver);
                let source = self.settled(seq, ListKind::Generator, place);
                self.intrinsic(op, vec![source], place)
            }
            ("fold", Some(function)) if on_iterator && function.kind() == "closure_expression" => {
                let seq = self.seq(receiver);
                let start = self.expr(*args.first()?);
                let name = match params(function).first().map(|param| bare(param_pattern(*param))) {
                    Some(pattern) if pattern.kind() == "identifier" => self.name(pattern),
                    _ => self.made_up(),
                };
                self.looped(seq, function, start, &Dest::Into(name.clone()), &name, place);
                self.named(&name, place)
            }
            ("for_each", Some(function)) if function.kind() == "closure_expression" => {
                let seq = self.seq(receiver);
                let name = self.made_up();
                let none = self.none(place);
                self.looped(seq, function, none, &Dest::Discard, &name, place);
                self.none(place)
            }
            ("partition", Some(predicate)) if on_iterator => {
                let seq = self.seq(receiver);
                let mapped = self.per_item(seq, predicate, place);
                let cond = self.apply(predicate, &[mapped.element]);
                let opposite = self.push(ExprKind::Not(cond), place);
                let mut items = Vec::new();
                for cond in [cond, opposite] {
                    let conditions = [&mapped.conditions[..], &[cond]].concat();
                    let half = Seq::Mapped(Mapped { conditions, ..mapped });
                    let value = self.settled(half, ListKind::List, place);
                    items.push(Item { value, spread: false });
                }
                let kind = ListKind::Tuple;
                self.push(ExprKind::List { kind, items }, place)
            }
            _ if on_iterator && (ALSO_OTHERS.contains(&name) || ONLY_ITERATORS.contains(&name)) => {
                let seq = self.seq(node);
                self.settled(seq, ListKind::Generator, place)
            }
            _ if ONLY_ITERATORS.contains(&name) => {
                let seq = self.seq(node);
                self.settled(seq, ListKind::Generator, place)
            }
            _ => return None,
        })
    }
}
