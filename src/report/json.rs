//! `--format json` and `--format jsonl`: contracts, documented in `docs/json.md` and `docs/json.schema.json`.

use std::io::{self, Write};
use std::path::Path;

use serde::Serialize;

use crate::finding::{Finding, Mark, ModelRow, Position, Related};
use crate::mend::{Edit, Fix};
use crate::outcome::{Bill, Comparison, FileKind, FileReport, Outcome, Partial, Suppressed};
use crate::report::text::escape_hazards;
use crate::report::{Report, Totals};

#[derive(Serialize)]
struct Document<'a> {
    version: u32,
    tool: Tool,
    findings: Vec<FindingDto<'a>>,
    suppressed: Vec<SuppressedDto<'a>>,
    files: Vec<FileDto<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    comparisons: Vec<ComparisonDto<'a>>,
    summary: Summary,
}

/// One line of `--format jsonl`.
#[derive(Serialize)]
#[serde(tag = "type", rename_all = "lowercase")]
enum Line<'a> {
    Finding {
        version: u32,
        #[serde(flatten)]
        finding: Box<FindingDto<'a>>,
    },
    Summary {
        version: u32,
        tool: Tool,
        #[serde(flatten)]
        summary: Summary,
    },
}

/// What wrote a document.
#[derive(Serialize)]
pub(super) struct Tool {
    name: &'static str,
    version: &'static str,
}

impl Tool {
    /// This program.
    pub(super) const THIS: Self = Self {
        name: env!("CARGO_PKG_NAME"),
        version: env!("CARGO_PKG_VERSION"),
    };
}

#[derive(Serialize)]
struct FindingDto<'a> {
    rule: &'a str,
    family: &'a str,
    severity: &'static str,
    confidence: &'static str,
    witness: &'static str,
    message: &'a str,
    path: String,
    start: PositionDto,
    end: PositionDto,
    related: Vec<RelatedDto<'a>>,
    help: Option<&'a str>,
    also: Vec<&'a str>,
    counterexample: Vec<RowDto<'a>>,
    session: Option<&'a str>,
    turn: Option<u32>,
    step: Option<&'a str>,
    fix: Option<FixDto<'a>>,
    fingerprint: &'a str,
}

#[derive(Serialize)]
struct SuppressedDto<'a> {
    rule: &'a str,
    path: String,
    start: PositionDto,
    fingerprint: &'a str,
    by: &'static str,
    reason: Option<&'a str>,
}

#[derive(Serialize)]
struct FixDto<'a> {
    title: &'a str,
    applicability: &'static str,
    path: String,
    edits: Vec<EditDto<'a>>,
}

#[derive(Serialize)]
struct EditDto<'a> {
    start: PlaceDto,
    end: PlaceDto,
    replacement: &'a str,
}

#[derive(Serialize)]
struct PlaceDto {
    line: u32,
    column: u32,
    byte: usize,
}

#[derive(Serialize)]
struct PositionDto {
    line: u32,
    column: u32,
}

#[derive(Serialize)]
struct RelatedDto<'a> {
    path: String,
    start: PositionDto,
    end: PositionDto,
    message: &'a str,
}

#[derive(Serialize)]
struct RowDto<'a> {
    id: Option<&'a str>,
    role: &'a str,
    text: &'a str,
    mark: Option<&'static str>,
}

#[derive(Serialize)]
#[serde(untagged)]
enum FileDto<'a> {
    Code {
        path: String,
        language: &'a str,
    },
    Transcript {
        path: String,
        format: &'a str,
        records: u64,
        understood: u64,
        ignored: u64,
        unknown: u64,
        malformed: u64,
        ignored_for: Vec<IgnoredDto<'a>>,
        unknown_types: Vec<UnknownDto<'a>>,
        sessions: Vec<SessionDto<'a>>,
    },
}

#[derive(Serialize)]
struct IgnoredDto<'a> {
    reason: &'a str,
    records: u64,
}

#[derive(Serialize)]
struct UnknownDto<'a> {
    #[serde(rename = "type")]
    name: &'a str,
    records: u64,
}

#[derive(Serialize)]
struct SessionDto<'a> {
    id: &'a str,
    project: Option<&'a str>,
    time: Option<i64>,
    usage: Option<UsageDto<'a>>,
}

