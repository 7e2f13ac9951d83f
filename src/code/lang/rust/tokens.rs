//! One pass over the text before it is parsed: how deep its brackets are nested, and macros whose
//! arguments are expressions rewritten so that the parser sees calls.
//!
//! The grammar leaves the arguments of a macro unparsed. `vec![a, b]` becomes `vec_(a, b)` and the
//! objects of `json!({"k": v})` become tuples `("k", v)`, byte for byte, so that every place stays.

/// Macros whose arguments are expressions.
const EXPRESSIONS: &[&str] = &[
    "vec",
    "json",
    "format",
    "format_args",
    "print",
    "println",
    "eprint",
    "eprintln",
    "write",
    "writeln",
    "panic",
    "unreachable",
    "todo",
    "unimplemented",
    "assert",
    "assert_eq",
    "assert_ne",
    "debug_assert",
    "debug_assert_eq",
    "debug_assert_ne",
    "bail",
    "ensure",
    "anyhow",
    "eyre",
    "dbg",
    "join",
    "try_join",
    "smallvec",
];

/// What an open bracket stands for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Open {
    /// A bracket of the language.
    Plain,
    /// The arguments of a rewritten macro.
    Arguments,
    /// The same, with `;` between a value and how often it is repeated.
    Repeated,
    /// The arguments of `json!`, or an array in it.
    Json,
    /// An array in `json!`, whose bracket stays.
    JsonArray,
    /// An object in `json!`.
    JsonObject,
}

/// Rewrites the text for the parser; refuses it with the line on which more than `limit` brackets are
/// open, since the parser needs memory for every one of them.
pub(super) fn prepare(text: &str, limit: usize) -> Result<String, u32> {
    let mut scan = Scan {
        bytes: text.as_bytes(),
        out: text.as_bytes().to_vec(),
        at: 0,
        open: Vec::new(),
        before: b';',
    };
    while scan.at < scan.bytes.len() {
        scan.step();
        if scan.open.len() > limit {
            return Err(memchr::memchr_iter(b'\n', &scan.bytes[..scan.at]).count() as u32 + 1);
        }
    }
    // Only single ASCII bytes were replaced by others.
    Ok(String::from_utf8(scan.out).unwrap_or_else(|_| text.to_owned()))
}

struct Scan<'s> {
    bytes: &'s [u8],
    out: Vec<u8>,
    at: usize,
    open: Vec<Open>,
    /// The last byte that was neither white space nor comment.
    before: u8,
}

