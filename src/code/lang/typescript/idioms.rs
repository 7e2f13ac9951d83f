//! What the language's own types and library mean by a call.
//!
//! Methods are known by name and number of arguments alone. Most stay calls, so that a method of a
//! class of the project goes first; those that take a function become what they do with each element.

use tree_sitter::Node;

use super::{Lowering, bare, parts};
use crate::code::ir::{BinaryOp, CompareOp, ExprId, ExprKind, Idiom, Intrinsic, Item, ListKind, Literal, Name, Place};

use Intrinsic as I;

/// Name, least and most arguments, meaning, how many arguments are operands behind the receiver.
const METHODS: &[(&str, usize, usize, Intrinsic, usize)] = &[
    ("pop", 0, 0, I::Pop, 0),
    ("shift", 0, 0, I::PopFirst, 0),
    ("clear", 0, 0, I::Clear, 0),
    ("indexOf", 1, 2, I::IndexOf, 1),
    ("lastIndexOf", 1, 2, I::IndexOf, 1),
    ("reverse", 0, 0, I::Reversed, 0),
    ("toReversed", 0, 0, I::Reversed, 0),
    ("sort", 0, 1, I::Sorted, 0),
    ("toSorted", 0, 1, I::Sorted, 0),
    ("flat", 0, 1, I::Copy, 0),
    ("keys", 0, 0, I::Copy, 0),
    ("values", 0, 0, I::Values, 0),
    ("entries", 0, 0, I::Enumerate, 0),
    ("get", 1, 1, I::Get, 1),
    ("toString", 0, 1, I::ToText, 0),
    ("trim", 0, 0, I::TextOp, 0),
    ("trimStart", 0, 0, I::TextOp, 0),
    ("trimEnd", 0, 0, I::TextOp, 0),
    ("toLowerCase", 0, 0, I::TextOp, 0),
    ("toUpperCase", 0, 0, I::TextOp, 0),
    ("toLocaleLowerCase", 0, 1, I::TextOp, 0),
    ("toLocaleUpperCase", 0, 1, I::TextOp, 0),
    ("normalize", 0, 1, I::TextOp, 0),
    ("split", 1, 2, I::TextOp, 1),
    ("substring", 1, 2, I::TextOp, 0),
    ("substr", 1, 2, I::TextOp, 0),
    ("padStart", 1, 2, I::TextOp, 0),
    ("padEnd", 1, 2, I::TextOp, 0),
    ("repeat", 1, 1, I::TextOp, 0),
    ("charAt", 1, 1, I::TextOp, 0),
    ("replace", 2, 2, I::ReplaceText, 2),
    ("replaceAll", 2, 2, I::ReplaceText, 2),
    ("catch", 1, 1, I::Pass, 0),
    ("finally", 1, 1, I::Pass, 0),
    ("bind", 1, 9, I::Pass, 0),
];

/// Path, least and most arguments, meaning, how many arguments are operands.
const FUNCTIONS: &[(&str, usize, usize, Intrinsic, usize)] = &[
    ("Array.from", 1, 1, I::Copy, 1),
    ("Object.keys", 1, 1, I::Copy, 1),
    ("Object.values", 1, 1, I::Values, 1),
    ("Object.entries", 1, 1, I::Items, 1),
    ("Object.fromEntries", 1, 1, I::Copy, 1),
    ("Object.freeze", 1, 1, I::Pass, 1),
    ("String", 1, 1, I::ToText, 1),
    ("JSON.stringify", 1, 3, I::ToText, 1),
    ("structuredClone", 1, 2, I::DeepCopy, 1),
    ("cloneDeep", 1, 1, I::DeepCopy, 1),
    ("_.cloneDeep", 1, 1, I::DeepCopy, 1),
    ("lodash.cloneDeep", 1, 1, I::DeepCopy, 1),
    ("Promise.all", 1, 1, I::Pass, 1),
    ("Promise.resolve", 1, 1, I::Pass, 1),
    ("Math.min", 1, 9, I::Min, 9),
    ("Math.max", 1, 9, I::Max, 9),
    ("setTimeout", 1, 9, I::Run, 1),
    ("setInterval", 1, 9, I::Run, 1),
    ("setImmediate", 1, 9, I::Run, 1),
    ("queueMicrotask", 1, 1, I::Run, 1),
    ("process.nextTick", 1, 9, I::Run, 1),
];

