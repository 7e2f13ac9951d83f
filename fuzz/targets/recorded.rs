#![no_main]
//! Recorded runs in every format: see [`ctxlint::fuzzing::recorded`].

use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use tempfile::TempDir;

/// In memory where the system offers that.
static FOLDER: LazyLock<TempDir> = LazyLock::new(|| {
    tempfile::tempdir_in("/dev/shm")
        .or_else(|_| tempfile::tempdir())
        .expect("a folder can be made")
});

fuzz_target!(|data: &[u8]| ctxlint::fuzzing::recorded(data, FOLDER.path()));
