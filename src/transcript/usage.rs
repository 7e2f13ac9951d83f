//! What calls read from the provider's cache, and where one read less than the one before it left there.
//!
//! A call whose beginning equals that of the call before reads it from the cache. Providers whose cache is
//! written on request (Anthropic) keep exactly what was written; others (`OpenAI`) cache as well as they can,
//! so less is asked of them.

use std::collections::BTreeMap;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::callview::{Break, Prefix};
use super::event::{Caching, Call, Note};
use super::reader::Spot;

/// Less than this share of what was cached before is a drop, where caching is explicit.
const EXPLICIT_SHARE: f64 = 0.95;
/// The same where the provider does what it can.
const BEST_EFFORT_SHARE: f64 = 0.85;
/// Prompts up to this many tokens are not cached at all.
const UNCACHED: u64 = 2_000;
/// The same where the length of texts is all that is known: what providers ask for at least.
const CACHEABLE: u64 = 1_024;
/// How long a cache lives, in milliseconds: five minutes, or an hour. Which of them holds for the whole of a prompt
/// is not recorded, so the shorter explains a drop.
const SHORT: i64 = 5 * 60 * 1000;
const LONG: i64 = 60 * 60 * 1000;

/// Why a call read less from the cache, most telling first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Cause {
    Compaction,
    Microcompaction,
    Model,
    Version,
    /// Other tools were offered.
    Tools,
    /// More than an hour passed.
    GapHour,
    /// More than five minutes passed.
    GapFive,
    ApiError,
    TurnContext,
    Unexplained,
}

impl Cause {
    /// The word used in every output.
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::Compaction => "compaction",
            Self::Microcompaction => "microcompaction",
            Self::Model => "model",
            Self::Version => "version",
            Self::Tools => "tools",
            Self::GapHour => "gap-1h",
            Self::GapFive => "gap-5m",
            Self::ApiError => "api-error",
            Self::TurnContext => "turn-context",
            Self::Unexplained => "unexplained",
        }
    }
}

/// A call that read less from the cache than the one before it left there.
#[derive(Clone, Debug)]
pub(crate) struct Drop {
    /// The first record of its response.
    pub(crate) spot: Spot,
    /// The first record of the response before.
    pub(crate) previous: Spot,
    /// Tokens that were cached, or could be, after the call before.
    pub(crate) before: u64,
    /// Tokens that this call read.
    pub(crate) after: u64,
    /// Tokens that are paid again: of those that were cached, as many as this call sent anew.
    pub(crate) again: u64,
    /// How many of [`Self::again`] were written to the cache once more.
    pub(crate) written: u64,
    pub(crate) cause: Cause,
    pub(crate) caching: Caching,
    pub(crate) model: Option<Arc<str>>,
    /// Whether the numbers are expected from the lengths of texts, since none are recorded.
    pub(crate) estimated: bool,
    /// The first message by which the call differs, where that is known.
    pub(crate) broken: Option<Break>,
    /// Whether what was sent is recorded, and begins with all that was sent before.
    pub(crate) unchanged: bool,
    /// How many unexplained drops of this history read as much as this one, this one with them.
    pub(crate) same_floor: usize,
}

/// What the calls of one history came to.
#[derive(Clone, Debug, Default)]
pub(crate) struct Compared {
    pub(crate) comparisons: usize,
    pub(crate) drops: Vec<Drop>,
    /// What the provider counted, by model.
    pub(crate) tokens: BTreeMap<Option<Arc<str>>, Tokens>,
}

/// Tokens by class, as the provider counted them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Tokens {
    /// Responses; each counts once, however many records tell of it.
    pub(crate) calls: u64,
    /// Neither read from the cache nor written to it.
    pub(crate) input: u64,
    pub(crate) read: u64,
    pub(crate) written: u64,
    /// How many of [`Self::written`] are kept for an hour.
    pub(crate) written_hour: u64,
    pub(crate) output: u64,
}

/// Follows the calls of one history.
#[derive(Debug, Default)]
pub(crate) struct Usage {
    calls: Vec<Seen>,
    /// What may explain a drop, and where it stands.
    causes: Vec<(Position, Cause)>,
    /// Where the history changed before its end.
    changes: Vec<(Position, Break)>,
    /// A prompt whose cost was not told yet.
    waiting: Option<(Spot, Prefix)>,
}

/// Part of the input, and line in it.
type Position = (u32, u32);

/// A call with its first record.
#[derive(Debug)]
struct Seen {
    spot: Spot,
    /// When the last record of its response was written.
    ended: Option<i64>,
    /// What it cost, if that is recorded.
    call: Option<Call>,
    prompt: Option<Prefix>,
}

