//! How deep brackets are nested, before anything is parsed.

use memchr::memmem;

use crate::code::lang::survey::MAX_DEPTH;

/// How many open brackets are too many. A regular expression is not told from a division here, so that
/// brackets in one are counted: only what no file of people's own reaches is refused.
const LIMIT: usize = 4 * MAX_DEPTH;

/// The line on which far too many brackets are open, if there is one; see the scan of Python's.
pub(super) fn too_deep(text: &str) -> Option<u32> {
    let bytes = text.as_bytes();
    let mut depth = 0_usize;
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        at += 1;
        match byte {
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => depth = depth.saturating_sub(1),
            b'/' if bytes.get(at) == Some(&b'/') => {
                at += memchr::memchr(b'\n', &bytes[at..]).unwrap_or(bytes.len() - at);
            }
            b'/' if bytes.get(at) == Some(&b'*') => {
                at = memmem::find(&bytes[at + 1..], b"*/").map_or(bytes.len(), |end| at + 1 + end + 2);
            }
            b'"' | b'\'' => at = after_string(bytes, at, byte),
            _ => {}
        }
        if depth > LIMIT {
            return Some(memchr::memchr_iter(b'\n', &bytes[..at]).count() as u32 + 1);
        }
    }
    None
}

/// Where a string ends whose opening quote stands before `at`: with its quote or its line.
fn after_string(bytes: &[u8], mut at: usize, quote: u8) -> usize {
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
        assert_eq!(too_deep(&"([{".repeat(LIMIT)), Some(1));
        assert_eq!(too_deep(&"f(x)[0];\n".repeat(LIMIT)), None);
        assert_eq!(too_deep(&"(\n".repeat(LIMIT + 1)), Some(LIMIT as u32 + 1));
    }

    #[test]
    fn brackets_in_strings_and_comments_do_not_count() {
        for text in ["'(('\n", "\"((\\\"((\"\n", "// ((\n", "/* ((\n(( */\n", "'((\n"] {
            assert_eq!(too_deep(&text.repeat(LIMIT)), None, "{text}");
        }
    }

    #[test]
    fn what_is_cut_off_ends_the_text() {
        for text in ["'", "'\\", "/*", "/", "//"] {
            assert_eq!(too_deep(text), None, "{text}");
        }
    }
}
