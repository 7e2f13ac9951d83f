//! Prints of stretches of a text, by which it is found again where it was copied word for word.
//!
//! Of each few neighbouring runs of words the least print is kept, so that two texts with a long run of words in
//! common have a print in common, wherever it stands in them (winnowing: Schleimer, Wilkerson and Aiken, 2003).

use std::hash::Hasher;

use rustc_hash::FxHasher;

/// How many words in a row make a run: so many of them are no phrase of every day.
const RUN: usize = 12;

/// Of how many neighbouring runs one is kept.
const NEIGHBOURS: usize = 5;

/// Bytes of a text that are looked at.
pub(crate) const MOST: usize = 2048;

/// By what the print of a run is rolled on from word to word.
const BASE: u64 = 0x9E37_79B9_7F4A_7C15;

/// The prints of a text, sorted.
pub(crate) fn of(text: &str) -> Box<[u32]> {
    let end = (0..=MOST.min(text.len())).rev().find(|&at| text.is_char_boundary(at));
    let text = &text[..end.unwrap_or(0)];
    let mut winnow = Winnow::default();
    if text.is_ascii() {
        let words = text.as_bytes().split(|byte| matches!(byte, b' ' | b'\t'..=b'\r'));
        words.filter(|word| !word.is_empty()).for_each(|word| winnow.take(word));
    } else {
        text.split_whitespace().for_each(|word| winnow.take(word.as_bytes()));
    }
    let mut kept = winnow.kept;
    kept.sort_unstable();
    kept.dedup();
    kept.into()
}

/// What a word that leaves a run weighs in it.
const WEIGHT: u64 = {
    let (mut weight, mut at) = (1u64, 1);
    while at < RUN {
        weight = weight.wrapping_mul(BASE);
        at += 1;
    }
    weight
};

/// Keeps the least print of each few neighbouring runs.
#[derive(Default)]
struct Winnow {
    words: [u64; RUN],
    /// How many words were taken.
    count: usize,
    run: u64,
    /// The prints of the last runs.
    recent: [u32; NEIGHBOURS],
    kept: Vec<u32>,
}

impl Winnow {
    fn take(&mut self, word: &[u8]) {
        let word = print_of(word);
        let leaves = std::mem::replace(&mut self.words[self.count % RUN], word);
        self.run = self.run.wrapping_sub(leaves.wrapping_mul(WEIGHT));
        self.run = self.run.wrapping_mul(BASE).wrapping_add(word);
        self.count += 1;
        let Some(runs) = (self.count + 1).checked_sub(RUN).filter(|runs| *runs > 0) else {
            return;
        };
        // Half of the print is enough to tell a few hundred runs apart.
        self.recent[runs % NEIGHBOURS] = (self.run >> 32) as u32;
        let least = self.recent.into_iter().fold(u32::MAX, u32::min);
        if runs >= NEIGHBOURS && self.kept.last() != Some(&least) {
            self.kept.push(least);
        }
    }
}

fn print_of(word: &[u8]) -> u64 {
    let mut hasher = FxHasher::default();
    hasher.write(word);
    hasher.finish()
}

/// Whether two texts have a print in common.
pub(crate) fn meet(one: &[u32], other: &[u32]) -> bool {
    one.iter().any(|print| other.binary_search(print).is_ok())
}

#[cfg(test)]
mod tests {
    use super::{BASE, NEIGHBOURS, RUN, meet, of, print_of};

    const PAGE: &str = "The ferry to the island leaves at nine and at noon from the northern pier, and whoever wants \
        to take a bicycle along has to buy a ticket for it at the kiosk on the day before.";

    #[test]
    fn a_copy_is_found_wherever_it_stands() {
        let copied = "has to be said first: leaves at nine and at noon from the northern pier, and whoever wants to \
            take a bicycle along has to buy more.";
        assert!(meet(&of(copied), &of(PAGE)));
    }

    #[test]
    fn of_each_few_neighbouring_runs_the_least_is_kept() {
        let text: String = (0..200)
            .map(|n: u32| format!("w{} ", n * n % 61))
            .collect::<Vec<_>>()
            .concat();
        for text in [
            text.replace(' ', "\u{b} \n"),
            text.replace('7', "\u{e9}").replace(' ', "\u{a0}"),
        ] {
            let words: Vec<u64> = text.split_whitespace().map(|word| print_of(word.as_bytes())).collect();
            let roll = |run: u64, word: &u64| run.wrapping_mul(BASE).wrapping_add(*word);
            let runs: Vec<u32> = words
                .windows(RUN)
                .map(|run| (run.iter().fold(0, roll) >> 32) as u32)
                .collect();
            let mut kept: Vec<u32> = runs
                .windows(NEIGHBOURS)
                .filter_map(|few| few.iter().min().copied())
                .collect();
            kept.sort_unstable();
            kept.dedup();
            assert_eq!(*of(&text), *kept, "{text}");
        }
    }

    #[test]
    fn other_words_have_nothing_in_common() {
        let told = "Ferries go to the island twice a day, at nine and at noon; bicycles need a ticket of their own, \
            which is sold at the kiosk the day before.";
        assert!(!meet(&of(told), &of(PAGE)));
        assert_eq!(of("too short").len(), 0);
    }
}
