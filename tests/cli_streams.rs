//! Stdout is data, stderr is talk, and a reader may stop reading at any time.

mod support;

use std::process::Stdio;

use support::{command, folder, repository, run, write};

#[test]
fn a_reader_who_stops_reading_ends_the_run_quietly() {
    for arguments in [
        &["rules"][..],
        &["explain", "id-swap"],
        &["check", "--format", "json"],
        &["--help"],
    ] {
        let (reader, writer) = std::io::pipe().expect("a pipe can be made");
        drop(reader);
        let child = command(folder().path())
            .args(arguments)
            .stdout(writer)
            .stderr(Stdio::piped())
            .output()
            .expect("the binary of this package starts");
        assert_eq!(child.status.code(), Some(0), "{arguments:?}");
        let stderr = String::from_utf8(child.stderr).expect("stderr is UTF-8");
        assert!(
            !stderr.contains("panic") && !stderr.contains("pipe"),
            "{arguments:?}: {stderr}"
        );
    }
}

#[test]
fn nothing_to_check_is_said_on_stderr_and_in_the_exit_status() {
    let empty = folder();
    let check = run(empty.path(), &["check"]);
    assert_eq!((check.status, check.stdout.as_str()), (3, ""));
    assert_eq!(check.stderr, "ctxlint: no file here can be checked\n");
}

#[test]
fn programs_get_a_document_where_nothing_was_checked() {
    let empty = folder();
    for format in ctxlint::report::Format::ALL {
        let run = run(empty.path(), &["check", "--format", format.as_str()]);
        assert_eq!(run.status, 3, "{}", format.as_str());
        assert_eq!(run.stdout.is_empty(), !format.is_for_machines(), "{}", format.as_str());
        assert_eq!(run.stderr, "ctxlint: no file here can be checked\n");
    }
}

#[test]
fn a_report_that_cannot_be_written_is_an_error() {
    let run = run(
        repository(),
        &["check", "examples/mended", "--format", "json=no/such/folder/out.json"],
    );
    assert_eq!((run.status, run.stdout.as_str()), (2, ""));
    assert_eq!(
        run.stderr,
        "ctxlint: no/such/folder/out.json: the report is not written: No such file or directory (os error 2); make \
         its folder first\n"
    );
}

#[test]
fn a_report_that_cannot_be_written_does_not_cost_the_others() {
    let folder = folder();
    write(folder.path(), "agent.py", "x = 1\n");
    let arguments = [
        "check",
        "--format",
        "json=.",
        "--format",
        "jsonl=out.jsonl",
        "--format",
        "agent",
    ];
    let run = run(folder.path(), &arguments);
    assert_eq!(run.status, 2);
    assert_eq!(run.stdout, "checked 1 file: no findings\n");
    assert!(
        run.stderr.contains(".: the report is not written: ") && run.stderr.ends_with("; name a file in this folder\n"),
        "{}",
        run.stderr
    );
    let written = std::fs::read_to_string(folder.path().join("out.jsonl")).expect("the report was written");
    assert!(written.starts_with("{\"type\":\"summary\","), "{written}");
}
