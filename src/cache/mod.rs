//! `.ctxlint_cache`: what `check` found, for as long as nothing changes that it came from.
//!
//! A check is about a project as a whole: a helper decides what a call in another file does. So what is kept is the
//! outcome of a run, under a hash of everything that it came from: the program itself, its settings, the files and
//! what surrounds them. A run that finds that hash again costs the walk and the reading. Nothing here can make a run
//! fail: what cannot be read is not there, and what cannot be written is left.

mod entry;
mod store;

use std::env;
use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::sync::OnceLock;
use std::time::Instant;

use xxhash_rust::xxh3::Xxh3;

use crate::code::{self, CheckOptions, Inventory};
use crate::config::Config;
use crate::outcome::{Outcome, ProblemKind};
use store::Store;

/// The name of the folder.
const FOLDER: &str = ".ctxlint_cache";

/// What entries look like. To be counted up with their form.
const FORM: u32 = 1;

/// Where outcomes are kept, and what they depend on beside files.
pub(crate) struct Cache {
    store: Store,
    /// The configuration as it was written: it holds the project's words.
    settings: String,
}

impl Cache {
    /// The cache of a run: in the folder that was given, or beside the configuration, or in the working directory.
    pub(crate) fn of(config: &Config, given: Option<&Path>) -> Self {
        let beside = config.path.as_deref().and_then(Path::parent).unwrap_or(Path::new(""));
        Self {
            store: match given {
                Some(folder) => Store::given(folder.to_owned()),
                None => Store::found(beside.join(FOLDER)),
            },
            settings: config.table.to_string(),
        }
    }

    /// What [`code::check`] finds, from the cache where that has it; and why the cache was of no use, if so.
    pub(crate) fn check(&self, options: &CheckOptions) -> (Outcome, Option<String>) {
        let begin = Instant::now();
        let Some((key, inventory)) = self.key(options) else {
            return (code::check(options), None);
        };
        let kept = self.store.read(key);
        if let Some(mut outcome) = kept.and_then(|bytes| entry::outcome(&bytes, &inventory)) {
            outcome.timings = vec![("reading from the cache".to_owned(), begin.elapsed())];
            return (outcome, None);
        }
        drop(inventory);
        let outcome = code::check(options);
        let is_whole = outcome.partial.is_none();
        let can_change = outcome.problems.iter().any(|one| one.kind == ProblemKind::Failed);
        if !is_whole || can_change || outcome.files.is_empty() {
            return (outcome, None);
        }
        // What changed while it was read belongs to neither state.
        if self.key(options).is_none_or(|(now, _)| now != key) {
            return (
                outcome,
                Some("files changed during the run: nothing is kept of it".to_owned()),
            );
        }
        let kept = entry::bytes(&outcome).map(|bytes| self.store.write(key, &bytes));
        let unused = match kept {
            Some(Ok(())) | None => None,
            Some(Err(error)) => Some(format!(
                "{}: nothing is kept here: {error}",
                self.store.folder().display()
            )),
        };
        (outcome, unused)
    }

    /// The hash of everything that a run goes by, with its files.
    fn key(&self, options: &CheckOptions) -> Option<(u128, Inventory)> {
        let inventory = Inventory::of(options)?;
        let mut hasher = Xxh3::new();
        hasher.update(&FORM.to_le_bytes());
        code::field(&mut hasher, env!("CARGO_PKG_VERSION").as_bytes());
        hasher.update(&program()?.to_le_bytes());
        // Paths are told from here, and some are looked up above the folders that were named.
        code::field(&mut hasher, env::current_dir().ok()?.as_os_str().as_encoded_bytes());
        for path in &options.paths {
            code::field(&mut hasher, path.as_os_str().as_encoded_bytes());
        }
        hasher.update(&[u8::from(options.listed)]);
        code::field(&mut hasher, self.settings.as_bytes());
        hasher.update(&inventory.hash.to_le_bytes());
        Some((hasher.digest128(), inventory))
    }
}

/// The hash of the program: two builds of one version may differ in what they find.
fn program() -> Option<u128> {
    static PROGRAM: OnceLock<Option<u128>> = OnceLock::new();
    *PROGRAM.get_or_init(|| {
        let mut file = File::open(env::current_exe().ok()?).ok()?;
        let mut hasher = Xxh3::new();
        let mut buffer = vec![0; 256 << 10];
        loop {
            match file.read(&mut buffer).ok()? {
                0 => return Some(hasher.digest128()),
                read => hasher.update(&buffer[..read]),
            }
        }
    })
}
