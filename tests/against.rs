//! `audit --against`: what became of the history of an older run.

mod support;

use std::io::Write;
use std::path::Path;

use serde_json::{Value, json};
use support::{folder, run, run_with_input, snapshot, write};

const SESSION: &str = "5d0c0000-0000-4000-8000-000000000001";

/// Questions and answers, each with an id.
fn chat(turns: usize) -> Vec<Value> {
    let turn = |n: usize| {
        [
            json!({"role": "user", "id": format!("q{n}"), "content": format!("Question {n} about bed {n}")}),
            json!({"role": "assistant", "id": format!("a{n}"), "content": format!("Answer {n}: bed {n} is sown.")}),
        ]
    };
    (1..=turns).flat_map(turn).collect()
}

/// The same without ids.
fn bare(turns: usize) -> Vec<Value> {
    let mut messages = chat(turns);
    for message in &mut messages {
        message.as_object_mut().expect("a message is an object").remove("id");
    }
    messages
}

/// The same as a session of Claude Code, each line linked to the one before it.
fn claude(messages: &[Value], session: &str) -> Vec<Value> {
    let mut parent = Value::Null;
    let line = |message: &Value| {
        let id = message["id"].clone();
        let line = json!({
            "parentUuid": std::mem::replace(&mut parent, id.clone()), "isSidechain": false, "userType": "external",
            "cwd": "/srv/garden", "sessionId": session, "version": "2.1.100", "type": message["role"], "uuid": id,
            "timestamp": "2026-04-01T09:00:00.000Z",
            "message": {"role": message["role"], "content": [{"type": "text", "text": message["content"]}]},
        });
        line
    };
    messages.iter().map(line).collect()
}

/// The same as a rollout of Codex, without ids.
fn codex(messages: &[Value], session: &str) -> Vec<Value> {
    let record =
        |kind: &str, payload: Value| json!({"timestamp": "2026-03-01T10:00:00.000Z", "type": kind, "payload": payload});
    let mut records = vec![record(
        "session_meta",
        json!({"id": session, "cwd": "/srv/garden", "cli_version": "0.142.0"}),
    )];
    records.extend(messages.iter().map(|message| {
        let kind = if message["role"] == "user" {
            "input_text"
        } else {
            "output_text"
        };
        let content = json!([{"type": kind, "text": message["content"]}]);
        record(
            "response_item",
            json!({"type": "message", "role": message["role"], "content": content}),
        )
    }));
    records
}

fn lines(records: &[Value]) -> String {
    records.iter().map(Value::to_string).collect::<Vec<_>>().join(
        "
",
    ) + "
"
}

/// Status and what is said of the older run: severity, rule, place, and the places beside it.
fn compared_in(folder: &Path, arguments: &[&str]) -> (i32, Vec<String>) {
    let mut all = vec!["audit", "--isolated", "--format", "json"];
    all.extend(arguments);
    let run = run(folder, &all);
    let document: Value = serde_json::from_str(&run.stdout).unwrap_or_else(|_| panic!("no document: {}", run.stderr));
    let place = |value: &Value| {
        let path = value["path"].as_str().unwrap_or_default();
        format!("{path}:{}", value["start"]["line"])
    };
    let finding = |finding: &Value| {
        let mut places = vec![place(finding)];
        places.extend(finding["related"].as_array().into_iter().flatten().map(place));
        let word = |key: &str| finding[key].as_str().unwrap_or_default().to_owned();
        format!("{} {} {}", word("severity"), word("rule"), places.join(" "))
    };
    let findings = document["findings"].as_array().into_iter().flatten();
    (run.status, findings.map(finding).collect())
}

/// The same of two lists of records.
fn compared(old: &[Value], new: &[Value]) -> (i32, Vec<String>) {
    let folder = folder();
    write(folder.path(), "old.jsonl", lines(old));
    write(folder.path(), "new.jsonl", lines(new));
    compared_in(folder.path(), &["new.jsonl", "--against", "old.jsonl"])
}

fn is_silent(old: &[Value], new: &[Value], why: &str) {
    assert_eq!(compared(old, new), (0, Vec::<String>::new()), "{why}");
}

/// Writes messages as the records of a format.
type Writer = fn(&[Value]) -> Vec<Value>;

/// Without the messages at some places.
fn without(messages: &[Value], places: std::ops::Range<usize>) -> Vec<Value> {
    let mut left = messages.to_vec();
    left.drain(places);
    left
}

