//! Names taken apart.

use std::borrow::Cow;
use std::sync::{Arc, LazyLock};

use crate::code::memo::Memo;

/// How many names are known at most, about: those of the largest projects, in some 40 MB. A process that lives as long
/// as an editor sees every name that is ever typed there, letter by letter.
const MOST: usize = 1 << 18;

/// The words of the names that were asked about.
static KNOWN: LazyLock<Memo<Box<str>, Arc<[String]>>> = LazyLock::new(|| Memo::of_at_most(MOST));

/// The words of an identifier, in lower case: `past_messages`, `pastMessages` and `PastMessages`
/// have the same.
pub(crate) fn words(name: &str) -> Arc<[String]> {
    // What is longer is a text, and hardly asked about twice.
    if name.len() > 64 {
        return taken_apart(name).into();
    }
    KNOWN.of(name, || name.into(), || taken_apart(name).into())
}

fn taken_apart(name: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut word = String::new();
    let mut previous = '_';
    let mut chars = name.chars().peekable();
    while let Some(c) = chars.next() {
        if c.is_alphanumeric() {
            let next_is_lower = chars.peek().is_some_and(|next| next.is_lowercase());
            let starts_word = c.is_uppercase() && (!previous.is_uppercase() || next_is_lower);
            if starts_word && !word.is_empty() {
                words.push(std::mem::take(&mut word));
            }
            word.extend(c.to_lowercase());
        } else if !word.is_empty() {
            words.push(std::mem::take(&mut word));
        }
        previous = c;
    }
    if !word.is_empty() {
        words.push(word);
    }
    words
}

/// A name that starts in lower case, in the spelling of the vocabulary: `trimMessages` is
/// `trim_messages` there. Names that start in upper case keep theirs.
pub(crate) fn spelled(name: &str) -> Cow<'_, str> {
    if is_camel(name) {
        Cow::Owned(words(name).join("_"))
    } else {
        Cow::Borrowed(name)
    }
}

/// Whether two names are the same but for their spelling.
pub(crate) fn same_name(one: &str, other: &str) -> bool {
    // Cheap questions first: this is asked of every name for every word that is known.
    one == other
        || one.bytes().next() == other.bytes().next()
            && (is_camel(one) || is_camel(other))
            && has_same_letters(one, other)
            && spelled(one) == spelled(other)
}

/// Whether two names have the same letters and digits, in lower case.
fn has_same_letters(one: &str, other: &str) -> bool {
    fn letters(name: &str) -> impl Iterator<Item = u8> {
        let letters = name.bytes().filter(u8::is_ascii_alphanumeric);
        letters.map(|byte| byte.to_ascii_lowercase())
    }
    // Other letters may become several in lower case: these are compared as a whole.
    !(one.is_ascii() && other.is_ascii()) || letters(one).eq(letters(other))
}

fn is_camel(name: &str) -> bool {
    name.starts_with(|c: char| c.is_lowercase()) && name.contains(|c: char| c.is_uppercase())
}

/// The identifiers of a text, with the dots between them kept: `Optional[a.B]` has `Optional` and `a.B`.
pub(crate) fn paths(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !(c.is_alphanumeric() || c == '_' || c == '.'))
        .map(|path| path.trim_matches('.'))
        .filter(|path| path.starts_with(|c: char| c.is_alphabetic() || c == '_'))
}

/// An annotation without the arguments of generic types that stand inside a container and are neither
/// containers nor wrappers themselves.
pub(super) fn of_elements(
    annotation: &str,
    is_container: impl Fn(&str) -> bool,
    is_wrapper: impl Fn(&str) -> bool,
) -> Cow<'_, str> {
    if annotation.matches('[').count() < 2 {
        return Cow::Borrowed(annotation);
    }
    let mut kept = String::with_capacity(annotation.len());
    // For every open bracket, whether it is that of a container, and whether what is in it is left out.
    let mut open: Vec<(bool, bool)> = Vec::new();
    for c in annotation.chars() {
        let hidden = open.last().is_some_and(|(_, hidden)| *hidden);
        match c {
            '[' => {
                let head = kept
                    .rsplit(|c: char| !(c.is_alphanumeric() || c == '_'))
                    .next()
                    .unwrap_or_default();
                let inside = open.iter().any(|(container, _)| *container);
                let own = inside && !head.is_empty() && !is_container(head) && !is_wrapper(head);
                open.push((is_container(head), hidden || own));
            }
            ']' => {
                open.pop();
            }
            _ => {}
        }
        if !hidden {
            kept.push(c);
        }
    }
    Cow::Owned(kept)
}

/// The last segment of a dotted path.
pub(crate) fn last_segment(path: &str) -> &str {
    path.rsplit('.').next().unwrap_or(path)
}

/// Whether the words end in `suffix`, which is words joined by `_`.
pub(super) fn end_in(words: &[String], suffix: &str) -> bool {
    let count = suffix.split('_').count();
    count <= words.len() && words[words.len() - count..].iter().eq(suffix.split('_'))
}

/// Whether the words of `part`, joined by `_`, stand anywhere in a row.
pub(super) fn contain(words: &[String], part: &str) -> bool {
    place_of(words, part).is_some()
}

/// How many words stand before the words of `part`.
pub(super) fn place_of(words: &[String], part: &str) -> Option<usize> {
    let end = (1..=words.len()).find(|end| end_in(&words[..*end], part))?;
    Some(end - part.split('_').count())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_every_spelling() {
        assert_eq!(*words("past_messages"), ["past", "messages"]);
        assert_eq!(*words("pastMessages"), ["past", "messages"]);
        assert_eq!(*words("AIMessageChunk"), ["ai", "message", "chunk"]);
        assert_eq!(*words("_chat_history2"), ["chat", "history2"]);
        assert_eq!(*words("TOOL_RESPONSE"), ["tool", "response"]);
    }

    #[test]
    fn one_name_in_two_spellings() {
        assert!(same_name("trimMessages", "trim_messages"));
        assert!(same_name("addAIMessage", "add_ai_message"));
        assert!(!same_name("HumanMessage", "human_message"));
        assert!(!same_name("trimMessage", "trim_messages"));
    }

    #[test]
    fn paths_of_an_annotation() {
        let found: Vec<_> = paths("Annotated[list['m.Note'], operator.add] | None").collect();
        assert_eq!(found, ["Annotated", "list", "m.Note", "operator.add", "None"]);
    }

    #[test]
    fn elements_keep_what_they_are_generic_over_to_themselves() {
        let container = |name: &str| name == "list";
        let wrapper = |name: &str| name == "Optional";
        let own = |annotation| of_elements(annotation, container, wrapper).into_owned();
        assert_eq!(own("list[Job[Message]]"), "list[Job[]");
        assert_eq!(own("list[Optional[Message]]"), "list[Optional[Message]]");
        assert_eq!(own("dict[str, list[Message]]"), "dict[str, list[Message]]");
        assert_eq!(own("list[list[Message]]"), "list[list[Message]]");
    }

    #[test]
    fn endings_respect_words() {
        assert!(end_in(&words("the_chat_history"), "chat_history"));
        assert!(!end_in(&words("chat_history_size"), "chat_history"));
        assert!(contain(&words("build_system_prompt_text"), "system_prompt"));
        assert!(!contain(&words("file_system"), "system_prompt"));
    }
}
