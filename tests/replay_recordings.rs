//! The history of a recorded run, step by step.

mod support;

use std::path::PathBuf;

use ctxlint::transcript::{ReplayFormat, ReplayOptions, replay};
use serde_json::{Value, json};
use support::{folder, repository, run, snapshot, write};

fn recording(name: &str) -> PathBuf {
    repository().join("tests/fixtures/transcripts").join(name)
}

fn shown(path: PathBuf, turn: Option<u32>, format: ReplayFormat, color: bool) -> String {
    let options = ReplayOptions {
        markers: ctxlint::transcript::Markers::default(),
        adapters: ctxlint::transcript::Adapters::default(),
        path,
        input_format: None,
        turn,
        format,
        width: 80,
        color,
    };
    let mut out = Vec::new();
    let replayed = replay(&options, &mut out).expect("a vector takes every write");
    replayed.expect("the recording can be replayed");
    String::from_utf8(out).expect("a replay is UTF-8")
}

#[test]
fn a_message_that_comes_back_under_another_id_is_drawn_as_a_move() {
    let arguments = ["replay", "--turn", "7", "idswap_head/stream.updates_with_input.jsonl"];
    let run = run(&recording(""), &arguments);
    assert_eq!((run.status, run.stderr.as_str()), (0, ""));
    snapshot("replay_id_swap", &run.stdout);
}

#[test]
fn a_cut_shows_what_is_gone() {
    let arguments = ["replay", "--turn", "2", "blind_cut/state_history.json"];
    let run = run(&recording(""), &arguments);
    assert_eq!((run.status, run.stderr.as_str()), (0, ""));
    snapshot("replay_blind_cut", &run.stdout);
}

#[test]
fn messages_that_swap_their_places_are_drawn_with_an_arrow() {
    let folder = folder();
    let message = |id: &str| json!({"type": "human", "id": id, "content": format!("message {id}")});
    let state = |ids: &[&str]| json!({"messages": ids.iter().map(|id| message(id)).collect::<Vec<_>>()}).to_string();
    let text = format!("{}\n{}\n", state(&["a", "b", "c", "d"]), state(&["b", "c", "d", "a"]));
    let path = write(folder.path(), "moved.jsonl", text);
    let shown = shown(path, None, ReplayFormat::Human, false);
    let step: Vec<&str> = shown
        .lines()
        .skip_while(|line| !line.contains("step 2"))
        .skip(1)
        .take(5)
        .collect();
    assert_eq!(
        step,
        [
            "╭────         user                  message a  was here",
            "│       1     user      b           message b",
            "│       2     user      c           message c",
            "│       3     user      d           message d  ◀ what was asked",
            "╰───▶   4 ^   user      a           message a  ◀ taken for the question",
        ]
    );
}

#[test]
fn no_line_is_wider_than_eighty_columns_and_colour_is_asked_for() {
    for name in [
        "idswap_head/stream.values.jsonl",
        "plan_persisted/state_history.json",
        "js/stateHistory.json",
    ] {
        let text = shown(recording(name), None, ReplayFormat::Human, false);
        let header = 1;
        for line in text.lines().skip(header) {
            assert!(line.chars().count() <= 80, "{name}: {line}");
            assert!(!line.contains('\u{1b}'), "{name}: {line}");
        }
    }
    let in_colour = |color| {
        let recording = recording("blind_cut/stream.values.jsonl");
        shown(recording, Some(2), ReplayFormat::Human, color)
    };
    let (plain, colored) = (in_colour(false), in_colour(true));
    assert!(colored.contains("\u{1b}[1;38;5;27muser"), "{colored}");
    let codes = regex::Regex::new("\u{1b}\\[[0-9;]*m").expect("a literal pattern");
    assert_eq!(codes.replace_all(&colored, ""), plain);
}

#[test]
fn the_json_form_tells_each_step_and_the_end() {
    let text = shown(
        recording("idswap_head/stream.multi.jsonl"),
        Some(7),
        ReplayFormat::Json,
        false,
    );
    let document: Value = serde_json::from_str(&text).expect("one JSON document");
    assert_eq!(
        (&document["version"], &document["format"], &document["records"]),
        (&json!(1), &json!("langgraph"), &json!(29))
    );
    let session = &document["sessions"][0];
    assert_eq!(session["turns"], 7);
    let ids = |list: &Value| -> Vec<Value> {
        list.as_array()
            .into_iter()
            .flatten()
            .map(|message| message["id"].clone())
            .collect()
    };
    assert_eq!(ids(&session["messages"]).len(), 15);
    let swap = session["steps"]
        .as_array()
        .into_iter()
        .flatten()
        .find(|step| !step["replaced"].as_array().is_none_or(Vec::is_empty))
        .expect("a step replaces the first message");
    assert_eq!(swap["nodes"], json!(["IdSwapReminder.before_agent"]));
    assert_eq!(
        (ids(&swap["replaced"]), ids(&swap["inserted"])),
        (vec![json!("u1")], vec![json!("u1__user")])
    );
    assert_eq!(swap["replaced"][0]["was"]["text"], "make me a product intro video");
    assert_eq!((&swap["current"], &swap["taken_for_current"]), (&json!(13), &json!(14)));
}

#[test]
fn what_cannot_be_replayed_is_said() {
    let folder = folder();
    let status = |name: &str, content: &str| {
        write(folder.path(), name, content);
        let run = run(folder.path(), &["replay", name]);
        (run.status, run.stderr)
    };
    assert_eq!(status("notes.txt", "hello").0, 3);
    assert_eq!(run(folder.path(), &["replay", "missing.jsonl"]).status, 2);
    let (refused, reason) = status("buffer.txt", "Human: hi\nAI: hello\n");
    assert_eq!(refused, 3);
    assert!(reason.contains("buffer text cannot be replayed"), "{reason}");
}
