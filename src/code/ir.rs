//! The small language-neutral program that every front end lowers to.
//!
//! Control flow is structured: the edges of a block are its `if`, loop, `try`, `return`, `raise`,
//! `break` and `continue` statements. List idioms of the language (`append`, `reversed`, a slice
//! assignment) are named by [`Intrinsic`], so that nothing after the front end knows a language.
//! Names of methods and attributes stay as written; what they mean to a framework is data in
//! `vocabulary/`.

use std::path::PathBuf;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::finding::Position;

/// A name as written in the source.
pub(crate) type Name = Arc<str>;

/// An expression of one module.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct ExprId(pub(crate) u32);

/// A function of one module: a `def`, a method, a lambda, or the module's own body (number 0).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct FunctionId(pub(crate) u32);

/// A class of one module.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct ClassId(pub(crate) u32);

/// Where something stands in its module's text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Place {
    /// First character.
    pub(crate) start: Position,
    /// One past the last character.
    pub(crate) end: Position,
}

/// One source file.
#[derive(Clone, Debug)]
pub(crate) struct Module {
    /// As in findings.
    pub(crate) path: PathBuf,
    /// The dotted or slashed name by which other modules of the project import it; empty where unknown.
    pub(crate) name: Name,
    /// `python`, …
    pub(crate) language: &'static str,
    /// The stems of files that stand for their folder. Only modules that have the same ones import each
    /// other.
    pub(crate) folder_stems: &'static [&'static str],
    /// The package that it is the root of, or, where files of the language belong to packages by the folder
    /// they are in, the one that it is in.
    pub(crate) package: Option<Arc<Package>>,
    /// What the project says that paths in its imports mean.
    pub(crate) mappings: Arc<[Mapping]>,
    /// Whether sets of the language come in the order in which they were filled.
    pub(crate) sets_keep_order: bool,
    /// Where an error is a value like any other: what hands it on, `step()?`. `None` where every error ends
    /// what nobody guards.
    pub(crate) handed_on: Option<Vec<Place>>,
    /// What is run when a person does something on a screen: `onClick={send}`.
    pub(crate) gestures: Vec<ExprId>,
    /// Whether the file holds tests.
    pub(crate) is_test: bool,
    /// The stretches of the file that are tests, where the rest is not.
    pub(crate) test_parts: Vec<Place>,
    /// Number 0 is the module's own body.
    pub(crate) functions: Vec<Function>,
    /// In the order of the source.
    pub(crate) classes: Vec<Class>,
    /// The arena of all expressions.
    pub(crate) exprs: Vec<Expr>,
    /// For each expression, the function whose names it sees.
    pub(crate) owners: Vec<FunctionId>,
    /// Every import of the file, wherever it stands.
    pub(crate) imports: Vec<Import>,
    /// Every comment of the file.
    pub(crate) comments: Vec<Comment>,
    /// The 1-based line of the first stretch that is no valid code and so is not in here.
    pub(crate) unparsed: Option<u32>,
}

/// What the manifest of a package calls it and what it uses.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Package {
    /// The name by which other packages import it.
    pub(crate) name: Name,
    /// The folder that the manifest stands in.
    pub(crate) folder: PathBuf,
    /// What it calls other packages, where that is not their own name: its name for them, and theirs.
    pub(crate) renamed: Vec<(Name, Name)>,
    /// The first number of its version.
    pub(crate) major: Option<u64>,
    /// The packages that it asks for, with the first number of the version.
    pub(crate) asks: FxHashMap<Name, Option<u64>>,
    /// Which files others get by a path behind its name, `.` for none. Empty where they get them by the names of
    /// modules.
    pub(crate) offers: Vec<Mapping>,
    /// What paths mean in its own files.
    pub(crate) inner: Vec<Mapping>,
}

/// Which files a path in an import may mean.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Mapping {
    /// The path; a `*` stands for any text.
    pub(crate) pattern: Name,
    /// The files, the likeliest first, without extensions; a `*` stands for the same text.
    targets: Vec<PathBuf>,
}

