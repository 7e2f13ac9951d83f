//! The tabled cases of the reducers: one row a case, with what the real libraries make of it.
//!
//! 1 to 100 are `add_messages`, G1 to G43 what a graph does around it, J1 to J38 the JavaScript reducer.

#![allow(clippy::unwrap_used, reason = "the helpers of a test fail it with a panic")]

use std::collections::BTreeSet;

use ctxlint::history::fold_rows::{self, Malformed, Summary};
use ctxlint::history::reducer::Reducer;
use serde_json::{Value, json};

const CASES: &str = include_str!("data/reducer_cases.jsonl");
const GOLDEN: &str = include_str!("data/reducer_js_golden.json");

/// Cases that a fold of data cannot show, and why.
const NOT_DATA: [(&str, &str); 9] = [
    (
        "15",
        "an update's own object gets its id: data has no object of its own",
    ),
    (
        "35",
        "a removal is constructed with content: in data a removal's content is dropped before that",
    ),
    (
        "54",
        "a tuple is one message: JSON has lists only, and a list is a list of messages",
    ),
    ("57", "a generator is refused: JSON has none; 78 is refused alike"),
    ("94", "which objects the new list shares with the old one"),
    ("95", "a state's own object gets its id: data has no object of its own"),
    ("G24", "a message edited in the state, and nothing written"),
    ("G25", "a message put into the state, and nothing written"),
    ("J31", "undefined as update: JSON has none; null, J30, is refused alike"),
];

fn fold(reducer: Reducer, rows: &str) -> (Vec<Value>, Vec<Malformed>, Summary) {
    let (mut output, mut malformed) = (Vec::new(), Vec::new());
    let summary = fold_rows::run(reducer, rows.as_bytes(), &mut output, |line| malformed.push(line)).unwrap();
    let lines = String::from_utf8(output).unwrap();
    (
        lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect(),
        malformed,
        summary,
    )
}

fn cases() -> impl Iterator<Item = Value> {
    CASES.lines().map(|line| serde_json::from_str(line).unwrap())
}

#[test]
fn every_tabled_case_folds_as_it_does_for_real() {
    for case in cases() {
        let reducer: Reducer = case["reducer"].as_str().unwrap().parse().unwrap();
        let (folded, malformed, _) = fold(reducer, &case.to_string());
        assert_eq!(malformed, [], "{}: {}", case["case"], case["shows"]);
        let expected = json!({"states": case["states"], "error": case["error"]});
        assert_eq!(folded, [expected], "{}: {}", case["case"], case["shows"]);
    }
}

#[test]
fn no_tabled_case_is_left_out_in_silence() {
    let numbered = |prefix: &str, last: u32| (1..=last).map(|at| format!("{prefix}{at}")).collect::<Vec<_>>();
    let tabled: BTreeSet<String> = [numbered("", 100), numbered("G", 43), numbered("J", 38)]
        .concat()
        .into_iter()
        .collect();
    let folded = cases().map(|case| case["case"].as_str().unwrap().trim_end_matches('+').to_owned());
    let folded: BTreeSet<String> = folded.collect();
    let not_data: BTreeSet<String> = NOT_DATA.iter().map(|(case, _)| (*case).to_owned()).collect();
    assert!(folded.is_disjoint(&not_data), "a case is folded or explained, not both");
    assert_eq!(&folded | &not_data, tabled);
    assert_eq!((folded.len(), not_data.len()), (172, 9));
}

#[test]
fn the_golden_vectors_of_the_javascript_reducer_hold() {
    let vectors: Vec<Value> = serde_json::from_str(GOLDEN).unwrap();
    assert_eq!(vectors.len(), 10);
    for vector in vectors {
        let row = json!({"left": vector["left"], "updates": [vector["right"]]});
        let (folded, ..) = fold(Reducer::Js, &row.to_string());
        let expected = match vector.get("err") {
            Some(message) => json!({"states": [], "error": {"at": 0, "kind": "Error", "message": message}}),
            None => json!({"states": [vector["out"]], "error": null}),
        };
        assert_eq!(folded, [expected], "{}", vector["name"]);
    }
}

#[test]
fn ids_are_made_up_anew_in_every_row_history_first() {
    let row = r#"{"left": [{"type": "human", "id": null, "content": "a"}], "updates": [["b"], ["c"]]}"#;
    let (folded, ..) = fold(Reducer::AddMessages, &format!("{row}\n\n{row}"));
    let ids = |row: &Value| {
        row["states"][1]
            .as_array()
            .unwrap()
            .iter()
            .map(|m| m["id"].clone())
            .collect::<Vec<_>>()
    };
    assert_eq!(folded.len(), 2, "an empty line is no row");
    assert_eq!(ids(&folded[0]), ["auto-1", "auto-2", "auto-3"]);
    assert_eq!(ids(&folded[0]), ids(&folded[1]));
}

#[test]
fn lines_that_are_no_rows_are_named_and_the_run_goes_on() {
    let good = r#"{"left": [], "updates": []}"#;
    let lines = [
        good,
        "{\"left\": [",
        "[]",
        r#"{"updates": []}"#,
        r#"{"left": [], "updates": 1}"#,
        "\u{1}",
        good,
    ];
    let (folded, malformed, summary) = fold(Reducer::AddMessages, &lines.join("\n"));
    assert_eq!(folded, vec![json!({"states": [], "error": null}); 2]);
    assert_eq!(summary, Summary { rows: 2, malformed: 5 });
    let told: Vec<String> = malformed
        .iter()
        .map(|Malformed { line, column, message }| match column {
            Some(column) => format!("{line}:{column}: {message}"),
            None => format!("{line}: {message}"),
        })
        .collect();
    assert_eq!(
        told,
        [
            "2:10: not JSON: EOF while parsing a list",
            "3: not a row: a JSON object with `left` and `updates` is expected",
            "4: not a row: `left` is missing",
            "5: not a row: `updates` is missing, or no list",
            "6:1: not JSON: expected value",
        ]
    );
    let (_, malformed, _) = fold(Reducer::Channel, r#"{"left": [], "updates": [[], {"role": "user"}]}"#);
    assert_eq!(
        malformed[0].message,
        "not a row of this reducer: update 1 is no superstep, that is no list of writes"
    );
}

#[test]
fn a_line_over_the_limit_is_refused_and_the_next_one_folded() {
    let long = format!("{{\"left\": [], \"updates\": [\"{}\"]}}", "x".repeat(8 << 20));
    let (folded, malformed, _) = fold(
        Reducer::AddMessages,
        &format!("{long}\n{{\"left\": [], \"updates\": []}}\n"),
    );
    assert_eq!((folded.len(), malformed[0].line), (1, 1));
    assert_eq!(malformed[0].message, "the line is longer than 8 MiB");
    let deep = format!("{{\"left\": {}", "[".repeat(100_000));
    let (_, malformed, _) = fold(Reducer::AddMessages, &deep);
    assert_eq!(malformed[0].message, "not JSON: recursion limit exceeded");
}
