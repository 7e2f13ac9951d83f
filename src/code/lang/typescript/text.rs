//! String literals and template strings.

use tree_sitter::Node;

use super::{Lowering, parts};
use crate::code::ir::{ExprKind, Literal, Name, TemplatePart};

impl Lowering<'_> {
    /// The text of a string literal, escapes resolved where that is simple.
    pub(super) fn string(&mut self, node: Node<'_>) -> Name {
        let parts = parts(node);
        if let [only] = *parts
            && only.kind() == "string_fragment"
        {
            return self.name(only);
        }
        let text: String = parts.into_iter().map(|part| self.piece(part)).collect();
        Name::from(text)
    }

    /// A template without values is a literal.
    pub(super) fn template(&mut self, node: Node<'_>) -> ExprKind {
        let mut pieces = Vec::new();
        let mut text = String::new();
        for part in parts(node) {
            if part.kind() != "template_substitution" {
                text.push_str(&self.piece(part));
                continue;
            }
            if !text.is_empty() {
                pieces.push(TemplatePart::Text(Name::from(std::mem::take(&mut text))));
            }
            if let Some(&value) = parts(part).first() {
                let value = self.expr(value);
                pieces.push(TemplatePart::Value { value, format: None });
            }
        }
        if pieces.is_empty() {
            return ExprKind::Literal(Literal::Str(Name::from(text)));
        }
        if !text.is_empty() {
            pieces.push(TemplatePart::Text(Name::from(text)));
        }
        ExprKind::Template(pieces)
    }

    fn piece(&self, node: Node<'_>) -> String {
        let text = self.text_of(node);
        match node.kind() {
            "escape_sequence" => escape(text),
            _ => text.to_owned(),
        }
    }
}

/// The character that an escape stands for; unusual ones stay as written.
fn escape(text: &str) -> String {
    let code = |digits: &str| {
        u32::from_str_radix(digits, 16)
            .ok()
            .and_then(char::from_u32)
            .map_or_else(|| text.to_owned(), String::from)
    };
    let Some(rest) = text.strip_prefix('\\') else {
        return text.to_owned();
    };
    match rest.chars().next() {
        Some('n') => "\n".to_owned(),
        Some('t') => "\t".to_owned(),
        Some('r') => "\r".to_owned(),
        Some('0') => "\0".to_owned(),
        Some('\n' | '\r') => String::new(),
        Some('x') => code(&rest[1..]),
        Some('u') => code(rest[1..].trim_start_matches('{').trim_end_matches('}')),
        Some(_) => rest.to_owned(),
        None => text.to_owned(),
    }
}
