//! What a cut does to the system message at the head of its list.

use super::{Cut, Facts, Keeps, Means, Reach};
use crate::code::flow::graph::{Flow, Node, Origin, Part};
use crate::code::flow::iteration::{integer, iteration};
use crate::code::flow::predicate::{Asks, Kinds, Subject};
use crate::code::flow::reach::{Direction, reach};
use crate::code::ir::{BinaryOp, ExprKind, Intrinsic, Item, StmtKind};
use crate::code::project::{ExprRef, FuncRef};
use crate::code::vocabulary::Role;
use crate::finding::Confidence;

/// A system message that does not come through a cut.
#[derive(Clone, Copy, Debug)]
pub(crate) struct DroppedSystem {
    /// The cut, the filter, or the removal.
    pub(crate) at: ExprRef,
    /// Where the system message is put in the list.
    pub(crate) put: Option<ExprRef>,
    /// How sure it is.
    pub(crate) confidence: Confidence,
}

impl Facts<'_> {
    /// All system messages that a cut loses.
    pub(crate) fn dropped_systems(&self) -> Vec<DroppedSystem> {
        let mut found: Vec<DroppedSystem> = self.cuts().iter().filter_map(|cut| self.lost_by(cut)).collect();
        found.extend(self.exprs().filter_map(|expr| self.filtered_out(expr)));
        found
    }

    /// A cut that keeps one end of a list at whose other end a system message stands.
    fn lost_by(&self, cut: &Cut) -> Option<DroppedSystem> {
        if !matches!(cut.means, Means::Slice | Means::Pop | Means::Window) || cut.reach < Reach::Returned {
            return None;
        }
        let list = self.cut_list(cut.site)?;
        let function = self.owner(cut.site);
        let put = match cut.keeps {
            Keeps::Newest => self.system_at_head(list)?,
            // What is taken from the end, where the list is turned round.
            Keeps::Oldest if cut.means == Means::Pop => self.system_at_end(list)?,
            _ => return None,
        };
        let kept = self.keeps_lead(function, list) || self.keeps_lead(self.owner(put), put);
        (!kept).then_some(DroppedSystem {
            at: cut.site,
            put: Some(put),
            confidence: cut.confidence,
        })
    }

    /// The list that a cut is made of.
    fn cut_list(&self, site: ExprRef) -> Option<ExprRef> {
        match self.kind(site) {
            ExprKind::Slice { base, .. } | ExprKind::Index { base, .. } => Some(self.beside(site, *base)),
            ExprKind::Call { idiom: Some(idiom), .. } => Some(self.beside(site, *idiom.operands.first()?)),
            _ => None,
        }
    }

    /// Where a system message is made that opens the list.
    fn system_at_head(&self, list: ExprRef) -> Option<ExprRef> {
        self.put_in(list).into_iter().find(|put| {
            let head = match self.kind(*put) {
                ExprKind::List { items, .. } => items.first().map(|item| (*item, true)),
                ExprKind::Call { idiom: Some(idiom), .. } => match (idiom.op, &idiom.operands[..]) {
                    (Intrinsic::Insert, [_, at, value]) => {
                        let first = integer(self.module(put.module), *at) == Some(0);
                        Some((
                            Item {
                                value: *value,
                                spread: false,
                            },
                            first,
                        ))
                    }
                    _ => None,
                },
                _ => None,
            };
            head.is_some_and(|(item, first)| first && !item.spread && self.is_system(self.beside(*put, item.value)))
        })
    }

    /// Where a system message is made that is put behind everything else, the last one that is put there.
    fn system_at_end(&self, list: ExprRef) -> Option<ExprRef> {
        let mut appended: Vec<ExprRef> = self
            .put_in(list)
            .into_iter()
            .filter(|put| {
                matches!(self.kind(*put), ExprKind::Call { idiom: Some(idiom), .. } if idiom.op == Intrinsic::Append)
            })
            .collect();
        appended.sort_by_key(|put| self.span(*put).start);
        let (last, value) = match appended.last() {
            Some(last) => {
                let ExprKind::Call { idiom: Some(idiom), .. } = self.kind(*last) else {
                    return None;
                };
                (*last, self.beside(*last, *idiom.operands.get(1)?))
            }
            None => self.joined_last(list)?,
        };
        // What was said stands before it, the newest first.
        let turned = self.put_in(list).iter().any(|put| {
            matches!(self.kind(*put), ExprKind::Slice { .. })
                || matches!(self.kind(*put), ExprKind::Call { idiom: Some(idiom), .. } if idiom.op == Intrinsic::Reversed)
        }) || self.is_turned(list)
            || self.turns_back(list);
        (turned && self.is_system(value)).then_some(last)
    }

    /// The list with one message that stands last in a sum of lists, and that message.
    fn joined_last(&self, list: ExprRef) -> Option<(ExprRef, ExprRef)> {
        let same = |node| {
            reach(&self.graph, node, Direction::Backward, |flow, _, held, _| {
                held.is_empty() && matches!(flow, Flow::Same | Flow::Enter(_) | Flow::Leave(_))
            })
        };
        let sum = same(self.node(list)).iter().find_map(|one| {
            let expr = self.graph.as_expr(one.node)?;
            match self.kind(expr) {
                ExprKind::Binary {
                    op: BinaryOp::Add,
                    right,
                    ..
                } => Some(self.beside(expr, *right)),
                _ => None,
            }
        })?;
        same(self.node(sum)).iter().find_map(|one| {
            let display = self.graph.as_expr(one.node)?;
            match self.kind(display) {
                ExprKind::List { items, .. } => match items[..] {
                    [only] if !only.spread => Some((display, self.beside(display, only.value))),
                    _ => None,
                },
                _ => None,
            }
        })
    }

    /// Whether a list is turned round before anybody reads it.
    fn turns_back(&self, list: ExprRef) -> bool {
        let mut turned = false;
        let _ = reach(&self.graph, self.node(list), Direction::Forward, |flow, _, held, _| {
            turned |= held.is_empty() && flow == Flow::Part(Part::Reverse);
            held.is_empty() && matches!(flow, Flow::Same | Flow::Enter(_) | Flow::Leave(_))
        });
        turned
    }

    /// Whether a list holds another one turned round.
    pub(crate) fn is_turned(&self, list: ExprRef) -> bool {
        let mut turned = false;
        let _ = reach(&self.graph, self.node(list), Direction::Backward, |flow, _, held, _| {
            turned |= held.is_empty() && flow == Flow::Part(Part::Reverse);
            held.is_empty() && matches!(flow, Flow::Same | Flow::Enter(_) | Flow::Leave(_) | Flow::Part(_))
        });
        turned
    }

    /// The displays and calls that put something in a list, or in the one that it is made of.
    fn put_in(&self, list: ExprRef) -> Vec<ExprRef> {
        let reached = reach(&self.graph, self.node(list), Direction::Backward, |flow, _, held, _| {
            held.is_empty()
                && matches!(
                    flow,
                    Flow::Same | Flow::Enter(_) | Flow::Leave(_) | Flow::Part(Part::Copy | Part::Concat)
                )
        });
        let mut found = Vec::new();
        for one in &reached {
            if let Some(display) = self.graph.as_expr(one.node)
                && matches!(self.kind(display), ExprKind::List { .. })
            {
                found.push(display);
            }
            for edge in self
                .graph
                .incoming(one.node)
                .iter()
                .filter(|edge| edge.flow == Flow::Into)
            {
                let call = self.graph.as_expr(edge.node).and_then(|value| self.graph.around(value));
                found.extend(call.filter(|call| matches!(self.kind(*call), ExprKind::Call { idiom: Some(_), .. })));
            }
        }
        found
    }

    fn is_system(&self, value: ExprRef) -> bool {
        self.made_behind(value)
            .is_some_and(|made| made.role == Some(Role::System))
    }

    /// Whether a function looks after the first message by itself: it takes it apart, tests for its role,
    /// or puts one before what is left.
    fn keeps_lead(&self, function: FuncRef, list: ExprRef) -> bool {
        let paths = self.paths.function(function);
        let module = self.module(function.module);
        let at = |expr| ExprRef {
            module: function.module,
            expr,
        };
        let asks_system = paths.stmts().flat_map(|stmt| paths.own_exprs_in(stmt)).any(|expr| {
            let kind = module.kind(expr);
            let by_role = match kind {
                ExprKind::Compare { .. } | ExprKind::TypeTest { .. } | ExprKind::Call { idiom: None, .. } => {
                    self.tests_for_system(at(expr))
                }
                _ => false,
            };
            let first = match kind {
                ExprKind::Index { base, index } => {
                    integer(module, *index) == Some(0) && self.histories().confidence(self.node(at(*base))).is_some()
                }
                ExprKind::Slice {
                    base,
                    start: None,
                    end: Some(end),
                    ..
                } => {
                    integer(module, *end).is_some_and(|end| end > 0)
                        && self.histories().confidence(self.node(at(*base))).is_some()
                }
                _ => false,
            };
            by_role || first
        });
        let put_back = self.edits_in(function).iter().any(|edit| {
            edit.index.is_some_and(|index| integer(module, index.expr) == Some(0)) && edit.value.is_some()
                || edit
                    .index
                    .is_some_and(|index| integer(module, index.expr).is_some_and(|from| from > 0) && edit.shortens())
        });
        // What is popped before the loop and kept.
        let taken = paths.stmts().any(|stmt| match &paths.stmt(stmt).kind {
            StmtKind::Assign { value, .. } => self.edit(at(*value)).is_some_and(|edit| edit.shortens()),
            _ => false,
        });
        asks_system || put_back || taken || self.starts_behind(list)
    }

    /// Whether a stretch is taken from behind the first message on.
    fn starts_behind(&self, list: ExprRef) -> bool {
        self.graph.around(list).is_some_and(|slice| match self.kind(slice) {
            ExprKind::Slice { start: Some(start), .. } => {
                integer(self.module(slice.module), *start).is_some_and(|from| from > 0)
            }
            _ => false,
        })
    }

    /// Whether a condition tells system messages from others.
    fn tests_for_system(&self, cond: ExprRef) -> bool {
        let module = self.module(cond.module);
        let subjects: Vec<ExprRef> = match module.kind(cond.expr) {
            ExprKind::TypeTest { value, .. } => vec![self.beside(cond, *value)],
            ExprKind::Call { args, .. } => args.iter().map(|arg| self.beside(cond, arg.value)).collect(),
            ExprKind::Compare { left, right, .. } => [*left, *right]
                .into_iter()
                .filter_map(|side| super::fields::field_read(self, self.beside(cond, side)).map(|(base, _)| base))
                .collect(),
            _ => Vec::new(),
        };
        subjects.iter().any(|subject| {
            let predicate = self.predicates.of(cond, &Subject::spelled(module, subject.expr));
            let told = predicate.accepts.meets(Kinds::SYSTEM) != predicate.rejects.meets(Kinds::SYSTEM);
            predicate.asks.meets(Asks::ROLE) && told
        })
    }

    /// `self.messages = [m for m in xs[start:] if m.role != "system"]`: a filter that leaves no system message
    /// of a list that is cut, and what is left becomes the list.
    fn filtered_out(&self, filter: ExprRef) -> Option<DroppedSystem> {
        let ExprKind::Comprehension { element, clauses, .. } = self.kind(filter) else {
            return None;
        };
        let [clause] = &clauses[..] else { return None };
        let [cond] = clause.conditions[..] else { return None };
        let module = self.module(filter.module);
        let over = iteration(module, clause.iter)?;
        let (ExprKind::Slice { base, .. }, ExprKind::Name(subject), ExprKind::Name(kept)) = (
            module.kind(over.list),
            module.kind(clause.target),
            module.kind(*element),
        ) else {
            return None;
        };
        let confidence = self.near_history(self.beside(filter, *base))?;
        let slice = self.beside(filter, over.list);
        // A stretch that cuts nothing, such as all but the last, is filtered on purpose.
        if matches!(module.kind(over.list), ExprKind::Slice { start: None, .. })
            && !self.cuts().iter().any(|cut| cut.site == slice)
        {
            return None;
        }
        let predicate = self
            .predicates
            .of(self.beside(filter, cond), &Subject::named(subject.clone()));
        let only_system = !predicate.accepts.meets(Kinds::SYSTEM)
            && predicate.accepts.has(Kinds::AUTHORED)
            && predicate.accepts.meets(Kinds::ASSISTANT);
        if !only_system || subject != kept {
            return None;
        }
        let (written, function) = self.becomes_list(self.node(filter))?;
        (!self.keeps_system(function) && !self.keeps_system(self.owner(filter))).then_some(DroppedSystem {
            at: written,
            put: None,
            confidence,
        })
    }

    /// Where a list becomes, as it is, the list of an object.
    fn becomes_list(&self, list: Node) -> Option<(ExprRef, FuncRef)> {
        let reached = reach(&self.graph, list, Direction::Forward, |flow, _, held, _| {
            held.is_empty()
                && matches!(
                    flow,
                    Flow::Same | Flow::Leave(_) | Flow::Enter(_) | Flow::Part(Part::Copy)
                )
        });
        reached.iter().find_map(|one| match self.graph.origin(one.node) {
            Origin::Field(..) => {
                let before = self.graph.incoming(one.node).iter().find_map(|edge| {
                    let from = self.graph.as_expr(edge.node)?;
                    reached.iter().any(|other| other.node == edge.node).then_some(from)
                })?;
                Some((before, self.owner(before)))
            }
            _ => None,
        })
    }

    /// Whether a function picks the system messages out, so that they are kept beside the list.
    fn keeps_system(&self, function: FuncRef) -> bool {
        let paths = self.paths.function(function);
        let module = self.module(function.module);
        paths.stmts().flat_map(|stmt| paths.own_exprs_in(stmt)).any(|expr| {
            let ExprKind::Comprehension { clauses, .. } = module.kind(expr) else {
                return false;
            };
            clauses.iter().any(|clause| {
                let ExprKind::Name(subject) = module.kind(clause.target) else {
                    return false;
                };
                clause.conditions.iter().any(|cond| {
                    let cond = ExprRef {
                        module: function.module,
                        expr: *cond,
                    };
                    let accepts = self.predicates.of(cond, &Subject::named(subject.clone())).accepts;
                    accepts.meets(Kinds::SYSTEM) && !accepts.meets(Kinds::AUTHORED | Kinds::ASSISTANT)
                })
            })
        })
    }
}
