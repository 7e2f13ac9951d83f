//! How a file is laid out: one JSON value a line, one JSON document, or neither.

use std::io::{self, BufRead};

/// What a file consists of, judged by its beginning.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Layout {
    /// Nothing but white space.
    Empty,
    /// A JSON value a line.
    Lines,
    /// One array; its elements are the records.
    Array,
    /// One object, the only record.
    Object,
    /// Text that is not JSON.
    Text,
    /// Bytes that are not text.
    Binary,
}

/// How much is looked at before a file that does not start with JSON is given up.
const PEEK: usize = 64 << 10;

/// Where the bytes of a JSON value end, without parsing it. Takes no stack for nesting.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Scanner {
    depth: usize,
    in_string: bool,
    escaped: bool,
    begun: bool,
}

impl Scanner {
    /// Takes the next byte; true if a value in brackets or quotes ended with it.
    pub(crate) fn ends_with(&mut self, byte: u8) -> bool {
        if self.in_string {
            match (self.escaped, byte) {
                (true, _) => self.escaped = false,
                (false, b'\\') => self.escaped = true,
                (false, b'"') => self.in_string = false,
                _ => {}
            }
            return byte == b'"' && !self.in_string && self.depth == 0;
        }
        match byte {
            b'"' => self.in_string = true,
            b'{' | b'[' => self.depth += 1,
            b'}' | b']' => self.depth = self.depth.saturating_sub(1),
            _ => return false,
        }
        self.begun = true;
        matches!(byte, b'}' | b']') && self.depth == 0
    }

    /// Whether the byte just taken belongs to a value that has not ended.
    pub(crate) fn is_inside(&self) -> bool {
        self.in_string || self.depth > 0
    }
}

/// How deep and how large a text of brackets is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Size {
    pub(crate) depth: usize,
    pub(crate) objects: usize,
}

/// Measures the brackets of `bytes`, those in strings left out.
pub(crate) fn measure(bytes: &[u8]) -> Size {
    let mut scanner = Scanner::default();
    let mut size = Size::default();
    for &byte in bytes {
        size.objects += usize::from(byte == b'{' && !scanner.in_string);
        scanner.ends_with(byte);
        size.depth = size.depth.max(scanner.depth);
    }
    size
}

/// Judges a file by its beginning. Reads as far as the first JSON value goes.
pub(crate) fn of(input: &mut impl BufRead) -> io::Result<Layout> {
    let peek = peek(input)?;
    let Some(&first) = peek.iter().find(|byte| !byte.is_ascii_whitespace()) else {
        return Ok(if peek.len() < PEEK { Layout::Empty } else { Layout::Text });
    };
    if !matches!(first, b'{' | b'[') {
        if peek.contains(&0) {
            return Ok(Layout::Binary);
        }
        // A log may say something before its first record.
        let starts = |line: &[u8]| matches!(line.first(), Some(b'{' | b'['));
        let has_records = peek.split(|&byte| byte == b'\n').skip(1).any(starts);
        return Ok(if has_records { Layout::Lines } else { Layout::Text });
    }
    if is_tuple(&peek) {
        return Ok(Layout::Lines);
    }
    let document = if first == b'[' { Layout::Array } else { Layout::Object };
    let mut input = io::Cursor::new(peek).chain_with(input);
    first_value(&mut input, document)
}

/// Follows the first value to its end and looks at what comes behind it.
fn first_value(input: &mut impl BufRead, document: Layout) -> io::Result<Layout> {
    let mut scanner = Scanner::default();
    let mut lines = LineStart::default();
    let mut ended = false;
    loop {
        let bytes = input.fill_buf()?;
        if bytes.is_empty() {
            break;
        }
        for &byte in bytes {
            if ended && !byte.is_ascii_whitespace() {
                // A value on one line with another behind it is a line of many.
                return Ok(if lines.count == 0 || lines.ended_first {
                    Layout::Lines
                } else {
                    document
                });
            }
            if byte == b'\n' && scanner.in_string && !ended {
                return Ok(Layout::Lines);
            }
            ended |= scanner.ends_with(byte);
            lines.take(byte, ended);
        }
        let taken = bytes.len();
        input.consume(taken);
    }
    match (ended, lines.second_is_a_value()) {
        (false, true) => Ok(Layout::Lines),
        (false, false) if document == Layout::Object && lines.count == 0 => Ok(Layout::Lines),
        _ => Ok(document),
    }
}

/// What the first two lines look like, for a first value that has no end.
#[derive(Debug, Default)]
struct LineStart {
    count: usize,
    /// Length of the first line.
    first: usize,
    ended_first: bool,
    second: Scanner,
    second_ended: bool,
    second_has_more: bool,
}

