//! What a run reads: paths, a list of paths, or a text on standard input.

use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::bounded;
use crate::code::Texts;

/// The most that is read of a list of files or of a source text on standard input, in bytes.
const LIMIT: u64 = 64 << 20;

/// The name of standard input.
const STDIN: &str = "-";

/// The files and folders of a run.
#[derive(Clone, Debug, Default)]
pub(crate) struct Inputs {
    pub(crate) paths: Vec<PathBuf>,
    /// What stands for the text of a file.
    pub(crate) texts: Texts,
    /// Whether the paths come from a list: what is in it and cannot be checked was not meant, and it may be empty.
    pub(crate) listed: bool,
}

impl Inputs {
    /// The paths of the command line, or those of a list.
    pub(crate) fn of(paths: &[PathBuf], list: Option<&Path>) -> Result<Self, String> {
        if let Some(list) = list {
            return Ok(Self {
                paths: listed(list)?,
                listed: true,
                ..Self::default()
            });
        }
        let here = || vec![PathBuf::from(".")];
        Ok(Self {
            paths: if paths.is_empty() { here() } else { paths.to_vec() },
            ..Self::default()
        })
    }

    /// Takes in the source text on standard input, where it is among the paths.
    pub(crate) fn with_stdin(mut self, name: Option<&Path>) -> Result<Self, String> {
        let is_stdin = |path: &PathBuf| path.as_os_str() == STDIN;
        if !self.paths.iter().any(is_stdin) {
            if name.is_some() {
                return Err("--stdin-filename names what is on standard input; add - to the paths".to_owned());
            }
            return Ok(self);
        }
        let name = name.ok_or(
            "source code on standard input has no name that tells its language; give it one with --stdin-filename NAME",
        )?;
        let bytes = read_stdin().map_err(|error| format!("standard input cannot be read: {error}"))?;
        let text = String::from_utf8(bytes).map_err(|_| "standard input is no UTF-8 text; convert it".to_owned())?;
        let text = text
            .strip_prefix('\u{feff}')
            .map_or_else(|| Arc::from(text.as_str()), Arc::from);
        self.paths.retain(|path| !is_stdin(path));
        self.paths.push(name.to_owned());
        self.texts.insert(name.to_owned(), text);
        Ok(self)
    }
}

/// The paths in a list: one a line, or each ended by a zero byte as `git … -z` and `find -print0` write them.
fn listed(list: &Path) -> Result<Vec<PathBuf>, String> {
    let bytes = if list.as_os_str() == STDIN {
        read_stdin()
    } else {
        bounded::bytes(list)
    };
    let bytes = bytes.map_err(|error| format!("--files-from {}: the list cannot be read: {error}", list.display()))?;
    let text =
        String::from_utf8(bytes).map_err(|_| format!("--files-from {}: the list is no UTF-8 text", list.display()))?;
    let separator = if text.contains('\0') { '\0' } else { '\n' };
    let paths = text
        .split(separator)
        .map(|line| line.strip_suffix('\r').unwrap_or(line));
    Ok(paths.filter(|line| !line.is_empty()).map(PathBuf::from).collect())
}

fn read_stdin() -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    io::stdin().lock().take(LIMIT + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > LIMIT {
        return Err(io::Error::other(format!("it is longer than {} MiB", LIMIT >> 20)));
    }
    Ok(bytes)
}
