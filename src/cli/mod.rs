//! The door: parse arguments, run, exit status.

mod args;
mod color;
mod facts;
mod fix;
mod fold;
mod init;
mod inputs;
mod lsp;
mod manual;
mod map;
mod pages;
mod progress;
mod replay;
mod run;
mod settings;
mod show;
mod sink;
mod when;
mod width;

use std::borrow::Cow;
use std::io::{self, Write};
use std::process::ExitCode;

use clap::Parser;

use args::{Args, Command};

use crate::report::text::neutral;

/// How a run ends; the numbers are documented in the README and the same for every format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Status {
    /// Nothing at or over `--fail-on`.
    Clean = 0,
    /// At least one finding at or over `--fail-on`.
    Findings = 1,
    /// The command line is wrong, or something could not be read or written.
    Failed = 2,
    /// There was nothing that could be checked.
    Nothing = 3,
    /// The run was interrupted; what it had found until then was reported.
    Interrupted = crate::interrupt::STATUS as isize,
}

/// Runs the command line of this process.
#[must_use]
pub fn main() -> ExitCode {
    let args = match Args::try_parse() {
        Ok(args) => args,
        Err(error) => {
            // Help and version are asked for and go to stdout; a wrong command line is talk. Either
            // way a closed pipe leaves nobody to tell.
            let _ = print_usage(&error);
            let status = if error.use_stderr() {
                Status::Failed
            } else {
                Status::Clean
            };
            return ExitCode::from(status as u8);
        }
    };
    let status = dispatch(&args).unwrap_or_else(|error| {
        // The reader has seen enough: a quiet, normal end.
        if error.kind() == io::ErrorKind::BrokenPipe {
            return Status::Clean;
        }
        complain(format_args!("{error}"));
        Status::Failed
    });
    ExitCode::from(status as u8)
}

/// Prints what the command line has to say, with nothing of an argument that acts on a terminal.
fn print_usage(error: &clap::Error) -> io::Result<()> {
    let plain = error.to_string();
    match neutral(&plain) {
        Cow::Borrowed(_) => error.print(),
        Cow::Owned(harmless) if error.use_stderr() => io::stderr().write_all(harmless.as_bytes()),
        Cow::Owned(harmless) => io::stdout().write_all(harmless.as_bytes()),
    }
}

/// Hands the arguments to their command. An error is a failure to write.
fn dispatch(args: &Args) -> io::Result<Status> {
    match &args.command {
        Command::Check(check) => run::check(check),
        Command::Audit(audit) => run::audit(audit),
        Command::Replay(replay) => replay::run(replay),
        Command::Fold(fold) => fold::run(fold),
        Command::Map(args) => map::run(args),
        Command::Facts(facts) => facts::facts(facts),
        Command::Init(args) => init::run(args),
        Command::Explain(explain) => pages::explain(explain.rule),
        Command::Rules(rules) => pages::rules(rules.format),
        Command::Lsp(args) => lsp::run(args),
        Command::Completions(args) => manual::completions(args.shell),
        Command::Man(args) => manual::man(args.dir.as_deref()),
    }
}

/// One line of talk. A closed stderr is not worth failing over.
fn complain(message: std::fmt::Arguments<'_>) {
    let _ = writeln!(io::stderr(), "ctxlint: {message}");
}
