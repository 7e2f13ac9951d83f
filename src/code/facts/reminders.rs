//! Texts of the program's own, always the same, that are added to a history again and again.

use rustc_hash::FxHashMap;

use super::fields::field_read;
use super::{Applied, Durability, Facts, Keeper, Kept, Occasion, Yield};
use crate::code::flow::graph::{Flow, Node, Origin, Part};
use crate::code::flow::paths::StmtId;
use crate::code::flow::reach::{Direction, Held, path, reach};
use crate::code::ir::{BinaryOp, ExprKind, Intrinsic, StmtKind, TemplatePart};
use crate::code::project::{ExprRef, FuncRef};
use crate::code::vocabulary::{Effect, Field, Role, Runs, Strength};

/// One such text.
#[derive(Clone, Debug)]
pub(crate) struct Reminder {
    /// The message, or the text that is added to one.
    pub(crate) made: ExprRef,
    /// Where it is put into the list.
    pub(crate) at: ExprRef,
    /// How it comes to stand there more than once.
    pub(crate) repeats: Repeats,
}

/// How a text is repeated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Repeats {
    /// It is put there so often.
    Runs(Runs),
    /// The list that it is put into has been through the same place before.
    Returns,
    /// It is added to the text of a message that has it already.
    Message,
    /// What remembers that it is there is gone with the request.
    Forgotten,
}

