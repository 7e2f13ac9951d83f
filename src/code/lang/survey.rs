//! One pass over the syntax tree before anything recurses into it.

use tree_sitter::Node;

use super::Refusal;
use super::position::Positions;
use crate::code::ir::Comment;

/// How deep a tree may be. People's code stays below 100; everything after this recurses.
pub(super) const MAX_DEPTH: usize = 500;

/// What one pass over a tree finds.
pub(super) struct Survey {
    /// Every comment.
    pub(super) comments: Vec<Comment>,
    /// The 1-based line of the first stretch that cannot be parsed.
    pub(super) first_error: Option<u32>,
}

/// What the survey has to know of a grammar.
pub(super) struct Grammar {
    /// Kinds of nodes that become branches inside each other although they stand side by side.
    pub(super) arms: &'static [&'static str],
    /// Whether a kind of node stands for a whole statement, which is lowered even inside an unparsable
    /// stretch.
    pub(super) is_statement: fn(&str) -> bool,
    /// What is said of a file that is something else.
    pub(super) unparsable: &'static str,
    /// What to do about it.
    pub(super) help: &'static str,
}

/// Collects the comments; refuses a tree that is nested too deep or mostly of another language.
pub(super) fn survey(
    root: Node<'_>,
    text: &str,
    positions: &Positions<'_>,
    grammar: &Grammar,
) -> Result<Survey, Refusal> {
    let mut comments = Vec::new();
    let mut unparsable = 0;
    let mut first_error = None;
    let mut levels = vec![Level::default()];
    let mut all_arms = 0;
    let mut cursor = root.walk();
    loop {
        let node = cursor.node();
        let level = levels
            .last_mut()
            .expect("the root's level is popped only by the return below");
        match node.kind() {
            kind if is_comment(kind) => comments.push(comment(node, text, positions)),
            kind if grammar.arms.contains(&kind) => {
                all_arms += 1;
                level.arms += 1;
            }
            kind if level.is_error && (grammar.is_statement)(kind) => unparsable -= node.byte_range().len(),
            _ => {}
        }
        if node.is_error() && !level.is_error {
            unparsable += node.byte_range().len();
        }
        // Whole statements inside an unparsable stretch are read; what stands between them is not.
        let lost = level.is_error && !(grammar.is_statement)(node.kind()) && !is_comment(node.kind());
        if lost || node.is_missing() || node.is_error() && node.child_count() == 0 {
            first_error.get_or_insert(node.start_position().row as u32 + 1);
        }
        if levels.len() + all_arms > MAX_DEPTH {
            return Err(too_deep(node.start_position().row as u32 + 1));
        }
        if cursor.goto_first_child() {
            levels.push(Level {
                arms: 0,
                is_error: node.is_error(),
            });
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return match first_error {
                    Some(line) if unparsable * 2 > text.trim().len() => Err(Refusal {
                        line,
                        message: grammar.unparsable.to_owned(),
                        help: grammar.help,
                    }),
                    _ => Ok(Survey { comments, first_error }),
                };
            }
            all_arms -= levels.pop().map_or(0, |level| level.arms);
        }
    }
}

/// Refuses code that is nested too deep on this line.
pub(super) fn too_deep(line: u32) -> Refusal {
    Refusal {
        line,
        message: format!("the code is nested more than {MAX_DEPTH} levels deep here"),
        help: "generated files can be left out by an ignore file",
    }
}

/// What is known of the nodes between the root and the present one.
#[derive(Default)]
struct Level {
    /// Arms so far: they become branches inside each other, so they count as depth.
    arms: usize,
    /// Whether the parent could not be parsed.
    is_error: bool,
}

/// Whether a kind of node is a comment, in any grammar.
fn is_comment(kind: &str) -> bool {
    matches!(kind, "comment" | "line_comment" | "block_comment")
}

fn comment(node: Node<'_>, text: &str, positions: &Positions<'_>) -> Comment {
    let start = node.start_byte();
    let line_start = start - node.start_position().column;
    Comment {
        at: positions.start(node),
        text: text[node.byte_range()].trim_end().to_owned(),
        own_line: text[line_start..start].trim().is_empty(),
    }
}
