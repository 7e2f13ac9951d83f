//! What fuzz targets run: each function takes any bytes and panics where something that always holds does not.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::code::{self, CheckOptions};
use crate::config;
use crate::finding::{Finding, Position};
use crate::history::fold_rows;
use crate::history::reducer::Reducer;
use crate::outcome::{Comment, Outcome};
use crate::report;
use crate::secrets;
use crate::suppress;
use crate::transcript::{self, AuditOptions, ReplayFormat, ReplayOptions};

/// What files of recorded runs are called.
const ENDINGS: [&str; 8] = ["jsonl", "json", "log", "sse", "xml", "gz", "zip", "db"];

/// The scanner and `serde_json` on one text.
pub fn scanner(data: &[u8]) {
    if let Ok(text) = std::str::from_utf8(data) {
        transcript::fuzzed::scanner(text);
    }
}

/// An audit and a replay of a file. The first byte chooses the format, or none; the second what the file is called.
///
/// # Panics
///
/// A file is not accounted for, a finding stands outside of it, or a second audit finds something else.
pub fn recorded(data: &[u8], folder: &Path) {
    let [format, ending, data @ ..] = data else { return };
    let formats = transcript::input_formats();
    let format = formats.get(usize::from(*format)).map(|name| (*name).to_owned());
    let ending = ENDINGS[usize::from(*ending) % ENDINGS.len()];
    let path = folder.join(format!("run.{ending}"));
    fs::write(&path, data).expect("the folder of the target can be written to");
    let options = AuditOptions {
        paths: vec![path.clone()],
        input_format: format.clone(),
        ..AuditOptions::default()
    };
    let outcome = transcript::audit(&options);
    assert!(
        outcome.files.len() + outcome.problems.len() > 0,
        "the file is not accounted for"
    );
    let is_text = !matches!(ending, "gz" | "zip" | "db");
    if is_text {
        let lines = data.iter().filter(|byte| **byte == b'\n').count() as u32 + 1;
        let inside = |finding: &Finding| finding.span().start.line <= lines;
        assert!(outcome.findings.iter().all(inside), "a finding stands behind the file");
    }
    let again = transcript::audit(&options);
    assert_eq!(shown(&outcome.findings), shown(&again.findings));
    let options = ReplayOptions {
        path,
        input_format: format,
        turn: None,
        format: ReplayFormat::Json,
        markers: transcript::Markers::default(),
        adapters: transcript::Adapters::default(),
        width: 80,
        color: false,
    };
    let mut out = Vec::new();
    if transcript::replay(&options, &mut out).is_ok() && !out.is_empty() {
        serde_json::from_slice::<serde_json::Value>(&out).expect("a replay is JSON");
    }
}

fn shown(findings: &[Finding]) -> Vec<String> {
    findings.iter().map(|finding| format!("{finding:?}")).collect()
}

/// Rows folded by every reducer.
///
/// # Panics
///
/// A row is lost, or its line is no JSON.
pub fn fold(data: &[u8]) {
    let [reducer, data @ ..] = data else { return };
    let reducers = [
        Reducer::AddMessages,
        Reducer::Channel,
        Reducer::Delta,
        Reducer::Js,
        Reducer::OperatorAdd,
        Reducer::LastValue,
    ];
    let reducer = reducers[usize::from(*reducer) % reducers.len()];
    let mut out = Vec::new();
    let mut malformed = 0;
    let summary = fold_rows::run(reducer, data, &mut out, |_| malformed += 1).expect("memory can be read and written");
    let rows = data
        .split(|byte| *byte == b'\n')
        .filter(|line| !line.trim_ascii().is_empty());
    assert_eq!(rows.count() as u64, summary.rows + summary.malformed);
    assert_eq!(malformed, summary.malformed);
    let lines: Vec<&[u8]> = out
        .split(|byte| *byte == b'\n')
        .filter(|line| !line.is_empty())
        .collect();
    assert_eq!(lines.len() as u64, summary.rows);
    for line in lines {
        serde_json::from_slice::<serde_json::Value>(line).expect("a folded row is JSON");
    }
}

/// A file of code, checked. The first byte chooses the language.
///
/// # Panics
///
/// A finding stands outside of the file.
pub fn checked(data: &[u8]) {
    let [language, data @ ..] = data else { return };
    let names = ["m.py", "m.rs", "m.ts", "m.tsx", "m.js"];
    let path = PathBuf::from(names[usize::from(*language) % names.len()]);
    let text: Arc<str> = String::from_utf8_lossy(data).into();
    let lines = text.lines().count() as u32 + 1;
    let outcome = code::check(&CheckOptions {
        paths: vec![path.clone()],
        texts: [(path, text)].into(),
        ..CheckOptions::default()
    });
    let inside = |finding: &Finding| finding.span().start.line <= lines && finding.span().end.line <= lines;
    assert!(outcome.findings.iter().all(inside), "a finding stands behind the file");
}

/// A configuration, read as its own file and as a part of another.
pub fn settings(data: &[u8]) {
    if let Ok(text) = std::str::from_utf8(data) {
        config::fuzzed(text);
    }
}

/// Comments, one a line.
pub fn ignores(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let comments = text.lines().enumerate().map(|(at, line)| Comment {
        path: PathBuf::from("m.py"),
        start: Position {
            line: at as u32 + 1,
            column: 1,
        },
        text: line.to_owned(),
        own_line: at % 3 > 0,
    });
    let mut outcome = Outcome {
        comments: comments.collect(),
        ..Outcome::default()
    };
    suppress::apply(&mut outcome, |_| true);
}

/// A stranger's text on its way to a terminal.
///
/// # Panics
///
/// Something that acts on a terminal is left, or what is masked is masked otherwise the second time.
pub fn told(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    report::fuzzed(&text);
    let masked = secrets::masked(&text);
    assert_eq!(masked, secrets::masked(&masked));
}
