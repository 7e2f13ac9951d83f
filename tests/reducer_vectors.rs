//! Sequences that the real library folded, folded again: every state and every error must be the same.

#![allow(clippy::unwrap_used, reason = "the helpers of a test fail it with a panic")]

use std::collections::HashMap;
use std::fs::File;
use std::io::{BufRead, BufReader};

use ctxlint::history::coerce::{Dialect, canonical, coerce};
use ctxlint::history::entry::{Entry, Removal};
use ctxlint::history::fold_rows::{self, Summary};
use ctxlint::history::reducer::{History, Reducer, Write};
use flate2::read::GzDecoder;
use serde_json::Value;

/// The rows of one kind.
fn rows(kind: &str) -> Vec<String> {
    let path = format!("{}/tests/data/reducer_{kind}.jsonl.gz", env!("CARGO_MANIFEST_DIR"));
    let file = File::open(&path).unwrap_or_else(|error| panic!("{path}: {error}"));
    let lines = BufReader::new(GzDecoder::new(file)).lines();
    lines
        .map(|line| line.unwrap_or_else(|error| panic!("{path}: {error}")))
        .collect()
}

fn parsed(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

fn assert_rows_fold_alike(kind: &str, reducer: Reducer) {
    let rows = rows(kind);
    let mut output = Vec::new();
    let summary = fold_rows::run(reducer, rows.join("\n").as_bytes(), &mut output, |line| {
        panic!("{line:?}")
    });
    assert_eq!(
        summary.unwrap(),
        Summary {
            rows: 2000,
            malformed: 0
        }
    );
    let mut errors = 0;
    for (row, folded) in rows.iter().zip(String::from_utf8(output).unwrap().lines()) {
        let (row, folded) = (parsed(row), parsed(folded));
        assert_eq!(folded["states"], row["states"], "case {}: {row}", row["case"]);
        assert_eq!(folded["error"], row["error"], "case {}: {row}", row["case"]);
        errors += usize::from(!row["error"].is_null());
    }
    let expected = if reducer == Reducer::Delta { 0..1 } else { 200..600 };
    assert!(
        expected.contains(&errors),
        "{errors} of the recorded sequences end in an error"
    );
}

#[test]
fn add_messages_equals_the_recorded_sequences() {
    assert_rows_fold_alike("add_messages", Reducer::AddMessages);
}

#[test]
fn channel_supersteps_equal_the_recorded_sequences() {
    assert_rows_fold_alike("channel", Reducer::Channel);
}

#[test]
fn delta_supersteps_equal_the_recorded_sequences() {
    assert_rows_fold_alike("delta", Reducer::Delta);
}

/// What a replay keeps of a message: its id, and a number that stands for the rest.
#[derive(Clone, Debug, PartialEq)]
struct Light {
    id: Option<u32>,
    rest: u32,
    removal: Removal,
}

impl Entry for Light {
    type Id = u32;

    fn id(&self) -> Option<&u32> {
        self.id.as_ref()
    }

    fn set_id(&mut self, id: u32) {
        self.id = Some(id);
    }

    fn removal(&self) -> Removal {
        self.removal
    }
}

/// Interns ids and contents, so that the light fold never sees a text.
#[derive(Default)]
struct Symbols(HashMap<String, u32>);

impl Symbols {
    fn of(&mut self, text: String) -> u32 {
        let next = self.0.len() as u32;
        *self.0.entry(text).or_insert(next)
    }

    fn light(&mut self, like: &Value) -> Light {
        let message = match canonical(like) {
            Some(message) => message,
            None => coerce(Dialect::Python, like).unwrap_or_else(|error| panic!("{error:?}: {like}")),
        };
        let removal = message.removal();
        let id = message.id.clone().map(|id| self.of(id.to_string()));
        let mut rest = message;
        rest.id = None;
        let rest = self.of(serde_json::to_string(&rest).unwrap());
        Light { id, rest, removal }
    }

    fn lights(&mut self, likes: &Value) -> Vec<Light> {
        let likes = likes
            .as_array()
            .unwrap_or_else(|| panic!("a list is expected: {likes}"));
        likes.iter().map(|like| self.light(like)).collect()
    }
}

/// Folds light records, a whole superstep at once, and compares the states of the first 500 rows.
fn assert_light_records_fold_alike(kind: &str, reducer: Reducer) {
    let mut supersteps = 0;
    for row in rows(kind).iter().take(500) {
        let row = parsed(row);
        let mut symbols = Symbols::default();
        let mut history = History::with_entries(reducer, symbols.lights(&row["left"]));
        let mut made_up = 0;
        let updates = row["updates"].as_array().unwrap();
        for (update, state) in updates.iter().zip(row["states"].as_array().unwrap()) {
            let mut write = |write: &Value| match write.get("__overwrite__") {
                Some(entries) => Write::Overwrite(symbols.lights(entries)),
                None if write.is_array() => Write::Update(symbols.lights(write)),
                None => Write::Update(vec![symbols.light(write)]),
            };
            let writes = match reducer {
                Reducer::AddMessages => vec![write(update)],
                _ => update.as_array().unwrap().iter().map(write).collect(),
            };
            let mut fresh_id = || {
                made_up += 1;
                symbols.of(format!("auto-{made_up}"))
            };
            history
                .superstep(writes, &mut fresh_id)
                .unwrap_or_else(|error| panic!("{error:?}: {row}"));
            assert_eq!(history.entries(), symbols.lights(state), "{row}");
            supersteps += 1;
        }
        if row["error"]["message"]
            .as_str()
            .is_some_and(|message| message.starts_with("Attempting"))
        {
            let update = updates.last().unwrap();
            let before = history.entries().to_vec();
            let writes = match reducer {
                Reducer::AddMessages if update.is_array() => vec![Write::Update(symbols.lights(update))],
                Reducer::AddMessages => vec![Write::Update(vec![symbols.light(update)])],
                _ => continue,
            };
            let refused = history.superstep(writes, &mut || u32::MAX);
            assert!(refused.is_err(), "{row}");
            assert_eq!(history.entries().len(), before.len(), "{row}");
        }
    }
    assert!(supersteps > 1000, "{supersteps}");
}

#[test]
fn light_records_fold_like_messages() {
    assert_light_records_fold_alike("add_messages", Reducer::AddMessages);
    assert_light_records_fold_alike("channel", Reducer::Channel);
    assert_light_records_fold_alike("delta", Reducer::Delta);
}
