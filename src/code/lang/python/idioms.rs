//! What Python's own types and library mean by a call.
//!
//! Methods are known by name and number of arguments alone: whether the receiver is a project's own
//! class is decided where the call is resolved. Functions are known by the name they are bound to.

use crate::code::ir::{Arg, ExprId, ExprKind, FunctionId, Idiom, Intrinsic, Literal, Module};
use crate::code::scope::{Binding, Scopes};

/// How the arguments become operands.
#[derive(Clone, Copy)]
enum Operands {
    /// As they stand.
    All,
    /// Only so many of them, from the start.
    First(usize),
    /// All but so many from the start.
    After(usize),
}

use Intrinsic as I;
use Operands::{After, All, First};

/// Name, least and most arguments, meaning, operands after the receiver.
const METHODS: &[(&str, usize, usize, Intrinsic, Operands)] = &[
    ("append", 1, 1, I::Append, All),
    ("extend", 1, 1, I::Extend, All),
    ("insert", 2, 2, I::Insert, All),
    ("appendleft", 1, 1, I::Insert, All),
    ("pop", 0, 2, I::Pop, First(1)),
    ("popleft", 0, 0, I::PopFirst, All),
    ("remove", 1, 1, I::RemoveValue, All),
    ("clear", 0, 0, I::Clear, All),
    ("reverse", 0, 0, I::ReverseInPlace, All),
    ("sort", 0, 2, I::SortInPlace, First(0)),
    ("copy", 0, 0, I::Copy, All),
    ("index", 1, 3, I::IndexOf, First(1)),
    ("get", 1, 2, I::Get, All),
    ("setdefault", 1, 2, I::SetDefault, All),
    ("update", 1, 1, I::Merge, All),
    ("values", 0, 0, I::Values, All),
    ("items", 0, 0, I::Items, All),
    ("join", 1, 1, I::Join, All),
    ("format", 0, usize::MAX, I::Format, All),
    ("format_map", 1, 1, I::Format, All),
    ("replace", 2, 3, I::ReplaceText, First(2)),
    ("strip", 0, 1, I::TextOp, All),
    ("lstrip", 0, 1, I::TextOp, All),
    ("rstrip", 0, 1, I::TextOp, All),
    ("lower", 0, 0, I::TextOp, All),
    ("upper", 0, 0, I::TextOp, All),
    ("title", 0, 0, I::TextOp, All),
    ("capitalize", 0, 0, I::TextOp, All),
    ("casefold", 0, 0, I::TextOp, All),
    ("removeprefix", 1, 1, I::TextOp, All),
    ("removesuffix", 1, 1, I::TextOp, All),
    ("split", 0, 2, I::TextOp, All),
    ("rsplit", 0, 2, I::TextOp, All),
    ("splitlines", 0, 1, I::TextOp, All),
    ("partition", 1, 1, I::TextOp, All),
    ("rpartition", 1, 1, I::TextOp, All),
    ("expandtabs", 0, 1, I::TextOp, All),
    ("ljust", 1, 2, I::TextOp, All),
    ("rjust", 1, 2, I::TextOp, All),
    ("zfill", 1, 1, I::TextOp, All),
    ("encode", 0, 2, I::TextOp, All),
    ("decode", 0, 2, I::TextOp, All),
    ("run_in_executor", 2, usize::MAX, I::Run, After(1)),
    ("create_task", 1, 3, I::Run, First(1)),
    ("run_until_complete", 1, 1, I::Run, First(1)),
    ("submit", 1, usize::MAX, I::Run, All),
];

