#![no_main]
//! See [`ctxlint::fuzzing::ignores`].

use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| ctxlint::fuzzing::ignores(data));