impl Seen {
    /// The model that answered, or else that was asked.
    fn model(&self) -> Option<Arc<str>> {
        let answered = self.call.as_ref().and_then(|call| call.model.as_ref());
        let asked = self.prompt.as_ref().and_then(|prefix| prefix.model.as_ref());
        answered.or(asked).cloned()
    }
}

impl Usage {
    /// Takes a call. Records of one response tell of one call, and the last of them has the right numbers.
    pub(crate) fn call(&mut self, spot: Spot, call: &Call) {
        let same = |seen: &&mut Seen| {
            let known = seen.call.as_ref().and_then(|call| call.response.as_ref());
            call.response.is_some() && known == call.response.as_ref()
        };
        if let Some(seen) = self.calls.iter_mut().rev().take(8).find(same) {
            seen.ended = call.time.or(seen.ended);
            let began = seen.call.as_ref().and_then(|call| call.time);
            seen.call = Some(Call {
                time: began.or(call.time),
                ..call.clone()
            });
            return;
        }
        let prompt = self.waiting.take();
        self.calls.push(Seen {
            spot,
            ended: call.time,
            call: Some(call.clone()),
            prompt: prompt.map(|(_, prefix)| prefix),
        });
    }

    /// Takes what a call sent, before what it cost.
    pub(crate) fn prompt(&mut self, spot: Spot, prefix: Prefix) {
        self.unbilled();
        self.waiting = Some((spot, prefix));
    }

    /// Takes a change of the history that the next call cannot go on with.
    pub(crate) fn change(&mut self, spot: Spot, change: Break) {
        self.changes.push((position(spot), change));
    }

    pub(crate) fn note(&mut self, spot: Spot, note: Note) {
        let cause = match note {
            Note::TurnContext => Cause::TurnContext,
            Note::ApiError => Cause::ApiError,
            Note::Compacted => Cause::Compaction,
        };
        self.causes.push((position(spot), cause));
    }

    pub(crate) fn compaction(&mut self, spot: Spot, micro: bool) {
        let cause = if micro {
            Cause::Microcompaction
        } else {
            Cause::Compaction
        };
        self.causes.push((position(spot), cause));
    }

    /// A prompt of which nobody says what it cost.
    fn unbilled(&mut self) {
        if let Some((spot, prefix)) = self.waiting.take() {
            self.calls.push(Seen {
                spot,
                ended: None,
                call: None,
                prompt: Some(prefix),
            });
        }
    }

    /// Compares each call with the one before it, in the order of the record; none if nothing is known of calls.
    pub(crate) fn compare(mut self) -> Option<Compared> {
        self.unbilled();
        if self.calls.is_empty() {
            return None;
        }
        self.calls.sort_by_key(|seen| position(seen.spot));
        self.causes.sort_unstable();
        self.changes.sort_by_key(|(at, _)| *at);
        let mut compared = Compared::default();
        for call in self.calls.iter().filter_map(|seen| seen.call.as_ref()) {
            compared.tokens.entry(call.model.clone()).or_default().add(call);
        }
        let prompts = self.calls.iter().enumerate();
        let prompts: FxHashMap<u32, usize> = prompts
            .filter_map(|(at, seen)| Some((seen.prompt.as_ref()?.number, at)))
            .collect();
        for (at, now) in self.calls.iter().enumerate() {
            // What was sent says what it goes on with; where that is not recorded, it is what came before.
            let before = match &now.prompt {
                Some(prompt) => prompt.follows.and_then(|number| prompts.get(&number).copied()),
                None => at.checked_sub(1),
            };
            let Some(before) = before.map(|at| &self.calls[at]) else {
                continue;
            };
            match (&before.call, &now.call) {
                (Some(old), Some(new)) if old.caching != Caching::Unknown && new.caching != Caching::Unknown => {
                    self.pair((before, old), (now, new), &mut compared);
                }
                _ => self.prompts(before, now, &mut compared),
            }
        }
        count_floors(&mut compared.drops);
        let says_something = compared.comparisons > 0 || !compared.tokens.is_empty();
        says_something.then_some(compared)
    }

