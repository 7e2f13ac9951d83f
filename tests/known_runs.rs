//! Baselines of recorded runs: what is known of a run stays known while the record grows, moves, is packed or exported
//! again, and what happens in another session or turn is new.

mod support;

use std::io::{Cursor, Write};
use std::path::Path;

use serde_json::{Value, json};
use support::{folder, run, run_with_input, write};

/// A session of Claude Code in which a tool result that nobody called for comes in each of some turns.
fn session(id: &str, turns: &[u32]) -> String {
    let mut parent = Value::Null;
    let mut lines = Vec::new();
    let mut add = |uuid: String, role: &str, content: Value| {
        let line = json!({
            "parentUuid": parent, "isSidechain": false, "userType": "external", "cwd": "/srv/garden",
            "sessionId": id, "version": "2.1.100", "type": role, "uuid": uuid,
            "timestamp": "2026-04-01T09:00:00.000Z", "message": {"role": role, "content": content},
        });
        parent = json!(uuid);
        lines.push(line);
    };
    for turn in turns {
        let text = |text: String| json!([{"type": "text", "text": text}]);
        add(format!("{id}-q{turn}"), "user", text(format!("Sow bed {turn}")));
        let orphan = json!([{"type": "tool_result", "tool_use_id": format!("nobody-{turn}"), "content": "sown"}]);
        add(format!("{id}-r{turn}"), "user", orphan);
        add(
            format!("{id}-a{turn}"),
            "assistant",
            text(format!("Bed {turn} is sown.")),
        );
    }
    self::lines(&lines)
}

/// The same as a list of messages without any ids but those of the calls.
fn chat(turns: &[u32]) -> Vec<Value> {
    let turn = |turn: &u32| {
        [
            json!({"role": "user", "content": format!("Sow bed {turn}")}),
            json!({"role": "tool", "tool_call_id": format!("nobody-{turn}"), "content": "sown"}),
            json!({"role": "assistant", "content": format!("Bed {turn} is sown.")}),
        ]
    };
    turns.iter().flat_map(turn).collect()
}

fn lines(records: &[Value]) -> String {
    records.iter().map(Value::to_string).collect::<Vec<_>>().join(
        "
",
    ) + "
"
}

const BASELINE: [&str; 2] = ["--baseline", "known.json"];

fn accept(folder: &Path, path: &str) {
    let written = run(
        folder,
        &[
            "audit",
            "--isolated",
            path,
            BASELINE[0],
            BASELINE[1],
            "--write-baseline",
        ],
    );
    assert_eq!(written.status, 0, "{}", written.stderr);
}

/// Status, how many findings are new, and the talk.
fn new_ones(folder: &Path, path: &str) -> (i32, usize, String) {
    let run = run(
        folder,
        &[
            "audit",
            "--isolated",
            "--format",
            "concise",
            path,
            BASELINE[0],
            BASELINE[1],
        ],
    );
    (run.status, run.stdout.lines().count(), run.stderr)
}

fn is_known(folder: &Path, path: &str, number: usize, how: &str) {
    let (status, new, talk) = new_ones(folder, path);
    assert_eq!((status, new), (0, 0), "{how}: {talk}");
    let plural = if number == 1 { "" } else { "s" };
    assert_eq!(
        talk,
        format!("ctxlint: {number} finding{plural} known from known.json\n"),
        "{how}"
    );
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    encoder.write_all(bytes).expect("a vector takes every write");
    encoder.finish().expect("a vector takes every write")
}

fn zip(name: &str, bytes: &[u8]) -> Vec<u8> {
    let mut zip = zip::ZipWriter::new(Cursor::new(Vec::new()));
    zip.start_file(name, zip::write::SimpleFileOptions::default())
        .expect("a member can be begun");
    zip.write_all(bytes).expect("a vector takes every write");
    zip.finish().expect("a vector takes every write").into_inner()
}

#[test]
fn what_is_known_of_a_session_stays_known_wherever_it_lies() {
    let folder = folder();
    let text = session("aaaa", &[1, 2]);
    write(folder.path(), "runs/a.jsonl", &text);
    accept(folder.path(), "runs");
    is_known(folder.path(), "runs/a.jsonl", 2, "the same file");
    std::fs::remove_dir_all(folder.path().join("runs")).expect("it was written above");
    let cases: [(&str, Vec<u8>, &str); 7] = [
        ("grown.jsonl", text.clone().into_bytes(), "renamed"),
        ("deep/er/a.jsonl", text.clone().into_bytes(), "moved"),
        ("b.jsonl.gz", gzip(text.as_bytes()), "packed with gzip"),
        (
            "b.jsonl.zst",
            zstd::encode_all(Cursor::new(text.as_bytes()), 3).expect("memory can be read"),
            "packed with zstd",
        ),
        ("b.zip", zip("inner/a.jsonl", text.as_bytes()), "in an archive"),
        (
            "spaced.jsonl",
            text.replace('\n', "\n\n\n").replace("\":", "\": ").into_bytes(),
            "with other line numbers",
        ),
        (
            "array.json",
            format!("[\n{}\n]", text.trim_end().replace('\n', ",\n\n")).into_bytes(),
            "as an array",
        ),
    ];
    for (name, bytes, how) in cases {
        let path = write(folder.path(), name, bytes);
        is_known(folder.path(), name, 2, how);
        std::fs::remove_file(path).expect("it was written above");
    }
    let piped = run_with_input(
        folder.path(),
        &[
            "audit",
            "--isolated",
            "--format",
            "concise",
            "-",
            BASELINE[0],
            BASELINE[1],
        ],
        text.as_bytes(),
    );
    assert_eq!((piped.status, piped.stdout.as_str()), (0, ""), "{}", piped.stderr);
}

