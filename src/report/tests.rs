//! Each format over one small run that has everything a finding can have.

mod hostile;
mod machines;

use std::path::PathBuf;
use std::sync::Arc;

use super::{Format, Half, Report};
use crate::finding::{
    Confidence, Counterexample, Excerpt, Finding, Mark, ModelRow, Position, Related, Severity, Span, Witness,
};
use crate::fingerprint;
use crate::mend::{Applicability, Edit, Fix};
use crate::outcome::{Coverage, FileKind, FileReport, Limit, Outcome, Suppressed, SuppressedBy};
use crate::roots::Roots;
use crate::rule::{self, Rule};

const SOURCE: &str = "\
def attach(log):
    # the oldest request, not the newest
    at = next(i for i, m in enumerate(log) if m.type == \"human\")
    return swap(log[at])


def swap(m):
    return [Note(id=m.id), Ask(id=f\"{m.id}__ask\", content=m.content)]
";

fn span(path: &str, line: u32, columns: (u32, u32)) -> Span {
    let at = |column| Position { line, column };
    Span {
        path: path.into(),
        start: at(columns.0),
        end: at(columns.1),
    }
}

fn row(role: &str, id: &str, text: &str, mark: Option<Mark>) -> ModelRow {
    ModelRow {
        id: Some(id.to_owned()),
        role: role.to_owned(),
        text: text.to_owned(),
        mark,
    }
}

fn in_code() -> Finding {
    let message = "the first match of this search is the target of an id swap";
    let mut finding = Finding::at(
        &rule::HEAD_SCAN_ATTACH,
        Witness::Code,
        span("bot.py", 3, (10, 64)),
        message,
    );
    finding.label = Some("finds the oldest request".to_owned());
    finding.related = vec![
        Related {
            span: span("bot.py", 4, (17, 24)),
            message: "used as the target here".to_owned(),
        },
        Related {
            span: span("util.py", 8, (1, 9)),
            message: "whose id is taken here".to_owned(),
        },
    ];
    finding.note = Some("in a conversation of one turn the first match is also the last".to_owned());
    finding.help = Some(
        "state: rebuild what changes for every call and leave the history alone, or search from the newest message \
         so that the match is the question of the current turn"
            .to_owned(),
    );
    finding.counterexample = Some(Counterexample {
        rows: vec![
            row("system", "q1", "It is Monday.", Some(Mark::Injected)),
            row("assistant", "a1", "Sown.", None),
            row("user", "q2", "Water the beans", Some(Mark::Current)),
            row("user", "q1__ask", "Sow the peas", Some(Mark::TakenForCurrent)),
        ],
    });
    finding
}

fn in_record() -> Finding {
    let message = "the request of turn 1 comes back behind the current one \u{1b}[31m\u{202e}";
    let mut finding = Finding::at(
        &rule::REORDERED_HISTORY,
        Witness::Transcript,
        span("run.jsonl", 9, (1, 400)),
        message,
    );
    finding.confidence = Confidence::Medium;
    finding.also = vec![&rule::DISPLACED_QUESTION];
    finding.turn = Some(7);
    finding.step = Some("before_agent".to_owned());
    finding.excerpt = Some(Excerpt {
        name: "run.jsonl:9:1, turn 7".to_owned(),
        text: "user       u7       Water the\u{7} beans\nuser       u1__ask  Sow the peas\n".to_owned(),
        labels: vec![(38..70, "moved to the tail".to_owned())],
    });
    finding
}

/// A finding of several lines, with a fix.
fn over_lines() -> Finding {
    let span = Span {
        path: "bot.py".into(),
        start: Position { line: 7, column: 1 },
        end: Position { line: 8, column: 70 },
    };
    let mut finding = Finding::at(
        &rule::ID_SWAP,
        Witness::Code,
        span,
        "a message of `swap[m](x)` takes an id",
    );
    finding.severity = Severity::Warn;
    let at = |column| Position { line: 8, column };
    finding.fix = Some(Fix {
        title: "let the new message have the new id",
        applicability: Applicability::Unsafe,
        path: "bot.py".into(),
        edits: vec![Edit {
            range: 200..207,
            start: at(13),
            end: at(20),
            replacement: "\n".to_owned(),
        }],
    });
    finding
}

fn limit(rule: &'static Rule, in_part: bool, why: &'static str) -> Limit {
    Limit { rule, in_part, why }
}

fn outcome() -> Outcome {
    let transcript = FileKind::Transcript {
        format: "langgraph-values",
        coverage: Coverage {
            understood: 9,
            ignored: 1,
            unknown: 2,
            malformed: 0,
        },
        sessions: Vec::new(),
        ignored_for: std::collections::BTreeMap::new(),
        unknown_types: [("heartbeat".to_owned(), 2)].into(),
        limits: vec![
            limit(&rule::IGNORED_INSERT, false, "a state shows no updates"),
            limit(&rule::ID_SWAP, true, "where ids are known"),
            limit(&rule::IGNORED_TRIM, false, "a state shows no updates"),
        ],
    };
    let mut outcome = Outcome {
        findings: vec![in_code(), over_lines(), in_record()],
        files: vec![
            FileReport {
                path: "bot.py".into(),
                kind: FileKind::Code { language: "python" },
            },
            FileReport {
                path: "run.jsonl".into(),
                kind: transcript,
            },
        ],
        sources: [(PathBuf::from("bot.py"), Arc::from(SOURCE))].into(),
        hidden: 3,
        suppressed: vec![suppressed()],
        ..Outcome::default()
    };
    fingerprint::assign(&mut outcome, &Roots::default());
    outcome
}

fn suppressed() -> Suppressed {
    let mut finding = Finding::at(&rule::ID_SWAP, Witness::Code, span("bot.py", 8, (13, 16)), "an id swap");
    finding.fingerprint = Some("00112233445566778899aabbccddeeff".to_owned());
    Suppressed {
        finding,
        by: SuppressedBy::Comment,
        reason: Some("ids are ours".to_owned()),
    }
}

fn report(outcome: &Outcome) -> Report<'_> {
    static ROOTS: std::sync::LazyLock<Roots> = std::sync::LazyLock::new(Roots::default);
    Report {
        outcome,
        half: Half::Check,
        width: 100,
        color: false,
        quiet: false,
        unsafe_fixes: false,
        coverage: false,
        cost: false,
        fail_on: Severity::Warn,
        roots: &ROOTS,
        rules: rule::RULES,
    }
}

fn written(outcome: &Outcome, format: Format, color: bool) -> String {
    let report = Report {
        color,
        ..report(outcome)
    };
    let mut out = Vec::new();
    format.write(&report, &mut out).expect("a vector takes every write");
    String::from_utf8(out).expect("every format writes UTF-8")
}

fn snapshot(name: &str, text: &str) {
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path("../../snapshots");
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(|| insta::assert_snapshot!(name, text));
}

#[test]
fn human_shows_the_excerpt_the_list_and_the_mend() {
    snapshot("report_human", &written(&outcome(), Format::Human, false));
}

#[test]
fn concise_is_one_line_a_finding() {
    snapshot("report_concise", &written(&outcome(), Format::Concise, false));
}

#[test]
fn agent_is_one_line_a_finding_and_one_more() {
    snapshot("report_agent", &written(&outcome(), Format::Agent, false));
}

#[test]
fn the_last_line_for_agents_tells_how_the_run_ended() {
    let last = |outcome: &Outcome| {
        let text = written(outcome, Format::Agent, false);
        text.lines().last().map(str::to_owned)
    };
    let mut outcome = Outcome::default();
    assert_eq!(last(&outcome).as_deref(), Some("nothing was checked"));
    outcome.problems = hostile::ours().problems;
    let unread = "nothing was checked, 1 file could not be read (see stderr)";
    assert_eq!(last(&outcome).as_deref(), Some(unread));
    outcome.files.push(hostile::ours().files.remove(0));
    let clean = "checked 1 file: no findings, 1 file could not be read (see stderr)";
    assert_eq!(last(&outcome).as_deref(), Some(clean));
}

#[test]
fn colours_change_nothing_but_colours() {
    let outcome = outcome();
    let coloured = written(&outcome, Format::Human, true);
    assert!(coloured.contains('\u{1b}'));
    let escape = regex::Regex::new("\u{1b}\\[[0-9;]*m").expect("a constant pattern");
    assert_eq!(
        escape.replace_all(&coloured, ""),
        written(&outcome, Format::Human, false)
    );
}

#[test]
fn a_label_far_along_a_long_line_is_still_in_sight() {
    let line = format!("{}TARGET{}\n", "x".repeat(5_000), "y".repeat(5_000));
    let mut outcome = outcome();
    outcome.sources.insert("bot.py".into(), Arc::from(line));
    let mut finding = Finding::at(&rule::ID_SWAP, Witness::Code, span("bot.py", 1, (5_001, 5_007)), "far");
    finding.label = Some("here".to_owned());
    outcome.findings = vec![finding];
    let text = written(&outcome, Format::Human, false);
    assert!(text.contains("[bot.py:1:5001]"), "{text}");
    assert!(text.contains("xTARGETy"), "{text}");
    assert!(text.lines().all(|line| line.chars().count() < 200), "{text}");
}

#[test]
fn frames_far_apart_are_named_after_their_own_labels() {
    let mut outcome = outcome();
    let source = "line()\n".repeat(90);
    outcome.sources.insert("bot.py".into(), Arc::from(source));
    let mut finding = Finding::at(&rule::ID_SWAP, Witness::Code, span("bot.py", 80, (1, 5)), "far apart");
    finding.related = vec![Related {
        span: span("bot.py", 10, (1, 5)),
        message: "found here".to_owned(),
    }];
    outcome.findings = vec![finding];
    let text = written(&outcome, Format::Human, false);
    let frames: Vec<_> = text.lines().filter(|line| line.contains('╭')).map(str::trim).collect();
    assert_eq!(frames, ["╭─[bot.py:10:1]", "╭─[bot.py:80:1]"]);
}

#[test]
fn a_place_outside_the_text_is_no_reason_to_fail() {
    let mut outcome = outcome();
    outcome.findings = vec![
        Finding::at(
            &rule::ID_SWAP,
            Witness::Code,
            span("bot.py", 900, (5, 7)),
            "after the end",
        ),
        Finding::at(&rule::ID_SWAP, Witness::Code, span("gone.py", 1, (1, 2)), "no text"),
    ];
    let text = written(&outcome, Format::Human, false);
    assert!(text.contains("[bot.py:900:5]"), "{text}");
    assert!(text.contains("at gone.py:1:1"), "{text}");
}