impl Lowering<'_> {
    /// A call of a function that every program has.
    pub(super) fn library_function(&mut self, called: Node<'_>, given: &[Node<'_>], place: Place) -> Option<ExprId> {
        let path = self.text_of(called);
        match (path, given) {
            ("Array.isArray", &[value]) => {
                let value = self.expr(value);
                let name = self.push(ExprKind::Name(Name::from("Array")), place);
                let types = vec![name];
                return Some(self.push(ExprKind::TypeTest { value, types }, place));
            }
            ("Boolean", &[value]) => {
                let value = self.expr(value);
                let not = self.push(ExprKind::Not(value), place);
                return Some(self.push(ExprKind::Not(not), place));
            }
            ("Array.from", &[xs, callback]) if bare(xs).kind() != "object" => {
                return Some(self.mapped(xs, callback, place));
            }
            ("Array.from", &[xs, ..]) if bare(xs).kind() == "object" => return None,
            ("JSON.parse", &[text]) => {
                let source = self.stringified(bare(text))?;
                let source = self.expr(source);
                return Some(self.apply(I::DeepCopy, vec![source], place));
            }
            ("Object.assign", &[target, ..]) => return self.assigned(target, &given[1..], place),
            ("Date", []) => return Some(self.now(called, place)),
            _ => {}
        }
        let &(_, least, most, op, operands) = FUNCTIONS.iter().find(|(known, ..)| *known == path)?;
        if !(least..=most).contains(&given.len()) {
            return None;
        }
        let callee = self.expr(called);
        let args = self.arguments(given);
        let operands = args
            .iter()
            .filter(|arg| arg.name.is_none())
            .take(operands)
            .map(|arg| arg.value)
            .collect();
        let idiom = Some(Idiom { op, operands });
        Some(self.push(ExprKind::Call { callee, args, idiom }, place))
    }

    /// The `x` of `JSON.stringify(x)`.
    fn stringified<'t>(&self, node: Node<'t>) -> Option<Node<'t>> {
        let function = node.child_by_field_name("function")?;
        let arguments = node.child_by_field_name("arguments")?;
        match *parts(arguments) {
            [only] if self.text_of(function) == "JSON.stringify" => Some(only),
            _ => None,
        }
    }

    /// `Object.assign({}, a, b)` is a new object, `Object.assign(a, b)` writes into `a`.
    fn assigned(&mut self, target: Node<'_>, sources: &[Node<'_>], place: Place) -> Option<ExprId> {
        if bare(target).kind() == "object" {
            let mut entries = match self.object(bare(target)) {
                ExprKind::Dict(entries) => entries,
                _ => Vec::new(),
            };
            entries.extend(sources.iter().map(|&source| (None, self.expr(source))));
            return Some(self.push(ExprKind::Dict(entries), place));
        }
        let &[source] = sources else { return None };
        let operands = vec![self.expr(target), self.expr(source)];
        Some(self.apply(I::Merge, operands, place))
    }

    /// A call of a method that lists, texts and the like have.
    pub(super) fn library_method(
        &mut self,
        called: Node<'_>,
        receiver: Node<'_>,
        method: Node<'_>,
        given: &[Node<'_>],
        place: Place,
    ) -> Option<ExprId> {
        let name = self.text_of(method);
        if receiver.kind() == "super" || given.iter().any(|part| part.kind() == "spread_element") {
            return match name {
                "push" | "unshift" => self.mutation(called, receiver, name, given, place),
                _ => None,
            };
        }
        match (name, given) {
            ("push" | "unshift" | "splice", _) => return self.mutation(called, receiver, name, given, place),
            ("slice", [] | [_] | [_, _]) => return Some(self.slice(receiver, given, place)),
            ("substring" | "substr", &[start, _]) if self.text_of(start) == "0" => {
                return Some(self.slice(receiver, given, place));
            }
            ("at", &[index]) => {
                let base = self.expr(receiver);
                let index = self.index_of(receiver, index);
                return Some(self.push(ExprKind::Index { base, index }, place));
            }
            ("concat", [_, ..]) => {
                let first = self.expr(receiver);
                return Some(given.iter().fold(first, |left, &right| {
                    let right = self.expr(right);
                    let op = BinaryOp::Add;
                    self.push(ExprKind::Binary { op, left, right }, place)
                }));
            }
            ("includes" | "has", &[item] | &[item, _]) => {
                let left = self.expr(item);
                let right = self.expr(receiver);
                let op = CompareOp::In;
                return Some(self.push(ExprKind::Compare { op, left, right }, place));
            }
            ("join", [] | [_]) => {
                let separator = match given {
                    &[separator] => self.expr(separator),
                    _ => self.push(ExprKind::Literal(Literal::Str(Name::from(","))), place),
                };
                let joined = self.expr(receiver);
                return Some(self.apply(I::Join, vec![separator, joined], place));
            }
            ("with", &[index, value]) => return self.with_replaced(receiver, index, value, place),
            ("then", &[callback, ..]) => {
                let operands = vec![self.expr(callback), self.expr(receiver)];
                return Some(self.apply(I::Run, operands, place));
            }
            _ => {}
        }
        if let &[callback, ..] = given
            && let Some(found) = self.over_elements(name, receiver, callback, place)
        {
            return Some(found);
        }
        let &(_, least, most, op, operands) = METHODS.iter().find(|(known, ..)| *known == name)?;
        if !(least..=most).contains(&given.len()) {
            return None;
        }
        let base = self.expr(receiver);
        let name = self.name(method);
        let place_of_callee = self.place(called);
        let callee = self.push(ExprKind::Attribute { base, name }, place_of_callee);
        let args = self.arguments(given);
        let values = args.iter().filter(|arg| arg.name.is_none()).take(operands);
        let operands = std::iter::once(base).chain(values.map(|arg| arg.value)).collect();
        let idiom = Some(Idiom { op, operands });
        Some(self.push(ExprKind::Call { callee, args, idiom }, place))
    }

    /// `xs.slice(start, end)`.
    fn slice(&mut self, receiver: Node<'_>, bounds: &[Node<'_>], place: Place) -> ExprId {
        let base = self.expr(receiver);
        let start = bounds.first().and_then(|&start| self.start_of_slice(receiver, start));
        let end = bounds.get(1).and_then(|&end| self.end_of_slice(receiver, end));
        if start.is_none() && end.is_none() {
            return self.apply(I::Copy, vec![base], place);
        }
        let step = None;
        self.push(ExprKind::Slice { base, start, end, step }, place)
    }

    /// A start at the first element is none.
    pub(super) fn start_of_slice(&mut self, list: Node<'_>, start: Node<'_>) -> Option<ExprId> {
        if self.text_of(start) == "0" {
            return None;
        }
        Some(self.bound(list, start))
    }

    /// An end at the last element is none.
    pub(super) fn end_of_slice(&mut self, list: Node<'_>, end: Node<'_>) -> Option<ExprId> {
        if self.is_length_of(bare(end), list) || matches!(self.text_of(end), "Infinity" | "undefined") {
            return None;
        }
        Some(self.bound(list, end))
    }

    /// `xs.length - n` as a bound counts `n` from the end.
    fn bound(&mut self, list: Node<'_>, bound: Node<'_>) -> ExprId {
        let node = bare(bound);
        if let Some(back) = self.back_from_end(list, node) {
            let place = self.place(node);
            return self.push_int(-back, place);
        }
        if node.kind() == "binary_expression"
            && self.operator(node) == "-"
            && let (Some(left), Some(right)) = (node.child_by_field_name("left"), node.child_by_field_name("right"))
            && self.is_length_of(bare(left), list)
        {
            let place = self.place(node);
            let left = self.push_int(0, place);
            let right = self.expr(right);
            let op = BinaryOp::Sub;
            return self.push(ExprKind::Binary { op, left, right }, place);
        }
        self.expr(bound)
    }

    /// `xs.with(i, x)`: the elements before, the new one, the elements behind.
    fn with_replaced(&mut self, receiver: Node<'_>, index: Node<'_>, value: Node<'_>, place: Place) -> Option<ExprId> {
        if !is_simple(receiver) || !is_simple(index) || !self.is_position(index) {
            return None;
        }
        let end = Some(self.index_of(receiver, index));
        let before = self.stretch(receiver, None, end, place);
        let value = self.expr(value);
        let start = self.index_of(receiver, index);
        let one = self.push_int(1, place);
        let op = BinaryOp::Add;
        let left = start;
        let start = Some(self.push(ExprKind::Binary { op, left, right: one }, place));
        let behind = self.stretch(receiver, start, None, place);
        let items = vec![spread(before), item(value), spread(behind)];
        let kind = ListKind::List;
        Some(self.push(ExprKind::List { kind, items }, place))
    }

    /// Whether an argument is a number by its form or its name: other things have a `with` as well.
    fn is_position(&self, index: Node<'_>) -> bool {
        if index.kind() != "identifier" {
            return index.kind() != "member_expression" || self.text_of(index).ends_with("length");
        }
        let name = self.text_of(index).to_ascii_lowercase();
        let ends = ["index", "idx", "at", "pos", "position", "last", "slot"];
        name.len() == 1 || ends.iter().any(|end| name.ends_with(end))
    }

    pub(super) fn stretch(
        &mut self,
        list: Node<'_>,
        start: Option<ExprId>,
        end: Option<ExprId>,
        place: Place,
    ) -> ExprId {
        let base = self.expr(list);
        let step = None;
        self.push(ExprKind::Slice { base, start, end, step }, place)
    }
}

pub(super) fn item(value: ExprId) -> Item {
    Item { value, spread: false }
}

pub(super) fn spread(value: ExprId) -> Item {
    Item { value, spread: true }
}

/// Whether an expression may be lowered twice: it is short, and does nothing.
pub(super) fn is_simple(node: Node<'_>) -> bool {
    is_simple_within(node, 8)
}

fn is_simple_within(node: Node<'_>, depth: usize) -> bool {
    let node = bare(node);
    match node.kind() {
        "identifier" | "this" | "number" | "string" | "property_identifier" | "private_property_identifier" => true,
        "member_expression" | "subscript_expression" | "binary_expression" | "unary_expression" => {
            depth > 0 && parts(node).into_iter().all(|part| is_simple_within(part, depth - 1))
        }
        "optional_chain" => true,
        _ => false,
    }
}
