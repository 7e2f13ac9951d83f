//! Id-swaps: one message takes the id of an existing one, whose content is emitted again under another
//! id in the same list.

use rustc_hash::FxHashSet;

use super::fields::field_read;
use super::{Applied, Construction, Facts, Pick, Scan};
use crate::code::flow::graph::{Flow, Node, Origin, Part};
use crate::code::flow::predicate::{Kinds, Subject, same_spelling};
use crate::code::flow::reach::{Direction, Held, path, reach};
use crate::code::ir::{BinaryOp, CompareOp, ExprKind, Intrinsic, Literal, TemplatePart};
use crate::code::project::ExprRef;
use crate::code::vocabulary::{Field, Fold};

/// One id-swap.
#[derive(Clone, Debug)]
pub(crate) struct Swap {
    /// The message that takes the id.
    pub(crate) taker: ExprRef,
    /// The message that repeats the content.
    pub(crate) again: ExprRef,
    /// What the id of the repetition has more than the taken one, where that is written there.
    pub(crate) suffix: Option<String>,
    /// The message whose id is taken, as the taker names it.
    pub(crate) subject: ExprRef,
    /// What becomes of the list with both.
    pub(crate) fate: Fate,
    /// Where the list is returned or handed on.
    pub(crate) returned: Option<ExprRef>,
}

/// What becomes of a list of messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fate {
    /// It is folded by ids.
    Merged,
    /// It is appended or replaces the history: ids have no say.
    Unmerged,
    /// It reaches one call and nothing else.
    CallOnly,
    /// It leaves the analysed code as an update or as a list of a framework's messages.
    Unknown,
}

/// How the message whose id is taken was found.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Found<'a> {
    /// The search.
    pub(crate) scan: &'a Scan,
    /// Whether what it found is provably the last element.
    pub(crate) is_last: bool,
}

/// All id-swaps of a project, in the order of its expressions.
pub(super) fn find(facts: &Facts) -> Vec<Swap> {
    let mut swaps = Vec::new();
    for taker in facts
        .constructions()
        .iter()
        .filter(|made| made.id.is_some() && !made.removal)
    {
        let Some(id) = taker.id else { continue };
        let subjects: Vec<ExprRef> = reads(facts, id, Field::Id)
            .into_iter()
            .filter(|read| !read.text)
            .map(|read| read.base)
            .collect();
        let Some(&subject) = subjects.first() else { continue };
        if content_of(facts, taker, subject) {
            continue;
        }
        let lists = lists_of(facts, taker.expr);
        let same_module = facts
            .constructions()
            .iter()
            .filter(|made| made.expr.module == taker.expr.module);
        for again in same_module.filter(|made| made.expr != taker.expr && !made.removal) {
            let takes_too = again.id.is_some_and(|id| {
                reads(facts, id, Field::Id)
                    .iter()
                    .any(|read| !read.text && is_same(facts, read.base, subject))
            });
            if takes_too || again.is_tool_result(facts) || !content_of(facts, again, subject) {
                continue;
            }
            if again.id.is_none() && again.base.is_some() {
                continue;
            }
            let shared: Vec<Node> = lists_of(facts, again.expr)
                .into_iter()
                .filter(|list| lists.contains(list))
                .collect();
            if shared.is_empty() {
                continue;
            }
            let (fate, returned) = fate(facts, taker);
            swaps.push(Swap {
                taker: taker.expr,
                again: again.expr,
                suffix: again.id.and_then(|id| suffix(facts, id)),
                subject,
                fate,
                returned,
            });
        }
    }
    swaps
}

