//! Literals of text and format strings.

use tree_sitter::Node;

use super::Lowering;
use crate::code::ir::{ExprId, ExprKind, Literal, Name, Place, TemplatePart};

impl Lowering<'_> {
    /// The text of a literal, escapes resolved.
    pub(super) fn string(&self, node: Node<'_>) -> String {
        let text = self.text_of(node);
        let quote = if node.kind() == "char_literal" { '\'' } else { '"' };
        let Some((prefix, rest)) = text.split_once(quote) else {
            return String::new();
        };
        if prefix.contains('r') {
            let hashes = prefix.matches('#').count();
            let inside = rest.get(..rest.len().saturating_sub(hashes + 1));
            return inside.unwrap_or(rest).to_owned();
        }
        unescape(rest.strip_suffix(quote).unwrap_or(rest))
    }

    /// `format!("{a} {}", b)`: the arguments of a macro that formats, the first of which is the text.
    pub(super) fn template(&mut self, args: &[Node<'_>], place: Place) -> ExprId {
        let Some((&format, args)) = args.split_first() else {
            return self.push(ExprKind::Literal(Literal::Str(Name::from(""))), place);
        };
        let mut positional = Vec::new();
        let mut named = Vec::new();
        for &arg in args {
            match (
                arg.kind(),
                arg.child_by_field_name("left"),
                arg.child_by_field_name("right"),
            ) {
                ("assignment_expression", Some(left), Some(right)) => {
                    let name = self.name(left);
                    named.push((name, self.expr(right)));
                }
                _ => positional.push(self.expr(arg)),
            }
        }
        if !matches!(format.kind(), "string_literal" | "raw_string_literal") {
            let mut values = vec![self.expr(format)];
            values.extend(positional);
            return self.push(ExprKind::Other(values), place);
        }
        let text = self.string(format);
        let at = self.place(format);
        let mut next = 0;
        let mut pieces = Vec::new();
        for piece in pieces_of(&text) {
            match piece {
                Piece::Text(text) => pieces.push(TemplatePart::Text(Name::from(text))),
                Piece::Value(argument, format) => {
                    let value = match argument.parse::<usize>() {
                        Ok(index) => positional.get(index).copied(),
                        Err(_) if argument.is_empty() => {
                            next += 1;
                            positional.get(next - 1).copied()
                        }
                        Err(_) => Some(match named.iter().find(|(name, _)| **name == *argument) {
                            Some((_, value)) => *value,
                            None => self.captured(argument, at),
                        }),
                    };
                    if let Some(value) = value {
                        let format = format.map(Name::from);
                        pieces.push(TemplatePart::Value { value, format });
                    }
                }
            }
        }
        let kind = match &pieces[..] {
            [] => ExprKind::Literal(Literal::Str(Name::from(""))),
            [TemplatePart::Text(only)] => ExprKind::Literal(Literal::Str(only.clone())),
            _ => ExprKind::Template(pieces),
        };
        self.push(kind, place)
    }

    /// A variable that a format string names.
    fn captured(&mut self, name: &str, place: Place) -> ExprId {
        let name = self.intern(name);
        let mut known = self.stands_for.iter().rev();
        match known.find(|(known, _)| *known == name) {
            Some((_, Some(value))) => *value,
            _ => self.named(&name, place),
        }
    }
}

/// A piece of a format string.
#[derive(Debug, PartialEq, Eq)]
enum Piece<'s> {
    Text(&'s str),
    /// Which argument, and how it is written.
    Value(&'s str, Option<&'s str>),
}

/// Takes a format string apart.
fn pieces_of(text: &str) -> Vec<Piece<'_>> {
    let mut pieces = Vec::new();
    let mut rest = text;
    while let Some(at) = rest.find(['{', '}']) {
        let (before, brace) = rest.split_at(at);
        let doubled = brace.starts_with("{{") || brace.starts_with("}}");
        // Of a doubled brace one is text.
        let shown = if doubled { &rest[..=at] } else { before };
        if !shown.is_empty() {
            pieces.push(Piece::Text(shown));
        }
        if doubled {
            rest = &brace[2..];
        } else if let (true, Some(end)) = (brace.starts_with('{'), brace.find('}')) {
            let inside = &brace[1..end];
            let (argument, format) = match inside.split_once(':') {
                Some((argument, format)) => (argument, Some(format)),
                None => (inside, None),
            };
            pieces.push(Piece::Value(argument.trim(), format));
            rest = &brace[end + 1..];
        } else {
            rest = &brace[1..];
        }
    }
    if !rest.is_empty() {
        pieces.push(Piece::Text(rest));
    }
    pieces
}

fn unescape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('\\') {
        out.push_str(before);
        let mut characters = after.chars();
        let escaped = characters.next();
        rest = characters.as_str();
        match escaped {
            Some('n') => out.push('\n'),
            Some('t') => out.push('\t'),
            Some('r') => out.push('\r'),
            Some('0') => out.push('\0'),
            // A line that goes on: its end and the white space after it are no text.
            Some('\n') => rest = rest.trim_start(),
            Some('x') => {
                if let Some(code) = rest.get(..2).and_then(|code| u8::from_str_radix(code, 16).ok()) {
                    out.push(char::from(code));
                    rest = &rest[2..];
                }
            }
            Some('u') => {
                let (code, after) = rest.split_once('}').unwrap_or((rest, ""));
                let code = u32::from_str_radix(code.trim_start_matches('{'), 16).ok();
                out.extend(code.and_then(char::from_u32));
                rest = after;
            }
            Some(other) => out.push(other),
            None => {}
        }
    }
    out.push_str(rest);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn format_strings_are_taken_apart() {
        assert_eq!(
            pieces_of("a {} {b:?}{{c}} {0:>5}."),
            [
                Piece::Text("a "),
                Piece::Value("", None),
                Piece::Text(" "),
                Piece::Value("b", Some("?")),
                Piece::Text("{"),
                Piece::Text("c}"),
                Piece::Text(" "),
                Piece::Value("0", Some(">5")),
                Piece::Text("."),
            ]
        );
        assert_eq!(pieces_of("{"), []);
        assert_eq!(pieces_of("}é{x"), [Piece::Text("é"), Piece::Text("x")]);
    }

    #[test]
    fn escapes_are_resolved() {
        assert_eq!(
            unescape(
                r#"a\n\"\x41\u{e9}\\\
            b\"#
            ),
            "a\n\"Aé\\b"
        );
        assert_eq!(unescape(r"\x"), "");
        assert_eq!(unescape(r"\u"), "");
        assert_eq!(unescape(r"\xé"), "é");
    }
}
