//! Calls: constructors of the standard library, methods of lists, options, results and texts.

use tree_sitter::Node;

use super::closures::plain_body;
use super::expressions::plain;
use super::{Lowering, assign};
use crate::code::ir::{BinaryOp, CompareOp, ExprId, ExprKind, Idiom, Intrinsic, Item, ListKind, Literal, Name, Place};

/// Functions and methods that give what they are given, as far as anything here is concerned.
pub(super) const PASSES: &[&str] = &[
    "Some",
    "Ok",
    "into",
    "from",
    "as_str",
    "as_ref",
    "as_mut",
    "as_deref",
    "as_deref_mut",
    "as_slice",
    "as_mut_slice",
    "borrow",
    "borrow_mut",
    "unwrap",
    "expect",
    "unwrap_or_default",
    "ok",
    "iter",
    "iter_mut",
    "into_iter",
    "by_ref",
    "cloned",
    "copied",
    "lock",
    "get_mut",
    "into_inner",
    "as_array",
    "as_array_mut",
    "context",
    "with_context",
    "map_err",
    "ok_or",
    "ok_or_else",
    "try_into",
    "to_owned",
    "boxed",
    "deref",
    "deref_mut",
    "to_mut",
    "into_boxed_str",
    "into_string",
    "as_bytes",
    "to_path_buf",
    "as_path",
    "keys",
    "into_keys",
    "wrap_err",
    "wrap_err_with",
    "unwrap_unchecked",
    "pin",
    "peekable",
    "as_mut_vec",
    "into_vec",
    "unwrap_or_log",
];

/// Methods with one meaning: name, how many arguments, meaning.
const IDIOMS: &[(&str, usize, Intrinsic)] = &[
    ("push", 1, Intrinsic::Append),
    ("push_back", 1, Intrinsic::Append),
    ("push_front", 1, Intrinsic::Insert),
    ("insert", 2, Intrinsic::Insert),
    // Only sets take one value.
    ("insert", 1, Intrinsic::AddNew),
    ("extend", 1, Intrinsic::Extend),
    ("extend_from_slice", 1, Intrinsic::Extend),
    ("append", 1, Intrinsic::Extend),
    ("pop", 0, Intrinsic::Pop),
    ("pop_back", 0, Intrinsic::Pop),
    ("pop_front", 0, Intrinsic::PopFirst),
    ("remove", 1, Intrinsic::Pop),
    ("swap_remove", 1, Intrinsic::Pop),
    ("clear", 0, Intrinsic::Clear),
    ("reverse", 0, Intrinsic::ReverseInPlace),
    ("sort", 0, Intrinsic::SortInPlace),
    ("sort_unstable", 0, Intrinsic::SortInPlace),
    ("sort_by", 1, Intrinsic::SortInPlace),
    ("sort_by_key", 1, Intrinsic::SortInPlace),
    ("sort_unstable_by", 1, Intrinsic::SortInPlace),
    ("sort_unstable_by_key", 1, Intrinsic::SortInPlace),
    ("sort_by_cached_key", 1, Intrinsic::SortInPlace),
    ("clone", 0, Intrinsic::DeepCopy),
    ("to_vec", 0, Intrinsic::Copy),
    ("into_sorted_vec", 0, Intrinsic::Sorted),
    ("sorted", 0, Intrinsic::Sorted),
    ("sorted_by", 1, Intrinsic::Sorted),
    ("sorted_by_key", 1, Intrinsic::Sorted),
    ("len", 0, Intrinsic::Len),
    ("values", 0, Intrinsic::Values),
    ("values_mut", 0, Intrinsic::Values),
    ("into_values", 0, Intrinsic::Values),
    ("to_string", 0, Intrinsic::ToText),
    ("replace", 2, Intrinsic::ReplaceText),
    ("trim", 0, Intrinsic::TextOp),
    ("trim_start", 0, Intrinsic::TextOp),
    ("trim_end", 0, Intrinsic::TextOp),
    ("trim_start_matches", 1, Intrinsic::TextOp),
    ("trim_end_matches", 1, Intrinsic::TextOp),
    ("strip_prefix", 1, Intrinsic::TextOp),
    ("strip_suffix", 1, Intrinsic::TextOp),
    ("to_lowercase", 0, Intrinsic::TextOp),
    ("to_uppercase", 0, Intrinsic::TextOp),
    ("to_ascii_lowercase", 0, Intrinsic::TextOp),
    ("to_ascii_uppercase", 0, Intrinsic::TextOp),
    ("split", 1, Intrinsic::TextOp),
    ("splitn", 2, Intrinsic::TextOp),
    ("split_whitespace", 0, Intrinsic::TextOp),
    ("split_once", 1, Intrinsic::TextOp),
    ("lines", 0, Intrinsic::TextOp),
    ("chars", 0, Intrinsic::TextOp),
];

