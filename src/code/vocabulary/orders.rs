//! Words about order: lists of hooks, queries, and what has no order of its own.

use super::schema::Framework;
use super::words::{end_in, last_segment, same_name, words};
use super::{Strength, Vocabulary};

/// What has no order of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum UnorderedKind {
    /// A set.
    Set,
    /// A map that hashes its keys.
    Map,
    /// The files of a directory.
    Listing,
    /// Results in the order in which they were ready.
    Completion,
}

impl Vocabulary {
    /// How surely a name is that of a list of hooks.
    pub(crate) fn hook_list(&self, name: &str) -> Option<Strength> {
        let words = words(name);
        let ends =
            |list: fn(&Framework) -> &Vec<String>| self.files.iter().flat_map(list).any(|word| end_in(&words, word));
        if ends(|file| &file.dispatch.hooks) {
            return Some(Strength::Strong);
        }
        ends(|file| &file.dispatch.maybe).then_some(Strength::Weak)
    }

    /// Whether a path names a hook whose error is meant to stop the run.
    pub(crate) fn is_deliberate_hook(&self, path: &str) -> bool {
        let parts = path.split('.').flat_map(|part| words(part).to_vec());
        let parts: Vec<String> = parts.collect();
        self.any_word(&parts, |file| &file.dispatch.deliberate)
    }

    /// Whether a method makes hooks ready or puts them away.
    pub(crate) fn is_upkeep(&self, method: &str) -> bool {
        self.any_word(&words(method), |file| &file.dispatch.upkeep)
    }

    /// Whether a method by its name hands something out.
    pub(crate) fn is_getter(method: &str) -> bool {
        words(method).first().is_some_and(|first| first == "get")
    }

    /// Whether a call lets a function run beside the one that calls it.
    pub(crate) fn starts_worker(&self, path: &str) -> bool {
        let last = last_segment(path);
        self.files
            .iter()
            .any(|file| file.dispatch.workers.iter().any(|name| same_name(name, last)))
    }

    /// Whether a field marks how far a provider keeps a prefix.
    pub(crate) fn is_cache_marker(&self, name: &str) -> bool {
        self.files
            .iter()
            .any(|file| file.cache_markers.iter().any(|marker| marker == name))
    }

    /// Whether a listing, or a choice that it is given, makes its items more than names: they cannot be
    /// compared.
    pub(crate) fn lists_entries(&self, path: &str) -> bool {
        let mut known = self.files.iter().flat_map(|file| &file.unordered.entries);
        known.any(|known| last_segment(known) == last_segment(path))
    }

    /// What a call outside the project gives, if that has no order of its own.
    pub(crate) fn unordered_call(&self, path: &str) -> Option<UnorderedKind> {
        let named = |list: fn(&Framework) -> &Vec<String>| {
            self.files.iter().flat_map(list).any(|known| {
                path.strip_suffix(known.as_str())
                    .is_some_and(|before| before.is_empty() || before.ends_with('.'))
            })
        };
        if named(|file| &file.unordered.listings) {
            return Some(UnorderedKind::Listing);
        }
        if named(|file| &file.unordered.completions) {
            return Some(UnorderedKind::Completion);
        }
        let made = path.rsplit_once('.').map_or("", |(of, _)| of);
        self.unordered_type(made)
    }

    /// What a type holds, if that has no order of its own.
    pub(crate) fn unordered_type(&self, annotation: &str) -> Option<UnorderedKind> {
        let outer = annotation.split(['<', '[']).next().unwrap_or_default();
        let outer = outer.trim_start_matches('&').trim_start_matches("mut ").trim();
        let name = outer.rsplit(['.', ':']).next().unwrap_or_default();
        let known = self
            .files
            .iter()
            .flat_map(|file| &file.unordered.types)
            .any(|known| known == name);
        known.then(|| {
            if name.to_lowercase().contains("map") {
                UnorderedKind::Map
            } else {
                UnorderedKind::Set
            }
        })
    }

