//! `lsp`: what `check` finds, in an editor, as somebody types.
//!
//! One thread reads messages, one writes them, one analyses, and one owns the state and never waits for the others: an
//! edit that comes while an analysis runs makes its result worthless, and says so to it.

mod actions;
mod analysis;
mod client;
mod diagnostics;
mod documents;
mod hover;
mod plan;
mod position;
mod server;
mod uri;
mod wire;

use std::io;
use std::path::PathBuf;
use std::sync::mpsc;

use crate::report::text::one_line;

/// What the command line says about the configuration of every project.
#[derive(Clone, Debug, Default)]
pub(crate) struct Given {
    /// This file is read, and no other is looked for.
    pub(crate) config: Option<PathBuf>,
    /// No file is read.
    pub(crate) isolated: bool,
}

/// Serves one editor on standard input and output until it says that it ends. Returns whether it ended in order: it
/// asked for the end before it left.
pub(crate) fn serve(given: Given) -> io::Result<bool> {
    let (tell, events) = mpsc::channel();
    wire::listen(io::stdin(), tell.clone());
    let (out, writer) = wire::writer(io::stdout());
    let in_order = server::Server::new(given, out, tell).run(&events);
    // The server, and with it the way to the writer, is gone: what is left to write is written.
    match writer.join() {
        Ok(written) => written.map(|()| in_order),
        Err(_) => Err(io::Error::other("the thread that writes to the editor has failed")),
    }
}

/// One line of talk. Standard output belongs to the protocol, and a closed stderr is not worth failing over.
fn log(message: &str) {
    use io::Write;
    let _ = writeln!(io::stderr(), "ctxlint: {}", one_line(message));
}
