//! What is asked of a list again and again, kept beside it: a pass over a long list for each message that comes would
//! take quadratic time.

use std::cell::RefCell;

use rustc_hash::{FxHashMap, FxHashSet};

use super::message::{Kind, Live, Place, Role};
use super::step::Question;

/// How many times a list is passed over for places before an index of them pays.
const PASSES: usize = 8;

/// Positions in a list, by what is asked for. It costs a few bytes a message; an index of places or prints is made
/// when somebody asks.
#[derive(Debug, Default)]
pub(crate) struct Outline {
    /// How many messages the list has, and how many of them are not the system's.
    len: usize,
    others: usize,
    /// What belongs to the conversation, and what the person said, in order.
    conversation: Vec<u32>,
    authored: Vec<u32>,
    /// Where each content stands that the person said, in order.
    asked: FxHashMap<u64, Vec<u32>>,
    /// The turn of the message that was taken last, and whether one came behind one of a later turn.
    turn: u32,
    goes_back: bool,
    finder: RefCell<Finder>,
}

/// Indexes that are made when they are asked for.
#[derive(Debug, Default)]
struct Finder {
    passes: usize,
    places: FxHashMap<Place, Vec<u32>>,
    /// How much of the list is in [`Self::places`].
    placed: usize,
    /// The last message with each print.
    prints: FxHashMap<u64, u32>,
    printed: usize,
}

/// What a list says of a message that comes behind it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Before {
    /// Whether nothing but the system's messages stands there.
    pub(crate) leads: bool,
    /// What was said last.
    pub(crate) said: Option<Kind>,
}

impl Before {
    /// Nothing stands before the first message.
    pub(crate) fn first() -> Self {
        Self {
            leads: true,
            said: None,
        }
    }

    /// Takes the next message of a list.
    pub(crate) fn add(&mut self, live: &Live) {
        self.leads &= live.role == Role::System;
        if live.is_conversation() {
            self.said = Some(live.kind);
        }
    }
}

impl Outline {
    /// That of a whole list.
    pub(crate) fn of(list: &[Live]) -> Self {
        let mut outline = Self::default();
        for live in list {
            outline.push(live);
        }
        outline
    }

    /// Takes a message behind all others.
    pub(crate) fn push(&mut self, live: &Live) {
        let at = self.len as u32;
        self.len += 1;
        self.goes_back |= live.turn < std::mem::replace(&mut self.turn, live.turn);
        self.others += usize::from(live.role != Role::System);
        if live.is_conversation() {
            self.conversation.push(at);
        }
        if live.is_authored() {
            self.authored.push(at);
            self.asked.entry(live.content).or_default().push(at);
        }
    }

    /// Says that everything from a position on goes.
    pub(crate) fn truncate(&mut self, list: &[Live], len: usize) {
        for live in list.iter().skip(len) {
            self.others -= usize::from(live.role != Role::System);
            if let Some(places) = self.asked.get_mut(&live.content).filter(|_| live.is_authored()) {
                places.pop();
                if places.is_empty() {
                    self.asked.remove(&live.content);
                }
            }
        }
        for places in [&mut self.conversation, &mut self.authored] {
            places.truncate(places.partition_point(|&at| (at as usize) < len));
        }
        self.len = self.len.min(len);
        self.turn = list[..self.len].last().map_or(0, |live| live.turn);
        *self.finder.get_mut() = Finder::default();
    }

    /// The highest turn of a message of `list`, whose outline this is.
    pub(crate) fn turn(&self, list: &[Live]) -> u32 {
        let last = list.last().filter(|_| !self.goes_back);
        let highest = || list.iter().map(|live| live.turn).max();
        last.map(|live| live.turn).or_else(highest).unwrap_or(0)
    }

