#![no_main]
//! See [`ctxlint::fuzzing::told`].

use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| ctxlint::fuzzing::told(data));