fn said(role: &str, id: &str, content: &str) -> Value {
    json!({"role": role, "id": id, "content": content})
}

#[test]
fn messages_that_are_lost_are_named_in_both_runs() {
    let old = chat(4);
    let left = without(&old, 2..4);
    let lost = |line: u32, first: u32, last: u32| {
        vec![format!(
            "error broken-chain new.jsonl:{line} old.jsonl:{first} old.jsonl:{last}"
        )]
    };
    assert_eq!(compared(&old, &left), (1, lost(3, 3, 4)), "a list with ids");
    let no_ids = without(&bare(4), 2..4);
    assert_eq!(compared(&bare(4), &no_ids), (1, lost(3, 3, 4)), "a list without");
    let session = claude(&old, SESSION);
    assert_eq!(
        compared(&session, &claude(&left, SESSION)),
        (1, lost(3, 3, 4)),
        "a session of Claude Code"
    );
    let rollout = codex(&old, SESSION);
    assert_eq!(
        compared(&rollout, &codex(&left, SESSION)),
        (1, lost(4, 4, 5)),
        "a rollout of Codex"
    );
    // A copy has a name of its own.
    let copy = claude(&left, "another");
    assert_eq!(compared(&session, &copy), (1, lost(3, 3, 4)), "a resumed copy");
    // The whole end.
    assert_eq!(compared(&session, &session[..6]), (1, lost(6, 7, 8)), "cut off");
    let mut goes_on = without(&old, 6..8);
    goes_on.extend([said("user", "q9", "And the leeks?"), said("assistant", "a9", "Later.")]);
    assert_eq!(
        compared(&session, &claude(&goes_on, "another")),
        (1, lost(7, 7, 8)),
        "a copy that goes on without the last turn"
    );
}

#[test]
fn other_changes_have_rules_of_their_own() {
    let old = chat(4);
    let formats: [(&str, Writer, u32); 3] = [
        ("list", |messages| messages.to_vec(), 0),
        ("claude-code", |messages| claude(messages, SESSION), 0),
        ("codex", |messages| codex(messages, SESSION), 1),
    ];
    for (name, of, before) in formats {
        let at = |file: &str, line: u32| format!("{file}.jsonl:{}", line + before);
        let mut moved = old.clone();
        moved.swap(2, 4);
        moved.swap(3, 5);
        assert_eq!(
            compared(&of(&old), &of(&moved)),
            (
                1,
                vec![format!("error reordered-history {} {}", at("new", 4), at("old", 6))]
            ),
            "{name}"
        );
        let mut changed = old.clone();
        changed[2]["content"] = json!("Is it the second bed?");
        assert_eq!(
            compared(&of(&old), &of(&changed)),
            (
                1,
                vec![format!("warn rewritten-prefix {} {}", at("new", 3), at("old", 3))]
            ),
            "{name}"
        );
        let mut doubled = old.clone();
        doubled.extend(old.iter().map(|message| {
            let id = format!("again-{}", message["id"].as_str().unwrap_or_default());
            said(
                message["role"].as_str().unwrap_or_default(),
                &id,
                message["content"].as_str().unwrap_or_default(),
            )
        }));
        let (status, findings) = compared(&of(&old), &of(&doubled));
        let is_told = |finding: &String| finding.starts_with("error duplicate-message ");
        assert_eq!(
            (status, findings.len(), findings.iter().all(is_told)),
            (1, 1, true),
            "{name}: once, though the newer run shows it alone: {findings:?}"
        );
    }
    for (name, of) in [formats[0], formats[1]].map(|(name, of, _)| (name, of)) {
        let new_ids = |range: std::ops::Range<usize>| {
            let mut messages = old.clone();
            for message in &mut messages[range] {
                message["id"] = json!(format!("n-{}", message["id"].as_str().unwrap_or_default()));
            }
            messages
        };
        let all = new_ids(0..8);
        let some = new_ids(2..4);
        let told = |line: u32| vec![format!("error reminted-ids new.jsonl:{line} old.jsonl:{line}")];
        assert_eq!(compared(&of(&old), &of(&all)), (1, told(8)), "{name}: all");
        assert_eq!(compared(&of(&old), &of(&some)), (1, told(4)), "{name}: some");
    }
    is_silent(
        &claude(&old, SESSION),
        &claude(
            &old.iter()
                .map(|message| {
                    said(
                        message["role"].as_str().unwrap_or_default(),
                        &format!("n-{}", message["id"].as_str().unwrap_or_default()),
                        message["content"].as_str().unwrap_or_default(),
                    )
                })
                .collect::<Vec<_>>(),
            "another",
        ),
        "a copy may have ids of its own",
    );
}

