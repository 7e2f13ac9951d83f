//! What a call shares with the calls before it: the prefix that a provider has read already, and the first message
//! that ends it.
//!
//! Where requests are recorded, the lists that were sent are compared byte for byte (by their hashes). Where only
//! the history is recorded, each change of it tells the first place from which the next call has to differ.

use std::sync::Arc;

use rustc_hash::FxHashSet;

use super::change::Change;
use super::message::{self, Kind, Live, Role};

/// How many of the last prompts a new one may go on with: agents that take turns, and forks, share a log.
const REMEMBERED: usize = 4;

/// How many bytes of a text amount to a token, about.
const BYTES_A_TOKEN: u64 = 4;

/// The first message by which a call differs from the one before it.
#[derive(Clone, Debug)]
pub(crate) struct Break {
    /// Where it stands in the list, from 0.
    pub(crate) at: usize,
    /// What happened there.
    pub(crate) how: How,
    /// The message that stands there now; the one that stood there, if nothing does.
    pub(crate) message: Live,
    /// The step that changed the history, where it is the history that changed.
    pub(crate) step: Option<u32>,
    /// The turn it happened in.
    pub(crate) turn: u32,
}

/// How the first difference came about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum How {
    /// A message says something else now.
    Rewritten,
    /// A message is gone.
    Removed,
    /// A message was put before others that had been sent.
    Inserted,
    /// A message stands elsewhere.
    Moved,
}

/// A prompt, compared with the one it goes on with.
#[derive(Clone, Debug)]
pub(crate) struct Prefix {
    /// Tokens of the whole prompt, as its length lets one expect.
    pub(crate) tokens: u64,
    /// Tokens of the prompt before, without what was at its end for that call only.
    pub(crate) before: u64,
    /// Tokens that were at the end of the prompt before for that call only.
    pub(crate) batch: u64,
    /// Tokens that both begin with.
    pub(crate) shared: u64,
    /// The first message that differs, if what was sent before does not go on.
    pub(crate) broken: Option<Break>,
    /// Whether other tools were offered.
    pub(crate) tools_changed: bool,
    /// The model that was asked, where the request names it.
    pub(crate) model: Option<Arc<str>>,
    /// Which prompt of its history it is, from 0.
    pub(crate) number: u32,
    /// The prompt that it was compared with; none if it goes on with none.
    pub(crate) follows: Option<u32>,
    /// Whether a summary came in with the difference.
    pub(crate) summarised: bool,
}

/// Follows the prompts of one history.
#[derive(Debug, Default)]
pub(crate) struct CallView {
    /// The last one stands last.
    prompts: Vec<Sent>,
    count: u32,
}

#[derive(Debug)]
struct Sent {
    number: u32,
    list: Vec<Live>,
    tools: Option<u64>,
    sender: Option<Arc<str>>,
}

impl CallView {
    /// Takes what a call sends, and compares it with the prompt that it shares most with.
    pub(crate) fn send(&mut self, list: Vec<Live>, tools: Option<u64>, sender: Option<Arc<str>>, turn: u32) -> Prefix {
        let shared = |sent: &Sent| {
            let pairs = sent.list.iter().zip(&list);
            pairs.take_while(|(old, new)| old.print == new.print).count()
        };
        let best = self
            .prompts
            .iter()
            .enumerate()
            .filter(|(_, sent)| sent.sender == sender && goes_on(&sent.list, &list))
            .max_by_key(|(at, sent)| (shared(sent), *at))
            .map(|(at, _)| at);
        let mut prefix = match best.map(|at| &self.prompts[at]) {
            Some(sent) => compare(sent, &list, shared(sent), tools, turn),
            None => Prefix {
                tokens: tokens(&list),
                before: 0,
                batch: 0,
                shared: 0,
                broken: None,
                tools_changed: false,
                model: None,
                number: 0,
                follows: None,
                summarised: false,
            },
        };
        prefix.number = self.count;
        self.count += 1;
        if self.prompts.len() == REMEMBERED {
            // What this one goes on with is not needed any more; without one, the oldest goes.
            self.prompts.remove(best.unwrap_or(0));
        }
        self.prompts.push(Sent {
            number: prefix.number,
            list,
            tools,
            sender,
        });
        prefix
    }

    /// What was sent last.
    pub(crate) fn last(&self) -> &[Live] {
        self.prompts.last().map_or(&[], |sent| &sent.list)
    }
}