impl Mapping {
    pub(crate) fn new(pattern: &str, targets: impl IntoIterator<Item = PathBuf>) -> Self {
        Self {
            pattern: Name::from(pattern),
            targets: targets.into_iter().collect(),
        }
    }

    /// How much of a path the pattern names, where it matches it.
    fn weight(&self, path: &str) -> Option<usize> {
        match self.pattern.split_once('*') {
            None => (*self.pattern == *path).then_some(usize::MAX),
            Some((before, after)) => {
                let fits = path.len() >= before.len() + after.len();
                (fits && path.starts_with(before) && path.ends_with(after)).then_some(before.len())
            }
        }
    }

    /// The files that a path may mean by these mappings: what names most of it goes first.
    pub(crate) fn files(mappings: &[Self], path: &str) -> Vec<PathBuf> {
        let weigh = |mapping| Some((Self::weight(mapping, path)?, mapping));
        let mut fitting: Vec<(usize, &Self)> = mappings.iter().filter_map(weigh).collect();
        fitting.sort_by_key(|(weight, _)| std::cmp::Reverse(*weight));
        let files = fitting.into_iter().flat_map(|(_, mapping)| {
            let (before, after) = mapping.pattern.split_once('*').unwrap_or((path, ""));
            let inside = &path[before.len()..path.len() - after.len()];
            let filled = move |target: &PathBuf| PathBuf::from(target.to_string_lossy().replacen('*', inside, 1));
            mapping.targets.iter().map(filled)
        });
        files.collect()
    }
}

/// A comment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Comment {
    /// Where it starts.
    pub(crate) at: Position,
    /// With its marker.
    pub(crate) text: String,
    /// Whether nothing but white space stands before it on its line.
    pub(crate) own_line: bool,
}

/// One imported name. `from a.b import c as d` is `{module: "a.b", symbol: Some("c"), local: "d"}`;
/// `import a.b as d` is `{module: "a.b", symbol: None, local: "d"}`; a plain `import a.b` binds `a`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Import {
    /// The module as written; leading dots are kept for relative imports.
    pub(crate) module: Name,
    /// The imported symbol, `None` for the module itself, `*` for all, [`DEFAULT_EXPORT`] for the one
    /// that every module gives its own name.
    pub(crate) symbol: Option<Name>,
    /// The name it has here.
    pub(crate) local: Name,
    /// The function whose body holds the import; the module's body for one at the top.
    pub(crate) scope: FunctionId,
}

/// The symbol of what a module exports without a name.
pub(crate) const DEFAULT_EXPORT: &str = "default";

/// A class, struct or object type.
#[derive(Clone, Debug)]
pub(crate) struct Class {
    /// Its name.
    pub(crate) name: Name,
    /// Base classes, as expressions.
    pub(crate) bases: Vec<ExprId>,
    /// Methods, with their names, in order.
    pub(crate) methods: Vec<(Name, FunctionId)>,
    /// Fields declared in the body: name, annotation as written, default.
    pub(crate) fields: Vec<Field>,
    /// Decorators, as expressions.
    pub(crate) decorators: Vec<ExprId>,
    /// The function whose body defines it.
    pub(crate) scope: FunctionId,
    /// The class whose body defines it.
    pub(crate) outer: Option<ClassId>,
    /// The class that it only adds members to.
    pub(crate) extends: Option<ExprId>,
    /// Whether a value is made by naming its fields, without a constructor.
    pub(crate) is_record: bool,
    /// Where its header stands.
    pub(crate) place: Place,
}

/// A field declared in a class body.
#[derive(Clone, Debug)]
pub(crate) struct Field {
    /// Its name.
    pub(crate) name: Name,
    /// The annotation's text.
    pub(crate) annotation: Option<Name>,
    /// The default.
    pub(crate) value: Option<ExprId>,
}

