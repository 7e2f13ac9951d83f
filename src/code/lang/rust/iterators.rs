//! Chains of iterators as comprehensions: `xs.iter().enumerate().rev().find(|(_, x)| p(x))` is
//! `next((i, x) for (i, x) in reversed(enumerate(xs)) if p(x))`.

use tree_sitter::Node;

use super::blocks::Dest;
use super::closures::{param_pattern, params, plain_body};
use super::patterns::{bare, pattern_parts};
use super::{Lowering, assign, stmt};
use crate::code::ir::{Clause, CompareOp, ExprId, ExprKind, Intrinsic, Item, ListKind, Name, Place, StmtKind};

/// Methods that make an iterator of a list.
const SOURCES: &[&str] = &[
    "iter",
    "iter_mut",
    "into_iter",
    "values",
    "values_mut",
    "into_values",
    "keys",
    "into_keys",
    "chars",
    "lines",
    "bytes",
    "char_indices",
    "windows",
    "chunks",
    "split_whitespace",
    "par_iter",
    "into_par_iter",
    "drain",
];

/// Methods of iterators that give another one, and that nothing else has.
pub(super) const ONLY_ITERATORS: &[&str] = &[
    "enumerate",
    "rev",
    "skip",
    "skip_while",
    "take_while",
    "peekable",
    "step_by",
    "filter_map",
];

/// Methods of iterators that give another one, and that an `Option` or a list has too.
pub(super) const ALSO_OTHERS: &[&str] = &[
    "map", "filter", "take", "cloned", "copied", "flatten", "flat_map", "inspect", "by_ref", "fuse", "chain", "zip",
];

/// What a chain has come to.
pub(super) enum Seq {
    /// The items of a list as they are.
    Plain(ExprId),
    /// An expression for each item that meets the conditions.
    Mapped(Mapped),
}

pub(super) struct Mapped {
    pub(super) element: ExprId,
    pub(super) target: ExprId,
    pub(super) iter: ExprId,
    pub(super) conditions: Vec<ExprId>,
}

