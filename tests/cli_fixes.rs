//! `check --fix`, `--unsafe-fixes` and `--diff`: what is written, shown and told.

mod support;

use std::fs;
use std::path::Path;

use support::{folder, run, write};

/// One finding with a safe fix.
const SET: &str = "\
from openai import OpenAI


def ask(client: OpenAI, beds, messages):
    system = \"Crops: \" + \", \".join({bed[\"crop\"] for bed in beds})
    return client.chat.completions.create(model=\"m\", messages=[{\"role\": \"system\", \"content\": system}, *messages])
";

/// One finding with an unsafe fix.
const SCAN: &str = "\
from langchain_core.messages import HumanMessage, SystemMessage


def look_up(state, recipes, model):
    asked = next(m for m in state[\"messages\"] if isinstance(m, HumanMessage))
    found = recipes.invoke(asked.content)
    return {\"messages\": [model.invoke([SystemMessage(content=found), *state[\"messages\"]])]}
";

const SET_FIXED: &str = "\", \".join(sorted({bed[\"crop\"] for bed in beds}))";
const SCAN_FIXED: &str = "next(m for m in reversed(state[\"messages\"]) if";

fn text(folder: &Path, name: &str) -> String {
    fs::read_to_string(folder.join(name)).expect("the file can be read")
}

#[test]
fn safe_fixes_are_written_and_the_rest_is_reported() {
    let folder = folder();
    write(folder.path(), "set.py", SET);
    write(folder.path(), "scan.py", SCAN);
    let first = run(folder.path(), &["check", "--fix", "--format", "concise"]);
    assert!(text(folder.path(), "set.py").contains(SET_FIXED));
    assert_eq!(text(folder.path(), "scan.py"), SCAN);
    assert_eq!(first.status, 1);
    assert_eq!(first.stdout.lines().count(), 1, "{}", first.stdout);
    assert!(
        first.stdout.starts_with("scan.py:5:13: error head-scan-attach"),
        "{}",
        first.stdout
    );
    assert_eq!(
        first.stderr,
        "ctxlint: fixed 1 finding in 1 file; 1 more with --unsafe-fixes\n"
    );

    let second = run(folder.path(), &["check", "--fix", "--unsafe-fixes"]);
    assert!(text(folder.path(), "scan.py").contains(SCAN_FIXED));
    assert_eq!(
        (second.status, second.stderr.as_str()),
        (0, "ctxlint: fixed 1 finding in 1 file\n")
    );

    let third = run(folder.path(), &["check", "--fix", "--unsafe-fixes"]);
    assert_eq!(
        (third.status, third.stderr.as_str()),
        (0, "ctxlint: fixed 0 findings in 0 files\n")
    );
}

#[test]
fn a_diff_shows_and_writes_nothing() {
    let folder = folder();
    write(folder.path(), "scan.py", SCAN);
    let safe = run(folder.path(), &["check", "--diff"]);
    assert_eq!((safe.status, safe.stdout.as_str()), (0, ""));
    assert_eq!(
        safe.stderr,
        "ctxlint: would fix 0 findings in 0 files; 1 more with --unsafe-fixes\n"
    );
    let all = run(folder.path(), &["check", "--diff", "--unsafe-fixes", "scan.py"]);
    assert_eq!(all.status, 1);
    let expected = "\
--- scan.py
+++ scan.py
@@ -2,6 +2,6 @@
 
 
 def look_up(state, recipes, model):
-    asked = next(m for m in state[\"messages\"] if isinstance(m, HumanMessage))
+    asked = next(m for m in reversed(state[\"messages\"]) if isinstance(m, HumanMessage))
     found = recipes.invoke(asked.content)
     return {\"messages\": [model.invoke([SystemMessage(content=found), *state[\"messages\"]])]}
";
    assert_eq!(all.stdout, expected);
    assert_eq!(text(folder.path(), "scan.py"), SCAN);
    let both = run(
        folder.path(),
        &["check", "--fix", "--diff", "--unsafe-fixes", "--exit-zero", "scan.py"],
    );
    assert_eq!(
        (both.status, both.stdout.as_str()),
        (0, expected),
        "a diff is only shown"
    );
    assert_eq!(text(folder.path(), "scan.py"), SCAN);
    let colored = run(
        folder.path(),
        &["check", "--diff", "--unsafe-fixes", "--color", "always"],
    );
    assert!(colored.stdout.contains("\u{1b}[31m-    asked"), "{}", colored.stdout);
    assert_eq!(run(folder.path(), &["check", "--diff", "missing.py"]).status, 2);
    assert_eq!(
        run(folder.path(), &["check", "--diff", "--format", "json"]).status,
        2,
        "one of them is enough"
    );
}

#[test]
fn fixes_are_shown_to_those_who_ask_for_them() {
    let folder = folder();
    write(folder.path(), "set.py", SET);
    write(folder.path(), "scan.py", SCAN);
    let plain = run(folder.path(), &["check"]);
    assert!(
        plain
            .stdout
            .contains("\n  help: fix available: sort the items (--fix)\n"),
        "{}",
        plain.stdout
    );
    assert!(
        !plain.stdout.contains("search from the newest message (--fix"),
        "{}",
        plain.stdout
    );
    assert!(
        plain
            .stdout
            .ends_with("1 can be fixed with --fix, 1 more with --unsafe-fixes\n"),
        "{}",
        plain.stdout
    );
    let all = run(folder.path(), &["check", "--unsafe-fixes"]);
    let shown = "\n  help: fix available: search from the newest message (--fix --unsafe-fixes)\n";
    assert!(all.stdout.contains(shown), "{}", all.stdout);
    assert_eq!(text(folder.path(), "set.py"), SET);
}

#[test]
fn what_is_hidden_is_not_fixed() {
    let folder = folder();
    let scan = SCAN.replace(
        "HumanMessage))\n",
        "HumanMessage))  # ctxlint: ignore[head-scan-attach] once\n",
    );
    write(folder.path(), "scan.py", &scan);
    write(folder.path(), "set.py", SET);
    let arguments = ["check", "--fix", "--unsafe-fixes", "--exit-zero"];
    for more in [&["--ignore", "unordered-prefix"][..], &["--select", "id-swap"]] {
        run(folder.path(), &[&arguments[..], more].concat());
        assert_eq!(text(folder.path(), "set.py"), SET, "{more:?}");
        assert_eq!(text(folder.path(), "scan.py"), scan, "{more:?}");
    }
}

#[test]
fn line_ends_marks_and_wide_characters_stay() {
    let folder = folder();
    let scan = format!("\u{feff}# Größe\n{SCAN}").replace('\n', "\r\n");
    write(folder.path(), "scan.py", &scan);
    let fixed = run(folder.path(), &["check", "--fix", "--unsafe-fixes"]);
    assert_eq!(fixed.status, 0, "{}", fixed.stderr);
    let expected = scan.replace("m in state[\"messages\"]", "m in reversed(state[\"messages\"])");
    assert_eq!(text(folder.path(), "scan.py"), expected);
    let greet = "\
from langchain_core.messages import SystemMessage\r
from langgraph.graph import MessagesState\r
\r
\r
def greet(state: MessagesState):\r
    return {\"messages\": [SystemMessage(content=\"Hë\"), *state[\"messages\"]]}\r
";
    write(folder.path(), "greet.py", greet);
    run(folder.path(), &["check", "--fix", "--unsafe-fixes", "greet.py"]);
    let expected = "\
from langchain_core.messages import SystemMessage, RemoveMessage\r
from langgraph.graph import MessagesState\r
from langgraph.graph.message import REMOVE_ALL_MESSAGES\r
\r
\r
def greet(state: MessagesState):\r
    return {\"messages\": [RemoveMessage(id=REMOVE_ALL_MESSAGES), SystemMessage(content=\"Hë\"), *state[\"messages\"]]}\r
";
    assert_eq!(text(folder.path(), "greet.py"), expected);
}

#[cfg(unix)]
#[test]
fn links_and_permissions_stay_and_read_only_files_too() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let folder = folder();
    let target = write(folder.path(), "real/scan.py", SCAN);
    fs::set_permissions(&target, fs::Permissions::from_mode(0o750)).expect("permissions can be set");
    let link = folder.path().join("link.py");
    symlink("real/scan.py", &link).expect("links can be made");
    let fixed = run(folder.path(), &["check", "--fix", "--unsafe-fixes", "link.py"]);
    assert_eq!(fixed.status, 0, "{}", fixed.stderr);
    assert!(text(folder.path(), "real/scan.py").contains(SCAN_FIXED));
    let kind = fs::symlink_metadata(&link).expect("the link is there").file_type();
    assert!(kind.is_symlink());
    let mode = fs::metadata(&target).expect("the file is there").permissions().mode();
    assert_eq!(mode & 0o777, 0o750);

    let locked = write(folder.path(), "locked.py", SCAN);
    fs::set_permissions(&locked, fs::Permissions::from_mode(0o444)).expect("permissions can be set");
    let refused = run(
        folder.path(),
        &["check", "--fix", "--unsafe-fixes", "--format", "concise", "locked.py"],
    );
    assert_eq!(refused.status, 2);
    assert!(
        refused
            .stderr
            .starts_with("ctxlint: locked.py: the fix is not written: the file is read-only")
    );
    assert!(
        refused.stderr.ends_with("ctxlint: fixed 0 findings in 0 files\n"),
        "{}",
        refused.stderr
    );
    assert!(
        refused.stdout.starts_with("locked.py:5:13: error head-scan-attach"),
        "{}",
        refused.stdout
    );
    assert_eq!(text(folder.path(), "locked.py"), SCAN);
    let left: Vec<_> = fs::read_dir(folder.path()).expect("the folder can be read").collect();
    assert_eq!(left.len(), 3, "nothing is left beside the files");
}

#[test]
fn a_file_that_cannot_be_parsed_is_left_alone() {
    let folder = folder();
    let broken = format!("{SCAN}\n\ndef half(:\n");
    write(folder.path(), "scan.py", &broken);
    let fixed = run(folder.path(), &["check", "--fix", "--unsafe-fixes"]);
    assert_eq!(fixed.status, 1);
    assert_eq!(text(folder.path(), "scan.py"), broken);
}

#[test]
fn a_fix_may_stand_in_another_file_than_its_finding() {
    let folder = folder();
    write(
        folder.path(),
        "clock.py",
        "from datetime import datetime\n\n\ndef clock():\n    return datetime.now().isoformat()\n",
    );
    let agent = "\
from langgraph.graph import MessagesState

from clock import clock


def answer(state: MessagesState, model):
    system = {\"role\": \"system\", \"content\": \"It is \" + clock()}
    return {\"messages\": [model.invoke([system, *state[\"messages\"]])]}
";
    write(folder.path(), "agent.py", agent);
    let fixed = run(
        folder.path(),
        &["check", "--fix", "--unsafe-fixes", "--format", "concise"],
    );
    assert!(text(folder.path(), "clock.py").ends_with("return datetime.now().date().isoformat()\n"));
    assert_eq!(text(folder.path(), "agent.py"), agent);
    assert!(
        fixed.stdout.starts_with("agent.py:7:55: info volatile-prefix"),
        "{}",
        fixed.stdout
    );
}
