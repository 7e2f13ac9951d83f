//! Recall by construction: clean sessions in every form that the audit reads, one defect planted in each; the audit
//! has to name its rule at its place, and nothing else.
//!
//! `CTXLINT_RECALL=2000 cargo test --release --test recall -- --nocapture` is the long run: so many plantings a
//! form, with a table of what was found. `CTXLINT_RECALL_SEED='<form>/<number>'` runs one again, keeps its file and
//! says what is expected of it.
//!
//! Nothing here knows the rules: sessions are made from an abstract model (`model.rs`, `clean.rs`), defects are
//! planted on it (`plant/`), and one writer a form puts it down (`write/`, where it is said how one is added).
//! `table.toml` says which defect a form can hold, and why not the others.

mod clean;
mod model;
mod plant;
#[path = "../support/mod.rs"]
mod support;
mod table;
mod write;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use ctxlint::finding::Finding;
use ctxlint::outcome::{FileKind, Outcome};
use ctxlint::transcript::{self, AuditOptions};
use rayon::prelude::*;

use self::plant::{Defect, Expected, plant};
use self::support::random::Random;
use self::table::Table;
use self::write::{File, WRITERS, Writer};

/// Plantings of the short run, a form.
const SHORT: usize = 60;

/// Of so many sessions, the last has no defect.
const CLEAN: usize = 5;

/// How often another clean session is made where a defect finds no room in one, or no record would show it.
const TRIES: u64 = 400;

/// A session, and what has to be found in it.
struct Case {
    defect: Option<Defect>,
    file: File,
    expected: Option<Expected>,
}

/// The case of a number: the defects of a form in turn.
fn case(writer: &dyn Writer, defects: &[Defect], number: usize) -> Case {
    let planted = number - number / CLEAN;
    let defect = (number % CLEAN != CLEAN - 1).then(|| defects[planted % defects.len()]);
    let name: u64 = writer
        .name()
        .bytes()
        .fold(7, |sum, byte| sum * 31 % 1_000_003 + u64::from(byte));
    for attempt in 0..TRIES {
        let mut random = Random::new(name.wrapping_mul(1 << 32) + number as u64 * TRIES + attempt);
        let mut maker = clean::session(&mut random, &writer.traits());
        let Some(defect) = defect else {
            let timeline = maker.timeline;
            let file = writer.write(&timeline, &mut random);
            return Case {
                defect: None,
                file,
                expected: None,
            };
        };
        let Some(expected) = plant(defect, &mut maker, &writer.traits()) else {
            continue;
        };
        let timeline = maker.timeline;
        let file = writer.write(&timeline, &mut random);
        if file.lines.of(expected.at).is_some() {
            return Case {
                defect: Some(defect),
                file,
                expected: Some(expected),
            };
        }
    }
    panic!(
        "no session of the form {} has room for the defect {defect:?}",
        writer.name()
    );
}

/// What came of a case.
struct Verdict {
    found: bool,
    /// Findings that nothing explains.
    others: Vec<String>,
}

fn judge(case: &Case, outcome: &Outcome) -> Verdict {
    let stands = |finding: &Finding| (finding.rule().id(), finding.span().start.line as usize);
    let lines = &case.file.lines;
    let place = case
        .expected
        .as_ref()
        .map(|expected| (expected.rule, lines.of(expected.at)));
    let is_it = |finding: &Finding| {
        let (rule, line) = stands(finding);
        place == Some((rule, Some(line)))
    };
    let besides = |finding: &Finding| {
        let (rule, line) = stands(finding);
        case.expected
            .iter()
            .flat_map(|expected| &expected.besides)
            .any(|(other, at)| *other == rule && lines.of(*at) == Some(line))
    };
    let others = outcome
        .findings
        .iter()
        .filter(|finding| !is_it(finding) && !besides(finding))
        .filter(|finding| {
            let (rule, line) = stands(finding);
            !lines.is_known(rule, line)
        });
    Verdict {
        found: case.expected.is_none() || outcome.findings.iter().any(is_it),
        others: others
            .map(|finding| {
                format!(
                    "{} at line {}: {}",
                    finding.rule().id(),
                    finding.span().start.line,
                    finding.message
                )
            })
            .collect(),
    }
}

/// Audits a file; the form has to be recognised, and every record read.
fn audit(writer: &dyn Writer, file: &File, path: &Path) -> Outcome {
    fs::write(path, &file.text).expect("the file can be written");
    let options = AuditOptions {
        paths: vec![path.to_owned()],
        ..AuditOptions::default()
    };
    let outcome = transcript::audit(&options);
    assert_eq!(outcome.problems, [], "{}: {}", writer.name(), path.display());
    let [report] = outcome.files.as_slice() else {
        panic!("{}: not one report", writer.name())
    };
    let FileKind::Transcript { format, coverage, .. } = &report.kind else {
        panic!("{}: no transcript", writer.name())
    };
    assert_eq!(*format, writer.format(), "{}", writer.name());
    assert_eq!(
        coverage.unknown + coverage.malformed,
        0,
        "{}: {:?}",
        writer.name(),
        report.kind
    );
    outcome
}