    /// Takes what replaced a message in its place.
    pub(crate) fn replace(&mut self, at: usize, old: &Live, new: &Live) {
        let place = at as u32;
        self.goes_back |= old.turn != new.turn;
        self.others -= usize::from(old.role != Role::System);
        self.others += usize::from(new.role != Role::System);
        if old.is_conversation() != new.is_conversation() {
            set(&mut self.conversation, place, new.is_conversation());
        }
        if old.is_authored() != new.is_authored() {
            set(&mut self.authored, place, new.is_authored());
        }
        let asked = |live: &Live| live.is_authored().then_some(live.content);
        if asked(old) != asked(new) {
            if let Some(places) = asked(old).and_then(|content| self.asked.get_mut(&content)) {
                set(places, place, false);
                if places.is_empty() {
                    self.asked.remove(&old.content);
                }
            }
            if let Some(content) = asked(new) {
                set(self.asked.entry(content).or_default(), place, true);
            }
        }
        let finder = self.finder.get_mut();
        if at < finder.printed {
            finder.prints.clear();
            finder.printed = 0;
        }
        if at < finder.placed && old.place != new.place {
            if let Some(places) = finder.places.get_mut(&old.place) {
                set(places, place, false);
            }
            set(finder.places.entry(new.place).or_default(), place, true);
        }
    }

    /// What the list says of a message behind it.
    pub(crate) fn before(&self, list: &[Live]) -> Before {
        Before {
            leads: self.others == 0,
            said: self.conversation.last().map(|&at| list[at as usize].kind),
        }
    }

    /// What belongs to the conversation and stands first.
    pub(crate) fn said_first(&self) -> Option<usize> {
        self.conversation.first().map(|&at| at as usize)
    }

    /// What belongs to the conversation and stands last.
    pub(crate) fn said_last(&self) -> Option<usize> {
        self.conversation.last().map(|&at| at as usize)
    }

    /// Where the person spoke last.
    pub(crate) fn taken_for_current(&self) -> Option<usize> {
        self.authored.last().map(|&at| at as usize)
    }

    /// Where the person spoke last before a position.
    pub(crate) fn authored_before(&self, at: usize) -> Option<usize> {
        let behind = self.authored.partition_point(|&authored| (authored as usize) < at);
        Some(self.authored[behind.checked_sub(1)?] as usize)
    }

    /// Where a question stands, the last place if it is there twice.
    pub(crate) fn question_at(&self, question: &Question) -> Option<usize> {
        Some(*self.asked.get(&question.live.content)?.last()? as usize)
    }

    /// Where the person said something for the first time.
    pub(crate) fn first_asked(&self, content: u64) -> Option<usize> {
        Some(*self.asked.get(&content)?.first()? as usize)
    }

    /// The messages of `list`, whose outline this is, that stand at places of the record; in order.
    pub(crate) fn at_places(&self, list: &[Live], wanted: &FxHashSet<Place>) -> Vec<usize> {
        let finder = &mut *self.finder.borrow_mut();
        if finder.passes < PASSES {
            finder.passes += 1;
            let places = list.iter().enumerate().filter(|(_, live)| wanted.contains(&live.place));
            return places.map(|(at, _)| at).collect();
        }
        for (at, live) in list.iter().enumerate().skip(finder.placed) {
            finder.places.entry(live.place).or_default().push(at as u32);
        }
        finder.placed = list.len();
        let found = wanted.iter().filter_map(|place| finder.places.get(place));
        let mut found: Vec<usize> = found.flatten().map(|&at| at as usize).collect();
        found.sort_unstable();
        found
    }

    /// The last message of `list`, whose outline this is, that says this.
    pub(crate) fn with_print(&self, list: &[Live], print: u64) -> Option<usize> {
        let finder = &mut *self.finder.borrow_mut();
        for (at, live) in list.iter().enumerate().skip(finder.printed) {
            finder.prints.insert(live.print, at as u32);
        }
        finder.printed = list.len();
        finder.prints.get(&print).map(|&at| at as usize)
    }
}

/// Puts a position into a sorted list, or takes it out.
fn set(places: &mut Vec<u32>, at: u32, stands: bool) {
    match (places.binary_search(&at), stands) {
        (Err(place), true) => places.insert(place, at),
        (Ok(place), false) => drop(places.remove(place)),
        _ => {}
    }
}
