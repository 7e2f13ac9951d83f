//! What was read, and where its records ended.

use maud::{Markup, html};

use super::Page;
use crate::outcome::{FileKind, FileReport};
use crate::report::human;
use crate::report::text::one_line;

/// The section of the page.
pub(super) fn section(page: &Page<'_>) -> Markup {
    let files = &page.outcome.files;
    html! {
        section #files aria-labelledby="files-title" {
            h2 #files-title { "Files" }
            details {
                summary { (files.len()) " read" }
                ul .coverage { @for file in files { li { (one(page, file)) } } }
            }
            @if !page.outcome.comparisons.is_empty() {
                h3 { "Compared with the older run" }
                ul .compared {
                    @for one in &page.outcome.comparisons { li { (human::compared(one, |path| page.path(path))) } }
                }
            }
        }
    }
}

fn one(page: &Page<'_>, file: &FileReport) -> Markup {
    html! {
        code { (page.path(&file.path)) } ": "
        @match &file.kind {
            FileKind::Code { language } => (language),
            FileKind::Transcript { format, coverage, unknown_types, limits, .. } => {
                (format) ", " (coverage.records()) " records = " (coverage.understood) " understood + "
                (coverage.ignored) " ignored by design + " (coverage.unknown) " unknown + "
                (coverage.malformed) " malformed"
                @if !unknown_types.is_empty() {
                    "; unknown: "
                    @for (at, (name, number)) in unknown_types.iter().enumerate() {
                        @if at > 0 { ", " }
                        (one_line(name)) " (" (number) ")"
                    }
                }
                @if !limits.is_empty() {
                    "; not or not wholly judged: "
                    @for (at, limit) in limits.iter().enumerate() {
                        @if at > 0 { ", " }
                        (limit.rule.id())
                    }
                }
            }
        }
    }
}
