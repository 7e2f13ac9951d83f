//! What calls read from the provider's cache, and where one read less than the one before it left there.
//!
//! A call whose beginning equals that of the call before reads it from the cache. Providers whose cache is
//! written on request (Anthropic) keep exactly what was written; others (`OpenAI`) cache as well as they can,
//! so less is asked of them.

use super::event::{Call, Note};
use super::reader::Spot;

/// Less than this share of what was cached before is a drop, where caching is explicit.
const EXPLICIT_SHARE: f64 = 0.95;
/// The same where the provider does what it can.
const BEST_EFFORT_SHARE: f64 = 0.85;
/// Prompts up to this many tokens are not cached at all.
const UNCACHED: u64 = 2_000;
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
            Self::GapHour => "gap-1h",
            Self::GapFive => "gap-5m",
            Self::ApiError => "api-error",
            Self::TurnContext => "turn-context",
            Self::Unexplained => "unexplained",
        }
    }
}

/// A call that read less from the cache than the one before it left there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Drop {
    /// The first record of its response.
    pub(crate) spot: Spot,
    /// Tokens that were cached, or could be, after the call before.
    pub(crate) before: u64,
    /// Tokens that this call read.
    pub(crate) after: u64,
    pub(crate) cause: Cause,
}

/// The calls of one history, compared.
#[derive(Debug, Default)]
pub(crate) struct Compared {
    pub(crate) comparisons: usize,
    pub(crate) drops: Vec<Drop>,
}

/// Follows the calls of one history.
#[derive(Debug, Default)]
pub(crate) struct Usage {
    calls: Vec<Seen>,
    /// What may explain a drop, and where it stands.
    causes: Vec<(Position, Cause)>,
}

/// Part of the input, and line in it.
type Position = (u32, u32);

/// A call with its first record.
#[derive(Debug)]
struct Seen {
    spot: Spot,
    /// When the last record of its response was written.
    ended: Option<i64>,
    call: Call,
}

impl Usage {
    /// Takes a call. Records of one response tell of one call, and the last of them has the right numbers.
    pub(crate) fn call(&mut self, spot: Spot, call: &Call) {
        let same = |seen: &&mut Seen| call.response.is_some() && seen.call.response == call.response;
        if let Some(seen) = self.calls.iter_mut().rev().take(8).find(same) {
            seen.ended = call.time.or(seen.ended);
            let began = seen.call.time;
            seen.call = call.clone();
            seen.call.time = began.or(call.time);
            return;
        }
        self.calls.push(Seen {
            spot,
            ended: call.time,
            call: call.clone(),
        });
    }

    pub(crate) fn note(&mut self, spot: Spot, note: Note) {
        let cause = match note {
            Note::TurnContext => Cause::TurnContext,
            Note::ApiError => Cause::ApiError,
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

    /// Compares each call with the one before it, in the order of the record.
    pub(crate) fn compare(mut self) -> Compared {
        self.calls.sort_by_key(|seen| position(seen.spot));
        self.causes.sort_unstable();
        let mut compared = Compared::default();
        for pair in self.calls.windows(2) {
            let [before, now] = pair else { continue };
            self.pair(before, now, &mut compared);
        }
        compared
    }

    fn pair(&self, before: &Seen, now: &Seen, compared: &mut Compared) {
        let best_effort = now.call.best_effort;
        let old = &before.call;
        let cached = old.read + if best_effort { old.input } else { old.written };
        if !best_effort && cached <= UNCACHED {
            return;
        }
        let (from, to) = (position(before.spot), position(now.spot));
        let first = self.causes.partition_point(|(at, _)| *at <= from);
        let between = self.causes[first..].iter().take_while(|(at, _)| *at < to);
        let noted = between.map(|(_, cause)| *cause).min();
        // What a compaction leaves of a prompt is another prompt: where nothing is promised, that is no comparison.
        if !(best_effort && noted == Some(Cause::Compaction)) {
            compared.comparisons += 1;
        }
        let share = if best_effort { BEST_EFFORT_SHARE } else { EXPLICIT_SHARE };
        #[expect(clippy::cast_precision_loss, reason = "token counts are far below 2^52")]
        let is_drop = cached > UNCACHED && (now.call.read as f64) < share * cached as f64;
        if !is_drop {
            return;
        }
        let changed = |before: &Option<std::sync::Arc<str>>, now: &Option<std::sync::Arc<str>>| {
            before.is_some() && now.is_some() && before != now
        };
        let pause = match (before.ended, now.call.time) {
            (Some(ended), Some(began)) => began - ended,
            _ => 0,
        };
        let gap = match pause {
            pause if pause > LONG => Some(Cause::GapHour).filter(|_| !best_effort).or(Some(Cause::GapFive)),
            pause if pause > SHORT => Some(Cause::GapFive),
            _ => None,
        };
        let model = changed(&old.model, &now.call.model).then_some(Cause::Model);
        let version = changed(&old.version, &now.call.version).then_some(Cause::Version);
        let causes = [noted, model, version, gap];
        compared.drops.push(Drop {
            spot: now.spot,
            before: cached,
            after: now.call.read,
            cause: causes.into_iter().flatten().min().unwrap_or(Cause::Unexplained),
        });
    }
}

fn position(spot: Spot) -> Position {
    (spot.file, spot.line)
}

#[cfg(test)]
mod tests {
    use super::{Call, Cause, Note, Usage};
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
        let compared = usage.compare();
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
            best_effort: true,
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
