//! For people: each finding with its excerpt, the list the model would read, and the way to mend it.

mod cost;
mod sessions;

use std::io::{self, Write};
use std::path::Path;

use crate::drawing::{self, Arrow, Entry, INJECTED, Ink, Line, Style};
use crate::finding::{Counterexample, Finding, Mark, ModelRow};
use crate::mend::{Applicability, Fix};
use crate::outcome::{Comparison, FileKind, Limit};
use crate::report::text::{clip, count, one_line};
use crate::report::{Report, Totals, WIDTH, snippet};
use crate::transcript::derived_from;

/// A message of the model's list is shown up to this length.
const ROW_TEXT: usize = 60;

pub(crate) fn write(report: &Report<'_>, out: &mut dyn Write) -> io::Result<()> {
    for (heading, findings) in sessions::grouped(report.outcome) {
        if let Some(heading) = heading {
            writeln!(out, "{heading}")?;
        }
        for finding in findings {
            write_finding(finding, report, out)?;
        }
    }
    if report.quiet {
        return Ok(());
    }
    write_coverage(report, out)?;
    if report.cost {
        cost::write(report.outcome, out)?;
    }
    write_comparisons(report, out)?;
    write_summary(report, out)
}

fn write_finding(finding: &Finding, report: &Report<'_>, out: &mut dyn Write) -> io::Result<()> {
    let source = report.outcome.sources.get(finding.path());
    let head =
        snippet::render(finding, source.map(AsRef::as_ref), report.width, report.color).map_err(io::Error::other)?;
    for line in head.trim_end().lines() {
        writeln!(out, "{}", line.trim_end())?;
    }
    if source.is_none() || finding.excerpt.is_some() {
        let start = finding.span().start;
        let path = finding.path().display().to_string();
        writeln!(
            out,
            "  at {}:{}:{}{}",
            one_line(&path),
            start.line,
            start.column,
            moment(finding)
        )?;
    }
    if let Some(counterexample) = &finding.counterexample {
        write_counterexample(counterexample, report, out)?;
    }
    if let Some(note) = &finding.note {
        write_wrapped("note: ", note, report.width, out)?;
    }
    if let Some(help) = &finding.help {
        write_wrapped("help: ", help, report.width, out)?;
    }
    if let Some((fix, flags)) = shown_fix(finding, report) {
        write_wrapped(
            "help: ",
            &format!("fix available: {} ({flags})", fix.title),
            report.width,
            out,
        )?;
    }
    if !finding.also.is_empty() {
        let ids: Vec<_> = finding.also.iter().map(|rule| rule.id()).collect();
        write_wrapped("also: ", &ids.join(", "), report.width, out)?;
    }
    // Related places in the same text are labels of the excerpt already.
    let excerpt_shows = source.is_some() && finding.excerpt.is_none();
    for related in &finding.related {
        if excerpt_shows && related.span.path == finding.path() {
            continue;
        }
        let start = related.span.start;
        let path = related.span.path.display().to_string();
        writeln!(
            out,
            "  related: {}:{}:{}: {}",
            one_line(&path),
            start.line,
            start.column,
            one_line(&related.message)
        )?;
    }
    writeln!(out)
}

/// The fix of a finding, and the flags that apply it. Unsafe ones are shown to those who ask for them.
fn shown_fix<'f>(finding: &'f Finding, report: &Report<'_>) -> Option<(&'f Fix, &'static str)> {
    let fix = finding.fix.as_ref()?;
    match fix.applicability {
        Applicability::Safe => Some((fix, "--fix")),
        Applicability::Unsafe => report.unsafe_fixes.then_some((fix, "--fix --unsafe-fixes")),
    }
}

/// The turn and step of a recorded run, if the finding has them.
fn moment(finding: &Finding) -> String {
    let turn = finding.turn.map(|turn| format!("turn {turn}"));
    let step = finding.step.as_ref().map(|step| format!("step {}", one_line(step)));
    let parts: Vec<_> = turn.into_iter().chain(step).collect();
    if parts.is_empty() {
        String::new()
    } else {
        format!(" ({})", parts.join(", "))
    }
}