    /// Whether a name is that of a function that makes a part of a prompt.
    pub(crate) fn names_prompt_part(&self, name: &str) -> bool {
        let words = words(name);
        let part = |word: &String| self.any_name(word, |file| &file.unordered.prompt_parts);
        // `prompt_with_documents` is a prompt as well.
        words.last().is_some_and(part) || words.len() > 2 && words[1] == "with" && part(&words[0])
    }

    /// Whether only files about prompts have such a name.
    pub(crate) fn is_about_prompts(&self, name: &str) -> bool {
        let words = words(name);
        let mut known = self.files.iter().flat_map(|file| &file.unordered.about_prompts);
        self.prefix_name(name) == Some(Strength::Strong) || known.any(|part| end_in(&words, part))
    }

    /// Whether the name of a function says that it makes the list of tools for a call.
    pub(crate) fn names_tool_list(&self, name: &str) -> bool {
        let words = words(name);
        let mut known = self.files.iter().flat_map(|file| &file.unordered.tool_parts);
        known.any(|part| end_in(&words, part))
    }

    /// Whether a call makes a query of a table.
    pub(crate) fn is_query_builder(&self, name: &str) -> bool {
        self.any_name(name, |file| &file.queries.builders)
    }

    /// Whether a call leaves one row of a query, or a number.
    pub(crate) fn is_single_query(&self, name: &str) -> bool {
        self.any_name(name, |file| &file.queries.single)
    }

    /// Whether a call says in which order the rows of a query come.
    pub(crate) fn is_query_order(&self, name: &str) -> bool {
        self.any_name(name, |file| &file.queries.orders)
    }

    /// Whether a method writes many rows in one go.
    pub(crate) fn writes_many(&self, name: &str) -> bool {
        self.any_name(name, |file| &file.queries.writes_many)
    }

    /// Whether a function runs what it is given side by side.
    pub(crate) fn runs_together(&self, name: &str) -> bool {
        self.any_name(name, |file| &file.queries.side_by_side)
    }

    fn any_name(&self, name: &str, list: fn(&Framework) -> &Vec<String>) -> bool {
        self.files.iter().flat_map(list).any(|known| known == name)
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Strength, Vocabulary};
    use super::UnorderedKind;

    #[test]
    fn lists_of_hooks() {
        let of = |name| Vocabulary::builtin().hook_list(name);
        assert_eq!(of("_turn_hooks"), Some(Strength::Strong));
        assert_eq!(of("note_sources"), Some(Strength::Weak));
        assert_eq!(of("hooked"), None);
        assert!(Vocabulary::builtin().is_deliberate_hook("self.guard_hooks"));
        assert!(!Vocabulary::builtin().is_deliberate_hook("self.hooks"));
    }

    #[test]
    fn what_hashes_has_no_order() {
        let of = |annotation| Vocabulary::builtin().unordered_type(annotation);
        assert_eq!(of("HashMap<String, Vec<String>>"), Some(UnorderedKind::Map));
        assert_eq!(of("&mut std::collections::HashSet<String>"), Some(UnorderedKind::Set));
        assert_eq!(of("set[str]"), Some(UnorderedKind::Set));
        assert_eq!(of("BTreeMap<String, String>"), None);
        assert_eq!(of("Map<string, string>"), None);
        assert_eq!(of("dict[str, set[str]]"), None);
    }

    #[test]
    fn calls_that_give_no_order() {
        let of = |path| Vocabulary::builtin().unordered_call(path);
        assert_eq!(of("os.listdir"), Some(UnorderedKind::Listing));
        assert_eq!(of("asyncio.as_completed"), Some(UnorderedKind::Completion));
        assert_eq!(of("std.collections.HashMap.new"), Some(UnorderedKind::Map));
        assert_eq!(of("shelf.mylistdir"), None);
    }
}
