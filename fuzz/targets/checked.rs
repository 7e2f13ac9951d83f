#![no_main]
//! See [`ctxlint::fuzzing::checked`].

use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| ctxlint::fuzzing::checked(data));
