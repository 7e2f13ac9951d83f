//! What the text of a message shows of itself: tags, labels, and words that hold for a while only.

use std::sync::LazyLock;

use regex::Regex;

/// Characters at the beginning of a text without a tag or a name in which it says what it is about.
pub(super) const SHOWN: usize = 400;

/// Dates, times and counters: what makes a text true for a while only.
pub(super) static VOLATILE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"(?ix)\b\d{4}-\d{2}-\d{2}\b | \b\d{1,2}:\d{2}\b | \b\d+\s*/\s*\d+\b | \b\d+\s*%
        | \b(?:phase|step|stage|task|turn|item|part)\s+\d+\s+of\s+\d+ | \btoday\s+is\b | \bas\s+of\b | \bso\s+far\b
        | \b\d+\s+(?:files?|tokens?|nodes?|items?|tasks?|messages?|steps?)\b | \bremaining\b | \bcurrently\b",
    )
    .expect("a literal pattern")
});

/// A limit that is near: how much is left of what runs out, and that it is little.
pub(super) static THRESHOLD: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"(?isx)
        \b(?:context|tokens?|token\s+budget|budget|steps?|iterations?|turns?|tool\s+calls?|time|memory|quota)\b
          [^.\n]{0,60}\b(?:almost|nearly|about\ to|close\ to|near(?:ing)?|running)\s+
          (?:full|exhausted|used\ up|run\ out|out|low|over|the\ limit|its\ limit|to\ the\ limit)
        | \b(?:only|just)\s+\d[\d,.]*\s*%?\s*[\w\ ]{0,30}\b(?:left|remain(?:s|ing)?)\b
        | \b(?:running\ (?:low|out)|almost\ out|nearly\ out)\s+(?:on|of)\s+(?:context|tokens?|budget|steps?|turns?|time|memory)
        | \b(?:context|token|budget|step|turn|iteration)s?\s+(?:limit|window|budget)\b[^.\n]{0,40}
          \b(?:exceeded|reached|almost|nearly|approaching|close)
        | \bapproaching\s+(?:the|your)\s+(?:context|token|budget|step|turn|iteration)",
    )
    .expect("a literal pattern")
});

/// What a person said, as Letta and `MemGPT` pack it (`package_user_message` in `letta/system.py`).
pub(super) static PACKED: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r#"^\s*\{\s*"type"\s*:\s*"user_message""#).expect("a literal pattern"));

/// The type with which a program packs what it says as JSON.
pub(super) static TYPE: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r#"^\s*\{\s*"type"\s*:\s*"([^"]{1,40})""#).expect("a literal pattern"));

/// Attributes of a tag that name a thing.
pub(super) static ABOUT: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r#"(?i)\b(name|path|file|filename|source|id|uri|url|server|kind|type|title)\s*=\s*["']([^"']{1,120})["']"#,
    )
    .expect("a literal pattern")
});

/// Numbers, and the names of months and days.
pub(super) static VARIABLE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"(?x)\d+ | \b(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\b
        | \b(?:mon|tues|wednes|thurs|fri|satur|sun)day\b",
    )
    .expect("a literal pattern")
});

/// Whether a text begins with what programs put around theirs: a tag, a heading, a label or code.
pub(super) fn is_labelled(text: &str) -> bool {
    let text = text.trim_start();
    let label = text.split_once(':').map_or("", |(label, _)| label);
    text.starts_with(['<', '[', '#', '(', '{', '*', '`', '-', '=']) || is_shouted(label)
}

/// Whether a label is written in capitals, as `NOTE` is.
pub(super) fn is_shouted(label: &str) -> bool {
    label.chars().filter(|c| c.is_alphabetic()).count() > 2 && !label.chars().any(char::is_lowercase)
}

/// Whether the text is one tag with its content.
pub(super) fn is_wrapped(text: &str) -> bool {
    Tag::leading(text).is_some_and(|tag| tag.wraps)
}

/// A tag at the very beginning of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Tag<'t> {
    pub(super) name: &'t str,
    /// What stands behind the name inside the tag.
    pub(super) attributes: &'t str,
    /// The text behind it.
    pub(super) rest: &'t str,
    /// Whether nothing but the tag's content is there.
    pub(super) wraps: bool,
}