/// Path, least and most arguments, meaning, operands. A path without a dot is a built-in.
const FUNCTIONS: &[(&str, usize, usize, Intrinsic, Operands)] = &[
    ("list", 1, 1, I::Copy, All),
    ("tuple", 1, 1, I::Copy, All),
    ("reversed", 1, 1, I::Reversed, All),
    ("sorted", 1, 3, I::Sorted, First(1)),
    ("enumerate", 1, 2, I::Enumerate, All),
    ("range", 1, 3, I::Range, All),
    ("len", 1, 1, I::Len, All),
    ("next", 1, 2, I::First, All),
    ("any", 1, 1, I::Any, All),
    ("all", 1, 1, I::All, All),
    ("filter", 2, 2, I::Filter, All),
    ("map", 2, 2, I::Map, All),
    ("zip", 1, usize::MAX, I::Zip, All),
    ("min", 1, usize::MAX, I::Min, All),
    ("max", 1, usize::MAX, I::Max, All),
    ("sum", 1, 2, I::Sum, First(1)),
    ("set", 0, 1, I::ToSet, All),
    ("frozenset", 0, 1, I::ToSet, All),
    ("str", 1, 3, I::ToText, First(1)),
    ("repr", 1, 1, I::ToText, All),
    ("getattr", 2, 3, I::GetAttribute, All),
    ("setattr", 3, 3, I::SetAttribute, All),
    ("iter", 1, 1, I::Pass, All),
    ("aiter", 1, 1, I::Pass, All),
    ("anext", 1, 2, I::First, All),
    ("copy.copy", 1, 1, I::Copy, All),
    ("copy.deepcopy", 1, 2, I::DeepCopy, First(1)),
    ("collections.deque", 1, 2, I::Copy, First(1)),
    ("functools.partial", 1, usize::MAX, I::Run, All),
    ("itertools.chain", 1, usize::MAX, I::Chain, All),
    ("json.dumps", 1, usize::MAX, I::ToText, First(1)),
    ("pprint.pformat", 1, usize::MAX, I::ToText, First(1)),
    ("textwrap.dedent", 1, 1, I::TextOp, All),
    ("textwrap.shorten", 1, usize::MAX, I::TextOp, First(1)),
    ("typing.cast", 2, 2, I::Pass, After(1)),
    ("typing_extensions.cast", 2, 2, I::Pass, After(1)),
    ("asyncio.to_thread", 1, usize::MAX, I::Run, All),
    ("asyncio.gather", 1, usize::MAX, I::Run, All),
    ("asyncio.run", 1, 2, I::Run, First(1)),
    ("asyncio.create_task", 1, 3, I::Run, First(1)),
    ("asyncio.ensure_future", 1, 2, I::Run, First(1)),
    ("asyncio.shield", 1, 1, I::Run, All),
    ("asyncio.wait_for", 1, 2, I::Pass, First(1)),
    ("anyio.to_thread.run_sync", 1, usize::MAX, I::Run, All),
];

/// Gives every call of the module its idiom.
pub(super) fn mark(module: &mut Module, scopes: &Scopes) {
    let found: Vec<(usize, Idiom)> = (0..module.exprs.len())
        .filter_map(|index| idiom(module, scopes, ExprId(index as u32)).map(|found| (index, found)))
        .collect();
    for (index, found) in found {
        if let ExprKind::Call { idiom, .. } = &mut module.exprs[index].kind {
            *idiom = Some(found);
        }
    }
}

fn idiom(module: &Module, scopes: &Scopes, call: ExprId) -> Option<Idiom> {
    let ExprKind::Call { callee, args, .. } = module.kind(call) else {
        return None;
    };
    let owner = module.owner(call);
    if let Some(idiom) = path(module, scopes, owner, *callee).and_then(|path| function_idiom(module, &path, args)) {
        return Some(idiom);
    }
    match module.kind(*callee) {
        // `requests.get(url)` is a function of a module.
        ExprKind::Attribute { base, name } if !is_module(module, scopes, owner, *base) => {
            method_idiom(*base, name, args)
        }
        _ => None,
    }
}

/// Whether the name is imported as a module.
fn is_module(module: &Module, scopes: &Scopes, owner: FunctionId, expr: ExprId) -> bool {
    let ExprKind::Name(name) = module.kind(expr) else {
        return false;
    };
    match scopes.lookup(module, owner, name) {
        Some((_, bindings)) => bindings
            .iter()
            .any(|binding| matches!(binding, Binding::Import(import) if module.imports[*import].symbol.is_none())),
        None => false,
    }
}

