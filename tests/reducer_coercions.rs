//! Message-likes of every kind, good and bad, next to what langchain-core makes of them or raises.

#![allow(clippy::unwrap_used, reason = "the helpers of a test fail it with a panic")]

use ctxlint::history::fold_rows;
use ctxlint::history::reducer::Reducer;
use serde_json::Value;

#[test]
fn message_likes_are_coerced_as_langchain_core_coerces_them() {
    let rows = include_str!("data/reducer_coercions.jsonl");
    let mut output = Vec::new();
    let summary = fold_rows::run(Reducer::AddMessages, rows.as_bytes(), &mut output, |line| {
        panic!("{line:?}")
    });
    assert!(summary.unwrap().rows > 190);
    let parsed = |line: &str| serde_json::from_str::<Value>(line).unwrap();
    for (row, folded) in rows
        .lines()
        .map(parsed)
        .zip(String::from_utf8(output).unwrap().lines().map(parsed))
    {
        assert_eq!(folded["states"], row["states"], "{}", row["updates"]);
        assert_eq!(folded["error"], row["error"], "{}", row["updates"]);
    }
}
