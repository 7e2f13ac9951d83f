//! Finding, choosing and naming sessions.

mod support;

use std::path::Path;

use serde_json::{Value, json};
use support::{command, folder, run, write};

/// A rollout of one session: a question, and a call whose result is a call of nobody.
fn rollout(id: &str, project: &str, time: &str) -> String {
    let line = |kind: &str, payload: Value| json!({"timestamp": time, "type": kind, "payload": payload}).to_string();
    let question =
        json!({"type": "message", "role": "user", "content": [{"type": "input_text", "text": "which tests fail?"}]});
    [
        line("session_meta", json!({"id": id, "cwd": project, "timestamp": time})),
        line("response_item", question),
        line(
            "response_item",
            json!({"type": "function_call_output", "call_id": "c1", "output": "none"}),
        ),
        line("event_msg", json!({"type": "later_event"})),
    ]
    .join("\n")
}

/// Two sessions of one project and one of another.
fn sessions() -> tempfile::TempDir {
    let folder = folder();
    write(
        folder.path(),
        "a.jsonl",
        rollout("aaaa-1", "/srv/shop", "2026-03-01T08:00:00Z"),
    );
    write(
        folder.path(),
        "b.jsonl",
        rollout("bbbb-2", "/srv/shop/web", "2026-03-02T08:00:00Z"),
    );
    write(
        folder.path(),
        "c.jsonl",
        rollout("cccc-3", "/srv/shopping", "2026-03-03T08:00:00Z"),
    );
    folder
}

/// The ids of the sessions that are reported, and those that findings name.
fn reported(folder: &Path, arguments: &[&str]) -> (i32, Vec<String>, Vec<String>) {
    let mut all = vec!["audit", "--isolated", "--format", "json"];
    all.extend(arguments);
    let run = run(folder, &all);
    let document: Value = serde_json::from_str(&run.stdout).expect("the document is JSON");
    let files = document["files"].as_array().expect("files is a list").iter();
    let text = |value: &Value| value.as_str().expect("an id is a text").to_owned();
    let sessions = files.flat_map(|file| file["sessions"].as_array().expect("sessions is a list").clone());
    let findings = document["findings"].as_array().expect("findings is a list").iter();
    (
        run.status,
        sessions.map(|session| text(&session["id"])).collect(),
        findings.map(|finding| text(&finding["session"])).collect(),
    )
}

#[test]
fn sessions_are_chosen_by_id_time_and_project() {
    let folder = sessions();
    let chosen = |arguments: &[&str]| {
        let (status, sessions, findings) = reported(folder.path(), arguments);
        assert_eq!(sessions, findings, "each session has one finding");
        assert_eq!(status, 1);
        sessions
    };
    assert_eq!(chosen(&[]), ["aaaa-1", "bbbb-2", "cccc-3"]);
    assert_eq!(chosen(&["--session", "bbbb"]), ["bbbb-2"]);
    assert_eq!(
        chosen(&["--session", "cccc-3", "--session", "aaaa"]),
        ["aaaa-1", "cccc-3"]
    );
    assert_eq!(chosen(&["--since", "2026-03-02"]), ["bbbb-2", "cccc-3"]);
    assert_eq!(chosen(&["--since", "2026-03-02T08:00:01Z"]), ["cccc-3"]);
    assert_eq!(chosen(&["--last", "1"]), ["cccc-3"]);
    assert_eq!(chosen(&["--last", "7"]), ["aaaa-1", "bbbb-2", "cccc-3"]);
    assert_eq!(
        chosen(&["--project", "/srv/shop"]),
        ["aaaa-1", "bbbb-2"],
        "a folder, not the beginning of its name"
    );
    assert_eq!(chosen(&["--project", "/srv/shop", "--last", "1"]), ["bbbb-2"]);
}

#[test]
fn no_session_of_those_is_said_and_is_not_clean() {
    let folder = sessions();
    let run = run(folder.path(), &["audit", "--isolated", "--session", "zzzz"]);
    let told = "ctxlint: --session, --since, --last, --project: none of the 3 sessions that were read is one of those\n\
                ctxlint:   help: see which there are with --coverage\n";
    assert_eq!((run.status, run.stdout.as_str(), run.stderr.as_str()), (3, "", told));
    let when = support::run(folder.path(), &["audit", "--since", "soon"]);
    assert_eq!(when.status, 2);
    assert!(
        when.stderr.contains("give 90m, 12h, 7d or 2w for as long ago"),
        "{}",
        when.stderr
    );
}

