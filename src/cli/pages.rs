//! `explain` and `rules`: what the rule pages say.

use std::io::{self, BufWriter, Write};

use serde::Serialize;

use crate::cli::Status;
use crate::cli::args::TableFormat;
use crate::finding::Witness;
use crate::mend::Applicability;
use crate::rule::{RULES, Rule};

/// Prints the page of one rule, its front matter as one line.
pub(crate) fn explain(rule: &Rule) -> io::Result<Status> {
    let mut out = BufWriter::new(io::stdout().lock());
    let body = rule.body().trim();
    let (title, rest) = body.split_once('\n').unwrap_or((body, ""));
    writeln!(out, "{title}\n")?;
    writeln!(out, "{}.\n", rule.summary())?;
    writeln!(
        out,
        "{} · {} confidence · seen in {} · {} · since {}{}{}",
        rule.severity(),
        rule.confidence(),
        witnesses(rule).join(" and "),
        rule.family(),
        rule.since(),
        match &fixes(rule)[..] {
            [] => String::new(),
            fixes => format!(" · {} fixes", fixes.join(" and ")),
        },
        if rule.is_opt_in() {
            " · runs under --pedantic"
        } else {
            ""
        },
    )?;
    let rest = rest.trim();
    if !rest.is_empty() {
        writeln!(out, "\n{rest}")?;
    }
    out.flush()?;
    Ok(Status::Clean)
}

/// Prints the table of rules.
pub(crate) fn rules(format: TableFormat) -> io::Result<Status> {
    let mut out = BufWriter::new(io::stdout().lock());
    match format {
        TableFormat::Human => table(&mut out)?,
        TableFormat::Json => {
            serde_json::to_writer(&mut out, &Table::new())?;
            writeln!(out)?;
        }
    }
    out.flush()?;
    Ok(Status::Clean)
}

fn table(out: &mut impl Write) -> io::Result<()> {
    let id_width = RULES.iter().map(|rule| rule.id().len()).max().unwrap_or(0);
    let mut family = "";
    for rule in RULES {
        if rule.family() != family {
            let gap = if family.is_empty() { "" } else { "\n" };
            family = rule.family();
            writeln!(out, "{gap}{family}")?;
        }
        writeln!(
            out,
            "  {:id_width$}  {:5}  {:16}  {}",
            rule.id(),
            rule.severity(),
            witnesses(rule).join(", "),
            rule.summary(),
        )?;
    }
    Ok(())
}

fn witnesses(rule: &Rule) -> Vec<&'static str> {
    rule.witness().iter().copied().map(Witness::as_str).collect()
}

fn fixes(rule: &Rule) -> Vec<&'static str> {
    rule.fixes().iter().copied().map(Applicability::as_str).collect()
}

/// `rules --format json`; documented in `docs/json.md`.
#[derive(Serialize)]
struct Table {
    version: u32,
    rules: Vec<Row>,
}

#[derive(Serialize)]
struct Row {
    id: &'static str,
    family: &'static str,
    severity: &'static str,
    witness: Vec<&'static str>,
    summary: &'static str,
    fix: Vec<&'static str>,
    opt_in: bool,
}

impl Table {
    fn new() -> Self {
        let row = |rule: &&'static Rule| Row {
            id: rule.id(),
            family: rule.family(),
            severity: rule.severity().as_str(),
            witness: witnesses(rule),
            summary: rule.summary(),
            fix: fixes(rule),
            opt_in: rule.is_opt_in(),
        };
        Self {
            version: 1,
            rules: RULES.iter().map(row).collect(),
        }
    }
}