/// How a defect fared in a form.
#[derive(Clone, Copy, Debug, Default)]
struct Count {
    planted: usize,
    found: usize,
    others: usize,
}

struct Failure {
    seed: String,
    expected: String,
    others: Vec<String>,
}

fn run(writer: &dyn Writer, table: &Table, number: usize, folder: &Path) -> (Option<Defect>, Count, Option<Failure>) {
    let case = case(writer, &table.held_by(writer.name()), number);
    let thread = rayon::current_thread_index().unwrap_or(0);
    let path = folder.join(format!("{thread}.{}", case.file.ending));
    let outcome = audit(writer, &case.file, &path);
    let verdict = judge(&case, &outcome);
    let count = Count {
        planted: usize::from(case.defect.is_some()),
        found: usize::from(case.defect.is_some() && verdict.found),
        others: verdict.others.len(),
    };
    let failure = (!verdict.found || !verdict.others.is_empty()).then(|| Failure {
        seed: format!("{}/{number}", writer.name()),
        expected: told(&case),
        others: verdict.others,
    });
    (case.defect, count, failure)
}

/// What has to be found, in words.
fn told(case: &Case) -> String {
    let Some(expected) = &case.expected else {
        return "nothing".to_owned();
    };
    let line = case.file.lines.of(expected.at).unwrap_or(0);
    format!("{} at line {line}", expected.rule)
}

#[test]
#[expect(clippy::print_stdout, reason = "the long run tells what it measured")]
fn planted_defects_are_found_where_they_are() {
    let table = Table::read();
    if let Ok(seed) = std::env::var("CTXLINT_RECALL_SEED") {
        replay(&table, &seed);
        return;
    }
    let long = std::env::var("CTXLINT_RECALL")
        .ok()
        .and_then(|value| value.parse::<usize>().ok());
    let only = std::env::var("CTXLINT_RECALL_ONLY").ok();
    let folder = support::folder();
    let mut failed: Vec<String> = Vec::new();
    for writer in WRITERS {
        if only.as_ref().is_some_and(|only| !writer.name().contains(only)) {
            continue;
        }
        let plantings = long.unwrap_or(SHORT);
        // Clean sessions come on top.
        let results: Vec<_> = (0..plantings + plantings / (CLEAN - 1))
            .into_par_iter()
            .map(|number| run(*writer, &table, number, folder.path()))
            .collect();
        let mut counts: BTreeMap<Option<Defect>, Count> = BTreeMap::new();
        let mut all = Count::default();
        for (defect, count, _) in &results {
            for sum in [counts.entry(*defect).or_default(), &mut all] {
                sum.planted += count.planted;
                sum.found += count.found;
                sum.others += count.others;
            }
        }
        if long.is_some() {
            for (defect, count) in &counts {
                let defect = defect.map_or("none", Defect::name);
                let Count { planted, found, others } = count;
                println!("{:<32} {defect:<20} {planted:>6} {found:>6} {others:>6}", writer.name());
            }
        }
        if long.is_some() {
            for failure in results.iter().filter_map(|(.., failure)| failure.as_ref()).take(20) {
                println!(
                    "  {}: expected {}, {:?}",
                    failure.seed, failure.expected, failure.others
                );
            }
        }
        let silent = counts.get(&None).is_none_or(|count| count.others == 0);
        // 98 % are found, and of 100 findings one at most is another.
        if all.found * 100 < all.planted * 98 || all.others * 100 > all.planted || !silent {
            let first = results.iter().filter_map(|(.., failure)| failure.as_ref()).take(12);
            let first = first.map(|failure| {
                format!(
                    "  {}: expected {}, also {:#?}",
                    failure.seed, failure.expected, failure.others
                )
            });
            let Count { planted, found, others } = all;
            failed.push(format!(
                "{}: {found} of {planted} found, {others} others\n{}",
                writer.name(),
                first.collect::<Vec<_>>().join("\n")
            ));
        }
    }
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}

/// Runs one seed again and keeps its file.
#[expect(clippy::print_stdout, reason = "it is asked for")]
fn replay(table: &Table, seed: &str) {
    let (name, number) = seed.rsplit_once('/').expect("a seed is `<form>/<number>`");
    let writer = WRITERS
        .iter()
        .find(|writer| writer.name() == name)
        .expect("the form is known");
    let number = number.parse().expect("a seed ends with a number");
    let case = case(*writer, &table.held_by(name), number);
    let path: PathBuf = std::env::temp_dir().join(format!("ctxlint-recall-{number}.{}", case.file.ending));
    let outcome = audit(*writer, &case.file, &path);
    println!("kept as {}", path.display());
    println!("planted {:?}, expected {}", case.defect.map(Defect::name), told(&case));
    for finding in &outcome.findings {
        let also: Vec<&str> = finding.also.iter().map(|rule| rule.id()).collect();
        println!(
            "line {}: {} {also:?}: {}",
            finding.span().start.line,
            finding.rule().id(),
            finding.message
        );
    }
}
