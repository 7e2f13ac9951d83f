//! What the integration tests share: running the binary, and where the repository is.
#![allow(dead_code, reason = "every test binary compiles this module and uses a part of it")]

pub(crate) mod drift;
pub(crate) mod mutation;
pub(crate) mod page;
pub(crate) mod random;
pub(crate) mod transform;

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// The top of the repository.
pub(crate) fn repository() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// What a run of the binary left behind.
#[derive(Debug)]
pub(crate) struct Run {
    pub(crate) status: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

/// The binary, in a folder and with nothing from the environment that could change its output.
pub(crate) fn command(folder: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ctxlint"));
    command.current_dir(folder).stdin(Stdio::null());
    for variable in [
        "NO_COLOR",
        "CLICOLOR_FORCE",
        "CLICOLOR",
        "TERM",
        "COLUMNS",
        "GITHUB_STEP_SUMMARY",
    ] {
        command.env_remove(variable);
    }
    command
}

/// Runs the binary in a folder.
pub(crate) fn run(folder: &Path, arguments: &[&str]) -> Run {
    read(
        &command(folder)
            .args(arguments)
            .output()
            .expect("the binary of this package starts"),
    )
}

/// Runs the binary in a folder with something on standard input.
pub(crate) fn run_with_input(folder: &Path, arguments: &[&str], input: &[u8]) -> Run {
    use std::io::Write;
    let mut command = command(folder);
    command
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut child = command.spawn().expect("the binary of this package starts");
    let mut stdin = child.stdin.take().expect("stdin is piped");
    let input = input.to_owned();
    // From a thread of its own: the child may write before it has read everything.
    let feeder = std::thread::spawn(move || stdin.write_all(&input));
    let output = child.wait_with_output().expect("the child can be waited for");
    // The child may end without reading; that is for the assertions to judge.
    let _ = feeder.join();
    read(&output)
}

fn read(output: &Output) -> Run {
    Run {
        status: output.status.code().expect("the binary ends by itself"),
        stdout: String::from_utf8(output.stdout.clone()).expect("stdout is UTF-8"),
        stderr: String::from_utf8(output.stderr.clone()).expect("stderr is UTF-8"),
    }
}

/// An empty folder that goes away with the value.
pub(crate) fn folder() -> tempfile::TempDir {
    tempfile::tempdir().expect("a temporary folder can be made")
}

/// Writes a file and the folders above it.
pub(crate) fn write(folder: &Path, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
    let path = folder.join(name);
    let parent = path.parent().expect("a file in a folder has a parent");
    std::fs::create_dir_all(parent).expect("folders can be made in a temporary folder");
    std::fs::write(&path, content).expect("files can be written in a temporary folder");
    path
}

/// Compares with a snapshot of this name in the top-level `snapshots/`.
pub(crate) fn snapshot(name: &str, text: &str) {
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path(repository().join("snapshots"));
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(|| insta::assert_snapshot!(name, text));
}