impl LineStart {
    fn take(&mut self, byte: u8, ended: bool) {
        if byte == b'\n' {
            self.count += usize::from(self.first > 0);
            return;
        }
        match self.count {
            0 => {
                self.first += 1;
                self.ended_first = ended;
            }
            1 if self.second_ended => self.second_has_more |= !byte.is_ascii_whitespace(),
            1 => self.second_ended = self.second.ends_with(byte),
            _ => {}
        }
    }

    /// Whether the second line is a whole value and the first is more than an opening bracket.
    fn second_is_a_value(&self) -> bool {
        self.first > 2 && self.second_ended && !self.second_has_more
    }
}

/// Whether an array starts like a tuple of a stream, `["mode", …]` or `[["namespace"], "mode", …]`.
fn is_tuple(peek: &[u8]) -> bool {
    let mut rest = peek.trim_ascii_start();
    let Some(inner) = rest.strip_prefix(b"[") else {
        return false;
    };
    rest = inner.trim_ascii_start();
    if let Some(namespace) = rest.strip_prefix(b"[") {
        let Some(end) = memchr::memchr(b']', namespace) else {
            return false;
        };
        let Some(behind) = namespace[end + 1..].trim_ascii_start().strip_prefix(b",") else {
            return false;
        };
        rest = behind.trim_ascii_start();
    }
    rest.first() == Some(&b'"')
}

fn peek(input: &mut impl BufRead) -> io::Result<Vec<u8>> {
    let mut peek = Vec::new();
    while peek.len() < PEEK {
        let bytes = input.fill_buf()?;
        if bytes.is_empty() {
            break;
        }
        let taken = bytes.len();
        peek.extend_from_slice(bytes);
        input.consume(taken);
    }
    if peek.starts_with(b"\xef\xbb\xbf") {
        peek.drain(..3);
    }
    Ok(peek)
}

/// `Read::chain` for a cursor before a borrowed reader.
trait ChainWith {
    fn chain_with<R: BufRead>(self, rest: &mut R) -> io::Chain<io::Cursor<Vec<u8>>, &mut R>;
}

impl ChainWith for io::Cursor<Vec<u8>> {
    fn chain_with<R: BufRead>(self, rest: &mut R) -> io::Chain<io::Cursor<Vec<u8>>, &mut R> {
        io::Read::chain(self, rest)
    }
}

#[cfg(test)]
mod tests {
    use super::{Layout, Size, measure, of};

    fn layout(text: &str) -> Layout {
        of(&mut text.as_bytes()).expect("memory can be read")
    }

    #[test]
    fn one_value_a_line_is_lines() {
        assert_eq!(layout("{\"a\":1}\n{\"a\":2}\n"), Layout::Lines);
        assert_eq!(layout("\n\n[{\"a\":1},{}]\n[{\"a\":2},{}]\n"), Layout::Lines);
        assert_eq!(
            layout("[\"values\", {}]\n"),
            Layout::Lines,
            "a single line of a stream of tuples"
        );
        assert_eq!(layout("[[\"sub:1\"], \"updates\", {}]\n"), Layout::Lines);
        assert_eq!(
            layout("started\n{\"a\":1}\n"),
            Layout::Lines,
            "a log line before the records"
        );
    }

    #[test]
    fn one_value_is_a_document() {
        assert_eq!(layout("{\"a\":[1,\"}\\\"\"]}\n\n"), Layout::Object);
        assert_eq!(layout("[\n {\"a\":1},\n {\"a\":2}\n]"), Layout::Array);
        assert_eq!(layout("{\n \"a\": 1\n}\n"), Layout::Object);
        assert_eq!(layout("[{\"a\":1},{\"a\":2}]"), Layout::Array);
    }

    #[test]
    fn a_truncated_first_line_does_not_hide_the_lines_behind_it() {
        assert_eq!(layout("{\"a\":\"b\n{\"a\":2}\n"), Layout::Lines, "cut inside a string");
        assert_eq!(
            layout("{\"a\":[1,\n{\"a\":2}\n{\"a\":3}\n"),
            Layout::Lines,
            "cut between values"
        );
        assert_eq!(
            layout("[\n{\"a\":1},\n{\"a\":2}\n"),
            Layout::Array,
            "an array whose end is missing"
        );
        assert_eq!(layout("{\"a\":[1,"), Layout::Lines);
    }

    #[test]
    fn other_bytes_are_told_apart() {
        assert_eq!(layout(" \n\t"), Layout::Empty);
        assert_eq!(layout("\u{feff}{\"a\":1}"), Layout::Object);
        assert_eq!(layout("Human: hi\nAI: hello\n"), Layout::Text);
        assert_eq!(layout("PK\u{3}\u{4}\0\0"), Layout::Binary);
    }

    #[test]
    fn brackets_are_measured_outside_strings() {
        assert_eq!(measure(b"[[{}],{\"[[{{\":{}}]"), Size { depth: 3, objects: 3 });
        assert_eq!(measure("[".repeat(100_000).as_bytes()).depth, 100_000);
    }
}