    fn pair(&self, (before, old): (&Seen, &Call), (now, new): (&Seen, &Call), compared: &mut Compared) {
        let best_effort = new.caching == Caching::BestEffort;
        let cached = old.read + if best_effort { old.input } else { old.written };
        // What was sent for one call only is not expected to be there.
        let cached = now
            .prompt
            .as_ref()
            .map_or(cached, |prompt| prompt.without_batch(cached));
        if !best_effort && cached <= UNCACHED {
            return;
        }
        let noted = self.noted(before, now);
        // What a compaction leaves of a prompt is another prompt: where nothing is promised, that is no comparison.
        if !(best_effort && noted == Some(Cause::Compaction)) {
            compared.comparisons += 1;
        }
        let share = if best_effort { BEST_EFFORT_SHARE } else { EXPLICIT_SHARE };
        if cached <= UNCACHED || !is_less(new.read, share, cached) {
            return;
        }
        let changed =
            |before: &Option<Arc<str>>, now: &Option<Arc<str>>| before.is_some() && now.is_some() && before != now;
        let pause = match (before.ended, new.time) {
            (Some(ended), Some(began)) => began - ended,
            _ => 0,
        };
        let gap = match pause {
            pause if pause > LONG => Some(Cause::GapHour).filter(|_| !best_effort).or(Some(Cause::GapFive)),
            pause if pause > SHORT => Some(Cause::GapFive),
            _ => None,
        };
        let model = changed(&old.model, &new.model).then_some(Cause::Model);
        let version = changed(&old.version, &new.version).then_some(Cause::Version);
        let tools = now.prompt.as_ref().is_some_and(|prefix| prefix.tools_changed);
        let causes = [noted, model, version, tools.then_some(Cause::Tools), gap];
        let again = (cached - new.read).min(new.input + new.written);
        let change = self.changed(before, now);
        compared.drops.push(Drop {
            spot: now.spot,
            previous: before.spot,
            before: cached,
            after: new.read,
            again,
            written: again.min(new.written),
            cause: causes.into_iter().flatten().min().unwrap_or(Cause::Unexplained),
            caching: new.caching,
            model: new.model.clone(),
            estimated: false,
            broken: match &now.prompt {
                Some(prefix) => prefix.broken.clone(),
                None => change,
            },
            unchanged: now
                .prompt
                .as_ref()
                .is_some_and(|prefix| prefix.follows.is_some() && prefix.broken.is_none()),
            same_floor: 0,
        });
    }

    /// Compares prompts of which nobody says what was read from the cache.
    fn prompts(&self, before: &Seen, now: &Seen, compared: &mut Compared) {
        let Some(prefix) = now.prompt.as_ref().filter(|prefix| prefix.follows.is_some()) else {
            return;
        };
        compared.comparisons += 1;
        let Some(broken) = &prefix.broken else { return };
        if prefix.before <= CACHEABLE || !is_less(prefix.shared, EXPLICIT_SHARE, prefix.before) {
            return;
        }
        let compaction = prefix.summarised.then_some(Cause::Compaction);
        let tools = prefix.tools_changed.then_some(Cause::Tools);
        let models = [before, now].map(Seen::model);
        let model = match &models {
            [Some(old), Some(new)] if old != new => Some(Cause::Model),
            _ => None,
        };
        let causes = [self.noted(before, now), compaction, model, tools];
        let [_, model] = models;
        compared.drops.push(Drop {
            spot: now.spot,
            previous: before.spot,
            before: prefix.before,
            after: prefix.shared,
            again: (prefix.before - prefix.shared).min(prefix.tokens - prefix.shared),
            written: 0,
            cause: causes.into_iter().flatten().min().unwrap_or(Cause::Unexplained),
            caching: Caching::Unknown,
            model,
            estimated: true,
            broken: Some(broken.clone()),
            unchanged: false,
            same_floor: 0,
        });
    }

    /// What the record says between two calls that explains a drop.
    fn noted(&self, before: &Seen, now: &Seen) -> Option<Cause> {
        let (from, to) = (position(before.spot), position(now.spot));
        let first = self.causes.partition_point(|(at, _)| *at <= from);
        let between = self.causes[first..].iter().take_while(|(at, _)| *at < to);
        between.map(|(_, cause)| *cause).min()
    }

    /// The first place at which the history changed between two calls.
    fn changed(&self, before: &Seen, now: &Seen) -> Option<Break> {
        let (from, to) = (position(before.spot), position(now.spot));
        let first = self.changes.partition_point(|(at, _)| *at <= from);
        let between = self.changes[first..].iter().take_while(|(at, _)| *at <= to);
        let (_, change) = between.min_by_key(|(_, change)| change.at)?;
        Some(change.clone())
    }
}

