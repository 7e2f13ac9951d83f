//! `map`: the sites of a project as a table for people, Markdown, or JSON.

use std::io::{self, Write};

use serde::Serialize;

use super::json::Tool;
use super::text::{clip, escape_hazards, one_line};
use crate::code::{Mapped, Site};

/// The longest condition in a table, in columns.
const LONGEST_GUARD: usize = 48;

const HEAD: [&str; 8] = [
    "place",
    "does",
    "role",
    "placement",
    "retention",
    "how often",
    "under the condition",
    "in",
];

/// A table with one line a site.
pub(crate) fn human(mapped: &Mapped, out: &mut dyn Write) -> io::Result<()> {
    let rows: Vec<[String; 8]> = mapped.sites.iter().map(row).collect();
    let mut widths = HEAD.map(unicode_width::UnicodeWidthStr::width);
    for row in &rows {
        for (width, cell) in widths.iter_mut().zip(row) {
            *width = (*width).max(unicode_width::UnicodeWidthStr::width(&**cell));
        }
    }
    let mut line = |cells: [&str; 8]| -> io::Result<()> {
        let padded = cells.iter().zip(widths).map(|(cell, width)| {
            let gap = width - unicode_width::UnicodeWidthStr::width(*cell);
            format!("{cell}{}", " ".repeat(gap))
        });
        let text = padded.collect::<Vec<_>>().join("  ");
        writeln!(out, "{}", text.trim_end())
    };
    if !rows.is_empty() {
        line(HEAD)?;
    }
    for row in &rows {
        line(row.each_ref().map(String::as_str))?;
    }
    let (sites, files) = (mapped.sites.len(), mapped.files);
    let plural = |count| if count == 1 { "" } else { "s" };
    writeln!(out, "{sites} site{} in {files} file{}", plural(sites), plural(files))
}

/// The same as a Markdown table.
pub(crate) fn markdown(mapped: &Mapped, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "| {} |", HEAD.join(" | "))?;
    writeln!(out, "|{}", " --- |".repeat(HEAD.len()))?;
    for site in &mapped.sites {
        let cells = row(site).map(|cell| cell.replace('|', "\\|").replace('`', "'"));
        let [place, does, role, placement, retention, often, guard, function] = cells;
        let code = |text: String| if text.is_empty() { text } else { format!("`{text}`") };
        writeln!(
            out,
            "| {} | {does} | {role} | {placement} | {retention} | {often} | {} | {} |",
            code(place),
            code(guard),
            code(function),
        )?;
    }
    Ok(())
}

fn row(site: &Site) -> [String; 8] {
    let start = site.span.start;
    let path = site.span.path.display().to_string();
    let guard = site.guard.as_ref().map_or_else(String::new, |guard| {
        let text = one_line(&guard.text);
        let text = clip(&text, LONGEST_GUARD);
        if guard.holds {
            text.into_owned()
        } else {
            format!("not ({text})")
        }
    });
    [
        format!("{}:{}:{}", one_line(&path), start.line, start.column),
        site.does.as_str().to_owned(),
        site.role.unwrap_or_default().to_owned(),
        site.placement.to_owned(),
        site.retention.to_owned(),
        site.frequency.unwrap_or_default().to_owned(),
        guard,
        one_line(&site.function).into_owned(),
    ]
}

#[derive(Serialize)]
struct Document<'a> {
    version: u32,
    tool: Tool,
    sites: Vec<SiteRow<'a>>,
}

#[derive(Serialize)]
struct SiteRow<'a> {
    path: String,
    start: Place,
    end: Place,
    function: String,
    does: &'static str,
    role: Option<&'static str>,
    placement: &'static str,
    retention: &'static str,
    frequency: Option<&'static str>,
    guard: Option<GuardRow<'a>>,
}

#[derive(Serialize)]
struct GuardRow<'a> {
    text: std::borrow::Cow<'a, str>,
    holds: bool,
    start: Place,
}

#[derive(Serialize)]
struct Place {
    line: u32,
    column: u32,
}

/// `{"version":1,"sites":[…]}`, one line.
pub(crate) fn json(mapped: &Mapped, out: &mut dyn Write) -> io::Result<()> {
    let place = |at: crate::finding::Position| Place {
        line: at.line,
        column: at.column,
    };
    let sites = mapped.sites.iter().map(|site| SiteRow {
        path: one_line(&site.span.path.display().to_string()).into_owned(),
        start: place(site.span.start),
        end: place(site.span.end),
        function: one_line(&site.function).into_owned(),
        does: site.does.as_str(),
        role: site.role,
        placement: site.placement,
        retention: site.retention,
        frequency: site.frequency,
        guard: site.guard.as_ref().map(|guard| GuardRow {
            text: one_line(&guard.text),
            holds: guard.holds,
            start: place(guard.span.start),
        }),
    });
    let document = Document {
        version: 1,
        tool: Tool::THIS,
        sites: sites.collect(),
    };
    writeln!(out, "{}", escape_hazards(&serde_json::to_string(&document)?))
}
