//! What shells and manual readers are told about the command line.

mod support;

use std::collections::BTreeSet;
use std::process::Command;

use support::{folder, repository, run, write};

const SHELLS: [&str; 5] = ["bash", "elvish", "fish", "powershell", "zsh"];

/// The commands that `--help` lists, without `help` itself.
fn commands() -> Vec<String> {
    let help = run(repository(), &["--help"]).stdout;
    let listed = help
        .lines()
        .skip_while(|line| *line != "Commands:")
        .skip(1)
        .take_while(|line| !line.is_empty());
    let names: Vec<_> = listed
        .filter_map(|line| line.strip_prefix("  ")?.split(' ').next())
        .filter(|name| !name.is_empty() && *name != "help")
        .map(str::to_owned)
        .collect();
    assert!(names.contains(&"check".to_owned()), "{help}");
    names
}

#[test]
fn every_shell_is_told_about_every_command() {
    for shell in SHELLS {
        let run = run(repository(), &["completions", shell]);
        assert_eq!((run.status, run.stderr.as_str()), (0, ""), "{shell}");
        for command in commands() {
            assert!(run.stdout.contains(&command), "{shell} is not told about {command}");
        }
        assert!(run.stdout.contains("fail-on"), "{shell} is not told about flags");
    }
}

#[test]
fn bash_completes_a_command_a_flag_and_a_value() {
    let folder = folder();
    let script = run(repository(), &["completions", "bash"]).stdout;
    write(folder.path(), "ctxlint.bash", script);
    for (words, expected) in [
        ("ctxlint ch", "check"),
        ("ctxlint check --fail", "--fail-on"),
        ("ctxlint check --fail-on e", "error"),
        ("ctxlint completions z", "zsh"),
    ] {
        // The function is found as bash finds it: by what `complete` noted for the program's name.
        let complete = format!(
            "set -u; source ./ctxlint.bash
             [[ $(complete -p ctxlint) =~ -F\\ ([^ ]+) ]]
             COMP_WORDS=({words}); COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1)); COMPREPLY=()
             \"${{BASH_REMATCH[1]}}\" ctxlint \"${{COMP_WORDS[COMP_CWORD]}}\" \"${{COMP_WORDS[COMP_CWORD - 1]}}\"
             printf '%s\\n' \"${{COMPREPLY[@]}}\""
        );
        let bash = Command::new("bash")
            .args(["--noprofile", "--norc", "-c", &complete])
            .current_dir(folder.path())
            .output()
            .expect("bash starts");
        let stderr = String::from_utf8_lossy(&bash.stderr);
        assert_eq!(stderr, "", "{words}");
        assert_eq!(String::from_utf8_lossy(&bash.stdout).trim(), expected, "{words}");
    }
}

#[test]
fn the_page_of_the_program_names_every_command_and_the_exit_statuses() {
    let run = run(repository(), &["man"]);
    assert_eq!((run.status, run.stderr.as_str()), (0, ""));
    for command in commands() {
        let page = format!("ctxlint\\-{command}(1)");
        assert!(run.stdout.contains(&page), "{page} is not named");
    }
    assert!(
        run.stdout.contains("Exit status: 0 clean, 1 findings"),
        "{}",
        run.stdout
    );
}

#[test]
fn a_folder_gets_the_page_of_the_program_and_of_each_command() {
    let folder = folder();
    let run = run(folder.path(), &["man", "--dir", "share/man1"]);
    assert_eq!((run.status, run.stdout.as_str(), run.stderr.as_str()), (0, "", ""));
    let written: BTreeSet<_> = folder
        .path()
        .join("share/man1")
        .read_dir()
        .expect("the folder was made")
        .map(|entry| entry.expect("it can be read").file_name().into_string().expect("ASCII"))
        .collect();
    let mut expected: BTreeSet<_> = commands().iter().map(|name| format!("ctxlint-{name}.1")).collect();
    expected.insert("ctxlint.1".to_owned());
    assert_eq!(written, expected);
    let check = std::fs::read_to_string(folder.path().join("share/man1/ctxlint-check.1")).expect("UTF-8");
    assert!(check.contains("fail\\-on"), "{check}");
}

#[test]
fn pages_that_cannot_be_written_are_an_error_that_names_the_folder() {
    let folder = folder();
    write(folder.path(), "taken", "");
    let run = run(folder.path(), &["man", "--dir", "taken"]);
    assert_eq!((run.status, run.stdout.as_str()), (2, ""));
    assert!(run.stderr.starts_with("ctxlint: taken: "), "{}", run.stderr);
}