/// A function, method, lambda or module body.
#[derive(Clone, Debug)]
pub(crate) struct Function {
    /// Its name; `<module>` or `<lambda>` where it has none.
    pub(crate) name: Name,
    /// The class it is a method of.
    pub(crate) class: Option<ClassId>,
    /// The function around it; `None` only for the module's body.
    pub(crate) parent: Option<FunctionId>,
    /// In order, `self` included.
    pub(crate) params: Vec<Param>,
    /// The annotation of the result, as written.
    pub(crate) returns: Option<Name>,
    /// Decorators, as expressions.
    pub(crate) decorators: Vec<ExprId>,
    /// Whether a call gives a future.
    pub(crate) is_async: bool,
    /// Whether it yields.
    pub(crate) is_generator: bool,
    /// Whether its first parameter is the receiver.
    pub(crate) has_receiver: bool,
    /// What the language runs it for, where its name is not what calls it.
    pub(crate) special: Option<Special>,
    /// Names that it declares to belong to an outer scope.
    pub(crate) outer_names: Vec<Name>,
    /// The first paragraph of its documentation.
    pub(crate) doc: Option<Name>,
    /// What it does. The body of a lambda that is one expression is one `Return`.
    pub(crate) body: Vec<Stmt>,
    /// Where its header stands (name and parameters); a lambda's whole text.
    pub(crate) place: Place,
}

/// What a language runs a method for without naming it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Special {
    /// Calling the class calls it, with the same arguments.
    Constructor,
    /// It runs while an object is made, with arguments of its own.
    Preparation,
    /// Calling an object calls it.
    Call,
    /// Writing or deleting an attribute calls it.
    Setter,
    /// Making text of an object calls it; it gives that text.
    Text,
}

/// A parameter.
#[derive(Clone, Debug)]
pub(crate) struct Param {
    /// Its name, without stars.
    pub(crate) name: Name,
    /// The annotation's text.
    pub(crate) annotation: Option<Name>,
    /// The default.
    pub(crate) default: Option<ExprId>,
    /// How it takes arguments.
    pub(crate) kind: ParamKind,
}

/// How a parameter takes arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ParamKind {
    /// By position or name.
    Plain,
    /// By name only.
    Keyword,
    /// The rest of the positional ones.
    RestPositional,
    /// The rest of the named ones.
    RestKeyword,
}

/// A statement.
#[derive(Clone, Debug)]
pub(crate) struct Stmt {
    /// What it is.
    pub(crate) kind: StmtKind,
    /// Where, without the bodies of compound statements.
    pub(crate) place: Place,
}

/// What a statement is.
#[derive(Clone, Debug)]
pub(crate) enum StmtKind {
    /// `target = value`, `a = b = value` (several targets), `target: T = value`. Targets are names,
    /// attributes, indices, tuples of targets, or a slice (a splice in place). The value of a bare
    /// `target: T` is an empty [`ExprKind::Other`].
    Assign {
        targets: Vec<ExprId>,
        value: ExprId,
        annotation: Option<Name>,
    },
    /// `target op= value`.
    Update {
        target: ExprId,
        op: BinaryOp,
        value: ExprId,
    },
    /// An expression for its effect.
    Expr(ExprId),
    /// A branch. `elif` is an `If` alone in `otherwise`; so is each arm of a `match`.
    If {
        cond: ExprId,
        then: Vec<Stmt>,
        otherwise: Vec<Stmt>,
    },
    /// `for target in iter`.
    For {
        target: ExprId,
        iter: ExprId,
        body: Vec<Stmt>,
        otherwise: Vec<Stmt>,
        is_async: bool,
    },
    /// `while cond`.
    While {
        cond: ExprId,
        body: Vec<Stmt>,
        otherwise: Vec<Stmt>,
    },
    /// `try` with its handlers; `otherwise` runs when nothing was raised.
    Try {
        body: Vec<Stmt>,
        handlers: Vec<Handler>,
        otherwise: Vec<Stmt>,
        finally: Vec<Stmt>,
    },
    /// A context manager around a block: the value and the target of each.
    With {
        items: Vec<(ExprId, Option<ExprId>)>,
        body: Vec<Stmt>,
    },
    /// `return`.
    Return(Option<ExprId>),
    /// `raise`.
    Raise(Option<ExprId>),
    /// `break`.
    Break,
    /// `continue`.
    Continue,
    /// `del target`: a name, an index or a slice.
    Delete(Vec<ExprId>),
    /// `assert cond`.
    Assert { cond: ExprId },
    /// A nested function's definition.
    Function(FunctionId),
    /// A class's definition.
    Class(ClassId),
    /// Nothing that matters here (`pass`, `import`, a declaration).
    Nothing,
}

