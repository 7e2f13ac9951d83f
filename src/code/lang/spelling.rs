//! What languages share when they say in edits what would mend a finding.

use std::ops::Range;

use tree_sitter::Node;

use crate::finding::{Position, Span};
use crate::mend::{Applicability, Mend};

/// Replacements of stretches of a text, by their bytes.
pub(crate) type Edits = Vec<(Range<usize>, String)>;

/// A mend in the words of a language.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Spelled {
    pub(crate) applicability: Applicability,
    pub(crate) edits: Edits,
}

impl Spelled {
    /// What changes what the program does.
    pub(super) fn unsafe_(edits: Edits) -> Self {
        Self {
            applicability: Applicability::Unsafe,
            edits,
        }
    }
}

/// A text and its syntax tree.
#[derive(Clone, Copy)]
pub(super) struct Parsed<'t> {
    pub(super) text: &'t str,
    pub(super) root: Node<'t>,
}

impl<'t> Parsed<'t> {
    pub(super) fn text_of(&self, node: Node<'_>) -> &'t str {
        &self.text[node.byte_range()]
    }

    /// The bytes of a stretch.
    pub(super) fn range(&self, span: &Span) -> Option<Range<usize>> {
        let start = byte(self.text, span.start)?;
        let end = byte(self.text, span.end)?;
        (start <= end).then_some(start..end)
    }

    /// The innermost node that is exactly this stretch.
    pub(super) fn node(&self, span: &Span) -> Option<Node<'t>> {
        let range = self.range(span)?;
        let node = self.root.named_descendant_for_byte_range(range.start, range.end)?;
        (node.byte_range() == range).then_some(node)
    }

    /// The nearest node around a node, itself included, that is of one of these kinds.
    pub(super) fn around(node: Node<'t>, kinds: &[&str]) -> Option<Node<'t>> {
        let mut at = Some(node);
        while let Some(node) = at {
            if kinds.contains(&node.kind()) {
                return Some(node);
            }
            at = node.parent();
        }
        None
    }

    /// The nearest node around a node that holds more than it.
    pub(super) fn parent(node: Node<'t>) -> Option<Node<'t>> {
        let mut at = node;
        loop {
            let parent = at.parent()?;
            if parent.byte_range() != node.byte_range() {
                return Some(parent);
            }
            at = parent;
        }
    }

    /// Whether a name stands anywhere in the file, be it in a comment.
    pub(super) fn has_word(&self, word: &str) -> bool {
        self.text.match_indices(word).any(|(at, _)| {
            let is_part = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
            !self.text[..at].ends_with(is_part) && !self.text[at + word.len()..].starts_with(is_part)
        })
    }

    /// A name that the file does not have.
    pub(super) fn fresh(&self, names: &[&'static str]) -> Option<&'static str> {
        names.iter().copied().find(|name| !self.has_word(name))
    }

    /// How the lines of the file end.
    pub(super) fn line_end(&self) -> &'static str {
        match self.text.find('\n') {
            Some(at) if self.text[..at].ends_with('\r') => "\r\n",
            _ => "\n",
        }
    }
}

/// The byte at a line and column.
fn byte(text: &str, position: Position) -> Option<usize> {
    let mut line = 0;
    for _ in 1..position.line {
        line += memchr::memchr(b'\n', &text.as_bytes()[line..])? + 1;
    }
    let rest = &text[line..];
    let mut characters = rest.char_indices().map(|(at, _)| at).chain([rest.len()]);
    characters.nth(position.column as usize - 1).map(|at| line + at)
}

/// The named children of a node, without comments.
pub(super) fn children(node: Node<'_>) -> Vec<Node<'_>> {
    let mut cursor = node.walk();
    node.named_children(&mut cursor)
        .filter(|child| !child.kind().ends_with("comment"))
        .collect()
}

/// Whether a node of this kind stands inside another, such as what ends a round of a loop early.
pub(super) fn holds(outer: Node<'_>, kind: &str) -> bool {
    let mut open = vec![outer];
    while let Some(node) = open.pop() {
        if node.kind() == kind {
            return true;
        }
        open.extend(children(node));
    }
    false
}

/// The edits for each of the mends of one file, where `one` spells a mend.
pub(super) fn spell_each<'t>(
    text: &'t str,
    root: Node<'t>,
    mends: &[&Mend],
    one: impl Fn(Parsed<'t>, &Mend) -> Option<Spelled>,
) -> Vec<Option<Spelled>> {
    let parsed = Parsed { text, root };
    mends.iter().map(|mend| one(parsed, mend)).collect()
}

/// Whether a node stands inside another, or is it.
pub(super) fn within(outer: Node<'_>, inner: Node<'_>) -> bool {
    outer.start_byte() <= inner.start_byte() && inner.end_byte() <= outer.end_byte()
}

/// The kinds of nodes by which the body of a search is told from one that does more.
pub(super) struct Body {
    /// What leaves the loop.
    pub(super) leaves: &'static [&'static str],
    /// What does nothing that another round could see.
    pub(super) quiet: &'static [&'static str],
    /// What holds statements under a condition, or hands them through.
    pub(super) holds: &'static [&'static str],
    /// A row of statements.
    pub(super) blocks: &'static [&'static str],
}

