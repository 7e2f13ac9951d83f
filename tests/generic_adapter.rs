//! Home-made logs, read as a project's configuration tells.

mod support;

use std::path::Path;

use serde_json::Value;
use support::{Run, folder, repository, run, write};

/// A lending library writes down what is said at its desk.
const CONFIG: &str = r#"
[[transcripts.adapter]]
name = "desk-log"
files = ["logs/", "*.desk.jsonl"]
role = "/msg/who"
content = "/msg/text"
id = "/msg/id"
calls = "/msg/calls"
result = "/msg/answers"
session = "/day"
[transcripts.adapter.roles]
user = ["visitor"]
assistant = ["desk"]
tool = ["shelf"]

[[transcripts.adapter]]
name = "desk-states"
files = ["*.states.jsonl"]
role = "/role"
content = "/said/0"
id = "/id"
session = "/day"
messages = "/state/messages"

[[transcripts.adapter]]
name = "bare-log"
role = "/role"
content = "/content"
calls = "/asks"
call-id = ""
result = "/answers"

[transcripts.markers.injected]
tags = ["shelf-note"]
"#;

const MIXED: &str = r#"{"day": "mon", "msg": {"who": "system", "id": "s", "text": "You lend books."}}
{"day": "tue", "msg": {"who": "visitor", "id": 1, "text": "When do you open?"}}
{"day": "mon", "msg": {"who": "visitor", "id": 1, "text": [{"type": "text", "text": "Is the atlas in?"}]}}
{"day": "mon", "msg": {"who": "desk", "id": 2, "text": null, "calls": [{"id": 71, "name": "look_up"}]}}
{"day": "tue", "msg": {"who": "desk", "id": 2, "text": "At nine."}}
{"day": "mon", "msg": {"who": "shelf", "id": 3, "text": "Two copies.", "answers": 71}, "weather": "rain"}
{"day": "mon", "msg": {"who": "assistant", "id": 4, "text": "It is."}}
"#;

fn audit(folder: &Path, more: &[&str]) -> Run {
    run(folder, &[&["audit", "--format", "concise"], more].concat())
}

/// The document of `replay --format json`.
fn replay(folder: &Path, more: &[&str]) -> Value {
    let run = run(folder, &[&["replay", "--format", "json"], more].concat());
    assert_eq!((run.status, run.stderr.as_str()), (0, ""));
    serde_json::from_str(&run.stdout).expect("it is JSON")
}

/// `line id kind pairs text` of every message at the end of a session.
fn messages(session: &Value) -> Vec<String> {
    let list = session["messages"].as_array().expect("a list of messages");
    let field = |message: &Value, key: &str| message[key].as_str().unwrap_or("-").to_owned();
    list.iter()
        .map(|message| {
            let pairs: Vec<&str> = message["pairs"]
                .as_array()
                .expect("a list")
                .iter()
                .filter_map(Value::as_str)
                .collect();
            format!(
                "{} {} {} [{}] {}",
                message["line"],
                field(message, "id"),
                field(message, "kind"),
                pairs.join(" "),
                field(message, "text")
            )
        })
        .collect()
}

#[test]
fn sessions_that_are_mixed_are_followed_one_by_one() {
    let folder = folder();
    write(folder.path(), "ctxlint.toml", CONFIG);
    write(folder.path(), "logs/week.jsonl", MIXED);
    let document = replay(folder.path(), &["logs/week.jsonl"]);
    assert_eq!(
        (&document["format"], &document["form"], &document["understood"]),
        (&"generic".into(), &"home-made log with ids".into(), &7.into())
    );
    let sessions = document["sessions"].as_array().expect("a list");
    let ids: Vec<_> = sessions.iter().map(|session| &session["id"]).collect();
    assert_eq!(ids, ["mon", "tue"]);
    assert_eq!(
        messages(&sessions[0]),
        [
            "1 s system [] You lend books.",
            "3 1 authored [] Is the atlas in?",
            "4 2 tool_call [71] calls 71",
            "6 3 tool_result [71] Two copies.",
            "7 4 assistant [] It is.",
        ]
    );
    assert_eq!(
        messages(&sessions[1]),
        ["2 1 authored [] When do you open?", "5 2 assistant [] At nine."]
    );
    let audit = audit(folder.path(), &[]);
    assert_eq!((audit.status, audit.stdout.as_str()), (0, ""));
}

