use serde_json::Value;

use super::agreement::agree;
use super::{Bounds, Refused, Tape};

/// Numbers that look random and are the same on every run.
pub(in crate::transcript) struct Dice(pub(in crate::transcript) u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % sides
    }

    fn pick<T: Copy>(&mut self, of: &[T]) -> T {
        of[self.roll(of.len())]
    }

    fn space(&mut self) -> &'static str {
        self.pick(&["", "", "", "", " ", "\n", "\t\r "])
    }

    fn string(&mut self, out: &mut String) {
        const PARTS: [&str; 18] = [
            "",
            "a",
            "key",
            "é",
            "字",
            "😀",
            "\\n",
            "\\t",
            "\\\"",
            "\\\\",
            "\\/",
            "\\u0041",
            "\\ud83d\\ude00",
            "\\ud800",
            "\\u001f",
            "\u{7f}",
            "{[,]}:",
            "a text of more than sixteen bytes, so that it is read in blocks",
        ];
        out.push('"');
        for _ in 0..self.roll(4) {
            out.push_str(self.pick(&PARTS));
        }
        out.push('"');
    }

    /// A value, with what is rare and difficult in it more often than in life.
    pub(in crate::transcript) fn value(&mut self, depth: usize, out: &mut String) {
        const SCALARS: [&str; 14] = [
            "null",
            "true",
            "false",
            "0",
            "-0",
            "7",
            "-12",
            "1.50",
            "2e3",
            "1E-2",
            "1e999",
            "18446744073709551616",
            "123456789012345678",
            "-9223372036854775808",
        ];
        out.push_str(self.space());
        match self.roll(if depth > 5 { 4 } else { 8 }) {
            0 | 1 => self.string(out),
            2 | 3 => out.push_str(self.pick(&SCALARS)),
            4 | 5 => self.list('[', ']', depth, out),
            _ => self.list('{', '}', depth, out),
        }
        out.push_str(self.space());
    }

    fn list(&mut self, open: char, close: char, depth: usize, out: &mut String) {
        out.push(open);
        out.push_str(self.space());
        for at in 0..self.roll(5) {
            if at > 0 {
                out.push(',');
            }
            if open == '{' {
                out.push_str(self.space());
                self.string(out);
                out.push_str(self.space());
                out.push(':');
            }
            self.value(depth + 1, out);
        }
        out.push(close);
    }

    /// Puts in, takes out or changes a few bytes, as far as it stays text.
    fn spoil(&mut self, text: &str) -> String {
        const BYTES: &[u8] = b"\"\\{}[]:, \x01\x1f0e-+.tnu/\n\xc3\x80";
        let mut bytes = text.as_bytes().to_vec();
        for _ in 0..=self.roll(2) {
            let at = self.roll(bytes.len() + 1);
            match self.roll(3) {
                0 => bytes.insert(at, self.pick(BYTES)),
                1 if at < bytes.len() => drop(bytes.remove(at)),
                2 if at < bytes.len() => bytes[at] = self.pick(BYTES),
                _ => bytes.truncate(at),
            }
        }
        String::from_utf8(bytes).unwrap_or_default()
    }
}

#[test]
fn the_scanner_reads_what_serde_json_reads() {
    let mut dice = Dice(20_260_301);
    let mut tape = Tape::default();
    let (mut taken, mut refused) = (0, 0);
    for _ in 0..4000 {
        let mut text = String::new();
        dice.value(0, &mut text);
        assert!(agree(&text, &mut tape), "{text}");
        for _ in 0..4 {
            let spoiled = dice.spoil(&text);
            *(if agree(&spoiled, &mut tape) {
                &mut taken
            } else {
                &mut refused
            }) += 1;
        }
    }
    assert!(taken > 1000 && refused > 1000, "{taken} taken, {refused} refused");
}

#[test]
fn corners_of_json_are_those_of_serde_json() {
    let mut tape = Tape::default();
    let cases = [
        "",
        " ",
        "nul",
        "nulll",
        "true false",
        "-",
        "-01",
        "01",
        "1.",
        ".1",
        "1e",
        "1e+",
        "+1",
        "[1,]",
        "[,1]",
        "{,}",
        "{\"a\"}",
        "{\"a\":}",
        "{\"a\":1,}",
        "{1:2}",
        "[1 2]",
        "]",
        "}",
        "[}",
        "{]",
        "\"",
        "\"\\",
        "\"\\x\"",
        "\"\\u12\"",
        "\"\\u12g4\"",
        "\"\u{1}\"",
        "\"\u{7f}\"",
        "\u{feff}1",
        "1 ",
        "\u{a0}1",
        "[[],{},[{}]]",
        "{\"\":{\"\":[]}}",
        "\u{c}1",
        "[1]\0",
    ];
    for case in cases {
        agree(case, &mut tape);
    }
}

#[test]
fn what_is_too_deep_or_too_much_is_left_to_others() {
    let mut tape = Tape::default();
    let bounds = Bounds { depth: 3, objects: 2 };
    let cases = [
        ("[[[1]]]", Ok(())),
        ("[[[[1]]]]", Err(Refused)),
        ("[{},{\"a\":1}]", Ok(())),
        ("[{},{},{}]", Err(Refused)),
    ];
    for (text, expected) in cases {
        assert_eq!(tape.scan(text, bounds), expected, "{text}");
    }
    let flat = format!("[{}1]", "1,".repeat(100_000));
    assert_eq!(
        tape.scan(&flat, Bounds::NONE),
        Err(Refused),
        "the tape would be longer than the text"
    );
    let value: Value = serde_json::from_str(&flat).expect("it is JSON nevertheless");
    assert_eq!(value[7], 1);
}
