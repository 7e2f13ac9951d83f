//! Broken and hostile variants of the fixtures of every format: no panic, whatever is in a file.
//!
//! Mutations of the fixtures, not coverage-guided. `CTXLINT_FUZZ=2000000 cargo test --release --test fuzz_formats
//! -- --nocapture` is the long run: it also says which input took longest and how much memory the process took at
//! most, and fails where an input took more than a second or the process more than 200 MB. `CTXLINT_FUZZ_SEED=N`
//! runs one input again and keeps it.

mod support;

use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use ctxlint::transcript::{self, AuditOptions, ReplayFormat, ReplayOptions};
use rayon::prelude::*;
use support::mutation::Mutator;
use support::repository;

/// Inputs of the short run.
const SHORT: u64 = 3_000;

/// Longer fixtures are left out: a mutation of a short one says as much.
const LONGEST: u64 = 48 << 10;

struct Seed {
    /// The format that it is forced to be read as, every other time.
    format: Option<String>,
    ending: String,
    bytes: Vec<u8>,
}

fn seeds() -> Vec<Seed> {
    let mut seeds = Vec::new();
    let mut folders = vec![repository().join("tests/fixtures")];
    while let Some(folder) = folders.pop() {
        let mut entries: Vec<PathBuf> = fs::read_dir(&folder)
            .expect("the folder of fixtures can be read")
            .map(|entry| entry.expect("an entry can be read").path())
            .collect();
        entries.sort();
        for path in entries {
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let ending = path
                .extension()
                .map_or(String::new(), |ending| ending.to_string_lossy().into_owned());
            let size = path.metadata().map_or(0, |meta| meta.len());
            if size > LONGEST || ["expected", "toml"].contains(&ending.as_str()) {
                continue;
            }
            let format = format_of(&path);
            let bytes = fs::read(&path).expect("a fixture can be read");
            seeds.push(Seed { format, ending, bytes });
        }
    }
    seeds
}

/// The format whose folder a fixture is in.
fn format_of(path: &Path) -> Option<String> {
    let mut names = path
        .iter()
        .map(|name| name.to_string_lossy().into_owned())
        .skip_while(|name| name != "formats");
    names.nth(1)
}

fn input(seeds: &[Seed], number: u64) -> (Vec<u8>, &Seed, bool) {
    let mut mutator = Mutator::new(number);
    let seed = &seeds[mutator.below(seeds.len())];
    let other = &seeds[mutator.below(seeds.len())];
    let forced = mutator.below(2) == 0;
    (mutator.mutated(&seed.bytes, &other.bytes), seed, forced)
}

/// Audits and replays an input; the panic's message, if it panics.
fn run(path: &Path, format: Option<&String>) -> Result<(), String> {
    let done = catch_unwind(AssertUnwindSafe(|| {
        let options = AuditOptions {
            paths: vec![path.to_owned()],
            input_format: format.cloned(),
            ..AuditOptions::default()
        };
        let outcome = transcript::audit(&options);
        assert!(
            outcome.files.len() + outcome.problems.len() > 0,
            "the file is not accounted for"
        );
        let options = ReplayOptions {
            path: path.to_owned(),
            input_format: format.cloned(),
            turn: None,
            format: ReplayFormat::Json,
            markers: transcript::Markers::default(),
            adapters: transcript::Adapters::default(),
            width: 80,
            color: false,
        };
        let mut out = Vec::new();
        drop(transcript::replay(&options, &mut out).expect("a vector takes every write"));
    }));
    done.map_err(|panic| {
        let text = panic.downcast_ref::<String>().cloned();
        text.or_else(|| panic.downcast_ref::<&str>().map(|text| (*text).to_owned()))
            .unwrap_or_default()
    })
}

#[test]
#[expect(clippy::print_stdout, reason = "the long run tells what it measured")]
fn no_input_makes_it_panic() {
    let seeds = seeds();
    assert!(seeds.len() > 20, "the fixtures are there");
    let number = |name: &str| std::env::var(name).ok().and_then(|value| value.parse::<u64>().ok());
    if let Some(seed) = number("CTXLINT_FUZZ_SEED") {
        let (bytes, from, forced) = input(&seeds, seed);
        let path = std::env::temp_dir().join(format!("ctxlint-fuzz-{seed}.{}", from.ending));
        fs::write(&path, bytes).expect("the input can be written");
        println!("kept as {}", path.display());
        let began = Instant::now();
        run(&path, from.format.as_ref().filter(|_| forced)).unwrap_or_else(|text| panic!("seed {seed}: {text}"));
        println!("{} ms", began.elapsed().as_millis());
        return;
    }
    let long = number("CTXLINT_FUZZ");
    let folder = support::folder();
    // The slowest input: how many microseconds above, which input below.
    let slowest = AtomicU64::new(0);
    let failed: Vec<String> = (0..long.unwrap_or(SHORT))
        .into_par_iter()
        .filter_map(|number| {
            let (bytes, seed, forced) = input(&seeds, number);
            let thread = rayon::current_thread_index().unwrap_or(0);
            let path = folder.path().join(format!("{thread}.{}", seed.ending));
            fs::write(&path, bytes).expect("the input can be written");
            let began = Instant::now();
            let done = run(&path, seed.format.as_ref().filter(|_| forced));
            let took = u64::try_from(began.elapsed().as_micros()).unwrap_or(u64::MAX);
            slowest.fetch_max(
                took.min(u64::from(u32::MAX)) << 32 | number & 0xffff_ffff,
                Ordering::Relaxed,
            );
            done.err().map(|text| format!("seed {number}: {text}"))
        })
        .collect();
    assert_eq!(failed, Vec::<String>::new());
    if let Some(long) = long {
        let slowest = slowest.into_inner();
        let (micros, number) = (slowest >> 32, slowest & 0xffff_ffff);
        let memory = peak();
        println!("{long} inputs, the slowest (seed {number}) {micros} µs, peak memory {memory} kB");
        assert!(micros < 1_000_000, "seed {number} took {micros} µs");
        assert!(memory < 200_000, "{memory} kB");
    }
}

/// The most memory that this process held, in kB; 0 where the system does not say.
fn peak() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.and_then(|line| line.trim().strip_suffix(" kB")?.trim().parse().ok())
        .unwrap_or(0)
}
