//! Compressed files, archives and databases are read where they lie.

mod support;

use std::io::{Cursor, Write};
use std::path::Path;

use flate2::Compression;
use flate2::write::GzEncoder;
use serde_json::Value;
use support::{folder, repository, run, run_with_input, write};

fn fixture() -> Vec<u8> {
    let path = repository().join("tests/fixtures/formats/claude-code/session.jsonl");
    std::fs::read(path).expect("the fixture can be read")
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(bytes).expect("a vector takes every write");
    encoder.finish().expect("a vector takes every write")
}

/// The document of a replay, without the names of files.
fn replayed(folder: &Path, name: &str) -> Value {
    let run = run(folder, &["replay", "--isolated", "--format", "json", name]);
    assert_eq!((run.status, run.stderr.as_str()), (0, ""), "{name}");
    let mut document: Value = serde_json::from_str(&run.stdout).expect("the document is JSON");
    document["path"] = Value::Null;
    document["files"] = Value::Null;
    document
}

#[test]
fn what_is_packed_says_what_it_says_unpacked() {
    let folder = folder();
    write(folder.path(), "plain.jsonl", fixture());
    write(folder.path(), "packed.jsonl.gz", gzip(&fixture()));
    let zstd = zstd::encode_all(Cursor::new(fixture()), 3).expect("memory can be read");
    write(folder.path(), "packed.jsonl.zst", zstd);
    let mut zip = zip::ZipWriter::new(Cursor::new(Vec::new()));
    let options = zip::write::SimpleFileOptions::default();
    zip.start_file("README.txt", options).expect("a member can be begun");
    zip.write_all(b"no transcript").expect("a vector takes every write");
    zip.start_file("inner/session.jsonl", options)
        .expect("a member can be begun");
    zip.write_all(&fixture()).expect("a vector takes every write");
    write(
        folder.path(),
        "packed.zip",
        zip.finish().expect("a vector takes every write").into_inner(),
    );
    let plain = replayed(folder.path(), "plain.jsonl");
    assert!(plain["understood"].as_u64().is_some_and(|understood| understood > 20));
    for name in ["packed.jsonl.gz", "packed.jsonl.zst", "packed.zip"] {
        assert_eq!(replayed(folder.path(), name), plain, "{name}");
    }
    // A folder is walked for them.
    let shown = run(folder.path(), &["audit", "--isolated", "--show-files"]);
    assert_eq!(
        shown.stdout,
        "packed.jsonl.gz\npacked.jsonl.zst\npacked.zip\nplain.jsonl\n"
    );
}

#[test]
fn standard_input_may_be_packed() {
    let folder = folder();
    let plain = run_with_input(
        folder.path(),
        &["audit", "--isolated", "--format", "json", "-"],
        &fixture(),
    );
    let packed = run_with_input(
        folder.path(),
        &["audit", "--isolated", "--format", "json", "-"],
        &gzip(&fixture()),
    );
    assert_eq!(packed.stdout, plain.stdout);
    assert_eq!(packed.status, plain.status);
}

#[test]
fn a_packed_file_that_is_cut_off_is_told_and_what_came_before_is_not_lost() {
    let folder = folder();
    // Enough that a part of it unpacks.
    let line = |n: usize| {
        format!(
            "{{\"role\": \"assistant\", \"content\": \"answer {n} {}\"}}\n",
            n * 7919 % 10_007
        )
    };
    let lines: Vec<String> = (0..20_000).map(line).collect();
    let orphan = "{\"role\": \"tool\", \"content\": \"x\", \"tool_call_id\": \"nobody\"}\n";
    let packed = gzip((orphan.to_owned() + &lines.concat()).as_bytes());
    write(folder.path(), "cut.jsonl.gz", &packed[..packed.len() / 2]);
    let run = run(
        folder.path(),
        &["audit", "--isolated", "--format", "concise", "cut.jsonl.gz"],
    );
    assert_eq!(run.status, 2);
    assert!(run.stdout.contains("cut.jsonl.gz:1:"), "{}", run.stdout);
    assert!(run.stderr.starts_with("ctxlint: cut.jsonl.gz: "), "{}", run.stderr);
}

#[test]
fn findings_in_an_archive_name_the_member() {
    let folder = folder();
    let mut zip = zip::ZipWriter::new(Cursor::new(Vec::new()));
    let options = zip::write::SimpleFileOptions::default();
    zip.start_file("logs/run.json", options).expect("a member can be begun");
    zip.write_all(b"[{\"role\": \"user\", \"content\": \"hi\"},\n {\"role\": \"tool\", \"content\": \"x\", \"tool_call_id\": \"c\"}]")
        .expect("a vector takes every write");
    write(
        folder.path(),
        "dump.zip",
        zip.finish().expect("a vector takes every write").into_inner(),
    );
    let run = run(
        folder.path(),
        &["audit", "--isolated", "--format", "concise", "dump.zip"],
    );
    let place = Path::new("dump.zip").join("logs/run.json").display().to_string() + ":2:";
    assert!(run.stdout.starts_with(&place), "{}", run.stdout);
    assert_eq!(run.status, 1);
}
