//! What `benches/pieces/` measures and no other door leads to.

use std::borrow::Cow;
use std::path::Path;

use crate::code;
use crate::secrets;
use crate::transcript;

/// The scanner of records, which is made once and used for one after another.
#[derive(Debug, Default)]
pub struct Scanner(transcript::Tape);

impl Scanner {
    /// Whether a text is JSON; what it consists of is written down on the way.
    pub fn scan(&mut self, text: &str) -> bool {
        self.0.scan(text, transcript::Bounds::NONE).is_ok()
    }
}

/// Whether a file is one that is parsed for its own sake, as its words tell.
#[must_use]
pub fn has_words(text: &str) -> bool {
    code::has_words(text)
}

/// Parses a file and lowers it to the program that the analysis goes by; whether that can be done.
#[must_use]
pub fn lowers(path: &Path, text: &str) -> bool {
    code::lowers(path, text)
}

/// A text with a word in the place of each secret.
#[must_use]
pub fn masked(text: &str) -> Cow<'_, str> {
    secrets::masked(text)
}
