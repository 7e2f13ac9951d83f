//! What texts say about limits.

use super::Vocabulary;

impl Vocabulary {
    /// Whether a text, in lower case, tells somebody to come to an end.
    pub(crate) fn says_to_stop(&self, text: &str) -> bool {
        self.files
            .iter()
            .flat_map(|file| &file.notices.stop)
            .any(|words| text.contains(words.as_str()))
    }

    /// Whether a text, in lower case, speaks of what is not done yet.
    pub(crate) fn says_partial(&self, text: &str) -> bool {
        self.files
            .iter()
            .flat_map(|file| &file.notices.partial)
            .any(|words| text.contains(words.as_str()))
    }

    /// The greatest amount that a text, in lower case, asks for: `at most 50 words`.
    pub(crate) fn stated_limit(&self, text: &str) -> Option<String> {
        let notices = || self.files.iter().map(|file| &file.notices);
        let bounds = notices().flat_map(|notices| &notices.bounds);
        bounds.into_iter().find_map(|bound| {
            let (_, rest) = text.split_once(bound.as_str())?;
            let mut words = rest.split_whitespace();
            let (number, unit) = (words.next()?, words.next()?);
            let unit = unit.trim_matches(|sign: char| !sign.is_alphanumeric());
            let counted = notices().any(|notices| notices.units.iter().any(|known| known == unit));
            let is_number = !number.is_empty() && number.chars().all(|sign| sign.is_ascii_digit());
            (counted && is_number).then(|| format!("{bound} {number} {unit}"))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::Vocabulary;

    #[test]
    fn limits_in_words() {
        let limit = |text: &str| Vocabulary::builtin().stated_limit(text);
        assert_eq!(
            limit("answer in at most 50 words."),
            Some("at most 50 words".to_owned())
        );
        assert_eq!(limit("at most 50 guests may come"), None);
        assert_eq!(limit("at most a few words"), None);
    }

    #[test]
    fn ends_and_what_is_left() {
        let vocabulary = Vocabulary::builtin();
        assert!(vocabulary.says_to_stop("this is your last step: give the final answer"));
        assert!(vocabulary.says_partial("say what is unfinished"));
        assert!(!vocabulary.says_partial("give the final answer"));
    }
}
