//! Every format: recognised without a flag, read to the last record, its history as its tool would replay it,
//! and the same history when the records drift.
//!
//! A fixture is `tests/fixtures/formats/<format>/<case>.<ending>`, or a folder of that name, with
//! `<case>.expected` beside it: the form, how many records were left out, then a line a session and a line a
//! message of the history at the end. `drift.toml` in the format's folder says what may change without changing
//! the history.
#![expect(clippy::format_push_string, reason = "a short text for people, line by line")]

mod support;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde_json::{Map, Value, json};
use support::drift::{Change, Drift};
use support::{folder, repository, run};

/// What may change in a format without changing the history.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
struct Allowed {
    /// Keys that may be missing.
    optional: BTreeSet<String>,
    /// Keys whose numbers may be written as texts.
    numbers: BTreeSet<String>,
    /// Keys of objects whose own keys are data: no key is added to them, and their order stays.
    maps: BTreeSet<String>,
    /// Whether the records themselves are such objects.
    records_are_maps: bool,
    /// Records of a type that does not exist yet, which may stand between others. Empty where a record has no type.
    unknown_records: Vec<String>,
    /// The list in a document that such records may stand in, as a pointer; without it, they stand in lines.
    unknown_in: Option<String>,
}

struct Case {
    format: String,
    path: PathBuf,
    expected: PathBuf,
}

fn cases() -> Vec<Case> {
    let formats = repository().join("tests/fixtures/formats");
    let mut cases = Vec::new();
    for folder in entries(&formats) {
        for path in entries(&folder) {
            let expected = path.with_extension("expected");
            let is_case = path
                .extension()
                .is_none_or(|ending| ending != "expected" && ending != "toml");
            if is_case {
                assert!(expected.is_file() || updates(), "{} has no .expected", path.display());
                let format = name(&folder);
                cases.push(Case { format, path, expected });
            }
        }
    }
    cases
}

fn entries(folder: &Path) -> Vec<PathBuf> {
    let listed = fs::read_dir(folder).expect("the folder of fixtures can be read");
    let mut paths: Vec<PathBuf> = listed
        .map(|entry| entry.expect("an entry can be read").path())
        .collect();
    paths.sort();
    paths
}

fn name(path: &Path) -> String {
    path.file_name()
        .expect("fixtures have names")
        .to_string_lossy()
        .into_owned()
}

fn updates() -> bool {
    std::env::var_os("UPDATE_EXPECTED").is_some()
}

/// The document of `replay --format json` for one input.
fn replayed(path: &Path) -> Value {
    let path = path.to_str().expect("fixtures have plain names");
    let run = run(repository(), &["replay", "--isolated", "--format", "json", path]);
    assert_eq!((run.status, run.stderr.as_str()), (0, ""), "{path}");
    serde_json::from_str(&run.stdout).expect("the document is JSON")
}

/// The form and what was left out, then the sessions with their histories.
fn told(document: &Value) -> String {
    let mut text = format!(
        "{}: {} understood, {} ignored, {} unknown, {} malformed\n",
        document["form"].as_str().unwrap_or_default(),
        document["understood"],
        document["ignored"],
        document["unknown"],
        document["malformed"],
    );
    text += &histories(document);
    text
}

fn histories(document: &Value) -> String {
    let mut text = String::new();
    for session in document["sessions"].as_array().into_iter().flatten() {
        text += &format!("session {} of {} turns\n", session["id"], session["turns"]);
        for message in session["messages"].as_array().into_iter().flatten() {
            let pairs: Vec<_> = message["pairs"]
                .as_array()
                .into_iter()
                .flatten()
                .filter_map(Value::as_str)
                .collect();
            text += &format!(
                "  {:<11} {:<9} {} {}{}\n",
                message["kind"].as_str().unwrap_or_default(),
                message["role"].as_str().unwrap_or_default(),
                message["id"].as_str().unwrap_or("-"),
                message["text"].as_str().unwrap_or_default(),
                if pairs.is_empty() {
                    String::new()
                } else {
                    format!(" [{}]", pairs.join(" "))
                },
            );
        }
        for compaction in session["compactions"].as_array().into_iter().flatten() {
            let fields = ["class", "kept", "before", "after"].map(|field| compaction[field].to_string());
            text += &format!("  compacted: {}\n", fields.join(" "));
        }
        for (key, what) in [("orphan_results", "orphan"), ("unanswered_calls", "unanswered")] {
            for half in session[key].as_array().into_iter().flatten() {
                text += &format!("  {what}: {}\n", half["id"]);
            }
        }
        let links = ["dangling_parents", "unreachable"].map(|key| session[key].as_array().map_or(0, Vec::len));
        if links != [0, 0] {
            text += &format!("  links: {} dangling, {} unreachable\n", links[0], links[1]);
        }
        let usage = &session["usage"];
        for drop in usage["drops"].as_array().into_iter().flatten() {
            text += &format!("  cache: {} to {}, {}\n", drop["before"], drop["after"], drop["cause"]);
        }
    }
    text
}

#[test]
fn fixtures_are_read_as_their_tools_would_replay_them() {
    let cases = cases();
    assert!(!cases.is_empty());
    for case in &cases {
        let document = replayed(&case.path);
        assert_eq!(document["format"], json!(case.format), "{}", case.path.display());
        assert_eq!(document["malformed"], 0, "{}", case.path.display());
        let told = told(&document);
        if updates() {
            fs::write(&case.expected, told).expect("the expectation can be written");
            continue;
        }
        let expected = fs::read_to_string(&case.expected).expect("the expectation can be read");
        assert_eq!(told, expected, "{}", case.path.display());
    }
}

