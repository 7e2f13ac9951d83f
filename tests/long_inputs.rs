//! Records that somebody wrote to take quadratic time: long chains, one id again and again, reminders without end.
//!
//! No test here looks at a clock. Each input is so long that a pass over all of it for each of its records would be
//! billions of steps, for hours in a test build: the test ends because there is no such pass.

mod support;

use std::collections::BTreeMap;
use std::fmt::Write;

use serde_json::Value;
use support::{folder, run, write};

/// Records of each input, about.
const MANY: usize = 40_000;

/// Audits a text; findings by rule, and how many records were understood, ignored, unknown and malformed.
fn audit(format: &str, text: &str) -> (BTreeMap<String, usize>, [u64; 4]) {
    let folder = folder();
    write(folder.path(), "record.jsonl", text);
    let arguments = [
        "audit",
        "--isolated",
        "--input-format",
        format,
        "--format",
        "json",
        "record.jsonl",
    ];
    let run = run(folder.path(), &arguments);
    assert!(run.status < 2, "{}", run.stderr);
    let report: Value = serde_json::from_str(&run.stdout).expect("the report is JSON");
    let mut rules = BTreeMap::new();
    for finding in report["findings"].as_array().expect("there is a list of findings") {
        *rules
            .entry(finding["rule"].as_str().unwrap_or_default().to_owned())
            .or_default() += 1;
    }
    let coverage = &report["files"][0];
    let coverage = ["understood", "ignored", "unknown", "malformed"].map(|key| coverage[key].as_u64().unwrap_or(99));
    (rules, coverage)
}

/// The rules that were reported, and how often.
fn found<const N: usize>(rules: [(&str, usize); N]) -> BTreeMap<String, usize> {
    rules
        .into_iter()
        .map(|(rule, times)| (rule.to_owned(), times))
        .collect()
}

/// A text of so many records.
fn lines(many: usize, mut record: impl FnMut(usize, &mut String)) -> String {
    let mut text = String::new();
    for number in 0..many {
        record(number, &mut text);
        text.push('\n');
    }
    text
}

/// A line of Claude Code, for the last `{}` of which stands what is said.
fn linked(text: &mut String, id: &str, parent: Option<&str>, kind: &str, said: usize) {
    let parent = parent.map_or("null".to_owned(), |parent| format!("\"{parent}\""));
    let _ = write!(
        text,
        r#"{{"uuid":"{id}","parentUuid":{parent},"sessionId":"s","isSidechain":false,"type":"{kind}","message":{{"role":"{kind}","content":"word {said}"}}}}"#,
    );
}

#[test]
fn trees_of_any_shape_are_followed_once() {
    type Parent = fn(usize) -> Option<String>;
    let kind = |number: usize| if number.is_multiple_of(2) { "user" } else { "assistant" };
    let shapes: [(&str, Parent); 4] = [
        ("a chain", |number| {
            number.checked_sub(1).map(|before| format!("u{before}"))
        }),
        ("a comb", |number| match number {
            0 => None,
            number => Some(format!("u{}", (number - 1) / 2 * 2)),
        }),
        ("a star", |number| (number > 0).then(|| "u0".to_owned())),
        ("a ring", |number| Some(format!("u{}", (number + MANY - 1) % MANY))),
    ];
    for (name, parent) in shapes {
        let text = lines(MANY, |number, text| {
            linked(
                text,
                &format!("u{number}"),
                parent(number).as_deref(),
                kind(number),
                number,
            );
        });
        let (_, coverage) = audit("claude-code", &text);
        assert_eq!(coverage, [MANY as u64, 0, 0, 0], "{name}");
    }
}

#[test]
fn a_compaction_after_compactions_that_kept_everything_keeps_no_more() {
    let half = MANY / 4;
    let mut text = lines(half, |number, text| {
        let parent = number.checked_sub(1).map(|before| format!("u{before}"));
        linked(text, &format!("u{number}"), parent.as_deref(), "user", number);
    });
    let last = half - 1;
    text += &lines(half / 2, |number, text| {
        let _ = write!(
            text,
            r#"{{"uuid":"b{number}","parentUuid":null,"logicalParentUuid":"u{last}","sessionId":"s","isSidechain":false,"type":"system","subtype":"compact_boundary","compactMetadata":{{"trigger":"auto","preservedSegment":{{"headUuid":"u0","anchorUuid":"s{number}","tailUuid":"u{last}"}}}}}}"#
        );
        text.push('\n');
        linked(text, &format!("s{number}"), Some(&format!("b{number}")), "user", number);
    });
    let (rules, coverage) = audit("claude-code", &text);
    assert_eq!(coverage[3], 0);
    assert_eq!(
        rules.get("broken-chain"),
        Some(&1),
        "what is left out is told once: {rules:?}"
    );
}