/// One `except` or `catch`.
#[derive(Clone, Debug)]
pub(crate) struct Handler {
    /// What it catches, as written; empty for everything.
    pub(crate) catches: Vec<Name>,
    /// The name of the caught value.
    pub(crate) name: Option<Name>,
    /// What it does.
    pub(crate) body: Vec<Stmt>,
}

/// An expression.
#[derive(Clone, Debug)]
pub(crate) struct Expr {
    /// What it is.
    pub(crate) kind: ExprKind,
    /// Where.
    pub(crate) place: Place,
}

/// What an expression is.
#[derive(Clone, Debug)]
pub(crate) enum ExprKind {
    /// A variable, parameter, function, class or module.
    Name(Name),
    /// A literal.
    Literal(Literal),
    /// Text with values in it.
    Template(Vec<TemplatePart>),
    /// `base.name`.
    Attribute { base: ExprId, name: Name },
    /// `base[index]`.
    Index { base: ExprId, index: ExprId },
    /// `base[start:end:step]`.
    Slice {
        base: ExprId,
        start: Option<ExprId>,
        end: Option<ExprId>,
        step: Option<ExprId>,
    },
    /// A call. `idiom` is what the language's own library means by it; a project's own function or
    /// method that the call resolves to goes first.
    Call {
        callee: ExprId,
        args: Vec<Arg>,
        idiom: Option<Idiom>,
    },
    /// A list, tuple or set display.
    List { kind: ListKind, items: Vec<Item> },
    /// A dictionary or object display; `None` for the key is a spread.
    Dict(Vec<(Option<ExprId>, ExprId)>),
    /// A comprehension: `element` (and for dictionaries `value`) for each clause.
    Comprehension {
        kind: ListKind,
        element: ExprId,
        value: Option<ExprId>,
        clauses: Vec<Clause>,
    },
    /// Arithmetic and concatenation. `-x` is `0 - x`.
    Binary { op: BinaryOp, left: ExprId, right: ExprId },
    /// `and`: every operand; `or`: any. The value is one of the operands.
    Logic { all: bool, operands: Vec<ExprId> },
    /// `not`.
    Not(ExprId),
    /// A comparison of two values.
    Compare { op: CompareOp, left: ExprId, right: ExprId },
    /// Whether a value is of one of these types; a text literal among them is the name of a type.
    TypeTest { value: ExprId, types: Vec<ExprId> },
    /// `then if cond else otherwise`.
    Conditional {
        cond: ExprId,
        then: ExprId,
        otherwise: ExprId,
    },
    /// An anonymous function.
    Lambda(FunctionId),
    /// `await value`.
    Await(ExprId),
    /// `yield value`, `yield from value`.
    Yield(Option<ExprId>),
    /// `(name := value)`.
    Bind { target: ExprId, value: ExprId },
    /// Something else, with the expressions inside it.
    Other(Vec<ExprId>),
}

/// A literal.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Literal {
    /// Text, escapes resolved where that is simple.
    Str(Name),
    /// An integer; very large ones saturate.
    Int(i64),
    /// Any other number.
    Float,
    /// `true` or `false`.
    Bool(bool),
    /// `None`, `null`, `nil`.
    None,
}

/// A part of a [`ExprKind::Template`].
#[derive(Clone, Debug)]
pub(crate) enum TemplatePart {
    /// Literal text.
    Text(Name),
    /// A value, with its format specification as written.
    Value { value: ExprId, format: Option<Name> },
}

