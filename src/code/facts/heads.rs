//! Where in a list a message is put, and what kind of list that is.

use super::Facts;
use crate::code::flow::graph::{Flow, Node, Origin, Part};
use crate::code::flow::iteration::integer;
use crate::code::flow::reach::{Direction, reach};
use crate::code::ir::{BinaryOp, ExprKind, Intrinsic, Item};
use crate::code::project::ExprRef;
use crate::code::vocabulary::{Role, words};
use crate::finding::Confidence;

/// Where in its list a message stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Position {
    /// Before everything that was said.
    Head,
    /// Behind it.
    Tail,
    /// Not known.
    Unknown,
}

/// The place of a message.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Placement {
    /// Where in the list.
    pub(crate) position: Position,
    /// The display or the call that puts it there.
    pub(crate) enters: Option<ExprRef>,
    /// Whether the list holds nothing but what is written there: the prompt of a single call.
    pub(crate) single: bool,
}

impl Facts<'_> {
    /// Where a message is put; of several places the one nearest to the head.
    pub(crate) fn placement(&self, made: ExprRef) -> Placement {
        let reached = reach(&self.graph, self.node(made), Direction::Forward, |flow, _, held, _| {
            held.is_empty() && matches!(flow, Flow::Same | Flow::Enter(_) | Flow::Leave(_))
        });
        let mut best = Placement {
            position: Position::Unknown,
            enters: None,
            single: false,
        };
        for value in reached.iter().filter_map(|one| self.graph.as_expr(one.node)) {
            let Some((position, enters)) = self.put(value) else {
                continue;
            };
            if position == Position::Head {
                return Placement {
                    position,
                    enters: Some(enters),
                    single: self.is_single_at(enters),
                };
            }
            best = Placement {
                position,
                enters: Some(enters),
                single: false,
            };
        }
        best
    }

    /// Whether a message is what a generator tells its caller in passing, such as the result of a command:
    /// it goes behind all that was said, whatever its role. One that makes prompts or whole histories says
    /// so by its name.
    pub(crate) fn is_handed_out(&self, made: ExprRef) -> bool {
        let reached = reach(&self.graph, self.node(made), Direction::Forward, |flow, _, held, _| {
            held.is_empty() && matches!(flow, Flow::Same | Flow::Leave(_))
        });
        let mut results = reached
            .iter()
            .flat_map(|one| self.graph.outgoing(one.node))
            .filter_map(|edge| match self.graph.origin(edge.node) {
                Origin::Result(function) if edge.flow == Flow::Into => Some(self.project.function(*function)),
                _ => None,
            });
        results.any(|function| {
            let name = &*function.name;
            function.is_generator
                && self.vocabulary.prefix_name(name).is_none()
                && self.vocabulary.history_name(name).is_none()
                && !words(name).iter().any(|word| self.vocabulary.names_prompt_part(word))
        })
    }

    /// How an expression becomes an element of a list.
    fn put(&self, value: ExprRef) -> Option<(Position, ExprRef)> {
        if let ExprKind::Index { index, .. } = self.kind(value)
            && self.graph.is_target(value)
        {
            let at = integer(self.module(value.module), *index)?;
            return Some((if at == 0 { Position::Head } else { Position::Tail }, value));
        }
        let outer = self.graph.around(value)?;
        let position = match self.kind(outer) {
            ExprKind::List { items, .. } => {
                let at = items.iter().position(|item| item.value == value.expr && !item.spread)?;
                self.in_display(outer, items, at)
            }
            ExprKind::Call { idiom: Some(idiom), .. } => match (idiom.op, &idiom.operands[..]) {
                (Intrinsic::Append, [list, item]) if *item == value.expr => {
                    let first = self.is_empty_before(self.beside(outer, *list), outer);
                    if first { Position::Head } else { Position::Tail }
                }
                (Intrinsic::Insert, [_, at, item]) if *item == value.expr => {
                    match integer(self.module(outer.module), *at) {
                        Some(0) => Position::Head,
                        // Behind one leading message, if that is the system prompt, it is still the head.
                        Some(1) if self.role_of(value) == Some(Role::System) => Position::Head,
                        _ => Position::Tail,
                    }
                }
                _ => return None,
            },
            _ => return None,
        };
        Some((position, outer))
    }

    fn in_display(&self, display: ExprRef, items: &[Item], at: usize) -> Position {
        let leading =
            |item: &Item| !item.spread && self.role_of(self.beside(display, item.value)) == Some(Role::System);
        if !items[..at].iter().all(leading) {
            return Position::Tail;
        }
        if at + 1 < items.len() {
            return Position::Head;
        }
        match self.joined_with(display) {
            Some(position) => position,
            None if self.update_with(display).is_some() => Position::Tail,
            None => Position::Head,
        }
    }

    /// Where a display ends up in the list that it is joined with: `[x] + xs` or `xs + [x]`.
    fn joined_with(&self, display: ExprRef) -> Option<Position> {
        let outer = self.graph.around(display)?;
        match self.kind(outer) {
            ExprKind::Binary {
                op: BinaryOp::Add,
                left,
                ..
            } => {
                if *left == display.expr {
                    self.joined_with(outer).or(Some(Position::Head))
                } else {
                    Some(Position::Tail)
                }
            }
            ExprKind::Call { idiom: Some(idiom), .. } if idiom.op == Intrinsic::Extend => Some(Position::Tail),
            _ => None,
        }
    }

    /// The role of the message that an expression is.
    fn role_of(&self, value: ExprRef) -> Option<Role> {
        let behind = reach(
            &self.graph,
            self.node(value),
            Direction::Backward,
            |flow, _, held, _| held.is_empty() && matches!(flow, Flow::Same | Flow::Leave(_) | Flow::Enter(_)),
        );
        behind
            .iter()
            .find_map(|one| self.construction(self.graph.as_expr(one.node)?)?.role)
    }

    /// Whether a list is made empty in the same function and nothing is put in it before `call`.
    fn is_empty_before(&self, list: ExprRef, call: ExprRef) -> bool {
        let behind = reach(&self.graph, self.node(list), Direction::Backward, |flow, _, held, _| {
            held.is_empty() && matches!(flow, Flow::Same)
        });
        let owner = self.owner(call);
        let mut displays = behind.iter().filter_map(|one| {
            let expr = self.graph.as_expr(one.node)?;
            matches!(self.kind(expr), ExprKind::List { items, .. } if items.is_empty()).then_some(one.node)
        });
        let Some(display) = displays.next() else { return false };
        let starts_here = self
            .graph
            .as_expr(display)
            .is_some_and(|expr| self.owner(expr) == owner);
        let start = self.span(call).start;
        let earlier = behind.iter().flat_map(|one| self.graph.incoming(one.node)).any(|edge| {
            matches!(edge.flow, Flow::Into | Flow::Part(Part::Concat))
                && self
                    .graph
                    .as_expr(edge.node)
                    .is_some_and(|expr| expr.module == call.module && self.span(expr).start < start)
        });
        starts_here && !earlier
    }

    /// Whether the list that a display or a call puts something into holds only what is written there.
    fn is_single_at(&self, enters: ExprRef) -> bool {
        match self.kind(enters) {
            ExprKind::List { .. } => self.is_single(self.node(enters)) && !self.grows_later(self.node(enters)),
            ExprKind::Call { idiom: Some(idiom), .. } => match idiom.operands.first() {
                Some(list) => self.is_single(self.node(self.beside(enters, *list))),
                None => false,
            },
            _ => false,
        }
    }

    /// Whether a list holds only messages that are written out one by one, so that it is the prompt of
    /// a single call; a text is one too.
    pub(crate) fn is_single(&self, list: Node) -> bool {
        let behind = reach(&self.graph, list, Direction::Backward, |flow, _, held, _| {
            held.is_empty() && matches!(flow, Flow::Same | Flow::Leave(_) | Flow::Enter(_))
        });
        let mut displayed = false;
        for one in &behind {
            let Some(expr) = self.graph.as_expr(one.node) else {
                if self.graph.incoming(one.node).is_empty() {
                    return false;
                }
                continue;
            };
            match self.kind(expr) {
                ExprKind::List { items, .. } => {
                    displayed = true;
                    if items.iter().any(|item| item.spread) {
                        return false;
                    }
                }
                ExprKind::Template(_) => displayed = true,
                ExprKind::Name(_) | ExprKind::Literal(_) => {}
                _ => return false,
            }
            if self.grows(one.node) {
                return false;
            }
        }
        displayed && behind.iter().all(|one| !self.is_joined(one.node))
    }

    /// Whether a list grows so under a name that it is given.
    fn grows_later(&self, list: Node) -> bool {
        let named = reach(&self.graph, list, Direction::Forward, |flow, _, held, _| {
            held.is_empty() && flow == Flow::Same
        });
        named.iter().any(|one| self.grows(one.node))
    }

    /// Whether something that is no message of the program's own is put in a list.
    fn grows(&self, list: Node) -> bool {
        self.graph.incoming(list).iter().any(|edge| match edge.flow {
            Flow::Part(Part::Concat) => true,
            Flow::Into => {
                let Some(item) = self.graph.as_expr(edge.node) else {
                    return true;
                };
                let role = self.role_of(item);
                role.is_none() || role == Some(Role::Assistant) || role == Some(Role::Tool)
            }
            _ => false,
        })
    }

    fn is_joined(&self, list: Node) -> bool {
        self.graph
            .outgoing(list)
            .iter()
            .any(|edge| edge.flow == Flow::Part(Part::Concat))
    }

    /// Whether what is put there stands before a history: the list is one, or one is spread behind it.
    pub(crate) fn precedes_history(&self, enters: ExprRef) -> bool {
        let is_history = |expr: ExprRef| {
            self.histories()
                .confidence(self.node(expr))
                .is_some_and(|sure| sure >= Confidence::Medium)
        };
        match self.kind(enters) {
            ExprKind::List { items, .. } => items
                .iter()
                .any(|item| item.spread && is_history(self.beside(enters, item.value))),
            ExprKind::Call { idiom: Some(idiom), .. } if idiom.op == Intrinsic::Insert => idiom
                .operands
                .first()
                .is_some_and(|list| is_history(self.beside(enters, *list))),
            ExprKind::Index { base, .. } => is_history(self.beside(enters, *base)),
            _ => false,
        }
    }
}
