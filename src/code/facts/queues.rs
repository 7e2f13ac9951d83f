//! The two queues of an agent at work: what a person says to it stays in the history, what is true at the
//! moment goes with one call. Words of a person in the second, and states in the first.

mod forgotten;

use rustc_hash::FxHashSet;

use super::{Construction, Durability, Facts, Snapshot};
use crate::code::flow::graph::{Flow, Node, Origin};
use crate::code::flow::reach::{Direction, Held, path, reach};
use crate::code::ir::{ExprKind, written};
use crate::code::project::{ExprRef, FuncRef};
use crate::code::vocabulary::{Role, Runs};

/// Something in the wrong queue.
#[derive(Clone, Copy, Debug)]
pub(crate) enum WrongQueue {
    /// What a person says to the agent goes with one call and is gone.
    Forgotten {
        /// Where it is put beside the history for the call.
        sent: ExprRef,
        /// Where it waits.
        waits: ExprRef,
    },
    /// What is true at the moment is handed in as the person's words are, and stays.
    Kept {
        /// What is handed in.
        given: ExprRef,
        /// Where the state is read.
        read: ExprRef,
    },
}

impl Facts<'_> {
    /// All of a project.
    pub(crate) fn wrong_queues(&self) -> Vec<WrongQueue> {
        let mut found = self.forgotten_words();
        let mut reported: FxHashSet<ExprRef> = FxHashSet::default();
        for call in self.exprs().filter(|expr| !self.is_test(*expr)) {
            let Some(given) = self.steered_with(call) else {
                continue;
            };
            let often = self.runs(call).is_some_and(|runs| runs >= Runs::Turn);
            let Some(snapshot) = self.snapshot_of(given).filter(|snapshot| often && snapshot.sure) else {
                continue;
            };
            let read = snapshot.at;
            if reported.insert(given) {
                found.push(WrongQueue::Kept { given, read });
            }
        }
        found
    }

    /// The text that a call hands to an agent as a person's words, which the agent keeps.
    fn steered_with(&self, call: ExprRef) -> Option<ExprRef> {
        let (callee, args) = self.call(call)?;
        let (ExprKind::Name(name) | ExprKind::Attribute { name, .. }) = self.kind(callee) else {
            return None;
        };
        if !self.vocabulary.names_steering(name) {
            return None;
        }
        let callees = self.project.callees_of(call);
        if callees.is_empty() {
            // Of an agent that is not among the files: `agent.steer(text)`.
            matches!(self.kind(callee), ExprKind::Attribute { .. }).then_some(())?;
            let given = self.beside(call, written(args).next()?.value);
            return Some(self.text_of(given));
        }
        callees.iter().find_map(|function| {
            let bound = self.project.bind(call, *function).into_iter();
            let mut given = bound.filter(|(index, _)| !(*index == 0 && self.project.function(*function).has_receiver));
            let (_, value) = given.find(|(index, _)| self.keeps_words(*function, *index))?;
            Some(self.text_of(self.beside(call, value)))
        })
    }

    /// The content of a message, or the text itself.
    fn text_of(&self, given: ExprRef) -> ExprRef {
        self.construction(given).and_then(|made| made.content).unwrap_or(given)
    }

    /// Whether what a function is given for a parameter becomes (the text of) a message that stays.
    fn keeps_words(&self, function: FuncRef, param: usize) -> bool {
        let Some(start) = self.graph.find(&Origin::Param(function, param as u32)) else {
            return false;
        };
        let onward = reach(&self.graph, start, Direction::Forward, |flow, _, held, _| match flow {
            Flow::Same | Flow::Enter(_) | Flow::Leave(_) | Flow::Text => true,
            Flow::Into => !held.contains(&Held::Item),
            Flow::Element | Flow::Load(_) | Flow::Part(_) => !held.is_empty(),
            _ => false,
        });
        let reached: FxHashSet<Node> = onward.iter().map(|one| one.node).collect();
        let mut made = self.constructions().iter();
        made.any(|made| {
            let said = matches!(made.role, Some(Role::User | Role::System));
            let content = made
                .content
                .is_some_and(|content| reached.contains(&self.node(content)));
            said && content && self.stays(made.expr)
        })
    }

    /// Whether a message is put in a history, and not into what opens one.
    fn stays(&self, made: ExprRef) -> bool {
        match self.durability(made) {
            Durability::Durable(kept) => kept
                .iter()
                .any(|kept| !self.opens_list(kept) && !self.is_drained_list(kept)),
            Durability::CallOnly | Durability::Unknown => false,
        }
    }

    /// Whether a snapshot comes into a message the way that a person's words do.
    pub(crate) fn is_steered(&self, made: &Construction, snapshot: &Snapshot) -> bool {
        let Some(content) = made.content else { return false };
        let reached = self.made_of(self.node(content));
        let Some(index) = reached
            .iter()
            .position(|one| self.graph.as_expr(one.node) == Some(snapshot.at))
        else {
            return false;
        };
        path(&reached, index).iter().any(|node| match self.graph.origin(*node) {
            Origin::Param(function, _) => self.vocabulary.names_steering(&self.project.function(*function).name),
            _ => false,
        })
    }
}
