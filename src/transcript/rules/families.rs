//! Where the members of each family of injections stand: an edit of one makes its family be counted anew, not the list.

use rustc_hash::FxHashMap;

use crate::transcript::message::{Class, Live};
use crate::transcript::step::{Source, Step};

/// Positions of the members of each family, in order.
#[derive(Default)]
pub(super) struct Families {
    members: FxHashMap<Box<str>, Vec<u32>>,
    /// Whether the list changed beside its steps, or a member was returned again word for word, so that the record
    /// shows it elsewhere now.
    is_behind: bool,
}

/// What has to be counted again after a step.
pub(super) enum Recount {
    /// Only what came behind the list.
    Nothing,
    /// A family, of which a member was edited.
    Family(Box<str>),
    Everything,
}

impl Families {
    /// Takes a member behind all others.
    pub(super) fn add(&mut self, class: &Class, at: usize) {
        match self.members.get_mut(&class.key) {
            Some(members) => members.push(at as u32),
            None => drop(self.members.insert(class.key.clone(), vec![at as u32])),
        }
    }

    /// Where the members of a family stand.
    pub(super) fn of(&self, key: &str) -> impl DoubleEndedIterator<Item = usize> {
        let members = self.members.get(key).map_or(&[][..], Vec::as_slice);
        members.iter().map(|&at| at as usize)
    }

    /// Forgets everybody.
    pub(super) fn clear(&mut self) {
        self.members.clear();
        self.is_behind = false;
    }

    /// Follows a step up to what came behind the list.
    pub(super) fn follow(&mut self, step: &Step<'_>, counts: impl Fn(&Class) -> bool) -> Recount {
        let change = step.change;
        let class = |live: &Live| {
            live.class
                .as_deref()
                .filter(|class| counts(class))
                .map(|class| class.key.clone())
        };
        let mut written = step.writes.iter().flat_map(|write| &write.messages);
        self.is_behind |= written.any(|message| message.unchanged && class(&message.live).is_some());
        if !step.is_next && (change.keeps_places() || change.only_appends()) {
            self.is_behind = true;
            let untouched = step.untouched as u32;
            self.members.retain(|_, members| {
                members.truncate(members.partition_point(|&at| at < untouched));
                !members.is_empty()
            });
            for (at, live) in step.after[..change.before].iter().enumerate().skip(step.untouched) {
                if let Some(class) = live.class.as_deref().filter(|class| counts(class)) {
                    self.add(class, at);
                }
            }
        }
        if change.only_appends() {
            return Recount::Nothing;
        }
        let is_update = matches!(step.source, Source::Update | Source::Input);
        if !is_update || !change.keeps_places() || self.is_behind {
            return Recount::Everything;
        }
        let mut edited: Option<Box<str>> = None;
        for replaced in &change.replaced {
            let (old, new) = (class(&replaced.old), class(&step.after[replaced.at]));
            for key in [&old, &new].into_iter().flatten() {
                if edited.get_or_insert_with(|| key.clone()) != key {
                    return Recount::Everything;
                }
            }
            if let Some(members) = edited.as_ref().filter(|_| old.is_some() != new.is_some()) {
                let members = self.members.entry(members.clone()).or_default();
                let at = replaced.at as u32;
                match (members.binary_search(&at), new) {
                    (Ok(place), None) => drop(members.remove(place)),
                    (Err(place), Some(_)) => members.insert(place, at),
                    _ => {}
                }
            }
        }
        edited.map_or(Recount::Nothing, Recount::Family)
    }
}
