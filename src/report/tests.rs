//! Each format over one small run that has everything a finding can have.

use std::path::PathBuf;
use std::sync::Arc;

use super::{Format, Half, Report, github};
use crate::finding::{
    Confidence, Counterexample, Excerpt, Finding, Mark, ModelRow, Position, Related, Severity, Span, Witness,
};
use crate::fingerprint;
use crate::mend::{Applicability, Edit, Fix};
use crate::outcome::{Coverage, FileKind, FileReport, Limit, Outcome, Problem, ProblemKind, Suppressed, SuppressedBy};
use crate::report::text::is_hazard;
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

/// A run over names and messages of somebody who means harm.
fn hostile() -> Outcome {
    let message = "two\nlines\r\n::error::50% [link](evil) `code` <b>&|]]> \u{1b}[31m\u{202e}\u{0}";
    let path = "a b/ü#%:,\n|\u{202e}].py";
    let mut finding = Finding::at(&rule::ID_SWAP, Witness::Code, span(path, 1, (1, 3)), message);
    finding.label = Some(message.to_owned());
    finding.note = Some(message.to_owned());
    finding.help = Some(message.to_owned());
    finding.related = vec![Related {
        span: span(path, 2, (1, 3)),
        message: message.to_owned(),
    }];
    finding.counterexample = Some(Counterexample {
        rows: vec![row("user", message, message, Some(Mark::Current))],
    });
    finding.step = Some(message.to_owned());
    let mut hidden = suppressed();
    hidden.reason = Some(message.to_owned());
    let mut outcome = Outcome {
        findings: vec![finding],
        files: vec![FileReport {
            path: path.into(),
            kind: FileKind::Code { language: "python" },
        }],
        sources: [(PathBuf::from(path), Arc::from("\u{202e}x\u{7}\nyyy"))].into(),
        suppressed: vec![hidden],
        problems: vec![Problem {
            path: path.into(),
            line: Some(3),
            message: message.to_owned(),
            help: None,
            kind: ProblemKind::Failed,
        }],
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
        color: false,
        quiet: false,
        unsafe_fixes: false,
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
    outcome.problems = hostile().problems;
    let unread = "nothing was checked, 1 file could not be read (see stderr)";
    assert_eq!(last(&outcome).as_deref(), Some(unread));
    outcome.files = hostile().files;
    let clean = "checked 1 file: no findings, 1 file could not be read (see stderr)";
    assert_eq!(last(&outcome).as_deref(), Some(clean));
}

#[test]
fn no_format_prints_what_misleads_a_terminal() {
    for format in Format::ALL {
        for outcome in [outcome(), hostile()] {
            let text = written(&outcome, format, false);
            let hazard = text.chars().find(|&c| c != '\n' && is_hazard(c));
            assert_eq!(hazard, None, "{}: {text}", format.as_str());
        }
    }
}

#[test]
fn a_line_for_a_finding_stays_one_line() {
    for (format, lines) in [
        (Format::Concise, 1),
        (Format::Agent, 2),
        (Format::Json, 1),
        (Format::Jsonl, 2),
    ] {
        let text = written(&hostile(), format, false);
        assert_eq!(text.lines().count(), lines, "{}: {text}", format.as_str());
    }
}

#[test]
fn json_is_the_contract() {
    let text = written(&outcome(), Format::Json, false);
    assert_eq!(text.lines().count(), 1);
    assert!(
        text.contains(r"\u001b[31m\u202e"),
        "hazards are escaped, not lost: {text}"
    );
    snapshot("report_json", &pretty(&text));
}

/// A document in many lines, with the version of the program taken out.
fn pretty(text: &str) -> String {
    let value: serde_json::Value = serde_json::from_str(text).expect("the report is JSON");
    let pretty = serde_json::to_string_pretty(&value).expect("a value serialises");
    pretty
        .replace('\u{202e}', "\\u202e")
        .replace(env!("CARGO_PKG_VERSION"), "[version]")
}

#[test]
fn json_lines_are_the_findings_and_a_summary() {
    let text = written(&outcome(), Format::Jsonl, false);
    let [first, .., summary] = text.lines().collect::<Vec<_>>()[..] else {
        panic!("a line a finding and one more: {text}");
    };
    assert!(
        first.starts_with("{\"type\":\"finding\",\"version\":1,\"rule\":\"head-scan-attach\","),
        "{first}"
    );
    snapshot("report_jsonl_summary", &pretty(summary));
}

#[test]
fn sarif_tells_code_scanning_everything() {
    let outcome = outcome();
    let rules = [&rule::HEAD_SCAN_ATTACH, &rule::ID_SWAP];
    let few = Report {
        rules: &rules,
        ..report(&outcome)
    };
    let mut out = Vec::new();
    Format::Sarif.write(&few, &mut out).expect("a vector takes every write");
    let text = String::from_utf8(out).expect("SARIF is UTF-8");
    // The pages of the rules are no part of this snapshot.
    let page = regex::Regex::new(r#""(text|markdown)": "(?:What|## What) [^\n]*""#).expect("a constant pattern");
    snapshot("report_sarif", &page.replace_all(&pretty(&text), r#""$1": "[page]""#));
}

#[test]
fn sarif_neutralises_what_strangers_wrote() {
    let text = written(&hostile(), Format::Sarif, false);
    let log: serde_json::Value = serde_json::from_str(&text).expect("the report is JSON");
    let run = &log["runs"][0];
    let result = &run["results"][0];
    let message = result["message"]["text"].as_str().expect("a message is text");
    assert!(
        message.starts_with("two lines  ::error::50% [link\\](evil) `code` <b>&|]]> ␛[31m\u{fffd}␀."),
        "{message}"
    );
    assert!(!message.contains('\n'), "{message}");
    let markdown = result["message"]["markdown"]
        .as_str()
        .expect("there is a counterexample");
    let (told, _list) = markdown.split_once("```").expect("the list is a block of code");
    assert!(!told.contains("<b>") && !told.contains("](evil)"), "{told}");
    let uri = "a%20b/%C3%BC%23%25%3A,%0A%7C%E2%80%AE%5D.py";
    assert_eq!(
        result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"],
        uri
    );
    assert_eq!(
        result["relatedLocations"][0]["physicalLocation"]["artifactLocation"]["uri"],
        uri
    );
    assert_eq!(run["invocations"][0]["executionSuccessful"], false);
    assert_eq!(run["invocations"][0]["toolExecutionNotifications"][0]["level"], "error");
}

#[test]
fn of_too_many_findings_sarif_keeps_the_gravest_in_order() {
    let mut outcome = outcome();
    outcome.findings = (1..=5_100)
        .map(|line| {
            let mut finding = Finding::at(&rule::ID_SWAP, Witness::Code, span("bot.py", line, (1, 2)), "one");
            if line % 3 == 0 {
                finding.severity = Severity::Info;
            }
            finding
        })
        .collect();
    let text = written(&outcome, Format::Sarif, false);
    let log: serde_json::Value = serde_json::from_str(&text).expect("the report is JSON");
    let results = log["runs"][0]["results"].as_array().expect("results are a list");
    assert_eq!(results.len(), 5_000);
    let graver = results.iter().filter(|result| result["level"] == "error").count();
    assert_eq!(graver, 3_400);
    assert!(
        results
            .iter()
            .all(|result| result["suppressions"] == serde_json::json!([]))
    );
    let lines: Vec<_> = results
        .iter()
        .map(|result| result["locations"][0]["physicalLocation"]["region"]["startLine"].as_u64())
        .collect();
    assert!(lines.is_sorted());
    let said = Format::Sarif.left_out(&outcome).expect("findings are left out");
    assert!(
        said.contains("5000 of 5101 findings") && said.contains("101 are left out"),
        "{said}"
    );
    assert_eq!(
        log["runs"][0]["invocations"][0]["toolExecutionNotifications"][0]["message"]["text"],
        said.as_str()
    );
}

#[test]
fn github_gets_commands_and_a_summary() {
    snapshot("report_github", &written(&outcome(), Format::Github, false));
    snapshot(
        "report_github_step",
        &github::step_summary(&report(&outcome()), 1 << 20),
    );
}

#[test]
fn a_command_of_github_is_not_left_by_what_strangers_wrote() {
    let text = written(&hostile(), Format::Github, false);
    let lines: Vec<_> = text.lines().collect();
    let [unread, command, last] = lines[..] else {
        panic!("two commands and one line more: {text}");
    };
    let file = "file=a b/ü#%25%3A%2C |\u{fffd}].py,line=";
    assert!(
        unread.starts_with(&format!("::error {file}3,title=not read::a b/ü#%25:, |")),
        "{unread}"
    );
    let rest = "1,endLine=1,col=1,endColumn=3,title=id-swap::a b/ü#%25:, |\u{fffd}].py:1:1: id-swap: two lines  ::error::50%25 [";
    assert!(command.starts_with(&format!("::error {file}{rest}")), "{command}");
    assert_eq!(command.matches("%0A").count(), 1, "{command}");
    assert!(last.starts_with("ctxlint check: "), "{last}");

    let table = github::step_summary(&report(&hostile()), 1 << 20);
    let row = table.lines().find(|line| line.starts_with("| error")).expect("a row");
    assert_eq!(row.matches('|').count(), 5, "{row}");
    assert!(
        !row.contains("<b>") && !row.contains("](") && row.matches('`').count() == 2,
        "{row}"
    );
}

#[test]
fn the_summary_of_a_step_has_room_for_so_much() {
    let mut outcome = outcome();
    outcome.findings = vec![outcome.findings.remove(0); 900];
    let table = github::step_summary(&report(&outcome), 20_000);
    assert!((10_000..=20_000).contains(&table.len()), "{}", table.len());
    let rows = table.lines().filter(|line| line.starts_with("| error")).count();
    let left = format!("\nNo room is left for {} more: they stand in the log.\n", 900 - rows);
    assert!(table.contains(&left), "{table}");
    assert!(github::step_summary(&report(&outcome), 0).len() < 200);
}

#[test]
fn gitlab_gets_a_list_of_issues() {
    snapshot("report_gitlab", &pretty(&written(&outcome(), Format::Gitlab, false)));
}

#[test]
fn junit_is_a_test_a_finding_and_a_test_a_clean_file() {
    let mut outcome = outcome();
    outcome.files.push(FileReport {
        path: "clean.py".into(),
        kind: FileKind::Code { language: "python" },
    });
    outcome.findings.push(outcome.findings[2].clone());
    outcome.findings[2].severity = Severity::Info;
    outcome.problems = hostile().problems;
    snapshot("report_junit", &written(&outcome, Format::Junit, false));
}

#[test]
fn xml_is_not_left_by_what_strangers_wrote() {
    let mut outcome = hostile();
    outcome.findings[0].message.push('\u{ffff}');
    let text = written(&outcome, Format::Junit, false);
    let document = quick_junit::Report::deserialize_from_str(&text).expect("the report is JUnit's XML");
    let [unread, case] = &document.test_suites[0].test_cases[..] else {
        panic!("two tests: {text}");
    };
    assert_eq!(unread.name.as_str(), "a b/ü#%:, |\u{fffd}].py");
    assert_eq!(case.name.as_str(), "a b/ü#%:, |\u{fffd}].py: id-swap");
    let quick_junit::TestCaseStatus::NonSuccess { message, .. } = &case.status else {
        panic!("a failure: {text}");
    };
    let message = message.as_ref().map(quick_junit::XmlString::as_str);
    assert_eq!(
        message,
        Some("two lines  ::error::50% [link](evil) `code` <b>&|]]> ␛[31m\u{fffd}␀\u{fffd}")
    );
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