#[test]
fn a_summary_that_is_written_anew_is_unstable() {
    let list = |summary: &str| {
        vec![
            json!({"role": "user", "ts": 1, "isSummary": true, "condenseId": "c1",
                   "content": [{"type": "text", "text": summary}]}),
            json!({"role": "user", "ts": 2, "content": [{"type": "text", "text": "And the beans"}]}),
            json!({"role": "assistant", "ts": 3, "content": [{"type": "text", "text": "They are sown too."}]}),
        ]
    };
    let array = |records: &[Value]| format!("{}\n", json!(records));
    let folder = folder();
    write(folder.path(), "old.json", array(&list("The bed was dug.")));
    write(folder.path(), "new.json", array(&list("Somebody dug.")));
    let told = vec!["error unstable-summary new.json:1 old.json:1".to_owned()];
    assert_eq!(
        compared_in(folder.path(), &["new.json", "--against", "old.json"]),
        (1, told)
    );
    let compacted = |summary: &str| {
        let mut records = codex(&chat(2), SESSION);
        let kept = json!([
            {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "Question 2 about bed 2"}]},
            {"type": "message", "role": "user", "content": [{"type": "input_text",
                "text": format!("Another language model started to solve this problem: {summary}")}]},
        ]);
        records.push(json!({"timestamp": "2026-03-01T10:00:00.000Z", "type": "compacted",
                            "payload": {"message": summary, "replacement_history": kept}}));
        records.extend(codex(&chat(3)[4..], SESSION).into_iter().skip(1));
        records
    };
    let (status, findings) = compared(&compacted("beds one and two"), &compacted("two beds"));
    assert_eq!(status, 1, "{findings:?}");
    assert!(
        findings
            .iter()
            .any(|finding| finding.starts_with("error unstable-summary new.jsonl:6 old.jsonl:6")),
        "{findings:?}"
    );
}

#[test]
fn what_the_newer_record_tells_is_no_finding() {
    let old = chat(4);
    let session = claude(&old, SESSION);
    is_silent(&old, &old, "the same list");
    is_silent(&old, &chat(6), "more messages");
    is_silent(&bare(4), &bare(6), "more messages without ids");
    // What was being written goes on.
    let mut written = old.clone();
    written[7]["content"] = json!("Answer 4: bed 4 is sown. And watered.");
    is_silent(&old, &written, "an answer that was still being written");
    let mut again = without(&old, 7..8);
    again.push(said("assistant", "a4b", "Bed four? Sown."));
    is_silent(&old, &again, "an answer that was given again");
    // A person who says the same thing again.
    let mut repeated = old.clone();
    repeated.extend([
        said("user", "q9", "Question 4 about bed 4"),
        said("assistant", "a9", "Answer 4: bed 4 is sown."),
    ]);
    is_silent(&old, &repeated, "a short exchange that is repeated");
    // Went back to the second question, on another branch of the same record.
    let mut branched = session.clone();
    let mut back = claude(&[old[1].clone(), said("user", "q5", "No, the fifth.")], SESSION);
    branched.extend(back.split_off(1));
    is_silent(&session, &branched, "a rewind in the record");
    // A fork that ends where it was taken, and says so.
    let mut fork = claude(&without(&old, 4..8), "another");
    for line in &mut fork {
        line["forkedFrom"] = json!({"sessionId": SESSION, "messageUuid": line["uuid"]});
    }
    is_silent(&session, &fork, "a fork that says so");
    // A compaction in the record, then a copy of what it left.
    let mut compacted = session.clone();
    compacted.push(
        json!({"parentUuid": null, "logicalParentUuid": "a4", "isSidechain": false, "sessionId": SESSION,
        "type": "system", "subtype": "compact_boundary", "content": "Conversation compacted", "uuid": "c1",
        "timestamp": "2026-04-01T10:00:00.000Z", "compactMetadata": {"trigger": "manual", "preTokens": 100}}),
    );
    compacted.push(
        json!({"parentUuid": "c1", "isSidechain": false, "sessionId": SESSION, "type": "user", "uuid": "s1",
        "timestamp": "2026-04-01T10:00:01.000Z", "isCompactSummary": true, "isVisibleInTranscriptOnly": true,
        "message": {"role": "user", "content": "This session is being continued: four beds are sown."}}),
    );
    is_silent(&session, &compacted, "a compaction");
    // Lines beside the conversation come and go.
    let mut beside = session.clone();
    beside.insert(
        3,
        json!({"type": "file-history-snapshot", "messageId": "q2", "snapshot": {}, "isSnapshotUpdate": false}),
    );
    is_silent(&session, &beside, "a companion line that came");
    is_silent(&beside, &session, "a companion line that went");
    let text = lines(&session);
    let spaced: Vec<String> = text.lines().map(|line| line.replace("\":", "\" : ")).collect();
    let folder = folder();
    write(folder.path(), "old.jsonl", &text);
    write(folder.path(), "new.jsonl", spaced.join("\n\n"));
    assert_eq!(
        compared_in(folder.path(), &["new.jsonl", "--against", "old.jsonl"]),
        (0, vec![]),
        "written in another way"
    );
}