fn write_counterexample(counterexample: &Counterexample, report: &Report<'_>, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "  what the model reads:")?;
    let (lines, arrows) = drawn(counterexample);
    let style = Style {
        width: report.width.saturating_sub(2),
        color: report.color,
        margin: false,
    };
    for line in drawing::draw(&lines, &arrows, style) {
        writeln!(out, "  {line}")?;
    }
    Ok(())
}

/// The messages of a counterexample, one numbered line each, without arrows: for forms that are no drawing.
pub(super) fn list(counterexample: &Counterexample) -> Vec<String> {
    let style = Style {
        width: WIDTH,
        color: false,
        margin: false,
    };
    drawing::draw(&drawn(counterexample).0, &[], style)
}

/// The rows as they are drawn, and the moves that their ids and marks tell.
fn drawn(counterexample: &Counterexample) -> (Vec<Line>, Vec<Arrow>) {
    let rows = &counterexample.rows;
    let mut stand = 0;
    let mut entry = |row: &ModelRow| {
        let is_there = row.mark != Some(Mark::Lost);
        stand += usize::from(is_there);
        Line::Message(Box::new(Entry {
            number: is_there.then_some(stand),
            program: (row.mark == Some(Mark::Injected)).then_some(INJECTED),
            role: one_line(&row.role).into_owned(),
            id: row.id.as_deref().map(|id| one_line(id).into_owned()),
            text: format!("\"{}\"", clip(&one_line(&row.text), ROW_TEXT)),
            note: row.mark.map(note),
            ..Entry::default()
        }))
    };
    // What gave its id away stood where that id stands now.
    let arrow = |(to, row): (usize, &ModelRow)| {
        let moved = matches!(row.mark, Some(Mark::TakenForCurrent | Mark::Moved));
        let id = row.id.as_deref().filter(|_| moved)?;
        let with = |id: &str| rows.iter().position(|other| other.id.as_deref() == Some(id));
        let from = derived_from(id, with).filter(|from| *from != to)?;
        Some(Arrow { from, to })
    };
    let lines = rows.iter().map(&mut entry).collect();
    (lines, rows.iter().enumerate().filter_map(arrow).collect())
}

/// What is said of a message that is marked.
pub(super) fn note(mark: Mark) -> (Ink, &'static str) {
    match mark {
        Mark::Current => (Ink::Now, "◀ the current question"),
        Mark::TakenForCurrent => (Ink::Wrong, "◀ the model takes this for the question"),
        Mark::Injected => (Ink::Program, "◀ put here by the program"),
        Mark::Moved => (Ink::Wrong, "◀ moved here"),
        Mark::Lost => (Ink::Wrong, "◀ lost: the model does not read it"),
    }
}

/// `label` and the text behind it, its further lines indented under its first.
fn write_wrapped(label: &str, text: &str, width: usize, out: &mut dyn Write) -> io::Result<()> {
    let indent = " ".repeat(2 + label.len());
    let mut line = format!("  {label}");
    let mut length = line.chars().count();
    let mut first = true;
    for word in one_line(text).split_whitespace() {
        let word_length = word.chars().count();
        if !first && length + 1 + word_length > width {
            writeln!(out, "{line}")?;
            line = indent.clone();
            length = indent.len();
            first = true;
        }
        if !first {
            line.push(' ');
            length += 1;
        }
        line.push_str(word);
        length += word_length;
        first = false;
    }
    writeln!(out, "{line}")
}

