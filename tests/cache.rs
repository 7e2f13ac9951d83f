//! The cache of `check`: what comes from it is what a run without it says, and whatever a run goes by is seen.

mod support;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use support::{Run, command, folder, run, write};

const FORMATS: [&str; 9] = [
    "human", "concise", "agent", "json", "jsonl", "sarif", "github", "gitlab", "junit",
];

const HELPER: &str = "def newest(items, count):\n    return items[-count:]\n";

const AGENT: &str = "\
from lists import newest


def ask(client, messages: list[dict]):
    kept = newest(messages, 8)  # ctxlint: ignore[id-swap] not so
    return client.chat.completions.create(model=\"m\", messages=kept)
";

/// A fault that has a fix.
const SCAN: &str = "\
def add_note(messages, note):
    for index, message in enumerate(messages):
        if message[\"role\"] == \"user\":
            messages.insert(index, {\"role\": \"user\", \"content\": note})
            break
    return messages
";

fn project() -> tempfile::TempDir {
    let folder = folder();
    write(folder.path(), "ctxlint.toml", "");
    write(folder.path(), "agent.py", AGENT);
    write(folder.path(), "lists.py", HELPER);
    write(folder.path(), "scan.py", SCAN);
    write(folder.path(), "broken.py", "def messages(user:\n");
    write(folder.path(), "web/package.json", "{\"name\": \"web\"}\n");
    write(
        folder.path(),
        "web/chat.ts",
        "export const messages = [{ role: \"user\", content: \"\" }];\n",
    );
    folder
}

/// The entries of a project's cache, in order.
fn entries(folder: &Path) -> Vec<PathBuf> {
    let Ok(cache) = fs::read_dir(folder.join(".ctxlint_cache")) else {
        return Vec::new();
    };
    let paths = cache.map(|entry| entry.expect("the folder can be read").path());
    let mut entries: Vec<_> = paths
        .filter(|path| path.extension().is_some_and(|ending| ending == "outcome"))
        .collect();
    entries.sort();
    entries
}

fn checked(folder: &Path, more: &[&str]) -> Run {
    run(folder, &[&["check", "--timings", "--format", "concise"], more].concat())
}

/// Whether the result came from the cache.
fn was_kept(run: &Run) -> bool {
    run.stderr.contains("reading from the cache")
}

fn told(run: &Run) -> (i32, &str) {
    (run.status, &run.stdout)
}

#[test]
fn a_kept_result_is_told_like_a_new_one_in_every_format() {
    let folder = project();
    let mut runs: Vec<Vec<&str>> = FORMATS.iter().map(|format| vec!["check", "--format", format]).collect();
    for more in [
        &["-v"][..],
        &["--unsafe-fixes"],
        &["--select", "mid-turn-cut"],
        &["-j", "1"],
        &["-j", "8"],
    ] {
        runs.push([&["check"], more].concat());
    }
    for arguments in runs {
        let without = run(folder.path(), &[&arguments[..], &["--no-cache"]].concat());
        assert!(!without.stdout.is_empty(), "{arguments:?}");
        let with = run(folder.path(), &arguments);
        assert_eq!(told(&with), told(&without), "{arguments:?}");
        assert_eq!(with.stderr, without.stderr, "{arguments:?}");
    }
    // What is shown is chosen after what is kept.
    assert_eq!(entries(folder.path()).len(), 1);
    assert!(was_kept(&checked(folder.path(), &[])));
}

#[test]
fn the_fault_with_a_fix_and_the_complaint_are_kept() {
    let folder = project();
    for _ in 0..2 {
        let found = run(folder.path(), &["check", "--unsafe-fixes"]);
        assert_eq!(found.status, 1);
        assert!(found.stdout.contains("fix available"), "{}", found.stdout);
        assert!(found.stdout.contains("unused-ignore"), "{}", found.stdout);
        assert!(found.stderr.contains("broken.py:1: "), "{}", found.stderr);
    }
}

#[test]
fn without_a_configuration_the_cache_is_in_the_working_directory() {
    let folder = folder();
    write(folder.path(), "deep/scan.py", SCAN);
    checked(folder.path(), &["deep"]);
    assert_eq!(entries(folder.path()).len(), 1);
    write(folder.path(), "deep/ctxlint.toml", "");
    checked(folder.path(), &["deep"]);
    assert_eq!(entries(&folder.path().join("deep")).len(), 1);
    let cache = folder.path().join(".ctxlint_cache");
    assert_eq!(fs::read(cache.join(".gitignore")).expect("it is there"), b"*\n");
    let tag = fs::read_to_string(cache.join("CACHEDIR.TAG")).expect("it is there");
    assert!(tag.starts_with("Signature: 8a477f597d28d172789f06886806bc55"));
}

#[test]
fn nothing_is_kept_where_it_is_not_wanted_or_would_be_of_no_use() {
    let folder = project();
    for arguments in [&["--no-cache"][..], &["scan.py"], &["--cache-dir", "elsewhere/kept"]] {
        checked(folder.path(), arguments);
        assert!(!folder.path().join(".ctxlint_cache").exists(), "{arguments:?}");
    }
    run(folder.path(), &["check", "--diff"]);
    run(folder.path(), &["check", "--show-files"]);
    run(folder.path(), &["map"]);
    assert!(!folder.path().join(".ctxlint_cache").exists());
    assert!(was_kept(&checked(folder.path(), &["--cache-dir", "elsewhere/kept"])));
    let empty = support::folder();
    assert_eq!(run(empty.path(), &["check"]).status, 3);
    assert!(!empty.path().join(".ctxlint_cache").exists());
}

#[test]
fn whatever_a_run_goes_by_is_seen() {
    type Change = fn(&Path);
    let changes: [(&str, Change); 9] = [
        ("a byte", |at| {
            write(at, "lists.py", HELPER.replace("-count", "+count"));
        }),
        ("a new file", |at| {
            write(at, "new.py", SCAN);
        }),
        ("a deleted file", |at| {
            fs::remove_file(at.join("scan.py")).expect("it is there");
        }),
        ("a renamed file", |at| {
            fs::rename(at.join("scan.py"), at.join("look.py")).expect("it is there");
        }),
        ("a configuration", |at| {
            write(at, "ctxlint.toml", "ignore = [\"id-swap\"]\n");
        }),
        ("an ignore file", |at| {
            write(at, ".gitignore", "scan.py\n");
        }),
        ("an excluded file", |at| {
            write(at, "ctxlint.toml", "exclude = [\"scan.py\"]\n");
        }),
        ("a manifest", |at| {
            write(at, "web/package.json", "{\"name\": \"net\"}\n");
        }),
        ("a configuration of a language", |at| {
            write(at, "web/tsconfig.json", "{\"compilerOptions\": {\"baseUrl\": \".\"}}\n");
        }),
    ];
    for (what, change) in changes {
        let folder = project();
        checked(folder.path(), &[]);
        assert!(was_kept(&checked(folder.path(), &[])), "{what}");
        change(folder.path());
        let after = checked(folder.path(), &[]);
        assert!(!was_kept(&after), "{what}");
        let without = checked(folder.path(), &["--no-cache"]);
        assert_eq!(told(&after), told(&without), "{what}");
        assert!(was_kept(&checked(folder.path(), &[])), "{what}");
    }
}

#[test]
fn another_build_keeps_for_itself() {
    let folder = project();
    checked(folder.path(), &[]);
    let other = folder.path().join(format!("other{}", std::env::consts::EXE_SUFFIX));
    let mut program = fs::read(env!("CARGO_BIN_EXE_ctxlint")).expect("the binary can be read");
    program.push(0);
    fs::copy(env!("CARGO_BIN_EXE_ctxlint"), &other).expect("the binary can be copied");
    // What is behind the end of a program has no meaning but to the hash.
    fs::write(&other, program).expect("the copy can be changed");
    let run = std::process::Command::new(&other)
        .current_dir(folder.path())
        .args(["check", "--timings", "-q"])
        .stdin(Stdio::null())
        .output()
        .expect("the copy starts");
    assert!(!String::from_utf8_lossy(&run.stderr).contains("reading from the cache"));
    assert_eq!(entries(folder.path()).len(), 2);
}

#[test]
fn damaged_entries_are_not_used_and_are_written_anew() {
    let folder = project();
    let good = checked(folder.path(), &[]);
    let [entry] = &entries(folder.path())[..] else {
        panic!("there is one entry");
    };
    let whole = fs::read(entry).expect("it can be read");
    let flipped: Vec<u8> = whole
        .iter()
        .enumerate()
        .map(|(at, byte)| if at == whole.len() / 2 { byte ^ 1 } else { *byte })
        .collect();
    let damaged: [&[u8]; 6] = [
        b"",
        b"ctxlint cache 1\n",
        &whole[..whole.len() - 1],
        &whole[..40],
        &flipped,
        b"{}",
    ];
    for bytes in damaged {
        fs::write(entry, bytes).expect("it can be damaged");
        let again = checked(folder.path(), &[]);
        assert!(!was_kept(&again));
        assert_eq!(told(&again), told(&good));
        assert!(
            fs::read(entry).expect("it can be read") == whole,
            "the entry is whole again"
        );
        assert!(was_kept(&checked(folder.path(), &[])));
    }
}

#[test]
fn an_entry_under_the_name_of_another_is_not_used() {
    let folder = project();
    checked(folder.path(), &[]);
    let first = entries(folder.path())[0].clone();
    write(folder.path(), "scan.py", "");
    let good = checked(folder.path(), &[]);
    let second = entries(folder.path())
        .into_iter()
        .find(|path| *path != first)
        .expect("there are two");
    fs::copy(&first, &second).expect("it can be copied");
    let again = checked(folder.path(), &[]);
    assert!(!was_kept(&again));
    assert_eq!(told(&again), told(&good));
}

/// Makes a file look old.
fn age(path: &Path) {
    let file = fs::File::options().write(true).open(path).expect("it is there");
    file.set_modified(std::time::SystemTime::UNIX_EPOCH)
        .expect("a time can be set");
}

#[test]
fn old_entries_and_what_was_left_half_written_go() {
    let folder = project();
    checked(folder.path(), &[]);
    for number in 0..40 {
        let old = write(folder.path(), &format!(".ctxlint_cache/{number:032x}.outcome"), "old");
        age(&old);
    }
    write(folder.path(), "lists.py", HELPER.replace("-count", "+count"));
    checked(folder.path(), &[]);
    assert_eq!(entries(folder.path()).len(), 32);
    assert!(was_kept(&checked(folder.path(), &[])), "the newest stays");
    let left = write(
        folder.path(),
        &format!(".ctxlint_cache/.{}.outcome.1-0.ctxlint", "0".repeat(32)),
        "",
    );
    let other = write(folder.path(), ".ctxlint_cache/notes.txt", "");
    age(&left);
    age(&other);
    write(folder.path(), "lists.py", format!("{HELPER}# more\n"));
    checked(folder.path(), &[]);
    assert!(!left.exists());
    assert!(other.exists(), "it is nobody's to remove");
}

#[test]
fn where_nothing_can_be_kept_a_run_says_so_only_if_asked() {
    let folder = project();
    let without = checked(folder.path(), &["--no-cache"]);
    let place = write(folder.path(), ".ctxlint_cache", "no folder");
    let quiet = run(folder.path(), &["check", "--format", "concise"]);
    assert_eq!(told(&quiet), told(&without));
    assert!(!quiet.stderr.contains("cache"), "{}", quiet.stderr);
    let verbose = run(folder.path(), &["check", "-v"]);
    assert!(
        verbose.stderr.contains(".ctxlint_cache: nothing is kept here: "),
        "{}",
        verbose.stderr
    );
    assert_eq!(fs::read(place).expect("it is there"), b"no folder");
}

#[cfg(unix)]
#[test]
fn a_link_that_came_with_a_project_is_no_way_out_of_it() {
    let folder = project();
    let outside = support::folder();
    std::os::unix::fs::symlink(outside.path(), folder.path().join(".ctxlint_cache")).expect("a link can be made");
    let without = checked(folder.path(), &["--no-cache"]);
    assert_eq!(told(&checked(folder.path(), &[])), told(&without));
    assert_eq!(fs::read_dir(outside.path()).expect("it can be read").count(), 0);
}

#[cfg(unix)]
#[test]
fn a_link_in_the_place_of_an_entry_is_replaced() {
    let folder = project();
    checked(folder.path(), &[]);
    let entry = entries(folder.path())[0].clone();
    let target = write(folder.path(), "precious.txt", "precious");
    fs::remove_file(&entry).expect("it is there");
    std::os::unix::fs::symlink(&target, &entry).expect("a link can be made");
    checked(folder.path(), &[]);
    assert_eq!(fs::read(&target).expect("it is there"), b"precious");
    assert!(was_kept(&checked(folder.path(), &[])));
}

#[test]
fn a_cache_that_cannot_be_written_is_read() {
    let folder = project();
    let good = checked(folder.path(), &[]);
    let cache = folder.path().join(".ctxlint_cache");
    let set = |is_readonly| {
        let mut permissions = fs::metadata(&cache).expect("it is there").permissions();
        permissions.set_readonly(is_readonly);
        fs::set_permissions(&cache, permissions).expect("permissions can be set");
    };
    set(true);
    let kept = checked(folder.path(), &[]);
    write(folder.path(), "new.py", SCAN);
    let new = checked(folder.path(), &[]);
    set(false);
    assert!(was_kept(&kept));
    assert_eq!(told(&kept), told(&good));
    assert!(!was_kept(&new));
    assert_eq!(new.status, 1);
}

#[test]
fn runs_at_the_same_time_do_not_disturb_each_other() {
    let folder = project();
    let without = checked(folder.path(), &["--no-cache"]);
    for round in 0..4 {
        write(folder.path(), "lists.py", format!("{HELPER}# {round}\n"));
        let start = || {
            let mut command = command(folder.path());
            command.args(["check", "--format", "concise"]);
            command
                .stdout(Stdio::piped())
                .stderr(Stdio::piped())
                .spawn()
                .expect("the binary starts")
        };
        let runs: Vec<_> = (0..4).map(|_| start()).collect();
        for run in runs {
            let output = run.wait_with_output().expect("the run ends");
            assert_eq!(String::from_utf8_lossy(&output.stdout), without.stdout);
        }
        assert!(was_kept(&checked(folder.path(), &[])));
    }
    let cache = fs::read_dir(folder.path().join(".ctxlint_cache")).expect("it is there");
    assert_eq!(cache.count(), 4 + 2, "nothing is left half-written");
}

#[test]
fn a_fix_is_followed_by_what_is_left() {
    let folder = project();
    checked(folder.path(), &[]);
    let fixed = run(
        folder.path(),
        &["check", "--fix", "--unsafe-fixes", "--format", "concise"],
    );
    let after = checked(folder.path(), &[]);
    assert_eq!(after.stdout, fixed.stdout);
    assert_ne!(
        fs::read_to_string(folder.path().join("scan.py")).expect("it is there"),
        SCAN
    );
}
