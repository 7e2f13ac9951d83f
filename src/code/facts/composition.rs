//! What a list of messages is made of: stretches of the history, messages put there, in which order.

use super::Facts;
use crate::code::flow::graph::{Flow, Origin};
use crate::code::flow::iteration::{integer, iteration};
use crate::code::flow::paths::When;
use crate::code::flow::predicate::same_spelling;
use crate::code::ir::{BinaryOp, ExprId, ExprKind, Intrinsic, Name, StmtKind};
use crate::code::project::{ExprRef, FuncRef};
use crate::code::vocabulary::Field;

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
                    ways = joined(ways, &next);
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
                joined(left, &right)
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
                        ways = joined(ways, &next);
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

    // ---- variables ---------------------------------------------------------------------------------

    fn variable(&mut self, expr: ExprRef) -> Ways {
        let facts = self.facts;
        let mut ways = Ways::new();
        for edge in facts.graph.incoming(facts.node(expr)) {
            if edge.flow != Flow::Same {
                continue;
            }
            let next = match facts.graph.origin(edge.node) {
                Origin::Param(function, index) => self.argument(*function, *index as usize),
                Origin::Expr(target) if facts.graph.is_target(*target) => self.definition(*target),
                _ => vec![vec![Segment::Unknown]],
            };
            let next = self.changed(expr, edge.node, next);
            ways = alternatives(ways, next);
        }
        if ways.is_empty() {
            vec![vec![Segment::Unknown]]
        } else {
            ways
        }
    }

    /// What the caller gave for a parameter.
    fn argument(&mut self, function: FuncRef, index: usize) -> Ways {
        let Some(&(call, entered)) = self.calls.last() else {
            return vec![vec![Segment::Unknown]];
        };
        let given = self.facts.project.bind(call, function);
        let Some((_, value)) = given
            .into_iter()
            .find(|(param, _)| *param == index && entered == function)
        else {
            return vec![vec![Segment::Unknown]];
        };
        let frame = self.calls.pop();
        let ways = self.list(ExprRef {
            module: call.module,
            expr: value,
        });
        self.calls.extend(frame);
        ways
    }

    fn definition(&mut self, target: ExprRef) -> Ways {
        let facts = self.facts;
        let paths = facts.paths.function(facts.owner(target));
        let Some(stmt) = paths.stmt_of(target.expr) else {
            return vec![vec![Segment::Unknown]];
        };
        match &paths.stmt(stmt).kind {
            StmtKind::Assign { targets, value, .. } if targets.contains(&target.expr) => {
                self.list(facts.beside(target, *value))
            }
            StmtKind::Update { value, .. } => {
                let before = self.variable(target);
                let added = self.list(facts.beside(target, *value));
                joined(before, &added)
            }
            _ => vec![vec![Segment::Unknown]],
        }
    }

    /// Applies what is done to the list in place between its definition and its use.
    fn changed(&mut self, used: ExprRef, defined: crate::code::flow::graph::Node, ways: Ways) -> Ways {
        let facts = self.facts;
        let ExprKind::Name(name) = facts.kind(used) else {
            return ways;
        };
        let function = facts.owner(used);
        let module = facts.module(function.module);
        let paths = facts.paths.function(function);
        let definition = facts.graph.as_expr(defined).map(|expr| expr.expr);
        let runs_between = |expr: ExprId| {
            let before = |a, b| paths.order(a, b).is_some_and(|order| order.when == When::Before);
            before(expr, used.expr) && definition.is_none_or(|definition| before(definition, expr))
        };
        let mut ways = ways;
        for stmt in paths.stmts() {
            if let StmtKind::Delete(targets) = &paths.stmt(stmt).kind {
                for target in targets {
                    let (ExprKind::Index { base, .. } | ExprKind::Slice { base, .. }) = module.kind(*target) else {
                        continue;
                    };
                    if matches!(module.kind(*base), ExprKind::Name(other) if other == name) && runs_between(*target) {
                        shorten(&mut ways, facts.beside(used, *target));
                    }
                }
            }
            let mut own: Vec<ExprId> = paths.own_exprs_in(stmt).collect();
            own.sort_unstable();
            for expr in own {
                let ExprKind::Call { idiom: Some(idiom), .. } = module.kind(expr) else {
                    continue;
                };
                let Some(list) = idiom.operands.first() else { continue };
                if matches!(module.kind(*list), ExprKind::Name(other) if other == name) && runs_between(expr) {
                    let operands: Vec<ExprRef> = idiom
                        .operands
                        .iter()
                        .map(|operand| facts.beside(used, *operand))
                        .collect();
                    self.apply(idiom.op, facts.beside(used, expr), &operands, &mut ways);
                }
            }
        }
        ways
    }

    fn apply(&mut self, op: Intrinsic, call: ExprRef, operands: &[ExprRef], ways: &mut Ways) {
        match (op, operands) {
            (Intrinsic::Append, [_, value]) => {
                let segments = self.appended(call, *value);
                for way in ways.iter_mut() {
                    match segments {
                        Appended::Tail(segment) => way.push(segment),
                        Appended::Between(segment) => way.insert(way.len().saturating_sub(1), segment),
                    }
                }
            }
            (Intrinsic::Extend, [_, list]) => *ways = joined(std::mem::take(ways), &self.list(*list)),
            (Intrinsic::Insert, [_, value]) => {
                let segment = self.element(*value);
                ways.iter_mut().for_each(|way| way.insert(0, segment));
            }
            (Intrinsic::Insert, [_, _, value])
                if matches!(
                    self.appended(call, *value),
                    Appended::Tail(Segment::Part(_) | Segment::Whole)
                ) =>
            {
                ways.iter_mut().for_each(|way| way.push(Segment::Part(call)));
            }
            (Intrinsic::Insert, [list, at, value]) => {
                let segment = match self.element(*value) {
                    Segment::New(_) => Segment::New(call),
                    other => other,
                };
                let at_end = self.is_length_of(*at, *list);
                ways.iter_mut()
                    .for_each(|way| way.insert(if at_end { way.len() } else { 0 }, segment));
            }
            (Intrinsic::Pop | Intrinsic::PopFirst | Intrinsic::RemoveValue, _)
            | (Intrinsic::ReverseInPlace | Intrinsic::SortInPlace, _) => shorten(ways, call),
            (Intrinsic::Clear, _) => ways.iter_mut().for_each(Vec::clear),
            _ => {}
        }
    }

    fn is_length_of(&self, at: ExprRef, list: ExprRef) -> bool {
        match self.facts.kind(at) {
            ExprKind::Call { idiom: Some(idiom), .. } if idiom.op == Intrinsic::Len => idiom
                .operands
                .first()
                .is_some_and(|operand| same_spelling(self.facts.module(at.module), *operand, list.expr)),
            _ => false,
        }
    }

    /// What an `append` adds: the elements of a history that a loop runs over, or one message.
    fn appended(&mut self, call: ExprRef, value: ExprRef) -> Appended {
        let facts = self.facts;
        let function = facts.owner(call);
        let paths = facts.paths.function(function);
        let of_loop = paths.stmt_of(call.expr).and_then(|stmt| {
            paths
                .enclosing_loops(stmt)
                .find_map(|around| match &paths.stmt(around).kind {
                    StmtKind::For { target, iter, .. } => {
                        let over = iteration(facts.module(call.module), *iter)?;
                        facts
                            .histories()
                            .confidence(facts.node(facts.beside(call, over.list)))?;
                        Some((around, *target, over))
                    }
                    _ => None,
                })
        });
        let Some((around, target, over)) = of_loop else {
            return Appended::Tail(self.element(value));
        };
        let subject = match facts.kind(facts.beside(call, target)) {
            ExprKind::List { items, .. } => items.last().map_or(target, |item| item.value),
            _ => target,
        };
        if same_spelling(facts.module(call.module), subject, value.expr) {
            let guards = paths.guards(call.expr);
            let inside = guards
                .iter()
                .any(|guard| paths.stmt_of(guard.cond).is_some_and(|at| paths.contains(around, at)));
            let whole = !inside && !over.backward && !paths.breaks(around) && over.from.is_none();
            let source = self.list(facts.beside(call, over.list));
            let of_history = source.iter().any(|way| way.iter().any(Segment::is_list));
            return Appended::Tail(match (of_history, whole) {
                (true, true) => Segment::Whole,
                (true, false) => Segment::Part(call),
                (false, _) => Segment::Unknown,
            });
        }
        Appended::Between(self.element(value))
    }

    // ---- elements ----------------------------------------------------------------------------------

    fn element(&mut self, expr: ExprRef) -> Segment {
        let facts = self.facts;
        let behind = crate::code::flow::reach::reach(
            &facts.graph,
            facts.node(expr),
            crate::code::flow::reach::Direction::Backward,
            |flow, _, held, _| held.is_empty() && matches!(flow, Flow::Same | Flow::Leave(_) | Flow::Enter(_)),
        );
        let mut made = None;
        for one in &behind {
            let Some(at) = facts.graph.as_expr(one.node) else {
                continue;
            };
            if let Some(construction) = facts.construction(at) {
                if construction.removal {
                    return if self.removes_all(construction.id) {
                        Segment::Clear
                    } else {
                        Segment::Removal
                    };
                }
                if construction.base.is_some() || construction.id.is_some_and(|id| self.is_id_of_other(id)) {
                    return Segment::Kept(expr);
                }
                made = made.or(Some(Segment::New(expr)));
                continue;
            }
            let elements = facts
                .graph
                .incoming(one.node)
                .iter()
                .any(|edge| edge.flow == Flow::Element && facts.histories().confidence(edge.node).is_some());
            if elements {
                return Segment::Kept(expr);
            }
            if let ExprKind::Call { idiom: None, .. } = facts.kind(at)
                && facts.project.callees_of(at).is_empty()
            {
                made = made.or(Some(Segment::New(expr)));
            }
        }
        made.unwrap_or(Segment::Unknown)
    }

    fn removes_all(&self, id: Option<ExprRef>) -> bool {
        let Some(id) = id else { return false };
        let named = self
            .facts
            .path(id)
            .is_some_and(|path| self.facts.vocabulary.is_remove_all_name(&path));
        let text = self.facts.project.constant(id);
        named || text.is_some_and(|text| self.facts.vocabulary.is_remove_all_literal(&text))
    }

    /// Whether an id is read from another message.
    fn is_id_of_other(&self, id: ExprRef) -> bool {
        let mut open = vec![id];
        while let Some(expr) = open.pop() {
            match self.facts.kind(expr) {
                ExprKind::Attribute { name, .. } => {
                    if self.facts.vocabulary.field(name) == Some(Field::Id) {
                        return true;
                    }
                }
                ExprKind::Name(_) => {
                    for edge in self.facts.graph.incoming(self.facts.node(expr)) {
                        if edge.flow == Flow::Same
                            && let Some(target) = self.facts.graph.as_expr(edge.node)
                            && let Some(value) = self.value_of(target)
                            && !matches!(self.facts.kind(value), ExprKind::Name(_))
                        {
                            open.push(value);
                        }
                    }
                }
                ExprKind::Logic { operands, .. } => {
                    open.extend(operands.iter().map(|operand| self.facts.beside(expr, *operand)));
                }
                ExprKind::Index { index, .. } => {
                    let key = self.facts.text(self.facts.beside(expr, *index));
                    if key.is_some_and(|key| self.facts.vocabulary.field(key) == Some(Field::Id)) {
                        return true;
                    }
                }
                _ => {}
            }
        }
        false
    }

    fn value_of(&self, target: ExprRef) -> Option<ExprRef> {
        let paths = self.facts.paths.function(self.facts.owner(target));
        match &paths.stmt(paths.stmt_of(target.expr)?).kind {
            StmtKind::Assign { targets, value, .. } if targets.contains(&target.expr) => {
                Some(self.facts.beside(target, *value))
            }
            _ => None,
        }
    }

    /// `state["messages"]`, `state.messages`, `state.get("messages", [])` of a state that is a parameter.
    fn is_state_read(&self, expr: ExprRef) -> bool {
        let Some((base, key)) = super::histories::field_read(self.facts, expr) else {
            return false;
        };
        if key != *self.key {
            return false;
        }
        let mut root = base;
        while let ExprKind::Attribute { base, .. } = self.facts.kind(root) {
            root = self.facts.beside(root, *base);
        }
        matches!(self.facts.kind(root), ExprKind::Name(_))
            && self
                .facts
                .graph
                .incoming(self.facts.node(root))
                .iter()
                .any(|edge| edge.flow == Flow::Same && matches!(self.facts.graph.origin(edge.node), Origin::Param(..)))
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
fn joined(ways: Ways, next: &Ways) -> Ways {
    let mut found = Ways::new();
    for way in &ways {
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
