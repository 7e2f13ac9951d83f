//! The marked excerpt of a finding: a window of the file, or the lines the finding brings along.

use std::fmt;
use std::ops::Range;

use miette::{
    Diagnostic, GraphicalReportHandler, GraphicalTheme, LabeledSpan, MietteError, MietteSpanContents, SourceCode,
    SourceSpan, SpanContents,
};

use crate::finding::{Finding, Severity, Span};
use crate::report::WIDTH;
use crate::report::text::{neutral, one_line};
use crate::secrets;

/// Longer lines are shown as a part around their label.
const LINE_WIDTH: usize = 160;
/// How much of a long line stands before the label.
const BEFORE_LABEL: usize = 40;
/// How far beyond its edges a part of a line is searched for secrets.
const BEYOND: usize = 256;
/// A label over more lines marks only its first one.
const LABEL_LINES: u32 = 8;

/// Renders the heading, the message and the excerpt. `source` is the text of the finding's file.
pub(crate) fn render(finding: &Finding, source: Option<&str>, width: usize, color: bool) -> Result<String, fmt::Error> {
    let handler = handler(color).with_width(width).without_primary_span_start();
    let shown = Shown {
        finding,
        excerpt: excerpt(finding, source),
    };
    let mut text = String::new();
    handler.render_report(&mut text, &shown)?;
    Ok(text)
}

/// How every snippet looks.
pub(crate) fn handler(color: bool) -> GraphicalReportHandler {
    let theme = if color {
        GraphicalTheme::unicode()
    } else {
        GraphicalTheme::unicode_nocolor()
    };
    GraphicalReportHandler::new_themed(theme)
        .with_links(false)
        .with_width(WIDTH)
        .with_context_lines(1)
}

/// A stretch of lines with labels, ready for a terminal.
#[derive(Debug)]
struct Excerpt {
    text: String,
    /// The 0-based number of the first line.
    first_line: usize,
    /// The first is the primary one.
    labels: Vec<Label>,
}

/// A marked stretch of an excerpt.
#[derive(Debug)]
struct Label {
    range: Range<usize>,
    text: Option<String>,
    /// What to call the place above its lines.
    place: String,
}

fn excerpt(finding: &Finding, source: Option<&str>) -> Option<Excerpt> {
    let Some(own) = &finding.excerpt else {
        return source.map(|source| window(finding, source));
    };
    // Stand-ins may be longer in bytes than what they stand for, so labels move with the text.
    let at = |byte: usize| {
        let before = own.text.get(..byte);
        before.map_or(own.text.len(), |before| neutral(before).len())
    };
    let labels = own.labels.iter().map(|(range, text)| Label {
        range: at(range.start)..at(range.end),
        text: Some(one_line(text).into_owned()),
        place: one_line(&own.name).into_owned(),
    });
    Some(Excerpt {
        text: neutral(&own.text).into_owned(),
        first_line: 0,
        labels: labels.collect(),
    })
}

/// The lines of the primary span and of the related spans of the same file.
fn window(finding: &Finding, source: &str) -> Excerpt {
    let primary = finding.span();
    let mut marked = vec![(primary, finding.label.as_deref())];
    let here = finding
        .related
        .iter()
        .filter(|related| related.span.path == primary.path);
    marked.extend(here.map(|related| (&related.span, Some(related.message.as_str()))));

    let first = marked.iter().map(|(span, _)| span.start.line).min().unwrap_or(1);
    let last = marked.iter().map(|(span, _)| last_line(span)).max().unwrap_or(first);
    let path = primary.path.display().to_string();
    let path = one_line(&path);
    let label = |(span, text): &(&Span, Option<&str>)| Label {
        range: 0..0,
        text: text.map(|text| one_line(text).into_owned()),
        place: format!("{path}:{}:{}", span.start.line, span.start.column),
    };
    let mut excerpt = Excerpt {
        text: String::new(),
        first_line: (first as usize).saturating_sub(2),
        labels: marked.iter().map(label).collect(),
    };
    let lines = source.lines().enumerate().skip(excerpt.first_line);
    for (index, line) in lines.take(last as usize + 1 - excerpt.first_line) {
        let number = index as u32 + 1;
        let starts = marked
            .iter()
            .filter(|(span, _)| span.start.line == number)
            .map(|(span, _)| span.start.column);
        let (shown, cropped) = crop(line, starts.min());
        let begin = excerpt.text.len();
        let offset = |column: u32| {
            let characters = (column as usize).saturating_sub(1 + cropped);
            begin
                + shown
                    .char_indices()
                    .nth(characters)
                    .map_or(shown.len(), |(byte, _)| byte)
        };
        for ((span, _), label) in marked.iter().zip(&mut excerpt.labels) {
            if span.start.line == number {
                label.range = offset(span.start.column)..begin + shown.len();
            }
            if last_line(span) == number && span.end.line == number {
                label.range.end = offset(span.end.column).max(label.range.start);
            }
        }
        excerpt.text.push_str(&shown);
        excerpt.text.push('\n');
    }
    excerpt
}