#[derive(Serialize)]
struct UsageDto<'a> {
    prices_of: &'a str,
    comparisons: u64,
    models: Vec<ModelDto<'a>>,
    breaks: Vec<BreakDto<'a>>,
}

/// Tokens by class; prices are in US dollars.
#[derive(Serialize)]
struct ModelDto<'a> {
    model: Option<&'a str>,
    calls: u64,
    input: u64,
    read: u64,
    written: u64,
    written_hour: u64,
    output: u64,
    price: Option<f64>,
}

#[derive(Serialize)]
struct BreakDto<'a> {
    line: u32,
    cause: &'a str,
    before: u64,
    after: u64,
    again: u64,
    price: Option<f64>,
    estimated: bool,
    promised: bool,
}

#[derive(Serialize)]
struct ComparisonDto<'a> {
    path: String,
    session: &'a str,
    older_path: String,
    older_session: &'a str,
    extends: bool,
    records: Option<u64>,
    common: u64,
    missing: u64,
    added: u64,
}

#[derive(Serialize)]
struct Summary {
    errors: usize,
    warnings: usize,
    infos: usize,
    hidden: usize,
    files: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    partial: Option<PartialDto>,
}

/// How far an interrupted run came.
#[derive(Serialize)]
struct PartialDto {
    read: usize,
    found: usize,
}

/// The version of what is written here.
const VERSION: u32 = 1;

pub(super) fn write(report: &Report<'_>, out: &mut dyn Write) -> io::Result<()> {
    let outcome = report.outcome;
    let document = Document {
        version: VERSION,
        tool: Tool::THIS,
        findings: outcome.findings.iter().map(FindingDto::from).collect(),
        suppressed: outcome.suppressed.iter().map(SuppressedDto::from).collect(),
        files: outcome.files.iter().map(FileDto::from).collect(),
        comparisons: outcome.comparisons.iter().map(ComparisonDto::from).collect(),
        summary: outcome.into(),
    };
    write_line(&document, out)
}

pub(super) fn write_lines(report: &Report<'_>, out: &mut dyn Write) -> io::Result<()> {
    for finding in &report.outcome.findings {
        let finding = Line::Finding {
            version: VERSION,
            finding: Box::new(finding.into()),
        };
        write_line(&finding, out)?;
    }
    let summary = Line::Summary {
        version: VERSION,
        tool: Tool::THIS,
        summary: report.outcome.into(),
    };
    write_line(&summary, out)
}

fn write_line(value: &impl Serialize, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "{}", escape_hazards(&serde_json::to_string(value)?))
}

fn path(path: &Path) -> String {
    path.display().to_string()
}

impl From<&Outcome> for Summary {
    fn from(outcome: &Outcome) -> Self {
        let totals = Totals::of(outcome);
        Self {
            errors: totals.errors,
            warnings: totals.warnings,
            infos: totals.infos,
            hidden: outcome.hidden,
            files: outcome.files.len(),
            partial: outcome
                .partial
                .map(|Partial { read, found }| PartialDto { read, found }),
        }
    }
}

impl From<Position> for PositionDto {
    fn from(Position { line, column }: Position) -> Self {
        Self { line, column }
    }
}

impl<'a> From<&'a Finding> for FindingDto<'a> {
    fn from(finding: &'a Finding) -> Self {
        let span = finding.span();
        let rows = finding
            .counterexample
            .iter()
            .flat_map(|counterexample| &counterexample.rows);
        Self {
            rule: finding.rule().id(),
            family: finding.rule().family(),
            severity: finding.severity.as_str(),
            confidence: finding.confidence.as_str(),
            witness: finding.witness().as_str(),
            message: &finding.message,
            path: path(&span.path),
            start: span.start.into(),
            end: span.end.into(),
            related: finding.related.iter().map(RelatedDto::from).collect(),
            help: finding.help.as_deref(),
            also: finding.also.iter().map(|rule| rule.id()).collect(),
            counterexample: rows.map(RowDto::from).collect(),
            session: finding.session.as_deref(),
            turn: finding.turn,
            step: finding.step.as_deref(),
            fix: finding.fix.as_ref().map(FixDto::from),
            fingerprint: finding.fingerprint(),
        }
    }
}

