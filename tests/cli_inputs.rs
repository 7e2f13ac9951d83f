//! Bad input: a readable message with a place, the right exit status, and the rest is still done.

mod support;

use std::path::Path;

use support::{folder, run, snapshot, write};

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
    write(path, "notes.txt", "not code\n");
    write(path, "fine/agent.py", "x = 1\n");
    std::fs::create_dir(path.join("nothing")).expect("a folder can be made");
    let session = [
        &["check", "empty.py"][..],
        &["check", "binary.py"],
        &["check", "latin.py"],
        &["check", "deep.py"],
        &["check", "broken.py"],
        &["check", "notes.txt"],
        &["check", "nothing"],
        &["check", "missing.py"],
        &["check", "missing.py", "fine"],
        &["check", "notes.txt", "fine"],
    ];
    snapshot("bad_code", &session.map(|arguments| shown(path, arguments)).join("\n"));
}