/// An argument of a call.
#[derive(Clone, Debug)]
pub(crate) struct Arg {
    /// The value.
    pub(crate) value: ExprId,
    /// The parameter it names; empty for `**value`, which may name any.
    pub(crate) name: Option<Name>,
    /// `*value` or `**value`.
    pub(crate) spread: bool,
    /// Whether it is an object display whose entries stand behind it as named arguments: in languages
    /// that name arguments so. It is an argument by position as well.
    pub(crate) gathers: bool,
}

/// One item of a display.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Item {
    /// The value.
    pub(crate) value: ExprId,
    /// `*value`.
    pub(crate) spread: bool,
}

/// One `for … in … if …` of a comprehension.
#[derive(Clone, Debug)]
pub(crate) struct Clause {
    /// What each element is bound to.
    pub(crate) target: ExprId,
    /// Where the elements come from.
    pub(crate) iter: ExprId,
    /// What an element must satisfy.
    pub(crate) conditions: Vec<ExprId>,
}

/// The kind of a display or comprehension.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ListKind {
    List,
    Tuple,
    Set,
    Dict,
    Generator,
}

/// An arithmetic operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BinaryOp {
    Add,
    Sub,
    Mul,
    Div,
    Rem,
    /// `|` on dictionaries merges, on sets unites.
    Or,
    Other,
}

/// A comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CompareOp {
    Eq,
    NotEq,
    Less,
    LessEq,
    Greater,
    GreaterEq,
    /// The same object, or `is None`.
    Is,
    IsNot,
    In,
    NotIn,
}

/// What the language's own library means by a call.
#[derive(Clone, Debug)]
pub(crate) struct Idiom {
    /// The operation.
    pub(crate) op: Intrinsic,
    /// Its operands in the order that [`Intrinsic`] names them, a method's receiver first.
    pub(crate) operands: Vec<ExprId>,
}

/// A list, text or scheduling operation that languages spell differently.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Intrinsic {
    /// `xs.append(x)`: `[xs, x]`.
    Append,
    /// `xs.extend(ys)`: `[xs, ys]`.
    Extend,
    /// `xs.insert(i, x)`: `[xs, i, x]`; `xs.appendleft(x)` has only `[xs, x]`.
    Insert,
    /// `xs.pop()`, `xs.pop(i)`, `d.pop(k)`: `[xs, i?]`.
    Pop,
    /// `xs.popleft()`: `[xs]`.
    PopFirst,
    /// `xs.remove(x)`: `[xs, x]`.
    RemoveValue,
    /// Puts an item into a set, and tells whether it is a new one: `[set, x]`.
    AddNew,
    /// `xs.clear()`: `[xs]`.
    Clear,
    /// `xs.reverse()`: `[xs]`, in place.
    ReverseInPlace,
    /// `xs.sort()`: `[xs]`, in place.
    SortInPlace,
    /// A new list with the same elements: `list(xs)`, `xs.copy()`, `copy(xs)`: `[xs]`.
    Copy,
    /// A copy that shares nothing: `[xs]`.
    DeepCopy,
    /// The same elements, last first: `[xs]`.
    Reversed,
    /// The same elements in an order of their own: `[xs]`.
    Sorted,
    /// Pairs of index and element: `[xs, start?]`.
    Enumerate,
    /// Numbers: `[end]`, `[start, end]` or `[start, end, step]`.
    Range,
    /// `[xs]`.
    Len,
    /// The first item of an iterator: `[iterator, default?]`.
    First,
    /// Whether any item holds: `[iterator]`.
    Any,
    /// Whether all items hold: `[iterator]`.
    All,
    /// The items that a predicate accepts: `[predicate, xs]`.
    Filter,
    /// A function of each item: `[function, xs]`.
    Map,
    /// Tuples of items: `[xs, ys, …]`.
    Zip,
    /// One after the other: `[xs, ys, …]`.
    Chain,
    /// At most so many items from the start: `[xs, n]`.
    Take,
    /// The place of an equal item: `[xs, x]`.
    IndexOf,
    /// `[a, b, …]` or `[xs]`.
    Min,
    /// `[a, b, …]` or `[xs]`.
    Max,
    /// `[xs]`.
    Sum,
    /// A set of the items: `[xs]`; none at all is an empty one.
    ToSet,
    /// `d.get(k, default?)`: `[d, k, default?]`.
    Get,
    /// `d.setdefault(k, default)`: `[d, k, default?]`.
    SetDefault,
    /// `d.update(e)`, `s.update(t)`: `[d, e]`.
    Merge,
    /// The values of a dictionary, in its order: `[d]`.
    Values,
    /// The items of a dictionary, in its order: `[d]`.
    Items,
    /// Text of a value: `str(x)`, `json.dumps(x)`: `[x]`.
    ToText,
    /// Text from parts: `sep.join(parts)`: `[sep, parts]`.
    Join,
    /// `template.format(a, b)`, keywords among the arguments: `[template, a, b, …]`.
    Format,
    /// `text.replace(a, b)`: `[text, a, b]`.
    ReplaceText,
    /// Text made from one text by trimming, case or splitting: `[text, …]`.
    TextOp,
    /// `getattr(x, "name", default?)`: `[x, name, default?]`.
    GetAttribute,
    /// `setattr(x, "name", value)`: `[x, name, value]`.
    SetAttribute,
    /// Runs a function elsewhere: `asyncio.to_thread(f, a, b)`, `wait_for(awaitable, …)`,
    /// `gather(a, b)`, `partial(f, a)`: `[f or awaitable, a, b, …]`.
    Run,
    /// A value made of the same value: `wait_for(x)`, `iter(x)`, `cast(T, x)`: `[x]`.
    Pass,
    /// An object that is its named arguments and nothing else: `Name { field: x }`: `[x, …]`.
    Record,
}

