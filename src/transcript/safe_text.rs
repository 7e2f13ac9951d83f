//! Short texts of a record that are safe to show: one line, no control characters, no secrets.

use unicode_width::UnicodeWidthChar;

use crate::secrets;

/// The widest an excerpt gets, in columns of a terminal.
pub(crate) const WIDTH: usize = 80;

/// What stands for a character that would act on the terminal or change the direction of the line.
const NEUTRAL: char = '\u{fffd}';

/// One line of at most `width` columns that says how `text` begins.
pub(crate) fn excerpt(text: &str, width: usize) -> String {
    let masked = secrets::masked(text);
    let mut line = String::new();
    let mut columns = 0;
    // Where the line has to end if there is more than fits.
    let mut fits = 0;
    let mut was_space = true;
    for c in masked.chars() {
        let c = match c {
            c if c.is_whitespace() => ' ',
            c if is_harmful(c) => NEUTRAL,
            c => c,
        };
        if c == ' ' && was_space {
            continue;
        }
        was_space = c == ' ';
        columns += c.width().unwrap_or(0);
        if columns > width {
            line.truncate(fits);
            line.push('…');
            return line;
        }
        line.push(c);
        if columns < width {
            fits = line.len();
        }
    }
    line.truncate(line.trim_end().len());
    line
}

/// Control characters, changes of direction, and characters that take no room.
fn is_harmful(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{61c}' | '\u{200b}' | '\u{200c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{e0000}'..='\u{e007f}')
}

#[cfg(test)]
mod tests {
    use super::excerpt;

    #[test]
    fn a_text_becomes_one_line() {
        assert_eq!(excerpt("  a\n\n\tb  c\u{2028}d \n", 80), "a b c d");
    }

    #[test]
    fn a_long_text_is_cut_to_the_width_with_the_ellipsis_in_it() {
        assert_eq!(excerpt("abcdef", 6), "abcdef");
        assert_eq!(excerpt("abcdefg", 6), "abcde…");
        assert_eq!(excerpt("漢字漢字", 6), "漢字…", "wide characters count twice");
    }

    #[test]
    fn escapes_and_changes_of_direction_are_neutralised() {
        assert_eq!(
            excerpt("\u{1b}[31mred\u{1b}[0m \u{202e}txt\u{202c} a\u{7}", 80),
            "\u{fffd}[31mred\u{fffd}[0m \u{fffd}txt\u{fffd} a\u{fffd}"
        );
    }

    #[test]
    fn secrets_are_masked_before_the_text_is_cut() {
        let cases = [
            ("key sk-proj-abcdefghijklmnop1234 end", "key [secret] end"),
            ("ghp_abcdefghijklmnopqrstuvwxyz0123456789", "[secret]"),
            ("id AKIAIOSFODNN7EXAMPLE!", "id [secret]!"),
            ("Authorization: Bearer abc.def-ghi_jkl12", "Authorization: [secret]"),
            ("-----BEGIN RSA PRIVATE KEY-----\nMIIE\nxyz", "[secret]"),
            (
                "a -----BEGIN PRIVATE KEY-----\nMII\n-----END PRIVATE KEY----- b",
                "a [secret] b",
            ),
            (
                "the sk- prefix and a bearer of news",
                "the sk- prefix and a bearer of news",
            ),
        ];
        for (text, shown) in cases {
            assert_eq!(excerpt(text, 80), shown);
        }
        assert_eq!(excerpt("key sk-proj-abcdefghijklmnop1234", 10), "key [secr…");
    }
}