#[test]
fn a_list_that_was_condensed_has_lost_nothing() {
    let part =
        |ts: u32, role: &str, text: &str| json!({"role": role, "ts": ts, "content": [{"type": "text", "text": text}]});
    let mut old = vec![part(1, "user", "Dig the bed"), part(2, "assistant", "It is dug.")];
    old[0]["condenseParent"] = Value::Null;
    old.extend([part(3, "user", "Sow the peas"), part(4, "assistant", "They are sown.")]);
    let mut new = vec![json!({"role": "user", "ts": 9, "isSummary": true, "condenseId": "c1",
                              "content": [{"type": "text", "text": "The bed is dug."}]})];
    new.extend_from_slice(&old[2..]);
    let folder = folder();
    write(folder.path(), "old.json", json!(old).to_string());
    write(folder.path(), "new.json", json!(new).to_string());
    let arguments = ["new.json", "--against", "old.json"];
    assert_eq!(compared_in(folder.path(), &arguments), (0, vec![]));
}

#[test]
fn a_log_extends_every_beginning_of_itself() {
    let sessions = [claude(&chat(4), SESSION), codex(&chat(4), SESSION), chat(4), bare(4)];
    let folder = folder();
    for records in sessions {
        let text = lines(&records);
        write(folder.path(), "new.jsonl", &text);
        let ends = text.match_indices('\n').map(|(at, _)| at + 1);
        for end in ends {
            // To the end of a line, and into the next one.
            for end in [end, (end + 40).min(text.len())] {
                write(folder.path(), "old.jsonl", &text[..end]);
                let run = run(
                    folder.path(),
                    &[
                        "audit",
                        "--isolated",
                        "new.jsonl",
                        "--against",
                        "old.jsonl",
                        "--format",
                        "concise",
                    ],
                );
                let is_empty = run.stderr.contains("no messages in it");
                assert_eq!(
                    (run.stdout.as_str(), run.status == 0 || is_empty),
                    ("", true),
                    "{end}: {}",
                    run.stderr
                );
            }
        }
    }
}

#[test]
fn every_recorded_fixture_extends_its_beginnings() {
    let fixtures = support::repository().join("tests/fixtures/formats");
    let mut compared = 0;
    for name in [
        "claude-code/session",
        "codex/rollout",
        "pi/branches",
        "openhands/events",
        "langgraph/values",
    ] {
        let path = fixtures.join(name).with_extension("jsonl");
        let text = std::fs::read_to_string(&path).expect("the fixture can be read");
        let folder = folder();
        let file = path.file_name().expect("it has a name").to_string_lossy().into_owned();
        write(folder.path(), &file, &text);
        let alone = compared_in(folder.path(), &[&file]).1;
        for (at, _) in text.match_indices('\n') {
            write(folder.path(), &format!("older/{file}"), &text[..=at]);
            let run = run(
                folder.path(),
                &["audit", "--isolated", "--format", "json", &file, "--against", "older"],
            );
            if run.stderr.contains("nothing was compared") {
                continue;
            }
            compared += 1;
            let found = compared_in(folder.path(), &[&file, "--against", "older"]).1;
            assert_eq!(found, alone, "{name}, cut behind byte {at}");
        }
    }
    assert!(compared > 40, "{compared} beginnings were compared");
}

