//! What a list of messages is made of: stretches of the history, messages put there, in which order.

mod elements;
mod variables;

use super::{Facts, Update};
use crate::code::flow::iteration::{integer, iteration};
use crate::code::flow::predicate::same_spelling;
use crate::code::ir::{BinaryOp, ExprId, ExprKind, Intrinsic, Name, StmtKind};
use crate::code::project::{ExprRef, FuncRef};

/// How deep helpers are followed.
const CALLS: usize = 3;
/// How many alternatives are kept.
const ALTERNATIVES: usize = 6;
/// How often variables are followed.
const HOPS: usize = 24;

/// A part of a list of messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Segment {
    /// All of the history, in order.
    Whole,
    /// A slice of the history.
    Stretch(ExprRef),
    /// Another part of the history, or the history in another order; made here.
    Part(ExprRef),
    /// A message of the history, or an edited copy under its id.
    Kept(ExprRef),
    /// A message that the history does not have.
    New(ExprRef),
    /// A marker that removes a message.
    Removal,
    /// A marker that removes all, or a write that overwrites.
    Clear,
    /// Not known.
    Unknown,
}

/// One way in which a list of messages may be made.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Composed {
    /// In the order of the list.
    pub(crate) segments: Vec<Segment>,
}

impl Composed {
    /// Whether it takes something out of the history by a marker.
    pub(crate) fn removes(&self) -> bool {
        self.segments
            .iter()
            .any(|segment| matches!(segment, Segment::Clear | Segment::Removal))
    }

    /// The message that is put before a part of the history.
    pub(crate) fn inserted(&self) -> Option<ExprRef> {
        let history = self.segments.iter().rposition(|segment| {
            matches!(
                segment,
                Segment::Whole | Segment::Stretch(_) | Segment::Part(_) | Segment::Kept(_)
            )
        })?;
        let listed = self.segments.iter().any(Segment::is_list);
        self.segments[..history].iter().find_map(|segment| match segment {
            Segment::New(at) if listed => Some(*at),
            _ => None,
        })
    }

    /// Where the history became shorter or got another order; `None` if all of it is there.
    pub(crate) fn trimmed(&self, facts: &Facts) -> Option<ExprRef> {
        if self
            .segments
            .iter()
            .any(|segment| matches!(segment, Segment::Whole | Segment::Unknown))
        {
            return None;
        }
        let cut = self.segments.iter().find_map(|segment| match segment {
            Segment::Stretch(at) | Segment::Part(at) => Some(*at),
            _ => None,
        })?;
        (!self.is_complete(facts)).then_some(cut)
    }

    /// Whether the slices, one after the other, are the whole history again.
    fn is_complete(&self, facts: &Facts) -> bool {
        let mut next: Option<Edge> = Some(Edge::Number(0));
        for segment in &self.segments {
            match segment {
                Segment::Stretch(at) => {
                    let ExprKind::Slice { start, end, .. } = facts.kind(*at) else {
                        return false;
                    };
                    let from = start.map_or(Edge::Number(0), |start| Edge::of(facts, facts.beside(*at, start)));
                    let Some(here) = next else { return false };
                    if !here.is(facts, from) {
                        return false;
                    }
                    next = end.map(|end| Edge::of(facts, facts.beside(*at, end)));
                }
                Segment::Kept(at) => {
                    // `[xs[0], new, *xs[1:]]`, `[*xs[:-1], edited]`.
                    next = match (next, facts.kind(*at)) {
                        (Some(Edge::Number(-1)), _) => None,
                        (Some(Edge::Number(number)), _) => Some(Edge::Number(number + 1)),
                        (next, _) => next,
                    };
                }
                Segment::Part(_) => return false,
                _ => {}
            }
        }
        next.is_none()
    }
}

/// Whether messages stand where one of the history stood, between all before it and all behind it.
fn replaces_one(facts: &Facts, segments: &[Segment]) -> bool {
    let [Segment::Stretch(before), new @ .., Segment::Stretch(behind)] = segments else {
        return false;
    };
    let slices = (facts.kind(*before), facts.kind(*behind));
    let (
        ExprKind::Slice {
            start: None,
            end: Some(end),
            ..
        },
        ExprKind::Slice {
            start: Some(start),
            end: None,
            ..
        },
    ) = slices
    else {
        return false;
    };
    let module = facts.module(before.module);
    let next = match facts.kind(facts.beside(*behind, *start)) {
        ExprKind::Binary {
            op: BinaryOp::Add,
            left,
            right,
        } => before.module == behind.module && same_spelling(module, *left, *end) && integer(module, *right) == Some(1),
        _ => false,
    };
    let single = |segment: &Segment| matches!(segment, Segment::New(_) | Segment::Kept(_));
    next && !new.is_empty() && new.iter().all(single)
}

impl Segment {
    fn is_list(&self) -> bool {
        matches!(self, Self::Whole | Self::Stretch(_) | Self::Part(_))
    }
}

