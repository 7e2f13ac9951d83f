//! String literals, f-strings, implicit concatenation and `%` formatting.

use tree_sitter::Node;

use super::{Lowering, parts};
use crate::code::ir::{ExprId, ExprKind, Literal, Name, TemplatePart};

impl Lowering<'_> {
    /// One literal, or several that stand side by side.
    pub(super) fn text(&mut self, node: Node<'_>) -> ExprKind {
        let mut pieces = Vec::new();
        if node.kind() == "concatenated_string" {
            for part in parts(node) {
                self.string_pieces(part, &mut pieces);
            }
        } else {
            self.string_pieces(node, &mut pieces);
        }
        joined(pieces)
    }

    /// The documentation of a block that starts with this expression: its first paragraph.
    pub(super) fn doc(&mut self, node: Node<'_>) -> Option<Name> {
        if !matches!(node.kind(), "string" | "concatenated_string") {
            return None;
        }
        let ExprKind::Literal(Literal::Str(text)) = self.text(node) else {
            return None;
        };
        let lines: Vec<&str> = text
            .trim()
            .lines()
            .map(str::trim)
            .take_while(|line| !line.is_empty())
            .collect();
        Some(Name::from(lines.join(" ")))
    }

    fn string_pieces(&mut self, node: Node<'_>, pieces: &mut Vec<TemplatePart>) {
        let mut is_raw = false;
        let mut is_template = false;
        for part in parts(node) {
            match part.kind() {
                "string_start" => {
                    let prefix = self.text_of(part);
                    is_raw = prefix.contains(['r', 'R']);
                    is_template = prefix.contains(['f', 'F', 't', 'T']);
                }
                "string_content" => {
                    let text = unescape(self.text_of(part), is_raw, is_template);
                    pieces.push(TemplatePart::Text(Name::from(text)));
                }
                "interpolation" => self.interpolation(part, pieces),
                _ => {}
            }
        }
    }

    fn interpolation(&mut self, node: Node<'_>, pieces: &mut Vec<TemplatePart>) {
        let Some(value) = node.child_by_field_name("expression") else {
            return;
        };
        let value = self.expr(value);
        let specifier = node.child_by_field_name("format_specifier");
        pieces.push(TemplatePart::Value {
            value,
            format: specifier.map(|text| Name::from(self.text_of(text).trim_start_matches(':'))),
        });
        // A width or precision may be an expression of its own.
        for part in specifier.map(parts).unwrap_or_default() {
            self.interpolation(part, pieces);
        }
    }

    /// `"…" % values`, where the left side is a literal.
    pub(super) fn percent(&mut self, format: &str, right: Node<'_>) -> ExprKind {
        let mut positional = Vec::new();
        let mut named = Vec::new();
        match right.kind() {
            "tuple" => positional = parts(right).into_iter().map(|part| self.expr(part)).collect(),
            "dictionary" => {
                for pair in parts(right) {
                    let (key, value) = (pair.child_by_field_name("key"), pair.child_by_field_name("value"));
                    let (Some(key), Some(value)) = (key, value) else {
                        continue;
                    };
                    let key = self.text_of(key).trim_matches(['"', '\'']).to_owned();
                    named.push((key, self.expr(value)));
                }
            }
            _ => positional.push(self.expr(right)),
        }
        ExprKind::Template(filled(format, &positional, named))
    }
}

/// The parts of a `%` format. Values without a place come last, so none is lost.
fn filled(format: &str, positional: &[ExprId], mut named: Vec<(String, ExprId)>) -> Vec<TemplatePart> {
    let mut pieces = Vec::new();
    let mut text = String::new();
    let mut next = positional.iter().copied();
    let mut rest = format;
    while let Some(at) = rest.find('%') {
        text.push_str(&rest[..at]);
        rest = &rest[at + 1..];
        if let Some(after) = rest.strip_prefix('%') {
            text.push('%');
            rest = after;
            continue;
        }
        let mut key = None;
        if let Some((name, after)) = rest.strip_prefix('(').and_then(|rest| rest.split_once(')')) {
            key = Some(name);
            rest = after;
        }
        let end = rest.find(|c: char| c.is_ascii_alphabetic());
        rest = end.map_or("", |end| &rest[end + 1..]);
        let value = match key {
            Some(key) => named.iter().position(|(name, _)| name == key).map(|at| named[at].1),
            None => next.next(),
        };
        if let Some(value) = value {
            pieces.push(TemplatePart::Text(Name::from(std::mem::take(&mut text))));
            pieces.push(TemplatePart::Value { value, format: None });
        }
    }
    text.push_str(rest);
    pieces.push(TemplatePart::Text(Name::from(text)));
    named.retain(|(_, value)| {
        !pieces
            .iter()
            .any(|piece| matches!(piece, TemplatePart::Value { value: placed, .. } if placed == value))
    });
    let unplaced = next.chain(named.into_iter().map(|(_, value)| value));
    pieces.extend(unplaced.map(|value| TemplatePart::Value { value, format: None }));
    pieces.retain(|piece| !matches!(piece, TemplatePart::Text(text) if text.is_empty()));
    pieces
}

/// Neighbouring texts become one; a template without values is a literal.
fn joined(pieces: Vec<TemplatePart>) -> ExprKind {
    let mut merged = Vec::new();
    let mut text = String::new();
    for piece in pieces {
        match piece {
            TemplatePart::Text(more) => text.push_str(&more),
            TemplatePart::Value { .. } => {
                if !text.is_empty() {
                    merged.push(TemplatePart::Text(Name::from(std::mem::take(&mut text))));
                }
                merged.push(piece);
            }
        }
    }
    if merged.is_empty() {
        return ExprKind::Literal(Literal::Str(Name::from(text)));
    }
    if !text.is_empty() {
        merged.push(TemplatePart::Text(Name::from(text)));
    }
    ExprKind::Template(merged)
}

/// Resolves the escapes that people use in prose; others stay as written.
fn unescape(text: &str, is_raw: bool, is_template: bool) -> String {
    let text = if is_template && text.contains(['{', '}']) {
        text.replace("{{", "{").replace("}}", "}")
    } else {
        text.to_owned()
    };
    if is_raw || !text.contains('\\') {
        return text;
    }
    let mut plain = String::with_capacity(text.len());
    let mut rest = text.as_str();
    while let Some(at) = rest.find('\\') {
        plain.push_str(&rest[..at]);
        rest = &rest[at..];
        let (character, length) = escape(rest);
        plain.extend(character);
        rest = &rest[length..];
    }
    plain.push_str(rest);
    plain
}

/// The character that the escape at the start of the text stands for, and the escape's length in bytes.
fn escape(text: &str) -> (Option<char>, usize) {
    let Some(letter) = text[1..].chars().next() else {
        return (Some('\\'), 1);
    };
    let digits = match letter {
        'n' => return (Some('\n'), 2),
        't' => return (Some('\t'), 2),
        'r' => return (Some('\r'), 2),
        '0' => return (Some('\0'), 2),
        '\\' | '\'' | '"' => return (Some(letter), 2),
        '\n' => return (None, 2),
        'x' => 2,
        'u' => 4,
        'U' => 8,
        _ => return (Some('\\'), 1),
    };
    let code = text.get(2..2 + digits);
    match code
        .and_then(|code| u32::from_str_radix(code, 16).ok())
        .and_then(char::from_u32)
    {
        Some(character) => (Some(character), 2 + digits),
        None => (Some('\\'), 1),
    }
}