impl Tokens {
    /// Counts a response.
    fn add(&mut self, call: &Call) {
        if [call.input, call.read, call.written, call.output] == [0; 4] {
            // Told without a response, as Codex does of what a compaction leaves.
            return;
        }
        let add = |sum: &mut u64, tokens: u64| *sum = sum.saturating_add(tokens);
        add(&mut self.calls, call.responses.unwrap_or(1));
        add(&mut self.input, call.input);
        add(&mut self.read, call.read);
        add(&mut self.written, call.written);
        add(&mut self.written_hour, call.written_hour.min(call.written));
        add(&mut self.output, call.output);
    }
}

/// Whether `read` is less than this share of `cached`.
#[expect(clippy::cast_precision_loss, reason = "token counts are far below 2^52")]
fn is_less(read: u64, share: f64, cached: u64) -> bool {
    (read as f64) < share * cached as f64
}

/// Counts for each unexplained drop how many read as much: what stands behind that place changes again and again.
fn count_floors(drops: &mut [Drop]) {
    let mut floors: Vec<u64> = drops
        .iter()
        .filter(|drop| drop.cause == Cause::Unexplained)
        .map(|drop| drop.after)
        .collect();
    floors.sort_unstable();
    for drop in drops.iter_mut().filter(|drop| drop.cause == Cause::Unexplained) {
        let near = drop.after / 100;
        let from = floors.partition_point(|floor| *floor + near < drop.after);
        let to = floors.partition_point(|floor| *floor <= drop.after + near);
        drop.same_floor = to - from;
    }
}

fn position(spot: Spot) -> Position {
    (spot.file, spot.line)
}

#[cfg(test)]
mod tests {
    use super::{Caching, Call, Cause, Note, Usage};
    use crate::transcript::reader::Spot;

    fn spot(line: u32) -> Spot {
        Spot {
            file: 0,
            line,
            column: 1,
            end_line: line,
            offset: 0,
            len: 0,
        }
    }

    fn call(id: &str, time: i64, read: u64, written: u64) -> Call {
        Call {
            response: Some(id.into()),
            time: Some(time),
            read,
            written,
            ..Call::default()
        }
    }

    fn causes(usage: Usage) -> (usize, Vec<(u32, u64, u64, Cause)>) {
        let compared = usage.compare().expect("there are calls");
        let drop = |drop: &super::Drop| (drop.spot.line, drop.before, drop.after, drop.cause);
        (compared.comparisons, compared.drops.iter().map(drop).collect())
    }

    #[test]
    fn a_call_that_reads_less_than_was_left_is_a_drop_with_its_cause() {
        let mut usage = Usage::default();
        usage.call(spot(1), &call("a", 0, 0, 10_000));
        usage.call(spot(2), &call("b", 1_000, 10_000, 500));
        usage.call(spot(3), &call("c", 2_000, 3_000, 8_000));
        usage.call(spot(4), &call("d", 400_000, 3_000, 8_000));
        usage.note(spot(5), Note::ApiError);
        usage.call(spot(6), &call("e", 401_000, 3_000, 8_000));
        usage.compaction(spot(7), false);
        usage.call(spot(8), &call("f", 5_000_000, 3_000, 8_000));
        let expected = vec![
            (3, 10_500, 3_000, Cause::Unexplained),
            (4, 11_000, 3_000, Cause::GapFive),
            (6, 11_000, 3_000, Cause::ApiError),
            (8, 11_000, 3_000, Cause::Compaction),
        ];
        assert_eq!(causes(usage), (5, expected));
    }

    #[test]
    fn records_of_one_response_are_one_call_and_the_last_counts() {
        let mut usage = Usage::default();
        usage.call(spot(1), &call("a", 0, 0, 1));
        usage.call(spot(2), &call("a", 1, 0, 9_000));
        usage.call(spot(3), &call("b", 2, 9_000, 0));
        assert_eq!(causes(usage), (1, vec![]));
    }

    #[test]
    fn a_cache_that_promises_nothing_is_asked_for_less() {
        let best_effort = |id: &str, input, read| Call {
            input,
            read,
            caching: Caching::BestEffort,
            ..call(id, 0, 0, 0)
        };
        let mut usage = Usage::default();
        usage.call(spot(1), &best_effort("a", 10_000, 0));
        usage.call(spot(2), &best_effort("b", 1_500, 8_600));
        usage.call(spot(3), &best_effort("c", 8_000, 2_432));
        usage.compaction(spot(4), false);
        usage.call(spot(5), &best_effort("d", 3_000, 0));
        let expected = vec![
            (3, 10_100, 2_432, Cause::Unexplained),
            (5, 10_432, 0, Cause::Compaction),
        ];
        assert_eq!(causes(usage), (2, expected));
    }
}
