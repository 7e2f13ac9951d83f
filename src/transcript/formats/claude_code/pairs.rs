//! Calls, their results and the responses they belong to, of one history.

use rustc_hash::{FxHashMap, FxHashSet};

use super::links::{Links, NONE};
use super::responses::{Responses, Words};
use super::sessions::Thread;
use crate::transcript::event::{Call, Note};
use crate::transcript::reader::Spot;

/// What the threads say that make up one history.
#[derive(Debug)]
pub(super) struct Pairs {
    calls: Vec<(u32, u32)>,
    results: Vec<(u32, u32)>,
    notes: Vec<(u32, Note)>,
    /// For each thread its responses; and which of all responses each of them is.
    responses: FxHashMap<u32, (Responses, Vec<u32>)>,
}

impl Pairs {
    /// Takes the threads at these places together.
    pub(super) fn of(places: &[usize], threads: Vec<Thread>) -> Self {
        let mut pairs = Self {
            calls: Vec::new(),
            results: Vec::new(),
            notes: Vec::new(),
            responses: FxHashMap::default(),
        };
        let mut before = 0;
        for (&place, mut thread) in places.iter().zip(threads) {
            pairs.calls.append(&mut thread.calls);
            pairs.results.append(&mut thread.results);
            pairs.notes.append(&mut thread.notes);
            let joined = thread.responses.join();
            let numbers: Vec<u32> = joined.iter().map(|at| before + at).collect();
            before += joined.len() as u32;
            pairs.responses.insert(place as u32, (thread.responses, numbers));
        }
        pairs
    }

    /// Which response a line is a part of.
    pub(super) fn response(&self, links: &Links, at: u32) -> Option<u32> {
        let node = links.node(at);
        let (_, numbers) = self.responses.get(&node.thread).filter(|_| node.response != NONE)?;
        numbers.get(node.response as usize).copied()
    }

    pub(super) fn notes(&self, links: &Links) -> Vec<(Spot, Note)> {
        self.notes
            .iter()
            .map(|&(at, note)| (links.node(at).spot(), note))
            .collect()
    }

    /// What the responses cost.
    pub(super) fn calls(&self, links: &Links, words: &Words) -> Vec<(Spot, Call)> {
        self.responses
            .values()
            .flat_map(|(responses, _)| responses.calls(links, words))
            .collect()
    }

    /// Puts back what parallel calls left beside the chain: other lines of a response, and results of its calls.
    pub(super) fn recover(&self, links: &Links, chain: &mut Vec<u32>, own: &[u32]) {
        let on_chain: FxHashSet<u32> = chain.iter().copied().collect();
        let mut last_of: FxHashMap<u32, u32> = FxHashMap::default();
        for &at in chain.iter() {
            last_of.extend(self.response(links, at).map(|response| (response, at)));
        }
        // Which response owns a call; one that two make belongs to neither.
        let mut owners: FxHashMap<u32, Option<u32>> = FxHashMap::default();
        for &(call, at) in &self.calls {
            let response = self.response(links, at);
            let owner = owners.entry(call).or_insert(response);
            if *owner != response {
                *owner = None;
            }
        }
        let mut answered: FxHashSet<u32> = FxHashSet::default();
        answered.extend(
            self.results
                .iter()
                .filter(|(_, at)| on_chain.contains(at))
                .map(|(call, _)| *call),
        );
        let mut results_of: FxHashMap<u32, Vec<u32>> = FxHashMap::default();
        for &(call, at) in self.results.iter().filter(|(_, at)| !on_chain.contains(at)) {
            results_of.entry(at).or_default().push(call);
        }
        let mut siblings: FxHashMap<u32, Vec<u32>> = FxHashMap::default();
        let mut results: FxHashMap<u32, Vec<u32>> = FxHashMap::default();
        for &at in own.iter().filter(|at| !on_chain.contains(at)) {
            let own_response = self.response(links, at);
            if let Some(&last) = own_response.and_then(|response| last_of.get(&response)) {
                siblings.entry(last).or_default().push(at);
                continue;
            }
            let Some(calls) = results_of.get(&at) else { continue };
            let of_line = |line: Option<u32>| line.and_then(|line| self.response(links, line));
            let parent = of_line(links.parent(at));
            let source = || of_line(links.sources.get(&at).and_then(|id| links.place(*id)));
            let owner = || calls.iter().find_map(|call| owners.get(call).copied().flatten());
            let response = parent
                .filter(|response| last_of.contains_key(response))
                .or_else(source)
                .or_else(owner);
            let Some(&last) = response.and_then(|response| last_of.get(&response)) else {
                continue;
            };
            if calls.iter().any(|call| answered.insert(*call)) {
                results.entry(last).or_default().push(at);
            }
        }
        if siblings.is_empty() && results.is_empty() {
            return;
        }
        let mut whole = Vec::with_capacity(chain.len());
        for at in chain.drain(..) {
            whole.push(at);
            // A message that a compaction kept stands there twice.
            whole.extend(siblings.get(&at).into_iter().flatten());
            whole.extend(results.get(&at).into_iter().flatten());
        }
        *chain = whole;
    }
}
