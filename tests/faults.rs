//! Full disks, links that lead round or away, files that are none, bombs: each is told with its name and what to do,
//! and what was found before is reported.
#![cfg(unix)]

mod support;

use std::fs::{self, OpenOptions};
use std::io::{Cursor, Write};
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Stdio;

use support::{command, folder, run, write};

/// A record in which one thing is wrong.
const TWICE: &str = "{\"messages\":[{\"type\":\"human\",\"id\":\"a\",\"content\":\"Which ferry?\"},\
    {\"type\":\"ai\",\"id\":\"a\",\"content\":\"The first.\"}]}\n";

/// Code in which one thing is wrong.
const HEAD: &str = "from langchain_core.messages import HumanMessage\n\n\ndef remind(state):\n    \
    for message in state[\"messages\"]:\n        if isinstance(message, HumanMessage):\n            \
    message.content = f\"<state>now</state>{message.content}\"\n            break\n    return {\"messages\": state[\"messages\"]}\n";

#[test]
fn a_full_disk_costs_one_report_and_the_others_are_written() {
    let folder = folder();
    write(folder.path(), "a.jsonl", TWICE);
    let run = run(
        folder.path(),
        &[
            "audit",
            "--isolated",
            "a.jsonl",
            "--format",
            "json=/dev/full",
            "--format",
            "concise",
        ],
    );
    assert_eq!(run.status, 2);
    assert!(run.stdout.starts_with("a.jsonl:1:"), "{}", run.stdout);
    assert!(
        run.stderr
            .starts_with("ctxlint: /dev/full: the report is not written: ")
            && run.stderr.contains("free some space"),
        "{}",
        run.stderr
    );
}

#[test]
fn a_full_disk_behind_standard_output_is_told() {
    let folder = folder();
    write(folder.path(), "a.jsonl", TWICE);
    for format in ["human", "json", "sarif", "junit"] {
        let full = OpenOptions::new()
            .write(true)
            .open("/dev/full")
            .expect("there is a full device");
        let output = command(folder.path())
            .args(["audit", "--isolated", "a.jsonl", "--format", format])
            .stdout(full)
            .stderr(Stdio::piped())
            .output()
            .expect("the binary of this package starts");
        assert_eq!(output.status.code(), Some(2), "{format}");
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert!(stderr.contains("No space left on device"), "{format}: {stderr}");
    }
}

#[test]
fn what_cannot_be_read_is_named_and_the_rest_is_judged() {
    let folder = folder();
    write(folder.path(), "a.jsonl", TWICE);
    symlink("round.jsonl", folder.path().join("round.jsonl")).expect("a link can be made");
    symlink("nowhere", folder.path().join("dangling.jsonl")).expect("a link can be made");
    let long = "x".repeat(300) + ".jsonl";
    for (name, expected) in [
        ("round.jsonl", "Too many levels of symbolic links"),
        ("dangling.jsonl", "No such file or directory"),
        (long.as_str(), "File name too long"),
        ("a.jsonl/b.jsonl", "Not a directory"),
        ("/proc/self/mem", "error"),
    ] {
        let run = run(
            folder.path(),
            &["audit", "--isolated", "--format", "concise", name, "a.jsonl"],
        );
        assert_eq!(run.status, 2, "{name}: {}", run.stderr);
        assert!(run.stdout.starts_with("a.jsonl:1:"), "{name}: {}", run.stdout);
        assert!(
            run.stderr.starts_with(&format!("ctxlint: {name}: ")),
            "{name}: {}",
            run.stderr
        );
        assert!(run.stderr.contains(expected), "{name}: {}", run.stderr);
    }
}