#[test]
fn every_format_has_a_fixture() {
    let known: BTreeSet<&str> = ctxlint::transcript::input_formats().iter().copied().collect();
    let shown: BTreeSet<String> = cases().into_iter().map(|case| case.format).collect();
    let missing: Vec<_> = known.into_iter().filter(|name| !shown.contains(*name)).collect();
    assert_eq!(missing, Vec::<&str>::new());
}

#[test]
fn formats_are_told_apart_by_content_alone() {
    for case in cases().iter().filter(|case| case.path.is_file()) {
        let Ok(text) = fs::read(&case.path) else { continue };
        let folder = folder();
        // Neither the name nor the ending says what it is.
        let copy = folder.path().join("copy.log");
        fs::write(&copy, text).expect("the copy can be written");
        assert_eq!(replayed(&copy)["format"], json!(case.format), "{}", case.path.display());
    }
}

#[test]
fn drift_does_not_change_a_history() {
    for case in cases() {
        let Some(texts) = records(&case.path) else { continue };
        let allowed = case.path.with_file_name("drift.toml");
        let allowed: Allowed = match fs::read_to_string(&allowed) {
            Ok(text) => toml::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", allowed.display())),
            Err(_) => Allowed::default(),
        };
        let expected = histories(&replayed(&case.path));
        for seed in 0..12 {
            let mut drift = Drift::new(seed);
            let drifted = drifted(&texts, &allowed, &mut drift);
            let folder = folder();
            let copy = folder.path().join(name(&case.path));
            fs::write(&copy, &drifted).expect("the copy can be written");
            let document = replayed(&copy);
            let path = case.path.display();
            assert_eq!(
                document["format"],
                json!(case.format),
                "{path}, seed {seed}:\n{drifted}"
            );
            assert_eq!(document["malformed"], 0, "{path}, seed {seed}:\n{drifted}");
            assert_eq!(histories(&document), expected, "{path}, seed {seed}:\n{drifted}");
        }
    }
}

/// A fixture as JSON: a record a line, or one document. Other fixtures (archives, databases, folders) are none.
enum Texts {
    Lines(Vec<Value>),
    Document(Value),
}

fn records(path: &Path) -> Option<Texts> {
    let text = fs::read_to_string(path).ok()?;
    if let Ok(document) = serde_json::from_str(&text) {
        let is_line = text.trim_end().lines().count() == 1 && path.extension().is_some_and(|ending| ending == "jsonl");
        return Some(if is_line {
            Texts::Lines(vec![document])
        } else {
            Texts::Document(document)
        });
    }
    let lines: Result<Vec<Value>, _> = text.lines().map(serde_json::from_str).collect();
    lines.ok().map(Texts::Lines)
}

fn drifted(texts: &Texts, allowed: &Allowed, drift: &mut Drift) -> String {
    match texts {
        Texts::Lines(lines) => {
            let mut text = String::new();
            for (at, line) in lines.iter().enumerate() {
                // What stands first may be a header that says what follows.
                if at > 0 && allowed.unknown_in.is_none() && drift.one_in(3) {
                    text += &unknown(allowed, drift).map_or(String::new(), |record| record + "\n");
                }
                text += &value(line, allowed.records_are_maps, allowed, drift).to_string();
                text.push('\n');
            }
            text
        }
        Texts::Document(document) => {
            let mut document = value(document, false, allowed, drift);
            if let Some(list) = allowed
                .unknown_in
                .as_ref()
                .and_then(|pointer| document.pointer_mut(pointer))
                && let (Some(list), Some(record)) = (list.as_array_mut(), unknown(allowed, drift))
            {
                let at = drift.below(list.len() + 1);
                list.insert(at, serde_json::from_str(&record).expect("unknown records are JSON"));
            }
            document.to_string()
        }
    }
}

fn unknown(allowed: &Allowed, drift: &mut Drift) -> Option<String> {
    let records = &allowed.unknown_records;
    (!records.is_empty()).then(|| records[drift.below(records.len())].clone())
}

fn value(value: &Value, is_map: bool, allowed: &Allowed, drift: &mut Drift) -> Value {
    match value {
        Value::Array(list) => list
            .iter()
            .map(|element| self::value(element, false, allowed, drift))
            .collect(),
        Value::Object(object) => Value::Object(self::object(object, is_map, allowed, drift)),
        other => other.clone(),
    }
}

fn object(object: &Map<String, Value>, is_map: bool, allowed: &Allowed, drift: &mut Drift) -> Map<String, Value> {
    let mut pairs: Vec<(String, Value)> = Vec::new();
    for (key, inner) in object {
        if !is_map && allowed.optional.contains(key) && drift.one_in(3) {
            continue;
        }
        let inner = match inner {
            Value::Number(number) if allowed.numbers.contains(key) && drift.one_in(2) => json!(number.to_string()),
            inner => value(inner, allowed.maps.contains(key), allowed, drift),
        };
        pairs.push((key.clone(), inner));
    }
    if !is_map {
        match drift.change() {
            Change::None => {}
            Change::Add(new) => pairs.push(new),
            Change::Shuffle => drift.shuffle(&mut pairs),
        }
    }
    pairs.into_iter().collect()
}
