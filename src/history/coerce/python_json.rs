//! `json.loads(text, strict=False)`: what it takes, and where it says it stopped.

use serde_json::{Map, Number, Value};

use super::Raised;

/// Nesting that Python's parser refuses.
const DEEPEST: usize = 900;

/// Parses a JSON text as Python does.
///
/// `NaN` and the infinities, which Python takes, become null: JSON has no such numbers.
pub(super) fn loads(text: &str) -> Result<Value, Raised> {
    let mut parser = Parser {
        text: text.chars().collect(),
        depth: 0,
    };
    if parser.text.first() == Some(&'\u{feff}') {
        return Err(parser.error("Unexpected UTF-8 BOM (decode using utf-8-sig)", 0));
    }
    let start = parser.skip_space(0);
    let (value, end) = parser.value(start)?;
    let end = parser.skip_space(end);
    if end < parser.text.len() {
        return Err(parser.error("Extra data", end));
    }
    Ok(value)
}

struct Parser {
    text: Vec<char>,
    depth: usize,
}

impl Parser {
    fn at(&self, at: usize) -> Option<char> {
        self.text.get(at).copied()
    }

    fn skip_space(&self, from: usize) -> usize {
        let is_space = |c: &char| matches!(c, ' ' | '\t' | '\n' | '\r');
        from + self.text[from.min(self.text.len())..]
            .iter()
            .take_while(|c| is_space(c))
            .count()
    }

    fn error(&self, what: &str, at: usize) -> Raised {
        let before = &self.text[..at.min(self.text.len())];
        let line = before.iter().filter(|&&c| c == '\n').count() + 1;
        let column = at - before.iter().rposition(|&c| c == '\n').map_or(0, |newline| newline + 1) + 1;
        Raised::new(
            "JSONDecodeError",
            format!("{what}: line {line} column {column} (char {at})"),
        )
    }

    fn value(&mut self, at: usize) -> Result<(Value, usize), Raised> {
        match self.at(at) {
            Some('"') => self.string(at + 1).map(|(text, end)| (Value::String(text), end)),
            Some(open @ ('{' | '[')) => {
                self.depth += 1;
                if self.depth > DEEPEST {
                    let kind = if open == '{' { "object" } else { "array" };
                    let message =
                        format!("maximum recursion depth exceeded while decoding a JSON {kind} from a unicode string");
                    return Err(Raised::new("RecursionError", message));
                }
                let parsed = if open == '{' {
                    self.object(at + 1)
                } else {
                    self.array(at + 1)
                };
                self.depth -= 1;
                parsed
            }
            Some('-' | '0'..='9') => match self.number(at) {
                Some(parsed) => Ok(parsed),
                None => self.word(at),
            },
            _ => self.word(at),
        }
    }

    fn word(&self, at: usize) -> Result<(Value, usize), Raised> {
        let words = [
            ("null", Value::Null),
            ("true", Value::Bool(true)),
            ("false", Value::Bool(false)),
            ("NaN", Value::Null),
            ("Infinity", Value::Null),
            ("-Infinity", Value::Null),
        ];
        let is_here = |word: &str| word.chars().enumerate().all(|(nth, c)| self.at(at + nth) == Some(c));
        match words.into_iter().find(|(word, _)| is_here(word)) {
            Some((word, value)) => Ok((value, at + word.len())),
            None => Err(self.error("Expecting value", at)),
        }
    }

    fn number(&self, at: usize) -> Option<(Value, usize)> {
        let digits = |from: usize| {
            self.text[from.min(self.text.len())..]
                .iter()
                .take_while(|c| c.is_ascii_digit())
                .count()
        };
        let start = at + usize::from(self.at(at) == Some('-'));
        let mut end = match self.at(start)? {
            '0' => start + 1,
            '1'..='9' => start + digits(start),
            _ => return None,
        };
        let mut is_float = false;
        if self.at(end) == Some('.') && digits(end + 1) > 0 {
            is_float = true;
            end += 1 + digits(end + 1);
        }
        if matches!(self.at(end), Some('e' | 'E')) {
            let sign = usize::from(matches!(self.at(end + 1), Some('+' | '-')));
            if digits(end + 1 + sign) > 0 {
                is_float = true;
                end += 1 + sign + digits(end + 1 + sign);
            }
        }
        let text: String = self.text[at..end].iter().collect();
        let whole = text
            .parse::<i64>()
            .map(Number::from)
            .or_else(|_| text.parse::<u64>().map(Number::from));
        let number = match whole {
            Ok(number) if !is_float => Value::Number(number),
            _ => Number::from_f64(text.parse().ok()?).map_or(Value::Null, Value::Number),
        };
        Some((number, end))
    }

    fn array(&mut self, from: usize) -> Result<(Value, usize), Raised> {
        let mut items = Vec::new();
        let mut at = self.skip_space(from);
        if self.at(at) == Some(']') {
            return Ok((Value::Array(items), at + 1));
        }
        loop {
            let (item, end) = self.value(at)?;
            items.push(item);
            at = self.skip_space(end);
            match self.at(at) {
                Some(']') => return Ok((Value::Array(items), at + 1)),
                Some(',') => at = self.skip_space(at + 1),
                _ => return Err(self.error("Expecting ',' delimiter", at)),
            }
        }
    }

