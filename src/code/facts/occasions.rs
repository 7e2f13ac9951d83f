//! What a condition under which something is injected depends on.

use std::sync::{Mutex, PoisonError};

use rustc_hash::FxHashMap;

use super::fields::{field_read, words_of};
use super::{Facts, emission};
use crate::code::flow::graph::{Flow, Node, Origin};
use crate::code::flow::iteration::integer;
use crate::code::flow::paths::{Guard, Slot};
use crate::code::flow::reach::{Direction, Reached, reach};
use crate::code::ir::{CompareOp, ExprId, ExprKind, Intrinsic, Literal, Special, StmtKind};
use crate::code::project::{ClassRef, ExprRef, FuncRef};
use crate::code::vocabulary::{Field, Role};
use crate::finding::Confidence;

/// How many callers of one function are asked.
const CALLERS: usize = 4;

/// What a condition depends on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Occasion {
    /// On what is in the history already.
    Presence,
    /// On something that is remembered and changes.
    Remembered,
    /// On what never changes while the agent works, or only on what kind of thing something is.
    Settled,
    /// On what the person said.
    Said,
    /// On something that happened, or on what is not known.
    Event,
}

/// What conditions were found to depend on: many messages are made under the same ones.
#[derive(Debug, Default)]
pub(super) struct Occasions {
    known: Mutex<FxHashMap<ExprRef, Occasion>>,
}

impl Occasions {
    fn of(&self, cond: ExprRef, look: impl FnOnce() -> Occasion) -> Occasion {
        let known = || self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(occasion) = known().get(&cond) {
            return *occasion;
        }
        let occasion = look();
        known().insert(cond, occasion);
        occasion
    }
}