fn last_line(span: &Span) -> u32 {
    if span.end.line - span.start.line.min(span.end.line) > LABEL_LINES {
        span.start.line
    } else {
        span.end.line.max(span.start.line)
    }
}

/// The part of a line that is shown, harmless, and how many characters before it are not.
fn crop(line: &str, label: Option<u32>) -> (String, usize) {
    // The end is looked for in bytes: a line may be a whole minified file.
    if line.len() <= LINE_WIDTH {
        return (neutral(&secrets::starred(line)).into_owned(), 0);
    }
    let column = label.map_or(0, |column| column as usize - 1);
    let skipped = if column > LINE_WIDTH - BEFORE_LABEL {
        column - BEFORE_LABEL
    } else {
        0
    };
    // A secret that the edges cut is found with what stands beyond them.
    let beyond = skipped.min(BEYOND);
    let around = line.chars().skip(skipped - beyond).take(beyond + LINE_WIDTH + BEYOND);
    let around: String = around.collect();
    let starred = secrets::starred(&around);
    let part: String = starred.chars().skip(beyond).take(LINE_WIDTH).collect();
    (neutral(&part).into_owned(), skipped)
}

impl SourceCode for Excerpt {
    fn read_span<'a>(
        &'a self,
        span: &SourceSpan,
        before: usize,
        after: usize,
    ) -> Result<Box<dyn SpanContents<'a> + 'a>, MietteError> {
        // Far labels get frames of their own; each is asked for by its first label's span.
        let here = (span.offset(), span.len());
        let asked = self
            .labels
            .iter()
            .find(|label| (label.range.start, label.range.len()) == here);
        let place = asked
            .or(self.labels.first())
            .map_or(String::new(), |label| label.place.clone());
        let part = self.text.read_span(span, before, after)?;
        Ok(Box::new(MietteSpanContents::new_named(
            place,
            part.data(),
            *part.span(),
            part.line() + self.first_line,
            part.column(),
            part.line_count(),
        )))
    }
}

/// A finding as miette wants it.
#[derive(Debug)]
struct Shown<'a> {
    finding: &'a Finding,
    excerpt: Option<Excerpt>,
}

impl fmt::Display for Shown<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&one_line(&self.finding.message))
    }
}

impl std::error::Error for Shown<'_> {}

impl Diagnostic for Shown<'_> {
    fn code<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        let Finding {
            severity, confidence, ..
        } = self.finding;
        Some(Box::new(format!(
            "{severity}[{}] {confidence} confidence",
            self.finding.rule().id()
        )))
    }

    fn severity(&self) -> Option<miette::Severity> {
        Some(match self.finding.severity {
            Severity::Error => miette::Severity::Error,
            Severity::Warn => miette::Severity::Warning,
            Severity::Info => miette::Severity::Advice,
        })
    }

    fn source_code(&self) -> Option<&dyn SourceCode> {
        self.excerpt.as_ref().map(|excerpt| excerpt as &dyn SourceCode)
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        let labels = &self.excerpt.as_ref()?.labels;
        Some(Box::new(labels.iter().enumerate().map(|(index, label)| {
            let span = (label.range.start, label.range.len());
            if index == 0 {
                LabeledSpan::new_primary_with_span(label.text.clone(), span)
            } else {
                LabeledSpan::new_with_span(label.text.clone(), span)
            }
        })))
    }
}