/// Where every record of every transcript ended, and what its form cannot show.
fn write_coverage(report: &Report<'_>, out: &mut dyn Write) -> io::Result<()> {
    for file in &report.outcome.files {
        let FileKind::Transcript {
            format,
            coverage,
            unknown_types,
            ignored_for,
            sessions,
            limits,
        } = &file.kind
        else {
            continue;
        };
        writeln!(
            out,
            "{}: {format}, {} = {} understood + {} ignored by design + {} unknown + {} malformed",
            one_line(&file.path.display().to_string()),
            count(coverage.records(), "record"),
            coverage.understood,
            coverage.ignored,
            coverage.unknown,
            coverage.malformed,
        )?;
        if report.coverage {
            sessions::write_table(*coverage, ignored_for, unknown_types, out)?;
            sessions::write(sessions, out)?;
        } else if !unknown_types.is_empty() {
            let types: Vec<_> = unknown_types
                .iter()
                .map(|(name, number)| format!("{} ({number})", one_line(name)))
                .collect();
            write_wrapped("unknown: ", &types.join(", "), report.width, out)?;
        }
        write_limits(limits, report.width, out)?;
    }
    Ok(())
}

/// How far each history goes on behind that of the older run.
fn write_comparisons(report: &Report<'_>, out: &mut dyn Write) -> io::Result<()> {
    for one in &report.outcome.comparisons {
        writeln!(out, "{}", compared(one, |path| path.display().to_string()))?;
    }
    Ok(())
}

/// How far a history goes on behind that of the older run, one sentence without its stop.
pub(super) fn compared(one: &Comparison, shown: impl Fn(&Path) -> String) -> String {
    let verb = if one.extends { "extends" } else { "does not extend" };
    let missing = match one.missing {
        0 => String::new(),
        missing => format!(", {missing} no longer there"),
    };
    let records = one.records.map_or(String::new(), |records| {
        let same = if records == 1 { "is" } else { "are" };
        format!("; its {} {same} the same", count(records, "record"))
    });
    let names = |path: &Path, session: &str| format!("{} (session {})", one_line(&shown(path)), one_line(session));
    format!(
        "{} {verb} {}: {} common{missing}, {} added{records}",
        names(&one.path, &one.session),
        names(&one.older_path, &one.older_session),
        count(one.common, "message"),
        one.added,
    )
}

/// What a form cannot show, the rules with the same reason together.
fn write_limits(limits: &[Limit], width: usize, out: &mut dyn Write) -> io::Result<()> {
    let mut left: Vec<&Limit> = limits.iter().collect();
    while let Some(&Limit { in_part, why, .. }) = left.first().copied() {
        let (same, others): (Vec<_>, Vec<_>) = left
            .into_iter()
            .partition(|limit| (limit.in_part, limit.why) == (in_part, why));
        let ids: Vec<_> = same.iter().map(|limit| limit.rule.id()).collect();
        let label = if in_part { "judged in part: " } else { "not judged: " };
        write_wrapped(label, &format!("{} ({why})", ids.join(", ")), width, out)?;
        left = others;
    }
    Ok(())
}

fn write_summary(report: &Report<'_>, out: &mut dyn Write) -> io::Result<()> {
    let found = Totals::of(report.outcome).in_words();
    let verb = report.half.done();
    let files = count(report.outcome.files.len() as u64, "file");
    let hidden = match report.outcome.hidden {
        0 => String::new(),
        hidden => format!(" ({hidden} hidden)"),
    };
    writeln!(out, "{verb} {files}: {found}{hidden}")?;
    let number = |wanted: Applicability| {
        let fixes = report
            .outcome
            .findings
            .iter()
            .filter_map(|finding| finding.fix.as_ref());
        fixes.filter(|fix| fix.applicability == wanted).count() as u64
    };
    match (number(Applicability::Safe), number(Applicability::Unsafe)) {
        (0, 0) => Ok(()),
        (0, more) => writeln!(out, "{} with --fix --unsafe-fixes", count_fixable(more)),
        (safe, 0) => writeln!(out, "{} with --fix", count_fixable(safe)),
        (safe, more) => writeln!(
            out,
            "{} with --fix, {more} more with --unsafe-fixes",
            count_fixable(safe)
        ),
    }
}

fn count_fixable(number: u64) -> String {
    format!("{number} can be fixed")
}