/// What of a file's types has a method that shares its name with one of the library.
const ARITHMETIC: &[(&str, BinaryOp)] = &[
    ("saturating_sub", BinaryOp::Sub),
    ("checked_sub", BinaryOp::Sub),
    ("wrapping_sub", BinaryOp::Sub),
    ("saturating_add", BinaryOp::Add),
    ("checked_add", BinaryOp::Add),
    ("wrapping_add", BinaryOp::Add),
    ("saturating_mul", BinaryOp::Mul),
];

impl Lowering<'_> {
    pub(super) fn call(&mut self, node: Node<'_>) -> ExprId {
        let place = self.place(node);
        if let Some(name) = self.macro_name(node) {
            return self.macro_call(&name, node);
        }
        let args = super::arguments(node);
        if let Some((receiver, name)) = self
            .method_parts(node)
            .map(|(receiver, name)| (receiver, name.to_owned()))
        {
            // What a type calls itself means what the type makes of it.
            if receiver.kind() == "self" {
                let base = self.expr(receiver);
                return self.plain_call_of(base, &name, &args, place);
            }
            if let Some(end) = self.chain_end(node, receiver, &name) {
                return end;
            }
            return self.plain_method(receiver, &name, &args, place);
        }
        let Some(function) = node.child_by_field_name("function") else {
            return self.unknown(Vec::new(), place);
        };
        let words = self.words(function);
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        if let Some(value) = self.library(&words, &args, place) {
            return value;
        }
        let callee = self.expr(function);
        let args = args.iter().map(|&arg| plain(self.expr(arg))).collect();
        let idiom = None;
        self.push(ExprKind::Call { callee, args, idiom }, place)
    }

    /// Functions of the standard library that mean something here.
    fn library(&mut self, words: &[&str], args: &[Node<'_>], place: Place) -> Option<ExprId> {
        let last = *words.last()?;
        let owner = words.len().checked_sub(2).map_or("", |at| words[at]);
        // A block that runs later is handed out in a box: whoever waits for it gets its value.
        if let ("Box", "pin", &[block]) = (owner, last, args)
            && block.kind() == "async_block"
        {
            let block = self.expr(block);
            return Some(self.intrinsic(Intrinsic::Run, vec![block], place));
        }
        Some(match (owner, last, args) {
            ("" | "Option" | "Result", "Some" | "Ok", &[value])
            | (
                "Box" | "Arc" | "Rc" | "Mutex" | "RwLock" | "RefCell" | "Cell" | "Cow" | "OnceCell",
                "new" | "from" | "clone" | "Owned" | "Borrowed",
                &[value],
            )
            | ("Box", "pin", &[value])
            | ("Arc" | "Rc", "make_mut" | "get_mut", &[value])
            | ("String" | "PathBuf", "from", &[value])
            | ("serde_json", "to_value", &[value]) => self.expr(value),
            ("Vec" | "VecDeque", "from" | "from_iter", &[value]) => {
                let list = self.iterated(value);
                self.intrinsic(Intrinsic::Copy, vec![list], place)
            }
            ("Vec" | "VecDeque" | "SmallVec", "new" | "with_capacity", [] | [_]) => {
                let kind = ListKind::List;
                let items = Vec::new();
                self.push(ExprKind::List { kind, items }, place)
            }
            ("String", "new" | "with_capacity", [] | [_]) => {
                self.push(ExprKind::Literal(Literal::Str(Name::from(""))), place)
            }
            ("mem", "take", &[value]) => {
                let list = self.expr(value);
                let held = self.intrinsic(Intrinsic::Copy, vec![list], place);
                let held = self.kept(held);
                let cleared = self.intrinsic(Intrinsic::Clear, vec![list], place);
                self.before
                    .push(super::stmt(crate::code::ir::StmtKind::Expr(cleared), place));
                held
            }
            ("mem", "replace", &[target, value]) => {
                let target = self.expr(target);
                let held = self.kept(target);
                let value = self.expr(value);
                self.before.push(assign(target, value, place));
                held
            }
            ("serde_json", "to_string" | "to_string_pretty", &[value]) => {
                let value = self.expr(value);
                self.intrinsic(Intrinsic::ToText, vec![value], place)
            }
            ("Arc" | "Rc", "unwrap_or_clone", &[value]) => {
                let value = self.expr(value);
                self.intrinsic(Intrinsic::DeepCopy, vec![value], place)
            }
            ("iter", "once", &[value]) | ("slice", "from_ref" | "from_mut", &[value]) => {
                let value = self.expr(value);
                let items = vec![Item { value, spread: false }];
                let kind = ListKind::List;
                self.push(ExprKind::List { kind, items }, place)
            }
            ("cmp" | "", "min" | "max", &[left, right]) => {
                let op = if last == "min" { Intrinsic::Min } else { Intrinsic::Max };
                let operands = vec![self.expr(left), self.expr(right)];
                self.intrinsic(op, operands, place)
            }
            ("tokio" | "task" | "thread" | "rt", "spawn" | "spawn_blocking", &[function, ..]) => {
                let function = self.expr(function);
                self.intrinsic(Intrinsic::Run, vec![function], place)
            }
            ("future" | "futures" | "", "join_all" | "try_join_all", &[list]) => self.iterated(list),
            _ => return None,
        })
    }

    /// A method of a value that is no iterator.
    pub(super) fn plain_method(&mut self, receiver: Node<'_>, name: &str, args: &[Node<'_>], place: Place) -> ExprId {
        let base = self.expr(receiver);
        self.method(base, name, args, place)
    }

    /// `base.name(args)`, whatever it means.
    pub(super) fn plain_call_of(&mut self, base: ExprId, name: &str, args: &[Node<'_>], place: Place) -> ExprId {
        let args: Vec<ExprId> = args.iter().map(|&arg| self.expr(arg)).collect();
        let found = IDIOMS
            .iter()
            .find(|(method, count, _)| *method == name && *count == args.len());
        let idiom = found.map(|&(_, _, op)| {
            let mut operands = vec![base];
            if op != Intrinsic::SortInPlace && op != Intrinsic::Sorted {
                operands.extend(&args);
            }
            Idiom { op, operands }
        });
        let name = self.intern(name);
        let callee = self.push(ExprKind::Attribute { base, name }, place);
        let args = args.into_iter().map(plain).collect();
        self.push(ExprKind::Call { callee, args, idiom }, place)
    }

    /// What a method of a value gives.
    pub(super) fn method(&mut self, base: ExprId, name: &str, args: &[Node<'_>], place: Place) -> ExprId {
        if let Some(value) = self.option_method(base, name, args, place) {
            return value;
        }
        if let Some(value) = self.taken(base, name, args, place) {
            return value;
        }
        if let (&[other], Some((_, op))) = (args, ARITHMETIC.iter().find(|(method, _)| *method == name)) {
            let right = self.expr(other);
            let kind = ExprKind::Binary {
                op: *op,
                left: base,
                right,
            };
            return self.push(kind, place);
        }
        let kind = match (name, args) {
            ("read" | "write", []) => return base,
            _ if PASSES.contains(&name) => return base,
            ("to_string", []) if matches!(self.kind_of(base), ExprKind::Literal(Literal::Str(_))) => return base,
            ("is_empty", []) => ExprKind::Not(base),
            ("contains" | "contains_key", &[item]) => ExprKind::Compare {
                op: CompareOp::In,
                left: self.expr(item),
                right: base,
            },
            ("eq" | "eq_ignore_ascii_case", &[other]) => ExprKind::Compare {
                op: CompareOp::Eq,
                left: base,
                right: self.expr(other),
            },
            ("ne", &[other]) => ExprKind::Compare {
                op: CompareOp::NotEq,
                left: base,
                right: self.expr(other),
            },
            ("first" | "first_mut" | "front" | "front_mut", []) => ExprKind::Index {
                base,
                index: self.int(0, place),
            },
            ("last" | "last_mut" | "back" | "back_mut", []) => ExprKind::Index {
                base,
                index: self.int(-1, place),
            },
            ("get" | "get_mut", &[index]) => match index.kind() {
                "range_expression" | "integer_literal" | "binary_expression" => self.indexed(base, index),
                _ => {
                    let key = self.expr(index);
                    return self.intrinsic(Intrinsic::Get, vec![base, key], place);
                }
            },
            ("split_at", &[index]) => {
                let middle = self.expr(index);
                let before = self.slice(base, None, Some(middle), place);
                let after = self.slice(base, Some(middle), None, place);
                Self::tuple_of(vec![before, after])
            }
            ("split_first" | "split_last", []) => {
                let (index, start, end) = match name {
                    "split_first" => (0, Some(1), None),
                    _ => (-1, None, Some(-1)),
                };
                let index = self.int(index, place);
                let item = self.push(ExprKind::Index { base, index }, place);
                let [start, end] = [start, end].map(|bound| bound.map(|bound| self.int(bound, place)));
                let rest = self.slice(base, start, end, place);
                Self::tuple_of(vec![item, rest])
            }
            ("min" | "max", &[other]) => {
                let op = if name == "min" { Intrinsic::Min } else { Intrinsic::Max };
                let other = self.expr(other);
                return self.intrinsic(op, vec![base, other], place);
            }
            ("join", &[separator]) => {
                let separator = self.expr(separator);
                return self.intrinsic(Intrinsic::Join, vec![separator, base], place);
            }
            ("concat", []) => {
                let empty = self.push(ExprKind::Literal(Literal::Str(Name::from(""))), place);
                return self.intrinsic(Intrinsic::Join, vec![empty, base], place);
            }
            ("or_default", []) | ("or_insert" | "or_insert_with", &[_]) => {
                return self.default_entry(base, args, place);
            }
            _ => return self.plain_call_of(base, name, args, place),
        };
        self.push(kind, place)
    }

    fn tuple_of(values: Vec<ExprId>) -> ExprKind {
        ExprKind::List {
            kind: ListKind::Tuple,
            items: values.into_iter().map(|value| Item { value, spread: false }).collect(),
        }
    }

    /// `map.entry(key).or_default()`.
    fn default_entry(&mut self, entry: ExprId, args: &[Node<'_>], place: Place) -> ExprId {
        let mut operands = match self.kind_of(entry) {
            ExprKind::Call { callee, args, .. } => match (self.kind_of(*callee), &args[..]) {
                (ExprKind::Attribute { base, .. }, [key]) => vec![*base, key.value],
                _ => return entry,
            },
            _ => return entry,
        };
        operands.extend(args.iter().map(|&arg| self.apply_or_value(arg)));
        self.intrinsic(Intrinsic::SetDefault, operands, place)
    }

    /// The value of an argument that may be a closure without parameters.
    fn apply_or_value(&mut self, arg: Node<'_>) -> ExprId {
        if arg.kind() == "closure_expression" {
            self.apply(arg, &[])
        } else {
            self.expr(arg)
        }
    }

    /// Methods of an `Option`, which is its value or none. Those that an iterator has too are looked for
    /// there first.
    fn option_method(&mut self, base: ExprId, name: &str, args: &[Node<'_>], place: Place) -> Option<ExprId> {
        let test = |lowering: &mut Self, op| {
            let right = lowering.none(place);
            lowering.push(ExprKind::Compare { op, left: base, right }, place)
        };
        Some(match (name, args) {
            ("is_some", []) => test(self, CompareOp::IsNot),
            ("is_none", []) => test(self, CompareOp::Is),
            ("is_some_and", &[function]) => {
                let some = test(self, CompareOp::IsNot);
                let holds = self.apply(function, &[base]);
                let operands = vec![some, holds];
                self.push(ExprKind::Logic { all: true, operands }, place)
            }
            ("is_none_or", &[function]) => {
                let none = test(self, CompareOp::Is);
                let holds = self.apply(function, &[base]);
                let operands = vec![none, holds];
                self.push(ExprKind::Logic { all: false, operands }, place)
            }
            ("map" | "and_then" | "inspect", &[function]) => self.of_value(base, function),
            ("filter", &[function]) => {
                let cond = self.apply(function, &[base]);
                let otherwise = self.none(place);
                let then = base;
                self.push(ExprKind::Conditional { cond, then, otherwise }, place)
            }
            ("unwrap_or" | "or", &[other]) => {
                let other = self.expr(other);
                self.or_else(base, other, place)
            }
            ("unwrap_or_else" | "or_else", &[function]) => {
                let other = self.apply(function, &[]);
                self.or_else(base, other, place)
            }
            ("map_or" | "map_or_else", &[other, function]) => {
                let cond = test(self, CompareOp::IsNot);
                let then = self.apply(function, &[base]);
                let otherwise = self.apply_or_value(other);
                self.push(ExprKind::Conditional { cond, then, otherwise }, place)
            }
            ("then" | "then_some", &[value]) => {
                let then = self.apply_or_value(value);
                let otherwise = self.none(place);
                let cond = base;
                self.push(ExprKind::Conditional { cond, then, otherwise }, place)
            }
            _ => return None,
        })
    }

    /// A function of what an `Option` holds. Of the first item of a search, it becomes what is searched.
    fn of_value(&mut self, base: ExprId, function: Node<'_>) -> ExprId {
        if plain_body(function).is_some()
            && let ExprKind::Call { idiom: Some(idiom), .. } = self.kind_of(base).clone()
            && let (Intrinsic::First, &[source]) = (idiom.op, &idiom.operands[..])
            && let ExprKind::Comprehension {
                kind,
                element,
                value: None,
                clauses,
            } = self.kind_of(source).clone()
        {
            let place = self.place_of(source);
            let element = self.apply(function, &[element]);
            let source = self.push(
                ExprKind::Comprehension {
                    kind,
                    element,
                    value: None,
                    clauses,
                },
                place,
            );
            let place = self.place_of(base);
            return self.intrinsic(Intrinsic::First, vec![source], place);
        }
        self.apply(function, &[base])
    }

    /// The value, or else another; an exhausted search takes it as its default.
    fn or_else(&mut self, base: ExprId, other: ExprId, place: Place) -> ExprId {
        if let ExprKind::Call { idiom: Some(idiom), .. } = self.kind_of(base)
            && let (Intrinsic::First, &[source]) = (idiom.op, &idiom.operands[..])
        {
            let place = self.place_of(base);
            return self.intrinsic(Intrinsic::First, vec![source, other], place);
        }
        let operands = vec![base, other];
        self.push(ExprKind::Logic { all: false, operands }, place)
    }
}
