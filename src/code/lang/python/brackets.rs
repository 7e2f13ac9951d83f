//! How deep brackets are nested, before anything is parsed.

use memchr::memmem;

/// The line on which more than `limit` brackets are open, if there is one.
///
/// The parser needs memory for every open bracket, a thousand times as much as the file, so it is not
/// asked about such a text. Strings and comments are skipped as far as a scan of bytes can tell.
pub(super) fn too_deep(text: &str, limit: usize) -> Option<u32> {
    let bytes = text.as_bytes();
    let mut depth = 0_usize;
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        at += 1;
        match byte {
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => depth = depth.saturating_sub(1),
            b'#' => at += memchr::memchr(b'\n', &bytes[at..]).unwrap_or(bytes.len() - at),
            b'"' | b'\'' => at = after_string(bytes, at, byte),
            _ => {}
        }
        if depth > limit {
            return Some(memchr::memchr_iter(b'\n', &bytes[..at]).count() as u32 + 1);
        }
    }
    None
}

/// Where a string ends whose opening quote stands before `at`. One in single quotes ends with its line.
fn after_string(bytes: &[u8], at: usize, quote: u8) -> usize {
    let triple = [quote; 3];
    if bytes[at - 1..].starts_with(&triple) {
        let mut from = at + 2;
        while let Some(end) = memmem::find(&bytes[from..], &triple) {
            if bytes[from + end - 1] != b'\\' {
                return from + end + 3;
            }
            from += end + 1;
        }
        return bytes.len();
    }
    let mut at = at;
    while let Some(&byte) = bytes.get(at) {
        at += 1;
        match byte {
            b'\\' => at += 1,
            b'\n' => return at,
            _ if byte == quote => return at,
            _ => {}
        }
    }
    bytes.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn open_brackets_count_and_closed_ones_do_not() {
        assert_eq!(too_deep(&"([{".repeat(2), 5), Some(1));
        assert_eq!(too_deep(&"([{".repeat(2), 6), None);
        assert_eq!(too_deep(&"f(x)[0]\n".repeat(100), 1), None);
        assert_eq!(too_deep("(\n(\n(\n", 2), Some(3));
    }

    #[test]
    fn brackets_in_strings_and_comments_do_not_count() {
        for text in [
            "x = '(((('",
            "x = \"((\\\"((\"",
            "x = '''((\n'(('\n'''",
            "x = \"\"\"((\\\"\"\"((\"\"\"",
            "# ((((\n",
            "x = '((((\ny = 1",
            "x = ''; y = ''",
        ] {
            assert_eq!(too_deep(text, 0), None, "{text}");
        }
    }

    #[test]
    fn a_string_that_is_cut_off_ends_the_text() {
        for text in ["'", "'\\", "'''", "'''a", "\"\"\"\\\"\"\"", "#"] {
            assert_eq!(too_deep(text, 0), None, "{text}");
        }
    }
}
