//! Patterns over dotted paths, found by one look-up of a path's last or first segment.

use std::borrow::Cow;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::words::spelled;
use crate::code::memo::Memo;

/// Which entry of which file a pattern belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Entry {
    /// The number of the file.
    pub(super) framework: usize,
    /// The number of the entry in its list.
    pub(super) index: usize,
}

/// A set of patterns, each of which leads to an entry.
#[derive(Debug, Default)]
pub(super) struct Patterns {
    /// Patterns that match the end of a path, by their last segment.
    ends: FxHashMap<String, Vec<(Vec<String>, Entry)>>,
    /// Patterns that match the start of a path, by their first segment.
    starts: FxHashMap<String, Vec<(Vec<String>, Entry)>>,
    /// By the paths that were asked about.
    known: Memo<Box<str>, Arc<[(usize, Entry)]>>,
}

impl Patterns {
    /// Adds `a.b` or `a.*`.
    pub(super) fn add(&mut self, pattern: &str, entry: Entry) {
        let mut segments: Vec<String> = pattern.split('.').map(|part| spelled(part).into_owned()).collect();
        let by_start = segments.last().is_some_and(|last| last == "*");
        let (map, key) = if by_start {
            segments.pop();
            (&mut self.starts, segments.first())
        } else {
            (&mut self.ends, segments.last())
        };
        if let Some(key) = key.cloned() {
            map.entry(key).or_default().push((segments, entry));
        }
    }

    /// The entries whose pattern matches, each with the number of segments that it names.
    pub(super) fn matches(&self, path: &str) -> Vec<(usize, Entry)> {
        let known = self.known.of(path, || path.into(), || self.find_matches(path).into());
        known.to_vec()
    }

    fn find_matches<'a>(&'a self, path: &str) -> Vec<(usize, Entry)> {
        let segments: Vec<Cow<'_, str>> = path.split('.').map(spelled).collect();
        let (Some(first), Some(last)) = (segments.first(), segments.last()) else {
            return Vec::new();
        };
        let of = |map: &'a FxHashMap<String, Vec<(Vec<String>, Entry)>>, key: &str| {
            map.get(key).map_or(&[][..], Vec::as_slice)
        };
        let ends = of(&self.ends, last)
            .iter()
            .filter(|(pattern, _)| ends_with(&segments, pattern));
        let starts = of(&self.starts, first)
            .iter()
            .filter(|(pattern, _)| segments.len() > pattern.len() && starts_with(&segments, pattern));
        ends.chain(starts)
            .map(|(pattern, entry)| (pattern.len(), *entry))
            .collect()
    }
}

fn ends_with(segments: &[Cow<'_, str>], pattern: &[String]) -> bool {
    pattern.len() <= segments.len()
        && segments[segments.len() - pattern.len()..]
            .iter()
            .zip(pattern)
            .all(|(segment, part)| segment == part)
}

fn starts_with(segments: &[Cow<'_, str>], pattern: &[String]) -> bool {
    pattern.len() <= segments.len()
        && segments[..pattern.len()]
            .iter()
            .zip(pattern)
            .all(|(segment, part)| segment == part)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ends_and_starts() {
        let mut patterns = Patterns::default();
        let entry = |index| Entry { framework: 0, index };
        patterns.add("completions.create", entry(1));
        patterns.add("create", entry(2));
        patterns.add("random.*", entry(3));
        patterns.add("run_sync", entry(4));
        let found = |path: &str| -> Vec<usize> {
            let mut found: Vec<_> = patterns.matches(path).iter().map(|(_, e)| e.index).collect();
            found.sort_unstable();
            found
        };
        assert_eq!(found("self.client.chat.completions.create"), [1, 2]);
        assert_eq!(found("images.create"), [2]);
        assert_eq!(found("create"), [2]);
        assert_eq!(found("recreate"), [0; 0]);
        assert_eq!(found("random.choice"), [3]);
        assert_eq!(found("random"), [0; 0]);
        assert_eq!(found("my.random.choice"), [0; 0]);
        assert_eq!(found("Runner.runSync"), [4]);
    }
}