    fn object(&mut self, from: usize) -> Result<(Value, usize), Raised> {
        let mut fields = Map::new();
        let mut at = self.skip_space(from);
        if self.at(at) == Some('}') {
            return Ok((Value::Object(fields), at + 1));
        }
        loop {
            if self.at(at) != Some('"') {
                return Err(self.error("Expecting property name enclosed in double quotes", at));
            }
            let (key, end) = self.string(at + 1)?;
            at = self.skip_space(end);
            if self.at(at) != Some(':') {
                return Err(self.error("Expecting ':' delimiter", at));
            }
            let (value, end) = self.value(self.skip_space(at + 1))?;
            fields.insert(key, value);
            at = self.skip_space(end);
            match self.at(at) {
                Some('}') => return Ok((Value::Object(fields), at + 1)),
                Some(',') => at = self.skip_space(at + 1),
                _ => return Err(self.error("Expecting ',' delimiter", at)),
            }
        }
    }

    /// A string whose opening quote is just before `from`.
    fn string(&self, from: usize) -> Result<(String, usize), Raised> {
        let unterminated = || self.error("Unterminated string starting at", from - 1);
        let mut out = String::new();
        let mut at = from;
        loop {
            match self.at(at).ok_or_else(unterminated)? {
                '"' => return Ok((out, at + 1)),
                '\\' => {
                    let escape = self.at(at + 1).ok_or_else(unterminated)?;
                    let plain = match escape {
                        '"' | '\\' | '/' => escape,
                        'b' => '\u{8}',
                        'f' => '\u{c}',
                        'n' => '\n',
                        'r' => '\r',
                        't' => '\t',
                        'u' => {
                            let (c, end) = self.unicode(at + 2)?;
                            out.push(c);
                            at = end;
                            continue;
                        }
                        _ => return Err(self.error("Invalid \\escape", at)),
                    };
                    out.push(plain);
                    at += 2;
                }
                c => {
                    out.push(c);
                    at += 1;
                }
            }
        }
    }

    /// The character of a `\u` escape, or of two that are a surrogate pair; a lone half is not a
    /// character and becomes the replacement character.
    fn unicode(&self, at: usize) -> Result<(char, usize), Raised> {
        let Some(unit) = self.hex(at) else {
            return Err(self.error("Invalid \\uXXXX escape", at - 1));
        };
        let is_high = (0xd800..0xdc00).contains(&unit);
        let low = (is_high && self.at(at + 4) == Some('\\') && self.at(at + 5) == Some('u')).then(|| self.hex(at + 6));
        if let Some(Some(low @ 0xdc00..0xe000)) = low {
            let code = 0x10000 + ((unit - 0xd800) << 10) + (low - 0xdc00);
            return Ok((char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER), at + 10));
        }
        Ok((char::from_u32(unit).unwrap_or(char::REPLACEMENT_CHARACTER), at + 4))
    }

    /// Four hexadecimal digits. Python wants the text to go on behind them.
    fn hex(&self, at: usize) -> Option<u32> {
        let digits = self.text.get(at..at + 4).filter(|_| at + 4 < self.text.len())?;
        digits
            .iter()
            .try_fold(0, |value, digit| Some(value * 16 + digit.to_digit(16)?))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::loads;

    #[test]
    fn texts_are_taken_as_python_takes_them() {
        let text = "{\"a\": [1, -2.50, 1e2, true, null, NaN], \"b\": \"tab\t\\u00e9\\ud83d\\ude00\\ud800\", \"a\": {}}";
        assert_eq!(loads(text), Ok(json!({"a": {}, "b": "tab\té😀\u{fffd}"})));
        assert_eq!(
            loads(" [1, -2.50, 1e2, true, null] "),
            Ok(json!([1, -2.5, 100.0, true, null]))
        );
    }

    #[test]
    fn errors_name_the_place_where_python_stops() {
        let cases = [
            (
                "{bad",
                "Expecting property name enclosed in double quotes: line 1 column 2 (char 1)",
            ),
            ("", "Expecting value: line 1 column 1 (char 0)"),
            (" ", "Expecting value: line 1 column 2 (char 1)"),
            ("[1", "Expecting ',' delimiter: line 1 column 3 (char 2)"),
            ("[1,]", "Expecting value: line 1 column 4 (char 3)"),
            (
                "{\"a\":1,}",
                "Expecting property name enclosed in double quotes: line 1 column 8 (char 7)",
            ),
            ("{\"a\" 1}", "Expecting ':' delimiter: line 1 column 6 (char 5)"),
            ("\"abc", "Unterminated string starting at: line 1 column 1 (char 0)"),
            ("\"ab\\q\"", "Invalid \\escape: line 1 column 4 (char 3)"),
            ("\"\\u12\"", "Invalid \\uXXXX escape: line 1 column 3 (char 2)"),
            ("{} x", "Extra data: line 1 column 4 (char 3)"),
            ("01", "Extra data: line 1 column 2 (char 1)"),
            ("-", "Expecting value: line 1 column 1 (char 0)"),
            (
                "\n\n {bad",
                "Expecting property name enclosed in double quotes: line 3 column 3 (char 4)",
            ),
            (
                "\u{feff}{}",
                "Unexpected UTF-8 BOM (decode using utf-8-sig): line 1 column 1 (char 0)",
            ),
        ];
        for (text, message) in cases {
            let error = loads(text).expect_err(text);
            assert_eq!(
                (error.kind, error.message.as_str()),
                ("JSONDecodeError", message),
                "{text:?}"
            );
        }
        let deep = "[".repeat(100_000);
        assert_eq!(loads(&deep).map_err(|error| error.kind), Err("RecursionError"));
    }
}
