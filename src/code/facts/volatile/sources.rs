//! Expressions whose value differs from one evaluation to the next.

use super::Cause;
use crate::code::facts::Facts;
use crate::code::flow::reach::Held;
use crate::code::ir::{Arg, ExprId, ExprKind, Intrinsic, Literal, Special, Stmt, StmtKind, TemplatePart};
use crate::code::project::{ExprRef, FuncRef};
use crate::code::vocabulary::{Field, Granularity, Runs, Strength, Volatile, VolatileKind, last_segment};

/// What one expression gives.
pub(super) struct Leaf {
    pub(super) cause: Cause,
    pub(super) granularity: Granularity,
    pub(super) sure: bool,
}

/// What an expression gives, where `held` are the fields of it that are wanted.
pub(super) fn leaf(facts: &Facts, at: ExprRef, held: &[Held]) -> Option<Leaf> {
    match facts.kind(at) {
        ExprKind::Call { callee, args, idiom } => {
            if let Some(idiom) = idiom
                && idiom.op == Intrinsic::Range
            {
                return counts_calls(facts, at).then_some(COUNTER);
            }
            let callee = facts.beside(at, *callee);
            look_up(facts, at, callee, args, held).or_else(|| call(facts, at, callee, args, held))
        }
        ExprKind::Literal(Literal::Int(_)) => is_step(facts, at).then_some(COUNTER),
        ExprKind::Attribute { .. } => {
            let known = facts
                .vocabulary
                .volatile(&facts.path(at)?, facts.frameworks(at.module))?;
            (known.kind == VolatileKind::Editor).then_some(Leaf {
                cause: Cause::Editor,
                granularity: known.granularity,
                sure: true,
            })
        }
        _ => None,
    }
}

const COUNTER: Leaf = Leaf {
    cause: Cause::Counter,
    granularity: Granularity::Exact,
    sure: true,
};

fn call(facts: &Facts, at: ExprRef, callee: ExprRef, args: &[Arg], held: &[Held]) -> Option<Leaf> {
    if !facts.project.callees_of(at).is_empty() {
        return None;
    }
    let path = facts.path(callee)?;
    if let Some(known) = facts.vocabulary.volatile(&path, facts.frameworks(at.module)) {
        if !mentions(facts, at, args, known) {
            return None;
        }
        let format = known.format.find(args);
        let format = format.and_then(|format| facts.project.constant(facts.beside(at, format)));
        let by_format = format.and_then(|format| facts.vocabulary.format_granularity(&format));
        let granularity = by_format.unwrap_or(known.granularity);
        let granularity = match known.kind {
            VolatileKind::Clock | VolatileKind::Stopwatch => granularity.max(narrowed(facts, held)?),
            // `run(…).stdout`
            _ => granularity,
        };
        return Some(Leaf {
            cause: cause(known.kind),
            granularity,
            sure: true,
        });
    }
    let by_format = || {
        let mut formats = args
            .iter()
            .filter_map(|arg| facts.project.constant(facts.beside(at, arg.value)));
        formats.find_map(|format| facts.vocabulary.format_granularity(&format))
    };
    let method = || {
        // A module that is called so has functions that are given a time as well.
        let of_object = matches!(facts.kind(callee), ExprKind::Attribute { .. });
        Some(
            facts
                .vocabulary
                .clock_method(&path)
                .filter(|_| of_object)?
                .max(by_format().unwrap_or(Granularity::Exact)),
        )
    };
    let granularity = facts.vocabulary.clock_name(&path).or_else(method)?;
    let takes_text = args
        .iter()
        .any(|arg| matches!(facts.kind(facts.beside(at, arg.value)), ExprKind::Template(_)));
    if takes_text {
        return None;
    }
    let said = says_date(facts, at).then_some(Granularity::Day);
    Some(Leaf {
        cause: Cause::Clock,
        granularity: granularity.max(narrowed(facts, held)?).max(said.unwrap_or(granularity)),
        sure: false,
    })
}

/// Whether the words before a value call it a date: of a clock that is only called one, that is all there is
/// to go by.
fn says_date(facts: &Facts, value: ExprRef) -> bool {
    let Some(ExprKind::Template(parts)) = facts.graph.around(value).map(|outer| facts.kind(outer)) else {
        return false;
    };
    let is_value =
        |part: &TemplatePart| matches!(part, TemplatePart::Value { value: inner, .. } if *inner == value.expr);
    let Some(at) = parts.iter().position(is_value) else {
        return false;
    };
    match at.checked_sub(1).map(|before| &parts[before]) {
        Some(TemplatePart::Text(text)) => {
            let line = text.rsplit('\n').next().unwrap_or(text).to_lowercase();
            let has = |word: &str| {
                line.split(|sign: char| !sign.is_alphanumeric())
                    .any(|found| found == word)
            };
            has("date") && !has("time")
        }
        _ => false,
    }
}

/// What the wanted field leaves of a time: `now().year`; `None` where it is no part of a time.
fn narrowed(facts: &Facts, held: &[Held]) -> Option<Granularity> {
    match held {
        [] => Some(Granularity::Exact),
        [Held::Field(symbol)] => facts.vocabulary.narrowed(facts.graph.symbol_name(*symbol)),
        _ => None,
    }
}

