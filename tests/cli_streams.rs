//! Stdout is data, stderr is talk, and a reader may stop reading at any time.

mod support;

use std::process::Stdio;

use support::{command, folder, repository, run};

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
fn a_report_that_cannot_be_written_is_an_error() {
    let run = run(
        repository(),
        &["check", "examples/mended", "--format", "json=no/such/folder/out.json"],
    );
    assert_eq!((run.status, run.stdout.as_str()), (2, ""));
    assert!(
        run.stderr.starts_with("ctxlint: no/such/folder/out.json: "),
        "{}",
        run.stderr
    );
}
