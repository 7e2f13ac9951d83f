//! Places in a text as findings have them, and as editors do.
//!
//! A finding counts lines by `\n` and columns by Unicode scalar values, both from 1. The protocol counts both from 0,
//! lines by `\n`, `\r\n` or `\r` alone, and columns in code units of an encoding that is agreed upon.

use lsp_types::{Position, PositionEncodingKind, Range};

use crate::finding;

/// The mark that may stand before a text and is no part of what is analysed.
const BYTE_ORDER_MARK: char = '\u{feff}';

/// What a column counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Encoding {
    /// Bytes.
    Utf8,
    /// Units of two bytes; what holds where nothing is agreed upon.
    #[default]
    Utf16,
    /// Scalar values.
    Utf32,
}

impl Encoding {
    /// The one of this name.
    pub(super) fn named(name: &str) -> Option<Self> {
        let all = [Self::Utf8, Self::Utf16, Self::Utf32];
        all.into_iter().find(|one| one.kind().as_str() == name)
    }

    pub(super) fn kind(self) -> PositionEncodingKind {
        match self {
            Self::Utf8 => PositionEncodingKind::UTF8,
            Self::Utf16 => PositionEncodingKind::UTF16,
            Self::Utf32 => PositionEncodingKind::UTF32,
        }
    }

    fn length(self, text: &str) -> u32 {
        let length = match self {
            Self::Utf8 => text.len(),
            Self::Utf16 => text.chars().map(char::len_utf16).sum(),
            Self::Utf32 => text.chars().count(),
        };
        length as u32
    }
}

/// A text without the mark that an editor may have sent with it, and whether it did.
pub(super) fn without_mark(text: &str) -> (&str, bool) {
    match text.strip_prefix(BYTE_ORDER_MARK) {
        Some(rest) => (rest, true),
        None => (text, false),
    }
}

/// The lines of a text, as analysed.
#[derive(Debug)]
pub(super) struct Lines<'t> {
    text: &'t str,
    encoding: Encoding,
    /// Whether the editor has a byte order mark before the text.
    marked: bool,
    /// Where lines begin, as findings count them.
    ours: Vec<usize>,
    /// Where they begin, as editors do.
    theirs: Vec<usize>,
}

impl<'t> Lines<'t> {
    pub(super) fn of(text: &'t str, marked: bool, encoding: Encoding) -> Self {
        let (mut ours, mut theirs) = (vec![0], vec![0]);
        let bytes = text.as_bytes();
        for (at, byte) in bytes.iter().enumerate() {
            let ends = match byte {
                b'\n' => {
                    ours.push(at + 1);
                    true
                }
                b'\r' => bytes.get(at + 1) != Some(&b'\n'),
                _ => false,
            };
            if ends {
                theirs.push(at + 1);
            }
        }
        Self {
            text,
            encoding,
            marked,
            ours,
            theirs,
        }
    }

    /// The place as the editor has it. What lies behind the end of a line is its end.
    pub(super) fn place(&self, at: finding::Position) -> Position {
        let offset = self.offset(at);
        let line = self.theirs.partition_point(|start| *start <= offset) - 1;
        let mut character = self.encoding.length(&self.text[self.theirs[line]..offset]);
        if line == 0 && self.marked {
            character += self.encoding.length(BYTE_ORDER_MARK.encode_utf8(&mut [0; 4]));
        }
        Position::new(line as u32, character)
    }

    pub(super) fn range(&self, start: finding::Position, end: finding::Position) -> Range {
        Range::new(self.place(start), self.place(end))
    }

    /// The byte of a place.
    fn offset(&self, at: finding::Position) -> usize {
        let line = at.line.saturating_sub(1) as usize;
        let Some(&start) = self.ours.get(line) else {
            return self.text.len();
        };
        let end = self.ours.get(line + 1).map_or(self.text.len(), |next| next - 1);
        let mut places = self.text[start..end].char_indices();
        let column = at.column.saturating_sub(1) as usize;
        places.nth(column).map_or(end, |(at, _)| start + at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(text: &str, encoding: Encoding, line: u32, column: u32) -> (u32, u32) {
        let (text, marked) = without_mark(text);
        let lines = Lines::of(text, marked, encoding);
        let place = lines.place(finding::Position { line, column });
        (place.line, place.character)
    }

    #[test]
    fn columns_count_units_of_the_encoding() {
        // An accent is two bytes and one unit of two; an emoji four bytes and two units.
        let text = "x = 'é😀'; y\n";
        let of_y = |encoding| place(text, encoding, 1, 11);
        assert_eq!(of_y(Encoding::Utf16), (0, 11));
        assert_eq!(of_y(Encoding::Utf8), (0, 14));
        assert_eq!(of_y(Encoding::Utf32), (0, 10));
        assert_eq!(Encoding::named("utf-8"), Some(Encoding::Utf8));
        assert_eq!(Encoding::named("utf-7"), None);
    }

    #[test]
    fn line_ends_are_those_of_the_protocol() {
        let utf16 = |text, line, column| place(text, Encoding::Utf16, line, column);
        assert_eq!(utf16("a\r\nbc\r\n", 2, 2), (1, 1));
        // A return alone ends a line of the editor, and none of a finding.
        assert_eq!(utf16("a\rbc\nd", 1, 4), (1, 1));
        assert_eq!(utf16("a\rbc\nd", 2, 1), (2, 0));
    }

    #[test]
    fn what_lies_behind_the_end_is_the_end() {
        let utf16 = |text, line, column| place(text, Encoding::Utf16, line, column);
        assert_eq!(utf16("ab\ncd\n", 1, 99), (0, 2));
        assert_eq!(utf16("ab\ncd\n", 3, 1), (2, 0));
        assert_eq!(utf16("ab\ncd\n", 9, 9), (2, 0));
        assert_eq!(utf16("", 1, 1), (0, 0));
        assert_eq!(utf16("ab", 0, 0), (0, 0));
    }

    #[test]
    fn a_byte_order_mark_takes_a_column_of_the_first_line() {
        assert_eq!(place("\u{feff}ab\nc", Encoding::Utf16, 1, 2), (0, 2));
        assert_eq!(place("\u{feff}ab\nc", Encoding::Utf8, 1, 2), (0, 4));
        assert_eq!(place("\u{feff}ab\nc", Encoding::Utf16, 2, 1), (1, 0));
    }
}