impl<'a> From<&'a Suppressed> for SuppressedDto<'a> {
    fn from(suppressed: &'a Suppressed) -> Self {
        let finding = &suppressed.finding;
        Self {
            rule: finding.rule().id(),
            path: path(finding.path()),
            start: finding.span().start.into(),
            fingerprint: finding.fingerprint(),
            by: suppressed.by.as_str(),
            reason: suppressed.reason.as_deref(),
        }
    }
}

impl<'a> From<&'a Fix> for FixDto<'a> {
    fn from(fix: &'a Fix) -> Self {
        let place = |at: Position, byte| PlaceDto {
            line: at.line,
            column: at.column,
            byte,
        };
        let edit = |edit: &'a Edit| EditDto {
            start: place(edit.start, edit.range.start),
            end: place(edit.end, edit.range.end),
            replacement: &edit.replacement,
        };
        Self {
            title: fix.title,
            applicability: fix.applicability.as_str(),
            path: path(&fix.path),
            edits: fix.edits.iter().map(edit).collect(),
        }
    }
}

impl<'a> From<&'a Related> for RelatedDto<'a> {
    fn from(related: &'a Related) -> Self {
        Self {
            path: path(&related.span.path),
            start: related.span.start.into(),
            end: related.span.end.into(),
            message: &related.message,
        }
    }
}

impl<'a> From<&'a ModelRow> for RowDto<'a> {
    fn from(row: &'a ModelRow) -> Self {
        Self {
            id: row.id.as_deref(),
            role: &row.role,
            text: &row.text,
            mark: row.mark.map(Mark::as_str),
        }
    }
}

impl<'a> From<&'a Bill> for UsageDto<'a> {
    fn from(bill: &'a Bill) -> Self {
        let models = bill.models.iter().map(|model| ModelDto {
            model: model.model.as_deref(),
            calls: model.calls,
            input: model.input,
            read: model.read,
            written: model.written,
            written_hour: model.written_hour,
            output: model.output,
            price: dollars(model.price),
        });
        let breaks = bill.breaks.iter().map(|broken| BreakDto {
            line: broken.line,
            cause: broken.cause,
            before: broken.before,
            after: broken.after,
            again: broken.again,
            price: dollars(broken.price),
            estimated: broken.estimated,
            promised: broken.promised,
        });
        Self {
            prices_of: &bill.as_of,
            comparisons: bill.comparisons,
            models: models.collect(),
            breaks: breaks.collect(),
        }
    }
}

impl<'a> From<&'a Comparison> for ComparisonDto<'a> {
    fn from(one: &'a Comparison) -> Self {
        Self {
            path: path(&one.path),
            session: &one.session,
            older_path: path(&one.older_path),
            older_session: &one.older_session,
            extends: one.extends,
            records: one.records,
            common: one.common,
            missing: one.missing,
            added: one.added,
        }
    }
}

/// Dollars of millionths of them.
#[expect(
    clippy::cast_precision_loss,
    reason = "what is lost is far below a millionth of a cent"
)]
fn dollars(millionths: Option<u64>) -> Option<f64> {
    millionths.map(|millionths| millionths as f64 / 1e6)
}

impl<'a> From<&'a FileReport> for FileDto<'a> {
    fn from(file: &'a FileReport) -> Self {
        match &file.kind {
            FileKind::Code { language } => Self::Code {
                path: path(&file.path),
                language,
            },
            FileKind::Transcript {
                format,
                coverage,
                sessions,
                ignored_for,
                unknown_types,
                ..
            } => Self::Transcript {
                path: path(&file.path),
                format,
                records: coverage.records(),
                understood: coverage.understood,
                ignored: coverage.ignored,
                unknown: coverage.unknown,
                malformed: coverage.malformed,
                ignored_for: ignored_for
                    .iter()
                    .map(|(reason, &records)| IgnoredDto { reason, records })
                    .collect(),
                unknown_types: unknown_types
                    .iter()
                    .map(|(name, &records)| UnknownDto { name, records })
                    .collect(),
                sessions: sessions
                    .iter()
                    .map(|session| SessionDto {
                        id: &session.id,
                        project: session.project.as_deref(),
                        time: session.time,
                        usage: session.bill.as_ref().map(UsageDto::from),
                    })
                    .collect(),
            },
        }
    }
}