fn compare(sent: &Sent, list: &[Live], shared: usize, tools: Option<u64>, turn: u32) -> Prefix {
    let old = &sent.list;
    // What repeats a beginning of what was sent is read from the cache as a whole; and what a program put at the end
    // for one call is paid once, wherever it is put the next time.
    let durable = old.len() - batch(&old[shared..]);
    let goes_on = shared == durable || shared == list.len();
    let broken = (!goes_on).then(|| {
        let stays = |live: &Live, others: &[Live]| others.iter().any(|other| other.print == live.print);
        let (was, is) = (&old[shared], &list[shared]);
        let how = match (stays(was, &list[shared..]), stays(is, &old[shared..])) {
            (true, true) => How::Moved,
            (true, false) => How::Inserted,
            (false, true) => How::Removed,
            (false, false) => How::Rewritten,
        };
        let message = if how == How::Removed { was } else { is };
        Break {
            at: shared,
            how,
            message: message.clone(),
            step: None,
            turn,
        }
    });
    // One that was sent before explains nothing.
    let is_new_summary = |live: &Live| live.kind == Kind::Summary && !old.iter().any(|other| other.print == live.print);
    Prefix {
        tokens: tokens(list),
        before: tokens(&old[..durable]),
        batch: tokens(&old[durable..]),
        shared: tokens(&list[..shared]),
        broken,
        model: None,
        tools_changed: matches!((sent.tools, tools), (Some(old), Some(new)) if old != new),
        number: 0,
        follows: Some(sent.number),
        summarised: list[shared..].iter().any(is_new_summary),
    }
}

impl Prefix {
    /// What of a number of cached tokens may be read again.
    pub(crate) fn without_batch(&self, cached: u64) -> u64 {
        let whole = self.before + self.batch;
        cached - (cached * self.batch).checked_div(whole).unwrap_or(0)
    }
}

/// How many messages at the end of a prompt, of those that did not come again, were for that call only.
fn batch(rest: &[Live]) -> usize {
    let is_batch = |live: &&Live| live.is_injected();
    rest.iter().rev().take_while(is_batch).count()
}

/// Whether a prompt goes on with an older one: it is of the same agent, and begins with the same message, keeps half of
/// what was said, or sums it up. What is asked on the side, such as a title, does none of it.
fn goes_on(old: &[Live], new: &[Live]) -> bool {
    if !same_agent(old, new) {
        return false;
    }
    let said = |list: &[Live]| {
        list.iter()
            .position(|live| live.role != Role::System)
            .unwrap_or(list.len())
    };
    let (old, new) = (&old[said(old)..], &new[said(new)..]);
    if old.is_empty() || new.iter().any(|live| live.kind == Kind::Summary) {
        return true;
    }
    if new.len() > 1 && old.first().map(|live| live.print) == new.first().map(|live| live.print) {
        return true;
    }
    let new: FxHashSet<u64> = new.iter().map(|live| live.print).collect();
    let kept = old.iter().filter(|live| new.contains(&live.print)).count();
    2 * kept >= old.len()
}

/// Whether two prompts are of one agent: their system prompts are the same, or one is an edit of the other.
fn same_agent(old: &[Live], new: &[Live]) -> bool {
    let system = |list: &[Live]| list.first().filter(|live| live.role == Role::System).cloned();
    match (system(old), system(new)) {
        (None, None) => true,
        (Some(old), Some(new)) => old.print == new.print || message::alike(&old.head, &new.head),
        _ => false,
    }
}

/// About how many tokens a list of messages has.
pub(crate) fn tokens(list: &[Live]) -> u64 {
    let bytes: u64 = list.iter().map(|live| u64::from(live.bytes)).sum();
    bytes.div_ceil(BYTES_A_TOKEN)
}

/// The first place from which a call after this change differs from one before it; none if messages were only
/// added.
pub(crate) fn first_change(change: &Change, after: &[Live], step: u32, turn: u32) -> Option<Break> {
    if change.only_appends() {
        return None;
    }
    let replaced = change.replaced.iter().min_by_key(|replaced| replaced.at);
    let removed = change.removed.first();
    let moved = change.moved.iter().min_by_key(|moved| moved.at);
    let inserted = change.inserted.first();
    let places = [
        replaced.map(|replaced| (replaced.at, How::Rewritten)),
        removed.map(|removed| (removed.was_at, How::Removed)),
        moved.map(|moved| (moved.at, How::Moved)),
        inserted.map(|&at| (at, How::Inserted)),
    ];
    let (at, how) = places
        .into_iter()
        .flatten()
        .filter(|(at, _)| *at < change.before)
        .min_by_key(|(at, _)| *at)?;
    let message = match (how, removed) {
        (How::Removed, Some(removed)) => &removed.old,
        _ => after.get(at)?,
    };
    Some(Break {
        at,
        how,
        message: message.clone(),
        step: Some(step),
        turn,
    })
}