#[test]
fn links_in_a_folder_lead_nowhere() {
    let outside = folder();
    write(outside.path(), "canary.jsonl", TWICE);
    write(outside.path(), "canary.py", HEAD);
    let folder = folder();
    write(folder.path(), "own.jsonl", TWICE);
    write(folder.path(), "own.py", HEAD);
    let link = |to: &Path, name: &str| symlink(to, folder.path().join(name)).expect("a link can be made");
    link(&outside.path().join("canary.jsonl"), "file.jsonl");
    link(&outside.path().join("canary.py"), "file.py");
    link(outside.path(), "folder");
    link(folder.path(), "loop");
    for (half, own) in [("audit", "own.jsonl:"), ("check", "own.py:")] {
        let run = run(folder.path(), &[half, "--isolated", "--format", "concise", "."]);
        let found: Vec<&str> = run.stdout.lines().filter(|line| line.contains(": ")).collect();
        assert!(found.iter().any(|line| line.starts_with(own)), "{half}: {}", run.stdout);
        for away in ["canary", "file.", "folder/", "loop/"] {
            assert!(!run.stdout.contains(away), "{half}: {}", run.stdout);
        }
        assert_eq!(run.stderr, "", "{half}");
    }
}

/// An archive of these members.
fn zip(members: &[(&str, &[u8])]) -> Vec<u8> {
    let mut zip = zip::ZipWriter::new(Cursor::new(Vec::new()));
    for (name, content) in members {
        zip.start_file(*name, zip::write::SimpleFileOptions::default())
            .expect("a member can be begun");
        zip.write_all(content).expect("a vector takes every write");
    }
    zip.finish().expect("a vector takes every write").into_inner()
}

#[test]
fn members_of_an_archive_are_read_in_it_whatever_they_are_called() {
    let outside = folder();
    let canary = write(
        outside.path(),
        "canary.jsonl",
        "{\"role\":\"tool\",\"content\":\"x\",\"tool_call_id\":\"c\"}\n",
    );
    let folder = folder();
    let absolute = canary.to_str().expect("the path is UTF-8");
    write(
        folder.path(),
        "dump.zip",
        zip(&[("../../up.jsonl", TWICE.as_bytes()), (absolute, TWICE.as_bytes())]),
    );
    let run = run(
        folder.path(),
        &["audit", "--isolated", "--format", "concise", "dump.zip"],
    );
    assert!(!run.stdout.contains("split-tool-pair"), "{}", run.stdout);
    assert_eq!(
        fs::read_dir(folder.path()).map(Iterator::count).ok(),
        Some(1),
        "nothing is unpacked beside it"
    );
}

#[test]
fn an_archive_of_too_many_files_is_refused() {
    let folder = folder();
    let names: Vec<String> = (0..100_001).map(|member| format!("{member}.json")).collect();
    let members: Vec<(&str, &[u8])> = names.iter().map(|name| (name.as_str(), &b"{}"[..])).collect();
    write(folder.path(), "many.zip", zip(&members));
    write(folder.path(), "a.jsonl", TWICE);
    let run = run(
        folder.path(),
        &["audit", "--isolated", "--format", "concise", "many.zip", "a.jsonl"],
    );
    assert_eq!(
        (run.status, run.stderr.as_str()),
        (
            2,
            "ctxlint: many.zip: an archive of 100001 files; unpack it and name the folder\n"
        )
    );
    assert!(run.stdout.starts_with("a.jsonl:1:"), "{}", run.stdout);
}

#[test]
fn what_unpacks_to_a_thousand_times_its_size_is_refused() {
    let folder = folder();
    let mut packed = zstd::Encoder::new(Vec::new(), 1).expect("memory can be packed into");
    // A record, and behind it more than a GiB of nothing, in some hundred KB.
    packed
        .write_all(b"{\"role\":\"user\",\"content\":\"Which ferry?\"}\n")
        .expect("a vector takes every write");
    let nothing = vec![b' '; 1 << 20];
    for _ in 0..1025 {
        packed.write_all(&nothing).expect("a vector takes every write");
    }
    write(
        folder.path(),
        "bomb.jsonl.zst",
        packed.finish().expect("a vector takes every write"),
    );
    write(folder.path(), "a.jsonl", TWICE);
    let run = run(
        folder.path(),
        &[
            "audit",
            "--isolated",
            "--format",
            "concise",
            "bomb.jsonl.zst",
            "a.jsonl",
        ],
    );
    assert_eq!(
        (run.status, run.stderr.as_str()),
        (
            2,
            "ctxlint: bomb.jsonl.zst: unpacks to more than 1 GiB; unpack it yourself if that is meant\n"
        )
    );
    assert!(run.stdout.starts_with("a.jsonl:1:"), "{}", run.stdout);
}