/// Whether the word stands in an argument that a call must have to count.
fn mentions(facts: &Facts, at: ExprRef, args: &[Arg], known: &Volatile) -> bool {
    let Some(word) = &known.argument else { return true };
    args.iter()
        .any(|arg| holds_word(facts, facts.beside(at, arg.value), word))
}

fn holds_word(facts: &Facts, expr: ExprRef, word: &str) -> bool {
    if let Some(text) = facts.text(expr) {
        return text.split_whitespace().any(|part| part == word);
    }
    let children = facts.module(expr.module).children(expr.expr);
    children
        .into_iter()
        .any(|child| holds_word(facts, facts.beside(expr, child), word))
}

fn cause(kind: VolatileKind) -> Cause {
    match kind {
        VolatileKind::Clock => Cause::Clock,
        VolatileKind::Stopwatch => Cause::Age,
        VolatileKind::Random => Cause::Random,
        VolatileKind::WorkingDirectory => Cause::WorkingDirectory,
        VolatileKind::Git => Cause::Git,
        VolatileKind::FileListing => Cause::FileListing,
        VolatileKind::Machine => Cause::Machine,
        VolatileKind::Editor => Cause::Editor,
    }
}

/// The result of a look-up whose query is not written in the program.
fn look_up(facts: &Facts, at: ExprRef, callee: ExprRef, args: &[Arg], held: &[Held]) -> Option<Leaf> {
    // The id of what was found is no text of it.
    if let Some(Held::Field(wanted)) = held.first()
        && facts.vocabulary.names_id(facts.graph.symbol_name(*wanted))
    {
        return None;
    }
    let path = facts.path(callee)?;
    let query = match facts.vocabulary.retrieval(&path, facts.frameworks(at.module)) {
        Some(known) => {
            let query = known.query.find(args)?;
            let named = args.iter().any(|arg| arg.value == query && arg.name.is_some());
            (known.strength == Strength::Strong || named).then_some(query)
        }
        None if facts.vocabulary.is_retrieval_name(last_segment(&path)) => args.first().map(|arg| arg.value),
        None => None,
    }?;
    let written = facts.project.constant(facts.beside(at, query)).is_some();
    (!written).then_some(Leaf {
        cause: Cause::Lookup,
        granularity: Granularity::Exact,
        sure: true,
    })
}

/// Whether what is wanted of a parameter is the id of the message at hand.
pub(super) fn of_message(facts: &Facts, function: FuncRef, index: u32, held: &[Held]) -> bool {
    let [Held::Field(symbol)] = held else {
        return false;
    };
    let param = &facts.project.function(function).params[index as usize];
    facts.vocabulary.names_message(&param.name)
        && facts.vocabulary.field(facts.graph.symbol_name(*symbol)) == Some(Field::Id)
}

/// Whether a parameter that nothing in the project gives is the number of the round at hand.
pub(super) fn counts_rounds(facts: &Facts, function: FuncRef, index: u32) -> bool {
    let ir = facts.project.function(function);
    let param = &ir.params[index as usize];
    facts.vocabulary.names_round(&param.name)
        && ir.special != Some(Special::Constructor)
        && facts.project.callers_of(function).is_empty()
}

/// Whether a range is what a loop runs over that calls a model.
fn counts_calls(facts: &Facts, range: ExprRef) -> bool {
    let owner = facts.owner(range);
    let paths = facts.paths.function(owner);
    let Some(stmt) = paths.stmt_of(range.expr) else {
        return false;
    };
    matches!(&paths.stmt(stmt).kind, StmtKind::For { iter, .. } if *iter == range.expr)
        && facts.frequencies.calls_model(owner, stmt)
}

/// Whether a number is what a counter grows by: in a loop that calls a model, or, where the counter
/// outlives the function, whenever that runs.
fn is_step(facts: &Facts, number: ExprRef) -> bool {
    let owner = facts.owner(number);
    let paths = facts.paths.function(owner);
    let Some(id) = paths.stmt_of(number.expr) else {
        return false;
    };
    let Some(target) = grown(facts, number, paths.stmt(id)) else {
        return false;
    };
    let in_loop = paths
        .enclosing_loops(id)
        .any(|found| facts.frequencies.calls_model(owner, found));
    let outlives = matches!(facts.kind(facts.beside(number, target)), ExprKind::Attribute { .. });
    in_loop || outlives && facts.runs(number).is_some_and(|runs| runs >= Runs::Turn)
}

/// The counter that a statement changes by a number.
fn grown(facts: &Facts, number: ExprRef, stmt: &Stmt) -> Option<ExprId> {
    match &stmt.kind {
        StmtKind::Update { target, value, .. } if *value == number.expr => Some(*target),
        // `step = step + 1`
        StmtKind::Assign { targets, value, .. } => match facts.kind(facts.beside(number, *value)) {
            ExprKind::Binary { left, right, .. } if *right == number.expr => {
                let same = |target: &&ExprId| {
                    facts.path(facts.beside(number, **target)) == facts.path(facts.beside(number, *left))
                };
                targets.iter().find(same).copied()
            }
            _ => None,
        },
        _ => None,
    }
}
