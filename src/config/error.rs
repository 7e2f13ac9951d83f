//! What is wrong with a configuration, shown in the file.

use std::fmt;
use std::ops::Range;
use std::path::PathBuf;

use miette::{Diagnostic, LabeledSpan, NamedSource, SourceCode};

use crate::nearest;
use crate::report::snippet;
use crate::report::text::{neutral, one_line};

/// Why there is no configuration.
#[derive(Debug)]
pub(crate) struct ConfigError {
    path: PathBuf,
    what: String,
    help: Option<String>,
    /// The file's text, and the place in it.
    place: Option<Box<(NamedSource<String>, Range<usize>)>>,
}

impl ConfigError {
    /// The file cannot be had at all.
    pub(super) fn unreadable(path: PathBuf, error: &std::io::Error) -> Self {
        Self {
            path,
            what: format!("the configuration cannot be read: {error}"),
            help: Some("name another with --config FILE, or go without with --isolated".to_owned()),
            place: None,
        }
    }

    /// The file does not have what it should.
    pub(super) fn lacking(path: PathBuf, what: impl Into<String>, help: impl Into<String>) -> Self {
        Self {
            path,
            what: what.into(),
            help: Some(help.into()),
            place: None,
        }
    }

    /// Something in the file is wrong.
    pub(super) fn within(path: PathBuf, text: &str, error: &toml::de::Error) -> Self {
        let (what, help) = explained(&error.message().trim_end().replace('\n', " "));
        // Stand-ins may be longer in bytes than what they stand for, so places move with the text.
        let at = |byte: usize| text.get(..byte).map_or(text.len(), |before| neutral(before).len());
        let range = error.span().map(|span| at(span.start)..at(span.end));
        let name = one_line(&path.display().to_string()).into_owned();
        let source = NamedSource::new(name, neutral(text).into_owned());
        Self {
            path,
            what,
            help,
            place: range.map(|range| Box::new((source, range))),
        }
    }

    /// The message with the snippet of the file, for a terminal.
    pub(crate) fn render(&self, color: bool) -> String {
        if self.place.is_none() {
            let help = self.help.as_deref().map(|help| format!("\n  help: {}", one_line(help)));
            return format!("{self}{}", help.unwrap_or_default());
        }
        let mut text = "the configuration is not what it should be\n".to_owned();
        match snippet::handler(color).render_report(&mut text, self) {
            Ok(()) => text,
            Err(fmt::Error) => self.to_string(),
        }
    }
}

impl fmt::Display for ConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.place {
            // The snippet names the file.
            Some(_) => f.write_str(&one_line(&self.what)),
            None => write!(
                f,
                "{}: {}",
                one_line(&self.path.display().to_string()),
                one_line(&self.what)
            ),
        }
    }
}

impl std::error::Error for ConfigError {}

impl Diagnostic for ConfigError {
    fn help<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        let help = self.help.as_deref()?;
        Some(Box::new(one_line(help).into_owned()))
    }

    fn source_code(&self) -> Option<&dyn SourceCode> {
        self.place.as_ref().map(|place| &place.0 as &dyn SourceCode)
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        let (_, range) = &**self.place.as_ref()?;
        let label = LabeledSpan::new_primary_with_span(Some("here".to_owned()), range.clone());
        Some(Box::new(std::iter::once(label)))
    }
}

/// What is wrong, and what to do about it: for a word that nothing knows the one that is most likely meant, or else
/// all that may stand there.
fn explained(message: &str) -> (String, Option<String>) {
    let what = ["field", "variant"].into_iter().find(|what| {
        let rest = message.strip_prefix("unknown ");
        rest.is_some_and(|rest| rest.starts_with(*what))
    });
    let mut quoted = message.split('`').skip(1).step_by(2);
    if let (Some(what), Some(given)) = (what, quoted.next()) {
        let known: Vec<&str> = quoted.collect();
        let what = if what == "field" { "key" } else { "value" };
        let help = match nearest::nearest(given, known.iter().copied()) {
            Some(near) => format!("did you mean `{near}`?"),
            None if known.is_empty() => "no key can stand here".to_owned(),
            None => format!("here can stand {}", known.join(", ")),
        };
        return (format!("unknown {what} `{given}`"), Some(help));
    }
    if let Some((given, expected)) = message
        .strip_prefix("invalid type: ")
        .and_then(|rest| rest.split_once(", expected "))
    {
        let (expected, help) = wanted(expected);
        return (
            format!("{} stands here, and {expected} is expected", kind(given)),
            help.map(str::to_owned),
        );
    }
    if let Some(key) = message
        .strip_prefix("missing field `")
        .and_then(|rest| rest.strip_suffix('`'))
    {
        return (
            format!("the key `{key}` is missing in this table"),
            Some(format!("add `{key} = …` to it")),
        );
    }
    // Our own checks say what to do behind a semicolon.
    match message.rsplit_once("; ") {
        Some((what, help)) => (what.to_owned(), Some(help.to_owned())),
        None => (message.to_owned(), None),
    }
}

/// What stands in the file, in words that are not the library's.
fn kind(given: &str) -> &'static str {
    match given.split_whitespace().next() {
        Some("string") => "a text",
        Some("integer" | "floating") => "a number",
        Some("boolean") => "`true` or `false`",
        Some("sequence") => "a list",
        Some("map") => "a table",
        _ => "something else",
    }
}

/// What should stand there, and how it is written.
fn wanted(expected: &str) -> (&str, Option<&'static str>) {
    match expected {
        "a sequence" => ("a list", Some("put it in brackets, as in `[\"…\"]`")),
        "a list of tables" => (expected, Some("put its heading in two brackets, as in `[[…]]`")),
        "a map" => ("a table", Some("give it a heading in brackets and keys below")),
        "a string" | "path string" => ("a text", Some("put it in quotes")),
        "a boolean" => ("`true` or `false`", None),
        other if other.starts_with("struct") => ("a table", Some("give it a heading in brackets and keys below")),
        other => (other, None),
    }
}
