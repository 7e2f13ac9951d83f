//! `init` writes what a project begins with, and never over what is there.

mod support;

use std::fs;

use support::{folder, run, write};

const FILES: [&str; 3] = [
    "ctxlint.toml",
    ".pre-commit-config.yaml",
    ".github/workflows/ctxlint.yml",
];

#[test]
fn a_project_gets_a_configuration_a_hook_and_a_workflow() {
    let folder = folder();
    let begun = run(folder.path(), &["init"]);
    let told: Vec<String> = FILES.iter().map(|file| format!("wrote {file}\n")).collect();
    assert_eq!(
        (begun.status, begun.stdout, begun.stderr.as_str()),
        (0, told.concat(), "")
    );
    for file in FILES {
        let text = fs::read_to_string(folder.path().join(file)).expect("it is written");
        assert!(!text.contains("VERSION"), "{file}: {text}");
    }
    for file in &FILES[1..] {
        let text = fs::read_to_string(folder.path().join(file)).expect("it is written");
        let version = format!("ctxlint=={}", env!("CARGO_PKG_VERSION"));
        assert!(text.contains(&version), "{file}: {text}");
    }
    write(folder.path(), "agent.py", "x = 1\n");
    let checked = run(folder.path(), &["check"]);
    assert_eq!((checked.status, checked.stderr.as_str()), (0, ""));
}

#[test]
fn what_the_configuration_suggests_can_be_taken_as_it_is() {
    let folder = folder();
    run(folder.path(), &["init"]);
    let text = fs::read_to_string(folder.path().join("ctxlint.toml")).expect("it is written");
    let is_suggestion = |line: &str| line.starts_with("# [") || line.starts_with("# \"") || line.contains(" = ");
    let taken = text.lines().map(|line| match line.strip_prefix("# ") {
        Some(suggestion) if is_suggestion(line) => format!("{suggestion}\n"),
        _ => format!("{line}\n"),
    });
    let taken: String = taken.collect();
    assert!(taken.matches("\n[").count() >= 3, "{taken}");
    write(folder.path(), "ctxlint.toml", taken);
    write(folder.path(), "agent.py", "x = 1\n");
    let checked = run(folder.path(), &["check"]);
    assert_eq!((checked.status, checked.stderr.as_str()), (0, ""));
}

#[test]
fn what_is_there_stays_as_it_is() {
    let folder = folder();
    let project = folder.path().join("desk");
    for file in FILES {
        write(&project, file, "# mine\n");
    }
    let begun = run(folder.path(), &["init", "desk"]);
    assert_eq!((begun.status, begun.stderr.as_str()), (0, ""));
    for file in FILES {
        assert!(
            begun.stdout.contains(&format!("left {file} as it is")),
            "{}",
            begun.stdout
        );
        assert_eq!(
            fs::read_to_string(project.join(file)).expect("it is there"),
            "# mine\n",
            "{file}"
        );
    }
    assert!(
        begun.stdout.contains("      - id: ctxlint\n"),
        "the hook is shown, to be added by hand"
    );
}

#[test]
fn a_file_that_cannot_be_written_does_not_cost_the_others() {
    let folder = folder();
    // A file stands where the folder of the workflow should be.
    write(folder.path(), ".github", "");
    let begun = run(folder.path(), &["init"]);
    assert_eq!(begun.status, 2);
    assert_eq!(begun.stdout, "wrote ctxlint.toml\nwrote .pre-commit-config.yaml\n");
    assert!(
        begun
            .stderr
            .starts_with("ctxlint: .github/workflows/ctxlint.yml: it cannot be written: "),
        "{}",
        begun.stderr
    );
}
