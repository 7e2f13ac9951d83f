//! What calls cost, and where the cached prefix breaks.
#![expect(clippy::format_push_string, reason = "logs for tests, line by line")]

mod support;

use std::path::Path;

use serde_json::{Value, json};
use support::{run, snapshot, write};

/// A text that providers cache: over two thousand tokens.
fn long(word: &str) -> String {
    format!("{word} ").repeat(10_000 / (word.len() + 1))
}

/// A log of chat requests.
fn requests(prompts: &[Vec<(&str, String)>]) -> String {
    let mut log = String::new();
    for prompt in prompts {
        let messages: Vec<Value> = prompt
            .iter()
            .map(|(role, content)| json!({"role": role, "content": content}))
            .collect();
        log += &format!("{}\n", json!({"model": "gpt-4o", "messages": messages}));
    }
    log
}

/// Line, severity and message of each finding of `cache-break`.
fn breaks(log: &str, arguments: &[&str]) -> Vec<(u64, String, String)> {
    let folder = tempfile::tempdir().expect("a folder can be made");
    write(folder.path(), "log.jsonl", log);
    let mut all = vec!["audit", "log.jsonl", "--isolated", "--format", "json"];
    all.extend(arguments);
    let document = audited(folder.path(), &all);
    let findings = document["findings"].as_array().expect("there is a list of findings");
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    findings
        .iter()
        .filter(|finding| finding["rule"] == "cache-break")
        .map(|finding| {
            let line = finding["start"]["line"].as_u64().unwrap_or_default();
            (line, text(&finding["severity"]), text(&finding["message"]))
        })
        .collect()
}

fn audited(folder: &Path, arguments: &[&str]) -> Value {
    let run = run(folder, arguments);
    assert!(run.status < 2, "{}", run.stderr);
    serde_json::from_str(&run.stdout).expect("the document is JSON")
}

/// `[system, (question, answer)…, question]` after so many turns.
fn prompt(system: &str, turns: usize) -> Vec<(&'static str, String)> {
    let mut prompt = vec![("system", system.to_owned())];
    for turn in 1..=turns {
        prompt.push(("user", format!("question {turn} {}", long("leaf"))));
        if turn < turns {
            prompt.push(("assistant", format!("answer {turn}")));
        }
    }
    prompt
}

#[test]
fn requests_that_go_on_with_one_another_are_clean() {
    let system = long("rule");
    let log = requests(&[prompt(&system, 1), prompt(&system, 2), prompt(&system, 3)]);
    assert_eq!(breaks(&log, &[]), []);
}

#[test]
fn a_batch_at_the_tail_of_each_call_is_clean() {
    let system = long("rule");
    let with_batch = |turns| {
        let mut prompt = prompt(&system, turns);
        prompt.push(("user", format!("<system-reminder>it is turn {turns}</system-reminder>")));
        prompt
    };
    let log = requests(&[with_batch(1), with_batch(2), with_batch(3)]);
    assert_eq!(breaks(&log, &[]), []);
}

#[test]
fn a_clock_in_the_system_prompt_is_told_once_with_the_place_it_stands_in() {
    let system = |minute: u32| format!("It is 10:{minute}. {}", long("rule"));
    let log = requests(&[
        prompt(&system(10), 1),
        prompt(&system(11), 2),
        prompt(&system(12), 3),
        prompt(&system(13), 4),
    ]);
    let found = breaks(&log, &[]);
    let [(2, severity, message)] = found.as_slice() else {
        panic!("{found:?}")
    };
    assert_eq!(severity, "error");
    assert_eq!(
        message,
        "the prefix matches for about 0 of 5,006 tokens: the system prompt, says something else than in the call \
         before; 5,006 are paid again, $0.0063; 3 calls of this history fall back to this place"
    );
}

#[test]
fn an_old_message_that_was_rewritten_is_named() {
    let system = long("rule");
    let mut third = prompt(&system, 3);
    "[cleared]".clone_into(&mut third[3].1);
    let found = breaks(&requests(&[prompt(&system, 1), prompt(&system, 2), third]), &[]);
    let [(3, severity, message)] = found.as_slice() else {
        panic!("{found:?}")
    };
    assert_eq!(severity, "warn");
    assert!(
        message.contains("message 4, user \"[cleared]\", says something else than in the call before"),
        "{message}"
    );
}

#[test]
fn another_agent_in_the_same_log_does_not_break_the_prefix() {
    let (ours, others) = (long("rule"), long("title"));
    let title = |turns| {
        let mut prompt = prompt(&others, turns);
        prompt.truncate(2);
        prompt
    };
    let log = requests(&[prompt(&ours, 1), title(1), prompt(&ours, 2), title(1), prompt(&ours, 3)]);
    assert_eq!(breaks(&log, &[]), []);
}

#[test]
fn a_question_asked_anew_is_no_break() {
    let system = long("rule");
    let mut other = prompt(&system, 2);
    if let Some(last) = other.last_mut() {
        "another way to ask".clone_into(&mut last.1);
    }
    let mut second = prompt(&system, 2);
    if let Some(last) = second.last_mut() {
        "a way to ask".clone_into(&mut last.1);
    }
    let log = requests(&[prompt(&system, 1), second, other, prompt(&system, 1)]);
    assert_eq!(breaks(&log, &[]), []);
}

