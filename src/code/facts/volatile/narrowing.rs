//! What is left of a value on its way into a text: `strftime("%Y-%m-%d")` leaves the day.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::code::facts::Facts;
use crate::code::flow::graph::{Node, Origin};
use crate::code::ir::{Arg, BinaryOp, ExprId, ExprKind, Intrinsic, Literal, TemplatePart};
use crate::code::project::ExprRef;
use crate::code::vocabulary::Granularity;

/// The finest form in which the value of `leaf` reaches `text`, on any way through `around`.
pub(super) fn finest(facts: &Facts, leaf: Node, own: Granularity, text: Node, around: &FxHashSet<Node>) -> Granularity {
    let mut best: FxHashMap<Node, Granularity> = FxHashMap::default();
    best.insert(leaf, own);
    let mut open = vec![leaf];
    while let Some(node) = open.pop() {
        let here = best[&node];
        for edge in facts
            .graph
            .outgoing(node)
            .iter()
            .filter(|edge| around.contains(&edge.node))
        {
            let there = here.max(left(facts, node, edge.node).unwrap_or(Granularity::Exact));
            if best.get(&edge.node).is_none_or(|known| there < *known) {
                best.insert(edge.node, there);
                open.push(edge.node);
            }
        }
    }
    best.get(&text).copied().unwrap_or(own)
}

/// Whether the time on this way is how long ago something was: something else than a length of time
/// is taken from it, or it from that.
pub(super) fn is_age(facts: &Facts, way: &[ExprRef]) -> bool {
    way.windows(2).any(|pair| match facts.kind(pair[1]) {
        ExprKind::Binary {
            op: BinaryOp::Sub,
            left,
            right,
        } => {
            let other = if *left == pair[0].expr { *right } else { *left };
            !is_duration(facts, facts.beside(pair[1], other))
        }
        _ => false,
    })
}

/// A number or a length of time, which leaves a time a time.
fn is_duration(facts: &Facts, expr: ExprRef) -> bool {
    match facts.kind(expr) {
        ExprKind::Literal(_) => true,
        ExprKind::Call { callee, .. } => facts
            .path(facts.beside(expr, *callee))
            .is_some_and(|path| path.to_lowercase().contains("delta")),
        _ => false,
    }
}

/// What a step leaves of a value; `None` where it leaves all of it.
fn left(facts: &Facts, from: Node, to: Node) -> Option<Granularity> {
    if let Origin::Slot(_, symbol) = facts.graph.origin(to) {
        return facts
            .vocabulary
            .narrowed(facts.graph.symbol_name(*symbol))
            .or_else(|| unit_field(facts, to));
    }
    let (from, to) = (facts.graph.as_expr(from)?, facts.graph.as_expr(to)?);
    match facts.kind(to) {
        ExprKind::Call { callee, args, idiom } => {
            if let Some(idiom) = idiom
                && idiom.op == Intrinsic::Format
            {
                let template = facts.project.constant(facts.beside(to, *idiom.operands.first()?))?;
                return template
                    .contains(":%")
                    .then(|| facts.vocabulary.format_granularity(&template))
                    .flatten();
            }
            by_call(facts, to, facts.beside(to, *callee), args)
        }
        ExprKind::Template(parts) => parts.iter().find_map(|part| match part {
            TemplatePart::Value {
                value,
                format: Some(format),
            } if *value == from.expr => facts.vocabulary.format_granularity(format),
            _ => None,
        }),
        ExprKind::Slice {
            base,
            start: None,
            end: Some(end),
            ..
        } if *base == from.expr => match facts.kind(facts.beside(to, *end)) {
            ExprKind::Literal(Literal::Int(length)) => by_length(*length),
            _ => None,
        },
        ExprKind::Binary {
            op: BinaryOp::Div,
            left,
            right,
        } if *left == from.expr => by_unit(facts, to, *right),
        _ => None,
    }
}

/// `strftime(…)`, `date()`, `replace(second=0)`, `isoformat(timespec=…)`.
fn by_call(facts: &Facts, call: ExprRef, callee: ExprRef, args: &[Arg]) -> Option<Granularity> {
    let constant = |arg: &Arg| facts.project.constant(facts.beside(call, arg.value));
    let by_format = args
        .iter()
        .find_map(|arg| facts.vocabulary.format_granularity(&constant(arg)?));
    let by_precision = || args.iter().find_map(|arg| facts.vocabulary.timespec(&constant(arg)?));
    let by_method = || match facts.kind(callee) {
        ExprKind::Attribute { name, .. } => facts.vocabulary.narrowed(name),
        _ => None,
    };
    let zeroed = || {
        let zeros = args.iter().filter(|arg| {
            matches!(
                facts.kind(facts.beside(call, arg.value)),
                ExprKind::Literal(Literal::Int(0))
            )
        });
        zeros
            .filter_map(|arg| facts.vocabulary.zeroed(arg.name.as_ref()?))
            .max()
    };
    by_format.or_else(by_precision).or_else(by_method).or_else(zeroed)
}

/// The first characters of `2024-05-06T07:08:09`.
fn by_length(length: i64) -> Option<Granularity> {
    match length {
        1..=10 => Some(Granularity::Day),
        11..=13 => Some(Granularity::Hour),
        14..=16 => Some(Granularity::Minute),
        17..=19 => Some(Granularity::Second),
        _ => None,
    }
}

/// Seconds divided by 60 are minutes.
fn by_unit(facts: &Facts, division: ExprRef, unit: ExprId) -> Option<Granularity> {
    match facts.kind(facts.beside(division, unit)) {
        ExprKind::Literal(Literal::Int(seconds)) => match seconds {
            60..3_600 => Some(Granularity::Minute),
            3_600..86_400 => Some(Granularity::Hour),
            86_400.. => Some(Granularity::Day),
            _ => None,
        },
        _ => None,
    }
}

/// `(now - then).days`
fn unit_field(facts: &Facts, slot: Node) -> Option<Granularity> {
    let Origin::Slot(_, symbol) = facts.graph.origin(slot) else {
        return None;
    };
    (facts.graph.symbol_name(*symbol) == "days").then_some(Granularity::Day)
}
