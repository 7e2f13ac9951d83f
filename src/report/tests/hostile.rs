//! Names and messages of somebody who means harm: what is shown of them misleads nobody and leaves no form.

use std::path::PathBuf;
use std::sync::{Arc, LazyLock};

use super::{Format, outcome, report, row, span, suppressed};
use crate::finding::{Counterexample, Excerpt, Finding, Mark, Related, Witness};
use crate::mend::{Applicability, Edit, Fix};
use crate::outcome::{Coverage, FileKind, FileReport, Outcome, Problem, ProblemKind};
use crate::report::text::is_hazard;
use crate::report::{Report, github};
use crate::roots::Roots;
use crate::{fingerprint, rule};

/// What leads out of one of the forms, or misleads a terminal or a reader.
const PIECES: &[&str] = &[
    "a",
    "Z",
    " ",
    "\n",
    "\r\n",
    "\t",
    "\u{1b}[31m",
    "\u{1b}]8;;x\u{7}",
    "\u{0}",
    "\u{8}",
    "\u{9b}",
    "\u{7f}",
    "\u{202e}",
    "\u{2066}",
    "\u{200b}",
    "\u{feff}",
    "\u{e0041}",
    "\u{2028}",
    "\u{85}",
    "\u{ffff}",
    "::error::",
    "%",
    "%0A",
    ",",
    ":",
    "|",
    "`",
    "```",
    "\n```\n",
    "<b>",
    "&amp;",
    "]]>",
    "<!--",
    "[x](1)",
    "](",
    "\\",
    "\"",
    "'",
    "é",
    "😀",
    "שלום",
    "./",
    "/",
    "#",
    "?",
];

/// Throws that are the same on every run.
struct Dice(u64);

impl Dice {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % limit as u64) as usize
    }

    fn text(&mut self) -> String {
        let pieces = 1 + self.below(9);
        (0..pieces).map(|_| PIECES[self.below(PIECES.len())]).collect()
    }
}

/// A run over names and messages of a kind.
fn run(path: &str, mut text: impl FnMut() -> String) -> Outcome {
    let mut finding = Finding::at(&rule::ID_SWAP, Witness::Code, span(path, 1, (1, 3)), text());
    finding.label = Some(text());
    finding.note = Some(text());
    finding.help = Some(text());
    finding.related = vec![Related {
        span: span(path, 2, (1, 3)),
        message: text(),
    }];
    finding.counterexample = Some(Counterexample {
        rows: vec![row("user", &text(), &text(), Some(Mark::Current))],
    });
    finding.step = Some(text());
    finding.fix = Some(Fix {
        title: "mend it",
        applicability: Applicability::Safe,
        path: path.into(),
        edits: vec![Edit {
            range: 0..1,
            start: finding.span().start,
            end: finding.span().end,
            replacement: text(),
        }],
    });
    let mut record = Finding::at(
        &rule::ID_SWAP,
        Witness::Transcript,
        span("run.jsonl", 1, (1, 3)),
        text(),
    );
    record.excerpt = Some(Excerpt {
        name: text(),
        text: format!("{}\n", text()),
        labels: vec![(0..1, text())],
    });
    let mut hidden = suppressed();
    hidden.reason = Some(text());
    let transcript = FileKind::Transcript {
        format: "langgraph-values",
        coverage: Coverage::default(),
        sessions: Vec::new(),
        ignored_for: std::collections::BTreeMap::new(),
        unknown_types: [(text(), 2)].into(),
        limits: Vec::new(),
    };
    let mut outcome = Outcome {
        findings: vec![finding, record],
        files: vec![
            FileReport {
                path: path.into(),
                kind: FileKind::Code { language: "python" },
            },
            FileReport {
                path: "run.jsonl".into(),
                kind: transcript,
            },
        ],
        sources: [(PathBuf::from(path), Arc::from(format!("{}\nyyy\n", text())))].into(),
        suppressed: vec![hidden],
        problems: vec![Problem {
            path: path.into(),
            line: Some(3),
            message: text(),
            help: Some(text()),
            kind: ProblemKind::Failed,
        }],
        ..Outcome::default()
    };
    fingerprint::assign(&mut outcome, &Roots::default());
    outcome
}

/// One of everything.
pub(super) fn ours() -> Outcome {
    let message = "two\nlines\r\n::error::50% [link](evil) `code` <b>&|]]> \u{1b}[31m\u{202e}\u{0}";
    run("a b/ü#%:,\n|\u{202e}].py", || message.to_owned())
}

/// What a format tells of a run. The pages of the rules are nobody else's text.
fn told(outcome: &Outcome, format: Format) -> String {
    let report = Report {
        rules: &[],
        ..report(outcome)
    };
    let mut out = Vec::new();
    format.write(&report, &mut out).expect("a vector takes every write");
    String::from_utf8(out).expect("every format writes UTF-8")
}

/// Runs with many mixtures.
fn mixtures() -> impl Iterator<Item = Outcome> {
    let mut dice = Dice(0x9e37_79b9_7f4a_7c15);
    (0..200).map(move |_| {
        let path = format!("p{}", dice.text());
        run(&path, || dice.text())
    })
}

