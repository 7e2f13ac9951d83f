//! Applies the edits that mend findings. Knows no rule and no language.

mod diff;
mod ignores;
mod rounds;
#[cfg(test)]
mod tests;
mod write;

pub use diff::unified;
pub(crate) use ignores::ignore;
pub use ignores::ignores;
pub use rounds::{Fixed, Refused, fix};
pub use write::write;

use crate::mend::Edit;

/// A text with edits made; they are in its order and do not overlap.
pub(crate) fn applied<'e>(text: &str, edits: impl IntoIterator<Item = &'e Edit>) -> String {
    let mut made = String::with_capacity(text.len());
    let mut from = 0;
    for edit in edits {
        made.push_str(&text[from..edit.range.start]);
        made.push_str(&edit.replacement);
        from = edit.range.end;
    }
    made.push_str(&text[from..]);
    made
}
