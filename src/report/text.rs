//! Texts of strangers on a terminal: transcripts and code may hold escape sequences, invisible
//! characters and ones that reverse the reading order. Each is shown as one harmless stand-in, so
//! that columns stay true.

use std::borrow::Cow;

/// The text with its hazards replaced; line breaks and tabs are kept.
pub(crate) fn neutral(text: &str) -> Cow<'_, str> {
    replace(text, |c| if matches!(c, '\n' | '\t') { c } else { stand_in(c) })
}

/// The same on one line: line breaks and tabs become spaces.
pub(crate) fn one_line(text: &str) -> Cow<'_, str> {
    replace(text, |c| {
        if matches!(c, '\n' | '\r' | '\t') {
            ' '
        } else {
            stand_in(c)
        }
    })
}

/// At most `limit` characters, the last one an ellipsis if there were more.
pub(crate) fn clip(text: &str, limit: usize) -> Cow<'_, str> {
    if text.chars().count() <= limit {
        return Cow::Borrowed(text);
    }
    let mut clipped: String = text.chars().take(limit.saturating_sub(1)).collect();
    clipped.push('…');
    Cow::Owned(clipped)
}

/// Whether a terminal or a reader could be misled by the character.
pub(crate) fn is_hazard(c: char) -> bool {
    c.is_control()
        || matches!(c,
            // Marks, embeddings, overrides and isolates of the reading order.
            '\u{061c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}'
            // Nothing to see. Joiners stay: emoji and several scripts need them.
            | '\u{200b}' | '\u{2060}' | '\u{feff}' | '\u{e0000}'..='\u{e007f}'
            // Line breaks that are not written as such.
            | '\u{2028}' | '\u{2029}')
}

/// JSON escapes only some control characters. The others, which could mislead a terminal or a
/// reader, stand only inside strings, where an escape means the same.
pub(crate) fn escape_hazards(json: &str) -> Cow<'_, str> {
    if !json.chars().any(is_hazard) {
        return Cow::Borrowed(json);
    }
    let mut units = [0; 2];
    let mut escaped = String::with_capacity(json.len() + 32);
    for c in json.chars() {
        if is_hazard(c) {
            escaped.extend(c.encode_utf16(&mut units).iter().map(|unit| format!("\\u{unit:04x}")));
        } else {
            escaped.push(c);
        }
    }
    Cow::Owned(escaped)
}

fn stand_in(c: char) -> char {
    match c {
        // Control pictures exist for these.
        '\0'..='\u{1f}' => char::from_u32(0x2400 + c as u32).unwrap_or(char::REPLACEMENT_CHARACTER),
        '\u{7f}' => '\u{2421}',
        c if is_hazard(c) => char::REPLACEMENT_CHARACTER,
        c => c,
    }
}

/// A number with its word.
pub(crate) fn count(number: u64, word: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{number} {word}{plural}")
}

fn replace(text: &str, map: impl Fn(char) -> char) -> Cow<'_, str> {
    if text.chars().any(is_hazard) {
        Cow::Owned(text.chars().map(map).collect())
    } else {
        Cow::Borrowed(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hazards_become_stand_ins_of_the_same_width() {
        assert_eq!(neutral("a\u{1b}[31mb"), "a␛[31mb");
        assert_eq!(neutral("if \u{202e}x\u{2066}"), "if \u{fffd}x\u{fffd}");
        assert_eq!(neutral("tag\u{e0041}\u{7f}\u{9b}"), "tag\u{fffd}␡\u{fffd}");
        assert_eq!(neutral("two\nlines\tand more"), "two\nlines\tand more");
        assert_eq!(neutral("👩\u{200d}🚀 naïve שלום"), "👩\u{200d}🚀 naïve שלום");
    }

    #[test]
    fn one_line_is_one_line() {
        assert_eq!(one_line("two\r\nlines\tand\u{2028}more"), "two  lines and\u{fffd}more");
    }

    #[test]
    fn clipping_counts_characters() {
        assert_eq!(clip("żółw", 4), "żółw");
        assert_eq!(clip("żółwie", 4), "żół…");
    }
}