impl Body {
    /// Whether a round of a loop leaves it or does nothing: the rounds may come in any order.
    pub(super) fn only_searches(&self, block: Node<'_>) -> bool {
        let kind = block.kind();
        if self.leaves.contains(&kind) || self.quiet.contains(&kind) {
            return true;
        }
        let inner = children(block);
        if self.blocks.contains(&kind) {
            let leaves = |node: &Node<'_>| {
                let inner = if node.kind() == "expression_statement" {
                    node.named_child(0)
                } else {
                    None
                };
                self.leaves.contains(&inner.unwrap_or(*node).kind())
            };
            return inner.last().is_some_and(leaves) || inner.iter().all(|node| self.only_searches(*node));
        }
        if !self.holds.contains(&kind) {
            return false;
        }
        let known = |kind: &str| {
            let all = [self.leaves, self.quiet, self.holds, self.blocks];
            all.iter().any(|kinds| kinds.contains(&kind))
        };
        let statement = |node: &Node<'_>| known(node.kind()) || node.kind().ends_with("statement");
        inner
            .iter()
            .filter(|node| statement(node))
            .all(|node| self.only_searches(*node))
    }
}

/// A format of a time in the words of `strftime`, without what is finer than a day.
pub(super) fn day_format(format: &str) -> Option<String> {
    /// Directives of days and longer times.
    const DAYS: &str = "YymdbBaAhxjDFeGguwUWVCv";
    let mut finer = Vec::new();
    let mut coarse = Vec::new();
    let mut characters = format.char_indices();
    while let Some((at, c)) = characters.next() {
        if c != '%' {
            continue;
        }
        let directive = characters
            .by_ref()
            .map(|(_, c)| c)
            .find(|c| !matches!(c, '-' | '_' | '0' | '#' | '^' | ':' | '.'))?;
        match directive {
            '%' => {}
            day if DAYS.contains(day) => coarse.push(at),
            _ => finer.push(at),
        }
    }
    let first = *finer.first()?;
    if coarse.is_empty() || coarse.iter().any(|at| *at > first) {
        return Some("%Y-%m-%d".to_owned());
    }
    // What stands between the day and the time belongs to the time: `T`, ` at `, `, `.
    let last_day = *coarse.last()?;
    let behind = &format[last_day..first];
    let directive: usize = behind
        .char_indices()
        .skip(1)
        .find(|(_, c)| c.is_ascii_alphabetic())
        .map(|(at, c)| at + c.len_utf8())?;
    Some(format[..last_day + directive].to_owned())
}

#[cfg(test)]
pub(super) mod testing {
    use std::path::PathBuf;

    use super::*;
    use crate::code::source::position;

    /// Where a part stands in a text for the first time.
    pub(in crate::code::lang) fn span(text: &str, part: &str) -> Span {
        let at = text.find(part).expect("the part is in the text");
        Span {
            path: PathBuf::new(),
            start: position(text, at),
            end: position(text, at + part.len()),
        }
    }

    /// The text with the edits made.
    pub(in crate::code::lang) fn made(text: &str, spelled: Spelled) -> String {
        let mut edits = spelled.edits;
        edits.sort_by_key(|(range, _)| (range.start, range.end));
        let mut made = text.to_owned();
        for (range, replacement) in edits.into_iter().rev() {
            made.replace_range(range, &replacement);
        }
        made
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_position_is_found_behind_wide_characters_and_other_line_ends() {
        let at = |line, column| byte("é = 1\r\nx = 'ü'\r\n", Position { line, column });
        assert_eq!(at(1, 1), Some(0));
        assert_eq!(at(1, 2), Some(2));
        assert_eq!(at(2, 1), Some(8));
        assert_eq!(at(2, 8), Some(16));
        assert_eq!(at(4, 1), None);
    }

    #[test]
    fn of_a_format_the_day_is_left() {
        assert_eq!(day_format("%Y-%m-%d %H:%M:%S").as_deref(), Some("%Y-%m-%d"));
        assert_eq!(
            day_format("%A, %d. %B %Y at %-I:%M %p").as_deref(),
            Some("%A, %d. %B %Y")
        );
        assert_eq!(day_format("%d.%m.%YT%H").as_deref(), Some("%d.%m.%Y"));
        assert_eq!(day_format("%H:%M").as_deref(), Some("%Y-%m-%d"));
        assert_eq!(day_format("%H:%M on %d.%m.").as_deref(), Some("%Y-%m-%d"));
        assert_eq!(day_format("%Y-%m-%d"), None, "it is a day already");
    }
}
