//! Message-likes of every kind, good and bad, next to what the real libraries make of them or raise.

#![allow(clippy::unwrap_used, reason = "the helpers of a test fail it with a panic")]

use ctxlint::history::fold_rows;
use ctxlint::history::reducer::Reducer;
use serde_json::Value;

const COERCIONS: &str = include_str!("data/reducer_coercions.jsonl");
const FORMATS: &str = include_str!("data/reducer_formats.jsonl");

/// Folds the rows of one reducer; how many there are, and how many end in an error.
fn assert_rows_fold_alike(rows: &str, reducer: Reducer) -> (usize, usize) {
    let parsed = |line: &str| serde_json::from_str::<Value>(line).unwrap();
    let (mut count, mut errors) = (0, 0);
    for row in rows.lines().map(parsed).filter(|row| row["reducer"] == reducer.name()) {
        let mut output = Vec::new();
        fold_rows::run(reducer, row.to_string().as_bytes(), &mut output, |line| {
            panic!("{line:?}")
        })
        .unwrap();
        let folded: Value = serde_json::from_slice(&output).unwrap();
        assert_eq!(folded["states"], row["states"], "{}", row["updates"]);
        assert_eq!(folded["error"], row["error"], "{}", row["updates"]);
        count += 1;
        errors += usize::from(!row["error"].is_null());
    }
    (count, errors)
}

#[test]
fn message_likes_are_coerced_as_by_langchain_core_for_python() {
    assert_eq!(assert_rows_fold_alike(COERCIONS, Reducer::AddMessages), (229, 152));
}

#[test]
fn message_likes_are_coerced_as_by_langchain_core_for_javascript() {
    assert_eq!(assert_rows_fold_alike(COERCIONS, Reducer::Js), (222, 40));
}

#[test]
fn content_is_formatted_as_by_langchain_core() {
    assert_eq!(assert_rows_fold_alike(FORMATS, Reducer::AddMessages), (35, 11));
}
