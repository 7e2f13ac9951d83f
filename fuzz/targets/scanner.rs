#![no_main]
//! See [`ctxlint::fuzzing::scanner`].

use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| ctxlint::fuzzing::scanner(data));