impl Facts<'_> {
    /// Whether the message whose id is taken is known to be the last one, or the only question.
    pub(crate) fn is_swap_at_tail(&self, swap: &Swap) -> bool {
        let found = self.found_by(swap);
        let settled = |found: &Found| found.is_last || self.is_only_match(found.scan);
        !found.is_empty() && found.iter().all(settled)
    }

    /// How the message whose id is taken was found; empty where nothing in the project says.
    pub(crate) fn found_by(&self, swap: &Swap) -> Vec<Found<'_>> {
        let reached = reach(
            &self.graph,
            self.node(swap.subject),
            Direction::Backward,
            |flow, _, held, _| {
                held.is_empty() && matches!(flow, Flow::Same | Flow::Enter(_) | Flow::Leave(_) | Flow::Select)
            },
        );
        let mut found: Vec<Found> = Vec::new();
        for (index, one) in reached.iter().enumerate() {
            for scan in self.scans().iter().filter(|scan| scan.results.contains(&one.node)) {
                let way: Vec<ExprRef> = path(&reached, index)
                    .iter()
                    .filter_map(|node| self.graph.as_expr(*node))
                    .collect();
                let is_last = scan.pick == Pick::Newest && self.is_last(scan, &way, swap);
                match found.iter_mut().find(|other| other.scan.site == scan.site) {
                    // It is the last element only if it is on every way.
                    Some(other) => other.is_last &= is_last,
                    None => found.push(Found { scan, is_last }),
                }
            }
        }
        found
    }

    /// Whether the found message is the last element: taken from there, or compared with it.
    fn is_last(&self, scan: &Scan, way: &[ExprRef], swap: &Swap) -> bool {
        if scan.constant == Some(-1) {
            return true;
        }
        way.iter().chain([&swap.taker]).any(|expr| {
            let guards = self.paths.function(self.owner(*expr)).guards(expr.expr);
            guards
                .iter()
                .any(|guard| self.says_last(self.beside(*expr, guard.cond), guard.holds))
        })
    }

    /// `x is messages[-1]`, `i == len(messages) - 1`, `isinstance(messages[-1], HumanMessage)`.
    fn says_last(&self, cond: ExprRef, holds: bool) -> bool {
        if let ExprKind::Compare { op, left, right } = self.kind(cond)
            && matches!(
                (op, holds),
                (CompareOp::Is | CompareOp::Eq, true) | (CompareOp::IsNot | CompareOp::NotEq, false)
            )
            && [*left, *right].iter().any(|side| self.is_end(self.beside(cond, *side)))
        {
            return true;
        }
        // A test of the newest element alone: a search for the newest such message then finds it.
        let module = self.module(cond.module);
        let mut open = vec![cond.expr];
        while let Some(expr) = open.pop() {
            if self.is_newest_element(self.beside(cond, expr)) {
                let asked = self.predicates.of(cond, &Subject::spelled(module, expr));
                let kinds = if holds { asked.accepts } else { asked.rejects };
                return Kinds::USER.has(kinds);
            }
            open.extend(module.children(expr));
        }
        false
    }

    /// The newest element (or its id), or the last position.
    fn is_end(&self, expr: ExprRef) -> bool {
        if self.is_newest_element(expr) {
            return true;
        }
        if let Some((base, name)) = field_read(self, expr)
            && self.vocabulary.field(&name) == Some(Field::Id)
        {
            return self.is_end(base);
        }
        matches!(self.kind(expr), ExprKind::Binary { op: BinaryOp::Sub, left, right }
            if matches!(self.kind(self.beside(expr, *left)), ExprKind::Call { idiom: Some(idiom), .. } if idiom.op == Intrinsic::Len)
                && matches!(self.kind(self.beside(expr, *right)), ExprKind::Literal(Literal::Int(1))))
    }

    /// `messages[-1]`, directly or by a name for it.
    fn is_newest_element(&self, expr: ExprRef) -> bool {
        match self.kind(expr) {
            ExprKind::Index { .. } => self
                .scans()
                .iter()
                .any(|scan| scan.site == expr && scan.constant == Some(-1)),
            ExprKind::Name(name) => self.project.only_value(self.owner(expr), name).is_some_and(|value| {
                matches!(self.kind(value), ExprKind::Index { .. }) && self.is_newest_element(value)
            }),
            _ => false,
        }
    }
}

/// A read of a field somewhere behind a value.
struct Read {
    /// What it is read from.
    base: ExprRef,
    /// Whether the value is text made from it.
    text: bool,
}

fn reads(facts: &Facts, value: ExprRef, wanted: Field) -> Vec<Read> {
    let reached = reach(
        &facts.graph,
        facts.node(value),
        Direction::Backward,
        |flow, _, held, _| {
            held.is_empty()
                && matches!(
                    flow,
                    Flow::Same | Flow::Enter(_) | Flow::Leave(_) | Flow::Text | Flow::Part(Part::Concat)
                )
        },
    );
    let mut found = Vec::new();
    for one in &reached {
        let Some(expr) = facts.graph.as_expr(one.node) else {
            continue;
        };
        if facts.graph.is_target(expr) {
            continue;
        }
        if let Some((base, name)) = field_read(facts, expr)
            && facts.vocabulary.field(&name) == Some(wanted)
        {
            found.push(Read {
                base,
                text: one.via.text || one.via.copied,
            });
        }
    }
    found
}

/// Whether a message has the content of the subject, whole or in a longer text.
fn content_of(facts: &Facts, made: &Construction, subject: ExprRef) -> bool {
    let from_base = made
        .base
        .is_some_and(|base| made.content.is_none() && is_same(facts, base, subject));
    let from_content = made.content.is_some_and(|content| {
        reads(facts, content, Field::Content)
            .iter()
            .any(|read| is_same(facts, read.base, subject))
    });
    from_base || from_content
}

/// Whether two expressions name one message.
fn is_same(facts: &Facts, one: ExprRef, other: ExprRef) -> bool {
    if one.module == other.module
        && facts.owner(one) == facts.owner(other)
        && same_spelling(facts.module(one.module), one.expr, other.expr)
    {
        return true;
    }
    let names = |expr: ExprRef| -> FxHashSet<Node> {
        let reached = reach(
            &facts.graph,
            facts.node(expr),
            Direction::Backward,
            |flow, _, held, _| held.is_empty() && matches!(flow, Flow::Same | Flow::Enter(_) | Flow::Leave(_)),
        );
        reached
            .into_iter()
            .map(|one| one.node)
            .filter(|node| !is_nothing(facts, *node))
            .collect()
    };
    !names(one).is_disjoint(&names(other))
}