#[test]
fn findings_stand_at_the_line_of_their_record() {
    let folder = folder();
    write(folder.path(), "ctxlint.toml", CONFIG);
    let without_result: Vec<&str> = MIXED.lines().filter(|line| !line.contains("shelf")).collect();
    write(folder.path(), "logs/split.jsonl", without_result.join("\n"));
    let twice = format!("{MIXED}{}\n", MIXED.lines().last().expect("there is a last line"));
    write(folder.path(), "logs/twice.jsonl", twice);
    let audit = audit(folder.path(), &["logs"]);
    let found: Vec<&str> = audit.stdout.lines().collect();
    assert_eq!(audit.status, 1, "{audit:?}");
    assert_eq!(found.len(), 2, "{found:?}");
    assert!(
        found[0].starts_with("logs/split.jsonl:6:1: error split-tool-pair"),
        "{found:?}"
    );
    assert!(
        found[1].starts_with("logs/twice.jsonl:8:1: ") && found[1].contains("duplicate-message"),
        "{found:?}"
    );
}

#[test]
fn a_record_can_hold_the_whole_list() {
    let message =
        |id: &str, role: &str, text: &str| serde_json::json!({"id": id, "role": role, "said": [text], "at": "9:15"});
    let question = message("q1", "user", "Is the atlas in?");
    let answer = message("a1", "assistant", "It is.");
    let other = message("q2", "human", "Please keep it for me.");
    let kept = message("a2", "ai", "Kept.");
    let lists = [
        vec![&question],
        vec![&question, &answer],
        vec![&question, &answer, &other],
        vec![&other, &question, &answer, &kept],
    ];
    let record = |list: &Vec<&Value>| format!("{}\n", serde_json::json!({"day": 1, "state": {"messages": list}}));
    let folder = folder();
    write(folder.path(), "ctxlint.toml", CONFIG);
    write(
        folder.path(),
        "a.states.jsonl",
        lists.iter().map(record).collect::<String>(),
    );
    let run = run(folder.path(), &["audit", "--format", "json"]);
    let report: Value = serde_json::from_str(&run.stdout).expect("it is JSON");
    let found = &report["findings"][0];
    assert_eq!(run.status, 1);
    assert_eq!(report["findings"].as_array().map(Vec::len), Some(1), "{report}");
    assert_eq!(
        (&found["rule"], &found["also"][0], &found["start"]["line"]),
        (&"reordered-history".into(), &"displaced-question".into(), &4.into())
    );
    let document = replay(folder.path(), &["a.states.jsonl"]);
    assert_eq!(document["form"], "home-made states");
    assert_eq!(document["sessions"][0]["id"], "1");
}

#[test]
fn what_nobody_told_is_counted_and_named() {
    let records = [
        r#"{"role": "user", "content": "Is the atlas in?", "extra": {"deep": [1]}}"#,
        r#"{"role": "robot", "content": "beep"}"#,
        r#"{"role": "robot", "content": "beep"}"#,
        r#"{"role": 3, "content": "beep"}"#,
        r#"{"role": ["user"], "content": "beep"}"#,
        r#"{"role": null, "content": "beep"}"#,
        r#"{"content": "beep"}"#,
        r#"["user", "beep"]"#,
        "7",
        r#"{"role": "assistant", "asks": "c1"}"#,
        r#"{"role": "tool", "content": {"copies": 2}, "answers": ["c1", null, {}]}"#,
        r#"{"role": "AIMessage", "content": [null, 3, {"type": "text"}, "It is."]}"#,
        "{\"role\": \"user\", ",
    ];
    let folder = folder();
    write(folder.path(), "ctxlint.toml", CONFIG);
    write(folder.path(), "drift.jsonl", records.join("\n"));
    let run = run(folder.path(), &["audit", "--input-format", "bare-log", "drift.jsonl"]);
    for expected in [
        "generic, 13 records = 4 understood + 0 ignored by design + 8 unknown + 1 malformed",
        "a role that is no text (1)",
        "no role (4)",
        "role \"3\" (1)",
        "role \"robot\" (2)",
        "drift.jsonl:13",
    ] {
        assert!(run.stdout.contains(expected), "{expected}: {}", run.stdout);
    }
    let document = replay(folder.path(), &["--input-format", "bare-log", "drift.jsonl"]);
    assert_eq!(
        messages(&document["sessions"][0]),
        [
            "1 - authored [] Is the atlas in?",
            "10 - tool_call [c1] calls c1",
            "11 - tool_result [c1] (no text)",
            "12 - assistant [] It is.",
        ]
    );
}

#[test]
fn a_list_with_something_unknown_in_it_is_followed_and_told() {
    let folder = folder();
    write(folder.path(), "ctxlint.toml", CONFIG);
    let records = [
        r#"{"state": {"messages": [{"role": "user", "said": ["Hello"]}, {"role": "bell"}, {"role": "ai"}]}}"#,
        r#"{"state": {"messages": null}}"#,
        r#"{"state": {}}"#,
    ];
    write(folder.path(), "a.states.jsonl", records.join("\n"));
    let run = run(folder.path(), &["audit", "a.states.jsonl"]);
    assert!(
        run.stdout
            .contains("unknown: no list of messages (2), role \"bell\" (1)"),
        "{run:?}"
    );
    let document = replay(folder.path(), &["a.states.jsonl"]);
    assert_eq!(messages(&document["sessions"][0]).len(), 2);
}

