//! Bad input: a readable message with a place, the right exit status, and the rest is still done.

mod support;

use std::path::Path;

use support::{folder, run, run_with_input, snapshot, write};

/// What a person sees: the command, what it prints, and its exit status.
fn shown(folder: &Path, arguments: &[&str]) -> String {
    let run = run(folder, arguments);
    format!(
        "$ ctxlint {}\n{}{}[exit status {}]\n",
        arguments.join(" "),
        run.stdout,
        run.stderr,
        run.status
    )
}

#[test]
fn code_that_cannot_be_checked() {
    let folder = folder();
    let path = folder.path();
    write(path, "empty.py", "");
    write(path, "binary.py", b"\x7fELF\x02\x01\x01\0\0\0\0\0\0\0");
    write(path, "latin.py", b"name = 'caf\xe9'\n");
    write(
        path,
        "deep.py",
        format!("x = {}{}\n", "[".repeat(5_000), "]".repeat(5_000)),
    );
    write(path, "broken.py", "def f(:\n    pass\n");
    write(
        path,
        "partly.py",
        "def f():\n    return 1\n\n\ndef g(:\n    x = = 1\n\n\ndef h():\n    return 1\n",
    );
    write(path, "notes.txt", "not code\n");
    write(path, "fine/agent.py", "x = 1\n");
    std::fs::create_dir(path.join("nothing")).expect("a folder can be made");
    let session = [
        &["check", "empty.py"][..],
        &["check", "binary.py"],
        &["check", "latin.py"],
        &["check", "deep.py"],
        &["check", "broken.py"],
        &["check", "partly.py"],
        &["check", "notes.txt"],
        &["check", "nothing"],
        &["check", "missing.py"],
        &["check", "missing.py", "fine"],
        &["check", "notes.txt", "fine"],
    ];
    snapshot("bad_code", &session.map(|arguments| shown(path, arguments)).join("\n"));
}

#[test]
fn records_that_cannot_be_replayed() {
    let folder = folder();
    let path = folder.path();
    let asked = r#"{"__input__": {"messages": [{"type": "human", "id": "q1", "content": "Sow"}]}}"#;
    write(path, "cut.jsonl", format!("{asked}\n{{\"model\": {{\"mess"));
    write(path, "binary.jsonl", b"\x7fELF\x02\x01\x01\0\0\0\0\0\0\0");
    write(
        path,
        "latin.jsonl",
        [asked.as_bytes(), b"\n{\"a\": \"\xff\"}\n"].concat(),
    );
    write(path, "empty.jsonl", "");
    write(
        path,
        "deep.json",
        format!("{}{}\n", "[".repeat(100_000), "]".repeat(100_000)),
    );
    write(path, "words.jsonl", "not a record\n");
    write(path, "repr.json", r#"{"messages": ["content='Sow' id='q1'"]}"#);
    write(path, "fine/run.jsonl", asked);
    std::fs::create_dir(path.join("nothing")).expect("a folder can be made");
    let session = [
        &["audit", "cut.jsonl"][..],
        &["audit", "binary.jsonl"],
        &["audit", "latin.jsonl"],
        &["audit", "empty.jsonl"],
        &["audit", "deep.json"],
        &["audit", "words.jsonl"],
        &["audit", "repr.json"],
        &["audit", "nothing"],
        &["audit", "missing.jsonl"],
        &["audit", "missing.jsonl", "fine"],
        &["audit", "words.jsonl", "fine"],
        &["audit", "--input-format", "nonsense", "fine"],
    ];
    snapshot(
        "bad_records",
        &session.map(|arguments| shown(path, arguments)).join("\n"),
    );
}

#[test]
fn records_come_from_standard_input() {
    let asked = br#"{"__input__": {"messages": [{"type": "human", "id": "q1", "content": "Sow"}]}}"#;
    let run = run_with_input(folder().path(), &["audit", "-", "--format", "json"], asked);
    assert_eq!((run.status, run.stderr.as_str()), (0, ""));
    let document: serde_json::Value = serde_json::from_str(&run.stdout).expect("the report is JSON");
    assert_eq!(
        (&document["files"][0]["path"], &document["files"][0]["records"]),
        (&"-".into(), &1.into())
    );
}
