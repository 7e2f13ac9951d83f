//! Responses of the model, and what each cost.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::links::{Links, NONE, grow};
use crate::transcript::event::{Caching, Call};
use crate::transcript::formats::requests::compactions;
use crate::transcript::formats::time;
use crate::transcript::json::{self, Object};
use crate::transcript::message::hash_of;
use crate::transcript::reader::Spot;

/// How many responses back a line may belong to one that others came behind: subagents and parallel calls.
const NEAR: usize = 8;

/// Stands for the tokens of a response that cost nothing.
const UNBILLED: [u32; 5] = [u32::MAX; 5];

/// Texts that are said over and over, held once.
#[derive(Debug, Default)]
pub(super) struct Words {
    texts: Vec<Arc<str>>,
    places: FxHashMap<u64, u32>,
}

impl Words {
    fn place(&mut self, text: Option<&str>) -> u32 {
        let Some(text) = text else { return NONE };
        let next = self.texts.len() as u32;
        let at = *self.places.entry(hash_of(text)).or_insert(next);
        if at == next {
            self.texts.push(text.into());
        }
        at
    }

    fn text(&self, at: u32) -> Option<Arc<str>> {
        self.texts.get(at as usize).cloned()
    }
}

/// The responses of one thread, in the order in which they began.
#[derive(Debug, Default)]
pub(super) struct Responses(Vec<Response>);

/// A response: several lines may tell of it, the last has the right numbers. 56 bytes.
#[derive(Clone, Copy, Debug)]
struct Response {
    /// Hash of its id; 0 without one.
    id: u64,
    first: u32,
    /// When its first line was written, in milliseconds since 1970; the least number where that is not told.
    began: i64,
    /// Milliseconds from the one to the other.
    took: u32,
    /// Tokens: neither read nor written, read, written, put out, and how many of the written ones are kept for an
    /// hour. The first is the largest number where nothing was billed.
    tokens: [u32; 5],
    model: u32,
    version: u32,
}

impl Responses {
    /// Takes a line; says which response it belongs to.
    pub(super) fn take(&mut self, at: u32, object: &Object<'_>, message: &Object<'_>, words: &mut Words) -> u32 {
        let id = message.some("id").and_then(json::string).map_or(0, |id| hash_of(&*id));
        let model = message.string("model");
        let usage = message
            .object("usage")
            .filter(|_| model.as_deref() != Some("<synthetic>"));
        let time = object
            .string("timestamp")
            .and_then(|text| time::parse(&text))
            .unwrap_or(i64::MIN);
        let new = Response {
            id,
            first: at,
            began: time,
            took: 0,
            tokens: usage.map_or(UNBILLED, |usage| tokens(&usage)),
            model: words.place(model.as_deref()),
            version: words.place(object.string("version").as_deref()),
        };
        let recent = self.0.len().saturating_sub(NEAR);
        let known = self.0[recent..].iter().rposition(|known| id != 0 && known.id == id);
        if let Some(known) = known.map(|known| recent + known) {
            self.0[known].go_on(&new);
            return known as u32;
        }
        grow(&mut self.0);
        self.0.push(new);
        (self.0.len() - 1) as u32
    }

    /// Puts responses together of which others came in between; says which each belongs to.
    pub(super) fn join(&mut self) -> Vec<u32> {
        let mut firsts: FxHashMap<u64, u32> = FxHashMap::default();
        let mut canon: Vec<u32> = (0..self.0.len() as u32).collect();
        for (at, joined) in canon.iter_mut().enumerate() {
            let id = self.0[at].id;
            let first = *firsts.entry(id).or_insert(at as u32);
            if id != 0 && first as usize != at {
                let later = self.0[at];
                self.0[first as usize].go_on(&later);
                self.0[at].tokens = UNBILLED;
                *joined = first;
            }
        }
        canon
    }

    /// What each cost: where its first line stands, when it began, and again when it had ended.
    pub(super) fn calls(&self, links: &Links, words: &Words) -> Vec<(Spot, Call)> {
        let mut calls = Vec::new();
        for response in &self.0 {
            if response.tokens == UNBILLED {
                continue;
            }
            let [input, read, written, output, written_hour] = response.tokens.map(u64::from);
            let call = |time: i64| Call {
                response: Some(format!("{:x} {}", response.id, response.first).into()),
                time: Some(time).filter(|time| *time != i64::MIN),
                model: words.text(response.model),
                version: words.text(response.version),
                input,
                read,
                written,
                written_hour,
                output,
                caching: Caching::Explicit,
                ..Call::default()
            };
            let spot = links.node(response.first).spot();
            calls.push((spot, call(response.began)));
            if response.took > 0 {
                calls.push((spot, call(response.began.saturating_add(i64::from(response.took)))));
            }
        }
        calls
    }
}

impl Response {
    /// Takes over what a later line says.
    fn go_on(&mut self, later: &Self) {
        let took = later
            .began
            .saturating_add(i64::from(later.took))
            .saturating_sub(self.began);
        self.took = u32::try_from(took).unwrap_or(0);
        if later.tokens != UNBILLED {
            (self.tokens, self.model, self.version) = (later.tokens, later.model, later.version);
        }
    }
}

fn tokens(usage: &Object<'_>) -> [u32; 5] {
    let number = |object: &Object<'_>, key| object.number(key).unwrap_or(0);
    let nested = usage.object("cache_creation").unwrap_or_default();
    let tiers = ["ephemeral_5m_input_tokens", "ephemeral_1h_input_tokens"].map(|key| number(&nested, key));
    // Some versions wrote the flat number as 0.
    let written = number(usage, "cache_creation_input_tokens").max(tiers[0].saturating_add(tiers[1]));
    let all = [
        // Compactions that the provider made within a call are counted beside it.
        number(usage, "input_tokens").saturating_add(compactions(usage, "input_tokens")),
        number(usage, "cache_read_input_tokens"),
        written,
        number(usage, "output_tokens").saturating_add(compactions(usage, "output_tokens")),
        tiers[1],
    ];
    all.map(|number| u32::try_from(number).unwrap_or(u32::MAX))
}