#[test]
fn the_flag_wins_over_the_patterns_and_the_patterns_over_the_content() {
    let chat = "{\"role\": \"user\", \"content\": \"Is the atlas in?\"}\n";
    let folder = folder();
    write(folder.path(), "chat.jsonl", chat);
    write(folder.path(), "logs/chat.jsonl", chat);
    let read = |more: &[&str]| {
        let document = replay(folder.path(), more);
        (document["form"].clone(), document["understood"].clone())
    };
    let listed = |folder: &Path| run(folder, &["audit", "--show-files"]).stdout;
    let before = listed(folder.path());
    assert_eq!(read(&["logs/chat.jsonl"]), ("chat messages".into(), 1.into()));
    write(folder.path(), "ctxlint.toml", CONFIG);
    assert_eq!(read(&["chat.jsonl"]), ("chat messages".into(), 1.into()));
    assert_eq!(read(&["logs/chat.jsonl"]), ("home-made log with ids".into(), 0.into()));
    assert_eq!(
        read(&["logs/chat.jsonl", "--input-format", "openai-chat"]),
        ("chat messages".into(), 1.into())
    );
    assert_eq!(
        read(&["logs/chat.jsonl", "--input-format", "bare-log"]),
        ("home-made log".into(), 1.into())
    );
    assert_eq!(
        read(&["logs/chat.jsonl", "--isolated"]),
        ("chat messages".into(), 1.into())
    );
    assert_eq!(listed(folder.path()), before);
    for command in ["audit", "replay"] {
        let run = run(folder.path(), &[command, "--input-format", "desk", "chat.jsonl"]);
        let known = ctxlint::transcript::input_formats().join(", ");
        let told = format!(
            "ctxlint: --input-format: no input format is called `desk`\nctxlint:   help: known are {known}, desk-log, \
             desk-states, bare-log\n"
        );
        assert_eq!((run.status, run.stderr.as_str()), (2, told.as_str()));
    }
}

#[test]
fn marks_of_the_project_hold_in_its_own_logs() {
    let folder = folder();
    let records = [
        r#"{"day": 1, "msg": {"who": "visitor", "id": "u1", "text": "Is the atlas in?"}}"#,
        r#"{"day": 1, "msg": {"who": "visitor", "id": "n1", "text": "[shelf-note] Two copies stand in row 4."}}"#,
        r#"{"day": 1, "msg": {"who": "desk", "id": "a1", "text": "It is."}}"#,
    ];
    write(folder.path(), "day.desk.jsonl", records.join("\n"));
    let kind = |config: &str| {
        write(folder.path(), "ctxlint.toml", config);
        replay(folder.path(), &["day.desk.jsonl"])["sessions"][0]["messages"][1]["kind"].clone()
    };
    let (without, _) = CONFIG.split_once("[transcripts.markers").expect("the marks stand last");
    assert_eq!((kind(without), kind(CONFIG)), ("authored".into(), "injected".into()));
}

#[test]
fn the_documentation_shows_every_key_of_an_adapter() {
    let page = std::fs::read_to_string(repository().join("docs/configuration.md")).expect("the page is there");
    let (_, section) = page.split_once("## Home-made logs\n").expect("it has the section");
    let (_, rest) = section.split_once("```toml\n").expect("it shows an adapter");
    let (example, _) = rest.split_once("```").expect("the fence is closed");
    let shown: toml::Table = example.replace("# messages", "messages").parse().expect("it is TOML");
    let shown = shown["transcripts"]["adapter"][0].as_table().expect("an adapter");
    let schema = std::fs::read_to_string(repository().join("docs/ctxlint.schema.json")).expect("it is there");
    let schema: Value = serde_json::from_str(&schema).expect("it is JSON");
    let keys = schema["$defs"]["AdapterTable"]["properties"]
        .as_object()
        .expect("the keys of an adapter");
    let missing: Vec<&String> = keys.keys().filter(|key| !shown.contains_key(*key)).collect();
    assert_eq!(missing, [""; 0]);
    let folder = folder();
    write(folder.path(), "ctxlint.toml", example);
    let record = r#"{"run": "r1", "msg": {"who": "customer", "id": "u1", "text": "Is the atlas in?"}}"#;
    write(folder.path(), "logs/day.json", record);
    let document = replay(folder.path(), &["logs/day.json"]);
    assert_eq!(
        messages(&document["sessions"][0]),
        ["1 u1 authored [] Is the atlas in?"]
    );
}
