//! Breaks of the cached prefix by their causes, as several forms tell them.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use crate::outcome::BreakReport;
use crate::transcript::cost::{dollars, grouped};

/// The breaks of one cause.
pub(super) struct Cause<'b> {
    pub(super) name: &'b str,
    pub(super) breaks: Vec<&'b BreakReport>,
}

impl Cause<'_> {
    /// How many tokens were paid again.
    pub(super) fn again(&self) -> u64 {
        self.breaks.iter().map(|broken| broken.again).sum()
    }

    /// The same in digits, with a word where they are estimated.
    pub(super) fn again_in_words(&self) -> String {
        let estimated = self.breaks.iter().any(|broken| broken.estimated);
        let about = if estimated { "about " } else { "" };
        format!("{about}{}", grouped(self.again()))
    }

    /// What that cost; a question mark where no price is known.
    pub(super) fn price(&self) -> String {
        let price: u64 = self.breaks.iter().filter_map(|broken| broken.price).sum();
        let priced = self.breaks.iter().any(|broken| broken.price.is_some());
        if priced { dollars(price) } else { "?".to_owned() }
    }
}

/// The dearest cause first.
pub(super) fn by_cause<'b>(breaks: impl IntoIterator<Item = &'b BreakReport>) -> Vec<Cause<'b>> {
    let mut causes: BTreeMap<&str, Vec<&BreakReport>> = BTreeMap::new();
    for broken in breaks {
        causes.entry(broken.cause).or_default().push(broken);
    }
    let mut causes: Vec<Cause<'_>> = causes
        .into_iter()
        .map(|(name, breaks)| Cause { name, breaks })
        .collect();
    causes.sort_by_key(|cause| (Reverse(cause.again()), cause.name));
    causes
}