#[test]
fn what_is_known_of_a_record_without_ids_goes_by_its_name_and_turns() {
    let folder = folder();
    let records = chat(&[1, 2]);
    write(folder.path(), "runs/a.jsonl", lines(&records));
    accept(folder.path(), "runs");
    std::fs::remove_dir_all(folder.path().join("runs")).expect("it was written above");
    write(folder.path(), "x/a.json", json!(records).to_string());
    is_known(folder.path(), "x", 2, "moved, and as an array");
    write(folder.path(), "y/a.jsonl.gz", gzip(lines(&records).as_bytes()));
    is_known(folder.path(), "y", 2, "packed");
    write(folder.path(), "z/a.jsonl", lines(&chat(&[1, 2, 3, 4])));
    assert_eq!(
        new_ones(folder.path(), "z").1,
        2,
        "grown by two turns that are no better"
    );
}

#[test]
fn a_record_that_grows_is_checked_for_what_is_new() {
    let folder = folder();
    write(folder.path(), "a.jsonl", session("aaaa", &[1, 2]));
    accept(folder.path(), "a.jsonl");
    // More of the same session, and another one.
    write(folder.path(), "a.jsonl", session("aaaa", &[1, 2, 3]));
    let (status, new, talk) = new_ones(folder.path(), "a.jsonl");
    assert_eq!((status, new), (1, 1), "another turn: {talk}");
    write(
        folder.path(),
        "a.jsonl",
        session("aaaa", &[1, 2]) + &session("bbbb", &[1]),
    );
    let (status, new, talk) = new_ones(folder.path(), "a.jsonl");
    assert_eq!((status, new), (1, 1), "the same in another session: {talk}");
    // The first is mended, and the same happens elsewhere: that is new, and the entry names nothing any more.
    write(folder.path(), "a.jsonl", session("aaaa", &[2, 3]));
    let (status, new, talk) = new_ones(folder.path(), "a.jsonl");
    assert_eq!((status, new), (1, 1), "{talk}");
    assert!(talk.contains("1 entry names nothing any more"), "{talk}");
}

#[test]
fn without_ids_another_turn_is_another_event() {
    let folder = folder();
    let mut records = chat(&[1, 2, 3]);
    // Only the first turn has the result of nobody's call.
    records.retain(|record| record["role"] != "tool");
    let mut first = records.clone();
    first.insert(1, json!({"role": "tool", "tool_call_id": "nobody", "content": "sown"}));
    let mut last = records;
    last.insert(5, json!({"role": "tool", "tool_call_id": "nobody", "content": "sown"}));
    write(folder.path(), "a.jsonl", lines(&first));
    accept(folder.path(), "a.jsonl");
    is_known(folder.path(), "a.jsonl", 1, "as it was");
    write(folder.path(), "a.jsonl", lines(&last));
    assert_eq!(new_ones(folder.path(), "a.jsonl").1, 1, "the same in another turn");
}

#[test]
fn every_format_for_machines_has_the_same_fingerprints() {
    let folder = folder();
    write(folder.path(), "a.jsonl", session("aaaa", &[1, 2]));
    let prints = |arguments: &[&str], at: &dyn Fn(&Value) -> Vec<String>| {
        let mut all = vec!["audit", "--isolated", "a.jsonl", "--format"];
        all.extend(arguments);
        let run = run(folder.path(), &all);
        at(&serde_json::from_str(&run.stdout).expect("it is JSON"))
    };
    let texts = |list: &Value, pointer: &str| -> Vec<String> {
        let list = list.as_array().into_iter().flatten();
        list.filter_map(|one| Some(one.pointer(pointer)?.as_str()?.to_owned()))
            .collect()
    };
    let json = prints(&["json"], &|document| texts(&document["findings"], "/fingerprint"));
    assert_eq!(json.len(), 2);
    let sarif = prints(&["sarif"], &|document| {
        texts(
            &document["runs"][0]["results"],
            "/partialFingerprints/ctxlintFinding~1v1",
        )
    });
    let gitlab = prints(&["gitlab"], &|document| texts(document, "/fingerprint"));
    assert_eq!((sarif, gitlab), (json.clone(), json));
}
