//! Messages that are sent in another form than at the call before: text that is put on the newest
//! question for one call only.

use super::fields::field_read;
use super::{Durability, Facts, Pick, Scan, Yield};
use crate::code::flow::graph::{Flow, Node, Origin, Part};
use crate::code::flow::predicate::Subject;
use crate::code::flow::reach::{Direction, Reached, reach};
use crate::code::ir::{ExprKind, Intrinsic, ListKind, Literal, StmtKind};
use crate::code::project::ExprRef;
use crate::code::vocabulary::Field;
use crate::finding::Confidence;

/// Text that is put on a message for one call.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Decorated {
    /// Where the text is put on.
    pub(crate) at: ExprRef,
    /// Where the message was found.
    pub(crate) found: ExprRef,
    /// Whether the text is the same at each call, and only the message is another.
    pub(crate) same_text: bool,
    /// How sure it is.
    pub(crate) confidence: Confidence,
}

impl Facts<'_> {
    /// All of a project.
    pub(crate) fn decorated(&self) -> Vec<Decorated> {
        let mut all = Vec::new();
        for scan in self.scans() {
            let newest = scan.pick == Pick::Newest && scan.constant.is_none() && scan.yields != Yield::Part;
            if !newest || self.is_test(scan.site) {
                continue;
            }
            let found = self.written_on(scan).or_else(|| self.copied_with(scan));
            let found = found.or_else(|| self.written_on_copy(scan));
            if let Some(found) = found.filter(|one| !all.iter().any(|known: &Decorated| known.at == one.at)) {
                all.push(found);
            }
        }
        all
    }

    /// Text that a hook writes into the message, where what the hook changes lives for one call.
    fn written_on(&self, scan: &Scan) -> Option<Decorated> {
        if !self.changes_one_call(self.owner(scan.site)) {
            return None;
        }
        let own = self.message_parts(scan);
        let (at, _, same_text) = self.text_put_on(scan, &own)?;
        Some(Decorated {
            at,
            found: scan.site,
            same_text,
            // The framework says that they are messages, whatever the file shows of them.
            confidence: Confidence::High,
        })
    }

    /// Text that is written into the message in a copy of a history that is kept, where the copy is sent.
    fn written_on_copy(&self, scan: &Scan) -> Option<Decorated> {
        if !self.sought(scan).is_user() || scan.confidence < Confidence::Medium {
            return None;
        }
        let behind = reach(
            &self.graph,
            self.node(scan.list),
            Direction::Backward,
            |flow, _, held, _| held.is_empty() && matches!(flow, Flow::Same | Flow::Part(Part::DeepCopy)),
        );
        let of_kept = |one: &Reached| {
            one.via.detached && matches!(self.graph.origin(one.node), Origin::Field(..) | Origin::Slot(..))
        };
        let copy = behind.iter().rfind(|one| !one.via.detached)?.node;
        if !behind.iter().any(of_kept) {
            return None;
        }
        let onward = reach(&self.graph, copy, Direction::Forward, |flow, _, held, _| {
            held.is_empty() && flow == Flow::Same
        });
        let stays = onward
            .iter()
            .any(|one| matches!(self.graph.origin(one.node), Origin::Field(..) | Origin::Slot(..)));
        let sent = self.model_sends().iter().any(|send| {
            let messages = send.messages.map(|messages| self.node(messages));
            messages.is_some_and(|messages| onward.iter().any(|one| one.node == messages))
        });
        if stays || !sent {
            return None;
        }
        let own = self.message_parts(scan);
        let (at, added, same_text) = self.text_put_on(scan, &own)?;
        let joined = added.is_none_or(|added| self.joins_own(added, &own));
        (joined && !same_text).then_some(Decorated {
            at,
            found: scan.site,
            same_text,
            confidence: Confidence::Medium,
        })
    }

    /// Text that is written into the message that was found: where, what takes the place of the message's own
    /// text, and whether it is always the same.
    fn text_put_on(&self, scan: &Scan, own: &[Node]) -> Option<(ExprRef, Option<ExprRef>, bool)> {
        let paths = self.paths.function(self.owner(scan.site));
        for stmt in paths.stmts() {
            let replaces = matches!(paths.stmt(stmt).kind, StmtKind::Assign { .. });
            let (target, added) = match &paths.stmt(stmt).kind {
                StmtKind::Assign { targets, value, .. } => (*targets.first()?, *value),
                StmtKind::Update { target, value, .. } => (*target, *value),
                StmtKind::Expr(call) => {
                    let ExprKind::Call { idiom: Some(idiom), .. } = self.kind(self.beside(scan.site, *call)) else {
                        continue;
                    };
                    match (idiom.op, &idiom.operands[..]) {
                        (Intrinsic::Append, [list, item]) | (Intrinsic::Insert, [list, _, item]) => (*list, *item),
                        _ => continue,
                    }
                }
                _ => continue,
            };
            let (target, added) = (self.beside(scan.site, target), self.beside(scan.site, added));
            let Some((base, name)) = field_read(self, target) else {
                continue;
            };
            let content = self.vocabulary.field(&name) == Some(Field::Content);
            if !content || !own.contains(&self.node(base)) || !self.asks_for_person(scan, target) {
                continue;
            }
            let Some(same_text) = self.adds_text(added, own) else {
                continue;
            };
            return Some((target, replaces.then_some(added), same_text));
        }
        None
    }

    /// The values that are the message that was found, or a part of it.
    fn message_parts(&self, scan: &Scan) -> Vec<Node> {
        let follows = |flow: Flow| {
            matches!(
                flow,
                Flow::Same | Flow::Load(_) | Flow::Element | Flow::Select | Flow::Part(Part::Filter)
            )
        };
        let walks = scan
            .results
            .iter()
            .flat_map(|result| reach(&self.graph, *result, Direction::Forward, |flow, _, _, _| follows(flow)));
        walks.map(|one| one.node).collect()
    }

    /// Whether the message that was found is one of the person's by its role, and need not be the last.
    fn asks_for_person(&self, scan: &Scan, at: ExprRef) -> bool {
        if self.sought(scan).is_user() {
            return true;
        }
        let module = self.module(at.module);
        let guards = self.paths.function(self.owner(at)).guards(at.expr);
        guards.iter().any(|guard| {
            scan.results.iter().any(|result| {
                let names = reach(&self.graph, *result, Direction::Forward, |flow, _, held, _| {
                    held.is_empty() && flow == Flow::Same
                });
                names.iter().filter_map(|one| self.graph.as_expr(one.node)).any(|name| {
                    let subject = Subject::spelled(module, name.expr);
                    let predicate = self.predicates.of(self.beside(at, guard.cond), &subject);
                    let predicate = if guard.holds { predicate } else { predicate.negated() };
                    name.module == at.module && predicate.is_user()
                })
            })
        })
    }

    /// Whether text is put beside what the message says already, and if so whether it is always the same.
    fn adds_text(&self, added: ExprRef, own: &[Node]) -> Option<bool> {
        let reached = reach(
            &self.graph,
            self.node(added),
            Direction::Backward,
            |flow, _, _, from| {
                !own.contains(&from)
                    && matches!(
                        flow,
                        Flow::Same
                            | Flow::Text
                            | Flow::Into
                            | Flow::Store(_)
                            | Flow::Leave(_)
                            | Flow::Enter(_)
                            | Flow::Load(_)
                            | Flow::Part(_)
                            | Flow::Opaque
                    )
            },
        );
        let mut words = false;
        let mut moving = false;
        for one in &reached {
            match self.graph.origin(one.node) {
                Origin::Field(class, _) => moving |= !self.is_fixed_field(*class, one.node),
                Origin::Param(function, index) => {
                    let ir = self.project.function(*function);
                    let receiver = *index == 0 && ir.has_receiver;
                    moving |= !receiver && self.project.callers_of(*function).is_empty() && ir.special.is_none();
                }
                Origin::Expr(at) => match self.kind(*at) {
                    ExprKind::Literal(Literal::Str(text)) => words |= text.split_whitespace().count() > 2,
                    ExprKind::Call { idiom: None, .. } => {
                        moving |= self.project.callees_of(*at).is_empty() && self.construction(*at).is_none();
                    }
                    _ => {}
                },
                _ => {}
            }
        }
        (words || moving).then_some(!moving)
    }

    /// A copy of the message with text beside its own, in a list that is sent and never stored, where the
    /// history is kept elsewhere.
    fn copied_with(&self, scan: &Scan) -> Option<Decorated> {
        if !self.sought(scan).is_user() || scan.confidence < Confidence::Medium {
            return None;
        }
        let own = self.message_parts(scan);
        self.constructions().iter().find_map(|made| {
            let base = made.base.filter(|base| own.contains(&self.node(*base)))?;
            let content = made.content?;
            let same_text = self.adds_text(content, &own)?;
            let keeps_own = self.joins_own(content, &own);
            let here = self.owner(base) == self.owner(scan.site);
            let sent = match self.durability(made.expr) {
                Durability::CallOnly => !self.becomes_field(made.expr),
                Durability::Unknown => self.is_kept_by_callers(scan.list) && self.is_handed_on(made.expr),
                Durability::Durable(_) => false,
            };
            (here && keeps_own && sent && !same_text).then_some(Decorated {
                at: made.expr,
                found: scan.site,
                same_text,
                confidence: Confidence::Medium,
            })
        })
    }

    /// Whether a content joins what the message says with something else.
    fn joins_own(&self, content: ExprRef, own: &[Node]) -> bool {
        let reached = reach(&self.graph, self.node(content), Direction::Backward, |flow, _, _, _| {
            matches!(
                flow,
                Flow::Same | Flow::Text | Flow::Part(_) | Flow::Load(_) | Flow::Leave(_)
            )
        });
        let reads = reached.iter().any(|one| own.contains(&one.node));
        reads
            && reached.iter().any(|one| {
                let Origin::Expr(at) = self.graph.origin(one.node) else {
                    return false;
                };
                match self.kind(*at) {
                    ExprKind::Template(parts) => parts.len() > 1,
                    ExprKind::Binary { .. } => true,
                    ExprKind::List { kind, items } => {
                        *kind == ListKind::List && items.iter().any(|item| item.spread) && items.len() > 1
                    }
                    _ => false,
                }
            })
    }

    /// Whether a list is one that an object keeps, in this function or in those that call it.
    fn is_kept_by_callers(&self, list: ExprRef) -> bool {
        let behind = reach(&self.graph, self.node(list), Direction::Backward, |flow, _, held, _| {
            held.is_empty() && matches!(flow, Flow::Same | Flow::Enter(_))
        });
        behind
            .iter()
            .any(|one| matches!(self.graph.origin(one.node), Origin::Field(..) | Origin::Slot(..)))
    }

    /// Whether the list that a message is put in is an argument of a call outside the project.
    fn is_handed_on(&self, made: ExprRef) -> bool {
        let reached = self.ways_into_lists(made);
        reached.iter().filter(|one| !one.held.is_empty()).any(|one| {
            let at = self.graph.as_expr(one.node);
            let call = at.and_then(|at| Some((at, self.graph.around(at)?)));
            call.is_some_and(|(at, call)| match self.kind(call) {
                ExprKind::Call { args, idiom: None, .. } => {
                    args.iter().any(|arg| arg.value == at.expr) && self.project.callees_of(call).is_empty()
                }
                _ => false,
            })
        })
    }
}