impl Lowering<'_> {
    /// Whether an expression is an iterator, as far as its text shows.
    pub(super) fn is_iterator(&self, node: Node<'_>) -> bool {
        match node.kind() {
            "parenthesized_expression" | "reference_expression" => {
                super::parts(node).first().is_some_and(|inner| self.is_iterator(*inner))
            }
            "range_expression" => true,
            "call_expression" => match self.method_parts(node) {
                Some((receiver, name)) => {
                    SOURCES.contains(&name)
                        || ONLY_ITERATORS.contains(&name)
                        || (ALSO_OTHERS.contains(&name) && self.is_iterator(receiver))
                }
                None => false,
            },
            _ => false,
        }
    }

    /// The receiver and the name of a method call.
    pub(super) fn method_parts<'t>(&self, call: Node<'t>) -> Option<(Node<'t>, &str)> {
        let mut function = call.child_by_field_name("function")?;
        if function.kind() == "generic_function" {
            function = function.child_by_field_name("function")?;
        }
        if function.kind() != "field_expression" {
            return None;
        }
        let name = function.child_by_field_name("field")?;
        Some((function.child_by_field_name("value")?, self.text_of(name)))
    }

    /// What a loop runs over.
    pub(super) fn iterated(&mut self, node: Node<'_>) -> ExprId {
        let place = self.place(node);
        let seq = self.seq(node);
        self.settled(seq, ListKind::Generator, place)
    }

    /// The chain that an expression is.
    pub(super) fn seq(&mut self, node: Node<'_>) -> Seq {
        let place = self.place(node);
        if matches!(node.kind(), "parenthesized_expression" | "reference_expression")
            && let Some(&inner) = super::parts(node).first()
        {
            return self.seq(inner);
        }
        let parts = match node.kind() {
            "call_expression" => self
                .method_parts(node)
                .map(|(receiver, name)| (receiver, name.to_owned())),
            _ => None,
        };
        let Some((receiver, name)) = parts else {
            return Seq::Plain(self.expr(node));
        };
        if !self.is_iterator(node) {
            return Seq::Plain(self.expr(node));
        }
        let args = super::arguments(node);
        match (&*name, &args[..]) {
            (
                "iter" | "iter_mut" | "into_iter" | "par_iter" | "into_par_iter" | "cloned" | "copied" | "by_ref"
                | "fuse" | "peekable" | "inspect" | "step_by",
                _,
            ) => self.seq(receiver),
            ("rev", []) => match self.seq(receiver) {
                Seq::Plain(list) => Seq::Plain(self.intrinsic(Intrinsic::Reversed, vec![list], place)),
                Seq::Mapped(mapped) => {
                    let iter = self.intrinsic(Intrinsic::Reversed, vec![mapped.iter], place);
                    Seq::Mapped(Mapped { iter, ..mapped })
                }
            },
            ("enumerate", []) => {
                let list = self.iterated(receiver);
                Seq::Plain(self.intrinsic(Intrinsic::Enumerate, vec![list], place))
            }
            ("filter", &[predicate]) => self.filtered(receiver, predicate, place),
            ("map", &[function]) => self.mapped(receiver, function, place),
            ("filter_map", &[function]) => self.filter_mapped(receiver, function, place),
            ("flat_map", &[function]) => match self.mapped(receiver, function, place) {
                Seq::Plain(list) => Seq::Plain(list),
                Seq::Mapped(mapped) => {
                    // The items of each item.
                    let name = self.made_up();
                    let target = self.named(&name, place);
                    let element = self.named(&name, place);
                    let clauses = vec![
                        Clause {
                            target: mapped.target,
                            iter: mapped.iter,
                            conditions: mapped.conditions,
                        },
                        Clause {
                            target,
                            iter: mapped.element,
                            conditions: Vec::new(),
                        },
                    ];
                    let kind = ExprKind::Comprehension {
                        kind: ListKind::Generator,
                        element,
                        value: None,
                        clauses,
                    };
                    Seq::Plain(self.push(kind, place))
                }
            },
            ("take", &[count]) => {
                let list = self.iterated(receiver);
                let count = self.expr(count);
                Seq::Plain(self.intrinsic(Intrinsic::Take, vec![list, count], place))
            }
            ("skip", &[count]) => {
                let base = self.iterated(receiver);
                let start = Some(self.expr(count));
                Seq::Plain(self.slice(base, start, None, place))
            }
            ("skip_while" | "take_while", &[predicate]) => {
                let base = self.iterated(receiver);
                let stop = self.first_failing(base, predicate, place);
                let (start, end) = match &*name {
                    "skip_while" => (Some(stop), None),
                    _ => (None, Some(stop)),
                };
                Seq::Plain(self.slice(base, start, end, place))
            }
            ("chain", &[other]) => {
                let lists = vec![self.iterated(receiver), self.iterated(other)];
                Seq::Plain(self.intrinsic(Intrinsic::Chain, lists, place))
            }
            ("zip", &[other]) => {
                let lists = vec![self.iterated(receiver), self.iterated(other)];
                Seq::Plain(self.intrinsic(Intrinsic::Zip, lists, place))
            }
            _ => Seq::Plain(self.plain_method(receiver, &name, &args, place)),
        }
    }

    pub(super) fn slice(&mut self, base: ExprId, start: Option<ExprId>, end: Option<ExprId>, place: Place) -> ExprId {
        let step = None;
        self.push(ExprKind::Slice { base, start, end, step }, place)
    }

    /// The expression that a chain is.
    pub(super) fn settled(&mut self, seq: Seq, kind: ListKind, place: Place) -> ExprId {
        match seq {
            Seq::Plain(list) => list,
            Seq::Mapped(mapped) => {
                let clause = Clause {
                    target: mapped.target,
                    iter: mapped.iter,
                    conditions: mapped.conditions,
                };
                let kind = ExprKind::Comprehension {
                    kind,
                    element: mapped.element,
                    value: None,
                    clauses: vec![clause],
                };
                self.push(kind, place)
            }
        }
    }

    /// Gives each item of a plain list a name: those of the closure that looks at it, where it has some.
    pub(super) fn per_item(&mut self, seq: Seq, function: Node<'_>, place: Place) -> Mapped {
        let list = match seq {
            Seq::Mapped(mapped) => return mapped,
            Seq::Plain(list) => list,
        };
        let pattern = params(function).first().map(|param| bare(param_pattern(*param)));
        let pattern = pattern.filter(|_| function.kind() == "closure_expression");
        let target = self.item_names(pattern, place);
        Mapped {
            element: self.read_again(target),
            target,
            iter: list,
            conditions: Vec::new(),
        }
    }

    /// What a loop binds, as it is read.
    pub(super) fn read_again(&mut self, target: ExprId) -> ExprId {
        let kind = match self.kind_of(target).clone() {
            ExprKind::List { kind, items } => {
                let items = items.into_iter().map(|item| Item {
                    value: self.read_again(item.value),
                    spread: false,
                });
                ExprKind::List {
                    kind,
                    items: items.collect(),
                }
            }
            kind => kind,
        };
        let place = self.place_of(target);
        self.push(kind, place)
    }

    /// A name, or a tuple of names, as a pattern has them.
    fn item_names(&mut self, pattern: Option<Node<'_>>, place: Place) -> ExprId {
        match pattern {
            Some(pattern) if pattern.kind() == "identifier" => {
                let name = self.name(pattern);
                let place = self.place(pattern);
                self.named(&name, place)
            }
            Some(pattern) if pattern.kind() == "tuple_pattern" => {
                let mut items = Vec::new();
                for part in pattern_parts(pattern) {
                    let value = self.item_names(Some(bare(part)), place);
                    items.push(Item { value, spread: false });
                }
                let kind = ListKind::Tuple;
                self.push(ExprKind::List { kind, items }, place)
            }
            _ => {
                let name = self.made_up();
                self.named(&name, place)
            }
        }
    }

    fn filtered(&mut self, receiver: Node<'_>, predicate: Node<'_>, place: Place) -> Seq {
        let seq = self.seq(receiver);
        self.filtered_seq(seq, predicate, place)
    }

    pub(super) fn filtered_seq(&mut self, seq: Seq, predicate: Node<'_>, place: Place) -> Seq {
        if predicate.kind() == "closure_expression" && plain_body(predicate).is_none() {
            let list = self.settled(seq, ListKind::Generator, place);
            let predicate = self.expr(predicate);
            return Seq::Plain(self.intrinsic(Intrinsic::Filter, vec![predicate, list], place));
        }
        let mut mapped = self.per_item(seq, predicate, place);
        let cond = self.apply(predicate, &[mapped.element]);
        mapped.conditions.push(cond);
        Seq::Mapped(mapped)
    }

    fn mapped(&mut self, receiver: Node<'_>, function: Node<'_>, place: Place) -> Seq {
        let seq = self.seq(receiver);
        if function.kind() == "closure_expression" && plain_body(function).is_none() {
            let list = self.settled(seq, ListKind::Generator, place);
            let function = self.expr(function);
            return Seq::Plain(self.intrinsic(Intrinsic::Map, vec![function, list], place));
        }
        let mapped = self.per_item(seq, function, place);
        let element = self.apply(function, &[mapped.element]);
        Seq::Mapped(Mapped { element, ..mapped })
    }

    /// A body with statements becomes a loop before the statement at hand.
    pub(super) fn filter_mapped(&mut self, receiver: Node<'_>, function: Node<'_>, place: Place) -> Seq {
        if function.kind() == "closure_expression" && plain_body(function).is_none() {
            let seq = self.seq(receiver);
            let name = self.made_up();
            let kind = ListKind::List;
            let empty = self.push(
                ExprKind::List {
                    kind,
                    items: Vec::new(),
                },
                place,
            );
            self.looped(seq, function, empty, &Dest::Kept(name.clone()), &name, place);
            return Seq::Plain(self.named(&name, place));
        }
        let seq = self.seq(receiver);
        let mapped = self.per_item(seq, function, place);
        let element = self.apply(function, &[mapped.element]);
        // `cond.then(|| value)` is the value where the condition holds.
        if let ExprKind::Conditional { cond, then, otherwise } = *self.kind_of(element)
            && matches!(
                self.kind_of(otherwise),
                ExprKind::Literal(crate::code::ir::Literal::None)
            )
        {
            let conditions = [&mapped.conditions[..], &[cond]].concat();
            return Seq::Mapped(Mapped {
                element: then,
                conditions,
                ..mapped
            });
        }
        let none = self.none(place);
        let op = CompareOp::IsNot;
        let some = self.push(
            ExprKind::Compare {
                op,
                left: element,
                right: none,
            },
            place,
        );
        let mut conditions = mapped.conditions.clone();
        conditions.push(some);
        Seq::Mapped(Mapped {
            element,
            conditions,
            ..mapped
        })
    }

    /// `name = start; for item in seq: …`, where the body of the closure puts its values where they go.
    pub(super) fn looped(
        &mut self,
        seq: Seq,
        function: Node<'_>,
        start: ExprId,
        dest: &Dest,
        name: &Name,
        place: Place,
    ) {
        let target = self.named(name, place);
        self.before.push(assign(target, start, place));
        let mut body = Vec::new();
        let (target, iter, element) = match seq {
            Seq::Plain(list) => {
                let pattern = params(function).last().map(|param| param_pattern(*param));
                let target = match pattern {
                    Some(pattern) => self.loop_target(pattern, &mut body),
                    None => self.named(name, place),
                };
                (target, list, None)
            }
            Seq::Mapped(mapped) => (mapped.target, mapped.iter, Some((mapped.element, mapped.conditions))),
        };
        if let Some((element, conditions)) = element {
            for cond in conditions {
                let cond = self.push(ExprKind::Not(cond), place);
                let then = vec![stmt(StmtKind::Continue, place)];
                let otherwise = Vec::new();
                body.push(stmt(StmtKind::If { cond, then, otherwise }, place));
            }
            if let Some(param) = params(function).last() {
                self.bind_pattern(param_pattern(*param), element, &mut body);
            }
        }
        let result = std::mem::replace(&mut self.result, dest.clone());
        if let Some(value) = function.child_by_field_name("body") {
            self.value(value, dest, &mut body);
        }
        self.result = result;
        self.before.push(stmt(
            StmtKind::For {
                target,
                iter,
                body,
                otherwise: Vec::new(),
                is_async: false,
            },
            place,
        ));
    }

    /// The position of the first item that does not meet a predicate.
    fn first_failing(&mut self, list: ExprId, predicate: Node<'_>, place: Place) -> ExprId {
        let mapped = self.pairs(Seq::Plain(list), predicate, false, place);
        let cond = self.apply(predicate, &[mapped.element]);
        let cond = self.push(ExprKind::Not(cond), place);
        self.first_position(mapped, cond, place)
    }

    /// Runs over the pairs of position and item, newest first where asked; the element is the item.
    pub(super) fn pairs(&mut self, seq: Seq, predicate: Node<'_>, backward: bool, place: Place) -> Mapped {
        let list = self.settled(seq, ListKind::Generator, place);
        let item = self.per_item(Seq::Plain(list), predicate, place);
        let name = self.made_up();
        let position = self.named(&name, place);
        let kind = ExprKind::List {
            kind: ListKind::Tuple,
            items: [position, item.target]
                .map(|value| Item { value, spread: false })
                .to_vec(),
        };
        let target = self.push(kind, place);
        let mut iter = self.intrinsic(Intrinsic::Enumerate, vec![item.iter], place);
        if backward {
            iter = self.intrinsic(Intrinsic::Reversed, vec![iter], place);
        }
        Mapped {
            element: item.element,
            target,
            iter,
            conditions: Vec::new(),
        }
    }

    pub(super) fn first_position(&mut self, mut pairs: Mapped, cond: ExprId, place: Place) -> ExprId {
        if let ExprKind::List { items, .. } = self.kind_of(pairs.target)
            && let Some(position) = items.first().copied()
        {
            pairs.element = self.read_again(position.value);
        }
        pairs.conditions.push(cond);
        let source = self.settled(Seq::Mapped(pairs), ListKind::Generator, place);
        self.intrinsic(Intrinsic::First, vec![source], place)
    }

    pub(super) fn reversed(&mut self, seq: Seq, place: Place) -> Seq {
        match seq {
            Seq::Plain(list) => Seq::Plain(self.intrinsic(Intrinsic::Reversed, vec![list], place)),
            Seq::Mapped(mapped) => {
                let iter = self.intrinsic(Intrinsic::Reversed, vec![mapped.iter], place);
                Seq::Mapped(Mapped { iter, ..mapped })
            }
        }
    }
}
