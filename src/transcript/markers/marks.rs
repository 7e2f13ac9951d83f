//! Marks: what a message carries, and whether it does.

use serde::Deserialize;

use super::text::Tag;
use crate::transcript::message::Draft;

/// What a message carries. Patterns match without regard to case; `*` at either end stands for anything.
#[derive(Clone, Debug, Deserialize, Default)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub(super) struct Marks {
    /// Keys set on the message outside its content, as `key` or, for a text value, `key=value`.
    pub(super) flags: Vec<String>,
    /// Names of the message.
    pub(super) names: Vec<String>,
    /// The name in `<name>`, `<!-- name -->` or `[name]` at the very beginning of the text.
    pub(super) tags: Vec<String>,
    /// How its id begins.
    pub(super) id_prefixes: Vec<String>,
    /// How its id ends.
    pub(super) id_suffixes: Vec<String>,
    /// How its text begins.
    pub(super) openings: Vec<String>,
}

impl Marks {
    /// Adds the marks of a project. What is matched without regard to case is kept in lower case.
    pub(super) fn add(&mut self, project: Self) {
        let lower = |words: Vec<String>| words.into_iter().map(|word| word.to_lowercase()).collect::<Vec<_>>();
        self.flags.extend(lower(project.flags));
        self.names.extend(lower(project.names));
        self.tags.extend(lower(project.tags));
        self.openings.extend(lower(project.openings));
        self.id_prefixes.extend(project.id_prefixes);
        self.id_suffixes.extend(project.id_suffixes);
    }

    pub(super) fn mark(&self, draft: &Draft) -> bool {
        let tagged = || Tag::leading(&draft.text).is_some_and(|tag| any(&self.tags, tag.name));
        draft.flags.iter().any(|flag| any(&self.flags, flag))
            || draft.name.as_deref().is_some_and(|name| any(&self.names, name))
            || self.marks_id(draft)
            || tagged()
    }

    pub(super) fn opens(&self, text: &str) -> bool {
        self.opening(text) > 0
    }

    /// How long the longest opening is that the text begins with.
    pub(super) fn opening(&self, text: &str) -> usize {
        let start: String = text.trim_start().chars().take(60).collect();
        let start = start.to_lowercase();
        let fitting = self
            .openings
            .iter()
            .filter(|opening| start.starts_with(opening.as_str()));
        fitting.map(String::len).max().unwrap_or(0)
    }

    pub(super) fn marks_id(&self, draft: &Draft) -> bool {
        draft.id.as_deref().is_some_and(|id| {
            self.id_prefixes.iter().any(|prefix| id.starts_with(prefix.as_str()))
                || self.id_suffixes.iter().any(|suffix| id.ends_with(suffix.as_str()))
        })
    }
}

pub(super) fn any(patterns: &[String], word: &str) -> bool {
    let word = word.to_lowercase();
    patterns.iter().any(|pattern| matches(pattern, &word))
}

pub(super) fn matches(pattern: &str, word: &str) -> bool {
    match (pattern.strip_prefix('*'), pattern.strip_suffix('*')) {
        (Some(rest), _) => match rest.strip_suffix('*') {
            Some(middle) => word.contains(middle),
            None => word.ends_with(rest),
        },
        (None, Some(start)) => word.starts_with(start),
        (None, None) => word == pattern,
    }
}
