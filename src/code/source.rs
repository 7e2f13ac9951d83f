//! A source file's bytes to text.

use std::fs;
use std::io::Read;
use std::path::Path;
use std::sync::Arc;

use memchr::memchr;

use crate::finding::{Position, Span};
use crate::outcome::{Problem, ProblemKind};

/// The largest file that is read. People do not write larger ones, and generated ones have no bugs to mend.
pub(super) const MAX_BYTES: u64 = 4 << 20;

/// A file's text.
#[derive(Debug)]
pub(crate) struct Source {
    /// Without a byte order mark; bytes that are no UTF-8 are replaced.
    pub(crate) text: Arc<str>,
    /// What is wrong with it, although it can be checked.
    pub(crate) complaint: Option<Problem>,
}

/// Reads a file.
pub(crate) fn read(path: &Path) -> Result<Source, Problem> {
    let failed = |error: std::io::Error| problem(path, None, error.to_string(), None, ProblemKind::Failed);
    let mut bytes = Vec::new();
    // One byte more than allowed tells a file that is too large, whatever its metadata says.
    let file = fs::File::open(path).map_err(failed)?;
    file.take(MAX_BYTES + 1).read_to_end(&mut bytes).map_err(failed)?;
    decoded(path, &bytes)
}

/// The text of a file's bytes, of which there may be one more than are read.
pub(super) fn decoded(path: &Path, bytes: &[u8]) -> Result<Source, Problem> {
    let refused = |line, message: String, help| problem(path, line, message, help, ProblemKind::Refused);
    if bytes.len() as u64 > MAX_BYTES {
        let message = format!("the file is larger than {} MiB", MAX_BYTES >> 20);
        let help = "generated files can be left out by an ignore file";
        return Err(refused(None, message, Some(help)));
    }
    if let Some(at) = memchr(0, bytes) {
        let message = "the file is binary: it holds a zero byte".to_owned();
        return Err(refused(Some(line_of(bytes, at)), message, None));
    }
    let bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
    match std::str::from_utf8(bytes) {
        Ok(text) => Ok(Source {
            text: Arc::from(text),
            complaint: None,
        }),
        Err(error) => {
            let line = line_of(bytes, error.valid_up_to());
            let message = "the file is not valid UTF-8 from here on; it is checked with these bytes replaced";
            Ok(Source {
                text: Arc::from(String::from_utf8_lossy(bytes)),
                complaint: Some(refused(Some(line), message.to_owned(), Some("save the file as UTF-8"))),
            })
        }
    }
}

fn problem(path: &Path, line: Option<u32>, message: String, help: Option<&str>, kind: ProblemKind) -> Problem {
    Problem {
        path: path.to_owned(),
        line,
        message,
        help: help.map(str::to_owned),
        kind,
    }
}

/// The 1-based line that shows that a program put a text together out of many files: it is far longer than
/// people write, and so are most, or it makes a helper of bundlers.
pub(crate) fn bundled(text: &str) -> Option<u32> {
    const LONG: usize = 20_000;
    const MEAN: usize = 200;
    const HEAD: usize = 200;
    const HELPERS: [&str; 5] = [
        "var __commonJS = ",
        "var __esm = ",
        "var __toESM = ",
        "var __copyProps = ",
        "function __webpack_require__(",
    ];
    let helper = |line: &str| HELPERS.iter().any(|helper| line.trim_start().starts_with(helper));
    if let Some(line) = text.lines().take(HEAD).position(helper) {
        return Some(line as u32 + 1);
    }
    let lines = text.lines().count().max(1);
    let long = text.lines().position(|line| line.len() > LONG)?;
    (text.len() / lines > MEAN).then_some(long as u32 + 1)
}

/// The line and the column of a byte.
pub(crate) fn position(text: &str, byte: usize) -> Position {
    let before = &text[..byte];
    let line = before.rfind('\n').map_or(0, |end| end + 1);
    Position {
        line: memchr::memchr_iter(b'\n', before.as_bytes()).count() as u32 + 1,
        column: before[line..].chars().count() as u32 + 1,
    }
}

/// The text of a stretch in one line.
pub(crate) fn within(text: &str, span: &Span) -> String {
    let (first, last) = (span.start.line as usize, span.end.line as usize);
    let lines = text.lines().enumerate().skip(first - 1).take(last + 1 - first);
    let parts = lines.map(|(index, line)| {
        let from = if index + 1 == first {
            span.start.column as usize - 1
        } else {
            0
        };
        let to = if index + 1 == last {
            span.end.column as usize - 1
        } else {
            usize::MAX
        };
        line.chars().take(to).skip(from).collect::<String>()
    });
    let words: Vec<String> = parts
        .flat_map(|part| part.split_whitespace().map(str::to_owned).collect::<Vec<_>>())
        .collect();
    words.join(" ")
}

fn line_of(bytes: &[u8], at: usize) -> u32 {
    memchr::memchr_iter(b'\n', &bytes[..at]).count() as u32 + 1
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_bytes(bytes: &[u8]) -> Result<Source, Problem> {
        let folder = tempfile::tempdir().expect("a folder can be made");
        let path = folder.path().join("m.py");
        fs::write(&path, bytes).expect("a file can be written");
        read(&path)
    }

    #[test]
    fn the_largest_file_is_read_and_one_byte_more_is_refused() {
        let largest = vec![b'\n'; MAX_BYTES as usize];
        assert!(read_bytes(&largest).is_ok());
        let problem = read_bytes(&[&largest[..], b"\n"].concat()).expect_err("the file is too large");
        assert_eq!(problem.message, "the file is larger than 4 MiB");
        assert_eq!(problem.kind, ProblemKind::Refused);
    }

    #[test]
    fn a_byte_order_mark_is_no_text() {
        let source = read_bytes(b"\xEF\xBB\xBFx = 1\n").expect("the file can be read");
        assert_eq!(&*source.text, "x = 1\n");
        assert_eq!(source.complaint, None);
    }

    #[test]
    fn bytes_that_are_no_utf8_are_replaced_and_their_line_is_named() {
        let source = read_bytes(b"a = 1\nb = '\xE9'\n").expect("the file can be read");
        assert_eq!(&*source.text, "a = 1\nb = '\u{FFFD}'\n");
        assert_eq!(source.complaint.and_then(|problem| problem.line), Some(2));
    }

    #[test]
    fn bundles_are_told_from_long_data() {
        let bundle = format!("var a;\n{}\n", "f();".repeat(6_000));
        assert_eq!(bundled(&bundle), Some(2));
        let readable = "// made of many files\nvar __toESM = (mod) => mod;\nvar a = f();\n";
        assert_eq!(bundled(readable), Some(2));
        assert_eq!(bundled("const toESM = 1;\n"), None);
        let data = format!(
            "{}const icon = \"{}\";\n",
            "const a = 1;\n".repeat(2_000),
            "x".repeat(21_000)
        );
        assert_eq!(bundled(&data), None);
    }
}
