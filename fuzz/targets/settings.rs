#![no_main]
//! See [`ctxlint::fuzzing::settings`].

use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| ctxlint::fuzzing::settings(data));
