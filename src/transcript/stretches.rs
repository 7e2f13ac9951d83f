//! Prints of stretches of a text, by which it is found again where it was copied word for word.
//!
//! Of each few neighbouring runs of words the least print is kept, so that two texts with a long run of words in
//! common have a print in common, wherever it stands in them (winnowing: Schleimer, Wilkerson and Aiken, 2003).

use std::collections::VecDeque;
use std::hash::Hasher;

use rustc_hash::FxHasher;

/// How many words in a row make a run: so many of them are no phrase of every day.
const RUN: usize = 12;

/// Of how many neighbouring runs one is kept.
const NEIGHBOURS: usize = 5;

/// Bytes of a text that are looked at.
const MOST: usize = 2048;

/// By what the print of a run is rolled on from word to word.
const BASE: u64 = 0x9E37_79B9_7F4A_7C15;

/// The prints of a text, sorted.
pub(crate) fn of(text: &str) -> Box<[u32]> {
    let end = (0..=MOST.min(text.len())).rev().find(|&at| text.is_char_boundary(at));
    let words: Vec<u64> = text[..end.unwrap_or(0)].split_whitespace().map(print_of).collect();
    if words.len() < RUN {
        return Box::default();
    }
    // What the word that leaves a run weighs in it.
    let weight = (1..RUN).fold(1u64, |weight, _| weight.wrapping_mul(BASE));
    let mut run = words[..RUN - 1]
        .iter()
        .fold(0u64, |run, word| run.wrapping_mul(BASE).wrapping_add(*word));
    let mut kept: Vec<u32> = Vec::new();
    let mut recent: VecDeque<u32> = VecDeque::with_capacity(NEIGHBOURS);
    for (at, word) in words.iter().enumerate().skip(RUN - 1) {
        run = run.wrapping_mul(BASE).wrapping_add(*word);
        if recent.len() == NEIGHBOURS {
            recent.pop_front();
        }
        // Half of the print is enough to tell a few hundred runs apart.
        recent.push_back((run >> 32) as u32);
        let least = recent.iter().min().copied().filter(|_| recent.len() == NEIGHBOURS);
        if let Some(least) = least.filter(|least| kept.last() != Some(least)) {
            kept.push(least);
        }
        run = run.wrapping_sub(words[at + 1 - RUN].wrapping_mul(weight));
    }
    kept.sort_unstable();
    kept.dedup();
    kept.into()
}

fn print_of(word: &str) -> u64 {
    let mut hasher = FxHasher::default();
    hasher.write(word.as_bytes());
    hasher.finish()
}

/// Whether two texts have a print in common.
pub(crate) fn meet(one: &[u32], other: &[u32]) -> bool {
    one.iter().any(|print| other.binary_search(print).is_ok())
}

#[cfg(test)]
mod tests {
    use super::{meet, of};

    const PAGE: &str = "The ferry to the island leaves at nine and at noon from the northern pier, and whoever wants \
        to take a bicycle along has to buy a ticket for it at the kiosk on the day before.";

    #[test]
    fn a_copy_is_found_wherever_it_stands() {
        let copied = "has to be said first: leaves at nine and at noon from the northern pier, and whoever wants to \
            take a bicycle along has to buy more.";
        assert!(meet(&of(copied), &of(PAGE)));
    }

    #[test]
    fn other_words_have_nothing_in_common() {
        let told = "Ferries go to the island twice a day, at nine and at noon; bicycles need a ticket of their own, \
            which is sold at the kiosk the day before.";
        assert!(!meet(&of(told), &of(PAGE)));
        assert_eq!(of("too short").len(), 0);
    }
}
