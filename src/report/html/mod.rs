//! `--format html`: one page that needs nothing else. The findings stand in it as they are; scripts of its own draw
//! the histories. Nothing is loaded from anywhere, and a policy in the page forbids that anything could be.

mod cost;
mod files;
mod findings;
mod policy;
mod sessions;

use std::io::{self, Write};
use std::path::Path;

use maud::{DOCTYPE, Markup, PreEscaped, html};

use self::sessions::Sessions;
use super::paths::Paths;
use super::text::{count, one_line};
use super::{Report, Totals};
use crate::outcome::{FileKind, Outcome, Partial};
use crate::roots::Roots;

/// How the page looks.
const STYLE: &str = include_str!("page.css");
/// What it does: one function, its parts in the order in which they need each other.
const SCRIPT: &str = concat!(
    "'use strict';\n(() => {\n",
    include_str!("history.js"),
    include_str!("rows.js"),
    include_str!("arrows.js"),
    include_str!("chart.js"),
    include_str!("page.js"),
    "})();\n"
);

/// What the parts of the page share.
struct Page<'r> {
    outcome: &'r Outcome,
    paths: Paths<'r>,
    title: String,
    /// Whether it tells of findings.
    judges: bool,
}

pub(super) fn write(report: &Report<'_>, out: &mut dyn Write) -> io::Result<()> {
    let outcome = report.outcome;
    let found = Totals::of(outcome).in_words();
    let files = count(outcome.files.len() as u64, "file");
    let page = Page {
        outcome,
        paths: Paths::of(report.roots),
        title: format!("ctxlint {}: {found} in {files}", report.half.name()),
        judges: true,
    };
    page.write(None, out)
}

/// The page of `replay`: the histories of one file, opened at a turn.
pub(crate) fn replay(outcome: &Outcome, roots: &Roots, turn: Option<u32>, out: &mut dyn Write) -> io::Result<()> {
    let paths = Paths::of(roots);
    let path = outcome.files.first().map_or(Path::new("-"), |file| &file.path);
    let title = format!("ctxlint replay: {}", one_line(&paths.relative(path)));
    let page = Page {
        outcome,
        paths,
        title,
        judges: false,
    };
    page.write(turn, out)
}

impl Page<'_> {
    fn write(&self, turn: Option<u32>, out: &mut dyn Write) -> io::Result<()> {
        let sessions = Sessions::of(self.outcome);
        let head = html! {
            (DOCTYPE)
            html lang="en" {
                head {
                    meta charset="utf-8";
                    meta http-equiv="Content-Security-Policy" content=(policy::policy(STYLE, SCRIPT));
                    meta name="viewport" content="width=device-width, initial-scale=1";
                    meta name="generator" content=(concat!("ctxlint ", env!("CARGO_PKG_VERSION")));
                    meta name="referrer" content="no-referrer";
                    title { (self.title) }
                    style { (PreEscaped(STYLE)) }
                }
            }
        };
        let head = head.into_string();
        // The page goes on where maud would close it: the data of sessions are written one by one.
        let head = head.strip_suffix("</html>").unwrap_or(&head);
        let open = turn.and_then(|turn| sessions.step_of_turn(turn));
        write!(out, "{head}<body")?;
        if let Some((session, step)) = open {
            write!(out, " data-open=\"#s{session}.{step}\"")?;
        }
        writeln!(out, ">")?;
        let body = html! {
            a .skip href="#main" { "To the content" }
            (self.header())
            main #main {
                @if self.judges { (findings::section(self, &sessions)) }
                @if !sessions.is_empty() { (sessions::section(self, &sessions)) }
                (cost::section(self.outcome))
                (files::section(self))
            }
        };
        writeln!(out, "{}", body.into_string())?;
        sessions.write_data(out)?;
        writeln!(out, "<script>{SCRIPT}</script>\n</body>\n</html>")
    }

    fn header(&self) -> Markup {
        let outcome = self.outcome;
        let sessions: usize = outcome
            .files
            .iter()
            .map(|file| match &file.kind {
                FileKind::Transcript { sessions, .. } => sessions.len(),
                FileKind::Code { .. } => 0,
            })
            .sum();
        html! {
            header .top {
                h1 { (self.title) }
                p {
                    @if sessions > 0 { (count(sessions as u64, "session")) ". " }
                    @if outcome.hidden > 0 { (count(outcome.hidden as u64, "finding")) " hidden. " }
                    "Made by ctxlint " (env!("CARGO_PKG_VERSION")) "; texts are excerpts, known shapes of secrets are masked."
                }
                @if let Some(Partial { read, found }) = outcome.partial {
                    p .warning { "The run was interrupted: these are the results of " (read) " of " (found) " files." }
                }
                @if !outcome.problems.is_empty() {
                    p .warning { (count(outcome.problems.len() as u64, "path")) " could not be read:" }
                    ul {
                        @for problem in &outcome.problems {
                            li {
                                (self.path(&problem.path))
                                @if let Some(line) = problem.line { ":" (line) }
                                ": " (one_line(&problem.message))
                            }
                        }
                    }
                }
            }
        }
    }

    /// A path as it is shown.
    fn path(&self, path: &Path) -> String {
        one_line(&self.paths.relative(path)).into_owned()
    }
}