/// The arguments of a call that are expressions of their own: without the entries of an object among
/// them, which are inside the object.
pub(crate) fn written(args: &[Arg]) -> impl Iterator<Item = &Arg> {
    let gathered = args.iter().any(|arg| arg.gathers);
    args.iter().filter(move |arg| !gathered || arg.name.is_none())
}

impl StmtKind {
    /// The blocks inside it, in the order of the source.
    pub(crate) fn blocks(&self) -> Vec<&[Stmt]> {
        match self {
            Self::If { then, otherwise, .. } => vec![then, otherwise],
            Self::For { body, otherwise, .. } | Self::While { body, otherwise, .. } => vec![body, otherwise],
            Self::Try {
                body,
                handlers,
                otherwise,
                finally,
            } => {
                let mut blocks = vec![body.as_slice()];
                blocks.extend(handlers.iter().map(|handler| handler.body.as_slice()));
                blocks.extend([otherwise.as_slice(), finally.as_slice()]);
                blocks
            }
            Self::With { body, .. } => vec![body],
            _ => Vec::new(),
        }
    }
}

impl Module {
    /// The expression.
    pub(crate) fn expr(&self, id: ExprId) -> &Expr {
        &self.exprs[id.0 as usize]
    }

    /// What the expression is.
    pub(crate) fn kind(&self, id: ExprId) -> &ExprKind {
        &self.exprs[id.0 as usize].kind
    }

    /// The function.
    pub(crate) fn function(&self, id: FunctionId) -> &Function {
        &self.functions[id.0 as usize]
    }

    /// Whether any of it is a test.
    pub(crate) fn has_tests(&self) -> bool {
        self.is_test || !self.test_parts.is_empty()
    }

    /// Whether what stands here is part of a test.
    pub(crate) fn is_test_at(&self, at: Position) -> bool {
        self.is_test || self.test_parts.iter().any(|part| part.start <= at && at < part.end)
    }

    /// The function whose names the expression sees.
    pub(crate) fn owner(&self, id: ExprId) -> FunctionId {
        self.owners[id.0 as usize]
    }

    /// The class.
    pub(crate) fn class(&self, id: ClassId) -> &Class {
        &self.classes[id.0 as usize]
    }
}