/// `None` stands for no message at all.
fn is_nothing(facts: &Facts, node: Node) -> bool {
    facts
        .graph
        .as_expr(node)
        .is_some_and(|expr| matches!(facts.kind(expr), ExprKind::Literal(_)))
}

/// The lists that a message is an element of.
fn lists_of(facts: &Facts, made: ExprRef) -> FxHashSet<Node> {
    let reached = reach(
        &facts.graph,
        facts.node(made),
        Direction::Forward,
        |flow, _, held, _| match flow {
            Flow::Into => held.is_empty(),
            Flow::Same | Flow::Enter(_) | Flow::Leave(_) => held.len() <= 1,
            Flow::Part(_) => held.len() == 1,
            _ => false,
        },
    );
    reached
        .into_iter()
        .filter(|one| one.held[..] == [Held::Item])
        .map(|one| one.node)
        .collect()
}

/// What becomes of the list that a message is put into.
fn fate(facts: &Facts, made: &Construction) -> (Fate, Option<ExprRef>) {
    let reached = reach(
        &facts.graph,
        facts.node(made.expr),
        Direction::Forward,
        |flow, via, _, _| match flow {
            Flow::Text | Flow::Test | Flow::Length | Flow::Position | Flow::Select | Flow::Load(_) | Flow::Element => {
                false
            }
            Flow::Opaque => !via.opaque,
            _ => true,
        },
    );
    let mut best: Option<(Fate, Option<ExprRef>)> = None;
    let mut note = |fate: Fate, at: Option<ExprRef>| {
        let rank = |fate: Fate| match fate {
            Fate::Merged => 3,
            Fate::Unmerged => 2,
            Fate::CallOnly => 1,
            Fate::Unknown => 0,
        };
        if best.is_none_or(|(other, _)| rank(fate) > rank(other)) {
            best = Some((fate, at));
        }
    };
    for one in &reached {
        let inside = one.held[..] == [Held::Item];
        match facts.graph.origin(one.node) {
            Origin::Expr(at) => {
                if inside && let Some(update) = facts.update_with(*at) {
                    let fate = match update.applied {
                        Applied::Fold(Fold::MergeById) => Fate::Merged,
                        Applied::Fold(_) | Applied::Replace => Fate::Unmerged,
                        Applied::CallOnly => Fate::CallOnly,
                        Applied::Unknown => Fate::Unknown,
                    };
                    note(fate, Some(update.expr));
                }
                if inside && facts.is_sent(*at) {
                    note(Fate::CallOnly, Some(*at));
                }
            }
            Origin::Result(function) if facts.project.callers_of(*function).is_empty() => {
                let keyed = one.held.iter().any(|held| match held {
                    Held::Field(symbol) => facts
                        .vocabulary
                        .history_name(facts.graph.symbol_name(*symbol))
                        .is_some(),
                    Held::Item => false,
                });
                if keyed || made.typed && inside {
                    note(
                        Fate::Unknown,
                        one.previous
                            .and_then(|at| facts.graph.as_expr(reached[at as usize].node)),
                    );
                }
            }
            _ => {}
        }
    }
    best.unwrap_or((Fate::CallOnly, None))
}

/// The text that an id has behind the one that it is made of: `f"{x.id}__user"`, `x.id + SUFFIX`.
fn suffix(facts: &Facts, id: ExprRef) -> Option<String> {
    let reached = reach(&facts.graph, facts.node(id), Direction::Backward, |flow, _, held, _| {
        held.is_empty() && matches!(flow, Flow::Same | Flow::Enter(_) | Flow::Leave(_))
    });
    reached
        .iter()
        .filter_map(|one| facts.graph.as_expr(one.node))
        .find_map(|expr| match facts.kind(expr) {
            ExprKind::Template(parts) => match parts.last()? {
                TemplatePart::Text(text) => Some(text.to_string()),
                TemplatePart::Value { value, .. } if parts.len() > 1 => facts
                    .project
                    .constant(facts.beside(expr, *value))
                    .map(|text| text.to_string()),
                TemplatePart::Value { .. } => None,
            },
            ExprKind::Binary {
                op: BinaryOp::Add,
                right,
                ..
            } => facts
                .project
                .constant(facts.beside(expr, *right))
                .map(|text| text.to_string()),
            _ => None,
        })
}

impl Facts<'_> {
    /// Whether an expression is the list that a call of a model or of a call-only method is given.
    pub(crate) fn is_sent(&self, list: ExprRef) -> bool {
        let Some(call) = self.graph.around(list) else {
            return false;
        };
        let Some((callee, args)) = self.call(call) else {
            return false;
        };
        if callee == list || !args.iter().any(|arg| arg.value == list.expr) {
            return false;
        }
        let Some(path) = self.path(callee) else { return false };
        let here = self.frameworks(call.module);
        self.vocabulary.is_call_only_method(&path, here)
            || self
                .vocabulary
                .model_call(&path, here)
                .is_some_and(|model| model.messages.find(args) == Some(list.expr))
    }
}
