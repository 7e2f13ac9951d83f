//! What is known already: baselines, ignore comments that the program writes, and lines that did not change.

mod support;

use std::path::Path;
use std::process::Command;

use support::{folder, run, write};

/// Two findings that look alike, and one of another rule.
const AGENT: &str = "\
from datetime import datetime

from langchain.agents.middleware import AgentMiddleware
from langchain_core.messages import HumanMessage


class Desk(AgentMiddleware):
    def before_model(self, state, runtime):
        return {\"messages\": [HumanMessage(f\"It is {datetime.now()}.\")]}


class Bench(AgentMiddleware):
    def before_model(self, state, runtime):
        return {\"messages\": [HumanMessage(f\"It is {datetime.now()}.\")]}


def recent(messages: list[HumanMessage]):
    return messages[-20:]
";

fn project() -> tempfile::TempDir {
    let folder = folder();
    write(folder.path(), "desk/agent.py", AGENT);
    write(folder.path(), "ctxlint.toml", "baseline = \"known.json\"\n");
    let written = run(folder.path(), &["check", "--write-baseline"]);
    assert_eq!((written.status, written.stdout.as_str()), (0, ""), "{}", written.stderr);
    folder
}

/// Status, findings and talk of a run.
fn check(folder: &Path, more: &[&str]) -> (i32, Vec<String>, String) {
    let mut arguments = vec!["check", "--format", "concise"];
    arguments.extend(more);
    let run = run(folder, &arguments);
    let findings = run.stdout.lines().map(|line| {
        let mut words = line.split(' ');
        let place = words.next().unwrap_or_default().trim_end_matches(':');
        let rule = words.nth(1).unwrap_or_default().trim_end_matches(':');
        format!("{place} {rule}")
    });
    (run.status, findings.collect(), run.stderr)
}

const KNOWN: &str = "ctxlint: 3 findings known from known.json\n";

#[test]
fn what_is_in_the_baseline_is_not_reported() {
    let project = project();
    assert_eq!(check(project.path(), &[]), (0, vec![], KNOWN.to_owned()));
    let all = check(project.path(), &["--isolated"]);
    assert_eq!(
        all.1,
        [
            "desk/agent.py:9:30 persisted-state",
            "desk/agent.py:14:30 persisted-state",
            "desk/agent.py:18:12 mid-turn-cut"
        ]
    );
    // An ignore comment is no part of it: the finding is gone whether or not there is a baseline.
    let ignored = AGENT.replace("[-20:]", "[-20:]  # ctxlint: ignore[mid-turn-cut] few");
    write(project.path(), "desk/agent.py", ignored);
    let written = run(project.path(), &["check", "--write-baseline"]);
    assert_eq!(written.stderr, "ctxlint: known.json: 2 findings (0 new, 1 taken out)\n");
}

#[test]
fn code_that_moves_stays_known_and_a_finding_whose_own_line_changes_does_not() {
    let project = project();
    let known = (0, vec![], KNOWN.to_owned());
    let moved = format!("{}\n{AGENT}", "# A line.\n".repeat(40));
    write(project.path(), "desk/agent.py", &moved);
    assert_eq!(check(project.path(), &[]), known, "moved by 40 lines");
    let renamed = AGENT
        .replace("runtime", "context")
        .replace("Bench", "Counter")
        .replace("recent", "newest");
    write(project.path(), "desk/agent.py", &renamed);
    assert_eq!(
        check(project.path(), &[]),
        known,
        "what is not on the lines of a finding is renamed"
    );
    let indented = AGENT.replace("    return messages", "    if messages:\n        return  messages");
    write(project.path(), "desk/agent.py", &indented);
    assert_eq!(check(project.path(), &[]), known, "indented");

    let edited = AGENT.replace("[-20:]", "[-40:]");
    write(project.path(), "desk/agent.py", &edited);
    let (status, findings, talk) = check(project.path(), &[]);
    assert_eq!(
        (status, findings),
        (1, vec!["desk/agent.py:18:12 mid-turn-cut".to_owned()])
    );
    assert_eq!(
        talk,
        "ctxlint: 2 findings known from known.json\n\
         ctxlint: known.json: 1 entry names nothing any more; --write-baseline takes it out\n\
         ctxlint:   desk/agent.py: mid-turn-cut\n"
    );

    // Another of the same kind is one more.
    let more = AGENT.replace(
        "\n\ndef recent",
        "\n\nclass Till(Desk):\n    def before_model(self, state, runtime):\n        \
                              return {\"messages\": [HumanMessage(f\"It is {datetime.now()}.\")]}\n\n\ndef recent",
    );
    write(project.path(), "desk/agent.py", &more);
    let (status, findings, _) = check(project.path(), &[]);
    assert_eq!(
        (status, findings),
        (1, vec!["desk/agent.py:19:30 persisted-state".to_owned()])
    );
}

#[test]
fn stale_entries_are_taken_out_and_what_was_not_looked_at_stays() {
    let project = project();
    write(project.path(), "other/agent.py", AGENT);
    let written = run(project.path(), &["check", "--write-baseline", "other"]);
    assert_eq!(written.stderr, "ctxlint: known.json: 6 findings (3 new, 0 taken out)\n");
    // A rule that did not run says nothing about its entries.
    write(project.path(), "other/agent.py", "");
    let some = run(
        project.path(),
        &["check", "--write-baseline", "--select", "mid-turn-cut"],
    );
    assert_eq!(some.stderr, "ctxlint: known.json: 5 findings (0 new, 1 taken out)\n");
    std::fs::remove_file(project.path().join("other/agent.py")).expect("it was written above");
    let (status, findings, talk) = check(project.path(), &["desk"]);
    assert_eq!((status, findings.len()), (0, 0));
    assert!(
        talk.contains("2 entries name nothing any more; --write-baseline takes them out"),
        "{talk}"
    );
    let rest = run(project.path(), &["check", "--write-baseline"]);
    assert_eq!(rest.stderr, "ctxlint: known.json: 3 findings (0 new, 2 taken out)\n");
    let text = std::fs::read_to_string(project.path().join("known.json")).expect("it is written");
    assert!(!text.contains("line"), "a baseline has no line numbers: {text}");
    assert_eq!(text.lines().count(), 5, "one finding a line: {text}");
}

#[test]
fn an_earlier_report_is_a_baseline() {
    let project = project();
    let report = run(project.path(), &["check", "--isolated", "--format", "json=report.json"]);
    assert_eq!(report.status, 1);
    let (status, findings, talk) = check(project.path(), &["--isolated", "--baseline", "report.json"]);
    assert_eq!(
        (status, findings.len(), talk.as_str()),
        (0, 0, "ctxlint: 3 findings known from report.json\n")
    );
    // From another folder too, as paths are told from the project.
    let desk = project.path().join("desk");
    let (status, findings, _) = check(&desk, &["agent.py", "--isolated", "--baseline", "../report.json"]);
    assert_eq!((status, findings.len()), (0, 0));
}

#[test]
fn a_baseline_that_is_none_is_an_error() {
    let project = project();
    let complaint = |text: &str| {
        write(project.path(), "broken.json", text);
        let run = run(project.path(), &["check", "--baseline", "broken.json"]);
        assert_eq!((run.status, run.stdout.as_str()), (2, ""));
        run.stderr
    };
    assert!(complaint("{\n\"version\": 1,\n]").starts_with("ctxlint: broken.json:3: this is no baseline: "));
    assert_eq!(
        complaint("{\"version\": 7, \"findings\": []}"),
        "ctxlint: broken.json: a baseline of version 7, where this ctxlint reads 1; make it anew with --write-baseline\n"
    );
    let missing = run(project.path(), &["check", "--baseline", "gone.json"]);
    assert_eq!(
        (missing.status, missing.stderr.as_str()),
        (
            2,
            "ctxlint: gone.json: there is no such baseline; --write-baseline makes it\n"
        )
    );
}

#[test]
fn ignore_comments_are_put_above_what_is_reported_and_hide_it() {
    let project = project();
    let arguments = ["--isolated", "--add-ignore", "known since spring"];
    let shown = run(
        project.path(),
        &["check", "--isolated", "--add-ignore", "known since spring", "--diff"],
    );
    assert_eq!(shown.status, 1);
    assert_eq!(
        std::fs::read_to_string(project.path().join("desk/agent.py")).expect("it is there"),
        AGENT
    );
    let (status, findings, talk) = check(project.path(), &arguments);
    assert_eq!(
        (status, findings.len(), talk.as_str()),
        (0, 0, "ctxlint: put 3 ignore comments in 1 file\n")
    );
    let text = std::fs::read_to_string(project.path().join("desk/agent.py")).expect("it is there");
    let comments: Vec<&str> = text.lines().filter(|line| line.contains("ctxlint")).collect();
    assert_eq!(
        comments,
        [
            "        # ctxlint: ignore[persisted-state] known since spring",
            "        # ctxlint: ignore[persisted-state] known since spring",
            "    # ctxlint: ignore[mid-turn-cut] known since spring"
        ]
    );
    let (status, findings, talk) = check(project.path(), &["--isolated"]);
    assert_eq!((status, findings.len(), talk.as_str()), (0, 0, ""));
}

#[test]
fn a_comment_that_would_be_text_is_not_written() {
    let folder = folder();
    let agent = "from datetime import datetime\n\nimport anthropic\n\n\ndef ask(client: anthropic.Anthropic, messages):\n    \
                 system = f\"\"\"You mind the desk.\nIt is {datetime.now()}.\"\"\"\n    \
                 return client.messages.create(model=\"m\", max_tokens=9, system=system, messages=messages)\n";
    write(folder.path(), "agent.py", agent);
    let (status, left, talk) = check(folder.path(), &["--add-ignore", "known"]);
    assert_eq!((status, left), (1, vec!["agent.py:8:8 volatile-prefix".to_owned()]));
    assert_eq!(
        talk,
        "ctxlint: agent.py:8: [volatile-prefix] is not ignored: the comment would leave the finding, or bring another\n\
         ctxlint: put 0 ignore comments in 0 files\n"
    );
    let after = std::fs::read_to_string(folder.path().join("agent.py")).expect("it is there");
    assert_eq!(after, agent);
}

/// Runs git in a folder, as nobody in particular.
fn git(folder: &Path, arguments: &[&str]) {
    let output = Command::new("git")
        .current_dir(folder)
        .args([
            "-c",
            "user.name=T",
            "-c",
            "user.email=t@example.org",
            "-c",
            "commit.gpgsign=false",
        ])
        .args(arguments)
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .output()
        .expect("git is there");
    assert!(
        output.status.success(),
        "{arguments:?}: {}",
        String::from_utf8_lossy(&output.stderr)
    );
}

#[test]
fn only_what_touches_added_lines_is_reported() {
    let project = folder();
    let at = project.path();
    write(at, "desk/agent.py", AGENT);
    git(at, &["init", "--quiet", "--initial-branch", "main"]);
    git(at, &["add", "."]);
    git(at, &["commit", "--quiet", "--message", "Begin"]);
    let nothing = check(at, &["--changed"]);
    assert_eq!(
        nothing,
        (
            0,
            vec![],
            "ctxlint: 3 findings on no line added since HEAD hidden\n".to_owned()
        )
    );
    git(at, &["switch", "--quiet", "--create", "topic"]);
    write(at, "desk/agent.py", AGENT.replace("[-20:]", "[-40:]"));
    let here = check(at, &["--changed"]);
    assert_eq!(
        (here.0, here.1),
        (1, vec!["desk/agent.py:18:12 mid-turn-cut".to_owned()])
    );
    git(at, &["commit", "--quiet", "--all", "--message", "Keep more"]);
    assert_eq!(check(at, &["--changed"]).1, [""; 0]);
    for since in ["--changed=main", "--changed=HEAD~1"] {
        assert_eq!(check(at, &[since]).1, ["desk/agent.py:18:12 mid-turn-cut"], "{since}");
    }
    // What came to main since is none of the topic's.
    git(at, &["switch", "--quiet", "main"]);
    write(at, "other.py", AGENT);
    git(at, &["add", "."]);
    git(at, &["commit", "--quiet", "--message", "Go on"]);
    git(at, &["switch", "--quiet", "topic"]);
    assert_eq!(
        check(at, &["--changed", "main"]).1,
        ["desk/agent.py:18:12 mid-turn-cut"]
    );
    // A file that git does not know yet is new as a whole; names may be unusual.
    write(at, "café 1/neu.py", AGENT);
    assert_eq!(check(at, &["--changed"]).1.len(), 3);
    git(at, &["add", "."]);
    assert_eq!(check(at, &["--changed"]).1.len(), 3);
    let wrong = |since: &str| {
        let (status, findings, talk) = check(at, &["--changed", since]);
        assert_eq!((status, findings.len()), (2, 0));
        talk
    };
    assert_eq!(
        wrong("nowhere"),
        "ctxlint: --changed: git knows no commit `nowhere`; fetch it first, or name a commit, branch or tag that is there\n"
    );
    assert_eq!(
        wrong("desk"),
        "ctxlint: --changed: git knows no commit `desk`; it is a path; write --changed=HEAD desk\n"
    );
    wrong("--output=stolen");
    assert!(!at.join("stolen").exists(), "a reference is no option");
    let inside = at.join("desk");
    assert_eq!(check(&inside, &["--changed=main"]).1, ["agent.py:18:12 mid-turn-cut"]);
}

#[test]
fn a_place_that_explains_a_finding_counts_as_touched() {
    let project = folder();
    let at = project.path();
    let agent = AGENT.replace("HumanMessage(f\"It is {datetime.now()}.\")", "note()");
    let agent = format!("{agent}\n\ndef note():\n    return HumanMessage(f\"It is {{datetime.now()}}.\")\n");
    write(at, "agent.py", agent.replace("now()}.", "now()}"));
    git(at, &["init", "--quiet"]);
    git(at, &["add", "."]);
    git(at, &["commit", "--quiet", "--message", "Begin"]);
    write(at, "agent.py", &agent);
    let (status, findings, _) = check(at, &["--changed"]);
    assert_eq!(status, 1);
    assert_eq!(
        findings,
        ["agent.py:9:16 persisted-state", "agent.py:14:16 persisted-state"]
    );
}
