//! `completions` and `man`: what shells and manual readers are told about the command line.

use std::fs;
use std::io::{self, Write};
use std::path::Path;

use clap::CommandFactory;
use clap_complete::{Generator, Shell};
use clap_mangen::Man;

use crate::cli::Status;
use crate::cli::args::Args;

/// Prints what a shell needs to complete `ctxlint` on its command line.
pub(crate) fn completions(shell: Shell) -> io::Result<Status> {
    let mut command = built();
    command.set_bin_name("ctxlint");
    let mut out = Vec::new();
    shell.try_generate(&command, &mut out)?;
    print(&out)
}

/// Prints the page of the program, or writes it and one page for each command into a folder.
pub(crate) fn man(folder: Option<&Path>) -> io::Result<Status> {
    let Some(folder) = folder else {
        let mut out = Vec::new();
        Man::new(built()).render(&mut out)?;
        return print(&out);
    };
    let named = |error: io::Error| io::Error::other(format!("{}: {error}", folder.display()));
    fs::create_dir_all(folder).map_err(named)?;
    clap_mangen::generate_to(built(), folder).map_err(named)?;
    Ok(Status::Clean)
}

/// The command line with every default filled in, and without the command `help`, which tells
/// nothing that the pages do not tell.
fn built() -> clap::Command {
    let mut command = Args::command().disable_help_subcommand(true);
    command.build();
    command
}

/// In one piece: nothing is half printed when the reader has gone.
fn print(text: &[u8]) -> io::Result<Status> {
    let mut out = io::stdout().lock();
    out.write_all(text)?;
    out.flush()?;
    Ok(Status::Clean)
}