#[test]
fn a_report_takes_the_place_of_an_older_one_whole() {
    let folder = folder();
    write(folder.path(), "a.jsonl", TWICE);
    write(
        folder.path(),
        "real.json",
        "an older report, which is longer than the new one".repeat(10_000),
    );
    symlink("real.json", folder.path().join("report.json")).expect("a link can be made");
    let before = fs::File::open(folder.path().join("real.json")).expect("it is there");
    let run = run(
        folder.path(),
        &["audit", "--isolated", "a.jsonl", "--format", "json=report.json"],
    );
    assert_eq!(run.status, 1, "{}", run.stderr);
    let report = fs::read_to_string(folder.path().join("real.json")).expect("the report is written");
    serde_json::from_str::<serde_json::Value>(&report).expect("the report is whole");
    // Whoever has the older one open reads the older one.
    let still = std::io::read_to_string(before).expect("it can be read");
    assert!(still.starts_with("an older report") && still.len() > 400_000);
    let left = fs::read_dir(folder.path()).expect("the folder can be read");
    assert_eq!(left.count(), 3, "nothing is left beside the report");
}

#[test]
fn settings_that_never_end_are_refused() {
    let folder = folder();
    write(folder.path(), "a.jsonl", TWICE);
    for arguments in [
        &["audit", "--config", "/dev/zero", "a.jsonl"][..],
        &["audit", "--isolated", "--baseline", "/dev/zero", "a.jsonl"],
        &["audit", "--isolated", "--prices", "/dev/zero", "a.jsonl"],
        &["audit", "--isolated", "--files-from", "/dev/zero"],
    ] {
        let run = run(folder.path(), arguments);
        assert_eq!((run.status, run.stdout.as_str()), (2, ""), "{arguments:?}");
        assert!(run.stderr.contains("/dev/zero"), "{arguments:?}: {}", run.stderr);
        assert!(
            run.stderr.contains("longer than 256 MiB"),
            "{arguments:?}: {}",
            run.stderr
        );
    }
}

#[test]
fn what_nests_without_end_is_refused_where_it_stands() {
    let folder = folder();
    write(folder.path(), "a.jsonl", TWICE);
    let deep = "[".repeat(200_000);
    write(folder.path(), "deep.toml", format!("select = {deep}\n"));
    write(folder.path(), "deep.json", &deep);
    write(folder.path(), "deep.jsonl", format!("{TWICE}{deep}\n"));
    write(folder.path(), "rows.jsonl", format!("{{\"left\": {deep}\n"));
    write(folder.path(), "deep.py", format!("messages = {deep}\nrole = 'user'\n"));
    for (arguments, status, named) in [
        (&["audit", "--config", "deep.toml", "a.jsonl"][..], 2, "deep.toml:1:"),
        (
            &["audit", "--isolated", "--baseline", "deep.json", "a.jsonl"],
            2,
            "deep.json",
        ),
        (
            &["audit", "--isolated", "--prices", "deep.toml", "a.jsonl"],
            2,
            "deep.toml:1:",
        ),
        (
            &["audit", "--isolated", "--format", "concise", "deep.jsonl"],
            1,
            "deep.jsonl:2:1: ",
        ),
        (&["fold", "rows.jsonl"], 2, "rows.jsonl:1"),
        (&["check", "--isolated", "deep.py"], 3, "deep.py:1: "),
    ] {
        let run = run(folder.path(), arguments);
        assert_eq!(run.status, status, "{arguments:?}: {}{}", run.stdout, run.stderr);
        assert!(
            format!("{}{}", run.stdout, run.stderr).contains(named),
            "{arguments:?}: {}{}",
            run.stdout,
            run.stderr
        );
    }
}
