//! The `ctxlint` binary: everything it does is in the library's [`ctxlint::cli`].

use std::process::ExitCode;

fn main() -> ExitCode {
    ctxlint::cli::main()
}