impl Scan<'_> {
    fn peek(&self, ahead: usize) -> u8 {
        self.bytes.get(self.at + ahead).copied().unwrap_or(0)
    }

    fn step(&mut self) {
        let byte = self.bytes[self.at];
        match byte {
            _ if byte.is_ascii_whitespace() => {
                self.at += 1;
                return;
            }
            b'/' if self.peek(1) == b'/' => {
                let rest = &self.bytes[self.at..];
                self.at += memchr::memchr(b'\n', rest).unwrap_or(rest.len());
                return;
            }
            b'/' if self.peek(1) == b'*' => return self.block_comment(),
            b'"' => self.string(),
            b'\'' => self.character(),
            b'(' | b'[' | b'{' => self.opened(byte),
            b')' | b']' | b'}' => self.closed(),
            b':' if self.open.last() == Some(&Open::JsonObject) => {
                if self.peek(1) == b':' {
                    self.at += 2;
                } else {
                    self.out[self.at] = b',';
                    self.at += 1;
                }
            }
            b';' if self.open.last() == Some(&Open::Repeated) => {
                self.out[self.at] = b',';
                self.at += 1;
            }
            _ if byte == b'_' || byte.is_ascii_alphabetic() || !byte.is_ascii() => self.word(),
            _ => self.at += 1,
        }
        self.before = self.bytes[self.at.min(self.bytes.len()) - 1];
    }

    fn block_comment(&mut self) {
        let mut depth = 0_usize;
        while self.at < self.bytes.len() {
            match (self.peek(0), self.peek(1)) {
                (b'/', b'*') => {
                    depth += 1;
                    self.at += 2;
                }
                (b'*', b'/') => {
                    depth -= 1;
                    self.at += 2;
                    if depth == 0 {
                        return;
                    }
                }
                _ => self.at += 1,
            }
        }
    }

    fn string(&mut self) {
        self.at += 1;
        while self.at < self.bytes.len() {
            match self.peek(0) {
                b'\\' => self.at += 2,
                b'"' => {
                    self.at += 1;
                    return;
                }
                _ => self.at += 1,
            }
        }
    }

    /// A character, or the quote of a lifetime.
    fn character(&mut self) {
        self.at += 1;
        if self.peek(0) == b'\\' {
            self.at += 2;
            while self.at < self.bytes.len() && !matches!(self.peek(0), b'\'' | b'\n') {
                self.at += 1;
            }
            self.at += 1;
            return;
        }
        let length = match self.peek(0) {
            0..0x80 => 1,
            0x80..0xE0 => 2,
            0xE0..0xF0 => 3,
            _ => 4,
        };
        if self.peek(length) == b'\'' {
            self.at += length + 1;
        }
    }

    /// A name, the prefix of a raw string, or the name of a macro.
    fn word(&mut self) {
        let start = self.at;
        while self.peek(0) == b'_' || self.peek(0).is_ascii_alphanumeric() || !self.peek(0).is_ascii() {
            self.at += 1;
        }
        let word = &self.bytes[start..self.at];
        match (word, self.peek(0)) {
            (b"r" | b"br" | b"cr", b'"' | b'#') => self.raw_string(),
            (_, b'!') if matches!(self.peek(1), b'(' | b'[' | b'{') => {
                if let Ok(name) = std::str::from_utf8(word)
                    && EXPRESSIONS.contains(&name)
                {
                    self.out[self.at] = b'_';
                    self.out[self.at + 1] = b'(';
                    self.open.push(match name {
                        "vec" | "smallvec" => Open::Repeated,
                        "json" => Open::Json,
                        _ => Open::Arguments,
                    });
                    self.at += 2;
                }
            }
            _ => {}
        }
    }

    fn raw_string(&mut self) {
        let hashes = self.bytes[self.at..].iter().take_while(|&&byte| byte == b'#').count();
        if self.peek(hashes) != b'"' {
            // A name that is spelled like a keyword: `r#type`.
            self.at += hashes;
            return;
        }
        let end = [b"\"".as_slice(), &vec![b'#'; hashes]].concat();
        self.at += hashes + 1;
        self.at += memchr::memmem::find(&self.bytes[self.at..], &end)
            .map_or(self.bytes.len() - self.at, |found| found + end.len());
    }

    fn opened(&mut self, byte: u8) {
        let in_json = matches!(self.open.last(), Some(Open::Json | Open::JsonArray | Open::JsonObject));
        // Where a value begins, a brace is an object and no block.
        let begins = matches!(self.before, b'(' | b'[' | b'{' | b',' | b':' | b'!');
        let open = match byte {
            b'{' if in_json && begins => {
                self.out[self.at] = b'(';
                Open::JsonObject
            }
            b'[' if in_json && begins => Open::JsonArray,
            _ => Open::Plain,
        };
        self.open.push(open);
        self.at += 1;
    }

    fn closed(&mut self) {
        if matches!(
            self.open.pop(),
            Some(Open::Arguments | Open::Repeated | Open::Json | Open::JsonObject)
        ) {
            self.out[self.at] = b')';
        }
        self.at += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn prepared(text: &str) -> String {
        prepare(text, 500).expect("the text is not deep")
    }

    #[test]
    fn macros_of_expressions_become_calls_of_the_same_length() {
        for (text, rewritten) in [
            ("let v = vec![a, b];", "let v = vec_(a, b);"),
            ("vec![0; n]", "vec_(0, n)"),
            ("std::format!(\"{}\", x)", "std::format_(\"{}\", x)"),
            ("println!{}", "println_()"),
            ("bail!(\"[{}]\", vec![1])", "bail_(\"[{}]\", vec_(1))"),
        ] {
            assert_eq!(prepared(text), rewritten);
        }
    }

    #[test]
    fn objects_of_json_become_tuples() {
        assert_eq!(
            prepared("json!({\"a\": [1, {\"b\": x::y}], \"c\": f(|| { g(Z { z: 1 }) })})"),
            "json_((\"a\", [1, (\"b\", x::y)], \"c\", f(|| { g(Z { z: 1 }) })))"
        );
    }

    #[test]
    fn what_is_no_such_macro_stays() {
        for text in [
            "select! { a = b => {} }",
            "matches!(x, A { .. } if y)",
            "a != b",
            "\"vec![\"",
            "r#\"vec![\"#",
            "// vec![\n/* vec![ /* */ */",
            "'\"' 'a' '\\'' 'é'",
            "fn f<'a>(x: &'a str) {}",
            "r#type",
        ] {
            assert_eq!(prepared(text), text);
        }
    }

    #[test]
    fn open_brackets_count_and_those_in_texts_do_not() {
        assert_eq!(prepare("(\n[\n{\n", 2), Err(3));
        for text in ["\"((((\"", "r\"((((\"", "// ((((", "/* (((( */", "'('", "(x)[0](y)"] {
            assert!(prepare(text, 1).is_ok(), "{text}");
        }
    }

    #[test]
    fn texts_that_are_cut_off_end_the_scan() {
        for text in [
            "\"", "\"\\", "'", "'\\", "r#\"", "/*", "/", "vec!", "json!({", "é", "b'",
        ] {
            assert!(prepare(text, 500).is_ok(), "{text}");
        }
    }
}