impl<'t> Tag<'t> {
    pub(super) fn leading(text: &'t str) -> Option<Self> {
        let text = text.trim();
        if let Some(comment) = text.strip_prefix("<!--") {
            let (name, rest) = comment.split_once("-->")?;
            return is_name(name.trim()).then(|| Self {
                name: name.trim(),
                attributes: "",
                rest,
                wraps: true,
            });
        }
        if let Some(bracket) = text.strip_prefix('[') {
            let (name, rest) = bracket.split_once(']')?;
            return is_name(name).then_some(Self {
                name,
                attributes: "",
                rest,
                wraps: false,
            });
        }
        let (inside, rest) = text.strip_prefix('<')?.split_once('>')?;
        // A name may have several words; attributes have values.
        let name = if inside.contains('=') {
            inside.split_whitespace().next()?
        } else {
            inside.trim()
        };
        let wraps = text
            .strip_suffix('>')
            .and_then(|text| text.strip_suffix(name))
            .is_some_and(|text| text.ends_with("</"));
        let attributes = inside.trim_start().strip_prefix(name).unwrap_or_default();
        is_name(name).then_some(Self {
            name,
            attributes,
            rest,
            wraps,
        })
    }

    /// The attributes that say which of several things the tag is about: two files are no two versions of one thing.
    pub(super) fn about(&self) -> String {
        let mut about = String::new();
        for attribute in ABOUT.captures_iter(self.attributes) {
            for part in [" ", &attribute[1], "=", &attribute[2]] {
                about.push_str(part);
            }
        }
        about
    }
}

pub(super) fn is_name(text: &str) -> bool {
    !text.is_empty()
        && text.len() <= 40
        && text.starts_with(|c: char| c.is_alphabetic())
        && text
            .chars()
            .all(|c| c.is_alphanumeric() || matches!(c, '-' | '_' | ':' | '.' | ' '))
}

/// The opening words with what varies taken out.
pub(super) fn skeleton(text: &str) -> String {
    let start: String = text.trim_start().chars().take(120).collect();
    let start = start.to_lowercase();
    let opening = match start.split_once(':') {
        Some((label, _)) if label.split_whitespace().count() <= 6 => label,
        _ => &start,
    };
    let opening = opening.split_whitespace().take(4).collect::<Vec<_>>().join(" ");
    VARIABLE.replace_all(&opening, "#").into_owned()
}

/// `planReminder`, `plan_reminder` and `plan-reminder` are `plan` and `reminder`.
pub(super) fn words_of(label: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut was_lower = false;
    for c in label.chars() {
        if !c.is_alphanumeric() || (c.is_uppercase() && was_lower) {
            words.push(String::new());
        }
        if let (true, Some(word)) = (c.is_alphanumeric(), words.last_mut()) {
            word.extend(c.to_lowercase());
        }
        was_lower = c.is_lowercase();
    }
    words
}

#[cfg(test)]
mod tests {
    use super::{THRESHOLD, Tag, is_labelled};

    #[test]
    fn a_limit_that_is_near_is_told_from_one_that_is_named() {
        for near in [
            "The context is almost full: 18 of 100 parts are left.",
            "<limit>Only 900 tokens are left.</limit>",
            "You are running out of steps; come to an end.",
            "Token budget nearly exhausted.",
            "You are approaching the context limit.",
        ] {
            assert!(THRESHOLD.is_match(near), "{near}");
        }
        for named in [
            "9000 tokens of the budget remain.",
            "Plan: phase 1 of 3, dig the bed.",
            "The budget of the garden is 900 crowns.",
            "Today is 2024-05-06.",
            "Keep the context short.",
        ] {
            assert!(!THRESHOLD.is_match(named), "{named}");
        }
    }

    #[test]
    fn a_tag_is_told_by_its_name_and_what_it_is_about() {
        let about = |text| {
            let tag = Tag::leading(text).expect("a tag");
            (tag.name.to_owned(), tag.about())
        };
        assert_eq!(
            about("<file path=\"a.txt\" n=\"3\">x</file>"),
            ("file".into(), " path=a.txt".into())
        );
        assert_eq!(
            about("<permissions instructions>x</permissions instructions>").0,
            "permissions instructions"
        );
        assert_eq!(about("<board>x</board>"), ("board".into(), String::new()));
        assert!(Tag::leading("a < b > c").is_none());
    }

    #[test]
    fn programs_label_what_they_say() {
        assert!(is_labelled("NOTE: the gate is open") && is_labelled("[gate] open") && is_labelled("# Gate"));
        assert!(!is_labelled("Note that the gate is open: close it"));
    }
}