impl Facts<'_> {
    /// Whether a condition around an expression, or around the calls that lead to it, depends on what is
    /// sought; a handler of errors, and the way behind a loop that ran out, are events.
    pub(crate) fn has_occasion(&self, at: ExprRef, sought: impl Fn(Occasion) -> bool) -> bool {
        self.has_occasion_within(at, emission::CALLERS, &sought)
    }

    fn has_occasion_within(&self, at: ExprRef, depth: usize, sought: &dyn Fn(Occasion) -> bool) -> bool {
        let owner = self.owner(at);
        let paths = self.paths.function(owner);
        if sought(Occasion::Event) {
            let handled = paths.stmt_of(at.expr).is_some_and(|stmt| {
                let mut around = paths.parents(stmt);
                around.any(|(_, slot)| matches!(slot, Slot::Handler(_)))
            });
            if handled || self.loop_run_out(at).is_some() {
                return true;
            }
        }
        let mut guards = paths.guards(at.expr).into_iter();
        if guards.any(|guard| sought(self.occasion(at, guard))) {
            return true;
        }
        if sought(Occasion::Presence)
            && self
                .sources_of_loops(at)
                .into_iter()
                .any(|source| self.is_chosen(source))
        {
            return true;
        }
        if depth == 0 {
            return false;
        }
        self.project.callers_of(owner).iter().take(CALLERS).any(|site| {
            let call = ExprRef {
                module: site.caller.module,
                expr: site.call,
            };
            site.caller != owner && !self.is_test(call) && self.has_occasion_within(call, depth - 1, sought)
        })
    }

    /// Whether the items of a list were chosen by what is in the history.
    fn is_chosen(&self, list: ExprRef) -> bool {
        let behind = reach(&self.graph, self.node(list), Direction::Backward, |flow, _, held, _| {
            held.is_empty() && flow == Flow::Same
        });
        behind.iter().any(|one| self.chosen_by(one).is_some())
    }

    /// What the loops around an expression run over.
    fn sources_of_loops(&self, at: ExprRef) -> Vec<ExprRef> {
        let mut sources = Vec::new();
        let mut around = self.graph.around(at);
        while let Some(outer) = around {
            if let ExprKind::Comprehension { clauses, .. } = self.kind(outer) {
                sources.extend(clauses.iter().map(|clause| self.beside(outer, clause.iter)));
            }
            around = self.graph.around(outer);
        }
        let paths = self.paths.function(self.owner(at));
        if let Some(stmt) = paths.stmt_of(at.expr) {
            sources.extend(paths.enclosing_loops(stmt).filter_map(|of| match paths.stmt(of).kind {
                StmtKind::For { iter, .. } => Some(self.beside(at, iter)),
                _ => None,
            }));
        }
        sources
    }

    /// What the choice of the items of a comprehension depends on.
    fn chosen_by(&self, one: &Reached) -> Option<Occasion> {
        let expr = self.graph.as_expr(one.node)?;
        let ExprKind::Comprehension { clauses, .. } = self.kind(expr) else {
            return None;
        };
        let conditions = clauses.iter().flat_map(|clause| &clause.conditions);
        let mut looks = conditions.flat_map(|cond| {
            reach(
                &self.graph,
                self.node(self.beside(expr, *cond)),
                Direction::Backward,
                |flow, _, _, _| flow != Flow::Select,
            )
        });
        looks
            .any(|one| self.depends(&one) == Some(Occasion::Presence))
            .then_some(Occasion::Presence)
    }

    /// What one condition depends on.
    pub(crate) fn occasion(&self, at: ExprRef, guard: Guard) -> Occasion {
        let cond = self.beside(at, guard.cond);
        if let Some(settled) = self.asks_kind(cond, guard.holds) {
            return settled;
        }
        self.occasions.of(cond, || self.looked_at(cond))
    }

    /// What a condition that asks for no kind looks at.
    fn looked_at(&self, cond: ExprRef) -> Occasion {
        // What a model answered is an event, whatever it was asked about.
        let asked = |given: Node| {
            let call = self.graph.as_expr(given).and_then(|given| self.graph.around(given));
            call.is_some_and(|call| self.runs_model(call))
        };
        let behind = reach(&self.graph, self.node(cond), Direction::Backward, |flow, _, _, from| {
            flow != Flow::Select && !(flow == Flow::Opaque && asked(from))
        });
        let mut occasion = Occasion::Settled;
        for one in &behind {
            let next = self.chosen_by(one).or_else(|| self.depends(one));
            if next == Some(Occasion::Presence) {
                return Occasion::Presence;
            }
            occasion = match (occasion, next) {
                (Occasion::Remembered, _) | (_, Some(Occasion::Remembered)) => Occasion::Remembered,
                (Occasion::Event, _) | (_, Some(Occasion::Event)) => Occasion::Event,
                (Occasion::Said, _) | (_, Some(Occasion::Said)) => Occasion::Said,
                _ => Occasion::Settled,
            };
        }
        occasion
    }

    /// A test of a type, of a role or of whether there is any message at all: it tells what something
    /// is, not whether a text is there already.
    fn asks_kind(&self, cond: ExprRef, holds: bool) -> Option<Occasion> {
        match self.kind(cond) {
            ExprKind::TypeTest { .. } => Some(Occasion::Settled),
            ExprKind::Compare { op, left, right } => {
                if let Some(any) = self.asks_for_any(cond, *op, *left, *right) {
                    return Some(if any == holds {
                        Occasion::Settled
                    } else {
                        Occasion::Presence
                    });
                }
                let equal = match op {
                    CompareOp::Eq | CompareOp::Is | CompareOp::In => holds,
                    CompareOp::NotEq | CompareOp::IsNot | CompareOp::NotIn => !holds,
                    _ => return None,
                };
                let (left, right) = (self.beside(cond, *left), self.beside(cond, *right));
                let of_role = [(left, right), (right, left)].into_iter().any(|(read, words)| {
                    field_read(self, read)
                        .is_some_and(|(_, name)| matches!(self.vocabulary.field(&name), Some(Field::Role(_))))
                        && words_of(self, words)
                            .iter()
                            .any(|word| self.vocabulary.role(word).is_some())
                });
                // `if first.role != "system": insert(0, system)` looks whether it is there.
                of_role.then_some(if equal { Occasion::Settled } else { Occasion::Presence })
            }
            // Whether a message says anything is no question about what it says.
            ExprKind::Attribute { .. } | ExprKind::Index { .. } if holds && self.is_content_of_message(cond) => {
                Some(Occasion::Settled)
            }
            ExprKind::Name(_) | ExprKind::Attribute { .. } | ExprKind::Index { .. } => self
                .histories()
                .confidence(self.node(cond))
                .map(|_| if holds { Occasion::Settled } else { Occasion::Presence }),
            _ => None,
        }
    }

    /// Whether a comparison holds where there is any message at all: `len(xs) > 0`.
    fn asks_for_any(&self, cond: ExprRef, op: CompareOp, left: ExprId, right: ExprId) -> Option<bool> {
        let is_length = |side: ExprId| match self.kind(self.beside(cond, side)) {
            ExprKind::Call { idiom: Some(idiom), .. } if idiom.op == Intrinsic::Len => {
                let list = idiom.operands.first().map(|list| self.node(self.beside(cond, *list)));
                list.is_some_and(|list| self.histories().confidence(list).is_some())
            }
            _ => false,
        };
        let number = |side: ExprId| integer(self.module(cond.module), side);
        match (op, number(right)) {
            (CompareOp::Greater | CompareOp::NotEq, Some(0)) | (CompareOp::GreaterEq, Some(1)) if is_length(left) => {
                Some(true)
            }
            (CompareOp::LessEq | CompareOp::Eq, Some(0)) | (CompareOp::Less, Some(1)) if is_length(left) => Some(false),
            _ => None,
        }
    }

    fn is_content_of_message(&self, read: ExprRef) -> bool {
        field_read(self, read).is_some_and(|(message, name)| {
            self.vocabulary.field(&name) == Some(Field::Content)
                && self.histories().message(self.node(message)).is_some()
        })
    }

    fn depends(&self, one: &Reached) -> Option<Occasion> {
        if self.graph.as_expr(one.node).is_some_and(|expr| self.runs_model(expr)) {
            return Some(Occasion::Event);
        }
        let certain = self
            .histories()
            .confidence(one.node)
            .is_some_and(|sure| sure >= Confidence::Medium);
        if certain {
            return Some(Occasion::Presence);
        }
        match self.graph.origin(one.node) {
            Origin::Field(class, _) => (!self.is_fixed_field(*class, one.node)).then_some(Occasion::Remembered),
            Origin::Variable(function, _) => {
                let shared = function.function.0 == 0 && self.graph.incoming(one.node).len() > 1;
                shared.then_some(Occasion::Remembered)
            }
            Origin::Param(function, index) => self.of_param(*function, *index),
            Origin::Expr(at) => self.of_expr(*at),
            Origin::Slot(..) | Origin::Result(_) => None,
        }
    }

    fn of_param(&self, function: FuncRef, index: u32) -> Option<Occasion> {
        let ir = self.project.function(function);
        let param = &ir.params[index as usize];
        if index == 0 && ir.has_receiver || !self.project.callers_of(function).is_empty() {
            return None;
        }
        if ir.special == Some(Special::Constructor) {
            return None;
        }
        let said = self.vocabulary.names_input(&param.name);
        Some(if said { Occasion::Said } else { Occasion::Event })
    }

    fn of_expr(&self, at: ExprRef) -> Option<Occasion> {
        match self.kind(at) {
            ExprKind::Call { idiom: Some(_), .. } => None,
            ExprKind::Call { args, .. } => {
                if args.iter().any(|arg| {
                    self.histories()
                        .confidence(self.node(self.beside(at, arg.value)))
                        .is_some_and(|sure| sure >= Confidence::Medium)
                }) && !self.runs_model(at)
                {
                    return Some(Occasion::Presence);
                }
                let known = !self.project.callees_of(at).is_empty() || self.construction(at).is_some();
                (!known && !self.is_pattern_test(at)).then_some(Occasion::Event)
            }
            ExprKind::Await(_) | ExprKind::Yield(_) => Some(Occasion::Event),
            _ => None,
        }
    }

    /// Whether a call outside the project only looks at a text that it is given: `PATTERN.search(text)`.
    fn is_pattern_test(&self, call: ExprRef) -> bool {
        let Some((callee, args)) = self.call(call) else {
            return false;
        };
        let looks = matches!(self.kind(callee), ExprKind::Attribute { name, .. }
            if matches!(&**name, "search" | "match" | "fullmatch" | "findall" | "test"));
        looks && args.len() <= 2 && args.iter().all(|arg| !arg.spread)
    }

    /// Whether only a constructor writes an attribute.
    pub(crate) fn is_fixed_field(&self, class: ClassRef, field: Node) -> bool {
        self.graph.incoming(field).iter().all(|edge| {
            self.graph
                .as_expr(edge.node)
                .is_none_or(|expr| self.project.special(class, Special::Constructor) == Some(self.owner(expr)))
        })
    }

    /// Whether a text is the program's own and the same whenever it is written.
    pub(crate) fn is_fixed_text(&self, content: ExprRef, role: Role) -> bool {
        let reached = self.made_of(self.node(content));
        let worded = role == Role::System || reached.iter().any(|one| self.has_words(one));
        worded
            && reached.iter().all(|one| self.is_fixed(one))
            && self.volatile_among(&reached, self.node(content)).is_empty()
    }

    fn has_words(&self, one: &Reached) -> bool {
        const WORDS: usize = 3;
        let expr = self.graph.as_expr(one.node);
        expr.and_then(|expr| self.text(expr))
            .is_some_and(|text| text.split_whitespace().count() >= WORDS)
    }

    fn is_fixed(&self, one: &Reached) -> bool {
        match self.graph.origin(one.node) {
            Origin::Param(function, index) => {
                let ir = self.project.function(*function);
                index == &0 && ir.has_receiver
                    || ir.special == Some(Special::Constructor)
                    || !self.project.callers_of(*function).is_empty()
            }
            Origin::Field(class, _) => self.is_fixed_field(*class, one.node),
            Origin::Expr(at) => self.is_fixed_expr(*at),
            Origin::Slot(..) | Origin::Result(_) | Origin::Variable(..) => true,
        }
    }

    fn is_fixed_expr(&self, at: ExprRef) -> bool {
        let known = |expr: ExprId| !self.graph.incoming(self.node(self.beside(at, expr))).is_empty();
        match self.kind(at) {
            ExprKind::Literal(literal) => !matches!(literal, Literal::Float),
            ExprKind::Name(name) => known(at.expr) || name.chars().all(|sign| !sign.is_lowercase()),
            ExprKind::Call { idiom: Some(_), .. } => true,
            ExprKind::Call { .. } => !self.project.callees_of(at).is_empty() || self.construction(at).is_some(),
            ExprKind::Await(_) | ExprKind::Yield(_) | ExprKind::Other(_) => false,
            _ => true,
        }
    }
}