/// Whether a document is SARIF.
fn is_sarif(text: &str) -> bool {
    static SCHEMA: LazyLock<jsonschema::Validator> = LazyLock::new(|| {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/sarif/sarif-schema-2.1.0.json");
        let schema = std::fs::read_to_string(path).expect("the schema is committed");
        let schema = serde_json::from_str(&schema).expect("the schema is JSON");
        let options = jsonschema::options().with_draft(jsonschema::Draft::Draft7);
        let options = options.should_validate_formats(true);
        options.build(&schema).expect("the schema is a JSON Schema")
    });
    SCHEMA.is_valid(&serde_json::from_str(text).expect("SARIF is JSON"))
}

#[test]
fn no_mixture_leaves_a_form() {
    for outcome in mixtures() {
        let lines = |format: Format| told(&outcome, format).lines().count();
        assert_eq!(lines(Format::Concise), 2);
        assert_eq!(lines(Format::Agent), 3);
        assert_eq!(lines(Format::Github), 4);
        for line in told(&outcome, Format::Jsonl).lines() {
            serde_json::from_str::<serde_json::Value>(line).expect("a line is JSON");
        }
        for format in [Format::Json, Format::Gitlab] {
            let text = told(&outcome, format);
            serde_json::from_str::<serde_json::Value>(&text).expect("the report is JSON");
        }
        let sarif = told(&outcome, Format::Sarif);
        assert!(is_sarif(&sarif), "{sarif}");
        let junit = told(&outcome, Format::Junit);
        let junit = quick_junit::Report::deserialize_from_str(&junit).expect("the report is JUnit's XML");
        assert_eq!((junit.tests, junit.failures, junit.errors), (3, 2, 1));
        let table = github::step_summary(&report(&outcome), 1 << 20);
        let rows = table
            .lines()
            .filter(|line| line.starts_with('|'))
            .map(|row| row.matches('|').count());
        assert_eq!(rows.collect::<Vec<_>>(), [5; 4], "{table}");
    }
}

#[test]
fn no_format_prints_what_misleads_a_terminal() {
    for format in Format::ALL {
        for outcome in mixtures().chain([outcome(), ours()]) {
            let text = told(&outcome, format);
            let hazard = text.chars().find(|&c| c != '\n' && is_hazard(c));
            assert_eq!(hazard, None, "{}: {text}", format.as_str());
        }
    }
}

#[test]
fn no_text_becomes_a_tag_of_the_page() {
    static TAG: LazyLock<regex::Regex> = LazyLock::new(|| regex::Regex::new("<[^>]*>").expect("a literal pattern"));
    let made = |outcome: &Outcome| {
        let page = told(outcome, Format::Html);
        let (_, body) = page.split_once("<body").expect("a page has a body");
        let (body, _) = body.split_once("<script>").expect("a page ends with its script");
        let names = TAG.find_iter(body).map(|tag| {
            let name = tag.as_str().trim_start_matches(['<', '/']);
            name.split([' ', '>']).next().unwrap_or_default().to_owned()
        });
        names.collect::<Vec<_>>()
    };
    let plain: std::collections::BTreeSet<String> = made(&run("plain.py", || "plain words".to_owned()))
        .into_iter()
        .collect();
    assert!(plain.contains("li"), "{plain:?}");
    for outcome in mixtures() {
        let others: Vec<String> = made(&outcome)
            .into_iter()
            .filter(|name| !plain.contains(name))
            .collect();
        assert_eq!(others, Vec::<String>::new());
    }
}

#[test]
fn a_line_for_a_finding_stays_one_line() {
    for (format, lines) in [
        (Format::Concise, 2),
        (Format::Agent, 3),
        (Format::Json, 1),
        (Format::Jsonl, 3),
    ] {
        let text = told(&ours(), format);
        assert_eq!(text.lines().count(), lines, "{}: {text}", format.as_str());
    }
}

#[test]
fn sarif_neutralises_what_strangers_wrote() {
    let text = told(&ours(), Format::Sarif);
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
fn a_command_of_github_is_not_left_by_what_strangers_wrote() {
    let text = told(&ours(), Format::Github);
    let lines: Vec<_> = text.lines().collect();
    let [unread, command, _record, last] = lines[..] else {
        panic!("three commands and one line more: {text}");
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

    let table = github::step_summary(&report(&ours()), 1 << 20);
    let row = table.lines().find(|line| line.starts_with("| error")).expect("a row");
    assert_eq!(row.matches('|').count(), 5, "{row}");
    assert!(
        !row.contains("<b>") && !row.contains("](") && row.matches('`').count() == 2,
        "{row}"
    );
}

#[test]
fn xml_is_not_left_by_what_strangers_wrote() {
    let mut outcome = ours();
    outcome.findings[0].message.push('\u{ffff}');
    let text = told(&outcome, Format::Junit);
    let document = quick_junit::Report::deserialize_from_str(&text).expect("the report is JUnit's XML");
    let [unread, case, _record] = &document.test_suites[0].test_cases[..] else {
        panic!("three tests: {text}");
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