#[test]
fn two_formats_are_compared_by_what_they_share() {
    let old = chat(4);
    let folder = folder();
    write(folder.path(), "session.jsonl", lines(&claude(&old, SESSION)));
    write(folder.path(), "log.jsonl", lines(&bare(5)));
    write(folder.path(), "less.jsonl", lines(&without(&bare(5), 2..4)));
    let against = |name: &str| compared_in(folder.path(), &[name, "--against", "session.jsonl"]);
    assert_eq!(against("log.jsonl"), (0, vec![]));
    let told = vec!["error broken-chain less.jsonl:3 session.jsonl:3".to_owned()];
    assert_eq!(
        against("less.jsonl"),
        (1, told),
        "what the person typed is in every format"
    );
    write(
        folder.path(),
        "other.jsonl",
        lines(&[said("user", "z1", "Who are you?"), said("assistant", "z2", "I.")]),
    );
    let run = run(
        folder.path(),
        &[
            "audit",
            "--isolated",
            "other.jsonl",
            "--against",
            "session.jsonl",
            "--format",
            "concise",
        ],
    );
    assert_eq!(run.status, 2);
    assert!(
        run.stderr.contains("no ids and no contents in common"),
        "{}",
        run.stderr
    );
}

#[test]
fn sessions_of_folders_are_paired_by_their_ids() {
    let folder = folder();
    let at = |name: &str, records: &[Value]| drop(write(folder.path(), name, lines(records)));
    at("old/a.jsonl", &claude(&chat(2), "aaaa"));
    at("old/b.jsonl", &claude(&chat(3), "bbbb"));
    at("old/gone.jsonl", &claude(&chat(1), "gone"));
    at("new/x/b.jsonl", &claude(&without(&chat(3), 2..4), "bbbb"));
    at("new/renamed.jsonl", &claude(&chat(3), "aaaa"));
    at("new/fresh.jsonl", &claude(&chat(1), "fresh"));
    let run = run(
        folder.path(),
        &["audit", "--isolated", "new", "--against", "old", "--format", "concise"],
    );
    assert_eq!(
        (run.status, run.stdout.lines().count()),
        (1, 1),
        "{}{}",
        run.stdout,
        run.stderr
    );
    assert!(run.stdout.starts_with("new/x/b.jsonl:3:"), "{}", run.stdout);
    assert_eq!(
        run.stderr,
        "ctxlint: new: not compared: 1 session (fresh) without a partner in the older run\n\
         ctxlint: old: not compared: 1 session (gone) without a partner in the newer run\n"
    );
    // A choice of sessions compares those.
    let chosen = ["new", "--against", "old", "--session", "aaaa"];
    assert_eq!(compared_in(folder.path(), &chosen), (0, vec![]));
}

#[test]
fn the_older_run_may_be_packed() {
    let folder = folder();
    let old = lines(&claude(&chat(3), SESSION));
    write(folder.path(), "new.jsonl", lines(&claude(&chat(5), SESSION)));
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    gzip.write_all(old.as_bytes()).expect("a vector takes every write");
    write(
        folder.path(),
        "old.jsonl.gz",
        gzip.finish().expect("a vector takes every write"),
    );
    let run = run(
        folder.path(),
        &[
            "audit",
            "--isolated",
            "--format",
            "json",
            "new.jsonl",
            "--against",
            "old.jsonl.gz",
        ],
    );
    let document: Value = serde_json::from_str(&run.stdout).expect("it is JSON");
    let expected = json!([{
        "path": "new.jsonl", "session": SESSION, "older_path": "old.jsonl.gz", "older_session": SESSION,
        "extends": true, "records": 6, "common": 6, "missing": 0, "added": 4,
    }]);
    assert_eq!(document["comparisons"], expected);
    let piped = run_with_input(
        folder.path(),
        &[
            "audit",
            "--isolated",
            "--format",
            "concise",
            "new.jsonl",
            "--against",
            "-",
        ],
        old.as_bytes(),
    );
    assert_eq!(
        (piped.status, piped.stdout.as_str(), piped.stderr.as_str()),
        (0, "", "")
    );
}

