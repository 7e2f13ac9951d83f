//! A source file's bytes to text.

use std::fs;
use std::io::Read;
use std::path::Path;
use std::sync::Arc;

use memchr::memchr;

use crate::outcome::{Problem, ProblemKind};

/// The largest file that is read. People do not write larger ones, and generated ones have no bugs to mend.
const MAX_BYTES: u64 = 8 << 20;

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
    let problem = |line, message: String, help: Option<&str>, kind| Problem {
        path: path.to_owned(),
        line,
        message,
        help: help.map(str::to_owned),
        kind,
    };
    let failed = |error: std::io::Error| problem(None, error.to_string(), None, ProblemKind::Failed);
    let mut bytes = Vec::new();
    // One byte more than allowed tells a file that is too large, whatever its metadata says.
    let file = fs::File::open(path).map_err(failed)?;
    file.take(MAX_BYTES + 1).read_to_end(&mut bytes).map_err(failed)?;
    if bytes.len() as u64 > MAX_BYTES {
        let message = format!("the file is larger than {} MiB", MAX_BYTES >> 20);
        let help = "generated files can be left out by an ignore file";
        return Err(problem(None, message, Some(help), ProblemKind::Refused));
    }
    if let Some(at) = memchr(0, &bytes) {
        let message = "the file is binary: it holds a zero byte".to_owned();
        return Err(problem(Some(line_of(&bytes, at)), message, None, ProblemKind::Refused));
    }
    let bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(&bytes);
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
                complaint: Some(problem(
                    Some(line),
                    message.to_owned(),
                    Some("save the file as UTF-8"),
                    ProblemKind::Refused,
                )),
            })
        }
    }
}

fn line_of(bytes: &[u8], at: usize) -> u32 {
    memchr::memchr_iter(b'\n', &bytes[..at]).count() as u32 + 1
}
