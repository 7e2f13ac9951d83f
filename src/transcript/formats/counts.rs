//! What a response cost, from counts that are made differently.
//!
//! Anthropic counts what was read from its cache and what was written to it beside the input, `OpenAI` and Google
//! count it among the input; Google counts thoughts beside the output, `OpenAI` among it. Programs between them and
//! the record do the one or the other. Where the record tells a total, the total decides; where it does not, what
//! the format is known for.

use crate::transcript::event::{Caching, Call};
use crate::transcript::json::Object;

/// Where a class of tokens is counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Counted {
    /// Among the input, or among the output.
    #[default]
    Within,
    Beside,
}

impl Counted {
    pub(super) const fn beside(is_beside: bool) -> Self {
        if is_beside { Self::Beside } else { Self::Within }
    }

    const fn other(self) -> Self {
        match self {
            Self::Within => Self::Beside,
            Self::Beside => Self::Within,
        }
    }
}

/// The counts of one response.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Counts {
    pub(super) input: u64,
    /// Read from the cache; none where the record does not say.
    pub(super) read: Option<u64>,
    /// Written to the cache; none where the record does not say.
    pub(super) written: Option<u64>,
    /// How much of what was written is kept for an hour.
    pub(super) hour: u64,
    pub(super) output: u64,
    pub(super) thoughts: u64,
    /// All of it, as the provider counts; none where the record does not say, or adds up by itself.
    pub(super) total: Option<u64>,
    /// Where what was read and written is counted, as far as the format is known.
    pub(super) cached: Counted,
    /// Where thoughts are counted, as far as the format is known.
    pub(super) thought: Counted,
}

impl Counts {
    /// The call, without what is known beside its tokens; none if nothing was counted.
    pub(super) fn call(self, caching: Caching) -> Option<Call> {
        let (read, written) = (self.read.unwrap_or(0), self.written.unwrap_or(0));
        let cached = read.saturating_add(written);
        let (cache, thought) = self.settled(cached);
        let input = match cache {
            Counted::Within => self.input.saturating_sub(cached),
            Counted::Beside => self.input,
        };
        let output = match thought {
            Counted::Within => self.output,
            Counted::Beside => self.output.saturating_add(self.thoughts),
        };
        let known = self.read.is_some() || self.written.is_some();
        (input > 0 || cached > 0 || output > 0).then(|| Call {
            input,
            read,
            written,
            written_hour: self.hour.min(written),
            output,
            caching: if known { caching } else { Caching::Unknown },
            ..Call::default()
        })
    }

    /// Where the cached tokens and the thoughts are counted.
    fn settled(self, cached: u64) -> (Counted, Counted) {
        // A part is never larger than the whole.
        let cache = if self.input < cached {
            Counted::Beside
        } else {
            self.cached
        };
        let thought = if self.output < self.thoughts {
            Counted::Beside
        } else {
            self.thought
        };
        let sum = |(cache, thought): (Counted, Counted)| {
            let beside = |counted, tokens| if counted == Counted::Beside { tokens } else { 0 };
            self.input
                .saturating_add(self.output)
                .saturating_add(beside(cache, cached))
                .saturating_add(beside(thought, self.thoughts))
        };
        let possible = [
            (cache, thought),
            (cache, thought.other()),
            (cache.other(), thought),
            (cache.other(), thought.other()),
        ];
        let fits = possible.into_iter().find(|told| Some(sum(*told)) == self.total);
        fits.unwrap_or((cache, thought))
    }
}

/// The first of these keys that tells a number.
pub(super) fn first(object: &Object<'_>, keys: &[&str]) -> Option<u64> {
    keys.iter().find_map(|key| object.number(key))
}

#[cfg(test)]
mod tests {
    use super::{Counted, Counts};
    use crate::transcript::event::{Caching, Call};

    fn call(counts: Counts) -> [u64; 5] {
        let call = counts.call(Caching::Explicit).unwrap_or_default();
        [call.input, call.read, call.written, call.written_hour, call.output]
    }

    const COUNTS: Counts = Counts {
        input: 100,
        read: Some(60),
        written: Some(10),
        hour: 4,
        output: 20,
        thoughts: 5,
        total: None,
        cached: Counted::Within,
        thought: Counted::Within,
    };

    #[test]
    fn without_a_total_the_format_decides() {
        assert_eq!(call(COUNTS), [30, 60, 10, 4, 20]);
        let beside = Counts {
            cached: Counted::Beside,
            thought: Counted::Beside,
            ..COUNTS
        };
        assert_eq!(call(beside), [100, 60, 10, 4, 25]);
    }

    #[test]
    fn a_total_decides_over_the_format() {
        let total = |total| Counts {
            total: Some(total),
            ..COUNTS
        };
        assert_eq!(call(total(120)), [30, 60, 10, 4, 20]);
        assert_eq!(call(total(125)), [30, 60, 10, 4, 25]);
        assert_eq!(call(total(190)), [100, 60, 10, 4, 20]);
        assert_eq!(call(total(195)), [100, 60, 10, 4, 25]);
        // One that fits nothing decides nothing.
        assert_eq!(call(total(7)), [30, 60, 10, 4, 20]);
    }

    #[test]
    fn a_part_is_never_larger_than_the_whole() {
        let counts = Counts {
            input: 4,
            thoughts: 30,
            ..COUNTS
        };
        assert_eq!(call(counts), [4, 60, 10, 4, 50]);
    }

    #[test]
    fn a_cache_of_which_nothing_is_said_is_not_known() {
        let silent = Counts {
            read: None,
            written: None,
            ..COUNTS
        };
        let expected = Call {
            input: 100,
            output: 20,
            caching: Caching::Unknown,
            ..Call::default()
        };
        assert_eq!(silent.call(Caching::Explicit), Some(expected));
        assert_eq!(Counts::default().call(Caching::Explicit), None);
    }
}
