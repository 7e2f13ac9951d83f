use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::{Fixed, fix, write};
use crate::code::Texts;
use crate::finding::{Finding, Position, Span, Witness};
use crate::mend::{Applicability, Edit, Fix};
use crate::outcome::Outcome;
use crate::rule::{FIXED_INDEX_INSERT, HEAD_SCAN_ATTACH, Rule};

/// A rule for texts: reports each place of a word, with what would come in its place.
type Word = (&'static Rule, &'static str, &'static str);

/// What such rules find in one file.
fn found(text: &str, words: &[Word]) -> Outcome {
    let path = PathBuf::from("a.txt");
    let mut outcome = Outcome::default();
    for (rule, word, replacement) in words {
        for (byte, _) in text.match_indices(word) {
            let at = |byte: usize| Position {
                line: 1,
                column: byte as u32 + 1,
            };
            let (start, end) = (at(byte), at(byte + word.len()));
            let span = Span {
                path: path.clone(),
                start,
                end,
            };
            let mut finding = Finding::at(rule, Witness::Code, span, *word);
            finding.fix = (!replacement.is_empty()).then(|| Fix {
                title: "say it better",
                applicability: Applicability::Unsafe,
                path: path.clone(),
                edits: vec![Edit {
                    range: byte..byte + word.len(),
                    start,
                    end,
                    replacement: (*replacement).to_owned(),
                }],
            });
            outcome.findings.push(finding);
        }
    }
    outcome.findings.sort_by(|a, b| a.sort_key().cmp(&b.sort_key()));
    outcome.sources.insert(path, Arc::from(text));
    outcome
}

/// Fixes a text; one with `!` in it cannot be parsed.
fn fixed(text: &str, words: &[Word]) -> (String, Fixed) {
    let check = |texts: &Texts| found(texts.get(Path::new("a.txt")).map_or(text, AsRef::as_ref), words);
    let fixed = fix(true, check, |_, text| !text.contains('!'));
    let new = fixed.changed.get(Path::new("a.txt"));
    (new.map_or(text, |(_, new)| new).to_owned(), fixed)
}

fn mended(fixed: &Fixed) -> usize {
    fixed.mended.values().sum()
}

#[test]
fn all_that_do_not_overlap_are_applied_at_once() {
    let (text, fixed) = fixed("aa b aa", &[(&HEAD_SCAN_ATTACH, "aa", "c")]);
    assert_eq!((text.as_str(), mended(&fixed)), ("c b c", 2));
    assert!(fixed.refused.is_empty());
    assert!(fixed.outcome.findings.is_empty());
}

#[test]
fn of_two_that_overlap_the_first_is_applied() {
    let words: &[Word] = &[(&HEAD_SCAN_ATTACH, "ab", "x"), (&FIXED_INDEX_INSERT, "bc", "y")];
    let (text, fixed) = fixed("abc bc", words);
    // The second of `abc` has gone with the first; the one behind it was fixed in the same round.
    assert_eq!((text.as_str(), mended(&fixed)), ("xc y", 2));
}

#[test]
fn what_comes_up_in_a_round_is_fixed_in_the_next() {
    let words: &[Word] = &[(&HEAD_SCAN_ATTACH, "aa", "b"), (&HEAD_SCAN_ATTACH, "cb", "d")];
    let (text, fixed) = fixed("aa caa", &[words[0]]);
    assert_eq!((text.as_str(), mended(&fixed)), ("b cb", 2));
    let (text, fixed) = self::fixed(
        "aaaa",
        &[(&HEAD_SCAN_ATTACH, "aaa", "b"), (&HEAD_SCAN_ATTACH, "ba", "d")],
    );
    assert_eq!(text, "aaaa", "a fix that only brings the next finding is taken back");
    assert_eq!(mended(&fixed), 0);
}

#[test]
fn a_fix_that_leaves_its_finding_is_taken_back_and_the_others_stay() {
    let words: &[Word] = &[
        (&HEAD_SCAN_ATTACH, "aa", "aab"),
        (&HEAD_SCAN_ATTACH, "cc", "d"),
        (&FIXED_INDEX_INSERT, "ee", "f"),
    ];
    let (text, fixed) = fixed("aa cc ee", words);
    assert_eq!((text.as_str(), mended(&fixed)), ("aa d f", 2));
    let [refused] = &fixed.refused[..] else {
        panic!("one is refused: {:?}", fixed.refused)
    };
    assert_eq!((refused.rule, refused.at.column), ("head-scan-attach", 1));
    assert_eq!(refused.why, "would leave the finding, or bring another");
}

#[test]
fn a_fix_that_brings_another_finding_is_taken_back() {
    let words: &[Word] = &[(&HEAD_SCAN_ATTACH, "aa", "b"), (&FIXED_INDEX_INSERT, "b", "")];
    let (text, fixed) = fixed("aa", words);
    assert_eq!((text.as_str(), mended(&fixed), fixed.refused.len()), ("aa", 0, 1));
}

#[test]
fn a_fix_that_breaks_the_file_is_taken_back_and_the_others_stay() {
    let words: &[Word] = &[(&HEAD_SCAN_ATTACH, "aa", "!"), (&FIXED_INDEX_INSERT, "b", "c")];
    let (text, fixed) = fixed("aa b", words);
    assert_eq!((text.as_str(), mended(&fixed)), ("aa c", 1));
    let why: Vec<_> = fixed.refused.iter().map(|refused| refused.why).collect();
    assert_eq!(why, ["would make code that cannot be parsed"]);
}

#[test]
fn a_file_that_changed_meanwhile_or_is_gone_is_named() {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let changed = folder.path().join("changed.py");
    std::fs::write(&changed, "x = 2\n").expect("a file can be written");
    let gone = folder.path().join("gone.py");
    let texts = || (Arc::from("x = 1\n"), Arc::from("x = 3\n"));
    let failed = write(&[(changed.clone(), texts()), (gone.clone(), texts())].into());
    let named: Vec<_> = failed.iter().map(|(path, error)| (path, error.to_string())).collect();
    assert_eq!(named[0].0, &changed);
    assert_eq!(
        named[0].1,
        "the file was changed while it was checked; it is left as it is"
    );
    assert_eq!(named[1].0, &gone);
    assert_eq!(std::fs::read_to_string(&changed).expect("it is still there"), "x = 2\n");
    assert!(!gone.exists());
}
