//! Records that cannot be read are located and left out, and the rest is judged.

mod support;

use ctxlint::outcome::{Coverage, FileKind, Outcome};
use ctxlint::transcript::{AuditOptions, audit};
use support::{folder, write};

const ASKED: &str = r#"{"__input__": {"messages": [{"type": "human", "id": "q1", "content": "Sow the peas"}]}}"#;
const ANSWERED: &str = r#"{"model": {"messages": [{"type": "ai", "id": "a1", "content": "Sown."}]}}"#;

fn outcome_of(content: impl AsRef<[u8]>) -> Outcome {
    let folder = folder();
    let path = write(folder.path(), "run.jsonl", content);
    audit(&AuditOptions {
        paths: vec![path],
        input_format: None,
        ..AuditOptions::default()
    })
}

fn coverage(outcome: &Outcome) -> Coverage {
    match &outcome.files[0].kind {
        FileKind::Transcript { coverage, .. } => *coverage,
        FileKind::Code { .. } => panic!("a record is no code"),
    }
}

/// `line:column message` of every finding.
fn found(outcome: &Outcome) -> Vec<String> {
    let place = |finding: &ctxlint::finding::Finding| {
        let start = finding.span().start;
        format!("{}:{} {}", start.line, start.column, finding.message)
    };
    outcome.findings.iter().map(place).collect()
}

#[test]
fn a_broken_record_is_located_and_the_run_goes_on() {
    let deep = vec![b'['; 100_000];
    let cases: [(&[u8], &str); 5] = [
        (
            b"{\"model\": {\"mess",
            "2:16 this record is left out: the record ends in the middle of a value",
        ),
        (
            b"{\"model\": nul}",
            "2:14 this record is left out: not JSON: expected ident",
        ),
        (
            b"{\"model\": \"\xc3\xa9\xff\"}",
            "2:13 this record is left out: invalid UTF-8",
        ),
        (b"}{", "2:1 this record is left out: not JSON: expected value"),
        (&deep, "2:1 this record is left out: nested deeper than 128 levels"),
    ];
    for (broken, expected) in cases {
        let content = [ASKED.as_bytes(), broken, ANSWERED.as_bytes()].join(&b'\n');
        let outcome = outcome_of(content);
        assert_eq!(found(&outcome), [expected]);
        let counted = Coverage {
            understood: 2,
            malformed: 1,
            ..Coverage::default()
        };
        assert_eq!(coverage(&outcome), counted, "{expected}");
    }
}

#[test]
fn unknown_records_are_named_and_counted() {
    let heartbeat = r#"{"type": "heartbeat", "n": 1}"#;
    let outcome = outcome_of([ASKED, heartbeat, heartbeat, "[1, 2]", ANSWERED].join("\n"));
    let FileKind::Transcript {
        unknown_types,
        coverage,
        ..
    } = &outcome.files[0].kind
    else {
        panic!("a record is no code");
    };
    let types: Vec<_> = unknown_types
        .iter()
        .map(|(name, number)| (name.as_str(), *number))
        .collect();
    assert_eq!(types, [("heartbeat", 2), ("record without a type", 1)]);
    assert_eq!((coverage.understood, coverage.unknown, coverage.records()), (2, 3, 5));
    assert!(outcome.findings.is_empty());
}

#[test]
fn types_that_langchain_does_not_have_are_another_format() {
    let lines = [
        r#"{"type": "user", "content": "look"}"#,
        r#"{"type": "assistant", "content": "", "tool_calls": [{"id": "c1", "name": "look"}]}"#,
        r#"{"type": "tool_result", "tool_call_id": "c1", "content": "seen"}"#,
        r#"{"type": "assistant", "content": "Seen."}"#,
    ];
    let outcome = outcome_of(lines.join("\n"));
    assert!(
        outcome.files.is_empty(),
        "a result of an unknown type would make its call look unanswered"
    );
    assert_eq!(outcome.problems.len(), 1);
}

#[test]
fn a_message_behind_a_state_is_added_whatever_its_id() {
    let outcome = outcome_of([
        r#"{"messages": [{"type": "human", "id": "a", "content": "first"}, {"type": "ai", "id": "b", "content": "yes"}]}"#,
        r#"{"type": "human", "id": "a", "content": "second"}"#,
        r#"{"type": "ai", "id": "b", "content": "yes again"}"#,
    ].join("\n"));
    assert_eq!(coverage(&outcome).understood, 3);
    let twice = found(&outcome)
        .iter()
        .filter(|told| told.contains("stands in the list twice"))
        .count();
    assert_eq!(twice, 1);
}

#[test]
fn what_is_shown_of_a_record_is_safe_to_show() {
    let reminder = r#"{"remind": {"messages": [{"type": "human", "id": "r1", "name": "plan_reminder", "content": "\u001b[31mKey sk-abcdefghijklmnopqrstuv at \u202e3/4 done"}]}}"#;
    let outcome = outcome_of([ASKED, reminder, ANSWERED].join("\n"));
    let finding = outcome
        .findings
        .iter()
        .find(|finding| finding.rule().id() == "persisted-state");
    let finding = finding.expect("a plan was written into the history");
    let excerpt = finding.excerpt.as_ref().expect("a finding in a record shows the list");
    let shown = format!("{}{}", finding.message, excerpt.text);
    assert!(shown.contains("Key [secret] at \u{fffd}3/4 done"), "{shown}");
    assert!(
        !shown.contains(['\u{1b}', '\u{202e}']) && !shown.contains("sk-"),
        "{shown}"
    );
    assert!(excerpt.text.lines().all(|line| line.chars().count() <= 80), "{shown}");
}

#[test]
fn a_forced_format_reads_what_is_not_recognised() {
    let folder = folder();
    let line = r#"{"role": "user", "content": "Sow the peas"}"#;
    let path = write(folder.path(), "run.jsonl", format!("{line}\n"));
    let formats = |forced: Option<&str>| {
        let outcome = audit(&AuditOptions {
            paths: vec![path.clone()],
            input_format: forced.map(str::to_owned),
            ..AuditOptions::default()
        });
        let formats: Vec<_> = outcome
            .files
            .iter()
            .filter_map(|file| match &file.kind {
                FileKind::Transcript { format, .. } => Some(*format),
                FileKind::Code { .. } => None,
            })
            .collect();
        (formats, outcome.problems.len())
    };
    assert_eq!(formats(None), (vec!["openai-chat"], 0));
    assert_eq!(formats(Some("anthropic-batch")), (vec!["anthropic-batch"], 0));
    assert_eq!(formats(Some("langgraph")), (vec!["langgraph"], 0));
    assert_eq!(formats(Some("morse")), (vec![], 1));
}

#[test]
fn a_folder_with_a_transcript_is_not_called_empty_whatever_it_is_called() {
    let folder = support::folder();
    let list = "{\"role\": \"user\", \"content\": \"Order brake pads.\"}\n";
    support::write(folder.path(), "runs/a.jsonl", list);
    support::write(folder.path(), "none/notes.txt", "no record\n");
    for named in [
        &[][..],
        &["."],
        &["./"],
        &["runs"],
        &["./runs"],
        &["runs/."],
        &["./runs/", "."],
    ] {
        let mut arguments = vec!["audit", "--format", "concise"];
        arguments.extend(named);
        let run = support::run(folder.path(), &arguments);
        assert_eq!((run.status, run.stderr.as_str()), (0, ""), "{named:?}");
    }
    let empty = support::run(folder.path(), &["audit", "none"]);
    assert_eq!(
        (empty.status, empty.stderr.as_str()),
        (3, "ctxlint: none: no transcripts in this folder\n")
    );
}