#[test]
fn coverage_says_what_became_of_every_record() {
    let folder = sessions();
    let run = run(folder.path(), &["audit", "--isolated", "--coverage", "a.jsonl"]);
    let table = "a.jsonl: codex, 4 records = 2 understood + 1 ignored by design + 1 unknown + 0 malformed\n          \
                 2 understood\n          1 ignored by design says nothing about messages\n          1 unknown           \
                 event_msg later_event\n  session aaaa-1, last at 2026-03-01 08:00 UTC, in /srv/shop\n";
    assert!(run.stdout.contains(table), "{}", run.stdout);
}

#[test]
fn findings_of_one_session_stand_together() {
    let folder = folder();
    let line = |session: &str, n: usize| {
        let message =
            json!({"role": "tool", "id": n, "text": format!("{n}"), "of": format!("c{n}"), "session": session});
        let question =
            json!({"role": "user", "id": format!("q{n}"), "text": format!("question {n}"), "session": session});
        format!("{question}\n{message}\n")
    };
    write(
        folder.path(),
        "desk.jsonl",
        line("one", 1) + &line("two", 2) + &line("one", 3) + &line("two", 4),
    );
    let adapter = "[[transcripts.adapter]]\nname = \"desk\"\nfiles = [\"desk.jsonl\"]\nrole = \"/role\"\n\
                   content = \"/text\"\nid = \"/id\"\nresult = \"/of\"\nsession = \"/session\"\n";
    write(folder.path(), "ctxlint.toml", adapter);
    let run = run(folder.path(), &["audit"]);
    let heads: Vec<&str> = run.stdout.lines().filter(|line| line.starts_with("session ")).collect();
    assert_eq!(
        heads,
        [
            "session one of desk.jsonl: 2 findings",
            "session two of desk.jsonl: 2 findings"
        ]
    );
}

#[test]
fn the_users_own_stores_are_found() {
    let home = folder();
    let text = rollout("aaaa-1", "/srv/shop", "2026-03-01T08:00:00Z");
    write(home.path(), ".codex/sessions/2026/03/01/rollout-1.jsonl", &text);
    write(home.path(), "elsewhere/sessions/rollout-2.jsonl", &text);
    let audit = |variable: Option<&str>, arguments: &[&str]| {
        let mut command = command(home.path());
        command
            .env("HOME", home.path())
            .env_remove("XDG_DATA_HOME")
            .env_remove("CODEX_HOME");
        if let Some(place) = variable {
            command.env("CODEX_HOME", home.path().join(place));
        }
        let output = command
            .args(["audit", "--isolated", "--show-files"])
            .args(arguments)
            .output();
        let output = output.expect("the binary of this package starts");
        let text = |bytes: Vec<u8>| {
            let text = String::from_utf8(bytes).expect("output is UTF-8");
            text.replace(home.path().to_str().expect("the folder has a plain name"), "~")
        };
        (output.status.code(), text(output.stdout), text(output.stderr))
    };
    let found = (
        Some(0),
        "~/.codex/sessions/2026/03/01/rollout-1.jsonl\n".to_owned(),
        String::new(),
    );
    assert_eq!(audit(None, &["--discover"]), found);
    assert_eq!(audit(None, &["--discover", "codex"]), found);
    let moved = "~/elsewhere/sessions/rollout-2.jsonl\n".to_owned();
    assert_eq!(audit(Some("elsewhere"), &["--discover", "codex"]).1, moved);
    let (status, stdout, stderr) = audit(None, &["--discover", "claude-code"]);
    assert_eq!((status, stdout.as_str()), (Some(3), ""));
    assert_eq!(
        stderr,
        "ctxlint: --discover: no sessions of yours are in ~/.claude/projects, ~/.config/claude/projects\n"
    );
    assert_eq!(audit(None, &["--discover", "abacus"]).0, Some(2));
}
