//! Updates: what nodes returned, folded.

use std::sync::Arc;

use rustc_hash::FxHashSet;

use super::arrival::{derived_from, removes_unknown};
use super::{Known, Pending, Thread};
use crate::history::entry::Removal;
use crate::history::reducer::Write;
use crate::transcript::change::Change;
use crate::transcript::event::NodeWrite;
use crate::transcript::markers::Origin;
use crate::transcript::message::{Kind, Live, Role};
use crate::transcript::reader::Spot;
use crate::transcript::step::{Question, Source, Written, WrittenMessage};

impl Thread {
    /// Folds the writes of a superstep. The step is told when the next event comes.
    pub(super) fn update(&mut self, spot: Spot, writes: Vec<NodeWrite>) {
        let from_outside = writes.iter().any(|write| write.origin == Origin::Input);
        if self.known == Known::Nothing {
            self.known = if from_outside { Known::Whole } else { Known::Part };
        }
        self.steps += 1;
        self.expects_input = false;
        self.has_inputs |= from_outside;
        self.note_turn(&writes, from_outside);
        if self.known == Known::Part {
            self.assume_inputs(&writes);
        }
        let mut asked = None;
        let mut written = Vec::new();
        let mut folded = Vec::new();
        for write in writes {
            let overwrites = write.overwrites;
            let (told, entries) = self.write(write, &mut asked);
            written.push(told);
            folded.push(if overwrites {
                Write::Overwrite(entries)
            } else {
                Write::Update(entries)
            });
        }
        let old = self.history.entries().len();
        let made_up_ids = &mut self.made_up_ids;
        let Ok(delta) = self.history.superstep(folded, &mut || Self::made_up_id(made_up_ids)) else {
            // Two overwrites: the run itself failed here, and nothing changed.
            return;
        };
        if let Some(question) = &asked {
            self.question = Some(question.clone());
        }
        let after = self.history.entries();
        let before = delta
            .reset
            .map(|_| delta.removed.iter().map(|removed| removed.old.clone()).collect());
        // A history written anew is known from here on.
        if delta.reset.is_some() {
            self.known = Known::Whole;
        }
        let change = Change::of_fold(delta, after);
        debug_assert_eq!(change.before, old, "a change tells the length of the list before it");
        self.follow_question(&change);
        let source = if from_outside { Source::Input } else { Source::Update };
        self.pending = Some(Pending {
            spot,
            source,
            writes: written,
            change,
            before,
            asks: asked.is_some(),
        });
    }

    /// Where inputs are not recorded, a turn begins when the first node runs again after an answer.
    fn note_turn(&mut self, writes: &[NodeWrite], from_outside: bool) {
        let Some(node) = writes.first().map(|write| &write.node).filter(|_| !from_outside) else {
            return;
        };
        let first = self.first_node.get_or_insert_with(|| node.clone());
        let answered = self
            .history
            .entries()
            .last()
            .is_none_or(|live| live.kind == Kind::Assistant);
        if !self.has_inputs && first == node && answered {
            self.turn += 1;
            self.known = Known::Part;
            self.question = None;
        }
    }

    /// Where inputs are not recorded, a node that returns what the person said tells what came in.
    fn assume_inputs(&mut self, writes: &[NodeWrite]) {
        for write in writes.iter().filter(|write| !write.overwrites) {
            for (at, draft) in write.messages.iter().enumerate() {
                let Some(id) = draft
                    .id
                    .clone()
                    .filter(|id| draft.role == Role::User && self.history.position(id).is_none())
                else {
                    continue;
                };
                let among_written = |base: &str| {
                    write.messages[..at]
                        .iter()
                        .position(|other| other.id.as_deref() == Some(base))
                };
                let mut setting = self.setting(self.so_far(), Origin::Unknown, draft.content);
                setting.behind = setting.behind.in_update();
                let is_authored = self.markers.classify(draft, setting).kind == Kind::Authored;
                if !is_authored || derived_from(&id, among_written).is_some() {
                    continue;
                }
                let live = self.live(draft.clone(), setting, self.turn);
                self.question = Some(Question::of(&live));
                let made_up_ids = &mut self.made_up_ids;
                // A message with a new id is appended, whatever the reducer.
                drop(self.history.apply(vec![live], &mut || Self::made_up_id(made_up_ids)));
            }
        }
    }

    /// What a node returned, as rules see it and as it is folded.
    fn write(&mut self, write: NodeWrite, asked: &mut Option<Question>) -> (Written, Vec<Live>) {
        let resets = write.overwrites || write.messages.iter().any(|draft| draft.removal == Removal::All);
        let removes = write.messages.iter().any(|draft| draft.removal == Removal::One);
        let contents: FxHashSet<u64> = write.messages.iter().map(|draft| draft.content).collect();
        let mut messages = Vec::new();
        let mut entries: Vec<Live> = Vec::new();
        let mut ids: FxHashSet<Arc<str>> = FxHashSet::default();
        let mut leads = self.so_far().leads;
        for draft in write.messages {
            let known = |id: &Arc<str>| ids.contains(id) || self.history.position(id).is_some();
            if removes_unknown(&draft, known) {
                continue;
            }
            ids.extend(draft.id.clone());
            // In a history that is not whole, what a node repeats may be what the person said.
            let from_person = self.interrupted && write.origin == Origin::Node;
            let origin = match write.origin {
                Origin::Node if from_person => Origin::Input,
                Origin::Node if self.known == Known::Part && draft.role == Role::User => Origin::Unknown,
                origin => origin,
            };
            let mut setting = self.setting(self.so_far(), origin, draft.content);
            setting.leads = leads;
            setting.behind = setting.behind.in_update();
            let is_order = draft.removal != Removal::No;
            let was_at = draft.id.as_ref().and_then(|id| self.history.position(id));
            let was = was_at.map(|at| self.history.entries()[at].clone());
            setting.takes = Self::takes(&draft, was.as_ref(), &contents);
            let unchanged = was.as_ref().is_some_and(|was| was.print == draft.print());
            let kind = self.markers.classify(&draft, setting).kind;
            if kind == Kind::Authored && origin == Origin::Input && was.is_none() && asked.is_none() {
                self.turn += 1;
            }
            let live = match was {
                // What a message is does not change when it is returned again.
                Some(mut was) if unchanged && !is_order => {
                    was.place = draft.place;
                    was
                }
                _ => self.live(draft, setting, self.turn),
            };
            if live.is_authored() && origin == Origin::Input {
                *asked = Some(Question::of(&live));
                self.interrupted = false;
            }
            leads &= live.role == Role::System;
            if !is_order {
                messages.push(WrittenMessage {
                    live: live.clone(),
                    was_at,
                    unchanged,
                });
            }
            entries.push(live);
        }
        (
            Written {
                node: write.node,
                origin: write.origin,
                messages,
                resets,
                removes,
            },
            entries,
        )
    }
}
