//! A block for one call, merged into a message that stays.

use super::{StepRule, Symptom, name, quote};
use crate::rule::MERGED_INJECTION;
use crate::transcript::message::{Live, Role};
use crate::transcript::replay::Noted;
use crate::transcript::step::{Scene, Source, Step};

/// So many bytes make a block.
const BLOCK: usize = 16;

/// Compares each request with the one before it; tells the first message that lost or got a block.
pub(crate) struct MergedInjection {
    /// Whether each recorded list is a request.
    lists_are_requests: bool,
    last: Vec<Live>,
    told: bool,
}

impl MergedInjection {
    /// Nothing sent yet.
    pub(crate) fn new(lists_are_requests: bool) -> Self {
        Self {
            lists_are_requests,
            last: Vec::new(),
            told: false,
        }
    }

    fn sent(&mut self, list: &[Live]) -> Option<Symptom> {
        let before = std::mem::replace(&mut self.last, list.to_vec());
        if self.told {
            return None;
        }
        let (at, block) = merged(&before, list)?;
        self.told = true;
        let (was, is) = (&before[at], &list[at]);
        let (how, label) = match block {
            Block::Came => ("with a block that it had not when it was sent before", "with the block"),
            Block::Went => ("without a block that it was sent with before", "without the block"),
            Block::Changed => ("with another block than it was sent with before", "with another block"),
        };
        let message = format!(
            "{} is sent {how}: what holds for one call was merged into a message that stays, and the bytes behind it are new to the provider",
            if is.recorded_id().is_some() {
                name(is)
            } else {
                quote(is)
            }
        );
        Some(Symptom::new(&MERGED_INJECTION, is, label, message).related(was, "as it was sent before"))
    }
}

impl StepRule for MergedInjection {
    fn step(&mut self, step: &Step<'_>, symptoms: &mut Vec<Symptom>) {
        let is_request = matches!(step.source, Source::Beginning | Source::State | Source::Input);
        if self.lists_are_requests && is_request {
            symptoms.extend(self.sent(step.after));
        }
    }

    fn note(&mut self, _scene: &Scene<'_>, noted: &Noted<'_>, symptoms: &mut Vec<Symptom>) {
        if let Noted::Prompt(prompted) = noted
            && !self.lists_are_requests
        {
            symptoms.extend(self.sent(prompted.list));
        }
    }
}

/// What happened to a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Block {
    Came,
    Went,
    Changed,
}

/// The first message that stayed in its place with more or less around what it says.
fn merged(before: &[Live], list: &[Live]) -> Option<(usize, Block)> {
    let stays = |at: usize| match (before.get(at), list.get(at)) {
        (Some(was), Some(is)) => was.print == is.print,
        _ => false,
    };
    let differ = (0..before.len().min(list.len())).filter(|&at| !stays(at));
    differ
        .filter(|&at| at == 0 || stays(at - 1) || stays(at + 1))
        .find_map(|at| Some((at, block(&before[at], &list[at])?)))
}

fn block(was: &Live, is: &Live) -> Option<Block> {
    let is_said = |live: &Live| live.role == Role::User && live.results.is_empty();
    if !is_said(was) || !is_said(is) {
        return None;
    }
    if holds(is, was) {
        return Some(Block::Came);
    }
    if holds(was, is) {
        return Some(Block::Went);
    }
    let (one, other) = (core(whole(was)?)?, core(whole(is)?)?);
    (one == other).then_some(Block::Changed)
}

/// Whether a message says all that another says, and a block before or behind it.
fn holds(large: &Live, small: &Live) -> bool {
    if large.length < small.length + BLOCK {
        return false;
    }
    let Some(inner) = whole(small) else {
        // Both are longer than what is kept of them: the same end, and more before it.
        let same_end = !small.foot.is_empty() && small.foot == large.foot;
        return same_end && large.head.contains(beginning(&small.head));
    };
    let inner = unwrapped(inner.trim());
    if inner.is_empty() {
        return false;
    }
    if let Some(behind) = large.head.trim_start().strip_prefix(inner) {
        // A text that merely goes on is an edit; a block begins on a line of its own or with a tag.
        return behind.is_empty() || behind.starts_with(['\n', '<', '[']) || behind.trim_start().starts_with("</");
    }
    let end = whole(large).unwrap_or(&large.foot).trim_end();
    let before = end.strip_suffix(inner).or_else(|| {
        let (before, behind) = end.rsplit_once(inner)?;
        behind.trim_start().starts_with("</").then_some(before)
    });
    before.is_some_and(|before| before.is_empty() || before.ends_with(['\n', '>', ']']))
}

/// All of a message's text, if all of it is kept.
fn whole(live: &Live) -> Option<&str> {
    (live.head.len() == live.length).then_some(&*live.head)
}

/// The first words of a text.
fn beginning(text: &str) -> &str {
    let end = text.char_indices().map(|(at, _)| at).nth(80).unwrap_or(text.len());
    &text[..end]
}

/// What stands inside the tag that is around a text.
fn unwrapped(text: &str) -> &str {
    let inside = || {
        let (tag, rest) = text.strip_prefix('<')?.split_once('>')?;
        let name = tag.split_whitespace().next()?;
        let inner = rest.strip_suffix('>')?.strip_suffix(name)?.strip_suffix("</")?;
        Some(inner.trim())
    };
    inside().unwrap_or(text)
}

/// What is left of a text without the tagged blocks before and behind it.
fn core(text: &str) -> Option<&str> {
    let text = text.trim();
    let after = text.strip_prefix('<').and_then(|rest| {
        let (tag, _) = rest.split_once('>')?;
        let close = format!("</{}>", tag.split_whitespace().next()?);
        let end = text.find(&close)? + close.len();
        Some(text[end..].trim())
    });
    let before = text.strip_suffix('>').and_then(|rest| {
        let (_, tag) = rest.rsplit_once("</")?;
        let start = text.find(&format!("<{tag}"))?;
        Some(text[..start].trim())
    });
    [after, before].into_iter().flatten().find(|core| core.len() >= BLOCK)
}

#[cfg(test)]
mod tests {
    use super::{core, unwrapped};

    #[test]
    fn tags_are_taken_off() {
        assert_eq!(unwrapped("<q>How long?</q>"), "How long?");
        assert_eq!(unwrapped("How <b>long</b>?"), "How <b>long</b>?");
        assert_eq!(
            core("<board>two jobs</board>\nHow long does it take?"),
            Some("How long does it take?")
        );
        assert_eq!(
            core("How long does it take?\n<board n=2>two</board>"),
            Some("How long does it take?")
        );
        assert_eq!(core("How long does it take?"), None);
    }
}