/// The library path that a callee is bound to; `None` for anything that the module binds itself.
fn path(module: &Module, scopes: &Scopes, owner: FunctionId, callee: ExprId) -> Option<String> {
    match module.kind(callee) {
        ExprKind::Name(name) => match scopes.lookup(module, owner, name) {
            None => Some(name.to_string()),
            Some((_, bindings)) => {
                // Of an import and its fallback, the fallback is the standard library's.
                let imports = bindings.iter().map(|binding| match binding {
                    Binding::Import(import) => Some(&module.imports[*import]),
                    _ => None,
                });
                let import = imports.collect::<Option<Vec<_>>>()?.pop()?;
                match &import.symbol {
                    Some(symbol) => Some(format!("{}.{symbol}", import.module)),
                    // A plain `import a.b` binds `a`.
                    None if import.module.starts_with(&format!("{}.", import.local)) => Some(import.local.to_string()),
                    None => Some(import.module.to_string()),
                }
            }
        },
        ExprKind::Attribute { base, name } => {
            let ExprKind::Name(root) = root(module, *base) else {
                return None;
            };
            // Only what is imported is a library; `text.strip` is a method of a value.
            scopes.lookup(module, owner, root)?;
            Some(format!("{}.{name}", path(module, scopes, owner, *base)?))
        }
        _ => None,
    }
}

/// What an attribute access starts from.
fn root(module: &Module, mut expr: ExprId) -> &ExprKind {
    while let ExprKind::Attribute { base, .. } = module.kind(expr) {
        expr = *base;
    }
    module.kind(expr)
}

fn method_idiom(receiver: ExprId, name: &str, args: &[Arg]) -> Option<Idiom> {
    let &(_, least, most, op, operands) = METHODS.iter().find(|(method, ..)| *method == name)?;
    // `d.update(key=value)` writes single keys.
    if !(least..=most).contains(&args.len()) || (op == I::Merge && args[0].name.is_some()) {
        return None;
    }
    let mut values = chosen(op, args, operands);
    if op != I::Run {
        values.insert(0, receiver);
    }
    Some(Idiom { op, operands: values })
}

fn function_idiom(module: &Module, path: &str, args: &[Arg]) -> Option<Idiom> {
    match path {
        "dict" => return dict(args),
        "itertools.islice" => return islice(module, args),
        _ => {}
    }
    let &(_, least, most, op, operands) = FUNCTIONS.iter().find(|(function, ..)| *function == path)?;
    (least..=most).contains(&args.len()).then(|| Idiom {
        op,
        operands: chosen(op, args, operands),
    })
}

/// The operands among the arguments. Named ones (`key=`, `maxlen=`) count only where they are passed on
/// or stand for a position.
fn chosen(op: Intrinsic, args: &[Arg], operands: Operands) -> Vec<ExprId> {
    let keeps_named = matches!(op, I::Run | I::Format | I::Enumerate);
    let values = args
        .iter()
        .filter(|arg| keeps_named || arg.name.is_none())
        .map(|arg| arg.value);
    match operands {
        All => values.collect(),
        First(count) => values.take(count).collect(),
        After(count) => values.skip(count).collect(),
    }
}

/// `dict(d)` and `dict(**d)` are copies; `dict(a=1)` is none.
fn dict(args: &[Arg]) -> Option<Idiom> {
    match args {
        [only] if only.name.as_ref().is_none_or(|name| name.is_empty()) => Some(Idiom {
            op: I::Copy,
            operands: vec![only.value],
        }),
        _ => None,
    }
}

/// `islice(xs, n)` and `islice(xs, 0, n)` take from the start.
fn islice(module: &Module, args: &[Arg]) -> Option<Idiom> {
    let is_start = |expr| matches!(module.kind(expr), ExprKind::Literal(Literal::Int(0) | Literal::None));
    let operands = match args {
        [xs, end] => vec![xs.value, end.value],
        [xs, start, end] if is_start(start.value) => vec![xs.value, end.value],
        _ => return None,
    };
    Some(Idiom { op: I::Take, operands })
}
