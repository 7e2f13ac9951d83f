//! Byte offsets to lines and columns.

use tree_sitter::{Node, Point};

use crate::code::ir::Place;
use crate::finding::Position;

/// How many bytes one entry of the character index covers.
const STRIDE: usize = 128;

/// Finds the column of a byte. Columns count Unicode scalar values while tree-sitter counts bytes, so
/// a text beyond ASCII gets an index of character counts: one line may be the whole file.
pub(super) struct Positions<'s> {
    text: &'s [u8],
    /// Characters before every `STRIDE`th byte; empty for an ASCII text.
    counts: Vec<u32>,
}

impl<'s> Positions<'s> {
    pub(super) fn of(text: &'s str) -> Self {
        let mut counts = Vec::new();
        if !text.is_ascii() {
            let mut characters = 0;
            for chunk in text.as_bytes().chunks(STRIDE) {
                counts.push(characters);
                characters += starts(chunk);
            }
            counts.push(characters);
        }
        Self {
            text: text.as_bytes(),
            counts,
        }
    }

    pub(super) fn place(&self, node: Node<'_>) -> Place {
        Place {
            start: self.start(node),
            end: self.end(node),
        }
    }

    pub(super) fn start(&self, node: Node<'_>) -> Position {
        self.position(node.start_position(), node.start_byte())
    }

    pub(super) fn end(&self, node: Node<'_>) -> Position {
        self.position(node.end_position(), node.end_byte())
    }

    fn position(&self, point: Point, byte: usize) -> Position {
        let column = if self.counts.is_empty() {
            point.column as u32
        } else {
            self.characters_before(byte) - self.characters_before(byte - point.column)
        };
        Position {
            line: point.row as u32 + 1,
            column: column + 1,
        }
    }

    fn characters_before(&self, byte: usize) -> u32 {
        let chunk = byte / STRIDE;
        self.counts[chunk] + starts(&self.text[chunk * STRIDE..byte])
    }
}

/// How many characters start in these bytes.
fn starts(bytes: &[u8]) -> u32 {
    bytes.iter().filter(|&&byte| byte & 0xC0 != 0x80).count() as u32
}
