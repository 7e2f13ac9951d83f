//! Findings as an editor shows them.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use lsp_types::{
    Diagnostic, DiagnosticRelatedInformation, DiagnosticSeverity, Location, NumberOrString, Position, Range,
};
use serde_json::json;

use super::actions::{self, Action};
use super::client::Client;
use super::documents::Document;
use super::position::{self, Lines};
use super::{hover, uri};
use crate::bounded;
use crate::finding::{Counterexample, Finding, Severity, Span};
use crate::report::text::one_line;

/// What is said about a place of a document.
#[derive(Clone, Debug)]
pub(super) struct Shown {
    pub(super) diagnostic: Diagnostic,
    /// What the pointer on it shows.
    pub(super) hover: String,
    /// What can be done about it, best first.
    pub(super) actions: Vec<Action>,
}

/// The texts that findings of one analysis are about.
pub(super) struct Texts<'a> {
    client: &'a Client,
    documents: BTreeMap<&'a Path, &'a Document>,
    /// Of files that are not open, as they were read.
    others: BTreeMap<PathBuf, Option<Arc<str>>>,
}

impl<'a> Texts<'a> {
    pub(super) fn of(documents: &'a [Document], client: &'a Client) -> Self {
        Self {
            client,
            documents: documents.iter().map(|one| (&*one.path, one)).collect(),
            others: BTreeMap::new(),
        }
    }

    /// A file's document, where it is open.
    pub(super) fn document(&self, path: &Path) -> Option<&'a Document> {
        self.documents.get(path).copied()
    }

    /// The range of a stretch, and what the editor calls its file.
    fn location(&mut self, span: &Span) -> Option<Location> {
        // Files that are not open are told from the working directory.
        let path = std::path::absolute(&span.path).ok()?;
        if let Some(document) = self.document(&path) {
            let lines = Lines::of(&document.text, document.marked, self.client.encoding);
            return Some(Location::new(document.uri.clone(), lines.range(span.start, span.end)));
        }
        let name = uri::of(&path)?;
        let text = self.others.entry(path.clone()).or_insert_with(|| {
            let text = bounded::text(&path).ok()?;
            Some(Arc::from(text))
        });
        let (text, marked) = position::without_mark(text.as_deref()?);
        let lines = Lines::of(text, marked, self.client.encoding);
        Some(Location::new(name, lines.range(span.start, span.end)))
    }

    /// What is shown for a finding in a document.
    pub(super) fn shown(&mut self, finding: &Finding, document: &Document) -> Shown {
        let lines = Lines::of(&document.text, document.marked, self.client.encoding);
        let range = lines.range(finding.span().start, finding.span().end);
        let related = self.client.related.then(|| self.related(finding));
        let diagnostic = Diagnostic {
            range: visible(range),
            severity: Some(match finding.severity {
                Severity::Error => DiagnosticSeverity::ERROR,
                Severity::Warn => DiagnosticSeverity::WARNING,
                Severity::Info => DiagnosticSeverity::INFORMATION,
            }),
            code: Some(NumberOrString::String(finding.rule().id().to_owned())),
            source: Some("ctxlint".to_owned()),
            message: message(finding),
            related_information: related.filter(|related| !related.is_empty()),
            data: Some(json!({
                "confidence": finding.confidence.as_str(),
                "fingerprint": finding.fingerprint(),
                "counterexample": finding.counterexample.as_ref().map(rows),
            })),
            ..Diagnostic::default()
        };
        Shown {
            hover: hover::text(finding, self.client.markdown),
            actions: actions::of(finding, document, self, &lines),
            diagnostic,
        }
    }

    fn related(&mut self, finding: &Finding) -> Vec<DiagnosticRelatedInformation> {
        let places = finding.related.iter().filter_map(|related| {
            Some(DiagnosticRelatedInformation {
                location: self.location(&related.span)?,
                message: one_line(&related.message).into_owned(),
            })
        });
        places.collect()
    }

    pub(super) fn client(&self) -> &'a Client {
        self.client
    }
}

/// The finding, then what its rule is about.
fn message(finding: &Finding) -> String {
    let said = one_line(&finding.message);
    let summary = finding.rule().summary();
    format!("{said}\n{summary}.")
}

/// A stretch of at least one column: some editors draw no line under an empty one.
fn visible(range: Range) -> Range {
    let Range { start, end } = range;
    if start == end {
        return Range::new(start, Position::new(end.line, end.character + 1));
    }
    range
}

/// As `--format json` has them.
fn rows(counterexample: &Counterexample) -> serde_json::Value {
    let rows = counterexample.rows.iter().map(|row| {
        json!({
            "id": row.id,
            "role": row.role,
            "text": row.text,
            "mark": row.mark.map(crate::finding::Mark::as_str),
        })
    });
    rows.collect()
}
