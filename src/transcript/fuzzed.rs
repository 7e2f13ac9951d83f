//! The transcript half as fuzz targets run it.

use super::scan::Tape;
use super::scan::agreement::agree;

/// Compares the scanner with `serde_json` on every part of a text.
pub(crate) fn scanner(text: &str) {
    agree(text, &mut Tape::default());
}
