//! Whether stdout and stderr get colours.

use std::env;
use std::io::{self, IsTerminal};

use crate::cli::args::ColorChoice;

/// The flag decides; where it leaves the choice, `NO_COLOR` beats `CLICOLOR_FORCE` beats what stdout is.
pub(crate) fn on_stdout(choice: ColorChoice) -> bool {
    match choice {
        ColorChoice::Always => true,
        ColorChoice::Never => false,
        ColorChoice::Auto => auto(|name| env::var(name).ok(), io::stdout().is_terminal()),
    }
}

/// Whether stderr gets colours.
pub(crate) fn on_stderr() -> bool {
    auto(|name| env::var(name).ok(), io::stderr().is_terminal())
}

fn auto(variable: impl Fn(&str) -> Option<String>, terminal: bool) -> bool {
    let set = |name| variable(name).is_some_and(|value| !value.is_empty());
    if set("NO_COLOR") {
        return false;
    }
    if variable("CLICOLOR_FORCE").is_some_and(|value| !value.is_empty() && value != "0") {
        return true;
    }
    terminal && variable("TERM").is_none_or(|term| term != "dumb")
}

#[cfg(test)]
mod tests {
    use super::auto;

    fn with<'a>(set: &'a [(&str, &str)]) -> impl Fn(&str) -> Option<String> + 'a {
        |name| {
            let found = set.iter().find(|(key, _)| *key == name)?;
            Some(found.1.to_owned())
        }
    }

    #[test]
    fn a_terminal_gets_colours_unless_it_is_dumb() {
        assert!(auto(with(&[("TERM", "xterm")]), true));
        assert!(!auto(with(&[("TERM", "dumb")]), true));
        assert!(!auto(with(&[]), false));
    }

    #[test]
    fn the_environment_overrules_the_terminal() {
        assert!(auto(with(&[("CLICOLOR_FORCE", "1")]), false));
        assert!(!auto(with(&[("CLICOLOR_FORCE", "0")]), false));
        assert!(!auto(with(&[("NO_COLOR", "1")]), true));
        assert!(!auto(with(&[("NO_COLOR", "1"), ("CLICOLOR_FORCE", "1")]), true));
        assert!(auto(with(&[("NO_COLOR", "")]), true), "an empty NO_COLOR says nothing");
    }
}