#[test]
fn nobody_speaks_and_reminders_do_not_end() {
    type Said = fn(usize) -> (&'static str, String);
    let kinds: [(&str, Said); 6] = [
        ("results", |n| ("tool", format!("out {n}"))),
        ("system text", |n| ("system", format!("rule {n}"))),
        ("one reminder", |_| {
            ("user", "<system-reminder>the same</system-reminder>".into())
        }),
        ("a family", |n| {
            ("user", format!("<system-reminder>it is {n}</system-reminder>"))
        }),
        ("families", |n| ("user", format!("<note{n}>it is so</note{n}>"))),
        ("people", |n| ("user", format!("and {n}"))),
    ];
    for (name, said) in kinds {
        let text = lines(MANY, |number, text| {
            let (role, words) = said(number);
            let call = if role == "tool" { r#","tool_call_id":"c""# } else { "" };
            let _ = write!(text, r#"{{"role":"{role}","content":"{words}"{call}}}"#);
        });
        let (rules, coverage) = audit("openai-chat", &text);
        assert_eq!(coverage, [MANY as u64, 0, 0, 0], "{name}");
        // What is wrong with a family, or with a stretch of results, is told once.
        assert!(rules.values().all(|times| *times == 1), "{name}: {rules:?}");
    }
}

/// A question and an answer with so many calls, one line each.
fn many_calls(calls: usize) -> String {
    let calls = (0..calls)
        .map(|call| format!(r#"{{"id":"c{call}","type":"function","function":{{"name":"look","arguments":"{{}}"}}}}"#));
    format!(
        "{{\"role\":\"user\",\"content\":\"go\"}}\n{{\"role\":\"assistant\",\"content\":null,\"tool_calls\":[{}]}}\n",
        calls.collect::<Vec<_>>().join(",")
    )
}

#[test]
fn many_calls_of_one_message_meet_their_results() {
    let text = many_calls(MANY)
        + &lines(MANY, |call, text| {
            let _ = write!(
                text,
                r#"{{"role":"tool","tool_call_id":"c{call}","content":"out {call}"}}"#
            );
        });
    let (rules, coverage) = audit("openai-chat", &text);
    assert_eq!((rules, coverage), (found([]), [MANY as u64 + 2, 0, 0, 0]));
}

#[test]
fn a_message_with_a_million_calls_is_left_out_and_told() {
    let (rules, coverage) = audit("openai-chat", &many_calls(1_000_000));
    assert_eq!((rules, coverage), (found([("malformed-record", 1)]), [1, 0, 0, 1]));
}

#[test]
fn halves_of_pairs_are_told_once_a_stretch() {
    let calls = lines(MANY, |call, text| {
        let _ = write!(
            text,
            r#"{{"role":"assistant","content":"on {call}","tool_calls":[{{"id":"c{call}","type":"function","function":{{"name":"look","arguments":"{{}}"}}}}]}}"#
        );
    });
    // Calls that nothing came behind may still be answered.
    assert_eq!(audit("openai-chat", &calls), (found([]), [MANY as u64, 0, 0, 0]));
    let results = lines(MANY, |call, text| {
        let _ = write!(
            text,
            r#"{{"role":"tool","tool_call_id":"c{call}","content":"out {call}"}}"#
        );
    });
    let (rules, _) = audit("openai-chat", &results);
    assert_eq!(rules, found([("split-tool-pair", 1)]));
}

/// An update of a node with one message.
fn update(text: &mut String, node: &str, kind: &str, id: &str, said: &str) {
    let _ = write!(
        text,
        r#"{{"{node}":{{"messages":[{{"type":"{kind}","id":"{id}","content":"{said}"}}]}}}}"#
    );
}

#[test]
fn one_id_is_edited_again_and_again() {
    // A long history, and then one message of it with another content each time.
    let mut text = lines(MANY / 2, |number, text| {
        if number.is_multiple_of(2) {
            update(
                text,
                "__input__",
                "human",
                &format!("m{number}"),
                &format!("ask {number}"),
            );
        } else {
            update(text, "model", "ai", &format!("m{number}"), &format!("say {number}"));
        }
    });
    text += &lines(MANY / 2, |number, text| {
        update(text, "model", "ai", "m1", &format!("edit {number}"))
    });
    assert_eq!(audit("langgraph", &text), (found([]), [MANY as u64, 0, 0, 0]));

    // A reminder under one id at each turn.
    let text = lines(MANY, |number, text| match number % 3 {
        0 => update(
            text,
            "__input__",
            "human",
            &format!("q{number}"),
            &format!("ask {number}"),
        ),
        1 => update(text, "notes", "human", "note", &format!("<note>it is {number}</note>")),
        _ => update(text, "model", "ai", &format!("a{number}"), &format!("say {number}")),
    });
    let (_, coverage) = audit("langgraph", &text);
    assert_eq!(coverage, [MANY as u64, 0, 0, 0]);
}

#[test]
fn one_id_stands_again_and_again_in_one_update() {
    let copies = (0..3 * MANY).map(|number| format!(r#"{{"type":"ai","id":"m","content":"{number}"}}"#));
    let mut text = String::new();
    update(&mut text, "__input__", "human", "q", "ask");
    let _ = write!(
        text,
        "\n{{\"model\":{{\"messages\":[{}]}}}}\n",
        copies.collect::<Vec<_>>().join(",")
    );
    assert_eq!(audit("langgraph", &text), (found([]), [2, 0, 0, 0]));
}

#[test]
fn an_id_of_separators_is_derived_from_nothing() {
    let mut text = String::new();
    update(&mut text, "__input__", "human", "a", "ask");
    text.push('\n');
    update(
        &mut text,
        "notes",
        "human",
        &format!("a{}", "_".repeat(1_000_000)),
        "ask again",
    );
    text.push('\n');
    let (_, coverage) = audit("langgraph", &text);
    assert_eq!(coverage, [2, 0, 0, 0]);
}

#[test]
fn turns_are_taken_back_one_by_one() {
    let envelope = |kind: &str, payload: &str| {
        format!(r#"{{"timestamp":"2026-05-04T08:00:00.000Z","type":"{kind}","payload":{payload}}}"#)
    };
    let mut text = envelope(
        "session_meta",
        r#"{"id":"s","cwd":"/srv","cli_version":"0.142.0","source":"cli"}"#,
    );
    text.push('\n');
    text += &lines(MANY / 2, |turn, text| {
        let start = format!(r#"{{"type":"task_started","turn_id":"t{turn}"}}"#);
        let said =
            format!(r#"{{"type":"message","role":"user","content":[{{"type":"input_text","text":"ask {turn}"}}]}}"#);
        let _ = write!(
            text,
            "{}\n{}",
            envelope("event_msg", &start),
            envelope("response_item", &said)
        );
    });
    let back = envelope("event_msg", r#"{"type":"thread_rolled_back","num_turns":1}"#);
    text += &lines(MANY / 2, |_, text| text.push_str(&back));
    let (rules, coverage) = audit("codex", &text);
    assert_eq!((rules, coverage[3]), (found([]), 0));
}

#[test]
fn each_of_many_calls_pays_for_its_prompt_again() {
    let text = lines(MANY / 2, |number, text| {
        let parent = number
            .checked_sub(1)
            .map_or("null".to_owned(), |before| format!("\"m{before}\""));
        let read = 3_000 + number * 40;
        let _ = write!(
            text,
            r#"{{"uuid":"m{number}","parentUuid":{parent},"sessionId":"s","isSidechain":false,"type":"assistant","message":{{"id":"r{number}","role":"assistant","model":"claude-opus-4-6","content":[{{"type":"text","text":"word {number}"}}],"usage":{{"input_tokens":4,"cache_read_input_tokens":{read},"cache_creation_input_tokens":900000000,"output_tokens":6}}}}}}"#
        );
    });
    let (rules, _) = audit("claude-code", &text);
    assert_eq!(rules, found([("cache-break", MANY / 2 - 1)]));
}