#[test]
fn the_report_says_how_far_a_run_extends_the_older_one() {
    let folder = folder();
    write(folder.path(), "old.jsonl", lines(&claude(&chat(2), SESSION)));
    write(folder.path(), "new.jsonl", lines(&claude(&chat(3), SESSION)));
    let mut edited = claude(&chat(3), SESSION);
    edited[2]["version"] = json!("2.1.101");
    write(folder.path(), "edited.jsonl", lines(&edited));
    write(
        folder.path(),
        "lost.jsonl",
        lines(&claude(&without(&chat(3), 2..4), SESSION)),
    );
    let mut texts = Vec::new();
    for name in ["new.jsonl", "edited.jsonl", "lost.jsonl"] {
        let run = run(folder.path(), &["audit", "--isolated", name, "--against", "old.jsonl"]);
        texts.push(format!(
            "$ ctxlint audit {name} --against old.jsonl\n{}exit status {}\n\n",
            run.stdout, run.status
        ));
    }
    snapshot("against_human", &texts.concat());
    let sarif = run(
        folder.path(),
        &[
            "audit",
            "--isolated",
            "lost.jsonl",
            "--against",
            "old.jsonl",
            "--format",
            "sarif",
        ],
    );
    let document: Value = serde_json::from_str(&sarif.stdout).expect("it is JSON");
    let result = &document["runs"][0]["results"][0];
    assert_eq!(result["ruleId"], "broken-chain");
    assert_eq!(result["relatedLocations"].as_array().map(Vec::len), Some(2));
}

#[test]
fn known_differences_stay_known() {
    let folder = folder();
    write(folder.path(), "old.jsonl", lines(&claude(&chat(3), SESSION)));
    write(
        folder.path(),
        "new.jsonl",
        lines(&claude(&without(&chat(3), 2..4), SESSION)),
    );
    let arguments = [
        "audit",
        "--isolated",
        "--format",
        "concise",
        "new.jsonl",
        "--against",
        "old.jsonl",
    ];
    let with = |more: &[&str]| run(folder.path(), &[&arguments[..], more].concat());
    let written = with(&["--baseline", "known.json", "--write-baseline"]);
    assert_eq!(written.status, 0, "{}", written.stderr);
    let known = with(&["--baseline", "known.json"]);
    assert_eq!((known.status, known.stdout.as_str()), (0, ""), "{}", known.stderr);
    // The run goes on.
    write(
        folder.path(),
        "new.jsonl",
        lines(&claude(&without(&chat(5), 2..4), SESSION)),
    );
    assert_eq!(with(&["--baseline", "known.json"]).status, 0);
    assert_eq!(with(&["--exit-zero"]).status, 0);
    assert_eq!(with(&[]).status, 1);
}

#[test]
fn what_cannot_be_compared_is_said_with_what_to_do() {
    let folder = folder();
    let session = lines(&claude(&chat(2), SESSION));
    write(folder.path(), "new.jsonl", &session);
    write(folder.path(), "same/new.jsonl", &session);
    write(folder.path(), "empty.jsonl", "");
    write(folder.path(), "prose.txt", "Once upon a time.\n");
    write(folder.path(), "code.py", "print()\n");
    write(folder.path(), "blank/readme.md", "nothing\n");
    write(folder.path(), "many/a.jsonl", lines(&claude(&chat(2), "aaaa")));
    write(folder.path(), "many/b.jsonl", lines(&claude(&chat(2), "bbbb")));
    write(folder.path(), "repr.json", "[HumanMessage(content='Sow the peas')]\n");
    let mut texts = Vec::new();
    for (new, old) in [
        ("new.jsonl", "missing.jsonl"),
        ("new.jsonl", "empty.jsonl"),
        ("new.jsonl", "prose.txt"),
        ("new.jsonl", "code.py"),
        ("new.jsonl", "repr.json"),
        ("new.jsonl", "blank"),
        ("new.jsonl", "new.jsonl"),
        ("same", "same/../same"),
        ("new.jsonl", "many"),
        ("many", "new.jsonl"),
        ("empty.jsonl", "new.jsonl"),
        ("-", "-"),
        ("same", "new.jsonl"),
        ("new.jsonl", "same"),
    ] {
        let run = run(
            folder.path(),
            &["audit", "--isolated", new, "--against", old, "--format", "concise"],
        );
        texts.push(format!(
            "$ ctxlint audit {new} --against {old}\n{}{}exit status {}\n\n",
            run.stdout, run.stderr, run.status
        ));
    }
    snapshot("against_mistakes", &texts.concat());
}
