//! Ctrl-C in the middle of a run: what was read is reported and said to be a part.
//!
//! A named pipe that the test holds open makes the run wait: no test here sleeps or races.
#![cfg(unix)]

mod support;

use std::fs::{File, OpenOptions};
use std::io::{Read, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use serde_json::Value;
use support::{Run, command, folder, write};

/// A record in which one thing is wrong.
const TWICE: &str = "{\"messages\":[{\"type\":\"human\",\"id\":\"a\",\"content\":\"Which ferry?\"},\
    {\"type\":\"ai\",\"id\":\"a\",\"content\":\"The first.\"}]}\n";

/// Makes a named pipe and opens it so that nobody who reads it waits for a writer, or sees an end.
fn pipe(folder: &Path, name: &str) -> File {
    let path = folder.join(name);
    let made = Command::new("mkfifo").arg(&path).status().expect("there is mkfifo");
    assert!(made.success());
    OpenOptions::new()
        .read(true)
        .write(true)
        .open(&path)
        .expect("a pipe can be opened")
}

fn send(signal: &str, child: &Child) {
    let sent = Command::new("kill").args([signal, &child.id().to_string()]).status();
    assert!(sent.expect("there is kill").success());
}

/// Runs `audit` over a file and a pipe of which it never sees the end, and interrupts it when it reads the pipe.
fn interrupted(signal: &str, arguments: &[&str]) -> Run {
    let folder = folder();
    write(folder.path(), "a.jsonl", TWICE);
    let mut pipe = pipe(folder.path(), "b.jsonl");
    let child = command(folder.path())
        .args(["audit", "--isolated", "-j", "1", "a.jsonl", "b.jsonl"])
        .args(arguments)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary of this package starts");
    // More than a pipe holds: when this is written, the run has read the file before and reads the pipe.
    pipe.write_all(&b"{\"role\":\"user\",\"content\":\"Which ferry?\"}\n".repeat(20_000))
        .expect("the run reads the pipe");
    send(signal, &child);
    let output = child.wait_with_output().expect("the run ends");
    Run {
        status: output.status.code().expect("the run ends by itself"),
        stdout: String::from_utf8(output.stdout).expect("stdout is UTF-8"),
        stderr: String::from_utf8(output.stderr).expect("stderr is UTF-8"),
    }
}

#[test]
fn what_was_read_is_reported_and_said_to_be_a_part() {
    for signal in ["-INT", "-TERM"] {
        let run = interrupted(signal, &["--format", "concise"]);
        assert_eq!(run.status, 130, "{}", run.stderr);
        assert!(run.stdout.starts_with("a.jsonl:1:"), "{}", run.stdout);
        assert!(!run.stdout.contains("b.jsonl"), "{}", run.stdout);
        assert_eq!(
            run.stderr,
            "ctxlint: interrupted: these are the results of 1 of 2 files\n"
        );
    }
}

#[test]
fn a_document_of_an_interrupted_run_is_whole_and_says_so() {
    let run = interrupted("-INT", &["--format", "json"]);
    let report: Value = serde_json::from_str(&run.stdout).expect("the report is JSON");
    let schema = std::fs::read_to_string(support::repository().join("docs/json.schema.json"));
    let schema: Value = serde_json::from_str(&schema.expect("there is a schema")).expect("the schema is JSON");
    jsonschema::validate(&schema, &report).expect("the report is as documented");
    assert_eq!(report["summary"]["partial"], serde_json::json!({"read": 1, "found": 2}));
    assert_eq!(report["files"].as_array().map(Vec::len), Some(1));

    let run = interrupted("-INT", &["--format", "sarif"]);
    let log: Value = serde_json::from_str(&run.stdout).expect("the log is JSON");
    assert_eq!(log["runs"][0]["invocations"][0]["executionSuccessful"], false);
}

#[test]
fn no_baseline_is_written_of_a_part() {
    let folder = folder();
    let baseline = folder.path().join("baseline.json");
    let name = baseline.to_str().expect("the path is UTF-8");
    let run = interrupted("-INT", &["--baseline", name, "--write-baseline"]);
    assert_eq!(run.status, 130, "{}", run.stderr);
    assert!(!baseline.exists(), "{}", run.stderr);
}

#[test]
fn a_second_signal_ends_the_run_at_once() {
    let folder = folder();
    write(folder.path(), "a.jsonl", TWICE);
    // A report that is longer than a pipe holds, of which nobody reads the end: the run waits.
    let records = "{\"messages\": 1, \"role\": \"\n".repeat(200);
    for file in 0..40 {
        write(folder.path(), &format!("x/{file}.jsonl"), format!("{TWICE}{records}"));
    }
    let mut child = command(folder.path())
        .args(["audit", "--isolated", "--format", "json", "a.jsonl", "x"])
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("the binary of this package starts");
    let mut stdout = child.stdout.take().expect("stdout is piped");
    stdout.read_exact(&mut [0]).expect("the report has begun");
    send("-INT", &child);
    // The first signal is taken when it does not wait for the process any more.
    let waits = || {
        let status = std::fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap_or_default();
        let pending = status
            .lines()
            .find_map(|line| line.strip_prefix("ShdPnd:").map(str::trim).map(str::to_owned));
        pending.is_some_and(|pending| pending != "0000000000000000")
    };
    while waits() {
        std::thread::yield_now();
    }
    send("-INT", &child);
    let status = child.wait().expect("the run ends");
    assert_eq!(
        status.code(),
        Some(130),
        "the report was never read, so only a signal can have ended the run"
    );
}
