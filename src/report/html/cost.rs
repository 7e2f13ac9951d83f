//! What breaks of the cached prefix cost, by cause, over all sessions.

use maud::{Markup, html};

use crate::outcome::{Bill, BreakReport, FileKind, Outcome};
use crate::report::causes::by_cause;
use crate::report::text::{count, one_line};

/// The section of the page; nothing where no session tells what its calls cost.
pub(super) fn section(outcome: &Outcome) -> Markup {
    let sessions = outcome.files.iter().flat_map(|file| match &file.kind {
        FileKind::Transcript { sessions, .. } => sessions.as_slice(),
        FileKind::Code { .. } => &[],
    });
    let bills: Vec<&Bill> = sessions.filter_map(|session| session.bill.as_ref()).collect();
    let Some(last) = bills.last() else {
        return html! {};
    };
    let breaks: Vec<&BreakReport> = bills.iter().flat_map(|bill| &bill.breaks).collect();
    html! {
        section #cost aria-labelledby="cost-title" {
            h2 #cost-title { "Cost of breaks in the cached prefix, by cause" }
            @if breaks.is_empty() {
                p { "The prefix never broke in " (count(bills.len() as u64, "session")) " that tell what their calls cost." }
            } @else {
                div .wide tabindex="0" {
                    table {
                        thead {
                            tr {
                                th scope="col" { "cause" }
                                th .number scope="col" { "breaks" }
                                th .number scope="col" { "tokens paid again" }
                                th .number scope="col" { "US dollars" }
                            }
                        }
                        tbody {
                            @for cause in by_cause(breaks) {
                                tr {
                                    th scope="row" { (cause.name) }
                                    td .number { (cause.breaks.len()) }
                                    td .number { (cause.again_in_words()) }
                                    td .number { (cause.price()) }
                                }
                            }
                        }
                    }
                }
                p { "Prices of " (one_line(&last.as_of)) "." }
            }
        }
    }
}
