//! Messages as they arrive: whose they are, which turn they belong to, whether they ask.

use std::sync::Arc;

use rustc_hash::FxHashSet;

use super::Thread;
use crate::history::entry::Removal;
use crate::transcript::change::Change;
use crate::transcript::markers::{Behind, Origin, Setting, Takes, Verdict};
use crate::transcript::message::{self, Draft, Kind, Live, Message};
use crate::transcript::outline::Before;
use crate::transcript::step::Question;
use crate::transcript::stretches;

impl Thread {
    /// What the history says of a message behind it.
    pub(super) fn so_far(&self) -> Before {
        self.history.outline().before(self.history.entries())
    }

    /// In what setting a message arrives behind `before`.
    pub(super) fn setting(&self, before: Before, origin: Origin, content: u64) -> Setting {
        Setting {
            origin,
            leads: before.leads,
            repeats_authored: self.authored.contains(&content),
            takes: Takes::Nothing,
            behind: match before.said {
                None | Some(Kind::Assistant) => Behind::Answer,
                Some(Kind::ToolResult) => Behind::Result,
                Some(_) => Behind::Other,
            },
        }
    }

    /// What a message takes by having the id of `was`, among others with these contents.
    pub(super) fn takes(draft: &Draft, was: Option<&Live>, others: &FxHashSet<u64>) -> Takes {
        let Some(was) = was.filter(|was| was.is_authored() && was.content != draft.content) else {
            return Takes::Nothing;
        };
        match was.role == draft.role {
            _ if others.contains(&was.content) => Takes::Displaced,
            true => Takes::Authored,
            false => Takes::Nothing,
        }
    }

    /// Makes a message of what was read.
    pub(super) fn live(&mut self, draft: Draft, setting: Setting, turn: u32) -> Live {
        let Verdict { kind, class, telling } = self.markers.classify(&draft, setting);
        if kind == Kind::Authored {
            self.authored.insert(draft.content);
        }
        let print = draft.print();
        let bytes = draft.bytes();
        Live {
            id: draft.id,
            removal: draft.removal,
            made_up: false,
            breakpoints: draft.breakpoints,
            place: draft.place,
            message: Arc::new(Message {
                role: draft.role,
                kind,
                class: class.map(Box::new),
                head: message::head(&draft.text, kind),
                bytes,
                foot: message::foot(&draft.text, kind),
                given: if self.keeps_given && draft.text.is_empty() {
                    message::head(&draft.given, Kind::ToolResult)
                } else {
                    Box::default()
                },
                length: draft.text.len(),
                telling,
                developer: draft.flags.iter().any(|flag| flag == "developer"),
                stretches: match kind {
                    Kind::ToolResult if draft.text.is_empty() => stretches::of(&draft.given),
                    Kind::ToolResult | Kind::Injected => stretches::of(&draft.text),
                    _ => Box::default(),
                },
                content: draft.content,
                print,
                calls: draft.calls.into(),
                results: draft.results.into(),
                turn,
                step: self.steps,
            }),
        }
    }

    /// Keeps hold of the question where it was edited in place.
    pub(super) fn follow_question(&mut self, change: &Change) {
        let Some(question) = &self.question else { return };
        let after = self.history.entries();
        let edited = change
            .replaced
            .iter()
            .find(|replaced| question.is(&replaced.old))
            .map(|replaced| &after[replaced.at]);
        // Without ids, what was edited is another message in its place.
        let stands_in = || {
            let removed = change.removed.iter().find(|removed| question.is(&removed.old))?;
            let new = &after[change.rewritten(removed.was_at)?];
            new.recorded_id().is_none().then_some(new)
        };
        let edited = edited.or_else(stands_in);
        let stands_elsewhere = || self.history.outline().question_at(question).is_some();
        if let Some(edited) = edited.filter(|edited| edited.is_authored() && !stands_elsewhere()) {
            self.question = Some(Question::of(edited));
        }
    }

    /// An id for a message that the record gives none.
    pub(super) fn made_up_id(count: &mut u64) -> Arc<str> {
        *count += 1;
        format!("\0{count}").into()
    }
}

/// Whether a draft is an order to remove a message that nobody knows.
pub(super) fn removes_unknown(draft: &Draft, is_known: impl Fn(&Arc<str>) -> bool) -> bool {
    draft.removal == Removal::One && !draft.id.as_ref().is_some_and(is_known)
}

/// How many endings of an id are tried: whoever derives an id adds a word or two, and a text of separators alone would
/// take quadratic time.
const SEPARATORS: usize = 64;

/// Where the message stands whose id, with something added behind a separator, is `id`.
pub(crate) fn derived_from(id: &str, position: impl Fn(&str) -> Option<usize>) -> Option<usize> {
    let first = id.find(char::is_alphanumeric)?;
    let separators = id[first..].char_indices().rev().filter(|(_, c)| !c.is_alphanumeric());
    let bases = separators.map(|(at, _)| &id[..first + at]);
    bases.take(SEPARATORS).find_map(position)
}

#[cfg(test)]
mod tests {
    use super::derived_from;

    #[test]
    fn a_derived_id_names_the_longest_id_it_begins_with() {
        let known = ["u1", "u1__user", "m"];
        let base = |id| derived_from(id, |base| known.iter().position(|known| *known == base));
        assert_eq!(base("u1__user"), Some(0));
        assert_eq!(base("u1__user__user"), Some(1));
        assert_eq!(base("u1:copy"), Some(0));
        assert_eq!(base("u10"), None, "a longer number is another id");
        assert_eq!(base("u1"), None);
        assert_eq!(base("x-1"), None);
    }
}