/// Where a slice begins or ends.
#[derive(Clone, Copy)]
enum Edge {
    Number(i64),
    At(ExprRef),
}

impl Edge {
    fn of(facts: &Facts, expr: ExprRef) -> Self {
        integer(facts.module(expr.module), expr.expr).map_or(Self::At(expr), Self::Number)
    }

    fn is(self, facts: &Facts, other: Self) -> bool {
        match (self, other) {
            (Self::Number(a), Self::Number(b)) => a == b,
            (Self::At(a), Self::At(b)) => a.module == b.module && same_spelling(facts.module(a.module), a.expr, b.expr),
            _ => false,
        }
    }
}

impl Facts<'_> {
    /// Whether an update holds all of the history, with something more or in place of one message,
    /// whichever way it was made: it could stand for the history.
    pub(crate) fn could_replace_all(&self, update: &Update) -> bool {
        let ways = self.composition(update.messages, &update.key);
        let whole = |way: &Composed| {
            way.segments.contains(&Segment::Whole) || way.is_complete(self) || replaces_one(self, &way.segments)
        };
        !ways.is_empty() && ways.iter().all(|way| !way.removes() && whole(way))
    }

    /// Whether an update clears the history before it adds its messages, whichever way it was made: they
    /// stand where it has them, whatever their ids.
    pub(crate) fn clears_first(&self, update: &Update) -> bool {
        let ways = self.composition(update.messages, &update.key);
        !ways.is_empty() && ways.iter().all(|way| way.segments.first() == Some(&Segment::Clear))
    }

    /// The ways in which a list of messages may be made of the history that stands under `key` in the
    /// state.
    pub(crate) fn composition(&self, list: ExprRef, key: &Name) -> Vec<Composed> {
        let mut composer = Composer {
            facts: self,
            key,
            calls: Vec::new(),
            hops: HOPS,
        };
        let mut found: Vec<Composed> = composer
            .list(list)
            .into_iter()
            .map(|segments| Composed { segments })
            .collect();
        found.dedup();
        found
    }
}

/// Alternatives, each a row of segments.
type Ways = Vec<Vec<Segment>>;

struct Composer<'a, 'p> {
    facts: &'a Facts<'p>,
    key: &'a Name,
    /// The calls that were entered.
    calls: Vec<(ExprRef, FuncRef)>,
    hops: usize,
}

impl Composer<'_, '_> {
    fn list(&mut self, expr: ExprRef) -> Ways {
        if self.hops == 0 {
            return vec![vec![Segment::Unknown]];
        }
        self.hops -= 1;
        let beside = |other: ExprId| self.facts.beside(expr, other);
        match self.facts.kind(expr) {
            ExprKind::List { items, .. } => {
                let mut ways: Ways = vec![Vec::new()];
                for item in items {
                    let value = beside(item.value);
                    let next = if item.spread {
                        self.list(value)
                    } else {
                        vec![vec![self.element(value)]]
                    };
                    ways = joined(&ways, &next);
                }
                ways
            }
            ExprKind::Binary {
                op: BinaryOp::Add,
                left,
                right,
            } => {
                let left = self.list(beside(*left));
                let right = self.list(beside(*right));
                joined(&left, &right)
            }
            ExprKind::Slice { base, step, .. } => {
                let backward = step.is_some();
                let whole = self.list(beside(*base));
                let one = |way: Vec<Segment>| match way[..] {
                    [Segment::Whole] if !backward => vec![Segment::Stretch(expr)],
                    [] => Vec::new(),
                    _ if way.iter().any(Segment::is_list) => vec![Segment::Part(expr)],
                    _ => vec![Segment::Unknown],
                };
                whole.into_iter().map(one).collect()
            }
            ExprKind::Name(_) => self.variable(expr),
            ExprKind::Await(value) | ExprKind::Bind { value, .. } => self.list(beside(*value)),
            ExprKind::Conditional { then, otherwise, .. } => {
                let then = self.list(beside(*then));
                alternatives(then, self.list(beside(*otherwise)))
            }
            ExprKind::Logic { operands, .. } => {
                let mut ways = Ways::new();
                for operand in operands {
                    ways = alternatives(ways, self.list(beside(*operand)));
                }
                ways
            }
            ExprKind::Comprehension { .. } => self.comprehension(expr),
            ExprKind::Call { .. } => self.call(expr),
            _ if self.is_state_read(expr) => vec![vec![Segment::Whole]],
            _ => vec![vec![Segment::Unknown]],
        }
    }

