#![no_main]
//! See [`ctxlint::fuzzing::fold`].

use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| ctxlint::fuzzing::fold(data));
