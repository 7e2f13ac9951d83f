//! Modules that are kept from one run to the next, in a process that looks at the same files again and again.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use rustc_hash::FxHashMap;
use xxhash_rust::xxh3::xxh3_128;

use super::ir::Module;

/// How many runs a module is kept for that none of them asked for.
const RUNS: u64 = 8;

/// What files were lowered to, by their paths and the hashes of their texts.
#[derive(Debug, Default)]
pub struct Kept(Mutex<Inner>);

#[derive(Debug, Default)]
struct Inner {
    run: u64,
    modules: FxHashMap<PathBuf, Entry>,
}

#[derive(Debug)]
struct Entry {
    text: u128,
    /// The last run that asked for it.
    run: u64,
    module: Arc<Module>,
}

impl Kept {
    /// The module of a text, lowered if it is not known. What was refused, or not understood whole, is not kept.
    pub(super) fn module<E>(
        &self,
        path: &Path,
        text: &str,
        lower: impl FnOnce() -> Result<Module, E>,
    ) -> Result<Module, E> {
        let hash = xxh3_128(text.as_bytes());
        if let Some(module) = self.known(path, hash) {
            // A run changes its modules, so it gets its own.
            return Ok(Module::clone(&module));
        }
        let module = lower()?;
        if module.unparsed.is_none() {
            let mut inner = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            let entry = Entry {
                text: hash,
                run: inner.run,
                module: Arc::new(module.clone()),
            };
            inner.modules.insert(path.to_owned(), entry);
        }
        Ok(module)
    }

    fn known(&self, path: &Path, hash: u128) -> Option<Arc<Module>> {
        let mut inner = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let run = inner.run;
        let entry = inner.modules.get_mut(path).filter(|entry| entry.text == hash)?;
        entry.run = run;
        Some(Arc::clone(&entry.module))
    }

    /// A run has ended: forgets what several in a row had no use for.
    pub fn end_run(&self) {
        let mut inner = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        inner.run += 1;
        let run = inner.run;
        inner.modules.retain(|_, entry| run - entry.run <= RUNS);
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::convert::Infallible;

    use super::*;
    use crate::code::lang::Language;

    #[test]
    fn a_text_is_lowered_once_until_it_changes_or_nobody_wants_it() {
        let kept = Kept::default();
        let path = Path::new("a.py");
        let times = Cell::new(0);
        let ask = |text: &str| {
            let lower = || {
                times.set(times.get() + 1);
                Ok::<_, Infallible>(Language::Python.lower(path, text).expect("this is Python"))
            };
            let Ok(module) = kept.module(path, text, lower);
            module.functions.len()
        };
        assert_eq!((ask("def f(): pass\n"), ask("def f(): pass\n"), times.get()), (2, 2, 1));
        assert_eq!((ask("x = 1\n"), times.get()), (1, 2));
        let broken = "def f():\n    return 1\n\n\ndef g():\n    return 2\n\n\nx = = 3\n";
        assert_eq!((ask(broken), ask(broken), times.get()), (3, 3, 4));
        for _ in 0..=RUNS {
            kept.end_run();
        }
        assert_eq!((ask("x = 1\n"), times.get()), (1, 5));
    }
}