    fn call(&mut self, expr: ExprRef) -> Ways {
        let facts = self.facts;
        if self.is_state_read(expr) {
            return vec![vec![Segment::Whole]];
        }
        let Some((callee, args)) = facts.call(expr) else {
            return vec![vec![Segment::Unknown]];
        };
        let callees = facts.project.callees_of(expr);
        if let [callee] = callees {
            return self.entered(expr, *callee);
        }
        if let ExprKind::Call { idiom: Some(idiom), .. } = facts.kind(expr) {
            let operand = |at: usize| idiom.operands.get(at).map(|operand| facts.beside(expr, *operand));
            return match (idiom.op, operand(0)) {
                (Intrinsic::Copy | Intrinsic::DeepCopy | Intrinsic::Pass, Some(list)) => self.list(list),
                (Intrinsic::Reversed | Intrinsic::Sorted | Intrinsic::Take, Some(list)) => self.part(list, expr),
                (Intrinsic::Filter, _) => operand(1).map_or(vec![vec![Segment::Unknown]], |list| self.part(list, expr)),
                (Intrinsic::Chain, _) => {
                    let mut ways: Ways = vec![Vec::new()];
                    for operand in &idiom.operands {
                        let next = self.list(facts.beside(expr, *operand));
                        ways = joined(&ways, &next);
                    }
                    ways
                }
                _ => vec![vec![Segment::Unknown]],
            };
        }
        let Some(path) = facts.path(callee) else {
            return vec![vec![Segment::Unknown]];
        };
        if facts.vocabulary.is_overwrite(&path) {
            return vec![vec![Segment::Clear]];
        }
        let trim = facts.vocabulary.trim(&path, facts.frameworks(expr.module));
        match trim.and_then(|trim| trim.messages.find(args)) {
            Some(list) => self.part(facts.beside(expr, list), expr),
            None => vec![vec![Segment::Unknown]],
        }
    }

    /// A part of what `list` is, made by `by`.
    fn part(&mut self, list: ExprRef, by: ExprRef) -> Ways {
        let one = |way: Vec<Segment>| {
            if way.iter().any(Segment::is_list) {
                vec![Segment::Part(by)]
            } else {
                way
            }
        };
        self.list(list).into_iter().map(one).collect()
    }

    fn entered(&mut self, call: ExprRef, callee: FuncRef) -> Ways {
        let facts = self.facts;
        let known = self.calls.iter().any(|(_, open)| *open == callee);
        if known || self.calls.len() == CALLS {
            return vec![vec![Segment::Unknown]];
        }
        self.calls.push((call, callee));
        let paths = facts.paths.function(callee);
        let mut ways = Ways::new();
        for stmt in paths.stmts() {
            if let StmtKind::Return(Some(value)) = paths.stmt(stmt).kind {
                ways = alternatives(
                    ways,
                    self.list(ExprRef {
                        module: callee.module,
                        expr: value,
                    }),
                );
            }
        }
        self.calls.pop();
        if ways.is_empty() {
            vec![vec![Segment::Unknown]]
        } else {
            ways
        }
    }

    fn comprehension(&mut self, expr: ExprRef) -> Ways {
        let facts = self.facts;
        let ExprKind::Comprehension { element, clauses, .. } = facts.kind(expr) else {
            return Ways::new();
        };
        let [clause] = &clauses[..] else {
            return vec![vec![Segment::Unknown]];
        };
        let element = facts.beside(expr, *element);
        if let Some(made) = facts.construction(element)
            && made.removal
        {
            return vec![vec![Segment::Removal]];
        }
        let same = match (facts.kind(element), facts.kind(facts.beside(expr, clause.target))) {
            (ExprKind::Name(name), ExprKind::Name(bound)) => name == bound,
            (ExprKind::Name(name), ExprKind::List { items, .. }) => items.last().is_some_and(
                |item| matches!(facts.kind(facts.beside(expr, item.value)), ExprKind::Name(bound) if bound == name),
            ),
            _ => false,
        };
        let Some(over) = iteration(facts.module(expr.module), clause.iter).filter(|_| same) else {
            return vec![vec![Segment::Unknown]];
        };
        let list = facts.beside(expr, over.list);
        if clause.conditions.is_empty() && !over.backward && !over.reordered {
            return self.list(list);
        }
        self.part(list, expr)
    }
}

/// Where an appended message comes to stand.
#[derive(Clone, Copy)]
enum Appended {
    Tail(Segment),
    /// Among the messages that the same loop appends.
    Between(Segment),
}

/// What was the history is only a part of it now.
fn shorten(ways: &mut Ways, by: ExprRef) {
    for way in ways {
        for segment in way {
            if segment.is_list() {
                *segment = Segment::Part(by);
            }
        }
    }
}

/// Each of `ways`, followed by each of `next`.
fn joined(ways: &Ways, next: &Ways) -> Ways {
    let mut found = Ways::new();
    for way in ways {
        for after in next {
            if found.len() < ALTERNATIVES {
                found.push(way.iter().chain(after).copied().collect());
            }
        }
    }
    found
}

fn alternatives(mut ways: Ways, more: Ways) -> Ways {
    for way in more {
        if ways.len() < ALTERNATIVES && !ways.contains(&way) {
            ways.push(way);
        }
    }
    ways
}
