//! The pieces that most of a run's time goes into, each by itself: `cargo bench`, or `cargo bench -- scanner` for some.
//!
//! What the whole program costs beside others is for `benches/compare`.

mod inputs;
#[path = "../../tests/support/random.rs"]
mod random;

use std::fmt::Write;
use std::fs;
use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use criterion::{BenchmarkGroup, Criterion, Throughput, criterion_group, criterion_main, measurement::WallTime};
use ctxlint::code::{self, CheckOptions};
use ctxlint::history::reducer::{History, Reducer};
use ctxlint::pieces::{self, Scanner};
use ctxlint::transcript::{self, AuditOptions};
use inputs::{MADE, SEED, prose, session, updates};
use random::Random;
use serde_json::json;

/// A group whose rows are told as bytes a second.
fn over<'c>(criterion: &'c mut Criterion, name: &str, bytes: usize) -> BenchmarkGroup<'c, WallTime> {
    let mut group = criterion.benchmark_group(name);
    group.throughput(Throughput::Bytes(bytes as u64));
    group
}

fn scanner(criterion: &mut Criterion) {
    let random = &mut Random::new(SEED);
    let line = |number: usize, content: String| {
        let id = format!("m-{number:08}");
        json!(["updates", {"agent": {"messages": [{"type": "ai", "id": id, "content": content}]}}]).to_string()
    };
    let short: Vec<String> = (0..3_000).map(|number| line(number, prose(random, 220))).collect();
    let long: Vec<String> = (0..20).map(|number| line(number, prose(random, 50_000))).collect();
    for (name, lines) in [("lines of 310 bytes", short), ("lines of 50 KB", long)] {
        let bytes = lines.iter().map(String::len).sum();
        let mut scanner = Scanner::default();
        over(criterion, "scanner", bytes).bench_function(name, |bencher| {
            bencher.iter(|| {
                for line in &lines {
                    assert!(scanner.scan(black_box(line)), "each line is JSON");
                }
            });
        });
    }
}

fn fold(criterion: &mut Criterion) {
    const COUNT: u64 = 10_000;
    let updates = updates(COUNT);
    let mut group = criterion.benchmark_group("fold");
    group.throughput(Throughput::Elements(COUNT));
    for reducer in [Reducer::AddMessages, Reducer::Delta, Reducer::OperatorAdd] {
        group.bench_function(reducer.name(), |bencher| {
            bencher.iter(|| {
                let mut history = History::new(reducer);
                let mut fresh = COUNT;
                for update in &updates {
                    let folded = history.apply(update.clone(), &mut || {
                        fresh += 1;
                        fresh
                    });
                    folded.expect("what is removed is there");
                }
                history.into_entries().len()
            });
        });
    }
}

fn audit(criterion: &mut Criterion) {
    let text = session(40);
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    let path = folder.path().join("session.jsonl");
    fs::write(&path, &text).expect("a temporary folder can be written to");
    let options = AuditOptions {
        paths: vec![path],
        ..AuditOptions::default()
    };
    over(criterion, "audit", text.len()).bench_function("a session of Claude Code", |bencher| {
        bencher.iter(|| {
            let outcome = transcript::audit(black_box(&options));
            assert_eq!(
                (outcome.files.len(), outcome.problems.len()),
                (1, 0),
                "the session is read whole"
            );
            outcome
        });
    });
}

fn code(criterion: &mut Criterion) {
    for made in &MADE {
        let text = made.file(40);
        over(criterion, "lower", text.len()).bench_function(made.language, |bencher| {
            bencher.iter(|| {
                assert!(
                    pieces::lowers(Path::new(made.name), black_box(&text)),
                    "the file can be parsed"
                );
            });
        });
        let path = PathBuf::from(made.name);
        let given: Arc<str> = text.as_str().into();
        let options = CheckOptions {
            paths: vec![path.clone()],
            texts: [(path, given)].into(),
            ..CheckOptions::default()
        };
        over(criterion, "check", text.len()).bench_function(made.language, |bencher| {
            bencher.iter(|| {
                let outcome = code::check(black_box(&options));
                assert!(
                    outcome.problems.is_empty() && !outcome.findings.is_empty(),
                    "the faults are found"
                );
                outcome
            });
        });
    }
}

/// A text that has to be read to its end, since it has none of the words.
fn word_filter(criterion: &mut Criterion) {
    let text = MADE[0].plain.replace("{n}", "3").repeat(500);
    over(criterion, "word filter", text.len()).bench_function("a file without the words", |bencher| {
        bencher.iter(|| {
            assert!(
                !pieces::has_words(black_box(&text)),
                "nothing in it is about a conversation"
            )
        });
    });
}

fn secrets(criterion: &mut Criterion) {
    let random = &mut Random::new(SEED);
    let plain = prose(random, 100_000);
    // Put together here, so that nobody who looks for real ones finds them.
    let prefixes = [concat!("gh", "p_"), concat!("s", "k-")];
    let mut sown = String::new();
    for number in 0..200 {
        let body: String = (0..36).map(|_| char::from(b"aB3dE5gH7j"[random.below(10)])).collect();
        sown += &prose(random, 450);
        let _ = writeln!(sown, "key = {}{body}", prefixes[number % 2]);
    }
    for (name, text) in [("text without secrets", plain), ("a secret every 500 bytes", sown)] {
        over(criterion, "secrets", text.len()).bench_function(name, |bencher| {
            bencher.iter(|| pieces::masked(black_box(&text)).len());
        });
    }
}

criterion_group!(benches, scanner, fold, audit, code, word_filter, secrets);
criterion_main!(benches);