impl Facts<'_> {
    /// All of a project, in the order of its constructions.
    pub(crate) fn reminders(&self) -> Vec<Reminder> {
        let mut found = Vec::new();
        for made in self.constructions() {
            if self.is_test(made.expr) || made.removal || made.base.is_some() {
                continue;
            }
            let role = made.role.or_else(|| self.role_given(made.role_expr?));
            let Some(role) = role.filter(|role| matches!(role, Role::System | Role::User)) else {
                continue;
            };
            let Some(content) = made.content else { continue };
            if !self.is_fixed_text(content, role) || !self.always_again(made.expr) {
                continue;
            }
            let kept = match self.durability(made.expr) {
                Durability::Durable(kept) => kept,
                Durability::CallOnly | Durability::Unknown => Vec::new(),
            };
            let same_id = made.id.is_some_and(|id| self.is_fixed_text(id, Role::System));
            let lasting = kept.iter().filter(|_| !same_id).find_map(|kept| self.repeated(kept));
            let reminder = lasting.or_else(|| self.returned(made.expr));
            if let Some((at, repeats)) = reminder {
                let made = made.expr;
                found.push(Reminder { made, at, repeats });
            }
        }
        found
    }

    /// The one role that a parameter is given by its default and by its callers.
    fn role_given(&self, role: ExprRef) -> Option<Role> {
        let behind = reach(&self.graph, self.node(role), Direction::Backward, |flow, _, held, _| {
            held.is_empty() && matches!(flow, Flow::Same | Flow::Enter(_))
        });
        let mut roles = behind
            .iter()
            .filter_map(|one| self.text(self.graph.as_expr(one.node)?))
            .map(|word| self.vocabulary.role(word));
        let first = roles.next()??;
        roles.all(|role| role == Some(first)).then_some(first)
    }

    /// Whether nothing that is asked on the way looks for the text, remembers it, or waits for an event.
    fn always_again(&self, at: ExprRef) -> bool {
        !self.has_occasion(at, |occasion| !matches!(occasion, Occasion::Settled | Occasion::Said))
    }

    /// A place that keeps the message, if it is reached in every turn.
    fn repeated(&self, kept: &Kept) -> Option<(ExprRef, Repeats)> {
        let replaced = kept.applied == Some(Applied::Replace) || kept.keeper == Keeper::Caller;
        if replaced || self.opens_list(kept) || self.is_taken_out(kept) || !self.always_again(kept.enters) {
            return None;
        }
        let of_update = self.updates().iter().find(|update| update.expr == kept.at);
        let runs = of_update
            .and_then(|update| update.runs)
            .max(self.runs(kept.enters))
            .filter(|runs| *runs >= Runs::Turn)?;
        Some((kept.enters, Repeats::Runs(runs)))
    }

    /// The place where a message is put beside a list that has been through that place before.
    fn returned(&self, made: ExprRef) -> Option<(ExprRef, Repeats)> {
        let onward = reach(
            &self.graph,
            self.node(made),
            Direction::Forward,
            |flow, _, held, _| match flow {
                Flow::Same | Flow::Enter(_) | Flow::Leave(_) | Flow::Store(_) => true,
                Flow::Into => held.is_empty(),
                Flow::Part(part) => matches!(part, Part::Copy | Part::Concat | Part::DeepCopy),
                Flow::Load(_) => matches!(held.last(), Some(Held::Field(_))),
                _ => false,
            },
        );
        let mut lists: FxHashMap<Node, usize> = FxHashMap::default();
        for (index, one) in onward.iter().enumerate() {
            if *one.held == [Held::Item] {
                lists.entry(one.node).or_insert(index);
            }
        }
        let mut joins = onward
            .iter()
            .enumerate()
            .filter(|(index, one)| lists.get(&one.node) == Some(index));
        joins.find_map(|(_, list)| {
            let before = list.previous.map(|at| onward[at as usize].node)?;
            let back = self.graph.incoming(list.node).iter().find(|edge| {
                let beside = edge.flow == Flow::Part(Part::Concat) && edge.node != before;
                let around = lists.get(&edge.node).map(|at| path(&onward, *at));
                beside
                    && around.is_some_and(|way| way.contains(&list.node))
                    && self.histories().confidence(edge.node).is_some()
            })?;
            let at = if before == self.node(made) {
                self.graph.around(made)?
            } else {
                self.graph.as_expr(list.node).or(self.graph.as_expr(back.node))?
            };
            Some((at, Repeats::Returns))
        })
    }

    /// Texts that are added in place to a message that stays where it is: `messages[0].content += RULE`.
    pub(crate) fn grown_messages(&self) -> Vec<Reminder> {
        let mut grown = Vec::new();
        for (function, _) in self.project.functions() {
            if self.project.is_test(function) || self.changes_one_call(function) {
                continue;
            }
            for stmt in self.paths.function(function).stmts() {
                let Some((target, added)) = self.text_added(function, stmt) else {
                    continue;
                };
                let often = self.runs(target).is_some_and(|runs| runs >= Runs::Turn);
                let looks = |occasion: Occasion| matches!(occasion, Occasion::Presence | Occasion::Remembered);
                if often
                    && added.iter().any(|text| self.is_fixed_text(*text, Role::User))
                    && added.iter().all(|text| self.is_fixed_text(*text, Role::System))
                    && !self.has_occasion(target, looks)
                {
                    grown.push(target);
                }
            }
        }
        if grown.is_empty() {
            return Vec::new();
        }
        let found = self.found_nodes();
        let stays = grown
            .into_iter()
            .filter(|target| self.is_edited_in_place(*target, &found));
        let reminder = |target| Reminder {
            made: target,
            at: target,
            repeats: Repeats::Message,
        };
        stays.map(reminder).collect()
    }

    /// Whether a framework runs a function on messages that live for one call.
    pub(super) fn changes_one_call(&self, function: FuncRef) -> bool {
        self.hook(function)
            .is_some_and(|hook| hook.effect == Some(Effect::CallOnly) && hook.strength == Strength::Strong)
    }

    /// The content of a message that a statement makes longer, and what it adds.
    fn text_added(&self, function: FuncRef, stmt: StmtId) -> Option<(ExprRef, Vec<ExprRef>)> {
        let at = |expr| ExprRef {
            module: function.module,
            expr,
        };
        let (target, added) = match &self.paths.function(function).stmt(stmt).kind {
            StmtKind::Update {
                target,
                op: BinaryOp::Add,
                value,
            } => (at(*target), vec![at(*value)]),
            StmtKind::Assign { targets, value, .. } => {
                let [target] = targets[..] else { return None };
                let target = at(target);
                let (content, beside) = match self.kind(at(*value)) {
                    ExprKind::Binary {
                        op: BinaryOp::Add,
                        left,
                        right,
                    } => (at(*left), vec![at(*right)]),
                    ExprKind::Template(parts) => {
                        let mut values = parts.iter().filter_map(|part| match part {
                            TemplatePart::Value { value, .. } => Some(at(*value)),
                            TemplatePart::Text(_) => None,
                        });
                        (values.next()?, values.collect())
                    }
                    _ => return None,
                };
                if self.path(content) != self.path(target)
                    || field_read(self, content).map(|read| read.1) != field_read(self, target).map(|read| read.1)
                {
                    return None;
                }
                (target, beside)
            }
            StmtKind::Expr(call) => match self.kind(at(*call)) {
                ExprKind::Call { idiom: Some(idiom), .. } if idiom.op == Intrinsic::Append => {
                    match idiom.operands[..] {
                        [list, item] => (at(list), vec![at(item)]),
                        _ => return None,
                    }
                }
                _ => return None,
            },
            _ => return None,
        };
        let (_, name) = field_read(self, target)?;
        (self.vocabulary.field(&name) == Some(Field::Content) && !added.is_empty()).then_some((target, added))
    }

    /// Where the messages are held that searches found, with the list that each was found in.
    fn found_nodes(&self) -> FxHashMap<Node, Vec<ExprRef>> {
        let mut found: FxHashMap<Node, Vec<ExprRef>> = FxHashMap::default();
        for scan in self.scans().iter().filter(|scan| scan.yields != Yield::Part) {
            for node in &scan.results {
                found.entry(*node).or_default().push(scan.list);
            }
        }
        found
    }

    /// Whether a content is that of a message which was found in a history that is held elsewhere, and
    /// not that of a copy.
    fn is_edited_in_place(&self, content: ExprRef, found: &FxHashMap<Node, Vec<ExprRef>>) -> bool {
        let Some((message, _)) = field_read(self, content) else {
            return false;
        };
        let behind = reach(
            &self.graph,
            self.node(message),
            Direction::Backward,
            |flow, via, held, _| match flow {
                Flow::Test | Flow::Length | Flow::Position | Flow::Text => false,
                Flow::Opaque => !via.opaque,
                Flow::Select => held.is_empty(),
                _ => true,
            },
        );
        behind.iter().any(|one| {
            let kept = one.held.is_empty() && one.via.load.is_none() && !one.via.detached && !one.via.copied;
            let mut lists = found.get(&one.node).into_iter().flatten();
            kept && lists.any(|list| self.is_held_elsewhere(*list))
        })
    }

    /// Whether the messages of a list are those of an object, of a state or of a caller.
    fn is_held_elsewhere(&self, list: ExprRef) -> bool {
        let behind = reach(&self.graph, self.node(list), Direction::Backward, |flow, _, held, _| {
            held.is_empty()
                && matches!(
                    flow,
                    Flow::Same | Flow::Enter(_) | Flow::Leave(_) | Flow::Part(Part::Copy | Part::Concat)
                )
        });
        behind.iter().any(|one| match self.graph.origin(one.node) {
            Origin::Param(function, _) => self.project.callers_of(*function).is_empty(),
            Origin::Field(..) | Origin::Slot(..) => true,
            _ => false,
        })
    }
}