#[test]
fn other_tools_explain_a_break() {
    let system = |minute: u32| format!("It is 10:{minute}. {}", long("rule"));
    let request = |system: String, tool: &str| {
        let messages = json!([{"role": "system", "content": system}, {"role": "user", "content": "go"}]);
        let tools = json!([{"type": "function", "function": {"name": tool}}]);
        format!("{}\n", json!({"model": "gpt-4o", "messages": messages, "tools": tools}))
    };
    let log = request(system(10), "dig") + &request(system(11), "water");
    assert_eq!(breaks(&log, &[]), []);
    let log = request(system(10), "dig") + &request(system(11), "dig");
    assert_eq!(breaks(&log, &[]).len(), 1);
}

/// Three calls of a session, of which two fall back to the same place; one response is told by two records.
fn session() -> String {
    let mut log = String::new();
    let mut parent = Value::Null;
    for (n, read, written) in [(1, 0, 30_000), (2, 16_000, 14_100), (3, 16_000, 14_200)] {
        let user = format!("u{n}");
        let common = |uuid: &str, second: u32, parent: &Value| {
            json!({
                "uuid": uuid, "parentUuid": parent, "sessionId": "s1", "version": "2.1.40", "isSidechain": false,
                "timestamp": format!("2026-05-04T09:0{n}:0{second}Z"),
            })
        };
        let mut asked = common(&user, 0, &parent);
        asked["type"] = json!("user");
        asked["message"] = json!({"role": "user", "content": format!("question {n}")});
        log += &format!("{asked}\n");
        let mut before = json!(user);
        for (part, output) in [("a", 1), ("b", 40)] {
            let uuid = format!("{part}{n}");
            let mut said = common(&uuid, 5, &before);
            said["type"] = json!("assistant");
            said["message"] = json!({
                "id": format!("msg_{n}"), "role": "assistant", "model": "claude-sonnet-4-5",
                "content": [{"type": "text", "text": format!("{part} of answer {n}")}],
                "usage": {
                    "input_tokens": 10, "cache_creation_input_tokens": written, "cache_read_input_tokens": read,
                    "output_tokens": output,
                },
            });
            log += &format!("{said}\n");
            before = json!(uuid);
        }
        parent = before;
    }
    log
}

#[test]
fn the_bill_counts_every_response_once() {
    let folder = tempfile::tempdir().expect("a folder can be made");
    write(folder.path(), "session.jsonl", session());
    let run = run(folder.path(), &["audit", "session.jsonl", "--isolated", "--cost"]);
    assert_eq!(run.status, 1, "{}", run.stderr);
    snapshot("audit_cost", &run.stdout);
}

#[test]
fn prices_of_the_configuration_and_of_a_file_come_before_those_that_are_known() {
    let folder = tempfile::tempdir().expect("a folder can be made");
    write(folder.path(), "session.jsonl", session());
    let price = |arguments: &[&str]| {
        let mut all = vec!["audit", "session.jsonl", "--format", "json"];
        all.extend(arguments);
        let document = audited(folder.path(), &all);
        document["files"][0]["sessions"][0]["usage"]["models"][0]["price"].as_f64()
    };
    // 30 × 3 + 32,000 × 0.3 + 58,300 × 3.75 + 120 × 15 millionths
    assert_eq!(price(&[]), Some(0.230_115));
    write(
        folder.path(),
        "ctxlint.toml",
        "[prices.\"claude-sonnet-4-5\"]\ninput = 1\noutput = 1\n",
    );
    // 90,450 tokens at a dollar for a million
    assert_eq!(price(&[]), Some(0.090_45));
    write(
        folder.path(),
        "prices.toml",
        "as-of = \"2027-01-31\"\n[models]\n\"claude-sonnet-4-5\" = { input = 2, output = 2 }\n",
    );
    assert_eq!(price(&["--prices", "prices.toml"]), Some(0.1809));
}

#[test]
fn a_file_that_is_no_table_of_prices_is_told_with_its_line() {
    let folder = tempfile::tempdir().expect("a folder can be made");
    write(folder.path(), "session.jsonl", session());
    write(folder.path(), "prices.toml", "[models]\n\"ours\" = { input = 2 }\n");
    let wrong = run(folder.path(), &["audit", "session.jsonl", "--prices", "prices.toml"]);
    assert_eq!(wrong.status, 2);
    assert_eq!(
        wrong.stderr,
        "ctxlint: prices.toml:2: these are no prices: missing field `output`; docs/cost.md has an example\n"
    );
    let missing = run(folder.path(), &["audit", "session.jsonl", "--prices", "none.toml"]);
    assert_eq!(missing.status, 2);
    assert!(
        missing
            .stderr
            .starts_with("ctxlint: none.toml: the prices cannot be read: "),
        "{}",
        missing.stderr
    );
}
