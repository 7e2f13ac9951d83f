//! What the audit says about recorded runs, in every form in which they can be dumped.

mod support;

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use ctxlint::finding::Severity;
use ctxlint::outcome::{FileKind, Outcome, ProblemKind};
use ctxlint::transcript::{AuditOptions, audit};
use support::{repository, snapshot};

fn recordings() -> PathBuf {
    repository().join("tests/fixtures/transcripts")
}

fn outcome_of(path: &Path) -> Outcome {
    audit(&AuditOptions {
        paths: vec![path.to_owned()],
        input_format: None,
        ..AuditOptions::default()
    })
}

/// Every file with where its records ended, and a line a finding.
fn summary(outcome: &Outcome) -> String {
    let mut text = String::new();
    let root = recordings();
    let name = |path: &Path| path.strip_prefix(&root).unwrap_or(path).display().to_string();
    for file in &outcome.files {
        let FileKind::Transcript { format, coverage, .. } = &file.kind else {
            continue;
        };
        let (records, ignored) = (coverage.records(), coverage.ignored);
        writeln!(
            text,
            "{}: {format}, {records} records, {ignored} ignored",
            name(&file.path)
        )
        .expect("a string grows");
        assert_eq!((coverage.unknown, coverage.malformed), (0, 0), "{}", name(&file.path));
        for finding in outcome.findings.iter().filter(|finding| finding.path() == file.path) {
            let also: Vec<&str> = finding.also.iter().map(|rule| rule.id()).collect();
            let also = if also.is_empty() {
                String::new()
            } else {
                format!(" (also {})", also.join(", "))
            };
            writeln!(
                text,
                "  {} {}{also}: turn {}, line {}",
                finding.severity,
                finding.rule().id(),
                finding.turn.map_or("?".to_owned(), |turn| turn.to_string()),
                finding.span().start.line,
            )
            .expect("a string grows");
        }
    }
    for problem in &outcome.problems {
        writeln!(text, "{}: {}", name(&problem.path), problem.message).expect("a string grows");
    }
    text
}

#[test]
fn every_form_gives_the_verdict_it_can_give() {
    snapshot("audit_recordings", &summary(&outcome_of(&recordings())));
}

/// Rule, severity, turn.
type Expected = (&'static str, Severity, u32);

/// What must be found in each folder.
const MUST_FIND: &[(&str, &[Expected])] = &[
    (
        "idswap_head",
        &[("id-swap", Severity::Error, 7), ("persisted-state", Severity::Warn, 7)],
    ),
    ("idswap_tail", &[("persisted-state", Severity::Warn, 7)]),
    (
        "idswap_recursive",
        &[
            ("id-swap", Severity::Error, 2),
            ("persisted-state", Severity::Warn, 1),
            ("persisted-state", Severity::Warn, 2),
        ],
    ),
    ("plan_persisted", &[("stale-injection", Severity::Error, 1)]),
    ("plan_ephemeral", &[]),
    (
        "inserted_tree",
        &[
            ("stale-injection", Severity::Error, 2),
            ("ignored-insert", Severity::Error, 1),
        ],
    ),
    ("naive_trim", &[("ignored-trim", Severity::Error, 3)]),
    (
        "blind_cut",
        &[
            ("mid-turn-cut", Severity::Error, 2),
            ("split-tool-pair", Severity::Error, 2),
        ],
    ),
    ("summarization", &[("mid-turn-cut", Severity::Error, 2)]),
    (
        "rescuing_cut",
        &[
            ("mid-turn-cut", Severity::Error, 3),
            ("persisted-state", Severity::Warn, 1),
        ],
    ),
    ("plain_tools", &[]),
];

#[test]
fn what_is_wrong_is_found_and_nothing_else_is_an_error() {
    for (folder, must_find) in MUST_FIND {
        let outcome = outcome_of(&recordings().join(folder));
        for (rule, severity, turn) in *must_find {
            let found = outcome.findings.iter().any(|finding| {
                let named = finding.rule().id() == *rule || finding.also.iter().any(|also| also.id() == *rule);
                named && finding.severity >= *severity && finding.turn == Some(*turn)
            });
            assert!(found, "{folder}: no {severity} [{rule}] in turn {turn}");
        }
        let errors = outcome
            .findings
            .iter()
            .filter(|finding| finding.severity == Severity::Error);
        for finding in errors {
            let rule = finding.rule().id();
            let expected = must_find
                .iter()
                .any(|(id, ..)| *id == rule || finding.also.iter().any(|also| also.id() == *id));
            assert!(expected, "{folder}: {rule}: {}", finding.message);
        }
    }
}

#[test]
fn whatever_keeps_the_whole_run_shows_the_same_swap() {
    let forms = [
        "idswap_head/state_history.json",
        "idswap_head/checkpoint_tuples.jsonl",
        "idswap_head/checkpoints.sqlite",
        "idswap_head/postgres_rows.jsonl",
        "langsmith/runs.export.jsonl",
        "langsmith/runs.export.lasttrace.jsonl",
        "platform/runs.stream.jsonl",
    ];
    for form in forms {
        let outcome = outcome_of(&recordings().join(form));
        let errors = outcome
            .findings
            .iter()
            .filter(|finding| finding.severity == Severity::Error);
        let errors: Vec<_> = errors.map(|finding| (finding.rule().id(), finding.turn)).collect();
        assert_eq!(errors, [("id-swap", Some(7))], "{form}");
    }
}

#[test]
fn forms_without_the_facts_are_refused_with_a_reason() {
    let folder = recordings().join("idswap_head");
    let refused = [
        (
            "stream.updates.default_str.jsonl",
            "messages as Python repr strings cannot be replayed",
        ),
        ("final.buffer.txt", "buffer text cannot be replayed"),
        ("final.buffer.xml", "buffer text as XML cannot be replayed"),
    ];
    for (name, message) in refused {
        let outcome = outcome_of(&folder.join(name));
        assert!(outcome.files.is_empty() && outcome.findings.is_empty(), "{name}");
        let problems: Vec<_> = outcome
            .problems
            .iter()
            .map(|problem| (problem.message.as_str(), problem.kind))
            .collect();
        assert_eq!(problems, [(message, ProblemKind::Refused)], "{name}");
        assert!(outcome.problems[0].help.is_some(), "{name} has no reason");
    }
}

#[test]
fn a_swap_shows_the_list_that_the_model_reads() {
    let outcome = outcome_of(&recordings().join("idswap_head/stream.values.jsonl"));
    let swap = outcome
        .findings
        .iter()
        .find(|finding| finding.rule().id() == "id-swap")
        .expect("the swap is found");
    let rows = &swap.counterexample.as_ref().expect("a swap has a counterexample").rows;
    let marked: Vec<_> = rows
        .iter()
        .filter_map(|row| Some((row.mark?.as_str(), row.id.as_deref()?, row.text.as_str())))
        .collect();
    assert_eq!(rows.len(), 14);
    assert_eq!(
        marked,
        [
            (
                "injected",
                "u1",
                "<system-reminder> <current_date>2026-08-16, Sunday</current_date> </system-remi…"
            ),
            ("current", "u7", "remove the subtitles"),
            ("taken-for-current", "u1__user", "make me a product intro video"),
        ]
    );
}
