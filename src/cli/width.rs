//! How many columns there are.

use std::io::IsTerminal;

use terminal_size::{Width, terminal_size_of};

/// The columns of the terminal that stdout is, up to `most`; `otherwise` where it is none.
pub(crate) fn of_stdout(otherwise: usize, most: usize) -> usize {
    let stdout = std::io::stdout();
    let size = stdout.is_terminal().then(|| terminal_size_of(&stdout)).flatten();
    size.map_or(otherwise, |(Width(columns), _)| usize::from(columns).min(most))
}
