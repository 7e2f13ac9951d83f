//! `lsp`: serve an editor.

use std::io;

use crate::cli::Status;
use crate::cli::args::LspArgs;
use crate::lsp::{self, Given};

pub(super) fn run(args: &LspArgs) -> io::Result<Status> {
    let in_order = lsp::serve(Given {
        config: args.config.config.as_deref().map(std::path::absolute).transpose()?,
        isolated: args.config.isolated,
    })?;
    // The protocol has 1 for an editor that leaves without asking for the end.
    Ok(if in_order { Status::Clean } else { Status::Findings })
}
